"""`percuss derive`: equations of motion in closed form."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from percuss.cli.terminal import plain
from percuss.interruption import during
from percuss.io import write_file
from percuss.io.files import try_file
from percuss.model.errors import ModelError
from percuss.model.names import BaseMode

SIGNATURE = "derived by percuss"
"""Stands at the beginning of every file that is written."""


class Language(StrEnum):
    """What closed forms can be written as."""

    LATEX = "latex"
    PYTHON = "python"
    C = "c"


def derive(
    source: Annotated[
        str,
        typer.Argument(
            help="A scenario, a saved system or a URDF file, or a name of the library.",
            metavar="FILE",
        ),
    ],
    language: Annotated[Language, typer.Option("--as", help="What to write.")] = Language.LATEX,
    mode: Annotated[
        BaseMode | None,
        typer.Option(help="What the base can do; default as FILE has it, and fixed for a URDF."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it; default the terminal.")
    ] = None,
    *,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print names, units and expressions as JSON, nothing else."),
    ] = False,
) -> None:
    """Mass matrix, Coriolis and gravity forces and Jacobians in symbols, as LaTeX, Python or C.

    For a scenario: of the chaser, of the target, and of both once the target is captured.
    """
    # Late, as other commands do without it and start sooner.
    from percuss.symbolic import derive as derived
    from percuss.symbolic import to_c, to_latex, to_python
    from percuss.symbolic.json_form import to_mapping

    if out is not None:
        _refuse_foreign(out)
        try_file(out)
    with during(f"deriving closed forms of {source}"):
        derivations = derived(source, mode)
    # Of a scenario and of the library: NAME: PART. A file of one robot has its name alone.
    title = derivations[0].title.rpartition(": ")[0] or derivations[0].title
    write = {Language.LATEX: to_latex, Language.PYTHON: to_python, Language.C: to_c}[language]
    text = write(derivations, title)
    if out is not None:
        write_file(out, text)
    if as_json:
        print(json.dumps(to_mapping(derivations, title), indent=2, allow_nan=False))
    elif out is not None:
        names = ", ".join(derivation.name for derivation in derivations)
        print(plain(f"{out}: closed forms of {title} ({names})"))
    else:
        print(plain(text), end="")


def _refuse_foreign(out: Path) -> None:
    """ModelError where the file to write is something that `derive` has not written."""
    if not out.exists() and not out.is_symlink():
        return
    if not out.is_file():
        raise ModelError(f"--out {out}: is not a file; give a new one")
    with out.open("rb") as file:
        beginning = file.read(4096)
    if beginning.strip() and SIGNATURE.encode() not in beginning:
        raise ModelError(
            f"--out {out}: exists and holds something else; give a new file, or one that "
            "percuss derive has written, which is replaced"
        )
