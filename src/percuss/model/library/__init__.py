"""Robots and targets with known numbers, by name."""

from percuss.exports import on_demand as _on_demand
from percuss.model.library.registry import assumptions

__all__ = ["assumptions"]

__getattr__, __dir__ = _on_demand(__name__, {})
