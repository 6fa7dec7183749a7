"""Makes JAX impossible to import, as where it is not installed.

Python runs this file when it starts with this folder on its path, so that `python -m percuss`
started by a test has no JAX either.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


class NoJax:
    """A finder that answers for JAX before the others do: it is not there."""

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 (the signature is Python's)
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Raise what an import of a missing module raises; None leaves others to find it."""
        if name.split(".")[0] in ("jax", "jaxlib"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


if not any(type(finder).__name__ == "NoJax" for finder in sys.meta_path):
    sys.meta_path.insert(0, NoJax())
