"""Reports: the page with its animation and charts, and figures for paper."""

from percuss.report.figures import plot
from percuss.report.page import page

__all__ = ["page", "plot"]
