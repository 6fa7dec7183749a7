"""The lecture on manipulator dynamics: a two-link arm by Lagrange, and the general case.

Its arm on symbols is in `arm`, its formulas term by term in `terms`, its errors in `errata`.
"""

from percuss.sources.lecture.arm import SAMPLE, Sample

__all__ = ["SAMPLE", "Sample"]
