"""Bodies on their way, as the viewer in the page reads them."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from percuss.encounter.record import Record, Track
from percuss.model.bodies import Visual
from percuss.model.errors import ModelError
from percuss.report.timeline import Timeline

DRAWN = ("box", "cylinder", "sphere")
"""Shapes the viewer knows; a mesh is shown as a joint and the bones between joints."""


def scene(record: Record, line: Timeline, pick: np.ndarray) -> dict[str, Any]:
    """Tracks and trails, lengths in m, world axes, at the samples in `pick`.

    `positions` (samples × 3) and `quaternions` (samples × 4; w, x, y, z) are little-endian
    32-bit floats in base64.
    """
    tool = point(record, "tool_position")
    held = _held_from(record, line)
    return {
        "tracks": [
            {
                "name": track.name,
                "owner": track.owner,
                "shapes": [_shape(visual) for visual in track.visuals if is_drawn(visual)],
                "parent": carrier,
                "positions": packed(track.positions[pick]),
                "quaternions": packed(track.quaternions[pick]),
            }
            for track, carrier in zip(record.tracks, carriers(record.tracks), strict=True)
        ],
        "tool": None if tool is None else packed(tool[pick]),
        "toolBody": None if tool is None else _carrier(record.tracks, tool, "chaser"),
        "heldBody": None if tool is None else _holder(record.tracks, tool, "target", held),
        "heldFrom": float(record.time[held]),
        "target": _trail(point(record, "target_position"), pick),
    }


def _held_from(record: Record, line: Timeline) -> int:
    """Index of the first sample of the motion after the impact: from there a grasp holds."""
    begin = [phase.begin for phase in line.phases if phase.name == "after"]
    if not begin:
        return 0
    return min(int(np.searchsorted(record.time, begin[-1], "left")), len(record.time) - 1)


def is_drawn(visual: Visual) -> bool:
    """Whether a shape can be drawn and seen."""
    return visual.shape in DRAWN and opacity(visual) > 0.0


def opacity(visual: Visual) -> float:
    """1 for a solid shape, less for one to see through; 1 where nothing is said."""
    return 1.0 if visual.color is None else min(1.0, max(0.0, float(visual.color[3])))


def packed(values: np.ndarray) -> str:
    """Little-endian 32-bit floats in base64; what is too large for them is infinite."""
    with np.errstate(over="ignore"):
        floats = np.ascontiguousarray(values, dtype="<f4")
    return base64.b64encode(floats.tobytes()).decode("ascii")


def carriers(tracks: Sequence[Track]) -> list[int | None]:
    """For each body the one that carries it, found from the motion; None for a first body.

    A hinge stays at one place of the body that carries it. Where several bodies, or none,
    carry it so, it is the one listed last before it.
    """
    found: list[int | None] = []
    for k, track in enumerate(tracks):
        found.append(_carrier(tracks[:k], track.positions, track.owner))
    return found


def _carrier(tracks: Sequence[Track], points: np.ndarray, owner: str) -> int | None:
    """The body that holds a point, else the last one of the owner."""
    mine = [k for k, track in enumerate(tracks) if track.owner == owner]
    holder = _holder(tracks, points, owner)
    return holder if holder is not None or not mine else mine[-1]


def _holder(tracks: Sequence[Track], points: np.ndarray, owner: str, since: int = 0) -> int | None:
    """The last body of an owner at one place of which a moving point stays; None without one.

    `since` is the sample from which on it stays.
    """
    step = max(1, (len(points) - since) // 40)
    scale = 1e-6 * (1.0 + float(np.abs(points).max(initial=0.0)))
    for k, track in reversed(list(enumerate(tracks))):
        if track.owner != owner:
            continue
        shown = slice(since, None, step)
        relative = _relative_to(track.positions[shown], track.quaternions[shown], points[shown])
        if np.all(np.abs(relative - relative[0]) < scale):
            return k
    return None


def _relative_to(positions: np.ndarray, quaternions: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Components of points in the frame of a body, (time, 3)."""
    away = points - positions
    w, axis = quaternions[:, :1], -quaternions[:, 1:]
    across = 2.0 * np.cross(axis, away)
    return away + w * across + np.cross(axis, across)


def point(record: Record, name: str) -> np.ndarray | None:
    """A point over time as (time, 3)."""
    if name not in record.variables:
        return None
    values = np.asarray(record[name], dtype=float)
    return np.pad(values, ((0, 0), (0, 3 - values.shape[1])))


def _trail(points: np.ndarray | None, pick: np.ndarray) -> str | None:
    return None if points is None else packed(points[pick])


def _shape(visual: Visual) -> dict[str, Any]:
    position = [float(x) for x in visual.placement.position]  # type: ignore[arg-type]
    turn = [float(x) for x in visual.placement.rotation.to_quaternion()]  # type: ignore[arg-type]
    size = [float(x) for x in visual.size]
    if not all(math.isfinite(x) for x in (*position, *turn, *size)):
        raise ModelError(f"a {visual.shape} must have finite size and placement, got {visual!r}")
    return {
        "shape": visual.shape,
        "size": size,
        "position": position,
        "quaternion": turn,
        "opacity": opacity(visual),
    }
