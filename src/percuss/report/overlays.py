"""What the animation draws over the bodies: impulses, contact forces, the aim, a ghost."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.encounter.record import Record, Track
from percuss.report.scene import packed, point
from percuss.report.timeline import Mark, Timeline


def overlays(record: Record, line: Timeline, pick: np.ndarray) -> dict[str, Any]:
    """Marks, force, aim and ghost as the viewer reads them; lengths in m, world axes."""
    return {
        "marks": [_mark(record, mark) for mark in line.marks],
        "force": _force(record, pick),
        "aim": _aim(record, line, pick),
        "ghost": _ghost(record, line, pick),
    }


def _mark(record: Record, mark: Mark) -> dict[str, Any]:
    """An impulse at the place where it acts; it shows from the end of its contact on."""
    tool = point(record, "tool_position")
    place = None if tool is None else _between(record.time, tool, mark.time).tolist()
    impulse = [*mark.impulse, 0.0, 0.0, 0.0][:3] if mark.impulse else None
    return {"time": mark.time + mark.duration, "place": place, "impulse": impulse}


def _force(record: Record, pick: np.ndarray) -> dict[str, Any] | None:
    """The contact force on the chaser at the tool (N), with its peak; None where none acts."""
    force = point(record, "contact_force")
    if force is None or "tool_position" not in record.variables:
        return None
    force = np.nan_to_num(force, nan=0.0, posinf=0.0, neginf=0.0)
    peak = float(np.linalg.norm(force, axis=1).max(initial=0.0))
    return {"vectors": packed(force[pick]), "peak": peak} if peak > 0 else None


def _aim(record: Record, line: Timeline, pick: np.ndarray) -> dict[str, Any] | None:
    """The point that the tool is aimed at, and until when; None where nothing says it.

    It is the record's `grip_position`; without one the material point of the target that the
    tool meets first.
    """
    if not line.is_divided or "tool_position" not in record.variables:
        return None
    over = [p.begin for p in line.phases if p.name == "after"]
    # Where a contact lasts to the end, nothing is aimed at from its beginning on.
    over = over or [p.begin for p in line.phases if p.name == "contact"]
    until = over[0] if over else line.last
    if until <= line.first:
        return None
    points = point(record, "grip_position")
    if points is None and line.marks:
        until = line.marks[0].time
        points = _met(record, until)
    return None if points is None else {"points": packed(points[pick]), "until": until}


def _met(record: Record, moment: float) -> np.ndarray | None:
    """The way (time, 3) of the target's material point that is at the tool at a time."""
    tool = point(record, "tool_position")
    target = next((track for track in record.tracks if track.owner == "target"), None)
    if tool is None or target is None:
        return None
    k = min(int(np.searchsorted(record.time, moment, "left")), len(record.time) - 1)
    turn = target.quaternions[k : k + 1] * np.array([1.0, -1.0, -1.0, -1.0])
    local = turned_by(turn, tool[k : k + 1] - target.positions[k : k + 1])
    return carried(target, local[0])


def carried(track: Track, local: np.ndarray) -> np.ndarray:
    """The way (time, 3), world axes, of a point fixed in a body's frame."""
    return track.positions + turned_by(track.quaternions, np.tile(local, (len(track.positions), 1)))


def turned_by(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors (n, 3) turned by unit quaternions (n, 4; w, x, y, z)."""
    w, axis = quaternions[:, :1], quaternions[:, 1:]
    across = 2.0 * np.cross(axis, vectors)
    return vectors + w * across + np.cross(axis, across)


def _ghost(record: Record, line: Timeline, pick: np.ndarray) -> dict[str, Any]:
    """The shown sample at first contact, or at the closest approach, to compare with."""
    shown = np.asarray(record.time, dtype=float)[pick]
    k = min(int(np.searchsorted(shown, line.turning_point, "left")), len(shown) - 1)
    return {"sample": k, "time": float(shown[k])}


def ghost_words(line: Timeline) -> str:
    """What the ghost shows."""
    if line.marks:
        if line.contacts:
            return "at first contact"
        return "at the first impact" if len(line.marks) > 1 else "at the impact"
    return "closest approach" if line.closest is not None else "at the start"


def _between(time: np.ndarray, points: np.ndarray, moment: float) -> np.ndarray:
    return np.array([np.interp(moment, time, points[:, axis]) for axis in range(3)])
