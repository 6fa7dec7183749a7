"""Figures 4–6 and 9–12 of the paper, and what a fixed axis would have said."""

from __future__ import annotations

from percuss.report.percussion_figures import feasible_figure, slope_figure
from percuss.sources.centre_of_percussion import compensation_figures, drawings, pulse_figures
from percuss.sources.centre_of_percussion.paper import TABLE_1
from percuss.sources.figure import Figure

CHARTS = (
    Figure(
        "figure-4",
        "Figure 4. Change of the reaction per impulse with the impact angle (left, for several "
        "C_ID) and with C_ID (right, for several angles). At the centre of percussion both slopes "
        "are 1, on either side: neither error costs more.",
        slope_figure,
    ),
    Figure(
        "figure-5",
        "Figure 5. Impacts that keep the reaction below 0.2, 0.4, 0.6 and 0.8 of the impulse, by "
        "(39) with its sign corrected. On the right the place on link 2 of Table 1.",
        lambda: feasible_figure(body=TABLE_1.link2.body),
    ),
    Figure(
        "figure-6",
        "Figure 6. Reaction over C_ID at constant angles, with the example of section 3.3: at most "
        "0.4, at least 70°. Crosses: where the paper puts B and C. They are below the curve of "
        "70°: such an impact breaks the limit.",
        drawings.design,
    ),
)

FREE_JOINTS = (
    Figure(
        "figure-9",
        "Figure 9. The planar space robot of Table 1 as it is struck: squares are centres of mass, "
        "diamonds centres of percussion, each link's for its own joint.",
        drawings.robot,
    ),
    Figure(
        "figure-10a",
        "Figure 10a. Reaction at joint 2 in the axes of link 2 for 1 kN over 10 ms, normal to the "
        "link, at six places (scales differ). At the centre of percussion it is zero at onset and "
        "stays below 4 N.",
        pulse_figures.by_place,
    ),
    Figure(
        "figure-10b",
        "Figure 10b. The same at the centre of percussion under several angles (scales differ). A "
        "fixed axis would feel cos φ of the force along the link, 500 N at 60°; link 1 gives way, "
        "and 115 N remain.",
        pulse_figures.by_angle,
    ),
    Figure(
        "figure-10c",
        "Figure 10c. Reaction at joint 1 in the axes of link 1, joint 2 moved to the centre of "
        "percussion of link 1. It is zero at onset under every angle, not only at 90°, and within "
        "the pulse about 1 N of 1 kN.",
        pulse_figures.by_angle_joint_moved,
    ),
    Figure(
        "fixed-and-free",
        "Reaction at joint 2 at onset, over the place (left) and the angle at the centre of "
        "percussion (right): (7), which takes the joint as fixed in space, and the floating robot. "
        "Points: the simulated pulses.",
        pulse_figures.fixed_and_free,
    ),
)

COMPENSATION = (
    Figure(
        "figure-11a",
        "Figure 11a. Size of the reactions for 100 N over 0.1 s at the tip of link 2, with free "
        "joints and with IC², with and without the torque of the base.",
        compensation_figures.reactions,
    ),
    Figure(
        "figure-11b",
        "Figure 11b. The torques that IC² needs for it: 28.33 N m on both joints and the base at "
        "onset. Joint 1 and base have the same.",
        compensation_figures.torques,
    ),
    Figure(
        "figure-12",
        "Figure 12. Torques of IC² for blows at several places. They change sign at the centre of "
        "percussion of link 2; there joint 2 gives nothing, and joint 1 only what the beginning "
        "rotation asks for. The paper has them clockwise beyond it: its force then points the "
        "other way.",
        compensation_figures.torques_by_place,
    ),
)

FIGURES = (*CHARTS, *FREE_JOINTS, *COMPENSATION)
