"""A xacro file as URDF text, made by a process of its own that may do very little."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from percuss.model.errors import ModelError, ModelNotice

_SECONDS = 10.0
"""Time that one file may take; large robots expand in about one second."""

_WORKER = Path(__file__).with_name("worker.py")


def expand(
    path: str | Path,
    *,
    folder: str | Path | None = None,
    arguments: Mapping[str, str] | None = None,
) -> str:
    """The URDF text of a xacro file.

    xacro evaluates Python expressions, reads files and environment variables, and its `$(eval)`
    runs any code at all. Here it works in a process of its own, which refuses `$(eval)`, attributes
    and names that begin with an underscore (two for names), lambdas and format methods; which
    sees no environment variables, opens files only to read and only below `folder`, starts no
    process, opens no connection, and ends after 10 s or at 2 GiB. `$(find PACKAGE)` is a folder
    of that name around the file or below `folder`. That stops every way out that is known to us,
    but Python was not made to be caged: expand a file that you do not trust on a machine that
    you can spare.

    Args:
        path: the xacro file.
        folder: below which files may be read, default the folder of the file.
        arguments: values of `<xacro:arg>` by name.
    """
    path = Path(path)
    if not path.is_file():
        raise ModelError(f"{path}: is no file; expected a xacro file")
    if importlib.util.find_spec("xacro") is None:
        raise ImportError(
            f"{path.name}: this file is xacro: pip install 'percuss[xacro]' or expand it with "
            f"`xacro {path.name} > robot.urdf`"
        )
    inside = path.parent if folder is None else Path(folder)
    task = {
        "file": str(path.resolve()),
        "folder": str(inside.resolve()),
        "arguments": {str(name): str(value) for name, value in (arguments or {}).items()},
    }
    answer = _asked(task, path.name)
    if "error" in answer:
        raise ModelError(f"{path.name}: xacro cannot expand it: {answer['error']}")
    if answer["said"]:
        warnings.warn(f"{path.name}: xacro: {answer['said']}", ModelNotice, stacklevel=2)
    return answer["text"]


def _asked(task: dict[str, Any], name: str) -> dict[str, Any]:
    """What the other process answers; ModelError when it was stopped."""
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "utf-8"}
    if "SYSTEMROOT" in os.environ:  # without it Python does not start on Windows
        environment["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-X", "utf8", str(_WORKER)],
            input=json.dumps(task).encode(),
            capture_output=True,
            env=environment,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ModelError(f"{name}: xacro was stopped after {_SECONDS:g} s") from error
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise ModelError(f"{name}: xacro was stopped, out of time or memory: {' '.join(last)}")
    return json.loads(done.stdout)
