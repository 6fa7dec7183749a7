"""When impact compensation helps and when it cannot, in plain sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates
from percuss.algebra.vectors import Vector3
from percuss.control.ic2_chain import axes_now, chain_of, links_now, percussion_arm
from percuss.control.plant import TreePlant
from percuss.model.systems import Frame

NEAR = 0.1
"""|C_ID - 1| below which an impact counts as one at the centre of percussion."""
ALONG = 0.05
"""Share of a force along the link from which on it is worth a sentence."""


@dataclass(frozen=True)
class ImpactPlace:
    """How a force meets the last link that can turn under it.

    `distance` (m) of the impact point and `center` (m) of the link's centre of percussion, both
    from the joint along the line to the centre of mass. `along` is the share of the force along
    the line from the joint to the impact point, 0…1; `across` the share along the joint's axis.
    """

    link: str
    joint: str
    distance: float
    center: float
    along: float
    across: float

    @property
    def coefficient(self) -> float:
        """C_ID: 1 at the centre of percussion."""
        return self.distance / self.center


def impact_place(plant: TreePlant, tool: str | Frame, q: Coordinates, force: Any) -> ImpactPlace:
    """Where and how a force (N, world axes) at a frame meets the last link; plain numbers."""
    chain = chain_of(plant, plant.system.frame(tool), base_torque=True)
    last = links_now(chain, q)[-1]
    push = _array(Vector3.of(force, "force"))
    size = float(np.linalg.norm(push)) or 1.0
    arm = _array(last.arm)
    along = abs(float(push @ arm)) / (float(np.linalg.norm(arm)) or 1.0) / size
    axis = axes_now(chain, q)[chain.last_axis]
    distance, center = (float(np.asarray(x, float)) for x in percussion_arm(last, axis))
    across = abs(float(push @ _array(axis))) / size
    return ImpactPlace(
        link=chain.last.body.name,
        joint=chain.last.joint.name,
        distance=distance,
        center=center,
        along=along,
        across=across,
    )


def ic2_advice(
    place: ImpactPlace,
    compensated: Mapping[str, float],
    free: Mapping[str, float],
    *,
    rule: str = "acceleration",
    base_torque: bool = True,
    torques: tuple[float, float] = (0.0, 0.0),
) -> tuple[str, ...]:
    """Sentences on an impact that IC² answered.

    Args:
        compensated: largest force through each joint (N) while the contact lasted.
        free: the same in the same states if no motor did anything.
        base_torque: whether the base got the torque of the first joint.
        torques: the largest that the rules acceleration and force ask for (N m).
    """
    said: list[str] = []
    if place.along > ALONG:
        said.append(
            f"{100 * place.along:.3g} % of the force acts along the line from {place.joint} to the "
            f"impact point: no motor torque can take that from the joint."
        )
    if place.across > ALONG:
        said.append(
            f"{100 * place.across:.3g} % of the force acts along the axis of {place.joint}: that "
            "joint cannot give way to it, and its motor cannot answer it."
        )
    if abs(place.coefficient - 1.0) < NEAR:
        cure = "" if rule == "force" else "; rule force leaves such an impact alone"
        said.append(
            f"The impact point is {1000 * abs(place.distance - place.center):.2f} mm from the "
            f"centre of percussion of {place.link} ({place.center:.4g} m from {place.joint}): free "
            "joints feel next to nothing there, so there is little for impact compensation to win, "
            f"and as the links begin to turn its torques can raise the reactions{cure}."
        )
    asked, proportional = torques
    if rule == "acceleration" and place.coefficient < 0.5 and asked > 1.2 * proportional:
        said.append(
            f"The impact is near {place.joint}, {place.distance:.3g} m from it: there the loop of "
            f"torques and accelerations has a pole, and asks for up to {asked:.4g} N m where the "
            f"force alone would ask for {proportional:.4g} N m; rule force has none."
        )
    if not base_torque:
        said.append(
            "The base does not get the torque of the first joint: it is turned by that joint's "
            "motor, and the first joint feels a reaction that a base torque would spare it."
        )
    worse = [
        f"{name} ({compensated[name]:.3g} N instead of {free[name]:.3g} N)"
        for name in compensated
        if compensated[name] > free[name] + 0.01 * max(free.values())
    ]
    if worse:
        said.append(
            "While the contact lasts the compensation raises the largest force through "
            f"{', '.join(worse)} compared with free joints in the same states."
        )
    return tuple(said)


def _array(vector: Vector3) -> np.ndarray:
    return np.array([float(np.asarray(x, float)) for x in vector])
