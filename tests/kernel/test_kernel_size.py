"""What a kernel computes at several places is in it once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmarks.motion import motion

import percuss
from percuss import kernel
from percuss.kernel.backends.cuda_text import text_of_iteration
from percuss.kernel.iteration import Iteration
from percuss.kernel.tracing.closures import Repeated
from percuss.kernel.tracing.function import trace

ARM = percuss.robot("demo-7")
SIZE = ARM.coordinate_count + ARM.rate_count
FAR = 2.0
"""Of the accelerations' sum, where an event happens."""


def accelerations(t: Any, x: Any, u: Any, p: Any) -> Any:
    """A statistic as long as the equations themselves."""
    return motion(ARM)(t, x, u, p)[ARM.coordinate_count :]


def sum_of_accelerations(t: Any, x: Any, u: Any, p: Any) -> Any:
    return np.sum(accelerations(t, x, u, p)) - FAR


@pytest.fixture(scope="module")
def iteration() -> Iteration:
    """Free motion with a statistic and an event that both take the equations of motion."""
    run = kernel.rollout(
        motion(ARM),
        state=np.zeros(SIZE),
        method=kernel.Dop853(1e-10, 1e-12),
        quaternions=[slice(3, 7)],
        statistics={"accelerations": kernel.Maximum(accelerations)},
        events=[kernel.Event(value=sum_of_accelerations, terminal=True)],
    )
    return run.iteration


def test_a_record_calls_the_parts_of_its_step(iteration: Iteration) -> None:
    large = [part for part in iteration.observe.parts if len(part.instructions) > 500]
    assert large
    assert {*large} <= {*iteration.step.parts}


def test_long_functions_are_in_a_kernel_once(iteration: Iteration) -> None:
    """The rates, the statistic, the event's value, and the same with two derivatives."""
    size = kernel.trace(lambda x: accelerations(0.0, x, None, None), np.zeros(SIZE)).program.size
    long = [part for part in iteration.step.parts if len(part.instructions) > 0.8 * size]
    assert len(long) == 4
    programs = iteration.step, *iteration.step.parts
    called = {i.part for program in programs for i in program.instructions if i.operation == "call"}
    assert text_of_iteration(iteration).count("define internal void @part") == len(called)


def test_rounds_that_are_long_together_are_called() -> None:
    def repeated(times: int) -> Any:
        def function(x: Any, y: Any) -> Any:
            step = Repeated(lambda x: np.sin(x) * y + x * y, times)
            for _ in range(times):
                x = step(x)
            return x

        return trace(function, 0.0, 0.0).program

    assert repeated(3).parts == ()
    (part,) = repeated(200).parts
    assert part.operation_count == 4
