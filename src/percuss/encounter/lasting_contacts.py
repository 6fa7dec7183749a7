"""Contacts that took time, in numbers: what passed between chaser and target while they touched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from percuss.algebra.motions import Force
from percuss.algebra.vectors import Vector3
from percuss.dynamics.composite import total_mass
from percuss.encounter.balances import peaks
from percuss.encounter.contact_geometry import innermost
from percuss.encounter.loads import Touch
from percuss.encounter.observation import Observation
from percuss.encounter.phase import Phase
from percuss.impact.compliant_loads import CompliantContact
from percuss.impact.outcome import Impact
from percuss.impact.sizes import momentum_sizes
from percuss.impact.verdict import ConservationLaw, ImpactBalance, State, laws
from percuss.model.names import BaseMode


@dataclass(frozen=True, kw_only=True)
class LastingContact:
    """A contact from its begin to its end.

    `impact` is what it did from begin to end, as of an instantaneous one; its impulse acted at the
    tool, and its laws judge the contact alone: what motors, thrusters and gravity did meanwhile
    is accounted for. `peak_force` (N) is its largest force; `energy_lost` (J) is what the contact
    took from the bodies. `restitution` is the speed at which the points parted over that at which
    they met, along the normals; None where the contact did not end, or has no surface.
    `relative_velocity` is that of the target's contact point seen from the tool when they met
    (3,), m/s, world axes; None without a surface.
    """

    begin: float
    end: float
    ended: bool
    impact: Impact
    relative_velocity: np.ndarray | None
    peak_force: float
    energy_lost: float
    restitution: float | None

    @property
    def duration(self) -> float:
        """How long it lasted (s)."""
        return self.end - self.begin


def lasting_contact_of(phase: Phase, ended: bool, closure: str) -> LastingContact:
    """What a contact did; `ended` says whether it was over before the run was.

    `closure` is the name of what happens at the contact.
    """
    observation = phase.observation
    touch = observation.equations.load
    linear, angular = observation.momentum
    before, after = (np.concatenate([linear[k], angular[k]]) for k in (0, -1))
    lost = -float(observation.integral("load_work")[-1, 0])
    if not ended:
        # What the surface still holds it may give back; a dent that is left alone gives nothing.
        lost -= _stored(observation)
    size = np.linalg.norm(observation.load_force, axis=1)
    restitution = normal = relative = None
    if isinstance(touch, Touch) and touch.surface is not None:
        contact = touch.contact(observation.q, observation.v)
        assert contact.closing_speed is not None
        assert contact.normal is not None
        speed = np.broadcast_to(np.asarray(contact.closing_speed, float), observation.time.shape)
        normal = -np.array([float(np.asarray(x, float).flat[0]) for x in contact.normal])
        if ended and speed[0] > 0.0 and not _through(touch, contact):
            restitution = float(-speed[-1] / speed[0])
        relative = observation.relative_velocity[0]
    impact = Impact(
        closure=closure,
        is_planar=observation.assembly.is_planar,
        chaser_rates=observation.v[: observation.assembly.chaser.rate_count, -1],
        target_rates=_target_rates(observation),
        impulse=_padded(observation.integral("load_impulse")[-1]),
        moment=np.zeros(3),
        base_impulse=_passed_on(observation),
        effective_mass=None,
        normal=normal,
        energy_before=float(observation.kinetic_energy[0]),
        energy_after=float(observation.kinetic_energy[-1]),
        linear_momentum_before=before[:3],
        linear_momentum_after=after[:3],
        angular_momentum_before=before[3:],
        angular_momentum_after=after[3:],
        joint_reactions=_reactions(observation),
        laws=_judged(observation, before, after, lost),
        warnings=(),
    )
    return LastingContact(
        begin=phase.begin,
        end=phase.end,
        ended=ended,
        impact=impact,
        relative_velocity=relative,
        peak_force=float(
            peaks(observation.motion.time, size[:, None], phase.integration.method != "rk4")[0]
        ),
        energy_lost=lost,
        restitution=restitution,
    )


def _target_rates(observation: Observation) -> np.ndarray:
    """Velocities of the target's centre of mass at the end; none (0,) without a target."""
    if observation.assembly.target is None:
        return np.zeros(0)
    rates = observation.target_velocity[-1]
    return rates[[0, 1, 5]] if observation.assembly.is_planar else rates


def _judged(
    observation: Observation, before: np.ndarray, after: np.ndarray, lost: float
) -> tuple[ConservationLaw, ...]:
    """The laws, with what acted besides the contact taken out."""
    outside = np.concatenate(
        [_padded(observation.integral("linear")[-1]), _turning(observation.integral("angular")[-1])]
    )
    wheels = observation.integral("wheels")
    if wheels.shape[1]:
        outside = outside - np.concatenate([np.zeros(3), _turning(wheels[-1] - wheels[0])])
    fixed = observation.assembly.chaser.mode == BaseMode.FIXED
    passed = before + outside - after if fixed else np.zeros(6)
    sizes = np.array(
        momentum_sizes(observation.equations.system, observation.q, observation.v)
    ).reshape(2, -1)
    energy = float(observation.kinetic_energy[0])
    mass = None if fixed else _mass(observation)
    found = ImpactBalance(
        energy_before=energy,
        energy_after=energy - lost,
        before=before,
        after=after - outside,
        sizes=sizes.max(1),
        passed_on=passed,
        mass=mass,
    )
    if observation.assembly.target is not None:
        return laws(found)
    # A pulse comes from outside: whether it brings energy or takes it breaks no law.
    return tuple(_of_pulse(law) for law in laws(found)[:2])


def _of_pulse(law: ConservationLaw) -> ConservationLaw:
    if law.state != State.KEPT:
        return law
    return replace(law, text=f"{law.name}: changed by what acts from outside, and by nothing else")


def _stored(observation: Observation) -> float:
    """What the contact holds at the end more than at the beginning, and may give back (J)."""
    touch = observation.equations.load
    if not isinstance(touch, Touch):
        return 0.0
    held = np.asarray(touch.contact(observation.q, observation.v).elastic_energy, float)
    held = np.broadcast_to(held, observation.time.shape)
    return float(held[-1] - held[0])


def _through(touch: Touch, contact: CompliantContact) -> bool:
    """Whether the tool went so deep that it left on another side."""
    within = innermost(touch.surface)
    deepest = float(np.max(np.asarray(contact.depth, float)))
    return within is not None and deepest > 0.5 * within


def _mass(observation: Observation) -> float:
    return float(np.asarray(total_mass(observation.equations.system), float))


def _passed_on(observation: Observation) -> Force:
    """What a fixed base passed on to the world about the base's origin (N s, N m s)."""
    chaser = observation.assembly.chaser
    if chaser.mode != BaseMode.FIXED:
        return Force.zero()
    joint = chaser.base_joint.name
    pose = observation.base_pose()
    load = observation.reactions[joint]
    linear = _integrated(observation, observation.rows(pose.rotation @ load.linear))
    angular = _integrated(observation, observation.rows(pose.rotation @ load.angular))
    return Force(-Vector3(*linear), -Vector3(*angular))


def _reactions(observation: Observation) -> dict[str, Force]:
    """∫ of the load on the outboard link at each joint, in the link's axes (N s, N m s)."""
    found: dict[str, Force] = {}
    for joint in observation.assembly.chaser.moving_joints:
        force, moment = observation.reaction(joint.name)
        found[joint.name] = Force(
            Vector3(*_integrated(observation, force)), Vector3(*_integrated(observation, moment))
        )
    return found


def _integrated(observation: Observation, values: np.ndarray) -> list[float]:
    """∫ values (time, n) over the phase, on the cubic spline through the samples."""
    from scipy.interpolate import CubicSpline

    time = observation.motion.time
    if len(time) < 2:
        return [0.0] * values.shape[1]
    integral: Callable[..., np.ndarray] = CubicSpline(time, values).integrate
    return [float(x) for x in integral(time[0], time[-1])]


def _padded(values: np.ndarray) -> np.ndarray:
    return np.pad(values, (0, 3 - len(values)))


def _turning(values: np.ndarray) -> np.ndarray:
    """An axial vector of one entry in the plane, of three in space, as three entries."""
    return np.array([0.0, 0.0, values[0]]) if len(values) == 1 else np.asarray(values)
