"""How many cases are computed at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import percuss.kernel as kernel
from percuss.scenario import Scenario


@dataclass(frozen=True)
class Machine:
    """Integration method, back end and threads of an ensemble."""

    method: kernel.RK4 | kernel.Adaptive
    backend: str = "auto"
    threads: int | None = None
    reactions: bool = False
    """Whether the forces through the joints are looked at, too."""
    settling: bool = False
    """Whether it is found out when the motion after a grasp has come to rest."""

    def compiled(self, function: Callable[..., Any], *like: Any) -> kernel.Kernel:
        """A function of one case as one of many."""
        return kernel.compile(function, *like, backend=self.backend, threads=self.threads)


def method_of(scenario: Scenario) -> kernel.RK4 | kernel.Adaptive:
    """How a scenario asks to be integrated: fixed steps, or error control to its tolerance."""
    spec = scenario.integration
    if spec.method == "rk4":
        assert spec.step is not None
        return kernel.RK4(spec.step)
    relative = 1e-10 if spec.relative_tolerance is None else spec.relative_tolerance
    return kernel.Adaptive(relative, 1e-2 * relative)
