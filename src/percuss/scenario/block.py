"""Blocks of a scenario: mappings with known keys, some of which may be written in short."""

from __future__ import annotations

from abc import abstractmethod
from types import UnionType
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.fields import FieldInfo

from percuss.scenario.fields import Choice, Quantity, Reader, Text
from percuss.scenario.lists import Vector

MODES = ("fixed", "free-floating", "attitude-controlled", "free-flying")


def dashed(name: str) -> str:
    """The key of a field in the file; `from_` stands for `from`, which Python keeps for itself."""
    return name.rstrip("_").replace("_", "-")


class Block(BaseModel):
    """A mapping with known keys; it does not change."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        alias_generator=dashed,
        protected_namespaces=(),
        defer_build=True,  # the first scenario pays for it, not every start
        use_attribute_docstrings=False,
    )

    forms: ClassVar[str] = ""
    """Other ways to write the block, for messages."""

    @classmethod
    def fields(cls) -> dict[str, FieldInfo]:
        """The fields by their names in Python."""
        return dict(cls.model_fields)

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """The keys in the file."""
        return tuple(dashed(name) for name in cls.fields())

    def given(self, key: str) -> bool:
        """Whether a key stands in the document."""
        return any(dashed(name) == key for name in self.model_fields_set)

    def __fingerprint__(self) -> Any:
        """All its values, and which of them were given."""
        return dict(self.__dict__), sorted(self.model_fields_set)


class ValueBlock(Block):
    """A block that an encounter has as a value of its own."""

    @abstractmethod
    def value(self) -> Any:
        """The block as an encounter has it, without the units it was written with."""


class Shorthand(Block):
    """A block that may also be written as a plain value."""

    short: ClassVar[dict[str, Any]] = {}
    """JSON Schema of the short form."""

    @classmethod
    def expand(cls, value: Any) -> Any:
        """The mapping that the short form stands for; what is no short form, as it is."""
        return value

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, value: Any) -> Any:
        return value if isinstance(value, dict) else cls.expand(value)


Content = tuple["type[Block] | None", str, Reader | None]
"""What a field holds: a block or a reader's value, and "one", "list" or "mapping" of it."""


def content(field: FieldInfo) -> Content:
    """What a field of a block holds."""
    readers = [note for note in field.metadata if isinstance(note, Reader)]
    return (None, "one", readers[0]) if readers else _content(field.annotation)


def _content(annotation: Any) -> Content:
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        return _content(next(a for a in get_args(annotation) if a is not type(None)))
    if origin is Annotated:
        inner, *notes = get_args(annotation)
        readers = [note for note in notes if isinstance(note, Reader)]
        if readers:
            return None, "one", readers[0]
        return _content(inner)
    if origin is tuple:
        block, _, reader = _content(get_args(annotation)[0])
        return block, "list", reader
    if origin is dict:
        block, _, reader = _content(get_args(annotation)[1])
        return block, "mapping", reader
    return (annotation if issubclass(annotation, Block) else None), "one", None


# --- values that several blocks use ---------------------------------------------------------

Length = Annotated[float, Quantity("m", above=0)]
Mass = Annotated[float, Quantity("kg", above=0)]
Time = Annotated[float, Quantity("s", above=0)]
Angle = Annotated[float, Quantity("rad")]
Point = Annotated[tuple[float, ...], Vector(Quantity("m"))]
Name = Annotated[str, Text("a name")]


class Orientation(Shorthand):
    """How a body is turned: a quaternion, or roll, pitch and yaw."""

    forms: ClassVar[str] = "a quaternion [w, x, y, z], or a mapping with rpy: [roll, pitch, yaw]"
    short: ClassVar[dict[str, Any]] = Vector(Quantity(), (4,)).schema()

    quaternion: Annotated[tuple[float, ...], Vector(Quantity(), (4,))] | None = Field(
        default=None, description="w, x, y, z, world ← body; scaled to length one."
    )
    rpy: Annotated[tuple[float, ...], Vector(Quantity("rad"), (3,))] | None = Field(
        default=None, description="Roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll)."
    )

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {"quaternion": value} if isinstance(value, list) else value


class Inertia(Shorthand):
    """Rotational inertia about the centre of mass, in the axes of the body frame."""

    forms: ClassVar[str] = (
        "a number in kg m^2 about z (planar), or a mapping with xx, yy, zz, xy, xz, yz (spatial)"
    )
    short: ClassVar[dict[str, Any]] = {
        "anyOf": [Quantity("kg m^2").schema(), Vector(Quantity("kg m^2"), (3,)).schema()]
    }

    moment: Annotated[float, Quantity("kg m^2", above=0)] | None = Field(
        default=None, description="Planar: the one moment, about z."
    )
    xx: Annotated[float, Quantity("kg m^2", above=0)] | None = Field(
        default=None, description="Spatial."
    )
    yy: Annotated[float, Quantity("kg m^2", above=0)] | None = Field(
        default=None, description="Spatial."
    )
    zz: Annotated[float, Quantity("kg m^2", above=0)] | None = Field(
        default=None, description="Spatial."
    )
    xy: Annotated[float, Quantity("kg m^2")] = Field(
        default=0.0, description="Tensor entry, −∫xy dm."
    )
    xz: Annotated[float, Quantity("kg m^2")] = Field(
        default=0.0, description="Tensor entry, −∫xz dm."
    )
    yz: Annotated[float, Quantity("kg m^2")] = Field(
        default=0.0, description="Tensor entry, −∫yz dm."
    )

    @classmethod
    def expand(cls, value: Any) -> Any:
        if isinstance(value, list) and len(value) == 3:
            return dict(zip(("xx", "yy", "zz"), value, strict=True))
        simple = isinstance(value, (int, float, str)) and not isinstance(value, bool)
        return {"moment": value} if simple else value

    @property
    def is_planar(self) -> bool:
        return self.moment is not None


Shape = Annotated[str, Choice(("disk", "box", "cylinder", "sphere"))]
Size = Annotated[tuple[float, ...], Vector(Quantity("m", above=0))]
