"""Reading jaxprs: the only folder that knows their form, which changes between JAX releases."""

from percuss.kernel.jax_extra import jax

__all__ = ["jax"]
