"""The owner of code: percuss, an installed library, or somebody who works on it."""

from __future__ import annotations

import opcode
import sys
import types
from pathlib import PurePath
from typing import Any

import numpy as np


class UnknownError(Exception):
    """Raised for a value that cannot be told apart from others of its kind."""


def is_own(function: Any) -> bool:
    """Whether a function, or the class of an object that is called, is one of percuss.

    What these compute follows from their arguments and from what they hold; a function of anyone
    else may look at anything.
    """
    if isinstance(function, types.MethodType):
        return is_own(function.__func__)
    if isinstance(function, types.FunctionType):
        return is_ours(module_of(function))
    return is_ours(type(function).__module__)


def is_ours(module: str) -> bool:
    """Whether a module is one of percuss."""
    return module.split(".")[0] == "percuss"


def module_of(function: types.FunctionType) -> str:
    """The module in which a function was written.

    `__module__` names another one where the function wraps one of that module.
    """
    return function.__globals__.get("__name__") or ""


def library_of(module: str) -> bytes:
    """Name and version of the library that a module belongs to."""
    if is_ours(module):
        return b"percuss"  # whose sources are part of every fingerprint
    version = version_of(module)
    if version is None:
        raise UnknownError
    return f"{module} {version}".encode()


def version_of(module: str) -> str | None:
    """The version of the library that a module belongs to; None where it is no library.

    One that is not installed among the others may change without its version changing.
    """
    top = module.split(".")[0]
    if top == "numpy":
        return np.__version__
    if top in sys.stdlib_module_names:
        return None if top == "__main__" else sys.version
    found = sys.modules.get(top)
    version = getattr(found, "__version__", None)
    installed = {"site-packages", "dist-packages"} & set(_place(found).parts)
    return version if isinstance(version, str) and installed else None


def names_around(code: types.CodeType) -> set[str]:
    """Names that a function, or one defined in it, may look up around it."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_around(constant)
    return names


def imports(code: types.CodeType) -> bool:
    """Whether a function, or one defined in it, imports something when it is called."""
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return opcode.opmap["IMPORT_NAME"] in code.co_code[::2] or any(map(imports, inner))


def _place(module: types.ModuleType | None) -> PurePath:
    return PurePath(getattr(module, "__file__", None) or "")
