"""All errors of chapters 2–4, in the order of the thesis."""

from __future__ import annotations

from percuss.sources.thesis import (
    classic_errata,
    control_errata,
    dynamics_errata,
    impact_errata,
    kinematics_errata,
)
from percuss.sources.thesis.evidence import Finding

ERRATA = (
    *kinematics_errata.ERRATA,
    *classic_errata.ERRATA,
    *dynamics_errata.ERRATA,
    *impact_errata.ERRATA,
    *control_errata.ERRATA,
)


def findings() -> tuple[Finding, ...]:
    """Every erratum with its numbers, computed now."""
    return tuple(erratum.found() for erratum in ERRATA)
