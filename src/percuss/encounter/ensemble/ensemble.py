"""Whole encounters by the thousand: all phases in machine code, answers as of single runs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from percuss.algebra.arrays import Rates
from percuss.encounter.assembly import Assembly
from percuss.encounter.encounter import Described, Encounter
from percuss.encounter.ensemble.cases import Cases
from percuss.encounter.ensemble.compiled_phases import run_cases
from percuss.encounter.ensemble.failures import explained
from percuss.encounter.ensemble.history import Histories
from percuss.encounter.ensemble.joint_use import single_joints
from percuss.encounter.ensemble.machine import machine_of
from percuss.encounter.ensemble.programs import EnsemblePrograms
from percuss.encounter.ensemble.result import EnsembleResult
from percuss.encounter.ensemble.template import NUMBERS, Template
from percuss.encounter.errors import EncounterError, shown
from percuss.encounter.phase_machine import Hold
from percuss.kernel.backends.cuda import start_gpu
from percuss.kernel.backends.streams import gpu_pieces, share_gpu
from percuss.kernel.duals import array_of, is_dual
from percuss.kernel.rollouts.methods import Method
from percuss.model.errors import ModelError

_TOGETHER = 1e-8
"""How far contact points may be from each other where there is no approach (m)."""


class Ensemble:
    """An encounter compiled for many cases that start in different states.

    Approach, contact, bounces, grasp and the motion after are carried out for all cases at once,
    with the equations, laws and closures of a single run: with error control (the default) the
    answers agree with it to about 1e-8. What is compiled is kept for further calls.

    Args:
        encounter: what all cases have in common: bodies, laws, closure, times; or a scenario that
            describes it.
        threads: at most this many; default all cores.
        backend: "llvm", "cuda", "numpy" or "auto", as in `kernel.compile`.
        method: `kernel.Dop853(relative, absolute)`, `kernel.Adaptive`, `kernel.Rosenbrock` or, for
            speed, `kernel.RK4(step)`; default as the encounter's `integration` says, whose `auto`
            is `Dop853`, `Adaptive` where a law is sampled in time, and `Rosenbrock` where friction
            in the joints makes the nominal motion stiff.
        reactions: whether the forces through the joints are looked at, too.
        settling: whether it is found out when the motion after a grasp has come to rest, for
            which that motion is computed twice.
        impacts: whether everything about the last impact of each case is kept.
        approach: whether it is found out how the tools arrive, beside their plans.
        limits: whether it is looked at how far the joints are used.
        stabilisation: whether it is found out what thrusters and wheels give after a grasp, and
            the motion that remains.
        allow_code: whether Python files that a scenario names (`law: python`) may run.
        template: of the encounter, where cases differ in more than how they start.
    """

    def __init__(
        self,
        encounter: Encounter | Described,
        *,
        threads: int | None = None,
        backend: str = "auto",
        method: Method | None = None,
        reactions: bool = False,
        settling: bool = False,
        impacts: bool = False,
        approach: bool = False,
        limits: bool = False,
        stabilisation: bool = False,
        allow_code: bool = False,
        template: Template | None = None,
    ) -> None:
        self._described = None if isinstance(encounter, Encounter) else encounter
        if not isinstance(encounter, Encounter):
            encounter = encounter.encounter_with(allow_code=allow_code)
        if encounter.closure.captures and not isinstance(encounter.closure, Hold):
            raise ModelError(
                "impact.closure: many cases need a closure that keeps momentum (pin, weld, "
                f"bounce, compliant, pulse), got {encounter.closure.name!r}"
            )
        if backend == "cuda":
            start_gpu()
        self.encounter = encounter
        self.machine = machine_of(
            encounter,
            method,
            backend=backend,
            threads=threads,
            reactions=reactions,
            settling=settling,
            impacts=impacts,
            approach=approach,
            limits=limits,
            stabilisation=stabilisation,
        )
        self._programs = EnsemblePrograms(template or Template(encounter), self.machine)
        self._has_run: set[bool] = set()
        """Kinds of cases that were carried out in pieces: plain ones, Duals."""

    def __repr__(self) -> str:
        return f"<Ensemble of {shown(self.encounter.name)}>"

    def __call__(
        self,
        *,
        chaser_coordinates: Any = None,
        chaser_rates: Rates | None = None,
        target_coordinates: Any = None,
        target_rates: Rates | None = None,
    ) -> EnsembleResult:
        """Run cases that start in these states, in the order of the models' coordinates.

        Shapes (entries, cases); what is not given, or has no axis of cases, is the same in all
        cases. With nothing given there is one case, the encounter itself.
        """
        given = {
            "chaser_coordinates": chaser_coordinates,
            "chaser_rates": chaser_rates,
            "target_coordinates": target_coordinates,
            "target_rates": target_rates,
        }
        parts = _parts(self.encounter, given)
        assembly = self._programs.before
        q = np.concatenate([parts["chaser_coordinates"], parts["target_coordinates"]])
        v = np.concatenate([parts["chaser_rates"], parts["target_rates"]])
        _check_quaternions(q, assembly.quaternions)
        motion = chaser_coordinates is not None or target_coordinates is not None
        if motion and self.encounter.contact is not None and assembly.target is not None:
            _check_contact(np.asarray(self._programs.distance(q)))
        joints, uses = self._counts(assembly)
        return self._carried_out(Cases(assembly, q, v, joints, uses=uses))

    def of_numbers(self, numbers: np.ndarray, histories: Histories | None = None) -> EnsembleResult:
        """Run cases that differ in the inputs of the template, (entries, cases).

        `histories` are the signals that are wanted over time.
        """
        inputs = {NUMBERS: numbers}
        found = self._programs.starts(inputs)
        count = numbers.shape[1]
        q, v, *known = (
            np.broadcast_to(array_of(part).reshape(len(part), -1), (len(part), count)).copy()
            for part in (*found["truth"], *found["known"])
        )
        assembly = self._programs.before
        joints, uses = self._counts(assembly)
        cases = Cases(
            assembly,
            q,
            v,
            joints,
            uses=uses,
            known=(known[0], known[1]),
            inputs=inputs,
            histories=histories,
        )
        if not count:
            return cases.result()
        return self._carried_out(cases)

    def _counts(self, assembly: Assembly) -> tuple[int, int]:
        """How many joints are looked at: for the forces through them, and for their use."""
        reactions = len(assembly.chaser.moving_joints) if self.machine.reactions else 0
        return reactions, len(single_joints(assembly.chaser)) if self.machine.limits else 0

    def _carried_out(self, cases: Cases) -> EnsembleResult:
        try:
            self._run(cases)
        except EncounterError as error:
            raise error if self._described is None else self._described.reworded(error) from error
        return cases.result()

    def _run(self, cases: Cases) -> None:
        """Carry out all cases; many on a GPU in pieces."""
        pieces = gpu_pieces(len(cases)) if self.machine.backend == "cuda" else []
        if len(pieces) < 2:
            run_cases(self._programs, cases)
            return
        parts = [cases.piece(which) for which in pieces]
        jobs = [partial(run_cases, self._programs, part) for part in parts]
        if is_dual(cases.q) not in self._has_run:
            # What the first of them compiles is there for the others.
            jobs.pop(0)()
        share_gpu(jobs, f"computing {len(cases):,} cases on the GPU")
        self._has_run.add(is_dual(cases.q))
        cases.gather(pieces, parts)

    def explain(self, result: EnsembleResult) -> tuple[str, ...]:
        """Why cases of a result of this ensemble failed, a text for each phase and reason.

        Of each the first case is looked at: which joint, contact, gain or motion bounds its
        steps, as a single run would say.
        """
        assembly, method = self._programs.before, self.machine.method
        return tuple(explained(one, self.encounter, assembly, method) for one in result.failures)


def _parts(encounter: Encounter, given: dict[str, Any]) -> dict[str, np.ndarray]:
    """All four parts of the state, each (entries, cases)."""
    start = encounter.touched
    if start.target is None:
        start = replace(start, target_coordinates=None, target_rates=None)
    found: dict[str, np.ndarray] = {}
    counts: dict[str, int] = {}
    for name, values in given.items():
        known = getattr(start, name)
        if known is None:
            if values is not None:
                raise ModelError(f"{name}: there is no target in this encounter, got {values!r}")
            known = np.zeros(0)
        known = np.asarray(known, float)
        array = known if values is None else np.asarray(values, float)
        if array.ndim not in (1, 2) or array.shape[0] != len(known):
            raise ModelError(
                f"{name} must have the shape ({len(known)},) or ({len(known)}, cases), "
                f"got {array.shape}"
            )
        if array.ndim == 2:
            counts[name] = array.shape[1]
        found[name] = array
    if len(set(counts.values())) > 1:
        said = ", ".join(f"{name} has {count}" for name, count in counts.items())
        raise ModelError(f"the numbers of cases differ: {said}")
    cases = next(iter(counts.values()), 1)
    return {
        name: array if array.ndim == 2 else np.repeat(array[:, None], cases, axis=1)
        for name, array in found.items()
    }


def _check_quaternions(q: np.ndarray, quaternions: tuple[int, ...]) -> None:
    for first in quaternions:
        norm = np.linalg.norm(q[first : first + 4], axis=0)
        wrong = np.flatnonzero(np.abs(norm - 1.0) > 1e-3)
        if len(wrong):
            case = int(wrong[0])
            raise ModelError(
                f"the orientation at entry {first} of the coordinates, chaser and target side by "
                f"side, must be a unit quaternion (w, x, y, z); case {case} has norm "
                f"{norm[case]:.6g}"
            )


def _check_contact(gap: np.ndarray) -> None:
    """Without an approach the contact points must be at the same place from the start."""
    wrong = np.flatnonzero(gap > _TOGETHER)
    if len(wrong):
        case = int(wrong[0])
        raise ModelError(
            f"the contact points of case {case} are {gap[case]:.3g} m apart, and the encounter has "
            "no `approach` that would bring them together"
        )
