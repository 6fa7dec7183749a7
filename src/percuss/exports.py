"""Public names of a package that are imported when they are first asked for.

A package gathers the names of many modules, and importing any one of its modules imports the
package first. A command that needs three of them is not to wait for thirty.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def on_demand(
    package: str, homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package.

    Args:
        package: its name, `__name__`.
        homes: module of the package to the names in it that are the package's too. A name must
            not be that of a module of the package: once imported, the module would have it.
    """
    home = {name: module for module, names in homes.items() for name in names}

    def found(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return found, lambda: sorted({*vars(sys.modules[package]), *home})
