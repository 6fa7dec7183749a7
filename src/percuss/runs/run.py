"""`run` and `simulate`: a scenario or an encounter in, a result out."""

from __future__ import annotations

from percuss.encounter.encounter import Encounter
from percuss.encounter.failure import Progress
from percuss.encounter.laws.user import LawMaker
from percuss.encounter.simulation import Simulation, carry_out
from percuss.runs.encounter_result import encounter_result
from percuss.runs.result import Result
from percuss.scenario import Scenario
from percuss.scenario.simulation import simulate as simulate_scenario


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


def simulate(encounter: Encounter, *, progress: Progress | None = None) -> Result:
    """Carry out an encounter: approach, contact, and the motion after it.

    Args:
        progress: is told the share of the motion done, 0…1.

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
    """
    return result_of(carry_out(encounter, progress))


def result_of(simulation: Simulation) -> Result:
    """What a run that was carried out gives back."""
    return Result(
        scenario_text=simulation.provenance.text,
        encounter=encounter_result(simulation),
        record=simulation.record,
    )
