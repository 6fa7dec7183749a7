"""`run`: a scenario in, a result out."""

from __future__ import annotations

from percuss.runs.encounter_result import encounter_result
from percuss.runs.result import Result
from percuss.scenario import Scenario
from percuss.simulate.failure import Progress
from percuss.simulate.simulation import LawMaker, Simulation, simulate


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
    return result_of(simulate(scenario, control, progress, allow_code=allow_code))


def result_of(simulation: Simulation) -> Result:
    """What a run that was carried out gives back."""
    return Result(
        scenario_text=simulation.scenario.text,
        encounter=encounter_result(simulation),
        record=simulation.record,
    )
