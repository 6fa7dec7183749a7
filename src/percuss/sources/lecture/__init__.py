"""The lecture on manipulator dynamics: a two-link arm by Lagrange, and the general case.

Its arm on symbols is in `arm`, its formulas term by term in `terms`, its errors in `errata`.
"""

from percuss.sources.lecture.arm import SAMPLE, LectureSample, letters, symbolic_arm
from percuss.sources.lecture.written import closed, written

__all__ = ["SAMPLE", "LectureSample", "closed", "letters", "symbolic_arm", "written"]
