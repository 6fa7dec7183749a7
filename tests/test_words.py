"""One word, one meaning: nicknames that the field does not know stay out of names.

An encounter has phases, events, impacts, contacts, closures, captures, records, cases, laws and
loads. Words that once stood beside these for the same things are not used for modules, classes,
functions, attributes, parameters or variables. In a sentence they are English.
"""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import percuss

SOURCE = Path(percuss.__file__).parent
PLACES = (
    "control",
    "encounter",
    "identification",
    "impact",
    "kinematics",
    "percussion",
    "scenario",
    "symbolic",
    "report",
    "cli",
    "io",
    "many.py",
    "result.py",
)
"""Where the words are looked for. Elsewhere some of them mean something: the stages of a
Runge–Kutta step and of a rocket, the course of a time loop, the onset of a source's figures."""
RETIRED = {
    **dict.fromkeys(("stretch", "stretches", "leg", "legs"), "phase"),
    **dict.fromkeys(("course", "courses"), "sequence of phases"),
    **dict.fromkeys(("passage", "passages"), "contact"),
    **dict.fromkeys(("stage", "stages"), "assembly"),
    **dict.fromkeys(("yielding", "yields"), "compliant"),
    **dict.fromkeys(("facing", "faced"), "contact surface"),
    **dict.fromkeys(("hit", "hits", "struck"), "impact"),
    **dict.fromkeys(("foresight", "foreseen"), "preparation"),
    **dict.fromkeys(("wishes", "wish"), "settings"),
    "seen": "observation",
    "told": "what is told, or for whom",
    "telling": "integrals, or what is told",
    "aims": "goals",
    "moved": "motion, or what is moved",
    "onset": "start of the motion, impact model",
    "bests": "estimates",
    "excesses": "warnings",
    "oddities": "warnings",
}
"""Words that do not come back, and what is said instead."""
DOCUMENTED = {
    ("identification", "moved"): "observability.moved of SearchOptions",
    ("identification", "onset_samples"): "residual_tests.onset_samples of SearchOptions",
    ("percussion", "moved_back_by"): "what Pose.act_inverse calls of a quantity",
}
"""Names that are public elsewhere, in the package that must use them, and where they are from."""


def words_of(name: str) -> set[str]:
    """The words of a name: between underscores, and from capital to capital."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return set(apart.lower().split("_")) - {""}


def names_in(text: str) -> Iterator[tuple[int, str]]:
    """Every name of a module's code with its line; keywords, strings and comments are none."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
            yield token.start[0], token.string


def retired_in(text: str, package: str = "") -> list[str]:
    """`line: name, better: word` for each name in a module's code that has a retired word."""
    return [
        f"{line}: {name}, better: {RETIRED[word]}"
        for line, name in names_in(text)
        if (package, name) not in DOCUMENTED
        for word in sorted(words_of(name) & RETIRED.keys())
    ]


MODULES = sorted(
    path
    for place in PLACES
    for path in [SOURCE / place, *(SOURCE / place).rglob("*.py")]
    if path.suffix == ".py"
)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_names_have_no_retired_word(path: Path) -> None:
    assert not words_of(path.stem) & RETIRED.keys(), f"the module {path.stem}"
    package = path.relative_to(SOURCE).parts[0]
    found = retired_in(path.read_text(encoding="utf-8"), package)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("package", "name"), DOCUMENTED)
def test_names_that_are_public_elsewhere_are_used(package: str, name: str) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (SOURCE / package).rglob("*.py")]
    assert any(name in (found for _, found in names_in(text)) for text in texts)


def test_all_places_are_there() -> None:
    assert all((SOURCE / place).exists() for place in PLACES)
    assert len(MODULES) > 200


def test_retired_words_are_found() -> None:
    text = '"""A stretch that is told."""\nfirst_leg = LegOf(x).seen  # a leg\nyield_to = told\n'
    found = retired_in(text)
    assert [line.split(",")[0] for line in found] == [
        "2: first_leg",
        "2: LegOf",
        "2: seen",
        "3: told",
    ]
