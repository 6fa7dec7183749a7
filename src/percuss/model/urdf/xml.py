"""An XML element tree that knows its lines, with readers that say what is wrong and where."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from percuss.model.errors import ModelError
from percuss.model.urdf.log import Log


@dataclass
class Element:
    """An XML element: its tag, its attributes, where it stands and what is inside."""

    tag: str
    attributes: dict[str, str]
    line: int
    log: Log
    """The findings of this reading."""
    parent: Element | None = None
    children: list[Element] = field(default_factory=list)

    def error(self, problem: str) -> ModelError:
        """An error that names the file, the line, and the link or joint around the element."""
        return ModelError(f"{self.place}: {self.described}: {problem}")

    @property
    def place(self) -> str:
        return f"{self.log.source}, line {self.line}"

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
        """The one element inside with this tag, None without it; of several the first is used."""
        found = self.all(tag)
        if len(found) > 1:
            lines = ", ".join(str(child.line) for child in found)
            several = f"{len(found)} <{tag}> elements (lines {lines})"
            self.log.change(self, f"has {several}; allowed is one", several, "the first")
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
        numbers = _to_floats(value)
        if len(numbers) == count:
            return numbers
        hint = ". Expand the file with xacro first" if "$" in value else ""
        problem = f"{attribute!r} must be {allowed}, got {value!r}{hint}"
        # A comma before a blank separates; one between digits could as well be a decimal comma.
        numbers = _to_floats(re.sub(r",\s", " ", value))
        if len(numbers) != count:
            raise self.error(problem)
        self.log.change(
            self, problem, f"{attribute}={value!r}", " ".join(f"{x:g}" for x in numbers)
        )
        return numbers


def parse_xml(data: str | bytes, log: Log) -> Element:
    """The root element of a document; ModelError with the line when it is not XML."""
    source = log.source
    data, moved = _without_late_declaration(data)
    parser = expat.ParserCreate()
    roots: list[Element] = []
    stack: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        parent = stack[-1] if stack else None
        element = Element(
            tag=tag, attributes=attributes, line=parser.CurrentLineNumber, log=log, parent=parent
        )
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
    if moved:
        problem = "the XML declaration is not at the start of the file"
        log.change(roots[0], problem, problem, "the file without it")
    return roots[0]


def _without_late_declaration(data: str | bytes) -> tuple[str | bytes, bool]:
    """The document with an XML declaration that does not come first turned into blanks."""
    if isinstance(data, str):
        late = re.search(r"^(?:\s|<!--.*?-->)+?(<\?xml\s.*?\?>)", data, re.DOTALL)
    else:
        late = re.search(rb"^(?:\s|<!--.*?-->)+?(<\?xml\s.*?\?>)", data, re.DOTALL)
    if late is None:
        return data, False
    start, end = late.span(1)
    blank = b" " if isinstance(data, bytes) else " "
    return data[:start] + blank * (end - start) + data[end:], True  # type: ignore[operator]


def _to_floats(value: str) -> tuple[float, ...]:
    """The finite decimal numbers of a text with blanks between them; none if it is not that."""
    try:
        return tuple(_to_float(word) for word in value.split())
    except ValueError:
        return ()


def _to_float(word: str) -> float:
    """A finite decimal number; Python's own 1_000 is not one."""
    number = float(word)
    if "_" in word or not math.isfinite(number):
        raise ValueError(word)
    return number
