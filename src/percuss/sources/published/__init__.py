"""The plastic closure and the motion after it as the thesis prints them, to be compared with the
right ones: they lose momentum."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand as _on_demand

if TYPE_CHECKING:
    from percuss.sources.published.jump import published

__all__ = ["published"]

__getattr__, __dir__ = _on_demand(__name__, {"jump": ("published",)})
