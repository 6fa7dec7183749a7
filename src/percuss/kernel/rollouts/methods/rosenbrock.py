"""Rodas5P, a Rosenbrock method of order 5(4) for stiff equations.

G. Steinebach, "Construction of Rosenbrock–Wanner method Rodas5P and numerical benchmarks within
the Julia Differential Equations package", BIT Numerical Mathematics 63:27 (2023). The numbers below
are those for implementation without products of matrices and vectors (E. Hairer, G. Wanner, Solving
Ordinary Differential Equations II, section IV.7, equations (7.25)–(7.26)): with γ, a and c as below
the increments u solve

    (1 - hγJ)·u_i = hγ·f(t + α_i·h, z + Σ a_ij u_j) + γ·Σ c_ij u_j + γγ_i·h²·∂f/∂t.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, ClassVar

from percuss.kernel.rollouts.methods.control import StepControl
from percuss.kernel.rollouts.methods.dense import Powers, expanded, weighted
from percuss.kernel.rollouts.methods.error_controlled import ErrorControlled
from percuss.kernel.rollouts.methods.trial import StepEquation, Trial

Array = Any

GAMMA = 0.21193756319429014
NODES = (0.0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664)
"""α of the first five stages; those of the last three are 1."""
TIME_WEIGHTS = (
    0.21193756319429014,
    -0.42387512638858027,
    -0.3384627126235924,
    1.8046452872882734,
    2.325825639765069,
)
"""γ_i of the first five stages; those of the last three are 0."""
INCREMENTS: tuple[tuple[float, ...], ...] = (
    (),
    (3.0,),
    (2.849394379747939, 0.45842242204463923),
    (-6.954028509809101, 2.489845061869568, -10.358996098473584),
    (2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641),
    (
        -7.502846399306121,
        2.561846144803919,
        -11.627539656261098,
        -0.18268767659942256,
        0.030198172008377946,
    ),
)
"""a of the first six stages; each later one begins where the one before ended."""
COUPLINGS: tuple[tuple[float, ...], ...] = (
    (),
    (-14.155112264123755,),
    (-17.97296035885952, -2.859693295451294),
    (147.12150275711716, -1.41221402718213, 71.68940251302358),
    (165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306),
    (
        24.854864614690072,
        -3.0009227002832186,
        47.4931110020768,
        5.5814197821558125,
        -0.6610691825249471,
    ),
    (
        30.91273214028599,
        -3.1208243349937974,
        77.79954646070892,
        34.28646028294783,
        -19.097331116725623,
        -28.087943162872662,
    ),
    (
        37.80277123390563,
        -3.2571969029072276,
        112.26918849496327,
        66.9347231244047,
        -40.06618937091002,
        -54.66780262877968,
        -9.48861652309627,
    ),
)
"""c of the eight stages."""
INTERPOLATION = (
    (
        25.948786856663858,
        -2.5579724845846235,
        10.433815404888879,
        -2.3679251022685204,
        0.524948541321073,
        1.1241088310450404,
        0.4272876194431874,
        -0.17202221070155493,
    ),
    (
        -9.91568850695171,
        -0.9689944594115154,
        3.0438037242978453,
        -24.495224566215796,
        20.176138334709044,
        15.98066361424651,
        -6.789040303419874,
        -6.710236069923372,
    ),
    (
        11.419903575922262,
        2.8879645146136994,
        72.92137995996029,
        80.12511834622643,
        -52.072871366152654,
        -59.78993625266729,
        -0.15582684282751913,
        4.883087185713722,
    ),
)
"""Weights of the increments in d_0, d_1, d_2 of the continuous extension
z + θ·(change + (1 - θ)·(d_0 + θ·(d_1 + θ·d_2)))."""


@dataclass(frozen=True)
class Rosenbrock(ErrorControlled):
    """Rodas5P 5(4): for stiff equations, L-stable, with dense output of order 4.

    Steps follow what the solution does, not its fastest rate of decay: joint friction smoothed
    over small speeds, stiff contact, fast damped modes. Each step costs the Jacobian of the rates,
    exact, from the program of f itself; one elimination (see `Elimination`); and eight evaluations
    with eight solutions. Where nothing is stiff the explicit methods are cheaper.

    The fields are those of every method with error control: `ErrorControlled`.
    """

    control: ClassVar[StepControl] = StepControl(proportional=0.17, integral=0.04, longest=5.0)
    degree: ClassVar[int] = 4

    def trial(self, motion: StepEquation, t: Array, z: Array, h: Array, *, k1: Array) -> Trial:
        """One step with its error estimate; seven evaluations after k1 and one at the end."""
        near = motion.linearised(t, z)
        g = GAMMA * h
        solve = near.solver(g)
        along: list[Array] = []
        place = z
        for stage, couplings in enumerate(COUPLINGS):
            early = stage < len(NODES)
            if 0 < stage < len(INCREMENTS):
                place = z + weighted(INCREMENTS[stage], along)
            elif stage:
                place = place + along[-1]
            time = t + NODES[stage] * h if early else t + h
            right = g * (motion.rates(time, place) if stage else k1)
            if couplings:
                right = right + weighted([GAMMA * c for c in couplings], along)
            if early:
                right = near.moved(right, (TIME_WEIGHTS[stage] * h) * g)
            along.append(solve(right))
        after = place + along[-1]

        @functools.cache
        def powers() -> Powers:
            bows = [weighted(row, along) for row in INTERPOLATION]
            return expanded([after - z, *bows], ("θ", "1-θ", "θ", "θ"))

        return Trial(
            start=z,
            z=after,
            rates=motion.rates(t + h, after),
            error=lambda sizes: sizes(along[-1])[0],
            powers=powers,
        )
