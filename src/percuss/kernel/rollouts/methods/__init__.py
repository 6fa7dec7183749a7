"""Methods of integration: how one step of a rollout is made, judged and followed by the next.

All of them work on a flat vector z whose first entries are the state and whose last are integrals
(running statistics). Quaternions are four consecutive entries of the state.
"""

from percuss.kernel.rollouts.methods.dop853 import Dop853
from percuss.kernel.rollouts.methods.dormand_prince import Adaptive
from percuss.kernel.rollouts.methods.error_controlled import ErrorControlled
from percuss.kernel.rollouts.methods.rk4 import RK4
from percuss.kernel.rollouts.methods.rosenbrock import Rosenbrock

Method = RK4 | ErrorControlled
"""Fixed steps, or steps chosen from an error estimate."""

__all__ = ["RK4", "Adaptive", "Dop853", "ErrorControlled", "Method", "Rosenbrock"]
