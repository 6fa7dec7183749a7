"""`percuss derive`: equations of motion in closed form."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from percuss.model.errors import ModelError


class Language(StrEnum):
    """What closed forms can be written as."""

    LATEX = "latex"
    PYTHON = "python"
    C = "c"


def derive(
    source: Annotated[
        str,
        typer.Argument(
            help="A scenario (YAML file), or a robot or target of the library.", metavar="FILE"
        ),
    ],
    language: Annotated[Language, typer.Option("--as", help="What to write.")] = Language.LATEX,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it; default the terminal.")
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print names, units and expressions as JSON, nothing else."),
    ] = False,
) -> None:
    """Mass matrix, Coriolis and gravity forces and Jacobians in symbols, as LaTeX, Python or C.

    For a scenario: of the chaser, of the target, and of both once the target is captured.
    """
    from percuss.derive import derive as derived
    from percuss.derive import to_c, to_latex, to_mapping, to_python

    if out is not None and out.is_dir():
        raise ModelError(f"--out: {out} is a folder; give the file to write")
    derivations = derived(source)
    title = derivations[0].title.rpartition(": ")[0]
    write = {Language.LATEX: to_latex, Language.PYTHON: to_python, Language.C: to_c}[language]
    text = write(derivations, title)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    if as_json:
        print(json.dumps(to_mapping(derivations, title), indent=2, allow_nan=False))
    elif out is not None:
        names = ", ".join(derivation.name for derivation in derivations)
        print(f"{out}: closed forms of {title} ({names})")
    else:
        print(text, end="")
