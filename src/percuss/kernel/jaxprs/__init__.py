"""Reading jaxprs: the only folder that knows their form, which changes between JAX releases."""

# Where JAX is missing, every module of this folder asks for the extra in the same sentence.
from percuss.kernel.jax_extra import jax as _jax

_ = _jax
