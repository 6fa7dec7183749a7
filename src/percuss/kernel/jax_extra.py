"""JAX, which is an extra of this package: imported here, or asked for in a sentence."""

from __future__ import annotations

from percuss.kernel.errors import JaxMissingError

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise JaxMissingError() from error

__all__ = ["jax", "jnp"]
