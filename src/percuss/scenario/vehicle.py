"""What a chaser is put together from: a base, and arms that are lists of links or models."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from percuss.encounter.errors import shown
from percuss.model.systems import System
from percuss.scenario.block import (
    Angle,
    Block,
    Inertia,
    Length,
    Mass,
    Name,
    Orientation,
    Point,
    Shape,
    Shorthand,
    Size,
)
from percuss.scenario.errors import RefusedError
from percuss.scenario.fields import Quantity, Reader, Switch, Text
from percuss.scenario.from_library import FromLibrary
from percuss.scenario.links import JointValue, Links
from percuss.scenario.lists import ByName, FrozenDict, Names, Vector

USUAL = "usual"
"""Stands for the posture that the library gives a robot."""


class _JointPositions(Reader):
    """Joint coordinates as a list or by name, or the word `usual`."""

    @property
    def unit(self) -> str:
        return JointValue.unit

    @property
    def quantity(self) -> Quantity:
        return JointValue

    def read(self, value: Any) -> FrozenDict | tuple[float, ...] | str:
        if value == USUAL:
            return USUAL
        if isinstance(value, str):
            raise RefusedError(
                f"must be a list, or a mapping by joint name, of numbers in {self.unit}, or the "
                f"word {USUAL} with a robot of the library, got {shown(value)}"
            )
        return ByName(JointValue).read(value)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"enum": [USUAL]}, *ByName(JointValue).schema()["anyOf"]]}


Joints = Annotated[FrozenDict | tuple[float, ...] | str, _JointPositions()]
MODELS = ("urdf", "mjcf", "robot", "system")
"""Keys that name a model."""


class ModelSource(Block):
    """A model of a robot, by its file or by its name in the library."""

    urdf: Annotated[str, Text("the path of a URDF file")] | None = Field(
        default=None,
        description="URDF or xacro file, relative to the scenario; its root link is the base.",
    )
    mjcf: Annotated[str, Text("the path of an MJCF file")] | None = Field(
        default=None, description="MJCF file of MuJoCo, relative to the scenario."
    )
    robot: Annotated[str | System, FromLibrary("robot")] | None = Field(
        default=None,
        description="A robot of the library (`percuss robots`), or a system itself: in Python a "
        "`System`, in a file what `save_system` writes.",
    )
    system: Annotated[str, Text("the path of a saved system")] | None = Field(
        default=None, description="System saved as YAML (`save_system`), relative to the scenario."
    )
    strict: Annotated[bool, Switch()] | None = Field(
        default=None,
        description="Refuse model files that must be changed to make sense, instead of changing "
        "and listing it; at the chaser, for all its files. Default false.",
    )

    @property
    def models(self) -> tuple[str, ...]:
        """Which of the keys that name a model are given."""
        return tuple(key for key in MODELS if self.given(key))


class Base(ModelSource):
    """The body that carries the arms, or a model of it; its frame is where `position` is."""

    shape: Shape | None = Field(
        default=None,
        description="`disk` with radius (planar), `box` with size, `cylinder` or `sphere` "
        "(spatial).",
    )
    mass: Mass | None = Field(default=None, description="Mass.")
    radius: Length | None = Field(default=None, description="Of a disk, cylinder or sphere.")
    length: Length | None = Field(
        default=None, description="Of a cylinder, along z of the base frame."
    )
    size: Size | None = Field(
        default=None,
        description="Edges [x, y] or [x, y, z] of a box; with mass and inertia, of the box that "
        "is drawn.",
    )
    inertia: Inertia | None = Field(
        default=None, description="About the centre of mass; default that of the shape."
    )
    com: Point | None = Field(
        default=None, description="Centre of mass in the base frame; default its origin."
    )


class ArmMount(Shorthand):
    """Where an arm is mounted on the base."""

    forms: ClassVar[str] = "a point of the base frame in m, or a mapping with frame"
    short: ClassVar[dict[str, Any]] = Vector(Quantity("m")).schema()

    point: Point | None = Field(default=None, description="In the base frame.")
    frame: Name | None = Field(
        default=None, description="Spatial: a frame or body of the base, by name."
    )

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {"point": value} if isinstance(value, list) else value


class Arm(ModelSource, Shorthand):
    """One of several arms: links (planar), or a model (spatial)."""

    forms: ClassVar[str] = (
        "a list of links, or a mapping with mount, angle, links (planar) or with urdf, mjcf, "
        "robot or system, mount, orientation, joints (spatial)"
    )
    short: ClassVar[dict[str, Any]] = {"type": "array", "items": {"$ref": "#/$defs/LinkBlock"}}

    mount: ArmMount | None = Field(
        default=None,
        description="Joint 1 (planar) or the model's root frame in the base frame; default the "
        "base's centre of mass (planar) or origin (spatial).",
    )
    angle: Angle = Field(
        default=0.0, description="Planar: direction of the arm at zero joints, in the base frame."
    )
    links: Links | None = Field(default=None, description="Planar: from the base outwards.")
    orientation: Orientation | None = Field(
        default=None,
        description="Spatial: base (or mount frame) ← root frame of the model; default not turned.",
    )
    from_: Name | None = Field(
        default=None,
        description="Spatial: a joint or frame of the model at which the arm begins; what is "
        "inboard of it is left out. Default its root, with everything on it.",
    )
    joints: Joints | None = Field(
        default=None,
        description="Spatial: joint coordinates of the arm, by the model's own names or a list "
        "in the model's order, as `chaser.joints`.",
    )
    locked: Annotated[tuple[str, ...], Names()] | None = Field(
        default=None, description="Spatial: joints that are held, by the model's own names."
    )

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {"links": value} if isinstance(value, list) else value
