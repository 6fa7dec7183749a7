"""The story of a run as plain data: phases, approach, contact, stabilisation, outcome."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.impact import Law
from percuss.impact.compliance import Compliance
from percuss.runs.plain import plain, vector
from percuss.simulate.leg import APPROACH, Leg
from percuss.simulate.loads import Touch
from percuss.simulate.nearest import Nearest, nearest
from percuss.simulate.simulation import Simulation
from percuss.simulate.stabilisation import stabilisation_of
from percuss.simulate.touching import distance_of, shape_of


def phases_of(simulation: Simulation) -> list[dict[str, Any]]:
    """The stretches of a run with their balances."""
    return [
        {
            "name": leg.name,
            "phase": leg.phase,
            "begin": leg.begin,
            "end": leg.end,
            "steps": leg.seen.motion.steps,
            "energy": leg.balance.energy,
            "linear_momentum": leg.balance.linear_momentum,
            "angular_momentum": leg.balance.angular_momentum,
        }
        for leg in simulation.legs
    ]


def approach_of(simulation: Simulation) -> dict[str, Any] | None:
    """Whether and how the tool touched; None without an approach.

    `distance` is that from the contact point at the contact, or at the end; the relative velocity
    is that at the contact, or where tool and target were closest.
    """
    approach = simulation.scenario.approach
    if approach is None:
        return None
    legs = _before(simulation)
    touched = simulation.status != "missed"
    closest = _closest(simulation)
    stage, q = legs[-1].seen.stage, legs[-1].seen.q[:, -1]
    assert stage.grip is not None
    apart = _length(distance_of(stage, stage.grip, q).array())
    k = -1
    if not touched:
        legs = [leg for leg in legs if leg.begin <= closest.time <= leg.end][:1]
        k = int(np.argmin(np.abs(legs[-1].seen.time - closest.time)))
    relative = legs[-1].seen.relative_velocity[k]
    plan = simulation.encounter.approaching and simulation.encounter.approaching.plan
    return {
        "touched": touched,
        "time": legs[-1].end if touched else None,
        "by": approach.contact,
        "distance": apart,
        "relative_speed": _length(relative),
        "relative_velocity": vector(relative, stage.is_planar),
        "closest": {"distance": closest.distance, "time": closest.time},
        "capture_radius": approach.capture_radius,
        "control": plain(simulation.scenario.document["approach"].get("control")),
        "timeout": approach.timeout,
        "meet": None
        if approach.meet is None
        else {
            "at": approach.meet.at,
            "closing_speed": approach.meet.closing_speed,
            "sentences": list(plan.sentences) if plan else [],
        },
        "arrival": _arrival(simulation),
    }


def _arrival(simulation: Simulation) -> dict[str, Any] | None:
    """The contact beside its plan; null without a plan, or without a contact."""
    found = simulation.arrival
    if found is None:
        return None
    return {
        "as_planned": found.as_planned,
        "differences": list(found.differences),
        "time": {"planned": found.planned_time, "found": found.time},
        "closing_speed": {"planned": found.planned_closing_speed, "found": found.closing_speed},
        "sideways_speed": {"planned": 0.0, "found": found.sideways_speed},
        "offset": {"planned": 0.0, "found": found.offset},
    }


def _before(simulation: Simulation) -> list[Leg]:
    return [leg for leg in simulation.legs if leg.phase == APPROACH]


def _closest(simulation: Simulation) -> Nearest:
    """To the contact point, or to the surface where that is what is touched."""
    legs = _before(simulation)
    approach, target = simulation.scenario.approach, simulation.stage.target
    assert approach is not None
    assert target is not None
    return nearest(legs, shape_of(target) if approach.contact == "surface" else None)


def contact_of(simulation: Simulation) -> dict[str, Any] | None:
    """A contact that takes time: its law and every touch; None for other closures."""
    touch = simulation.encounter.load
    if touch is None:
        return None
    planar = simulation.stage.is_planar
    touches = [
        {
            "begin": passage.begin,
            "end": passage.end if passage.ended else None,
            "duration": passage.duration if passage.ended else None,
            "peak_force": passage.peak_force,
            "impulse": vector(passage.impulse, planar),
            "restitution": passage.restitution,
            "energy_lost": passage.energy_lost if isinstance(touch, Touch) else None,
        }
        for passage in simulation.passages
    ]
    if not isinstance(touch, Touch):
        nothing = ("stiffness", "damping", "friction", "slip_speed", "surface")
        return {"law": "pulse", **dict.fromkeys(nothing), "touches": touches}
    law: Compliance = touch.compliance
    rubs = law.has_friction
    return {
        "law": law.law,
        "stiffness": _number(law.stiffness),
        "damping": _number(law.damping),
        "friction": _number(law.friction),
        "slip_speed": _number(law.slip_speed) if rubs else None,
        "surface": "spring between the points" if touch.surface is None else _words(touch),
        "touches": touches,
    }


def _words(touch: Touch) -> str:
    describe = getattr(touch.surface, "describe", None)
    return str(describe()) if describe else "surface"


def stabilised(simulation: Simulation) -> dict[str, Any] | None:
    """How a captured target came to rest; None where nothing was captured."""
    if simulation.status != "captured" or simulation.stage.tree is None:
        return None
    control = simulation.scenario.control
    dump = control.dump
    found = stabilisation_of(
        simulation.seen,
        capacity=None if control.limits is None else control.limits.wheels,
        dump_torque=None if dump is None else dump.torque,
        dump_after=0.0 if dump is None else dump.after,
        lever_arm=None if dump is None else dump.lever_arm,
    )
    return found.block()


def laws_of(simulation: Simulation) -> tuple[Law, ...]:
    """Of the impact that closed the grasp, or the last one."""
    if simulation.encounter.hits:
        return simulation.impact.laws
    return simulation.passages[-1].laws if simulation.passages else ()


def outcome_of(simulation: Simulation) -> str:
    """What became of the encounter, in a sentence."""
    hits = simulation.encounter.hits
    repeat = simulation.scenario.impact.repeat
    end = simulation.legs[-1].end
    match simulation.status:
        case "missed":
            closest = _closest(simulation)
            radius = getattr(simulation.scenario.approach, "capture_radius", None)
            wanted = f"; {radius:g} m would have been close enough" if radius else ""
            return (
                f"Missed: the tool came within {closest.distance:.4g} m of the target's "
                f"{'contact point' if radius else 'surface'} at {closest.time:.4g} s{wanted}."
            )
        case "captured":
            how = {"pin": "on a pin", "weld": "rigidly"}.get(hits[-1].impact.closure, "")
            bounces = len(hits) - 1
            after = f" after {bounces} bounce{'s' if bounces > 1 else ''}" if bounces else ""
            captured = f"Captured {how} at {hits[-1].time:.4g} s{after}{_beside(simulation)}."
            return captured.replace("  ", " ")
        case "held":
            return "A spring holds the points together; it pulls as well as pushes."
        case "pushed":
            size = _length(simulation.passages[0].impulse)
            return f"The chaser was pushed with {size:.4g} N s; there is no target."
        case "accumulated":
            speed = simulation.encounter.speed
            below = repeat.below if repeat else 0.0
            return (
                f"Bounces pile up at {end:.4g} s: after {len(hits)} of them the points stay "
                f"together but slide on each other at {speed:.4g} m/s, faster than {below:g} m/s, "
                "so that the grasp does not close, and the run ends here: sliding is not followed. "
                "More friction or a greater repeat.below may let it close."
            )
        case "unfinished":
            count = f"{len(hits)} bounce{'s' if len(hits) > 1 else ''}"
            return (
                f"Not captured: {count}, as many as repeat.most allows, and the "
                f"points still meet at {simulation.encounter.speed:.4g} m/s."
            )
        case _:
            return _bounced(simulation)


def _beside(simulation: Simulation) -> str:
    """In what the first contact differs from its plan, to end a sentence with."""
    found = simulation.arrival
    if found is None or found.as_planned:
        return ""
    more = [word for word in found.differences if word != "elsewhere"]
    said = f"{' and '.join(filter(None, (', '.join(more[:-1]), *more[-1:])))} than planned"
    if "elsewhere" in found.differences:
        said = "elsewhere than planned" if not more else f"{said}, and elsewhere"
    return f", {said}"


def _bounced(simulation: Simulation) -> str:
    hits, passages = simulation.encounter.hits, simulation.passages
    count = len(hits) or len(passages)
    if not count:
        return "The points did not touch."
    last = hits[-1].time if hits else passages[-1].begin
    times = "once" if count == 1 else f"{count} times, the last one"
    still = ", and they still do" if passages and not passages[-1].ended else ""
    return (
        f"Not captured: tool and target touched {times} at {last:.4g} s{still}"
        f"{_beside(simulation)}."
    )


def _number(value: Any) -> float:
    return float(np.asarray(value, float))


def _length(values: Any) -> float:
    return float(np.linalg.norm(np.asarray(values, float)))
