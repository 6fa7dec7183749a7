"""Encounters that are one impact in no time and one motion after it, as functions of any scalars.

There is nothing to decide in them, so that all of it, from the inputs of a case to the state just
after the impact and the equations of what moves then, can be one compiled program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, pack, unpack
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.encounter.actuation import wheel_use
from percuss.encounter.assembly import Assembly, assembly_before
from percuss.encounter.closures import Bounce
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.impacts import GraspOfCases
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.template import Parameters, Template
from percuss.encounter.ensemble.tuning import gains_from
from percuss.encounter.equations import Equations
from percuss.encounter.phase_machine import Hold
from percuss.impact import Contact, Jump, bounce
from percuss.model.bodies import Body
from percuss.model.errors import ModelError
from percuss.model.single import free_body
from percuss.model.systems import Frame


def is_one_motion(encounter: Encounter) -> bool:
    """Whether an encounter begins with its only impact: a grasp or a bounce in no time."""
    closure = encounter.closure
    once = isinstance(closure, Bounce) and closure.repeat is None
    return encounter.approach is None and (once or isinstance(closure, Hold))


def jump_of(encounter: Encounter) -> tuple[Contact, Jump]:
    """Chaser and target of such an encounter as they touch, and the rates just after."""
    contact, closure = encounter.contact, encounter.closure
    assert contact is not None, "chaser and target touch from the start"
    if isinstance(closure, Bounce):
        normal = None if closure.normal is None else list(closure.normal)
        return contact, bounce(contact, closure.restitution, closure.friction, normal)
    assert isinstance(closure, Hold)
    return contact, closure.jump(contact)


@dataclass(frozen=True)
class OneMotion:
    """The impact with which an encounter begins, and the equations of the motion after it.

    A goal of the law is where the chaser stands at the impact as the law knows it: a law does not
    know of inputs that the template does not let it know.
    """

    template: Template
    machine: Machine

    def __post_init__(self) -> None:
        if not is_one_motion(self.template.nominal):
            raise ModelError(
                f"impact.closure: {self.template.nominal.closure.name} is more than one impact in "
                "no time at the start, and one motion"
            )

    def __fingerprint__(self) -> Any:
        """What its functions follow from."""
        return self.template, self.machine

    def begun(self, p: Parameters) -> dict[str, Any]:
        """`q` and `v` just after the impact, and what `equations` needs to know as `p`."""
        truth, known = self.template.truth(p), self.template.believed(p)
        contact, jump = jump_of(truth)
        kept: Parameters = {name: p[name] for name in self.template.like}
        if self._grasp is None:
            q = pack([*contact.chaser_coordinates, *contact.target_coordinates])
            v = pack([*jump.chaser_rates, *jump.target_rates])
        else:
            held = self._grasp.held_after(contact, jump)
            q, v = held["q"], held["v"]
            kept["pose"] = held["pose"]
            if self._in_tool_axes:
                assert truth.target is not None
                pose = self._grasp.pose(held["pose"])
                kept["body"] = pack(_body_numbers(truth.target.base, pose, contact.is_planar))
        if truth.control.tunes:
            tuned = truth.control.tuned_gains(self._moving(known, kept))
            assert tuned is not None
            kept["gains"] = pack([*tuned[0], *tuned[1]])
        return {"q": q, "v": v, "p": kept}

    def equations(self, p: Parameters) -> Equations:
        """The equations of the motion after the impact, from the parameters that `begun` gives.

        A target in the hand may be described in a frame of its own there, see `on_target`.
        """
        truth, known = self.template.truth(p), self.template.believed(p)
        law = truth.control
        return Equations(
            assembly=self._moving(truth, p),
            law=law.control_law(self._moving(known, p), None, gains_from(p)),
            load=None,
            wheels=wheel_use(law.limits, law.dump),
            orbit=truth.orbit,
        )

    def on_target(self, p: Parameters, point: Vector3) -> Vector3:
        """A point of the target (m) in the frame that its body has in `equations`."""
        if not self._in_tool_axes:
            return point
        assert self._grasp is not None
        return self._grasp.pose(p["pose"]).act(point)

    # --- bodies -------------------------------------------------------------------------------

    @cached_property
    def _grasp(self) -> GraspOfCases | None:
        """How the target is held; None where it is not."""
        closure = self.template.nominal.closure
        if not isinstance(closure, Hold):
            return None
        return GraspOfCases(self.machine, self.template, closure)

    @cached_property
    def _in_tool_axes(self) -> bool:
        """Whether a body in the hand is described by ten numbers in the frame of the tool.

        Nothing else of where and how it is held enters the motion, so that no transform of it is
        computed along the way. A law that takes the bodies for others than they are needs theirs.
        """
        nominal, template = self.template.nominal, self.template
        if self._grasp is None or nominal.target is None:
            return False
        alone = len(nominal.target.bodies) == 1 and type(nominal.target.base) is Body
        kept = set(template.names) <= template.known and nominal.control.believes is None
        return alone and kept

    def _moving(self, encounter: Encounter, p: Parameters) -> Assembly:
        """The bodies that move after the impact, as they are or as the law knows them.

        They stand where the chaser of the encounter is at the impact; how a case holds its target
        is in the parameters.
        """
        before = assembly_before(encounter.touched)
        if self._grasp is None:
            return before
        q = pack([*encounter.chaser_coordinates, *self._grasp.rest])
        if self._in_tool_axes:
            before = _with_body(before, unpack(p["body"], len(p["body"]), "body"))
            p = {**p, "pose": _AT_TOOL[before.is_planar]}
        return self._grasp.assembly_of(before, {**p, "held": q})


_AT_TOOL = {
    True: [0.0, 0.0, 1.0, 0.0],
    False: [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
}
"""Numbers of the pose of a body whose frame is the tool's: in the plane, and in space."""


def _body_numbers(body: Body, pose: Pose, planar: bool) -> list[Scalar]:
    """Mass (kg), centre of mass (m) and inertia about it (kg m²) of a body, seen in a pose."""
    com = pose.act(body.com)
    if planar:
        return [body.mass, com.x, com.y, body.inertia.zz]
    inertia = Symmetric3.of(pose.rotation.conjugate(body.inertia.matrix()))
    return [body.mass, *com, *inertia]


def _with_body(before: Assembly, numbers: Sequence[Scalar]) -> Assembly:
    """Chaser and target side by side, with a free target that is the body of these numbers."""
    assert before.target is not None
    assert before.grip is not None
    name = before.target.base.name
    if before.is_planar:
        body = Body.planar(name, numbers[0], numbers[3], numbers[1:3])
    else:
        body = Body(name, numbers[0], Vector3(*numbers[1:4]), Symmetric3(*numbers[4:]))
    target = free_body(body, planar=before.is_planar).with_gravity(before.target.gravity)
    return replace(before, target=target, grip=Frame(before.grip.name, name))
