"""Reading jaxprs: the only folder that knows their form, which changes between JAX releases."""
