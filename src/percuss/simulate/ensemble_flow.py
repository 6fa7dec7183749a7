"""The motion of one kind of stretch for many cases at once, with its peaks and balances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.scalars import dot, pack, sqrt, unpack
from percuss.dynamics.composite import momentum
from percuss.dynamics.energy import kinetic_energy, potential_energy
from percuss.dynamics.inverse import joint_reactions
from percuss.model.joints import Free, Planar
from percuss.model.names import BaseMode
from percuss.simulate.ensemble_foresight import Parameters
from percuss.simulate.ensemble_machine import Machine
from percuss.simulate.equations import Equations
from percuss.simulate.watching import Signal

_ZERO = 1e-9
"""A signal this close to zero (SI) at the start has just changed its sign."""
_EXTRAS = 4
"""After the state of the equations: the signal, its slope, its smallest value, and when that was."""


@dataclass(frozen=True)
class Moved:
    """Cases after a stretch; arrays end with the cases.

    Attributes:
        state: flat, as `Equations` has it.
        time: s, by the clock of the stretch.
        ended: whether what was watched for ended it.
        failed: whether it became no number, or took too many steps.
        peaks: largest values over time, by name.
        residuals: (3, cases): energy (J), linear (N s) and angular momentum (N m s).
        lowest: (2, cases): smallest value of the signal, and when (s); NaN if none is watched.
    """

    state: np.ndarray
    time: np.ndarray
    ended: np.ndarray
    failed: np.ndarray
    peaks: dict[str, np.ndarray]
    residuals: np.ndarray
    lowest: np.ndarray


class Flow:
    """Compiled motion of a kind of stretch.

    `make` gives the equations of motion of a case from its parameters, `watched` what ends it.
    The signal is integrated along with the state: so the steps follow it, also where the bodies
    drift so evenly that a single step would take them past each other. Where it turns round is
    an event too, which keeps the smallest value.
    """

    def __init__(
        self,
        machine: Machine,
        make: Callable[[Parameters], Equations],
        like: Parameters,
        watched: Callable[[Parameters, Equations], Signal] | None = None,
    ) -> None:
        self.machine = machine
        self.make = make
        self.watched = watched
        self.like = like
        self.equations = make(like)

    @property
    def size(self) -> int:
        return self.equations.size

    def start(self, q: np.ndarray, v: np.ndarray, wheels: np.ndarray | None = None) -> np.ndarray:
        """Flat states (entries, cases); integrals begin at zero, but for the wheels' momentum."""
        slices = self.equations.slices
        x = np.zeros((self.size, q.shape[1]))
        x[slices["q"]], x[slices["v"]] = q, v
        if wheels is not None and wheels.shape[0]:
            x[slices["wheels"]] = wheels
        return x

    def part(self, state: np.ndarray, name: str) -> np.ndarray:
        """q, v, wheels … of flat states."""
        return state[self.equations.slices[name]]

    def __call__(
        self, x: np.ndarray, p: Parameters, begin: Any, lasting: Any, *, just: bool = False
    ) -> Moved:
        """Move cases from `begin` (s) for the time `lasting` (s), or until the signal ends it.

        `just`: the signal has just changed its sign in all of them.
        """
        count = x.shape[1]
        first = np.broadcast_to(np.asarray(begin, float), (count,))
        if self.watched is None:
            return self._moved(x, p, begin, lasting)
        gap = np.asarray(self._gap(x, p))
        over = np.zeros(count, bool) if just else gap <= 0.0
        slope = np.asarray(self._gap_slope(x, p))
        extras = np.stack([gap, slope, np.where(just, np.inf, gap), first])
        whole = np.concatenate([x, extras])
        if not over.any():
            return self._moved(whole, p, begin, lasting)
        still = self._stayed(x, p, first, gap)
        rest = ~over
        moved = self._moved(*picked(rest, whole, p, begin, lasting))
        return merged(still, moved, rest)

    def _moved(self, x: np.ndarray, p: Parameters, begin: Any, lasting: Any) -> Moved:
        found = self._rollout(x, p, start=begin, duration=lasting)
        state = np.asarray(found.state)
        status = np.asarray(found.status)
        ended = status == kernel.Status.EVENT
        lowest = np.full((2, x.shape[1]), np.nan)
        if self.watched is not None:
            last = np.asarray(self._gap(state[: self.size], p))
            lower = last < state[-2]
            lowest = np.where(lower, [last, np.asarray(found.time)], state[-2:])
        core = state[: self.size]
        return Moved(
            core,
            np.asarray(found.time),
            ended,
            ~ended & (status != kernel.Status.DONE),
            {name: np.asarray(value) for name, value in found.statistics.items()},
            self._residuals(x[: self.size], core, p),
            lowest,
        )

    def _stayed(self, x: np.ndarray, p: Parameters, time: np.ndarray, gap: np.ndarray) -> Moved:
        """Cases that are over before they begin."""
        count = x.shape[1]
        peaks = {
            name: np.zeros((*shape, count))
            for name, shape in self._rollout.problem.statistic_shapes.items()
        }
        ended = np.ones(count, bool)
        none = np.zeros((3, count))
        return Moved(x, time.copy(), ended, ~ended, peaks, none, np.stack([gap, time]))

    # --- compiled functions --------------------------------------------------------------------

    @cached_property
    def _rollout(self) -> kernel.Rollout:
        law = self.equations.law
        sampled = law.period is not None
        if law.memory is not None and not sampled:
            from percuss.simulate.failure import SimulationError

            raise SimulationError("a control law with memory needs a period (s)")
        controller = None
        if sampled:
            controller = kernel.Controller(
                lambda t, x, memory, p: self.make(p).command(t, x[: self.size], memory),
                law.memory,
                law.period,
            )
        return kernel.rollout(
            self._rates,
            state=np.zeros(self.size + (_EXTRAS if self.watched else 0)),
            parameters=_one(self.like),
            method=self.machine.method,
            controller=controller,
            statistics=self._statistics(),
            events=self._events(),
            quaternions=self.equations.stage.quaternions,
            backend=self.machine.backend,
            threads=self.machine.threads,
        )

    def _rates(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        equations, core = self.make(p), x[: self.size]
        rates = equations.rates(t, core)[0] if u is None else equations.driven(t, core, u)
        if self.watched is None:
            return rates
        import jax

        # The bodies' own slope, and how it changes along the motion.
        slope, change = jax.jvp(lambda at: self._slope(t, at, p), (core,), (rates,))
        return pack([*unpack(rates, self.size, "rates"), slope, change, 0.0, 0.0])

    def _value(self, t: Any, x: Any, p: Any) -> Any:
        """The signal, positive before it ends the stretch."""
        assert self.watched is not None
        equations = self.make(p)
        signal = self.watched(p, equations)
        value = signal.value(t, *equations.state(x[: self.size]))
        return value if signal.direction < 0 else -value

    def _slope(self, t: Any, x: Any, p: Any) -> Any:
        """d/dt of a signal that depends on the coordinates only."""
        import jax
        import jax.numpy as jnp
        from percuss.kinematics.manifold import coordinate_rates

        equations, core = self.make(p), x[: self.size]
        q, v = equations.state(core)
        change = jnp.asarray(coordinate_rates(equations.system, q, v))
        along = jnp.zeros_like(core).at[equations.slices["q"]].set(change)
        return jax.jvp(lambda at: self._value(t, at, p), (core,), (along,))[1]

    def _events(self) -> list[kernel.Event]:
        if self.watched is None:
            return []

        def kept(t: Any, x: Any, u: Any, p: Any) -> Any:
            import jax.numpy as jnp

            del u
            value = self._value(t, x, p)
            lower = value < x[-2]
            lowest = jnp.where(lower, jnp.stack([value, t]), x[-2:])
            return jnp.concatenate([x[:-2], lowest])

        return [
            kernel.Event(
                lambda t, x, u, p: self._value(t, x, p),  # noqa: ARG005
                direction=-1,
                terminal=True,
                zero=_ZERO,
            ),
            kernel.Event(
                lambda t, x, u, p: x[-3],  # noqa: ARG005
                direction=1,
                action=kept,
            ),
        ]

    def _statistics(self) -> dict[str, kernel.Maximum]:
        equations = self.equations
        found = {"control": kernel.Maximum(self._command_sizes)}
        chaser = equations.stage.chaser
        if isinstance(chaser.base_joint.motion, (Free, Planar)):
            found["base_rate"] = kernel.Maximum(self._base_rate)
        if equations.slices["wheels"].stop > equations.slices["wheels"].start:
            found["wheels"] = kernel.Maximum(
                lambda t, x, u, p: _norm(x[equations.slices["wheels"]])  # noqa: ARG005
            )
        if self.machine.reactions and chaser.movable_joints:
            found["reactions"] = kernel.Maximum(self._reactions)
        return found

    def _command(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        return u if u is not None else self.make(p).command(t, x[: self.size], None)[0]

    def _command_sizes(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        import jax.numpy as jnp

        return jnp.abs(jnp.asarray(self._command(t, x, u, p)))

    def _base_rate(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """|ω| of the base (rad/s)."""
        del t, u, p
        chaser = self.equations.stage.chaser
        rates = chaser.node(chaser.base_joint.child).rates
        turning = 1 if isinstance(chaser.base_joint.motion, Planar) else 3
        return _norm(x[self.equations.slices["v"]][rates.stop - turning : rates.stop])

    def _reactions(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """|force| through each movable joint of the chaser (N)."""
        equations = self.make(p)
        core = x[: self.size]
        command = self._command(t, x, u, p)
        a = equations.driven(t, core, command)[equations.slices["v"]]
        q, v = equations.state(core)
        wrenches = None if equations.load is None else equations.load(t, q, v).wrenches
        loads = joint_reactions(equations.system, q, v, a, wrenches)
        joints = equations.stage.chaser.movable_joints
        return pack(loads[joint.name].linear.norm() for joint in joints)

    @cached_property
    def _gap(self) -> kernel.Kernel:
        like = np.zeros(self.size)
        return self.machine.compiled(lambda x, p: self._value(0.0, x, p), like, _one(self.like))

    @cached_property
    def _gap_slope(self) -> kernel.Kernel:
        like = np.zeros(self.size)
        return self.machine.compiled(lambda x, p: self._slope(0.0, x, p), like, _one(self.like))

    # --- balances ------------------------------------------------------------------------------

    @cached_property
    def _totals(self) -> kernel.Kernel:
        """Energy (J), momentum (N s) and angular momentum with the wheels' (N m s)."""

        def totals(x: Any, p: Any) -> tuple[Any, Any, Any]:
            equations = self.make(p)
            q, v = equations.state(x)
            system = equations.system
            energy = pack([kinetic_energy(system, q, v) + potential_energy(system, q)])
            whole = momentum(system, q, v)
            return energy, pack(list(whole.linear)), pack(list(whole.angular))

        return self.machine.compiled(totals, np.zeros(self.size), _one(self.like))

    def _residuals(self, x0: np.ndarray, x1: np.ndarray, p: Parameters) -> np.ndarray:
        """Change minus work and external impulse, (3, cases)."""
        before, after = (self._totals(x, p) for x in (x0, x1))
        energy, linear, angular = (
            np.asarray(b) - np.asarray(a) for a, b in zip(before, after, strict=True)
        )
        work, push, turn, wheels = (
            self.part(x1, name) for name in ("work", "linear", "angular", "wheels")
        )
        found = np.full((3, x0.shape[1]), np.nan)
        found[0] = np.abs(energy[0] - work[0])
        if self.equations.stage.chaser.mode == BaseMode.FIXED:
            return found
        if self.equations.planar:
            linear, angular = linear[:2], angular[2:]
        if len(wheels):
            angular = angular + wheels - self.part(x0, "wheels")
        found[1] = np.linalg.norm(linear - push, axis=0)
        found[2] = np.linalg.norm(angular - turn, axis=0)
        return found


def picked(mask: np.ndarray, x: np.ndarray, p: Parameters, *clocks: Any) -> tuple[Any, ...]:
    """Some of the cases: states, parameters, and clocks that differ from case to case."""
    chosen = [np.asarray(c)[mask] if np.ndim(c) else c for c in clocks]
    return x[:, mask], {name: value[:, mask] for name, value in p.items()}, *chosen


def merged(others: Moved, some: Moved, mask: np.ndarray) -> Moved:
    """Two sets of cases as one: those of the mask are `some`."""

    def both(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        whole = np.array(a)
        whole[..., mask] = b
        return whole

    return Moved(
        both(others.state, some.state),
        both(others.time, some.time),
        both(others.ended, some.ended),
        both(others.failed, some.failed),
        {name: both(value, some.peaks[name]) for name, value in others.peaks.items()},
        both(others.residuals, some.residuals),
        both(others.lowest, some.lowest),
    )


def _one(p: Parameters) -> Parameters:
    """Parameters of one case, as an example."""
    return {name: np.asarray(value, float) for name, value in p.items()}


def _norm(vector: Any) -> Any:
    entries = unpack(vector, len(vector), "vector")
    return sqrt(dot(entries, entries))
