"""What goes wrong when a function is compiled."""

from __future__ import annotations


class KernelError(ValueError):
    """A function that cannot be compiled, or a kernel that cannot run here; says why."""


class JaxMissingError(KernelError, ImportError):
    """JAX was asked for and is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "functions written in jax.numpy, and kernels inside of JAX, need JAX, which is not "
            "installed: pip install 'percuss[jax]'. Functions written in numpy do without it"
        )


def is_missing_jax(error: BaseException) -> bool:
    """Whether an import failed because there is no JAX."""
    return isinstance(error, ImportError) and (error.name or "").split(".")[0] == "jax"


class KernelNotice(UserWarning):
    """A slower back end was chosen because the fast one is missing."""
