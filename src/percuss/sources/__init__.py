"""Documents reproduced: their tables in, their figures and numbers out, their errors shown."""

from percuss.sources.registry import Reproduction, reproduction, reproductions
from percuss.sources.table import Table

__all__ = ["Reproduction", "Table", "reproduction", "reproductions"]
