"""The No-U-Turn sampler (Hoffman & Gelman 2014; multinomial, Betancourt 2017) on many chains.

Every chain is a generator that yields the place it wants the potential at. The places of all
chains are evaluated together, as one batch, and no chain waits for the longest path of another.
Masses are one: the caller whitens.

The gradient need not be that of the potential: steps by any function of the place can be undone and
keep volumes, and points of a path are chosen by their true energy. So draws are of exp(-potential)
whatever is followed; what follows it better gets farther.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from percuss.identification.options import DEFAULT
from percuss.identification.options.reporting import PosteriorOptions

Array = NDArray[np.float64]

Potential = Callable[[Array], tuple[Array, Array]]
"""z (n, batch) → -log density (batch,), infinite where there is none, and what paths
follow (n, batch): its gradient, or what is close to that."""


@dataclass(frozen=True)
class Draws:
    """What was drawn: z (chains, draws, n), steps that diverged, and the step's length."""

    z: Array
    divergences: int
    step: float


@dataclass(frozen=True)
class _State:
    """A point of a path: place, momentum, potential and its gradient."""

    z: Array
    p: Array
    potential: float
    gradient: Array

    @property
    def energy(self) -> float:
        return self.potential + 0.5 * float(self.p @ self.p)


@dataclass(frozen=True)
class _NutsTree:
    """A part of a path, from its first point (nearest to the start) to its last.

    `momentum` is the sum of all momenta, `weight` the logarithm of the sum of exp(-energy).
    """

    first: _State
    last: _State
    chosen: _State
    momentum: Array
    weight: float
    sound: bool
    diverged: bool
    acceptance: float
    count: int


@dataclass
class _NutsStep:
    """Stochastic approximation of the step's length, shared by all chains.

    Whitened, the length is near one from the beginning: every path moves its logarithm a little,
    less and less. `settled` is the mean of what it came to, early paths forgotten.
    """

    length: float = 0.9
    count: int = 0
    mean: float = math.log(0.9)
    target: float = DEFAULT.posterior.acceptance
    careful: float = DEFAULT.posterior.careful_acceptance

    def learn(self, acceptance: float, diverged: bool) -> None:
        self.count += 1
        if diverged:
            self.target = self.careful
        gain = 0.5 / (1.0 + self.count / 20.0) ** 0.7
        log = math.log(self.length) + gain * (acceptance - self.target)
        self.length = math.exp(log)
        self.mean += (log - self.mean) * min(1.0, 3.0 / (self.count + 2.0))

    @property
    def settled(self) -> float:
        return math.exp(self.mean)


Evaluated = tuple[float, Array]
Path = Generator[Array, Evaluated, _NutsTree]


def sample(
    potential: Potential,
    begin: Array,
    draws: int,
    warmup: int,
    *,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    options: PosteriorOptions = DEFAULT.posterior,
) -> Draws:
    """Draws of chains that begin at the columns of `begin` (n, chains).

    Args:
        draws: of each chain, after `warmup` steps in which the step's length is found.
        progress: takes the share of the work done, from 0 to 1.
    """
    count, chains = begin.shape
    step = _NutsStep(target=options.acceptance, careful=options.careful_acceptance)
    kept = np.zeros((chains, draws, count))
    streams = np.random.SeedSequence(seed).spawn(chains)
    done = [0] * chains

    def chain(k: int) -> Generator[Array, Evaluated, int]:
        random = np.random.default_rng(streams[k])
        value, gradient = yield begin[:, k]
        at = _State(begin[:, k], np.zeros(count), value, gradient)
        diverged = 0
        for turn in range(warmup + draws):
            length = step.length if turn < warmup else step.settled
            path = yield from _path(at, length, random, options)
            at = path.chosen
            if turn < warmup:
                step.learn(path.acceptance / path.count, path.diverged)
            else:
                kept[k, turn - warmup] = at.z
                diverged += path.diverged
            done[k] = turn + 1
        return diverged

    running = {k: chain(k) for k in range(chains)}
    asked = {k: next(running[k]) for k in running}
    divergences = 0
    while asked:
        order = list(asked)
        values, gradients = potential(np.stack([asked[k] for k in order], axis=1))
        for place, k in enumerate(order):
            try:
                asked[k] = running[k].send((float(values[place]), gradients[:, place]))
            except StopIteration as end:
                divergences += int(end.value)
                del asked[k]
        if progress is not None:
            progress(sum(done) / (chains * (warmup + draws)))
    return Draws(kept, divergences, step.settled)


def _path(
    at: _State, length: float, random: np.random.Generator, options: PosteriorOptions
) -> Path:
    """One step of a chain: a path that doubles, forwards or backwards, until it turns back."""
    start = _State(at.z, random.standard_normal(len(at.z)), at.potential, at.gradient)
    energy = start.energy
    back = ahead = start
    chosen, weight, momentum = start, 0.0, start.p
    acceptance, count, diverged = 0.0, 0, False
    for depth in range(options.depth):
        forwards = bool(random.random() < 0.5)
        signed = length if forwards else -length
        tree = yield from _grown(
            ahead if forwards else back, signed, depth, energy, most=options.diverged, random=random
        )
        acceptance, count = acceptance + tree.acceptance, count + tree.count
        if not tree.sound:
            diverged = tree.diverged
            break
        if math.log(max(random.random(), 1e-300)) < tree.weight - weight:
            chosen = tree.chosen
        # The new part and the old one must not turn back on each other either.
        old = momentum
        inner, outer = (ahead if forwards else back), tree.first
        far = back if forwards else ahead
        momentum, weight = old + tree.momentum, float(np.logaddexp(weight, tree.weight))
        if forwards:
            ahead = tree.last
        else:
            back = tree.last
        if (
            _turned(momentum, far.p, tree.last.p)
            or _turned(old + outer.p, far.p, outer.p)
            or _turned(tree.momentum + inner.p, inner.p, tree.last.p)
        ):
            break
    return _NutsTree(
        first=back,
        last=ahead,
        chosen=chosen,
        momentum=momentum,
        weight=weight,
        sound=True,
        diverged=diverged,
        acceptance=acceptance,
        count=count,
    )


def _grown(
    at: _State,
    length: float,
    depth: int,
    energy: float,
    *,
    most: float,
    random: np.random.Generator,
) -> Path:
    """2^depth leapfrog steps on from a point; not sound where they turn back or diverge.

    They diverge where they gain more than `most` of the `energy` that the path began with.
    """
    if depth == 0:
        half = at.p - 0.5 * length * at.gradient
        z = at.z + length * half
        value, gradient = yield z
        state = _State(z, half - 0.5 * length * gradient, value, gradient)
        gain = state.energy - energy
        gain = gain if math.isfinite(gain) else math.inf
        accepted = math.exp(min(0.0, -gain))
        lost = gain > most
        return _NutsTree(
            first=state,
            last=state,
            chosen=state,
            momentum=state.p,
            weight=-gain,
            sound=not lost,
            diverged=lost,
            acceptance=accepted,
            count=1,
        )
    one = yield from _grown(at, length, depth - 1, energy, most=most, random=random)
    if not one.sound:
        return one
    two = yield from _grown(one.last, length, depth - 1, energy, most=most, random=random)
    weight = float(np.logaddexp(one.weight, two.weight))
    second = math.log(max(random.random(), 1e-300)) < two.weight - weight
    momentum = one.momentum + two.momentum
    turned = (
        _turned(momentum, one.first.p, two.last.p)
        or _turned(one.momentum + two.first.p, one.first.p, two.first.p)
        or _turned(two.momentum + one.last.p, one.last.p, two.last.p)
    )
    return _NutsTree(
        first=one.first,
        last=two.last,
        chosen=two.chosen if second else one.chosen,
        momentum=momentum,
        weight=weight,
        sound=two.sound and not turned,
        diverged=two.diverged,
        acceptance=one.acceptance + two.acceptance,
        count=one.count + two.count,
    )


def _turned(momentum: Array, first: Array, last: Array) -> bool:
    """Whether the ends of a part move towards each other."""
    return bool(momentum @ first <= 0.0 or momentum @ last <= 0.0)
