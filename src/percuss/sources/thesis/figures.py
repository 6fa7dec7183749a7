"""The figures of chapter 4, by file name."""

from __future__ import annotations

from functools import partial

from percuss.sources.figure import Figure
from percuss.sources.thesis.balance_figure import where_the_momentum_went
from percuss.sources.thesis.cases import DAMPING
from percuss.sources.thesis.curves import coordinates
from percuss.sources.thesis.drawing import initial_and_final

_FREE = (
    "Published motion differs from both right ones within a second.",
    "The three closures coincide: this simulation cannot tell them apart.",
)
_HELD = (
    "Every closure follows the same error equation from its own ṗ_f, so this figure looks right "
    "for each; on a pin the object keeps turning.",
    "The three closures coincide.",
)
_SWUNG = (
    f"The appendix; the thesis does not give ξ, here it is {DAMPING['underdamped']:g}.",
    "The same; the three closures coincide.",
)

FIGURES = (
    Figure(
        "momentum",
        "Simulation 1. Hatched: gone at the impact. The published closure loses momentum there and "
        "lets the rest drift; pin and weld keep it. Energy falls for each, as it should in a "
        "plastic impact, and then stays: it does not give the error away.",
        where_the_momentum_went,
    ),
    Figure(
        "figure-4-1",
        "Figure 4.1, to scale: base, arms, object, with the object's and the base's x axes. "
        "Dotted: the path of the contact point.",
        initial_and_final,
    ),
    *(
        Figure(f"figure-{name.replace('.', '-')}", f"Figure {name}. {caption}", draw)
        for name, caption, draw in (
            ("4.2", _FREE[0], partial(coordinates, 1, "free", "Figure 4.2")),
            ("4.3", _FREE[1], partial(coordinates, 2, "free", "Figure 4.3")),
            ("4.5", _HELD[0], partial(coordinates, 1, "controlled", "Figure 4.5")),
            ("4.6", _HELD[1], partial(coordinates, 2, "controlled", "Figure 4.6")),
        )
    ),
    *(
        Figure(f"appendix-{k}", caption, partial(coordinates, k, "underdamped", "Appendix"))
        for k, caption in zip((1, 2), _SWUNG, strict=True)
    ),
)
