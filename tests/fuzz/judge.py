"""What is clean and what is not: the promises that percuss makes, whatever it is given."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import Path

from tests.fuzz.cases import Case
from tests.fuzz.drive import Ending
from tests.fuzz.physics import nonsense_in_run, not_finite


class Verdict(StrEnum):
    """What became of an input; those in FAILURES must not happen."""

    ANSWER = "clean answers"
    ERROR = "clean errors"
    TRACEBACK = "tracebacks"
    OVER_TIME = "over time"
    NONSENSE = "nonsense"
    LEFTOVER = "leftovers"


FAILURES = (Verdict.TRACEBACK, Verdict.OVER_TIME, Verdict.NONSENSE, Verdict.LEFTOVER)


@dataclass(frozen=True)
class Judgement:
    """The verdict, and why in words that are the same for the same cause."""

    verdict: Verdict
    why: str = ""


_INTERNAL = re.compile(
    r"numpy|scipy|\bjax|pydantic|llvmlite|h5py|sympy|Traceback|site-packages|\.py:\d|\.py\", line"
    r"|\b[A-Z]\w*(?:Error|Warning|Exception)\b|list index|NoneType|has no attribute|unhashable"
    r"|not subscriptable|\bdtype|<class |<function|object at 0x|unsupported operand|broadcast"
    r"|could not convert|invalid literal|division by zero|math domain|positional argument|ndarray"
    r"|ufunc|phony_dims|Tracer|not iterable|codec can't|ordinal not in|keyword argument"
)
"""Words of libraries and of Python's own errors: they tell a user nothing."""

_RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What commands a terminal."""

MOST_LINES = 55
LONGEST_LINE = 1200
"""Of a message: twenty problems are listed at most, a value in it is shortened."""


def judge(case: Case, ending: Ending, folder: Path) -> Judgement:
    """Whether an ending keeps the promises."""
    if ending.crash:
        return Judgement(Verdict.TRACEBACK, ending.crash)
    if "Traceback (most recent" in ending.err:
        return Judgement(Verdict.TRACEBACK, "a traceback is printed")
    left = _leftovers(case, ending)
    if left:
        return Judgement(Verdict.LEFTOVER, left)
    wrong = _message(case, ending) or (_answer(case, ending, folder) if not ending.status else "")
    if wrong:
        return Judgement(Verdict.NONSENSE, wrong)
    return Judgement(Verdict.ERROR if ending.status else Verdict.ANSWER)


def _leftovers(case: Case, ending: Ending) -> str:
    """Files that a failure leaves, and hidden ones, whatever happened."""
    hidden = [name for name in ending.files if any(p.startswith(".") for p in name.split("/"))]
    if hidden and not any(word.startswith(".") for word in _outputs(case)):
        return f"leaves hidden files such as {Path(hidden[0]).name[:6]}…"
    if ending.status and ending.files and ending.files != ("__pycache__",):
        return f"fails with status {ending.status} and leaves files"
    return ""


def _outputs(case: Case) -> list[str]:
    words = case.arguments
    after = [b for a, b in pairwise(words) if a in ("--out", "--chart")]
    return after + [word.partition("=")[2] for word in words if word.startswith("--out=")]


def _message(case: Case, ending: Ending) -> str:
    """What is wrong with what was said on stderr and on stdout."""
    if ending.status not in (0, 1, 2):
        return f"status {ending.status}"
    said = ending.err
    if ending.status and not said.strip():
        # Without a command there is the help, on stdout.
        return "" if "Usage:" in ending.out else "fails without a word"
    if ending.status == 2 and not re.search(r"percuss: error: .{8}|Error ─", said, re.DOTALL):
        return "refuses without saying what"
    raw = _RAW.search(said) or _RAW.search(ending.out)
    if raw:
        return f"raw character {raw[0]!a} reaches the terminal"
    own = [word for word in _INTERNAL.findall(said) if not _given(case, word)]
    if case.kind == "law":
        # What Python and JAX say of a law is for its author; our own names are not.
        own = [word for word in own if word in ("ModelError", "ScenarioError", "KernelError")]
        if ending.status and "law" not in said:
            return "does not say that it is the law"
    if own:
        return f"speaks of {own[0]!r}"
    lines = said.splitlines()
    if len(lines) > MOST_LINES and "Usage:" not in said:
        return f"a message of more than {MOST_LINES} lines"
    if any(len(line) > LONGEST_LINE for line in lines):
        return f"a line of more than {LONGEST_LINE} characters"
    return ""


def _given(case: Case, word: str) -> bool:
    """Whether a word stands in the input, which messages may repeat."""
    return any(word in text for text in case.arguments) or any(
        word.encode() in data for data in case.files.values()
    )


def _answer(case: Case, ending: Ending, folder: Path) -> str:
    """What is wrong with an answer."""
    if not ending.out.strip() and "--out" not in " ".join(case.arguments):
        return "answers nothing"
    if "--json" in case.arguments and "--help" not in case.arguments:
        try:
            found = json.loads(ending.out)
        except ValueError:
            return "" if "Usage:" in ending.out or "--version" in case.arguments else "not JSON"
        odd = not_finite(found)
        if odd:
            return f"{odd} is not finite"
    elif re.search(r"(?<![\w.'-])(nan|-?inf)\b", ending.out) and not (
        _given(case, "nan") or _given(case, "inf")
    ):
        return "prints nan or inf"
    if case.kind == "run":
        return nonsense_in_run(folder / "out")
    if case.kind == "law" and not (folder / "out" / "summary.json").exists():
        return "status 0 without a result"
    if case.kind == "identify":
        return _identified(folder / "out" / "identify.json")
    return ""


def _identified(path: Path) -> str:
    if not path.exists():
        return "status 0 without a result"
    odd = not_finite(json.loads(path.read_text(encoding="utf-8")))
    return f"{odd} is not finite" if odd else ""
