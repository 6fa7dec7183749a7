"""`run` and `simulate`: a scenario or an encounter in, a result out.

A result has the numbers, and ways to show and keep them. It stands above all that it is made of:
scenarios, encounters, files and reports.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from percuss.encounter.encounter import Encounter
from percuss.encounter.errors import shown
from percuss.encounter.failure import Progress
from percuss.encounter.laws.user import LawMaker
from percuss.encounter.record import Record
from percuss.encounter.records.result import EncounterResult
from percuss.encounter.simulation import Simulation, carry_out
from percuss.encounter.summary.plain_data import summary_of, summary_text
from percuss.encounter.summary.result import encounter_result
from percuss.io import write_file
from percuss.io.folders import write_folder
from percuss.report.judgement import headline
from percuss.report.page import page
from percuss.scenario import Scenario
from percuss.scenario.simulation import simulate as simulate_scenario

if TYPE_CHECKING:
    from percuss.kernel.rollouts.methods import Method

__all__ = ["Result", "run", "simulate"]


@dataclass(frozen=True)
class Result:
    """The outcome of a run.

    Attributes:
        scenario_text: the scenario as it was run, overrides included.
        encounter: what became of the encounter, as records.
        record: the history, variable by variable.
    """

    scenario_text: str
    encounter: EncounterResult
    record: Record

    def __repr__(self) -> str:
        """Name, how it ended, impulse, energy and what the balances leave open."""
        found, line = self.encounter, headline(self.encounter)
        parts = [line] if line.startswith(found.status) else [found.status, line]
        balance = found.balance
        left = [
            f"{residual:.0e} {unit}"
            for residual, unit in (
                (balance.energy, "J"),
                (balance.linear_momentum, "N s"),
                (balance.angular_momentum, "N m s"),
            )
            if residual is not None
        ]
        if left:
            parts.append(f"out of balance by {', '.join(left)}")
        return f"<Result {shown(found.name)}: {'; '.join(parts)}>"

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The encounter as plain data, as in `summary.json`."""
        return summary_of(self.encounter)

    @cached_property
    def data(self) -> Any:
        """The history as an xarray dataset; the same as in `result.nc`."""
        return self.record.dataset()

    def plot(self) -> Any:
        """An overview as a matplotlib figure."""
        from percuss.report.figures import plot

        return plot(self.record, self.encounter)

    def report(self, path: str | Path) -> Path:
        """Write the report: one page that needs nothing else, with figures and an animation."""
        return write_file(path, self.page())

    def page(self) -> str:
        """The report as HTML."""
        return page(self.record, self.encounter, self.scenario_text)

    def save(self, folder: str | Path, also: Mapping[str, str | bytes] | None = None) -> Path:
        """Write summary.json, result.nc and report.html; the folder appears whole or not at all.

        `also` holds further files by name.
        """
        files: dict[str, str | bytes] = {
            "summary.json": summary_text(self.encounter),
            "result.nc": self.record.netcdf(),
            "report.html": self.page(),
            **(also or {}),
        }
        return write_folder(folder, files)


def run(
    scenario: Scenario,
    *,
    control: LawMaker | None = None,
    progress: Progress | None = None,
    allow_code: bool = False,
) -> Result:
    """Carry out a scenario: impact, then motion.

    Args:
        control: makes a control law from the plant (the bodies after the impact), instead of
            the scenario's `control` block; see `percuss.control.user_law`.
        progress: is told the share of the motion done, 0…1.
        allow_code: whether Python files that the scenario names (`law: python`) may run. Such
            code can do whatever you can; without it they are refused.

    Example:
        >>> import percuss
        >>> scenario = percuss.load("scenarios/thesis-1.yaml")
        >>> result = percuss.run(scenario)
        >>> [round(x, 4) for x in result.summary["impact"]["impulse"]]
        [-1.8414, 0.0]
    """
    return result_of(simulate_scenario(scenario, control, progress, allow_code=allow_code))


@overload
def simulate(
    encounter: Encounter | Scenario,
    *,
    vary: None = None,
    progress: Progress | None = None,
    allow_code: bool = False,
) -> Result: ...


@overload
def simulate(
    encounter: Encounter | Scenario,
    *,
    vary: Mapping[str, Any],
    knows: str | Collection[str] = "nominal",
    ask: Collection[str] | None = None,
    signals: Sequence[str] = (),
    times: Any = None,
    derivatives: Sequence[str] = (),
    on: str = "auto",
    threads: int | None = None,
    method: Method | None = None,
    progress: Progress | None = None,
    allow_code: bool = False,
) -> Any: ...


def simulate(
    encounter: Encounter | Scenario,
    *,
    vary: Mapping[str, Any] | None = None,
    knows: str | Collection[str] = "nominal",
    ask: Collection[str] | None = None,
    signals: Sequence[str] = (),
    times: Any = None,
    derivatives: Sequence[str] = (),
    on: str = "auto",
    threads: int | None = None,
    method: Method | None = None,
    progress: Progress | None = None,
    allow_code: bool = False,
) -> Any:
    """Carry out an encounter: approach, contact, and the motion after it; once, or many cases.

    Args:
        encounter: what is carried out, or a scenario that describes it.
        vary: values of any of its numbers, by their dotted names in scenario files, for many
            cases: (cases,), or (cases, entries) for a vector; one value without the axis of cases
            holds in all of them. Numbers are SI; a pair `(values, "deg/s")` has a unit.
        knows: what laws and plans know of the numbers that vary: "nominal", the encounter's own
            numbers, the draws being the truth; "truth"; or a list of the names that are known,
            where "target.velocity" stands for all numbers in it.
            Numbers of a law itself, such as its gains, are its own in any case.
        ask: what is found out beyond what motions tell at no cost: "approach", "impact", "limits",
            "peak.joint_reaction", "settled" and "stabilisation"; by default all of it.
        signals: what is kept over time, such as "energy" and "tool_position", names of result
            files, at chosen `times` of the run (s), for which motions are computed once more; NaN
            after the end of a case.
        derivatives: names, among those that vary, by which everything that is found is
            differentiated, signals included: the derivative of the computation, one more run of
            each case for each entry. The dataset then has "d(impact.energy.after)/d(target.mass)"
            and its like.
        on: "cores", "gpu" or "auto", which takes a GPU for many cases where there is one.
        threads: at most this many cores; default all.
        method: how motions are integrated, a method of `percuss.kernel`; default as the encounter
            says.
        progress: is told the share that is done, 0…1.
        allow_code: whether Python files that a scenario names (`law: python`) may run.

    Returns:
        A `Result`; with `vary` an xarray dataset with the dimension `case`. A case whose numbers
        cannot be (an inertia that no mass can have) has the status "refused", a `reason`, and
        nothing else.

    Example:
        >>> import percuss
        >>> target = percuss.free_body(percuss.box("target", (0.8, 0.8, 0.8), mass=120.0))
        >>> encounter = percuss.Encounter(
        ...     chaser=percuss.robot("demo-7"),
        ...     target=target,
        ...     grip=(0.0, 0.0, -0.4),
        ...     target_rates=(0.0, 0.0, -0.05, 0.0, 0.1, 0.0),
        ...     closure=percuss.Weld(),
        ...     duration=2.0,
        ... )
        >>> percuss.simulate(encounter).encounter.status.value
        'captured'
        >>> found = percuss.simulate(encounter, vary={"target.mass": [100.0, 120.0, -1.0]})
        >>> found["status"].values.tolist()
        ['captured', 'captured', 'refused']
    """
    if vary is None:
        if isinstance(encounter, Scenario):
            return run(encounter, progress=progress, allow_code=allow_code)
        return result_of(carry_out(encounter, progress))
    # Late: a single run starts sooner without what many cases need.
    from percuss.many import simulate_many

    return simulate_many(
        encounter,
        vary,
        knows=knows,
        ask=ask,
        signals=signals,
        times=times,
        derivatives=derivatives,
        on=on,
        threads=threads,
        method=method,
        progress=progress,
        allow_code=allow_code,
    )


def result_of(simulation: Simulation) -> Result:
    """What a run that was carried out gives back."""
    return Result(
        scenario_text=simulation.provenance.text,
        encounter=encounter_result(simulation),
        record=simulation.record,
    )
