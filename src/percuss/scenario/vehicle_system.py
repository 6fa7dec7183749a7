"""A chaser that is put together from models: arms on a base, as one system."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from percuss.algebra.poses import Pose
from percuss.encounter.errors import EncounterError, Path
from percuss.model.bodies import Body
from percuss.model.compose import Mounted, compose
from percuss.model.errors import ModelError
from percuss.model.single import free_body
from percuss.model.systems import System
from percuss.scenario.chaser import Chaser
from percuss.scenario.models import Models
from percuss.scenario.placing import NEXT_TO_NOTHING, placed
from percuss.scenario.shaped import solid_body
from percuss.scenario.state import rotation_of
from percuss.scenario.vehicle import Arm

_BASE: Path = ("chaser", "base")


def vehicle_system(chaser: Chaser, models: Models, gravity: Any, pose: Pose) -> System:
    """Arms on their base, in the base mode; gravity as given, or the base's own.

    Arms are mounted one by one, so that what stands in the way is said at its arm.
    """
    base = models.base or _own_base(chaser)
    if gravity is not None:
        base = base.with_gravity(tuple(gravity))
    base = placed(base, chaser.mode or str(base.mode), pose)
    arms = {
        name: _mounted(arm, models.arms[name], gravity) for name, arm in (chaser.arms or {}).items()
    }
    for name, arm in arms.items():
        try:
            compose(base, {name: arm})
        except ModelError as error:
            raise EncounterError(("chaser", "arms", name), str(error)) from None
    try:
        return compose(base, arms, name="chaser")
    except ModelError as error:
        raise EncounterError(("chaser", "arms"), str(error)) from None


def _mounted(arm: Arm, system: System, gravity: Any) -> Mounted:
    if gravity is not None:
        system = system.with_gravity(tuple(gravity))
    on, point = None, (0.0, 0.0, 0.0)
    if arm.mount is not None:
        on, point = arm.mount.frame, arm.mount.point or point
    at = Pose(rotation_of(arm.orientation).rotation, Pose.at(point).position)
    return Mounted(system, at, on)


def _own_base(chaser: Chaser) -> System:
    """The base as a body of its own; without one, in mode `fixed`, next to nothing."""
    given = chaser.base
    if given is None:
        return free_body(Body("base", NEXT_TO_NOTHING, inertia=(NEXT_TO_NOTHING,) * 3))
    assert given.mass is not None, "the rules ask for a mass where there is no model"
    try:
        body = solid_body("base", given, given.mass)
        com = Pose.at(given.com or (0.0, 0.0, 0.0))
        visuals = tuple(replace(v, placement=com @ v.placement) for v in body.visuals)
        return free_body(replace(body, com=com.position, visuals=visuals))
    except ModelError as error:
        raise EncounterError(_BASE, str(error)) from None
