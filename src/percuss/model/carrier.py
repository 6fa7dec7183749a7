"""What carries an arm: a base body, or the world."""

from __future__ import annotations

from percuss.model.bodies import Body
from percuss.model.errors import ModelError
from percuss.model.joint_motion import JointMotion
from percuss.model.joints import Fixed
from percuss.model.names import WORLD, BaseMode
from percuss.model.systems import Joint


def carrier(
    base: Body | None, mode: BaseMode | str | None, free: JointMotion, name: str
) -> tuple[list[Body], list[Joint], str]:
    """Bodies and joints to begin with, and the name of what the arm is mounted on.

    A base is on the joint "base": fixed in mode "fixed", else moving as `free` says. Without a
    base the arm stands on the world, which only the mode "fixed" allows.
    """
    fixed = mode is not None and BaseMode(mode) == BaseMode.FIXED
    if base is not None:
        return [base], [Joint("base", Fixed() if fixed else free, WORLD, base.name)], base.name
    if mode is not None and not fixed:
        raise ModelError(f"{name!r}: base mode {str(mode)!r} needs a base body; give base=…")
    return [], [], WORLD
