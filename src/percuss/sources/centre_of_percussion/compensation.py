"""The blows of section 6.2: 100 N for 0.1 s, with free joints, with IC² and with locked joints."""

from __future__ import annotations

from percuss.sources.centre_of_percussion import written_out
from percuss.sources.centre_of_percussion.cases import PulseCase, PulseReactions, felt

FORCE, DURATION, AFTER = 100.0, 0.1, 0.05


def free_joints(at: float, angle: float = 90.0) -> PulseReactions:
    """A blow on link 2 at a distance from joint 2 (m), no motor doing anything; degrees."""
    return felt(_case(at, angle))


def compensated(at: float, base_torque: bool = True, angle: float = 90.0) -> PulseReactions:
    """What is felt of the blow under the law `ic2`, which feels the force until it ends."""
    turning = "follow" if base_torque else "none"
    control = f"{{law: ic2, compensation: {{base-torque: {turning}}}}}"
    return felt(_case(at, angle, control))


def by_force(at: float) -> PulseReactions:
    """What is felt of the blow with n = -r F on both joints and the base, from the force alone."""
    return felt(_case(at, control="{law: ic2, compensation: {rule: force}}"))


def by_equations(at: float, base_torque: bool = True) -> PulseReactions:
    """`compensated` by (51)–(53) written out for this robot; until the force ends."""
    return written_out.compensated(_case(at), base_torque)


def locked(at: float) -> PulseReactions:
    """What is felt of the blow, until its force ends, where motors keep the joints as they are."""
    return written_out.locked(_case(at))


def _case(at: float, angle: float = 90.0, control: str = "{law: none}") -> PulseCase:
    return PulseCase(at, angle, FORCE, DURATION, control=control, after=AFTER)
