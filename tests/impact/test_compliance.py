"""Contacts that take time: one mass in closed form, two systems, and the limit of stiff ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from percuss import kernel
from percuss.algebra import Motion, Pose, Vector3
from percuss.dynamics import forward_dynamics, kinetic_energy, momentum
from percuss.impact import (
    Compliance,
    Contact,
    Disk,
    HalfSpace,
    Jump,
    bounce,
    compliant_loads,
    damping_for,
    duration_of,
    peak_force_of,
    pin,
    release_margin,
    restitution_of,
)
from percuss.impact.compliance import (
    contact_force,
    dissipation,
    elastic_energy,
    normal_force,
    trial_force,
)
from percuss.impact.compliant_loads import compliant_contact
from percuss.impact.contact import mobility
from percuss.kernel import trees
from percuss.kinematics import coordinate_rates, frame_pose, frame_velocity
from percuss.model import ModelError, side_by_side
from tests.impact.captures import approaching, placed, random_contact, six, thesis, three
from tests.strategies import Array

LAWS = ("linear", "hunt-crossley")
sizes = st.floats(0.01, 100.0)
restitutions = st.floats(1e-6, 1.0)


def number(x: Any) -> float:
    return float(x)


# --- the laws ---------------------------------------------------------------------------------


@given(st.sampled_from(LAWS), st.floats(-1.0, 1.0), st.floats(-5.0, 5.0), sizes, sizes)
def test_a_contact_only_pushes(law: Any, depth: float, speed: float, k: float, c: float) -> None:
    compliance = Compliance(law, k, c)
    force, trial = (number(f(compliance, depth, speed)) for f in (normal_force, trial_force))
    assert force >= 0.0
    assert force == (max(0.0, trial) if depth > 0 else 0.0)
    assert number(elastic_energy(compliance, depth)) >= 0.0
    velocity = Vector3(-speed, 0.1, 0.0)
    assert number(dissipation(compliance, Vector3(1.0, 0.0, 0.0), depth, velocity)) >= 0.0


@given(st.sampled_from(LAWS), st.floats(0.0, 1.0), st.floats(-5.0, 5.0), st.floats(-5.0, 5.0))
def test_power_is_what_elasticity_returns_less_what_is_lost(
    law: Any, depth: float, along: float, across: float
) -> None:
    """F · v = -dE/dt - dissipation, with friction too."""
    compliance = Compliance(law=law, stiffness=50.0, damping=8.0, friction=0.4, slip_speed=0.2)
    normal, velocity = Vector3(0.6, 0.8, 0.0), Vector3(0.6, 0.8, 0.0) * along
    velocity = velocity + Vector3(-0.8, 0.6, 0.0) * across
    power = number(contact_force(compliance, normal, depth, velocity).dot(velocity))
    exponent = 1.5 if law == "hunt-crossley" else 1.0
    growth = -along * 50.0 * depth**exponent
    lost = number(dissipation(compliance, normal, depth, velocity))
    assert power == pytest.approx(-growth - lost, abs=1e-12 * (1 + abs(growth) + lost))
    assert lost >= 0.0


@pytest.mark.parametrize("law", LAWS)
def test_a_contact_taken_for_made_is_smooth_where_it_begins_and_ends(law: Any) -> None:
    """The same force while it presses, and no jump just outside, where integrators try steps."""
    compliance, normal = Compliance(law, 50.0, 8.0, 0.4), Vector3(0.0, 0.0, 1.0)
    velocity = Vector3(0.2, 0.0, -0.3)
    for depth in (0.1, 1e-9, -1e-9, -0.1):
        free = three(contact_force(compliance, normal, depth, velocity))
        made = three(contact_force(compliance, normal, depth, velocity, made=True))
        assert made[2] == trial_force(compliance, depth, 0.3)
        assert np.array_equal(made, free) or depth < 0
    beside = [trial_force(compliance, depth, 0.3) for depth in (-1e-9, 1e-9)]
    assert beside[0] == pytest.approx(beside[1], abs=1e-6)


def test_friction_opposes_slip_and_saturates() -> None:
    compliance = Compliance(
        law="linear", stiffness=1000.0, damping=0.0, friction=0.5, slip_speed=1e-3
    )
    normal = Vector3(0.0, 0.0, 1.0)
    for slip, share in ((1e-6, 1e-3), (1e-3, math.sqrt(0.5)), (1.0, 1.0)):
        force = contact_force(compliance, normal, 0.01, Vector3(slip, 0.0, 0.0))
        assert force.z == pytest.approx(10.0)
        assert force.x == pytest.approx(-5.0 * share, rel=1e-5)
        assert force.y == 0.0


@pytest.mark.parametrize("law", LAWS)
def test_any_scalar(law: Any) -> None:
    """Batches, compiled programs, derivatives and symbols give what numbers give."""
    rng = np.random.default_rng(1)
    depth, speed = np.append(rng.uniform(-1, 1, 20), 0.0), np.append(rng.normal(size=20), 1.0)
    values = (40.0, 3.0)

    def force(d: Any, s: Any, k: Any, c: Any) -> Any:
        velocity = Vector3(0.3, 0.2, -s)
        found = contact_force(
            Compliance(law=law, stiffness=k, damping=c, friction=0.3, slip_speed=0.1),
            Vector3(0.0, 0.0, 1.0),
            d,
            velocity,
        )
        return found.array()

    expected = np.array([force(d, s, *values) for d, s in zip(depth, speed, strict=True)]).T
    assert np.allclose(force(depth, speed, *values), expected, rtol=1e-15)
    coefficients = np.ones((2, 21)) * np.array([values]).T
    compiled = kernel.compile(force, 0.1, 0.1, *values)
    assert np.allclose(compiled(depth, speed, *coefficients), expected)
    found = kernel.jacobian(force, 0.1, 0.1, *values)(depth, speed, *coefficients)
    for slope in trees.leaves_of(found):
        assert np.all(np.isfinite(slope)), "derivatives exist outside, inside and on the surface"
    d, s, k, c = sympy.symbols("d s k c", real=True)
    symbolic = normal_force(Compliance(law, k, c), d, s)
    for x, y in ((0.2, 0.5), (0.2, -30.0), (-0.1, 1.0)):
        found = symbolic.subs({d: x, s: y, k: 40.0, c: 3.0})  # type: ignore[attr-defined]
        assert float(found) == pytest.approx(normal_force(Compliance(law, 40.0, 3.0), x, y))


def test_not_a_number_is_not_hidden() -> None:
    for law in LAWS:
        compliance = Compliance(law, 1.0, 1.0)
        assert math.isnan(normal_force(compliance, math.nan, 1.0))  # type: ignore[arg-type]
        assert math.isnan(normal_force(compliance, 0.1, math.nan))  # type: ignore[arg-type]


# --- one mass ---------------------------------------------------------------------------------


def test_published_numbers() -> None:
    """Reduced mass 31.6 kg, 527.3 N/m, 14.0 N s/m."""
    given = (527.3, 14.0, 31.6, 1.0)
    assert restitution_of("bilateral", *given) == pytest.approx(0.8431, abs=5e-5)
    assert duration_of("bilateral", *given) == pytest.approx(0.7702, abs=5e-5)
    assert restitution_of("linear", *given) == pytest.approx(0.8481, abs=5e-5)
    assert duration_of("linear", *given) == pytest.approx(0.7436, abs=5e-5)
    # Six digits, by an integration of their own.
    for law, e, duration in (
        ("linear", 0.848130, 0.743598),
        ("bilateral", 0.843147, 0.770201),
    ):
        found = one_mass(Compliance(law, 527.3, 14.0), 31.6, 1.0)
        assert found.restitution == pytest.approx(e, abs=5e-7)
        assert found.duration == pytest.approx(duration, abs=5e-7)
        assert restitution_of(law, *given) == pytest.approx(e, abs=5e-7)
        assert duration_of(law, *given) == pytest.approx(duration, abs=5e-7)


@dataclass(frozen=True)
class Rebound:
    restitution: float
    duration: float
    peak: float


def one_mass(compliance: Compliance, mass: float, speed: float) -> Rebound:
    """A mass against a contact, integrated in time."""
    bilateral = compliance.law == "bilateral"
    force = trial_force if bilateral else normal_force

    def rates(_: float, y: Array) -> list[float]:
        return [y[1], -float(force(compliance, float(y[0]), float(y[1]))) / mass]  # type: ignore[arg-type]

    def over(t: float, y: Array) -> float:
        margin = y[0] if bilateral else release_margin(compliance, float(y[0]), float(y[1]))
        return float(margin) if t > 0 else 1.0  # type: ignore[arg-type]

    over.terminal, over.direction = True, -1.0  # type: ignore[attr-defined]
    k = float(compliance.stiffness)  # type: ignore[arg-type]
    # The time of half an oscillation of the depth that the energy allows.
    power = 2.5 if compliance.law == "hunt-crossley" else 2.0
    unit = (mass * speed**2 / k) ** (1.0 / power) / speed
    found = solve_ivp(
        rates, (0.0, 1e4 * unit), [0.0, speed], "DOP853", events=over, rtol=1e-12,
        atol=1e-14 * min(1.0, unit) * speed, first_step=1e-6 * unit,
    )  # fmt: skip
    assert found.status == 1
    peak = max(float(force(compliance, float(x), float(v))) for x, v in found.y.T)  # type: ignore[arg-type]
    return Rebound(-found.y[1, -1] / speed, float(found.t[-1]), peak)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("e", [0.99, 0.7, 0.3, 0.12, 0.03])
def test_restitution_duration_and_peak_as_integrated(law: Any, e: float) -> None:
    """Linear: below and beyond critical damping, which is at exp(-2) = 0.135."""
    k, m, v = 3000.0, 12.0, 0.4
    c = damping_for(law, e, k, m, v)
    found = one_mass(Compliance(law, k, c), m, v)
    assert found.restitution == pytest.approx(e, rel=1e-8)
    assert duration_of(law, k, c, m, v) == pytest.approx(found.duration, rel=1e-8)
    assert peak_force_of(law, k, c, m, v) == pytest.approx(found.peak, rel=0.02)
    assert peak_force_of(law, k, c, m, v) >= found.peak * (1 - 1e-12)


@given(st.sampled_from(("linear", "hunt-crossley", "bilateral")), restitutions, sizes, sizes, sizes)
@settings(max_examples=200)
def test_damping_and_restitution_are_inverse(
    law: Any, e: float, k: float, m: float, v: float
) -> None:
    c = damping_for(law, e, k, m, v)
    assert restitution_of(law, k, c, m, v) == pytest.approx(e, rel=1e-13)


@given(st.floats(0.1, 0.99), sizes)
def test_hunt_crossley_relation(e: float, v: float) -> None:
    """a v (1 + e) = ln((1 + a v)/(1 - a e v)); for smaller e the last term has few digits left."""
    x = damping_for("hunt-crossley", e, 2.0, 1.0, v) / 2.0 * v
    assert x * (1 + e) == pytest.approx(math.log1p(x) - math.log1p(-e * x), rel=1e-10)


def test_smooth_through_critical_damping() -> None:
    """exp(-2) at ζ = 1, from either side, and its slope -2 exp(-2) (A + A') = -4/3 exp(-2)."""
    near = [
        float(restitution_of("linear", 1.0, 2.0 * (1.0 + x), 1.0, 1.0)) for x in (-1e-4, 0, 1e-4)
    ]
    assert near[1] == pytest.approx(math.exp(-2.0), rel=1e-15)
    assert (near[2] - near[0]) / 2e-4 == pytest.approx(-4.0 / 3.0 * math.exp(-2.0), rel=1e-6)
    assert near[2] - 2 * near[1] + near[0] == pytest.approx(0.0, abs=1e-8)


def test_elastic_hunt_crossley() -> None:
    """Without damping: 0.4 k δ^2.5 = ½ m v², and Hertz's duration 2.9432 δ/v."""
    depth = (1.25 * 3.0 * 0.5**2 / 700.0) ** 0.4
    for c in (0.0, 1e-10):
        duration = duration_of("hunt-crossley", 700.0, c, 3.0, 0.5)
        assert duration == pytest.approx(2.94327 * depth / 0.5, rel=1e-5)
        peak = peak_force_of("hunt-crossley", 700.0, c, 3.0, 0.5)
        assert peak == pytest.approx(700.0 * depth**1.5, rel=1e-9)


def test_batches_of_masses() -> None:
    e, v = np.array([[0.2, 0.5], [0.8, 1.0]]), np.array([1.0, 3.0])
    for law in LAWS:
        c = damping_for(law, e, 10.0, 2.0, v)
        assert c.shape == (2, 2)
        assert np.allclose(restitution_of(law, 10.0, c, 2.0, v), e, rtol=1e-13)
        assert c[0, 1] == damping_for(law, 0.5, 10.0, 2.0, 3.0)


# --- two systems ------------------------------------------------------------------------------


class Touching:
    """A contact followed in time: chaser and target side by side, compiled, by DOP853."""

    def __init__(self, contact: Contact, surface: Any, law: Any, friction: bool = False) -> None:
        self.contact, self.surface, self.law = contact, surface, law
        self.forest = side_by_side(contact.chaser, contact.target).with_gravity(Vector3.zero())
        self.friction = friction
        self.start = tuple(
            np.concatenate([np.asarray(a, float), np.asarray(b, float)])
            for a, b in (
                (contact.chaser_coordinates, contact.target_coordinates),
                (contact.chaser_rates, contact.target_rates),
            )
        )
        numbers = np.array([1.0, 1.0, 0.0, 1.0])
        self.compiled = kernel.compile(self.motion, *self.start, numbers)

    def compliance(self, numbers: Any) -> Compliance:
        k, c, friction, slip_speed = (numbers[i] for i in range(4))
        rubbing = (friction, slip_speed) if self.friction else ()
        return Compliance(self.law, k, c, *rubbing)

    def motion(self, q: Any, v: Any, numbers: Any) -> tuple[Any, ...]:
        compliance = self.compliance(numbers)
        loads = compliant_loads(
            self.forest,
            q,
            v,
            self.contact.tool,
            grip=self.contact.grip,
            surface=self.surface,
            compliance=compliance,
        )
        there = loads.contact
        margin = 1.0
        if self.law != "bilateral":
            margin = release_margin(compliance, there.depth, there.closing_speed)  # type: ignore[arg-type]
        return (
            coordinate_rates(self.forest, q, v),
            forward_dynamics(self.forest, q, v, None, wrenches=loads.pairs),
            there.dissipation,
            there.elastic_energy,
            there.power,
            margin,
        )

    def after(self, numbers: Array, duration: float, release: bool = True) -> tuple[Array, ...]:
        """q and v where the contact ends, or after the duration; energies are checked."""
        nq, nv = len(self.start[0]), len(self.start[1])

        def rates(_: float, y: Array) -> Array:
            found = self.compiled(y[:nq], y[nq : nq + nv], numbers)
            return np.concatenate([*found[:2], [found[2]]])

        def over(t: float, y: Array) -> float:
            found = self.compiled(y[:nq], y[nq : nq + nv], numbers)
            return float(found[5]) if t > 1e-3 * duration else 1.0

        over.terminal, over.direction = True, -1.0  # type: ignore[attr-defined]
        y = np.concatenate([*self.start, [0.0]])
        span = (0.0, duration * (20.0 if release else 1.0))
        events = over if release else None
        found = solve_ivp(rates, span, y, "DOP853", rtol=1e-10, atol=1e-12, events=events)
        assert found.status == (1 if release else 0)
        q, v, lost = found.y[:nq, -1], found.y[nq : nq + nv, -1], found.y[-1, -1]
        self.check(q, v, float(lost), float(self.compiled(q, v, numbers)[3]))
        return q, v

    def check(self, q: Array, v: Array, lost: float, stored: float) -> None:
        """Kinetic, elastic and lost energy together, and momentum, are what they were."""
        first = float(kinetic_energy(self.forest, *self.start))  # type: ignore[arg-type]
        last = float(kinetic_energy(self.forest, q, v)) + stored + lost  # type: ignore[arg-type]
        assert last == pytest.approx(first, rel=1e-8), "energy"
        assert lost >= 0.0
        before, after = six(momentum(self.forest, *self.start)), six(momentum(self.forest, q, v))
        size = np.linalg.norm(before) + first
        assert np.linalg.norm(after - before) < 1e-9 * size, "momentum"


def moved(jump: Jump) -> Array:
    return np.concatenate([np.asarray(jump.chaser_rates), np.asarray(jump.target_rates)])


def oblique() -> Contact:
    """The thesis's robot, bent and moving, and its target: a disk, hit off its centre line."""
    contact = thesis(2)
    q = (1.0, 2.0, 1.4, 0.5, -0.9)
    rates = (0.05, 0.1, -0.1, 0.2, 0.3)
    point = frame_pose(contact.chaser, q, contact.tool).position
    where = placed(contact.target, contact.grip, point, np.random.default_rng(7))
    target = (-0.2, 0.1, 0.4)
    turned = replace(
        contact,
        chaser_coordinates=q,
        chaser_rates=rates,
        target_coordinates=where,
        target_rates=target,
    )
    approach = float(bounced_approach(turned))
    if approach < 0.0:
        return turned
    return replace(turned, target_rates=tuple(-3.0 * x for x in target))


def bounced_approach(contact: Contact) -> float:
    normal = bounce(contact, 0.0).normal
    assert normal is not None
    relative = contact.grip_velocity.linear - contact.tool_velocity.linear
    return float(normal.dot(relative))  # type: ignore[arg-type]


def flat_side(contact: Contact, normal: Array) -> HalfSpace:
    """A plane of the target through the contact point; the normal leads into the target."""
    pose = frame_pose(contact.target, contact.target_coordinates, contact.grip.body)
    inwards = Vector3.of([*normal, 0.0][:3])
    return HalfSpace(contact.grip.placement.position, -(pose.rotation.inverse() @ inwards))


def rate_of(stiffnesses: Array, errors: list[float]) -> float:
    """n of an error ~ k^-n, from the two stiffest."""
    return math.log(errors[-2] / errors[-1]) / math.log(stiffnesses[-1] / stiffnesses[-2])


STIFFNESSES = np.array([1e4, 1e6, 1e8])


@pytest.mark.parametrize(("law", "expected"), [("linear", 0.5), ("hunt-crossley", 0.4)])
def test_stiff_contacts_tend_to_the_bounce(law: Any, expected: float) -> None:
    """The error falls as the duration of the contact: as k^-1/2, under Hertz's law as k^-2/5."""
    contact, e = oblique(), 0.6
    jump = bounce(contact, e)
    mass, speed = float(jump.effective_mass), -bounced_approach(contact)  # type: ignore[arg-type]
    touching = Touching(contact, Disk(1.0), law)
    errors = []
    for k in STIFFNESSES:
        c = damping_for(law, e, k, mass, speed)
        numbers = np.array([k, c, 0.0, 1.0])
        _, v = touching.after(numbers, duration_of(law, k, c, mass, speed))
        errors.append(float(np.linalg.norm(v - moved(jump)) / np.linalg.norm(moved(jump))))
    assert rate_of(STIFFNESSES, errors) == pytest.approx(expected, abs=0.04), errors
    assert errors[-1] < 0.02


def test_head_on_the_bounce_is_exact() -> None:
    """Simulation 2: everything in one line, where the mass behind the contact does not change."""
    contact, e = thesis(2), 0.5
    touching = Touching(contact, Disk(1.0), "linear")
    c = damping_for("linear", e, 1e5, 40.0 / 3.0, 1.0)
    _, v = touching.after(
        np.array([1e5, c, 0.0, 1.0]), duration_of("linear", 1e5, c, 40.0 / 3.0, 1.0)
    )
    assert np.allclose(v, moved(bounce(contact, e)), atol=1e-8)
    assert v[1] == pytest.approx(-1.0 / 6.0, abs=1e-8)


@pytest.mark.parametrize(("seed", "planar"), [(51, True), (55, True), (66, True), (52, False)])
def test_friction_tends_to_the_bounce_with_friction(seed: int, planar: bool) -> None:
    """Elastic in the normal, e = 1, whatever slip does: slides on, sticks, slides back, turns."""
    rng = np.random.default_rng(seed)
    contact = random_contact(rng, 2, planar)
    normal = approaching(contact, rng.normal(size=2 if planar else 3))
    normal = normal / np.linalg.norm(normal)
    jump = bounce(contact, 1.0, 0.4, normal)
    touching = Touching(contact, flat_side(contact, normal), "linear", friction=True)
    mass = float(jump.effective_mass)  # type: ignore[arg-type]
    stiffnesses, errors = np.array([1e5, 1e7, 1e9]), []
    for k in stiffnesses:
        numbers = np.array([k, 0.0, 0.4, 0.1 * (k / 1e5) ** -0.5])
        _, v = touching.after(numbers, duration_of("linear", k, 0.0, mass, 1.0))
        errors.append(float(np.linalg.norm(v - moved(jump)) / np.linalg.norm(moved(jump))))
    assert rate_of(stiffnesses, errors) == pytest.approx(0.5, abs=0.1), errors
    assert errors[-1] < 1e-3


def test_damped_sliding_tends_to_the_restitution_of_the_mass_that_slides() -> None:
    """While the points slide one way, 1/(c + b · f) is behind the contact instead of 1/c."""
    rng = np.random.default_rng(51)
    contact = random_contact(rng, 2, planar=True)
    normal = approaching(contact, rng.normal(size=2))
    along, across = (float(x) for x in normal / np.linalg.norm(normal))
    n = Vector3(along, across, 0.0)
    tangent = Vector3(-across, along, 0.0)
    relative = contact.grip_velocity.linear - contact.tool_velocity.linear
    slip, speed = number(relative.dot(tangent)), -number(relative.dot(n))
    W = mobility(contact.chaser, contact.chaser_coordinates, contact.tool)
    W += mobility(contact.target, contact.target_coordinates, contact.grip)
    mass = 1.0 / number(n.dot(W @ (n - tangent * (0.4 * math.copysign(1.0, slip)))))
    k = 1e9
    c = damping_for("linear", 0.5, k, mass, speed)
    jump = bounce(contact, 0.5, 0.4, n)
    touching = Touching(contact, flat_side(contact, three(n)), "linear", friction=True)
    _, v = touching.after(np.array([k, c, 0.4, 1e-4]), duration_of("linear", k, c, mass, speed))
    assert np.linalg.norm(v - moved(jump)) < 1e-4 * np.linalg.norm(moved(jump))
    other = restitution_of("linear", k, c, number(jump.effective_mass), speed)
    assert abs(other - 0.5) > 0.01, "the mass of the normal direction alone would be another"


@pytest.mark.parametrize("planar", [True, False])
def test_a_stiff_spring_tends_to_the_pin(planar: bool) -> None:
    """Critically damped; momentum is kept although force and reaction act on a stretched pair."""
    rng = np.random.default_rng(61)
    contact = oblique() if planar else random_contact(rng, 2, planar=False)
    touching = Touching(contact, None, "bilateral")
    W = mobility(contact.chaser, contact.chaser_coordinates, contact.tool)
    W += mobility(contact.target, contact.target_coordinates, contact.grip)
    # The heaviest direction is critically damped, the others more.
    mass = 1.0 / float(np.linalg.eigvalsh(W.array())[1 if planar else 0])
    expected = moved(pin(contact))
    stiffnesses, errors = np.array([1e6, 1e8, 1e10]), []
    for k in stiffnesses:
        c = damping_for("bilateral", 0.0, k, mass, 1.0)
        numbers = np.array([k, c, 0.0, 1.0])
        duration = 30.0 * math.sqrt(mass / k)
        _, v = touching.after(numbers, duration, release=False)
        errors.append(float(np.linalg.norm(v - expected) / np.linalg.norm(expected)))
    assert rate_of(stiffnesses, errors) == pytest.approx(0.5, abs=0.05), errors
    assert errors[-1] < 1e-2


def test_power_and_loads() -> None:
    """The power is that of the two loads, and they are one force at one point, twice."""
    rng = np.random.default_rng(71)
    contact = random_contact(rng, 2, planar=False)
    forest = side_by_side(contact.chaser, contact.target)
    q = np.concatenate([contact.chaser_coordinates, contact.target_coordinates])
    v = np.concatenate([contact.chaser_rates, contact.target_rates])
    normal = approaching(contact, rng.normal(size=3))
    side = flat_side(contact, normal / np.linalg.norm(normal))
    # Apart from the grip, so that a moment would show.
    side = HalfSpace(side.point + side.outwards * 0.05, side.outwards)
    for law, surface in (("linear", side), ("hunt-crossley", side), ("bilateral", None)):
        shifted = q.copy()
        shifted[len(contact.chaser_coordinates)] += 0.02
        compliance = Compliance(law, 300.0, 4.0, 0.0 if surface is None else 0.5)  # type: ignore[arg-type]
        loads = compliant_loads(
            forest,
            shifted,
            v,
            contact.tool,
            grip=contact.grip,
            surface=surface,
            compliance=compliance,
        )
        total, power = np.zeros(6), 0.0
        for frame, force in loads.pairs:
            pose = frame_pose(forest, shifted, frame)
            total += six(Pose(position=pose.position).act(force))
            power += float(frame_velocity(forest, shifted, v, frame).dot(force))  # type: ignore[arg-type]
        size = float(np.linalg.norm(three(loads.contact.on_chaser)))
        assert size > 0.1
        assert np.linalg.norm(total) < 1e-13 * size * 10, f"{law}: action and reaction"
        assert power == pytest.approx(float(loads.contact.power), rel=1e-12)  # type: ignore[arg-type]


# --- hostile input ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"law": "hertz"},
            "law must be one of 'linear', 'hunt-crossley', 'bilateral', got 'hertz'",
        ),
        ({"stiffness": 0.0}, "stiffness must be finite and > 0 N/m, got 0"),
        ({"stiffness": math.nan}, "stiffness must be finite"),
        ({"law": "hunt-crossley", "damping": -1.0}, "damping .* ≥ 0 N s/m\\^2.5, got -1"),
        ({"friction": -0.1}, "friction must be finite and ≥ 0, got -0.1"),
        ({"slip_speed": 0.0}, "slip_speed must be finite and > 0 m/s, got 0"),
        ({"law": "bilateral", "friction": 0.2}, "friction must be 0 under the law 'bilateral'"),
        ({"stiffness": "hard"}, "stiffness must be a scalar, got 'hard'"),
    ],
)
def test_compliances_that_cannot_be(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        Compliance(**{"law": "linear", "stiffness": 100.0, **given})


def test_masses_that_cannot_be() -> None:
    for law in LAWS:
        with pytest.raises(ModelError, match=r"restitution must be > 0 .* infinite damping"):
            damping_for(law, 0.0, 1.0, 1.0, 1.0)
        with pytest.raises(ModelError, match=r"restitution must be from 0 to 1, got 1.5"):
            damping_for(law, 1.5, 1.0, 1.0, 1.0)
    with pytest.raises(ModelError, match="mass must be finite and > 0 kg, got -1"):
        damping_for("linear", 0.5, 1.0, -1.0, 1.0)
    with pytest.raises(ModelError, match="speed must be finite and > 0 m/s, got 0"):
        duration_of("linear", 1.0, 0.5, 1.0, 0.0)
    with pytest.raises(ModelError, match="never has its length again"):
        restitution_of("bilateral", 1.0, 2.0, 1.0, 1.0)
    with pytest.raises(ModelError, match="stiffness must be a number or a NumPy batch"):
        damping_for("linear", 0.5, sympy.Symbol("k"), 1.0, 1.0)
    assert damping_for("bilateral", 0.0, 4.0, 9.0, 1.0) == 12.0, "critical: 2 √(k m)"


def test_contacts_that_cannot_be() -> None:
    nowhere: dict[str, Any] = {
        "tool": Vector3.zero(),
        "tool_velocity": Vector3.zero(),
        "body": Pose(),
        "body_velocity": Motion.zero(),
    }
    with pytest.raises(ModelError, match=r"surface must be that of the target under .* 'linear'"):
        compliant_contact(Compliance("linear", 1.0), None, **nowhere)
    with pytest.raises(ModelError, match="grip must be a point of the target"):
        compliant_contact(Compliance("bilateral", 1.0), None, **nowhere)
    with pytest.raises(ModelError, match="'bilateral' is a spring between two points"):
        normal_force(Compliance("bilateral", 1.0), 0.1, 0.0)
