"""What the blocks control and integration ask of their keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from percuss.encounter.errors import Path, shown
from percuss.scenario.block import dashed
from percuss.scenario.body_rules import orientation_rules
from percuss.scenario.compensation import compensation_rules
from percuss.scenario.control import GAINS, LAW_KINDS, TOOL_LAWS, Control, Goal, laws_of
from percuss.scenario.errors import Problem
from percuss.scenario.fields import Measured
from percuss.scenario.impact import CLOSURE_KINDS
from percuss.scenario.units import in_words, parse_unit

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario

MOST_STEPS = 100_000_000
MOST_SAMPLES = 1_000_000
"""Of a sampled law in one run: a millisecond for a quarter of an hour, minutes to compute."""

BELIEVABLE = re.compile(
    r"chaser\.base\.(mass|inertia|inertia\.(xx|yy|zz|xy|xz|yz))"
    r"|chaser\.arm\[\d+\]\.(mass|com|inertia)"
    r"|chaser\.arms\.[^.\[\]]+(\.links)?\[\d+\]\.(mass|com|inertia)"
    r"|chaser\.parameters\..+\.(mass|com\.[xyz]|inertia\.(xx|yy|zz|xy|xz|yz))"
    r"|target\.(mass|inertia|inertia\.(xx|yy|zz|xy|xz|yz))"
)
"""Paths of inertial parameters: what a controller may believe wrongly."""

_UNITS = {
    "computed-torque": {"kp": ("1/s^2",), "kd": ("1/s",)},
    "ic2": {"kp": ("1/s^2",), "kd": ("1/s",)},
    "pd": {"kp": ("N/m", "N m/rad", "N m"), "kd": ("N s/m", "N m s/rad", "N m s")},
}


def control_rules(control: Control, at: Path, closure: str | None) -> Iterator[Problem]:
    """Keys that belong to the law, and the gains and files that it needs."""
    law = control.law
    if law in TOOL_LAWS and at == ("control",):
        yield Problem(
            (*at, "law"), f"{law!r} is for before the contact: use it in approach.control"
        )
    for key, what in LAW_KINDS[law].needs.items():
        if not control.given(key):
            yield Problem((*at, key), f"is missing: law {law} needs {what}")
    for key in map(dashed, Control.model_fields):
        laws = laws_of(key)
        if laws and control.given(key) and law not in laws:
            value = getattr(control, key.replace("-", "_"))
            value = value.model_dump() if hasattr(value, "model_dump") else value
            yield Problem(
                (*at, key), f"is for law {' or '.join(laws)}, not for {law}, got {shown(value)}"
            )
    if (
        closure is not None
        and LAW_KINDS[law].law.feels
        and not CLOSURE_KINDS[closure].closure.takes_time
    ):
        yield Problem(
            (*at, "law"),
            f"{law!r} acts on a force with a duration, and closure {closure} is instantaneous; "
            "use closure compliant or pulse, or another law (none, pd, computed-torque)",
        )
    if law == "ic2" and at != ("control",):
        yield Problem((*at, "law"), "'ic2' answers a contact: use it in control")
    yield from compensation_rules(control.compensation, (*at, "compensation"), control.period)
    yield from _gain_rules(control, at)
    if control.memory is not None and control.period is None:
        yield Problem(
            (*at, "period"),
            "is missing: a law with memory is sampled, at a period in s such as 10 ms",
        )
    if control.function is not None and not control.function.isidentifier():
        name = shown(control.function)
        yield Problem((*at, "function"), f"must be the name of a Python function, got {name}")
    for path, value in control.believes.items():
        if not BELIEVABLE.fullmatch(path):
            allowed = (
                "chaser.base.mass, chaser.arm[2].mass / .com / .inertia, "
                "chaser.parameters.LINK.mass …, target.mass, target.inertia, target.inertia.xx …"
            )
            yield Problem(
                (*at, "believes", path),
                f"is not the path of an inertial parameter, got {shown(value)}. Allowed: {allowed}",
            )
    yield from _goal_rules(control.goal, (*at, "goal"))


def _gain_rules(control: Control, at: Path) -> Iterator[Problem]:
    law = control.law
    given = [key for key in GAINS if control.given(key)]
    by_frequency = [key for key in given if key in GAINS[:2]]
    direct = [key for key in given if key in GAINS[2:]]
    if by_frequency and direct:
        key = direct[0]
        value = shown(getattr(control, key))
        excludes = f"does not go with {by_frequency[0]}"
        yield Problem((*at, key), f"{excludes}: give one pair of gains, got {value}")
    elif by_frequency == ["damping-ratio"]:
        ratio = shown(control.damping_ratio)
        yield Problem((*at, "damping-ratio"), f"goes with natural-frequency in rad/s, got {ratio}")
    elif len(direct) == 1:
        missing = "kd" if direct == ["kp"] else "kp"
        yield Problem((*at, missing), f"is missing: {direct[0]} and {missing} go together")
    elif not given and LAW_KINDS[law].gains:
        needed = f"is missing: law {law} needs {LAW_KINDS[law].gains}"
        yield Problem((*at, "natural-frequency"), needed)
    for key, units in _UNITS.get(law, {}).items():
        value: Any = getattr(control, key)
        allowed = [None, *(parse_unit(unit).dimension for unit in units)]
        for entry in value if isinstance(value, tuple) else (value,):
            if isinstance(entry, Measured) and entry.dimension not in allowed:
                kind = in_words(entry.dimension) if entry.dimension else ""
                unit = " or ".join(units)
                message = f"of law {law} must be in {unit}, got {float(entry):g}, which is {kind}"
                yield Problem((*at, key), message)


def _goal_rules(goal: Goal, at: Path) -> Iterator[Problem]:
    if goal.orientation is not None:
        yield from orientation_rules(goal.orientation, (*at, "orientation"))
    rows = isinstance(goal.joints, tuple) and any(isinstance(row, tuple) for row in goal.joints)
    if goal.times is None:
        if rows:
            message = "with several sets of joints needs times: one per set, in s"
            yield Problem((*at, "joints"), f"{message}, got {shown(goal.joints)}")
        if goal.within is not None and goal.model_fields_set == {"within"}:
            what = "needs something to reach: joints, position, angle or orientation"
            yield Problem((*at, "within"), f"{what}, got {goal.within:g} s alone")
        return
    for key in ("within", "position", "angle", "orientation"):
        if goal.given(key):
            value = getattr(goal, key)
            value = value.model_dump() if hasattr(value, "model_dump") else value
            yield Problem((*at, key), f"does not go with times, got {shown(value)}")
    if not rows:
        message = "with times must be a list of lists, one per time"
        yield Problem((*at, "joints"), f"{message}, got {shown(goal.joints)}")
    elif goal.joints is not None and len(goal.joints) != len(goal.times):
        sizes = f"{len(goal.joints)} sets for {len(goal.times)} times"
        yield Problem((*at, "joints"), f"must have one set per time, got {sizes}")
    if len(goal.times) < 2:
        yield Problem((*at, "times"), f"must be two or more, got {shown(list(goal.times))} s")
    if any(b <= a for a, b in zip(goal.times, goal.times[1:], strict=False)):
        yield Problem((*at, "times"), f"must increase, got {shown(list(goal.times))} s")


def period_rules(scenario: Scenario) -> Iterator[Problem]:
    """Laws that are sampled not more often than a run can take."""
    blocks: list[tuple[Path, Control, float]] = [
        (("control",), scenario.control, scenario.duration)
    ]
    if scenario.approach is not None:
        timeout = scenario.approach.timeout
        blocks.append((("approach", "control"), scenario.approach.control, timeout))
    for at, control, time in blocks:
        if control.period is not None and time / control.period > MOST_SAMPLES:
            yield Problem(
                (*at, "period"),
                f"of {control.period:g} s makes {time / control.period:.0f} samples in {time:g} s; "
                f"allowed are at most {MOST_SAMPLES}: give {time / MOST_SAMPLES:g} s or more",
            )


def integration_rules(scenario: Scenario) -> Iterator[Problem]:
    """A step for fixed steps, a tolerance for adaptive ones."""
    integration, at = scenario.integration, ("integration",)
    method, step = integration.method, integration.step
    if method == "rk4":
        if step is None:
            yield Problem((*at, "step"), "is missing: method rk4 needs a step in s, such as 1 ms")
        elif step > scenario.duration or scenario.duration / step > MOST_STEPS:
            allowed = f"from {scenario.duration / MOST_STEPS:g} s to the duration"
            yield Problem(
                (*at, "step"), f"must be {allowed}, {scenario.duration:g} s, got {step:g}"
            )
        if integration.relative_tolerance is not None:
            value = f"{integration.relative_tolerance:g}"
            message = "is for methods that adapt their step, not for rk4"
            yield Problem((*at, "relative-tolerance"), f"{message}, got {value}")
    elif step is not None:
        yield Problem((*at, "step"), f"is for method rk4, not for {method}, got {step:g} s")
