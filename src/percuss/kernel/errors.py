"""What goes wrong when a function is compiled."""

from __future__ import annotations


class KernelError(ValueError):
    """A function that cannot be compiled, or a kernel that cannot run here; says why."""


class KernelNotice(UserWarning):
    """A slower back end was chosen because the fast one is missing."""
