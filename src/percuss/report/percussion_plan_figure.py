"""A plan drawn: the robot before and after, what it feels, and its place among others."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.impact import Contact
from percuss.impact.surfaces import is_solid
from percuss.kinematics.frames import frame_pose, poses
from percuss.model.bodies import Body, Visual
from percuss.model.joints import Free, Planar
from percuss.model.systems import System
from percuss.percussion.planner.result import PercussionPlan
from percuss.report.letters import figure_text
from percuss.report.percussion_figures import BLUE, GREEN, INK, ORANGE, SOFT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FAINT = "#9aa4b0"
_STYLE: Any = {
    "font.size": 9.5,
    "axes.titlesize": 11.0,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.edgecolor": "#8a94a0",
    "grid.color": "#e6e9ee",
    "legend.frameon": False,
    "figure.facecolor": "white",
}


def plan_figure(plan: PercussionPlan) -> Figure:
    """Robot and target before and after, reaction bars, and the plan among random choices."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_STYLE):
        figure = Figure(figsize=(11.2, 8.2), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)  # type: ignore[union-attr]
        grid = figure.add_gridspec(2, 2, height_ratios=(1.25, 1.0))
        planar = plan.problem.contact.is_planar
        contacts = [plan.problem.meeting(x) for x in (plan.problem.initial, plan.x)]
        kind = None if planar else "3d"
        views: list[Any] = [figure.add_subplot(grid[0, k], projection=kind) for k in (0, 1)]
        words = (("before", plan.before.cost, ORANGE), ("planned", plan.after.cost, BLUE))
        for axes, contact, (name, cost, color) in zip(views, contacts, words, strict=True):
            _scene(axes, contact, color, 2 if planar else 3)
            axes.set_title(f"{name}: {cost:.4g} N s", color=color, weight="bold")
        _same_view(views, contacts, planar)
        _bars(figure.add_subplot(grid[1, 0]), plan)
        _place(figure.add_subplot(grid[1, 1]), plan)
        figure.suptitle(
            f"{figure_text(plan.scenario.name)}: what a {plan.scenario.impact.closure} is felt as, "
            "before and planned",
            x=0.01, ha="left", fontsize=12.5, color=INK,
        )  # fmt: skip
        return figure


def distribution_figure(plans: dict[str, PercussionPlan]) -> Figure:
    """For several plans, by name: costs of random reachable configurations, and the plan's."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_STYLE):
        figure = Figure(figsize=(3.9 * len(plans), 3.5), layout="constrained")
        for k, (name, plan) in enumerate(plans.items()):
            axes: Any = figure.add_subplot(1, len(plans), k + 1)
            _place(axes, plan, columns=1)
            axes.set_title(f"{name}\n{axes.get_title('left').lower()}", fontsize=10.0)
        return figure


# --- robot and target -----------------------------------------------------------------------


def _scene(axes: Any, contact: Contact, color: str, size: int) -> None:
    chaser, q = contact.chaser, contact.chaser_coordinates
    world = poses(chaser, q)
    for system, at, shade in ((chaser, q, INK), (contact.target, contact.target_coordinates, SOFT)):
        if system.base.name not in _links(chaser):
            _body(axes, system.base, _matrix(poses(system, at)[system.base.name]), shade, size=size)
    links = _links(chaser)
    for joint in chaser.moving_joints:
        if joint.parent in links:
            ends = np.array([_origin(world[name]) for name in (joint.parent, joint.child)])
            axes.plot(*ends[:, :size].T, color=color, lw=3.0, zorder=4)
    tip = _origin(frame_pose(chaser, q, contact.tool))
    # The last body of an arm reaches to its tool.
    tips = [(frame.body, _origin(world[frame.name])) for frame in chaser.frames]
    for body, end in [*tips, (contact.tool.body, tip)]:
        if body in links and body in _ends(chaser):
            reach = np.array([_origin(world[body]), end])
            axes.plot(*reach[:, :size].T, color=color, lw=3.0, zorder=4)
    for joint in chaser.moving_joints:
        axes.plot(
            *_origin(world[joint.child])[:size, None], "o", color="white", mec=color, mew=1.4,
            ms=5, zorder=5,
        )  # fmt: skip
    axes.plot(*tip[:size, None], "*", color=GREEN, ms=11, mec="white", mew=0.6, zorder=6)
    relative = np.array(
        (contact.grip_velocity.linear - contact.tool_velocity.linear).array(), float
    )
    speed = float(np.linalg.norm(relative))
    if speed > 0:
        long = 0.22 * _span([contact]) / speed
        ends = np.array([tip - long * relative, tip])
        if size == 2:
            axes.annotate(
                "", tip[:2], ends[0, :2], zorder=6,
                arrowprops={"arrowstyle": "-|>", "color": GREEN, "lw": 1.6},
            )  # fmt: skip
        else:
            axes.quiver(*ends[0], *(ends[1] - ends[0]), color=GREEN, lw=1.6, zorder=6)


def _links(system: System) -> set[str]:
    """The bodies that joints of the arms carry."""
    return {joint.child for joint in system.moving_joints}


def _ends(system: System) -> list[str]:
    parents = {joint.parent for joint in system.joints}
    return [body.name for body in system.bodies if body.name not in parents]


def _body(axes: Any, body: Body, pose: np.ndarray, color: str, *, size: int) -> None:
    for visual in body.visuals:
        alpha = 1.0 if is_solid(visual) else 0.5
        for line in _outline(visual):
            in_body = line @ _matrix(visual.placement)[:3, :3].T + _matrix(visual.placement)[:3, 3]
            drawn = in_body @ pose[:3, :3].T + pose[:3, 3]
            if size == 2:
                axes.fill(*drawn[:, :2].T, facecolor=color, alpha=0.10 * alpha, lw=0, zorder=1)
            axes.plot(*drawn[:, :size].T, color=color, lw=1.1, alpha=0.8 * alpha, zorder=2)


def _outline(visual: Visual) -> list[np.ndarray]:
    """Lines that show a shape, in its own frame."""
    turn = np.linspace(0.0, 2.0 * np.pi, 61)
    circle = np.column_stack([np.cos(turn), np.sin(turn), 0.0 * turn])
    if visual.shape == "box":
        corners = 0.5 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)])
        edges = np.array(visual.size, float)
        faces = [np.column_stack([corners, np.full(5, z)]) * edges for z in (-0.5, 0.5)]
        return [*faces, *(np.array([faces[0][k], faces[1][k]]) for k in range(4))]
    if visual.shape == "sphere":
        radius = float(visual.size[0])
        return [radius * circle, radius * circle[:, [0, 2, 1]]]
    if visual.shape == "cylinder":
        radius, length = (float(x) for x in visual.size)
        ends = [radius * circle + [0.0, 0.0, z] for z in (-length / 2, length / 2)]
        return [*ends, *(np.array([ends[0][k], ends[1][k]]) for k in (0, 15, 30, 45))]
    return []


def _same_view(views: list[Any], contacts: list[Contact], planar: bool) -> None:
    """Both pictures show the same piece of the world."""
    points = np.concatenate([_points(contact) for contact in contacts])
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = (low + high) / 2, 0.54 * float((high - low).max())
    for axes in views:
        if planar:
            axes.set_aspect("equal")
            axes.set_xlim(middle[0] - 1.2 * half, middle[0] + 1.2 * half)
            axes.set_ylim(middle[1] - half, middle[1] + half)
            axes.grid(True)
        else:
            for axis, center in zip("xyz", middle, strict=True):
                getattr(axes, f"set_{axis}lim")(center - half, center + half)
                axes.locator_params(axis=axis, nbins=5)
            axes.set_box_aspect((1, 1, 1), zoom=1.12)
            axes.view_init(elev=20, azim=-58)
            axes.set_zlabel("z, m")
        axes.set_xlabel("x, m")
        axes.set_ylabel("y, m")


def _points(contact: Contact) -> np.ndarray:
    """Places that have to be in the picture."""
    found = []
    for system, q in (
        (contact.chaser, contact.chaser_coordinates),
        (contact.target, contact.target_coordinates),
    ):
        world = poses(system, q)
        found += [_origin(pose) for pose in world.values()]
        for visual in system.base.visuals:
            reach = max((float(size) for size in visual.size), default=0.0)
            reach *= 0.5 if visual.shape == "box" else 1.0
            center = _origin(world[system.base.name])
            found += [center + reach * np.array(s) for s in itertools.product((-1, 1), repeat=3)]
    return np.array(found)


def _span(contacts: list[Contact]) -> float:
    points = np.concatenate([_points(contact) for contact in contacts])
    return float((points.max(axis=0) - points.min(axis=0)).max())


def _matrix(pose: Any) -> np.ndarray:
    return np.array(pose.matrix(), float)


def _origin(pose: Any) -> np.ndarray:
    return _matrix(pose)[:3, 3]


# --- numbers --------------------------------------------------------------------------------


def _bars(axes: Any, plan: PercussionPlan) -> None:
    """Reaction impulses of the joints and the base's momentum, side by side."""
    weights = dict(
        zip(
            (*plan.problem.felt_by, "base"),
            plan.planner_settings.of_terms(plan.problem.felt_by),
            strict=False,
        )
    )
    names = [*plan.before.joints, "base"]
    before = [*plan.before.joints.values(), plan.before.base_momentum]
    after = [*plan.after.joints.values(), plan.after.base_momentum]
    if not weights["base"]:
        # What does not count is in the summary; large numbers would hide the others.
        names, before, after = names[:-1], before[:-1], after[:-1]
    place = np.arange(len(names))
    axes.bar(place - 0.2, before, 0.38, color=ORANGE, label="before")
    axes.bar(place + 0.2, after, 0.38, color=BLUE, label="planned")
    labels = [(n if weights[n] else f"({n})").replace("_", "\n") for n in names]
    labels = [figure_text(label) for label in labels]
    axes.set_xticks(place, labels, fontsize=8 if len(names) > 5 else 9.5)
    axes.set_ylabel("impulse, N s")
    axes.grid(True, axis="y")
    rates = f"; the base turns at {plan.before.base_rate:.3g} → {plan.after.base_rate:.3g} rad/s"
    floats = isinstance(plan.problem.contact.chaser.base_joint.motion, (Free, Planar))
    axes.set_title(f"Through the joints{rates if floats else ''}", fontsize=10.0)
    axes.set_ylim(top=1.2 * axes.get_ylim()[1])
    axes.legend(loc="upper left", ncols=2)


def _place(axes: Any, plan: PercussionPlan, columns: int = 2) -> None:
    """Histogram of random reachable configurations with before and after."""
    from matplotlib.ticker import LogLocator, NullFormatter

    costs = plan.sample.costs
    marks = ((plan.before.cost, ORANGE, "before"), (plan.after.cost, BLUE, "planned"))
    positive = [*costs[costs > 0.0].tolist(), *(cost for cost, _, _ in marks if cost > 0.0)]
    axes.set_xscale("log")
    if positive:
        low, high = min(positive), max(positive)
        bins = np.geomspace(0.85 * low, 1.15 * high, 60)
        axes.hist(costs, bins=bins, color=_FAINT, lw=0)
    for cost, color, name in marks:
        if cost > 0.0:
            axes.axvline(
                cost,
                ymax=0.84 if columns > 1 else 0.76,
                color=color,
                lw=2.2,
                label=f"{name} {cost:.4g} N s",
            )
    better = int(np.sum(costs < plan.after.cost))
    axes.set_title(f"Better than planned: {better} of {costs.size} random choices", fontsize=10.0)
    axes.set_xlabel("objective, N s")
    axes.set_ylabel("random configurations")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    # Room for the legend above the lines.
    axes.set_ylim(top=(1.24 if columns > 1 else 1.4) * axes.get_ylim()[1])
    if axes.get_legend_handles_labels()[0]:  # costs of zero have no place on the axis
        axes.legend(loc="upper left", ncols=columns, fontsize=9, borderaxespad=0.0)
