"""What a reader found in a file: what is wrong, what it changed, what it left out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from percuss.model.changes import Change, listed
from percuss.model.errors import ModelError, ModelNotice, closest

if TYPE_CHECKING:
    from percuss.model.urdf.xml import Element


@dataclass
class Log:
    """The findings of one reading, kept until the whole file has been read.

    `source` is the name of the file. Reading goes on after an error (`going_on`), so that
    `finish` can tell all of them at once. A change is something that does not make sense as it
    stands and is read in another way; a `strict` reading counts it as an error. What is left
    out on purpose, because it changes nothing that is computed, is no error in either.
    """

    source: str
    strict: bool = False
    errors: list[str] = field(default_factory=list)
    _changes: list[Change] = field(default_factory=list)
    _refusals: list[str] = field(default_factory=list)
    _attributes: dict[tuple[str, str], list[Element]] = field(default_factory=dict)
    _left_out: dict[tuple[str, str], list[Element]] = field(default_factory=dict)
    _missing: dict[str, Element] = field(default_factory=dict)

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Keep an error of the block for the end and go on after the block."""
        try:
            yield
        except ModelError as error:
            self.errors.append(str(error))

    def change(self, element: Element, problem: str | ModelError, read: str, used: str) -> None:
        """Note that something is read in another way than it stands, once however often it is.

        `problem` is what a strict reading says of it; `read` and `used` are those of `Change`.
        """
        change = Change(element.line, element.described, read, used)
        if change not in self._changes:
            error = problem if isinstance(problem, ModelError) else element.error(problem)
            self._changes.append(change)
            self._refusals.append(str(error))

    def unknown_attributes(self, element: Element, known: tuple[str, ...]) -> None:
        """Note the attributes of an element that are not among the known ones."""
        for attribute in element.attributes:
            if attribute in known or attribute.split(":")[0] == "xmlns":
                continue
            self._attributes.setdefault((element.tag, attribute), []).append(element)
            allowed = f"{closest(attribute, known)} Allowed: {', '.join(known)}"
            problem = f"unknown attribute {attribute!r}.{allowed}"
            self._refusals.append(str(element.error(problem)))

    def leave_out(
        self, element: Element, read: str = "an element without effect on the motion"
    ) -> None:
        """Note an element that is not used and changes nothing that is computed."""
        self._left_out.setdefault((element.tag, read), []).append(element)

    def missing_mesh(self, element: Element, name: str) -> None:
        """Note a mesh file that is not there."""
        self._missing.setdefault(name, element)

    @property
    def changes(self) -> tuple[Change, ...]:
        """Everything that is not used as it stands, each kind of it once, by line."""
        found = list(self._changes)
        for (tag, attribute), elements in self._attributes.items():
            first = elements[0]
            read = f"unknown attribute {attribute}={first.attributes[attribute]!r}"
            found.append(_repeated(elements, f"<{tag}>", read, "nothing"))
        for (tag, read), elements in self._left_out.items():
            found.append(_repeated(elements, f"<{tag}>", read, "nothing"))
        if self._missing:
            names, first = ", ".join(self._missing), next(iter(self._missing.values()))
            read = f"files that are not there: {names}"
            found.append(Change(first.line, "<mesh>", read, "no shape to draw"))
        return tuple(sorted(found, key=lambda change: change.line))

    def check(self) -> None:
        """Raise all errors so far as one, the changes among them where the reading is strict."""
        self._raise(self.errors + (self._refusals if self.strict else []))

    def check_errors(self) -> None:
        """Raise where there are errors so far, with the changes where the reading is strict."""
        if self.errors:
            self.check()

    def _raise(self, problems: list[str]) -> None:
        if len(problems) == 1:
            raise ModelError(problems[0])
        if problems:
            lines = "".join(f"\n  {problem}" for problem in problems)
            raise ModelError(f"{self.source}: {len(problems)} problems:{lines}")

    def notify(self, stacklevel: int) -> None:
        """Warn once of everything that is not used as it stands."""
        changes = self.changes
        if changes:
            text = f"{self.source}: not everything is used as it stands:\n{listed(changes)}"
            warnings.warn(text, ModelNotice, stacklevel=stacklevel + 1)


def _repeated(elements: list[Element], tag: str, read: str, used: str) -> Change:
    """One change for all elements of a kind: the place of the first, and how many there are."""
    first = elements[0]
    if len(elements) == 1:
        return Change(first.line, first.described, read, used)
    return Change(first.line, f"{tag}, {len(elements)} times, first here", read, used)
