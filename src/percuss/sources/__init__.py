"""Documents reproduced: their tables in, their figures and numbers out, their errors shown."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand

if TYPE_CHECKING:
    from percuss.sources.published import Published
    from percuss.sources.registry import Reproduction, reproduction, reproductions
    from percuss.sources.table import Table

__all__ = ["Published", "Reproduction", "Table", "reproduction", "reproductions"]

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "published": ("Published",),
        "registry": ("Reproduction", "reproduction", "reproductions"),
        "table": ("Table",),
    },
)
