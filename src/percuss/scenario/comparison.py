"""The same encounter with and without impact compensation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from percuss.encounter.observation import Observation
from percuss.encounter.phase import AFTER, CONTACT
from percuss.encounter.simulation import Simulation
from percuss.scenario.model import Scenario
from percuss.scenario.overrides import with_overrides
from percuss.scenario.simulation import simulate


@dataclass(frozen=True)
class ContactLoads:
    """What the joints and motors of the chaser did while the tool was in contact.

    `reactions` are the largest forces through the joints (N) and `impulses` ∫ |force| dt (N s),
    by joint; `afterwards` the largest forces (N) between the contacts and after them, when the
    normal law drives; `commands` the largest commands by rate (N m, N). `touches` counts the
    contacts, `impulse` (N s) is the size of what they passed on to the chaser together.
    """

    reactions: Mapping[str, float]
    impulses: Mapping[str, float]
    afterwards: Mapping[str, float]
    commands: Mapping[str, float]
    touches: int
    impulse: float


@dataclass(frozen=True)
class Ic2Comparison:
    """An encounter with IC², with free joints, and with the normal law alone.

    `normal` is None where the scenario gives no gains: then that is `free`.
    """

    compensated: ContactLoads
    free: ContactLoads
    normal: ContactLoads | None

    def ratios(self) -> dict[str, float]:
        """Largest force through each joint with IC², over that with free joints."""
        return {
            name: value / self.free.reactions[name] if self.free.reactions[name] else np.inf
            for name, value in self.compensated.reactions.items()
        }

    def __str__(self) -> str:
        columns = [("free joints", self.free), ("IC²", self.compensated)]
        if self.normal is not None:
            columns.insert(1, ("normal law", self.normal))
        rows = [["largest", *(name for name, _ in columns)]]
        for joint in self.free.reactions:
            values = [f"{c.reactions[joint]:.4g}" for _, c in columns]
            rows.append([f"force in contact, {joint} (N)", *values])
        for joint in self.free.afterwards:
            values = [f"{c.afterwards[joint]:.4g}" for _, c in columns]
            rows.append([f"force afterwards, {joint} (N)", *values])
        for rate in self.free.commands:
            values = [c.commands[rate] for _, c in columns]
            if any(values):
                label = f"command in contact, {rate}"
                rows.append([label, *(f"{value:.4g}" for value in values)])
        rows.append(["touches", *(str(c.touches) for _, c in columns)])
        rows.append(["impulse (N s)", *(f"{c.impulse:.4g}" for _, c in columns)])
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if k == 0 else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        )


def ic2_comparison(scenario: Scenario) -> Ic2Comparison:
    """Run a scenario of law ic2 as it is, with free joints, and with its normal law alone.

    All that differs is the law after the contact begins; the loads are those while it lasts.
    """
    control = scenario.document.get("control") or {}
    if scenario.control.law != "ic2":
        raise ValueError(f"control.law must be ic2 to be compared, got {scenario.control.law!r}")
    kept = ("natural-frequency", "damping-ratio", "kp", "kd", "goal", "believes", "limits")
    gains = {key: value for key, value in control.items() if key in kept}
    normal = None
    if scenario.control.gains:
        normal = loads_in_contact(_with(scenario, {"law": "computed-torque", **gains}))
    return Ic2Comparison(
        loads_in_contact(simulate(scenario)),
        loads_in_contact(_with(scenario, {"law": "none"})),
        normal,
    )


def loads_in_contact(simulation: Simulation) -> ContactLoads:
    """The loads of a run while the tool was in contact."""
    phases = [phase.observation for phase in simulation.phases if phase.kind == CONTACT]
    others = [phase.observation for phase in simulation.phases if phase.kind == AFTER]
    chaser = simulation.view.chaser
    names = [joint.name for joint in chaser.moving_joints]
    passed = np.zeros(len(names))
    commands = np.zeros(chaser.rate_count)
    impulse = np.zeros(3)
    for observation in phases:
        sizes = _forces(observation, names)
        passed = passed + np.trapezoid(sizes, observation.motion.time, axis=0)
        commands = np.maximum(commands, np.abs(observation.motion.commands).max(axis=1))
        felt = observation.integral("load_impulse")[-1]
        impulse += np.pad(felt, (0, 3 - len(felt)))
    return ContactLoads(
        reactions=dict(zip(names, _largest(phases, names).tolist(), strict=True)),
        impulses=dict(zip(names, passed.tolist(), strict=True)),
        afterwards=dict(zip(names, _largest(others, names).tolist(), strict=True)),
        commands=dict(zip(chaser.rate_names, commands.tolist(), strict=True)),
        touches=len(phases),
        impulse=float(np.linalg.norm(impulse)),
    )


def _forces(observation: Observation, names: list[str]) -> np.ndarray:
    """Size of the force through each joint (time, joints), N."""
    return np.stack([np.linalg.norm(observation.reaction(n)[0], axis=1) for n in names], axis=1)


def _largest(observations: list[Observation], names: list[str]) -> np.ndarray:
    found = [
        np.zeros(len(names)),
        *(_forces(observation, names).max(axis=0) for observation in observations),
    ]
    return np.max(found, axis=0)


def _with(scenario: Scenario, control: dict[str, object]) -> Simulation:
    return simulate(with_overrides(scenario, {"control": control}))
