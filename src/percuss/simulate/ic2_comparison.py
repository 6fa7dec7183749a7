"""The same encounter with and without impact compensation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from percuss.scenario import Scenario, with_overrides
from percuss.simulate.balances import peaks
from percuss.simulate.leg import CONTACT
from percuss.simulate.simulation import Simulation, simulate


@dataclass(frozen=True)
class ContactLoads:
    """What the joints and motors of the chaser did while the tool was in contact.

    `reactions` are the largest forces through the joints (N), `impulses` ∫ |force| dt (N s), by
    joint; `commands` the largest commands by rate (N m, N). `touches` counts the contacts,
    `impulse` (N s) is the size of what they passed on to the chaser together.
    """

    reactions: Mapping[str, float]
    impulses: Mapping[str, float]
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
        rows = [["while in contact", *(name for name, _ in columns)]]
        for joint in self.free.reactions:
            rows.append([f"force, {joint} (N)", *(f"{c.reactions[joint]:.4g}" for _, c in columns)])
        for rate in self.free.commands:
            values = [c.commands[rate] for _, c in columns]
            if any(values):
                rows.append([f"command, {rate}", *(f"{value:.4g}" for value in values)])
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
    if scenario.control.kp is not None or scenario.control.natural_frequency is not None:
        normal = loads_in_contact(_with(scenario, {"law": "computed-torque", **gains}))
    return Ic2Comparison(
        loads_in_contact(simulate(scenario)),
        loads_in_contact(_with(scenario, {"law": "none"})),
        normal,
    )


def loads_in_contact(simulation: Simulation) -> ContactLoads:
    """The loads of a run while the tool was in contact."""
    legs = [leg.seen for leg in simulation.legs if leg.phase == CONTACT]
    chaser = simulation.view.chaser
    names = [joint.name for joint in chaser.movable_joints]
    largest, passed = np.zeros(len(names)), np.zeros(len(names))
    commands = np.zeros(chaser.rate_count)
    impulse = np.zeros(3)
    for seen in legs:
        sizes = np.stack([np.linalg.norm(seen.reaction(n)[0], axis=1) for n in names], axis=1)
        time = seen.motion.time
        largest = np.maximum(largest, peaks(time, sizes, smooth=False))
        passed = passed + np.trapezoid(sizes, time, axis=0)
        commands = np.maximum(commands, np.abs(seen.motion.commands).max(axis=1))
        felt = seen.integral("load_impulse")[-1]
        impulse += np.pad(felt, (0, 3 - len(felt)))
    return ContactLoads(
        dict(zip(names, largest.tolist(), strict=True)),
        dict(zip(names, passed.tolist(), strict=True)),
        dict(zip(chaser.rate_names, commands.tolist(), strict=True)),
        len(legs),
        float(np.linalg.norm(impulse)),
    )


def _with(scenario: Scenario, control: dict[str, object]) -> Simulation:
    return simulate(with_overrides(scenario, {"control": control}))
