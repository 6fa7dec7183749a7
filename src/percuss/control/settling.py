"""What stabilisation after a grasp achieved and what it took, as numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from percuss.control.momentum import DumpPlan, RestMotion
from percuss.model.names import BaseMode

SETTLED = 0.02
"""Share of its peak below which a rate counts as settled."""
FULL = 0.98
"""Share of their capacity at which wheels count as full; there their torque begins to fade."""
_WHY = {
    BaseMode.FREE_FLOATING: ("which joints cannot remove", "which joints cannot remove"),
    BaseMode.ATTITUDE_CONTROLLED: (
        "which the wheels have not taken up",
        "which wheels and joints cannot remove",
    ),
    BaseMode.FREE_FLYING: ("not taken out yet", "not taken out yet"),
}
"""Why angular and linear momentum remain."""


@dataclass(frozen=True)
class WheelHistory:
    """|h| of the wheels over the motion, N m s."""

    peak: float
    final: float
    capacity: float | None
    saturated_at: float | None
    """Time of the run at which they were first full, s; None if never, or without capacity."""


@dataclass(frozen=True)
class ThrusterUse:
    """What a free-flying base asks of its thrusters, as if each pointed where it is needed."""

    force_impulse: float
    """∫ |F| dt, N s."""
    torque_impulse: float
    """∫ |τ| dt, N m s."""


@dataclass(frozen=True)
class Dump:
    """Thrusters that empty the wheels from `begin` on (s, time of the run)."""

    plan: DumpPlan
    begin: float

    @property
    def end(self) -> float:
        """When full torque would have emptied them, s."""
        return self.begin + self.plan.duration


@dataclass(frozen=True)
class Stabilisation:
    """What stabilisation after a grasp achieved and what it took."""

    mode: BaseMode
    planar: bool
    begin: float
    """Time of the grasp, s."""
    end: float
    """Last time looked at, s."""
    settling_time: float | None
    """s after the grasp; None where a driven rate has not settled by the end, or none is."""
    unsettled: dict[str, float]
    """What has not settled, with its size at the end as a share of its peak."""
    peak_torques: np.ndarray
    """Largest |command| on each of the chaser's rates (N, N m)."""
    wheels: WheelHistory | None
    thrusters: ThrusterUse | None
    remaining: RestMotion | None
    """Of everything held together, wheels aside; None on a base that passes momentum on."""
    remains: tuple[bool, bool]
    """Whether linear and angular momentum remain: over 2 % of what was there after the grasp."""
    energy: tuple[float, float]
    """Kinetic energy after the grasp and at the end, J."""
    dump: Dump | None

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """In words."""
        said = [self._settling(), *self._wheels(), *self._thrusters(), *self._remaining()]
        return (*said, *self._energy(), *(() if self.dump is None else (self._dump(self.dump),)))

    def block(self) -> dict[str, Any]:
        """Plain data: vectors are flat lists, in the plane 2 entries and one for turning."""
        rest, dump = self.remaining, self.dump
        return {
            "settling_time": self.settling_time,
            "wheels": None if self.wheels is None else dict(vars(self.wheels)),
            "thrusters": None if self.thrusters is None else dict(vars(self.thrusters)),
            "remaining": None
            if rest is None
            else {
                "linear_momentum": rest.linear_momentum[: 2 if self.planar else 3].tolist(),
                "angular_momentum": float(rest.angular_momentum[2])
                if self.planar
                else rest.angular_momentum.tolist(),
                "spin": float(np.linalg.norm(rest.spin)),
                "drift": float(np.linalg.norm(rest.drift)),
            },
            "dump": None
            if dump is None
            else {
                "momentum": dump.plan.momentum,
                "torque": dump.plan.torque,
                "duration": dump.plan.duration,
                "impulse": dump.plan.propellant_impulse,
                "end": dump.end,
            },
            "sentences": list(self.sentences),
        }

    def _settling(self) -> str:
        if self.settling_time is not None:
            return (
                f"Every driven rate is below {100 * SETTLED:g} % of its peak from "
                f"{self.settling_time:.4g} s after the grasp on."
            )
        if not self.unsettled:
            return "No actuator drives anything, so nothing settles."
        left = ", ".join(f"{name} at {100 * x:.3g} %" for name, x in self.unsettled.items())
        return (
            f"Not settled {self.end - self.begin:.4g} s after the grasp, when the run ends: "
            f"{left} of the peak."
        )

    def _wheels(self) -> list[str]:
        wheels = self.wheels
        if wheels is None:
            return []
        said = f"The wheels hold {wheels.final:.4g} N m s, at most {wheels.peak:.4g} N m s"
        if wheels.capacity is None:
            return [f"{said}; no capacity is given."]
        said = f"{said} of their capacity of {wheels.capacity:.4g} N m s."
        if wheels.saturated_at is None:
            return [said]
        return [
            said,
            f"They were full at {wheels.saturated_at:.4g} s: what would load them further does not "
            "act on the base from then on.",
        ]

    def _thrusters(self) -> list[str]:
        if self.thrusters is None:
            return []
        return [
            f"The base took {self.thrusters.force_impulse:.4g} N s of force and "
            f"{self.thrusters.torque_impulse:.4g} N m s of torque from outside."
        ]

    def _remaining(self) -> list[str]:
        rest = self.remaining
        if rest is None:
            return []
        linear, angular = self.remains
        push, turn = np.linalg.norm(rest.linear_momentum), np.linalg.norm(rest.angular_momentum)
        why_turn, why_push = _WHY[self.mode]
        said: list[str] = []
        if angular:
            said.append(
                f"With the joints locked the whole {'turns' if rest.is_steady else 'tumbles'} at "
                f"{np.linalg.norm(rest.spin):.4g} rad/s: {turn:.4g} N m s about the centre of "
                f"mass, {why_turn}."
            )
        if linear:
            said.append(
                f"The centre of mass drifts at {np.linalg.norm(rest.drift):.4g} m/s: "
                f"{push:.4g} N s, {why_push}."
            )
        return said

    def _energy(self) -> list[str]:
        before, after = self.energy
        if after <= before or not self.wheels or self.wheels.saturated_at is None:
            return []
        return [
            f"The motion gains energy, from {before:.4g} J to {after:.4g} J: while the wheels are "
            "full, torques that unload them still pass and can drive what swings. More capacity, "
            "a rigid grasp, friction in the grasp or a law that only brakes the base ends that."
        ]

    def _dump(self, dump: Dump) -> str:
        if dump.end <= self.end:
            return dump.plan.sentence
        return f"{dump.plan.sentence} That would end at {dump.end:.4g} s, after the run."
