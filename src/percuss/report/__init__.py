"""Reports: the page with its animation and charts, and figures for paper."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand
from percuss.report.page import page

if TYPE_CHECKING:
    from percuss.report.figures import plot

__all__ = ["page", "plot"]

__getattr__, __dir__ = on_demand(__name__, {"figures": ("plot",)})
