"""What goes wrong when a model is built, and what is worth a notice."""

from __future__ import annotations


class ModelError(ValueError):
    """A model that cannot be right: the message names the part, the value and what is allowed."""


class ModelNotice(UserWarning):
    """Something in a model file that was left out on purpose and does not change the dynamics."""
