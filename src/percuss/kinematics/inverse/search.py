"""The search from a start to the target: first as if there were no limits, then within them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from percuss.kinematics.inverse.chain import Array
from percuss.kinematics.inverse.descent import LaneDescent, Lanes
from percuss.model.joints import Revolute

_CLOSE = 1e-6
"""Cost below which a descent that got slow is worth going on with: about 1 mm for 1 m."""
_PATIENCE = 25


@dataclass(frozen=True)
class SolutionSearch:
    """Descents of one chain."""

    descent: LaneDescent

    def reach(self, starts: Array, targets: Array) -> Lanes:
        """Every lane as near to its target as it gets within the limits.

        A joint that would have to pass its limit to come round from the other side cannot; one
        without limits can, and is turned back by full turns. So limits are left out at first,
        and lanes that end outside go on from where the limits cut them off.
        """
        q = starts
        if self._is_bounded:
            q = self._turned_back(self._unbounded.reach(starts, targets).q)
        return self.descent.reach(q, targets)

    def close(self, lanes: Lanes, targets: Array) -> NDArray[np.intp]:
        """Lanes that ended near their targets without reaching them, as singularities make them."""
        near = lanes.cost(self.descent.length_of(targets)) < _CLOSE
        return np.flatnonzero(near & ~lanes.reached(self.descent.tolerance))

    def insist(self, q: Array, targets: Array) -> Lanes:
        """Lanes that were given up although they were close, with many more steps."""
        return replace(
            self.descent,
            iterations=_PATIENCE * self.descent.iterations,
            patience=_PATIENCE * self.descent.patience,
        ).reach(q, targets)

    @property
    def _is_bounded(self) -> bool:
        return any(math.isfinite(x) for pair in self.descent.chain.limits for x in pair)

    @cached_property
    def _unbounded(self) -> LaneDescent:
        return replace(self.descent, chain=replace(self.descent.chain, limited=False))

    def _turned_back(self, q: Array) -> Array:
        """Within the limits, by full turns where they help."""
        q = q.copy()
        for node in self.descent.chain.nodes:
            limits, k = node.limits, node.coordinates.start
            if node.joint.motion.coordinate_count != 1:
                continue
            if isinstance(node.joint.motion, Revolute):
                if math.isfinite(limits.lower) and math.isfinite(limits.upper):
                    middle = (limits.lower + limits.upper) / 2
                    q[k] -= math.tau * np.round((q[k] - middle) / math.tau)
                elif math.isfinite(limits.lower):
                    q[k] += math.tau * np.ceil(np.maximum(0.0, (limits.lower - q[k]) / math.tau))
                elif math.isfinite(limits.upper):
                    q[k] -= math.tau * np.ceil(np.maximum(0.0, (q[k] - limits.upper) / math.tau))
            q[k] = np.clip(q[k], limits.lower, limits.upper)
        return q
