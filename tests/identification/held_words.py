"""`python -m tests.identification.held_words`: writes what holds each option beside the option.

From what `tests.identification.ablation` has tried. Where the sample does not tell, what another
one told stays, and so does the test that an option names.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import textwrap
from pathlib import Path

from percuss.identification.options.search import GROUPS
from tests.identification.ablation import held, read

FOLDER = Path(__file__).parents[2] / "src" / "percuss" / "identification" / "options"
_TEST = re.compile(r"see `[^`]+`")
_UNTOLD = ("Neither", "Not tried")
_WIDTH = 76
"""Columns of a line of text, of the hundred."""


def rewritten(source: str, words: dict[str, str]) -> str:
    """A module of options with other words of what holds them, by `group.option`."""
    lines = source.splitlines(keepends=True)
    changes: list[tuple[int, int, str]] = []
    for group in ast.parse(source).body:
        if not isinstance(group, ast.ClassDef):
            continue
        prefix = next((name for name, kind in GROUPS.items() if kind.__name__ == group.name), "")
        for field in group.body:
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.value, ast.Call):
                continue
            name = f"{prefix}.{ast.unparse(field.target)}"
            for keyword in field.value.keywords:
                if keyword.arg == "held" and name in words:
                    before = ast.literal_eval(keyword.value)
                    if words[name].startswith("Neither") and not before.startswith(_UNTOLD):
                        continue
                    text = _argument(_with_test(words[name], before))
                    changes.append((keyword.lineno, _end(lines, keyword.value), text))
    for first, last, text in sorted(changes, reverse=True):
        lines[first - 1 : last] = [text]
    return "".join(lines)


def _with_test(words: str, before: str) -> str:
    """Words that name the test, too, where no number of the sample is another."""
    test = _TEST.search(before)
    if test is None or not words.startswith("Neither"):
        return words
    return f"{words[:-1]}; {test.group()}."


def _argument(words: str) -> str:
    """Lines of source of the argument."""
    parts = textwrap.wrap(words, _WIDTH, break_long_words=False, drop_whitespace=False)
    inner = "\n".join(f'            "{part}"' for part in parts)
    return f"        held=(\n{inner}\n        ),\n"


def _end(lines: list[str], value: ast.expr) -> int:
    """The last line of an argument, with the bracket around it."""
    assert value.end_lineno is not None
    last = value.end_lineno
    return last if lines[last - 1].rstrip().endswith(",") else last + 1


def main() -> int:
    """Rewrite all modules of options."""
    parser = argparse.ArgumentParser(prog="python -m tests.identification.held_words")
    parser.add_argument("--kept", default="build/ablation.jsonl", help="what has been tried")
    words = held(read(Path(parser.parse_args().kept)))
    for path in sorted(FOLDER.glob("*.py")):
        source = path.read_text(encoding="utf-8")
        changed = rewritten(source, words)
        if changed != source:
            path.write_text(changed, encoding="utf-8")
            print(path.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
