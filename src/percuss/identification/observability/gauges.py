"""Changes of the target that measurements may not show, with their names.

Each is a family: directions in the unknowns G a for numbers a, often an axis. Which of them are
hidden is a question to the information; here is only what they are and what they are called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from percuss.identification.forward.scene import AXES, Array, Scene, cross_matrix, entries
from percuss.identification.observability.phrases import QUANTITIES, along, line_of, number


@dataclass(frozen=True)
class Family:
    """Directions in n quantities: `basis` (n, g), in their units; `words` names G a by a (g,)."""

    basis: Array
    words: Callable[[Array], str]


def families(scene: Scene, names: Sequence[str]) -> list[Family]:
    """All changes that have a name, simple ones first."""
    found: list[Family] = []

    def add(columns: Sequence[Mapping[str, float]], words: Callable[[Array], str]) -> None:
        changed = {name for column in columns for name, x in column.items() if x != 0.0}
        if not changed or not changed <= set(names):
            return
        basis = np.array([[column.get(name, 0.0) for column in columns] for name in names])
        found.append(Family(basis, words))

    for name in names:
        add([{name: 1.0}], lambda _, name=name: QUANTITIES.get(name, name))
    for columns, words in (*_motions(scene), *_scales(scene), *_places(scene, names)):
        add(columns, words)
    return found


Named = tuple[list[dict[str, float]], Callable[[Array], str]]


def _motions(scene: Scene) -> list[Named]:
    """Changes of the velocity before the impact that measurements may not show."""
    velocity = [{f"v{axis}": 1.0} for axis in AXES[: scene.axes]]
    if scene.planar:
        about = np.cross([0.0, 0.0, 1.0], scene.arm)
        rotation = [{"vx": float(about[0]), "vy": float(about[1]), "omega": 1.0}]
        return [
            (rotation, lambda _: "rotation about the contact point"),
            (velocity, lambda a: f"velocity of the centre of mass along {along(a)}"),
        ]
    spin = [{f"w{axis}": 1.0} for axis in AXES]
    rotations = []
    for k, axis in enumerate(np.eye(3)):
        about = np.cross(axis, scene.arm)
        rotations.append(
            {f"v{x}": float(about[j]) for j, x in enumerate(AXES)} | {f"w{AXES[k]}": 1.0}
        )

    def turned(a: Array) -> str:
        if line_of(a, scene.arm):
            return "rotation about the line from the contact point to the centre of mass"
        return f"rotation about the axis {along(a)} through the contact point"

    return [
        (rotations, turned),
        (velocity, lambda a: f"velocity of the centre of mass along {along(a)}"),
        (spin, lambda a: f"angular velocity about {_axis(a, scene)}"),
    ]


def _scales(scene: Scene) -> list[Named]:
    """Changes of how much there is of the target: mass and inertia."""
    own = {"inertia": float(scene.inertia[2, 2])} if scene.planar else dict(entries(scene.inertia))
    if scene.inertia_follows_mass:
        own = {}
    both = {"mass": scene.mass} | own
    keys = ("vx", "vy", "omega") if scene.planar else ("vx", "vy", "vz", "wx", "wy", "wz")
    rates = [*scene.linear[: scene.axes], *(scene.angular[2:] if scene.planar else scene.angular)]
    pushing = [{"mass": 1.0}, *({f"v{axis}": 1.0} for axis in AXES[: scene.axes])]
    slower = {key: -float(rate) for key, rate in zip(keys, rates, strict=True)}
    return [
        ([both], lambda _: "mass and inertia scaled together (only their ratio is known)"),
        (
            [both | slower],
            lambda _: "mass and inertia against velocity (only the momentum is known)",
        ),
        (
            pushing,
            _pushed,
        ),
    ]


def _places(scene: Scene, names: Sequence[str]) -> list[Named]:
    """Changes of how the target lies in the hand."""
    R = scene.rotation
    axes = AXES[: scene.axes]
    shift = [{f"com.{axis}": 1.0, f"contact.{axis}": 1.0} for axis in axes]
    found: list[Named] = [
        (
            shift,
            lambda a: (
                f"centre of mass and contact point moved together along {along(a)} of the "
                "target (only the vector from contact to centre of mass is known)"
            ),
        )
    ]
    turns = [np.eye(3)[2]] if scene.planar else list(np.eye(3))
    alone: list[dict[str, float]] = []
    with_com: list[dict[str, float]] = []
    with_contact: list[dict[str, float]] = []
    for turn in turns:
        own = _attitude(scene, turn)
        alone.append(own)
        # The body turns, and its centre of mass stays where it was in the world.
        back = R.T @ np.cross(turn, scene.arm)
        inertia: dict[str, float] = {}
        if "inertia.xx" in names:
            w = cross_matrix(R.T @ turn)
            inertia = dict(entries(scene.inertia @ w - w @ scene.inertia))
        changed = {f"com.{axis}": -float(back[j]) for j, axis in enumerate(axes)}
        with_com.append(own | changed | inertia)
        changed = {f"contact.{axis}": float(back[j]) for j, axis in enumerate(axes)}
        with_contact.append(own | changed | inertia)
    axis = (lambda _: "") if scene.planar else (lambda a: f" about {_axis(a, scene)}")
    more = ", with the inertia tensor," if "inertia.xx" in names else ""
    found += [
        (
            with_com,
            lambda a: (
                f"attitude{axis(a)} and centre-of-mass direction{more} together (only the "
                "vector from contact to centre of mass is known)"
            ),
        ),
        (
            with_contact,
            lambda a: (
                f"attitude{axis(a)} and direction of the contact point{more} together (only "
                "the vector from contact to centre of mass is known)"
            ),
        ),
        (alone, lambda a: f"attitude{axis(a)}"),
    ]
    own_arm = R.T @ scene.arm
    for stem, what in (("com", "centre of mass"), ("contact", "contact point")):
        columns = [{f"{stem}.{axis}": 1.0} for axis in axes]
        found.append(
            (
                columns,
                lambda a, what=what: (
                    f"{what} along the line from the contact point to the centre of mass"
                    if line_of(a, own_arm)
                    else f"{what} along {along(a)} of the target"
                ),
            )
        )
    return found


def _attitude(scene: Scene, turn: Array) -> dict[str, float]:
    """The unknowns that turn the body about a world axis."""
    if scene.planar:
        return {"angle": 1.0}
    change = np.linalg.solve(scene.turning, turn)
    return {f"attitude.{axis}": float(x) for axis, x in zip(AXES, change, strict=True)}


def _axis(a: Array, scene: Scene) -> str:
    if line_of(a, scene.arm):
        return "the line from the contact point to the centre of mass"
    return f"the axis {along(a)}"


def _pushed(a: Array) -> str:
    """The name of a change of mass (kg) and of velocity (m/s), in this order."""
    if not a[1:].any():
        return QUANTITIES["mass"]
    speed = float(np.linalg.norm(a[1:]))
    axis = f"velocity of the centre of mass along {along(a[1:])}"
    if abs(float(a[0])) < 1e-9 * speed:
        return axis
    first = a[1:][np.flatnonzero(np.abs(a[1:]) > 0.1 * speed)[0]]
    # Along the axis as it is shown; what hides a change is its opposite.
    rate = -speed * float(np.sign(first)) / float(a[0])
    return f"mass and {axis} together: a change of 1 kg looks like one of {number(rate)} m/s"
