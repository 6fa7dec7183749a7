"""The lecture's arm, its terms as printed and as derived, and what one of them does."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.dynamics import coriolis_forces, gravity_forces, mass_matrix
from percuss.sources.figure import Figure
from percuss.sources.lecture.arm import SAMPLE
from percuss.sources.lecture.swing import printed_surplus, swing
from percuss.sources.style import BLUE, GREEN, GREY, ORANGE, new_figure, plain

_PRINTED = {"color": ORANGE, "linewidth": 1.8, "linestyle": (0, (4, 2)), "label": "as printed"}
_DERIVED = {"color": BLUE, "linewidth": 2.2, "label": "percuss"}


def two_links() -> Any:
    """Figure 1: the arm with its angles, lengths, masses and torques."""
    figure = new_figure(7.2, 4.6)
    axes = figure.subplots()
    axes.set_aspect("equal")
    axes.axis("off")
    q1, q2 = 0.55, 0.75
    joint, length = np.zeros(2), 2.0
    elbow = joint + length * np.array([np.cos(q1), np.sin(q1)])
    tip = elbow + length * np.array([np.cos(q1 + q2), np.sin(q1 + q2)])
    beyond = elbow + 1.0 * np.array([np.cos(q1), np.sin(q1)])
    axes.plot([-0.4, 1.5], [0, 0], color=GREY, linewidth=1.0, linestyle=":")
    axes.plot(*np.array([elbow, beyond]).T, color=GREY, linewidth=1.0, linestyle=":")
    axes.plot(*np.array([joint, elbow, tip]).T, color=BLUE, linewidth=7, solid_capstyle="round")
    axes.plot(
        *np.array([joint, elbow]).T, "o", color="black", markerfacecolor="white", markersize=11
    )
    for center, name, aside in (
        ((joint + elbow) / 2, r"$m_1,\ I_1$", (-0.42, 0.26)),
        ((elbow + tip) / 2, r"$m_2,\ I_2$", (-0.52, 0.12)),
    ):
        axes.plot(*center, "o", color="black", markersize=5, zorder=5)
        axes.annotate(name, center + aside, fontsize=13, ha="center")
    _arc(axes, joint, 1.0, 0.0, end=q1, name=r"$\theta_1$")
    _arc(axes, elbow, 0.75, q1, end=q1 + q2, name=r"$\theta_2$")
    axes.annotate("$l$", joint + 0.82 * (elbow - joint) + np.array([0.08, -0.22]), fontsize=13)
    axes.annotate("$l$", elbow + 0.8 * (tip - elbow) + np.array([0.12, -0.04]), fontsize=13)
    axes.annotate(r"$\tau_1$", (-0.35, 0.12), fontsize=13)
    axes.annotate(r"$\tau_2$", (elbow[0] - 0.1, elbow[1] + 0.24), fontsize=13, ha="right")
    axes.annotate(
        "",
        xy=(3.6, 0.5),
        xytext=(3.6, 1.4),
        arrowprops={"arrowstyle": "-|>", "color": "black", "linewidth": 1.6},
    )
    axes.annotate("$g$", (3.7, 0.95), fontsize=13)
    axes.set_xlim(-0.7, 4.0)
    axes.set_ylim(-0.35, 3.2)
    return figure


def terms_over_angles() -> Any:
    """M, h2 and the gravity torque: as printed dashed, derived solid."""
    figure = new_figure(10.5, 4.2)
    inertia, centrifugal, weight = figure.subplots(1, 3)
    angle = np.linspace(-np.pi, np.pi, 181)
    arm, p, degrees = SAMPLE.system, SAMPLE, np.degrees(angle)
    turned = np.array([np.zeros_like(angle), angle])
    M = np.asarray(mass_matrix(arm, turned), float)
    I1, I2 = p.m1 * p.length**2 / 3, p.m2 * p.length**2 / 3
    printed = (
        I1 + I2 + p.m2 * p.length**2 + 2 * p.c2 * p.length * np.cos(angle[::12]),
        I2 + p.c2 * p.length * np.cos(angle[::12]),
        np.full_like(angle[::12], I2),
    )
    entries = (M[0, 0], M[0, 1], np.broadcast_to(M[1, 1], angle.shape))
    for k, (color, name) in enumerate(zip((BLUE, GREEN, GREY), ("11", "12", "22"), strict=True)):
        inertia.plot(degrees, entries[k], color=color, linewidth=2.0, label=f"$M_{{{name}}}$")
        inertia.plot(degrees[::12], printed[k], ".", color="black", markersize=5, zorder=5)
    inertia.plot([], [], ".", color="black", markersize=5, label="as printed")
    inertia.set_title("inertia, kg m²", fontsize=11, loc="left")
    inertia.legend(frameon=False, fontsize=9, loc="center", bbox_to_anchor=(0.5, 0.6))
    rates = np.array([np.ones_like(angle), np.zeros_like(angle)])
    h = np.asarray(coriolis_forces(arm, turned, rates), float)[1]
    centrifugal.plot(degrees, h, **_DERIVED)
    centrifugal.plot(degrees, h + printed_surplus(turned, rates)[1], **_PRINTED)
    centrifugal.set_title("$h_2$ at $\\dot\\theta_1$ = 1 rad/s, N m", fontsize=11, loc="left")
    straight = np.array([angle, np.zeros_like(angle)])
    held = np.asarray(gravity_forces(arm, straight), float)[0]
    lever = p.length * np.cos(angle)
    weight.plot(degrees, held, **_DERIVED)
    weight.plot(degrees, p.g * lever * (p.m1 / 2 + 1.5 * p.m1), **_PRINTED)
    weight.set_title("∂V/∂θ₁, arm stretched, N m", fontsize=11, loc="left")
    for axes, name in ((inertia, 2), (centrifugal, 2), (weight, 1)):
        plain(axes)
        axes.set_xticks(range(-180, 181, 90))
        axes.set_xlabel(f"θ{name}, degrees")
    centrifugal.legend(frameon=False, fontsize=9)
    # Below both peaks, between the flanks, no curve is near.
    weight.legend(frameon=False, fontsize=9, loc="lower center")
    return figure


def energy_of_a_swing() -> Any:
    """Energy of the falling arm, with h2 right and as printed."""
    figure = new_figure(8.4, 4.4)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1.0, 1.0))
    for as_printed, style in ((False, _DERIVED), (True, _PRINTED)):
        found = swing(as_printed)
        above.plot(found.t, np.degrees(found.q[1]), **style)
        below.plot(found.t, found.gain, **style)
    for axes in (above, below):
        plain(axes)
        axes.axhline(0.0, color="black", linewidth=0.7)
    above.set_ylabel("θ2, degrees")
    below.set_ylabel("energy gained, J")
    below.set_xlabel("time, s")
    below.set_xlim(0.0, swing(False).t[-1])
    figure.legend(
        *below.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False
    )
    return figure


def _arc(
    axes: Any, center: np.ndarray, radius: float, start: float, *, end: float, name: str
) -> None:
    angle = np.linspace(start, end, 40)
    axes.plot(
        center[0] + radius * np.cos(angle),
        center[1] + radius * np.sin(angle),
        color="black",
        linewidth=1.0,
    )
    middle = 0.5 * (start + end)
    place = center + (radius + 0.16) * np.array([np.cos(middle), np.sin(middle)])
    axes.annotate(name, place, fontsize=13, va="center")


FIGURES = (
    Figure(
        "figure-1",
        "Figure 1. The two-link manipulator: both links of length l, centres of mass at mid-link, "
        "I1 and I2 about the joints.",
        two_links,
    ),
    Figure(
        "terms",
        f"Terms over a joint angle, for rods of {SAMPLE.m1:g} and {SAMPLE.m2:g} kg, "
        f"{SAMPLE.length:g} m long. Left: the mass matrix (kg m²) is as printed. Middle: h2 (N m) "
        "with θ2 for sin θ2 is right only near zero. Right: the torque (N m) that holds the "
        "stretched arm, from V with m1 for m2 as printed in V2.",
        terms_over_angles,
    ),
    Figure(
        "energy",
        "The arm falls from rest without torques. With the derived equations its energy stays, to "
        "integration error; with h2 as printed it makes energy out of nothing. Above: the elbow's "
        "angle (degrees); below: kinetic plus potential energy since the start (J).",
        energy_of_a_swing,
    ),
)
