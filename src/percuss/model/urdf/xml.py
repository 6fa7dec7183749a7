"""An XML element tree that knows its lines, with readers that say what is wrong and where."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from percuss.model.errors import ModelError, closest


@dataclass
class Element:
    """An XML element: its tag, its attributes, where it stands and what is inside."""

    tag: str
    attributes: dict[str, str]
    line: int
    source: str
    """Name of the file, for messages."""
    parent: Element | None = None
    children: list[Element] = field(default_factory=list)

    def error(self, problem: str) -> ModelError:
        """An error that names the file, the line, and the link or joint around the element."""
        return ModelError(f"{self.place}: {self.described}: {problem}")

    @property
    def place(self) -> str:
        return f"{self.source}, line {self.line}"

    @property
    def described(self) -> str:
        """`link 'arm', <mass>`: the named elements around this one, then itself."""
        words: list[str] = []
        element: Element | None = self
        while element is not None and (element.parent is not None or element is self):
            words.append(self._words(element))
            element = element.parent
        return ", ".join(reversed(words))

    @staticmethod
    def _words(element: Element) -> str:
        name = element.attributes.get("name")
        if element.tag in ("link", "joint") and name:
            return f"{element.tag} {name!r}"
        return f"<{element.tag}>"

    def all(self, tag: str) -> list[Element]:
        """The elements directly inside with this tag."""
        return [child for child in self.children if child.tag == tag]

    def only(self, tag: str) -> Element | None:
        """The one element inside with this tag, None without it; two are refused."""
        found = self.all(tag)
        if len(found) > 1:
            lines = ", ".join(str(child.line) for child in found)
            raise self.error(f"has {len(found)} <{tag}> elements (lines {lines}); allowed is one")
        return found[0] if found else None

    def needed(self, tag: str) -> Element:
        """The one element inside with this tag; its absence is refused."""
        found = self.only(tag)
        if found is None:
            raise self.error(f"has no <{tag}>, which is required")
        return found

    def text(self, attribute: str) -> str:
        """An attribute that must be there and not be empty."""
        value = self.attributes.get(attribute, "").strip()
        if not value:
            raise self.error(f"{attribute!r} is missing or empty; it must be text")
        return value

    def check_attributes(self, known: Sequence[str]) -> None:
        """Refuse attributes that are not known: ignored, they could change the robot."""
        for attribute in self.attributes:
            if attribute in known or attribute.split(":")[0] == "xmlns":
                continue
            hint = closest(attribute, known)
            raise self.error(f"unknown attribute {attribute!r}.{hint} Allowed: {', '.join(known)}")

    def number(self, attribute: str, unit: str = "", default: float | None = None) -> float:
        """A finite number; `default` when the attribute is absent, refused without one."""
        (number,) = self.numbers(attribute, 1, unit, None if default is None else (default,))
        return number

    def numbers(
        self, attribute: str, count: int, unit: str = "", default: Sequence[float] | None = None
    ) -> tuple[float, ...]:
        """`count` finite numbers, separated by blanks."""
        value = self.attributes.get(attribute)
        allowed = "a finite number" if count == 1 else f"{count} finite numbers"
        allowed += f" ({unit})" if unit else ""
        if value is None:
            if default is None:
                raise self.error(f"{attribute!r} is missing; it must be {allowed}")
            return tuple(default)
        try:
            numbers = tuple(_to_float(word) for word in value.split())
        except ValueError:
            numbers = ()
        if len(numbers) != count:
            hint = ". Expand the file with xacro first" if "$" in value else ""
            raise self.error(f"{attribute!r} must be {allowed}, got {value!r}{hint}")
        return numbers


def parse_xml(data: str | bytes, source: str) -> Element:
    """The root element of a document; ModelError with the line when it is not XML."""
    parser = expat.ParserCreate()
    roots: list[Element] = []
    stack: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        parent = stack[-1] if stack else None
        element = Element(tag, attributes, parser.CurrentLineNumber, source, parent)
        (parent.children if parent else roots).append(element)
        stack.append(element)

    def end(tag: str) -> None:
        del tag
        stack.pop()

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    if not data.strip():
        raise ModelError(f"{source}, line 1: the file is empty; expected <robot name=…>…</robot>")
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        unclosed = (
            f" Still open: {' in '.join(f'<{e.tag}>' for e in stack[::-1])}." if stack else ""
        )
        raise ModelError(
            f"{source}, line {error.lineno}, column {error.offset + 1}: not well-formed XML: "
            f"{expat.ErrorString(error.code)}.{unclosed}"
        ) from error
    except (ValueError, LookupError) as error:
        # An encoding that does not exist, or text that UTF-8 cannot hold.
        raise ModelError(
            f"{source}, line {parser.CurrentLineNumber}: cannot be read as text: {error}"
        ) from error
    return roots[0]


def _to_float(word: str) -> float:
    """A finite decimal number; Python's own 1_000 is not one."""
    number = float(word)
    if "_" in word or not math.isfinite(number):
        raise ValueError(word)
    return number
