"""What stabilisation after a grasp achieved and what it took, as numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from percuss.control.momentum import DumpPlan, RestMotion
from percuss.model.names import BaseMode

SETTLED = 0.02
"""Share of its peak below which a rate counts as settled."""
FULL = 0.98
"""Share of their capacity at which wheels count as full; there their torque begins to fade."""
_ROUNDING = 1e-6
"""Share of their capacity by which an integration may leave the wheels fuller than they can be."""
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
    """|h| of the wheels over the motion after the grasp, N m s."""

    peak: float
    """Largest after the grasp; what they held before it does not count."""
    final: float
    capacity: float | None
    saturated_at: float | None
    """Time of the run at which they were first full, s; None if never, or without capacity."""
    initial: float
    """When the grasp closed."""

    @property
    def is_overfull_at_first(self) -> bool:
        """Whether they held more than their capacity when the grasp closed, beyond rounding."""
        return self.capacity is not None and self.initial > (1 + _ROUNDING) * self.capacity


@dataclass(frozen=True)
class ThrusterUse:
    """What thrusters gave to the base, as if each pointed where it is needed.

    All that drives a free-flying base, or what unloaded the wheels of an attitude-controlled one.
    """

    force_impulse: float
    """∫ |F| dt, N s."""
    torque_impulse: float
    """∫ |τ| dt, N m s."""


@dataclass(frozen=True)
class MomentumDump:
    """Thrusters that empty the wheels from `begin` on (s, time of the run): planned and real.

    The plan is for what the wheels hold when the dump begins. The run differs from it where the
    law loads or unloads the wheels meanwhile, and in how the thrusters' torque rises and fades.
    """

    plan: DumpPlan
    begin: float
    used: float
    """∫ |d| dt of the torque d that the thrusters gave after the grasp, N m s."""
    end: float | None
    """From when on |h| stays below 2 % of the plan's momentum, s; None: not in the run."""

    @property
    def propellant(self) -> float | None:
        """∫ |d| dt / arm, N s: the propellant's impulse for that; None without an arm."""
        return None if self.plan.lever_arm is None else self.used / self.plan.lever_arm

    @property
    def planned_end(self) -> float:
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
    dump: MomentumDump | None

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Sentences on what comes to rest when, on wheels, thrusters, energy and what remains."""
        said = [self._settling(), *self._wheels(), *self._thrusters(), *self._remaining()]
        return (*said, *self._energy(), *self._dump())

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
        said = (
            f"The wheels hold {wheels.final:.4g} N m s, after the grasp at most "
            f"{wheels.peak:.4g} N m s"
        )
        if wheels.capacity is None:
            return [f"{said}; no capacity is given."]
        said = f"{said} of their capacity of {wheels.capacity:.4g} N m s."
        if wheels.saturated_at is None:
            return [said]
        full = f"They were full at {wheels.saturated_at:.4g} s"
        if wheels.is_overfull_at_first:
            full = (
                "The motion before left more than that in them when the grasp closed, "
                f"{wheels.initial:.4g} N m s"
            )
        rule = "as long as they are full, what would load them further does not act on the base."
        return [said, f"{full}: {rule}"]

    def _thrusters(self) -> list[str]:
        if self.thrusters is None or self.dump is not None:
            return []  # What a dump took is told with its plan.
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

    def _dump(self) -> list[str]:
        dump = self.dump
        if dump is None:
            return []
        if dump.begin > self.end:
            return [f"The dump would begin at {dump.begin:.4g} s, after the run."]
        plan = dump.plan.sentence
        said = (
            f"Plan for what the wheels held when the dump began, at {dump.begin:.4g} s: "
            f"{plan[0].lower()}{plan[1:]}"
        )
        if dump.planned_end > self.end:
            said = f"{said} That would end at {dump.planned_end:.4g} s, after the run."
        gave = f"What the thrusters gave from then on: {dump.used:.4g} N m s"
        if dump.propellant is not None:
            gave = f"{gave}, {dump.propellant:.4g} N s of propellant impulse"
        if dump.end is not None:
            left = f"{100 * SETTLED:g} % of what they held when it began"
            return [said, f"{gave}; from {dump.end:.4g} s on the wheels hold less than {left}."]
        left = 0.0 if self.wheels is None else self.wheels.final
        return [said, f"{gave}; when the run ends the wheels hold {left:.4g} N m s."]
