"""Documents reproduced: their tables in, their figures and numbers out, their errors shown."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand as _on_demand

if TYPE_CHECKING:
    from percuss.sources.registry import reproduction

__all__ = ["reproduction"]

__getattr__, __dir__ = _on_demand(
    __name__,
    {"registry": ("reproduction",)},
    packages=(
        "centre_of_percussion",
        "fixed_and_free_floating",
        "lecture",
        "published",
        "thesis",
    ),
)
