"""An encounter of which some numbers are inputs: what it is in a case, and what its laws know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.scalars import is_traced, pack
from percuss.encounter.assembly import Assembly, assembly_before
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.parametrised import Place, numbers_that, with_numbers
from percuss.encounter.number import Number, Numbered
from percuss.encounter.phase_machine import Closure
from percuss.kernel.duals import array_of

Parameters = dict[str, Any]
"""Numbers of a case by name: (k,), or (k, cases)."""

NUMBERS = "numbers"
"""Name of the parameter that holds all inputs of a case, one after the other."""


@dataclass(frozen=True)
class Template:
    """What all cases have in common, and the numbers in which they differ.

    Attributes:
        nominal: the encounter itself.
        numbered: gives the encounter with other numbers; None where none differ.
        names: of the numbers in which cases differ, the inputs.
        known: those of them that laws and plans know. Of all others they take the nominal value.
    """

    nominal: Encounter
    numbered: Numbered | None = None
    names: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()

    def __fingerprint__(self) -> Any:
        """What programs follow from; the values of the inputs do not matter, but for the others'
        sake who makes the encounter of them."""
        return self.nominal, self.numbered if self.names else None, self.names, sorted(self.known)

    @cached_property
    def inputs(self) -> tuple[Number, ...]:
        """The numbers that differ from case to case."""
        assert self.numbered is not None or not self.names
        return tuple(self.numbered.number(name) for name in self.names) if self.numbered else ()

    @cached_property
    def like(self) -> Parameters:
        """The nominal values as parameters of a case; nothing where no number differs."""
        if not self.names:
            return {}
        return {NUMBERS: np.concatenate([np.ravel(one.value) for one in self.inputs])}

    def truth(self, p: Mapping[str, Any]) -> Encounter:
        """The encounter of a case, from its parameters."""
        return self._with(p, self.names)

    def believed(self, p: Mapping[str, Any]) -> Encounter:
        """The encounter of a case as laws and plans know it."""
        return self._with(p, tuple(name for name in self.names if name in self.known))

    def _with(self, p: Mapping[str, Any], names: tuple[str, ...]) -> Encounter:
        if not names:
            return self.nominal
        assert self.numbered is not None
        return self.numbered.encounter_of(
            {name: value for name, value in self.values(p[NUMBERS]).items() if name in names}
        )

    def values(self, numbers: Any) -> dict[str, Any]:
        """The inputs by name, from all of them one after the other."""
        found: dict[str, Any] = {}
        at = 0
        for one in self.inputs:
            count = one.value.size
            found[one.name] = numbers[at : at + count] if one.value.ndim else numbers[at]
            at += count
        return found

    # --- chaser and target side by side -------------------------------------------------------

    @cached_property
    def before(self) -> Assembly:
        """The bodies before the contact as the encounter has them; for a pulse the chaser."""
        return assembly_before(self.nominal.touched)

    def assembly(self, p: Mapping[str, Any]) -> Assembly:
        """The bodies before the contact as they are in a case."""
        return assembly_before(self.truth(p).touched) if self.names else self.before

    def believed_assembly(self, p: Mapping[str, Any]) -> Assembly:
        """The bodies before the contact as laws and plans know them."""
        return assembly_before(self.believed(p).touched) if self.known else self.before


class Evaluated:
    """Numbers that follow from the inputs, for all cases at once.

    They are few, and asked for once: interpreting them takes less time than compiling.
    """

    def __init__(self, template: Template) -> None:
        self._template = template
        self._kept: dict[str, kernel.Kernel] = {}
        self._places: tuple[Place, ...] = ()

    def __fingerprint__(self) -> Any:
        """What the evaluated numbers follow from."""
        return self._template

    def __call__(
        self, name: str, what: Callable[[Encounter], Sequence[Any]], p: Parameters, count: int
    ) -> np.ndarray:
        """What a function finds in the encounters of cases, (entries, cases).

        `name` tells functions apart.
        """
        template = self._template
        if not template.names:
            own = np.array([float(np.asarray(x)) for x in what(template.nominal)])
            return np.repeat(own[:, None], count, axis=1)
        if name not in self._kept:
            self._kept[name] = kernel.compile(
                lambda p: pack(what(template.truth(p))), template.like, backend="numpy"
            )
        return array_of(self._kept[name]({NUMBERS: p[NUMBERS]})).copy()

    def one(
        self, name: str, what: Callable[[Encounter], Any], p: Parameters, count: int
    ) -> np.ndarray:
        """One number of each case's encounter, (cases,)."""
        return self(name, lambda encounter: [what(encounter)], p, count)[0]

    def closure(self, p: Parameters, count: int) -> Closure:
        """The closure, with arrays (cases,) for numbers in which cases differ."""
        nominal = self._template.nominal.closure
        if not self._template.names:
            return nominal

        def differing(encounter: Encounter) -> list[Any]:
            found = list(numbers_that(encounter.closure, is_traced))
            self._places = tuple(place for place, _ in found)
            return [number for _, number in found] or [0.0]

        numbers = self("closure", differing, p, count)
        return with_numbers(nominal, dict(zip(self._places, numbers, strict=False)))
