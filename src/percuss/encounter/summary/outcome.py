"""How a run ended, in a sentence."""

from __future__ import annotations

from percuss.encounter.closures import Bounce
from percuss.encounter.simulation import Simulation
from percuss.encounter.summary.approach import closest_of
from percuss.encounter.summary.entries import length


def outcome_of(simulation: Simulation) -> str:
    """What became of the encounter, in a sentence."""
    impacts = simulation.sequence.impacts
    closure = simulation.encounter.closure
    repeat = closure.repeat if isinstance(closure, Bounce) else None
    end = simulation.phases[-1].end
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
            how = {"pin": "on a pin", "weld": "rigidly"}.get(impacts[-1].impact.closure, "")
            bounces = len(impacts) - 1
            after = f" after {bounces} bounce{'s' if bounces > 1 else ''}" if bounces else ""
            captured = f"Captured {how} at {impacts[-1].time:.4g} s{after}{_beside(simulation)}."
            return captured.replace("  ", " ")
        case "held":
            return "A spring holds the points together; it pulls as well as pushes."
        case "pushed":
            size = length(simulation.lasting_contacts[0].impact.impulse)
            return f"The chaser was pushed with {size:.4g} N s; there is no target."
        case "accumulated":
            speed = simulation.sequence.speed
            below = repeat.below if repeat else 0.0
            return (
                f"Bounces pile up at {end:.4g} s: after {len(impacts)} of them the points stay "
                f"together but slide on each other at {speed:.4g} m/s, faster than {below:g} m/s, "
                "so that the grasp does not close, and the run ends here: sliding is not followed. "
                "More friction or a greater repeat.below may let it close."
            )
        case "unfinished":
            count = f"{len(impacts)} bounce{'s' if len(impacts) > 1 else ''}"
            return (
                f"Not captured: {count}, as many as repeat.most allows, and the "
                f"points still meet at {simulation.sequence.speed:.4g} m/s."
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
    impacts, lasting_contacts = simulation.sequence.impacts, simulation.lasting_contacts
    count = len(impacts) or len(lasting_contacts)
    if not count:
        return "The points did not touch."
    last = impacts[-1].time if impacts else lasting_contacts[-1].begin
    times = "once" if count == 1 else f"{count} times, the last one"
    still = ", and they still do" if lasting_contacts and not lasting_contacts[-1].ended else ""
    return (
        f"Not captured: tool and target touched {times} at {last:.4g} s{still}"
        f"{_beside(simulation)}."
    )
