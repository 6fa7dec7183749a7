"""Figures 11a, 11b and 12: IC²."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.sources.centre_of_percussion.cases import PulseReactions
from percuss.sources.centre_of_percussion.compensation import compensated, free_joints
from percuss.sources.centre_of_percussion.paper import COMPENSATED, TABLE_1
from percuss.sources.centre_of_percussion.pulse_figures import place_name, shades
from percuss.sources.style import BLUE, GREEN, GREY, ORANGE, new_figure, plain

TIP = TABLE_1.link2.length
BEFORE, END = -0.02, 0.15


def reactions() -> Any:
    """Figure 11a."""
    figure = new_figure(10.4, 4.3)
    for axes, joint in zip(figure.subplots(1, 2), ("joint1", "joint2"), strict=True):
        _prepared(axes)
        for run, color, dashes, name in (
            (free_joints(TIP), GREY, (0, (4, 2)), "free joints"),
            (compensated(TIP, base_torque=False), ORANGE, "-", "IC² without base torque"),
            (compensated(TIP), BLUE, "-", "IC²"),
        ):
            time, size = _from_rest(run, run.size(joint))
            axes.plot(time, size, color=color, linestyle=dashes, linewidth=2.0, label=name)
        axes.set_ylabel(f"$|N_{joint[-1]}|$, N")
        axes.set_ylim(0, None)
        axes.set_title(f"joint {joint[-1]}", fontsize=11, loc="left")
    _finished(figure, "Figure 11a: reactions, 100 N for 0.1 s at the tip of link 2", 3)
    return figure


def torques() -> Any:
    """Figure 11b."""
    figure = new_figure(8.4, 4.4)
    axes = figure.subplots()
    _prepared(axes)
    run = compensated(TIP)
    for row, color, dashes, name in (
        (2, ORANGE, "-", "joint 2"),
        (1, BLUE, "-", "joint 1"),
        (0, GREEN, (0, (3, 3)), "base"),
    ):
        time, torque = _from_rest(run, run.torques[row])
        axes.plot(time, torque, color=color, linestyle=dashes, linewidth=2.2, label=name)
    axes.set_ylabel("torque, N m")
    _finished(figure, "Figure 11b: torques of IC²", 3)
    return figure


def torques_by_place() -> Any:
    """Figure 12."""
    figure = new_figure(10.4, 4.4)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, row, name in zip(panels, (1, 2), ("joint 1 and base", "joint 2"), strict=True):
        _prepared(axes)
        for at, shade in zip(COMPENSATED, shades(len(COMPENSATED)), strict=True):
            run = compensated(at)
            time, torque = _from_rest(run, run.torques[row])
            axes.plot(time, torque, color=shade, linewidth=2.0, label=place_name(at))
        axes.set_title(name, fontsize=11, loc="left")
    panels[0].set_ylabel("torque, N m")
    _finished(figure, "Figure 12: torques of IC², struck at", 5)
    return figure


def _prepared(axes: Any) -> None:
    plain(axes)
    axes.axhline(0.0, color="black", linewidth=0.7)
    axes.set_xlim(BEFORE, END)
    axes.set_xlabel("time since the blow, s")


def _finished(figure: Any, title: str, columns: int) -> None:
    figure.suptitle(title, fontsize=12)
    handles = figure.axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=columns, frameon=False, fontsize=10)


def _from_rest(run: PulseReactions, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nothing before the blow."""
    return np.concatenate([[BEFORE, 0.0], run.time]), np.concatenate([[0.0, 0.0], values])
