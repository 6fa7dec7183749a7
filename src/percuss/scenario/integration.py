"""How the motion is integrated, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from percuss.encounter import method as methods
from percuss.encounter.errors import Path
from percuss.scenario.block import Block, Time, ValueBlock
from percuss.scenario.errors import Problem
from percuss.scenario.fields import Choice, Count, Quantity, plain

METHODS = ("auto", "dop853", "rosenbrock", "dormand-prince", "rk4")
MOST_FIXED_STEPS = 100_000_000


class IntegrationBlock(ValueBlock):
    """How the motion is integrated."""

    method: Annotated[str, Choice(METHODS)] = Field(
        default="auto",
        description="`auto` is `dop853`, or `rosenbrock` where the motion turns out to be stiff, "
        "which is said; `dormand-prince` for laws that are sampled. `rk4` keeps its step.",
    )
    step: Time | None = Field(default=None, description="Of `rk4`, which needs it.")
    relative_tolerance: Annotated[float, Quantity("", least=1e-14, most=0.1)] | None = Field(
        default=None, description="Of the adaptive methods; default 1e-10."
    )
    most_steps: Annotated[int, Count(1, 100_000_000)] = Field(
        default=methods.MOST_STEPS,
        description="Steps of a motion at most: it is given up there, or where far more are "
        "foreseen; refused ones count. Of other methods than `dop853`, whose steps are recorded, "
        "5 (`rosenbrock`), 40 (`dormand-prince`, and `dop853` in batches) or 200 (`rk4`) count "
        "as one.",
    )

    def value(self) -> methods.Integration:
        automatic, tolerance = self.method == "auto", self.relative_tolerance
        return methods.Integration(
            method="dop853" if automatic else self.method,
            relative_tolerance=1e-10 if tolerance is None else float(tolerance),
            step=plain(self.step),
            most_steps=self.most_steps,
            automatic=automatic,
        )

    def rules(self, at: Path, duration: float) -> Iterator[Problem]:
        """A step for fixed steps, a tolerance for adaptive ones."""
        step, tolerance = self.step, self.relative_tolerance
        if self.method != "rk4":
            if step is not None:
                message = f"is for method rk4, not for {self.method}, got {step:g} s"
                yield Problem((*at, "step"), message)
            return
        if step is None:
            yield Problem((*at, "step"), "is missing: method rk4 needs a step in s, such as 1 ms")
        elif step > duration or duration / step > MOST_FIXED_STEPS:
            allowed = f"from {duration / MOST_FIXED_STEPS:g} s to the duration"
            yield Problem((*at, "step"), f"must be {allowed}, {duration:g} s, got {step:g}")
        if tolerance is not None:
            message = "is for methods that adapt their step, not for rk4"
            yield Problem((*at, "relative-tolerance"), f"{message}, got {tolerance:g}")


class OutputBlock(Block):
    """What is kept of the motion."""

    samples: Annotated[int, Count(2, 1_000_000)] = Field(
        default=501, description="Equally spaced times that are kept."
    )
