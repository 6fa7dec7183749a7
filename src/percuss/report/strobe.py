"""The motion as a strobe picture: the bodies at several times on one sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.encounter.record import Record, Track
from percuss.model.bodies import Visual
from percuss.report.bands import IMPACT
from percuss.report.scene import carriers, opacity, point
from percuss.report.timeline import Timeline

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHASER, TARGET = "#3d6fb4", "#e0770f"


def draw_strobe(figure: Figure, cell: Any, record: Record, line: Timeline) -> None:
    """The bodies at several times, early ones faint, with the ways of tool and target.

    Stars show where impacts happened.
    """
    picks = _picks(np.asarray(record.time, dtype=float), line)
    axes: Any = figure.add_subplot(cell, projection=None if record.planar else "3d")
    size = 2 if record.planar else 3
    for name, color in (("tool_position", CHASER), ("target_position", TARGET)):
        way = point(record, name)
        if way is not None:
            axes.plot(*way[:, :size].T, color=color, lw=1.0, alpha=0.7, ls="--")
    parents = carriers(record.tracks)
    for n, k in enumerate(picks):
        alpha = 1.0 if n == len(picks) - 1 else 0.18 + 0.3 * n / len(picks)
        for track, parent in zip(record.tracks, parents, strict=True):
            color = CHASER if track.owner == "chaser" else TARGET
            _body(axes, track, k, color, alpha=alpha, size=size)
            if parent is not None:
                ends = np.array([record.tracks[parent].positions[k], track.positions[k]])
                axes.plot(*ends[:, :size].T, color=color, lw=2.2, alpha=alpha)
        _last_link(axes, record, k, alpha, size=size)
    _stars(axes, record, line, size)
    times = ", ".join(f"{record.time[k]:.3g}" for k in picks)
    axes.set(xlabel="x, m", ylabel="y, m", title=f"Motion: at {times} s, dark is last")
    if record.planar:
        axes.set_aspect("equal", adjustable="datalim")
    else:
        axes.set_zlabel("z, m")
        low, high = axes.get_w_lims()[::2], axes.get_w_lims()[1::2]
        spans = np.subtract(high, low)
        axes.set_box_aspect(spans, zoom=1.05)
        for axis, span in zip("xyz", spans, strict=True):
            axes.locator_params(axis=axis, nbins=max(2, round(7 * span / max(spans))))
        axes.view_init(elev=22, azim=-62)


def _picks(time: np.ndarray, line: Timeline) -> np.ndarray:
    """Samples near evenly spaced times, and the one at first contact."""
    wanted = np.linspace(time[0], time[-1], min(len(time), 6))
    if line.is_divided:
        wanted = np.append(wanted, line.turning_point)
    after = np.clip(np.searchsorted(time, wanted), 0, len(time) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.abs(time[before] - wanted) < np.abs(time[after] - wanted)
    found = np.unique(np.where(nearer, before, after))
    # Of samples a rounding apart one is enough.
    apart = np.append(np.diff(time[found]) > 1e-6 * (time[-1] - time[0]), True)
    return found[apart]


def _stars(axes: Any, record: Record, line: Timeline, size: int) -> None:
    tool = point(record, "tool_position")
    if tool is None or not line.is_divided:
        return
    for mark in line.marks:
        place = [[np.interp(mark.time, record.time, tool[:, axis])] for axis in range(size)]
        axes.plot(*place, "*", color=IMPACT, ms=7, mec="white", mew=0.4, zorder=5)


def _last_link(axes: Any, record: Record, k: int, alpha: float, *, size: int) -> None:
    """From the last body of the arm to the tool point."""
    tool = point(record, "tool_position")
    mine = [track for track in record.tracks if track.owner == "chaser"]
    if tool is None or not mine:
        return
    ends = np.array([mine[-1].positions[k], tool[k]])
    axes.plot(*ends[:, :size].T, color=CHASER, lw=2.2, alpha=alpha)


def _body(axes: Any, track: Track, k: int, color: str, *, alpha: float, size: int) -> None:
    for outline, share in _outlines(track, k):
        if size == 2:
            fill = 0.35 * share * alpha
            axes.fill(*outline[:, :2].T, facecolor=color, edgecolor=color, alpha=fill)
        axes.plot(*outline[:, :size].T, color=color, lw=0.9, alpha=share * alpha)
    axes.plot(*track.positions[k : k + 1, :size].T, "o", color=color, ms=2.8, alpha=alpha)


def _outlines(track: Track, k: int) -> list[tuple[np.ndarray, float]]:
    """Closed lines that show the wide parts of a body in the world; slim links are lines.

    With each comes the opacity of its part.
    """
    found: list[tuple[np.ndarray, float]] = []
    turn = np.linspace(0.0, 2.0 * np.pi, 49)
    circle = np.column_stack([np.cos(turn), np.sin(turn), 0.0 * turn])
    square = 0.5 * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (-1, -1, 0)])
    for visual in track.visuals:
        local: list[np.ndarray] = []
        if visual.shape == "box":
            edges = np.array(visual.size, dtype=float)
            local = [edges * (square + np.array([0, 0, z])) for z in (-0.5, 0.5)]
            corners = [edges * (corner + np.array([0, 0, 0.5])) for corner in square[:4]]
            local += [np.array([c, c * [1, 1, -1]]) for c in corners]
        elif visual.shape == "sphere":
            local = [visual.size[0] * circle, visual.size[0] * circle[:, [0, 2, 1]]]
        elif visual.shape == "cylinder" and (track.owner == "target" or _is_wide(visual)):
            half = np.array([0.0, 0.0, visual.size[1] / 2])
            rim = visual.size[0] * circle
            local = [rim - half, rim + half, *(np.array([p - half, p + half]) for p in rim[:-1:12])]
        placement = np.array(visual.placement.matrix(), dtype=float)
        for line in local:
            in_body = line @ placement[:3, :3].T + placement[:3, 3]
            outline = _turned(track.quaternions[k], in_body) + track.positions[k]
            found.append((outline, opacity(visual)))
    return found


def _is_wide(cylinder: Visual) -> bool:
    """Whether a cylinder is no slim link."""
    return cylinder.size[1] < 2 * cylinder.size[0]


def _turned(quaternion: np.ndarray, points: np.ndarray) -> np.ndarray:
    w, axis = quaternion[0], quaternion[1:]
    across = 2.0 * np.cross(axis, points)
    return points + w * across + np.cross(axis, across)
