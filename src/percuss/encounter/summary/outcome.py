"""How a run ended, in a sentence."""

from __future__ import annotations

from percuss.encounter.closures import Bounce
from percuss.encounter.simulation import Simulation
from percuss.encounter.summary.approach import closest_of
from percuss.encounter.summary.entries import length


def outcome_of(simulation: Simulation) -> str:
    """What became of the encounter, in a sentence."""
    hits = simulation.course.hits
    closure = simulation.encounter.closure
    repeat = closure.repeat if isinstance(closure, Bounce) else None
    end = simulation.legs[-1].end
    match simulation.status:
        case "missed":
            closest = closest_of(simulation)
            radius = getattr(simulation.encounter.approach, "capture_radius", None)
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
            size = length(simulation.passages[0].impact.impulse)
            return f"The chaser was pushed with {size:.4g} N s; there is no target."
        case "accumulated":
            speed = simulation.course.speed
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
                f"points still meet at {simulation.course.speed:.4g} m/s."
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
    hits, passages = simulation.course.hits, simulation.passages
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
