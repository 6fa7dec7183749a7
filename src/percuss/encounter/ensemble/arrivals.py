"""How the tools of many cases arrive: first contacts beside their plans, and closest approaches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.scalars import pack
from percuss.encounter.approach import Approach
from percuss.encounter.arrival import BESIDE, FASTER, SIDEWAYS, SLOW, TIMELY, direction_of
from percuss.encounter.contact_geometry import distance_of
from percuss.encounter.ensemble.flow import Flow
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.template import Parameters, Template
from percuss.kernel.duals import array_of
from percuss.kinematics.frames import frame_pose, frame_velocity


@dataclass(frozen=True)
class ApproachOfCases:
    """A phase of the approach of some cases; times (s) are those of the run.

    `x` are the flat states at its beginning `begin`; its own clock is zero at `origin`.
    """

    flow: Flow
    some: np.ndarray
    x: np.ndarray
    p: Parameters
    begin: Any
    origin: Any

    def states(self, which: np.ndarray, until: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and rates of some of its cases at a time (s) of the run each.

        Their motions are computed once more, up to there.
        """
        at = np.searchsorted(self.some, which)
        begin, origin = (
            np.broadcast_to(array_of(c), self.some.shape)[at] for c in (self.begin, self.origin)
        )
        p = {name: value[:, at] for name, value in self.p.items()}
        motion = self.flow(self.x[:, at], p, begin - origin, np.maximum(until - begin, 0.0))
        return self.flow.part(motion.state, "q"), self.flow.part(motion.state, "v")


@dataclass(frozen=True)
class Arrivals:
    """How tools come to contact points, from the states of chaser and target side by side."""

    machine: Machine
    template: Template

    def __call__(self, q: np.ndarray, v: np.ndarray, p: Parameters) -> dict[str, np.ndarray]:
        """What `_found` tells, of states (entries, cases)."""
        found = self._compiled(q, v, {name: p[name] for name in self.template.like})
        return {name: array_of(values) for name, values in found.items()}

    @cached_property
    def _compiled(self) -> kernel.Kernel:
        before = self.template.before
        like = before.coordinates, before.rates, self.template.like
        return self.machine.compiled(self._found, *like)

    def _found(self, q: Coordinates, v: Rates, p: Parameters) -> dict[str, Any]:
        """Distance (m) from the tool to the contact point, velocity (m/s, world axes) of the
        target's point at the tool seen from there, and beside a plan: speeds along the approach
        direction and across it (m/s), and how far (m) from the planned point the target is
        touched, with the planned time (s), speed (m/s), duration (s) and lever (m)."""
        truth, assembly = self.template.truth(p), self.template.assembly(p)
        target, grip, tree = assembly.target, assembly.grip, assembly.tree
        assert target is not None
        assert grip is not None
        body = frame_pose(tree, q, target.base.name)
        tool = frame_pose(tree, q, assembly.tool).position
        carried = frame_velocity(tree, q, v, target.base.name)
        own = frame_velocity(tree, q, v, assembly.tool).linear
        relative = carried.linear + carried.angular.cross(tool - body.position) - own
        found = {
            "distance": distance_of(assembly, grip, q).norm(),
            "relative_velocity": pack(list(relative)),
        }
        approach = truth.approach
        assert approach is not None
        if approach.meet is None:
            return found
        held = frame_pose(tree, q, grip.body)
        inward = held.rotation @ direction_of(approach, assembly)
        moving = -relative
        closing = moving.dot(inward)
        beside = held.act_inverse(tool) - grip.placement.position
        arm = grip.placement.position - target.base.com
        return found | {
            "closing_speed": closing,
            "sideways_speed": (moving - inward * closing).norm(),
            "offset": beside.norm(),
            "planned": pack(
                [
                    approach.meet.at,
                    approach.meet.closing_speed,
                    approach.meet.at - approach.observe,
                    arm.norm(),
                ]
            ),
        }


def beside_plan(
    approach: Approach, found: dict[str, np.ndarray], time: np.ndarray
) -> dict[str, np.ndarray]:
    """The first contact of cases at a time (s) each beside its plan, by name; see `ArrivalRecord`.

    `approach` is that of any of the cases.
    """
    at, speed, duration, lever = found["planned"]
    closing, sideways, offset = (found[k] for k in ("closing_speed", "sideways_speed", "offset"))
    early, tolerance = at - time, TIMELY * duration
    differs = (np.abs(early) > tolerance) | (closing > np.maximum(FASTER * speed, SLOW))
    differs |= sideways > np.maximum(SIDEWAYS * speed, SLOW)
    if approach.capture_radius is None:
        differs |= offset > BESIDE * lever
    return {
        "as_planned": np.where(differs, 0.0, 1.0),
        "time.planned": at,
        "time.found": time,
        "closing_speed.planned": speed,
        "closing_speed.found": closing,
        "sideways_speed.found": sideways,
        "offset.found": offset,
    }
