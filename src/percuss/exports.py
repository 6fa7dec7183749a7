"""Public names of a package: listed for completion, imported when they are first asked for.

A package gathers the names of many modules, and importing any one of its modules imports the
package first. A command that needs three of them is not to wait for thirty.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def on_demand(
    package: str, homes: Mapping[str, tuple[str, ...]], packages: tuple[str, ...] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package.

    Completion shows what is in `__all__` and the packages inside, and nothing that the package
    imports for itself.

    Args:
        package: its name, `__name__`.
        homes: module of the package to the names in it that are the package's too. A name must
            not be that of a module of the package: once imported, the module would have it.
            Such names are imported at once.
        packages: names of the packages inside that have names for users.
    """
    home = {name: module for module, names in homes.items() for name in names}

    def found(name: str) -> Any:
        if name in packages:
            return import_module(f"{package}.{name}")
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return found, lambda: sorted({*sys.modules[package].__all__, *packages})
