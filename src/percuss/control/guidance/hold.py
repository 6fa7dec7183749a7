"""Hold the tool where it is in the world."""

from __future__ import annotations

from typing import Any

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.motions import Motion
from percuss.algebra.rotations import Quaternion, Rotation
from percuss.algebra.scalars import is_constant
from percuss.algebra.vectors import Vector3
from percuss.control.guidance.tool_control import ToolControl
from percuss.control.laws import ControlLaw
from percuss.control.plant import Plant
from percuss.model.checks import as_scalar, is_finite, padded, shown, violates
from percuss.model.errors import ModelError
from percuss.model.systems import Frame


def hold_tool(
    plant: Plant,
    tool: str | Frame,
    position: Any,
    natural_frequency: Any,
    *,
    damping_ratio: Any,
    posture: Any,
    orientation: Any = None,
    posture_frequency: Any = None,
    posture_damping: Any = None,
    singular_below: float | None = None,
) -> ControlLaw:
    """The tool's point stays at a place in the world: ë + 2 ζ ωn ė + ωn² e = 0, e its error (m).

    What the base does depends on its mode: free-flying, it is held at the posture's pose by its
    own actuators; attitude-controlled, its attitude is held and its position drifts as it must;
    free-floating, all of it moves as momentum demands, and the joints make up for that; fixed,
    it does not move. Driven joints that do not carry the tool (other arms) hold the posture.
    Those that do hold it as far as the tool leaves them free.

    Args:
        plant: what the controller believes; the chaser alone, with its target captured, or side
            by side with a target in flight.
        tool: a frame on the chaser.
        position: where the tool stays, world, 3 or 2 numbers (m).
        natural_frequency: ωn of the tool's error, rad/s, > 0.
        damping_ratio: ζ, ≥ 0.
        posture: coordinates of the chaser, shape (own_coordinates,), its base among them, or a
            `Goal` for them.
        orientation: of the tool too: a quaternion (w, x, y, z) world ← tool or a `Rotation`; in
            the plane an angle (rad). Its rotation vector obeys the same equation.
        posture_frequency, posture_damping: ωn (rad/s) and ζ of the posture, one for all or one
            for each of the chaser's rates; default as for the tool, and 1.
        singular_below: m, where damping near singularities begins, see `damped_solution`;
            default 2 % of the arm's reach, 0 for none. Away from them the equation is exact.
    """
    oriented = orientation is not None
    control = ToolControl.of(
        plant,
        tool,
        natural_frequency,
        damping_ratio,
        posture=posture,
        oriented=oriented,
        posture_frequency=posture_frequency,
        posture_damping=posture_damping,
        singular_below=singular_below,
    )
    space = control.space
    place = finite_vector(position, "position (m)")
    attitude = _attitude(orientation, space.task.is_planar) if oriented else Rotation.identity()

    def command(t: Any, q: Coordinates, v: Rates, memory: Any) -> tuple[Any, Any]:
        own_q, own_v = space.tree.state(q, v)
        pose, velocity = space.pose(own_q), space.velocity(own_q, own_v)
        linear = control.sliding(pose.position - place, velocity.linear)
        angular = control.turning(pose, velocity, attitude, Motion.zero()) if oriented else None
        return control.commands(t, own_q, own_v, linear, angular=angular), memory

    return ControlLaw(command)


def finite_vector(values: Any, what: str) -> Vector3:
    """Two or three scalars, finite where they are numbers."""
    try:
        vector = padded(values, what)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} must be 3 numbers, or 2 in the plane: {error}") from error
    for x in vector:
        if violates(x, is_finite):
            raise ModelError(f"{what} must be finite, got {shown(x)}")
    return vector


def _attitude(orientation: Any, planar: bool) -> Rotation:
    if isinstance(orientation, Rotation):
        return orientation
    if planar:
        angle = as_scalar(orientation, "orientation (rad)")
        if violates(angle, is_finite):
            raise ModelError(f"orientation must be a finite angle (rad), got {shown(angle)}")
        return Rotation.about(Vector3(0.0, 0.0, 1.0), angle)
    try:
        quaternion = Quaternion.of(orientation)
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"orientation must be a quaternion (w, x, y, z), world ← tool: {error}"
        ) from error
    if any(violates(x, is_finite) for x in quaternion) or all(
        is_constant(x) and x == 0 for x in quaternion
    ):
        raise ModelError(f"orientation must be finite and not zero, got {tuple(quaternion)}")
    return quaternion.normalized().to_rotation()
