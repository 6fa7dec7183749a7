"""`percuss robots`: the library, and what a model file holds."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Annotated

import typer

from percuss.cli.options import Json
from percuss.cli.show_robot import entry_document, entry_text, library_listing
from percuss.cli.terminal import plain
from percuss.model.changes import listed
from percuss.model.document import system_to_dict
from percuss.model.errors import ModelError, ModelNotice
from percuss.model.files import read_model
from percuss.model.library.registry import robot, robots
from percuss.model.systems import System


def list_robots(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Show this robot or target, or the robot in this model file.",
            metavar="[NAME | FILE]",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a file in which something must be changed.")
    ] = False,
    as_json: Json = False,
) -> None:
    """The library of robots and targets; with NAME or FILE, its bodies, joints and limits.

    FILE is a URDF, xacro or MJCF file or a saved system; what had to be changed in it to make
    sense of it is listed below the table.
    """
    if name is not None:
        _show(name, strict, as_json)
        return
    if as_json:
        print(json.dumps([entry_document(found) for found in robots()], indent=2))
        return
    print(library_listing(robots()))


def _show(name: str, strict: bool, as_json: bool) -> None:
    """One robot by its name or file."""
    known = {found.name: found for found in robots()}
    system = robot(name) if name in known else _from_file(name, strict)
    if as_json:
        print(json.dumps(system_to_dict(system), indent=2, allow_nan=False))
        return
    print(plain(entry_text(known[name]) if name in known else str(system)))
    if system.changes:
        print(plain(f"\nchanged in {name}\n{listed(system.changes)}"))


def _from_file(name: str, strict: bool) -> System:
    """The system in a file."""
    if not Path(name).exists():
        if not Path(name).suffix:
            return robot(name)  # which says what there is instead
        raise ModelError(f"{name}: there is no such file, and no robot of the library")
    with warnings.catch_warnings():
        # What was changed is printed below the table.
        warnings.simplefilter("ignore", ModelNotice)
        return read_model(name, strict=strict)
