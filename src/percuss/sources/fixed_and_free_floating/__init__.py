"""The paper "The Dynamics of Fixed Base and Free-Floating Robotic Manipulator": a 2R arm.

Its data are in `paper`, its motion along a circle in `motion`, its formulas as printed in
`printed`, its errors in `errata`, and the free base that it leaves to future work in `floating`,
`followed` and `singularities`.
"""

from percuss.exports import on_demand as _on_demand
from percuss.sources.fixed_and_free_floating.floating import on_free_base

__all__ = ["on_free_base"]

__getattr__, __dir__ = _on_demand(__name__, {})
