"""Blocks of several kinds: one key names the kind, and each kind has keys of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    AfterValidator,
    Field,
    ModelWrapValidatorHandler,
    create_model,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from percuss.encounter.errors import shown
from percuss.scenario.block import Block, ValueBlock, content
from percuss.scenario.fields import plain


@dataclass(frozen=True)
class Needed:
    """Stands in the type of a field that its kind is nothing without: `what` says what it is."""

    what: str


class Variant(Block):
    """A block of one of several kinds.

    The class that has a table of `kinds` stands for all of them: what is read as such is one of
    them. A kind is a subclass with its own keys, entered in the table, at any time.
    """

    tag: ClassVar[str]
    """The key that names the kind."""
    kinds: ClassVar[Mapping[str, type[Variant]]]
    """The kinds by their names in the file."""

    @classmethod
    def stands_for_kinds(cls) -> bool:
        """Whether it has the table, and is none of the kinds itself."""
        return "kinds" in cls.__dict__

    @classmethod
    def fields(cls) -> dict[str, FieldInfo]:
        """The block's fields by name; those of all kinds where it stands for them, blocks last."""
        own = super().fields()
        if not cls.stands_for_kinds():
            return own
        for kind in cls.kinds.values():
            own = own | {name: each for name, each in kind.fields().items() if name not in own}
        return dict(sorted(own.items(), key=lambda item: content(item[1])[0] is not None))

    @classmethod
    def kind_named(cls, value: Mapping[str, Any]) -> str:
        """The name of the kind that a mapping is of, empty where there is no such kind."""
        name = value.get(cls.tag, cls.model_fields[cls.tag].get_default())
        return name if isinstance(name, str) and name in cls.kinds else ""

    @classmethod
    def kind_of(cls, value: Mapping[str, Any]) -> type[Variant]:
        """The kind that a mapping is of, the class for all of them where there is no such kind."""
        return cls.kinds.get(cls.kind_named(value), cls)

    def plain(self, *without: str) -> dict[str, Any]:
        """The block's values by name as an encounter has them, without units.

        Its kind, those named in `without`, and what is left out (None) are not among them.
        """
        names = type(self).model_fields.keys() - {self.tag, *without}
        values = {name: _plain(getattr(self, name)) for name in names}
        return {name: value for name, value in values.items() if value is not None}

    @model_validator(mode="wrap")
    @classmethod
    def _as_its_kind(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Any:
        if not cls.stands_for_kinds() or not isinstance(value, dict):
            return handler(value)
        kind = cls.kind_of(value)
        if kind is cls or not set(kind.keys()).issuperset(value):
            return cls._refusing(value).model_validate(value)
        return kind.model_validate(value)

    @classmethod
    def _refusing(cls, value: Mapping[str, Any]) -> type[Block]:
        """The kind of a mapping, with the keys of the others: these are read, then refused.

        They are only read where there is no such kind: its name is what is wrong.
        """
        name, kind = cls.kind_named(value), cls.kind_of(value)
        others: dict[str, Any] = {}
        for key, field in cls.fields().items():
            if key not in kind.model_fields:
                owners = [each for each, owner in cls.kinds.items() if key in owner.model_fields]
                of = f"is for {cls.tag} {' or '.join(owners)}, not for {name}"
                then = _refusal(of) if name else _as_it_is
                kept = Annotated[field.annotation, *field.metadata, AfterValidator(then)]
                others[key] = (kept, Field(default=None))
        return create_model(kind.__name__, __base__=kind, **others)


def _plain(value: Any) -> Any:
    if isinstance(value, ValueBlock):
        return value.value()
    if isinstance(value, tuple):
        return tuple(_plain(entry) for entry in value)
    return plain(value) if isinstance(value, float) else value


def _refusal(text: str) -> Any:
    """A function that refuses whatever is read."""

    def refuse(value: Any) -> Any:
        value = value.model_dump() if isinstance(value, Block) else value
        raise PydanticCustomError("refused", "{text}", {"text": f"{text}, got {shown(value)}"})

    return refuse


def _as_it_is(value: Any) -> Any:
    return value
