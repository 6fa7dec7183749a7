"""Which forward model an identification takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from percuss.encounter.closures import Bounce
from percuss.identification.data.channels import Channel
from percuss.identification.forward.engine_model import EngineModel
from percuss.identification.forward.impact_motion import CLOSURES
from percuss.identification.forward.known import Described, KnownEncounter
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.options import DEFAULT
from percuss.identification.options.records import IntegrationOptions

Model = ForwardModel | EngineModel
"""θ → measured values and their derivatives."""


def model_for(
    encounter: Described | KnownEncounter,
    unknowns: Unknowns,
    channels: Iterable[Channel | str],
    times: Any,
    *,
    delays: Mapping[str, float] | None = None,
    markers: Mapping[str, Any] | None = None,
    options: IntegrationOptions = DEFAULT.integration,
) -> Model:
    """Steps of one length for one impact and one motion, else all phases of the encounter, which
    has options of its own for its steps."""
    if needs_engine(unknowns):
        return EngineModel(encounter, unknowns, channels, times, delays=delays, markers=markers)
    return ForwardModel(
        encounter, unknowns, channels, times, delays=delays, markers=markers, options=options
    )


def asked_otherwise(model: Model, unknowns: Unknowns) -> Model:
    """What the same sensors show at the same times, as a function of other unknowns.

    Biases that are known are not added.
    """
    return model_for(
        unknowns.encounter,
        unknowns,
        model.channels,
        model.times,
        delays=model.delays,
        markers={name: list(at) for name, at in model.markers.items()},
        options=model.options if isinstance(model, ForwardModel) else DEFAULT.integration,
    )


def needs_engine(unknowns: Unknowns) -> bool:
    """Whether contact takes time, or comes again and again."""
    closure = unknowns.encounter.closure
    again = isinstance(closure, Bounce) and closure.repeat is not None
    return again or closure.name not in CLOSURES
