"""What goes wrong when a model is built, and what is worth a notice."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ModelError(ValueError):
    """A model that cannot be right: the message names the part, the value and what is allowed."""


class ModelNotice(UserWarning):
    """Something in a model file that was left out on purpose and does not change the dynamics."""


def closest(name: object, names: Iterable[str]) -> str:
    """ " Did you mean 'x'?" with the space before it, or nothing when no name is alike."""
    close = difflib.get_close_matches(str(name), list(names), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def choices(name: object, names: Iterable[str]) -> str:
    """What there is instead of an unknown name: all of it, or the three nearest of many."""
    known = list(names)
    if len(known) <= 20:
        return ", ".join(known)
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.0)
    return f"{', '.join(near)} … and {len(known) - len(near)} more"
