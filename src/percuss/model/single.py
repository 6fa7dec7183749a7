"""A single body as a system: a target."""

from __future__ import annotations

from collections.abc import Sequence

from percuss.model.bodies import Body
from percuss.model.joints import Free, Planar
from percuss.model.systems import WORLD, Frame, Joint, System


def free_body(
    body: Body, *, planar: bool = False, frames: Sequence[Frame] = (), source: str = ""
) -> System:
    """A body on its own, floating freely, in the plane if `planar`; its joint is "base"."""
    joint = Joint("base", Planar() if planar else Free(), WORLD, body.name)
    return System(body.name, (body,), (joint,), tuple(frames), source=source)
