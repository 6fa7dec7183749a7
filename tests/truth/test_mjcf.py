"""Systems read from MJCF move as MuJoCo's own model of the same file does.

The order of coordinates and their meaning are MuJoCo's; the rates differ in the free joint, whose
angular velocity is along world axes here and along the body's axes there.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from percuss.dynamics import (
    bias_forces,
    forward_dynamics,
    kinetic_energy,
    mass_matrix,
    total_mass,
)
from percuss.kinematics import frame_pose
from percuss.model import Free, Joint, Spherical, System
from percuss.model.mjcf.read import parse_mjcf
from tests.oracles import MujocoTwin
from tests.oracles.twins import JointEntries
from tests.strategies import Array, Generator, unit_quaternion
from tests.truth.compare import assert_same, pose_matrix

mujoco: Any = import_module("mujoco")

EXACT = 1e-13
"""Of the size of a quantity: the compiler's principal axes are good to about 1e-14."""


def numbers(values: Any) -> str:
    """Numbers of an attribute, with all their digits."""
    return " ".join(repr(float(x)) for x in np.atleast_1d(values))


def body_text(rng: Generator, index: int, count: int, children: dict[int, list[int]]) -> str:
    """A body with inertia in a turned frame, some joints, a site, and the bodies it carries."""
    weights = rng.dirichlet(np.ones(6))
    points = 0.4 * rng.normal(size=(6, 3))
    points -= weights @ points
    second = np.einsum("k,ki,kj->ij", weights, points, points)
    mass = float(10 ** rng.uniform(-1, 1))
    inertia = mass * (np.trace(second) * np.eye(3) - second)
    full = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    inner = "".join(body_text(rng, child, count, children) for child in children[index])
    if rng.random() < 0.3:
        size, at = rng.uniform(0.1, 0.3, 3), 0.4 * rng.normal(size=3)
        euler = numbers(rng.uniform(-1, 1, 3))
        own = f'<geom type="box" size="{numbers(size)}" pos="{numbers(at)}" euler="{euler}"/>'
    else:
        com = numbers(0.3 * rng.normal(size=3))
        own = f'<inertial pos="{com}" mass="{mass!r}" fullinertia="{numbers(full)}"/>'
    position, turn = numbers(0.5 * rng.normal(size=3)), numbers(unit_quaternion(rng))
    site = f'<site name="site{index}" pos="{numbers(rng.normal(size=3))}" quat="{turn}"/>'
    place = f'pos="{position}" quat="{turn}"' if rng.random() < 0.8 else ""
    return f"<body {place}>{joints_text(rng, index)}{own}{site}{inner}</body>"


def joints_text(rng: Generator, index: int) -> str:
    """None to three joints one after the other, the last perhaps a ball; or a free one."""
    if index == 0 and rng.random() < 0.5:
        return "<freejoint/>" if rng.random() < 0.5 else ""
    kinds = [str(rng.choice(["hinge", "hinge", "slide"])) for _ in range(rng.integers(0, 4))]
    if kinds and rng.random() < 0.3:
        kinds[-1] = "ball"  # MuJoCo allows no rotation after it
    text = ""
    for kind in kinds:
        at = numbers(0.3 * rng.normal(size=3))
        more = f'axis="{numbers(rng.normal(size=3))}" ref="{rng.normal()!r}"'
        text += f'<joint type="{kind}" pos="{at}" {"" if kind == "ball" else more}/>'
    return text


@st.composite
def models(draw: st.DrawFn) -> tuple[str, int]:
    """A random tree of one to seven bodies as MJCF, with a seed for its state."""
    count, seed = draw(st.integers(1, 7)), draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    children: dict[int, list[int]] = {k: [] for k in range(count)}
    for k in range(1, count):
        children[int(rng.integers(k))].append(k)
    body = body_text(rng, 0, count, children)
    return f'<mujoco><compiler angle="radian"/><worldbody>{body}</worldbody></mujoco>', seed


class Read:
    """A text in both libraries, in one random state."""

    def __init__(self, text: str, seed: int, **options: Any) -> None:
        rng = np.random.default_rng([seed, 1])
        self.system = parse_mjcf(text, **options)
        self.model: Any = mujoco.MjModel.from_xml_string(text)
        self.model.opt.gravity[:] = 3 * rng.normal(size=3)
        self.system = self.system.with_gravity(self.model.opt.gravity.tolist())
        self.data: Any = mujoco.MjData(self.model)
        self.data.qpos[:] = rng.normal(size=self.model.nq)
        self.q = self.data.qpos.copy()
        for node in self.system.tree:
            if isinstance(node.joint.motion, (Spherical, Free)):
                at = slice(node.coordinates.stop - 4, node.coordinates.stop)
                self.q[at] = self.data.qpos[at] = unit_quaternion(rng)
        self.v = rng.normal(size=self.model.nv)
        twin = twin_of(self.system, self.model, text)
        self.P = twin.rate_matrix(self.q)
        self.data.qvel[:] = self.P @ self.v
        self.tau = rng.normal(size=self.model.nv)
        self.data.qfrc_applied[:] = self.P @ self.tau
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        mujoco.mj_forward(self.model, self.data)

    @property
    def mass_matrix(self) -> Array:
        """MuJoCo's M on our rates."""
        full = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, full)
        return self.P.T @ full @ self.P


def twin_of(system: System, model: Any, text: str) -> MujocoTwin:
    """The maps between the two states, whose entries are at the same places."""
    blocks = tuple(
        JointEntries(
            motion=node.joint.motion,
            coordinates=node.coordinates,
            rates=node.rates,
            library_coordinates=node.coordinates,
            library_rates=node.rates,
        )
        for node in system.tree
        if node.joint.motion.rate_count
    )
    return MujocoTwin(system, model, blocks, text)


@given(models())
def test_coordinates_are_those_of_mujoco(drawn: tuple[str, int]) -> None:
    both = Read(*drawn)
    assert both.system.coordinate_count == both.model.nq
    assert both.system.rate_count == both.model.nv
    neutral = both.model.qpos0
    data = mujoco.MjData(both.model)
    mujoco.mj_forward(both.model, data)
    base = both.system.base_joint
    if isinstance(base.motion, Free):
        assert both.system.tree[0].coordinates == slice(0, 7)
    for body in range(1, both.model.nbody):
        ours = pose_matrix(frame_pose(both.system, neutral, f"body{body}"))
        assert_same(ours[:3, 3], data.xpos[body], "position at the reference", EXACT, 1.0)


@given(models())
def test_poses_of_bodies_and_sites(drawn: tuple[str, int]) -> None:
    both = Read(*drawn)
    for body in range(1, both.model.nbody):
        ours = pose_matrix(frame_pose(both.system, both.q, f"body{body}"))
        assert_same(ours[:3, 3], both.data.xpos[body], "position of a body", EXACT, 1.0)
        assert_same(ours[:3, :3], both.data.xmat[body].reshape(3, 3), "its axes", EXACT, 1.0)
    for site in range(both.model.nsite):
        ours = pose_matrix(frame_pose(both.system, both.q, both.model.site(site).name))
        assert_same(ours[:3, 3], both.data.site_xpos[site], "position of a site", EXACT, 1.0)


@given(models())
def test_mass_matrix_and_energy(drawn: tuple[str, int]) -> None:
    both = Read(*drawn)
    assert_same(mass_matrix(both.system, both.q), both.mass_matrix, "mass matrix", EXACT)
    energy = 0.5 * both.v @ both.mass_matrix @ both.v
    assert_same(kinetic_energy(both.system, both.q, both.v), energy, "kinetic energy", EXACT)
    mass = float(both.model.body_mass.sum())
    assert_same(total_mass(both.system), mass, "total mass", EXACT)


@given(models())
def test_bias_forces_with_and_without_gravity(drawn: tuple[str, int]) -> None:
    both = Read(*drawn)
    scale = float(np.linalg.norm(both.mass_matrix)) * max(1.0, float(both.v @ both.v))
    ours = bias_forces(both.system, both.q, both.v)
    assert_same(ours, both.P.T @ both.data.qfrc_bias, "bias with gravity", EXACT, scale)
    both.model.opt.gravity[:] = 0
    mujoco.mj_forward(both.model, both.data)
    ours = bias_forces(both.system.with_gravity((0, 0, 0)), both.q, both.v)
    assert_same(ours, both.P.T @ both.data.qfrc_bias, "bias without gravity", EXACT, scale)


@given(models())
def test_accelerations(drawn: tuple[str, int]) -> None:
    """The Ṗ v of the change of rates is ω × ω = 0, so accelerations map as rates do."""
    both = Read(*drawn)
    if not both.model.nv:
        return
    theirs = both.P.T @ both.data.qacc
    ours = forward_dynamics(both.system, both.q, both.v, both.tau)
    condition = float(np.linalg.cond(both.mass_matrix))
    assert_same(ours, theirs, "acceleration", 1e-14 * max(condition, 100.0), 1.0)


@given(models())
def test_a_base_let_go_is_the_same_robot(drawn: tuple[str, int]) -> None:
    """Reading for a free base is reading the file with a free joint written into it."""
    text, seed = drawn
    head, body, rest = text.partition("<body ")
    place, close, inner = rest.partition(">")
    if inner.startswith(("<joint", "<freejoint")):
        return
    with_joint = f"{head}{body}{place}{close}<freejoint/>{inner}"
    system = parse_mjcf(text, mode="free-floating")
    both = Read(with_joint, seed)
    system = system.with_gravity(both.system.gravity)
    assert system.joints == both.system.joints
    assert_same(mass_matrix(system, both.q), both.mass_matrix, "mass matrix", EXACT)


COUPLED = """<mujoco><compiler angle="degree"/><worldbody><body name="palm">{free}
<geom size=".2"/>
<body name="a" pos=".2 0 0"><joint name="a" axis="0 1 1" ref="20" pos="0 .1 0"/>
  <geom type="box" size=".2 .1 .05" pos=".2 0 0"/>
  <body name="b" pos=".4 0 0"><joint name="b" axis="0 1 0" ref="-10"/>
    <geom type="box" size=".1 .1 .05" pos=".1 0 0"/></body></body>
<body name="c" pos="0 .3 0"><joint name="c" type="slide" axis="1 0 1" ref=".1"/>
  <geom type="box" size=".1 .2 .05" pos=".1 0 0.3"/></body>
</body></worldbody>
<equality><joint joint1="b" joint2="a" polycoef=".3 -1.5 0 0 0"/>
<joint joint1="c" joint2="b" polycoef="0 .4 0 0 0"/></equality></mujoco>"""


@pytest.mark.parametrize("free", ["", "<freejoint/>"])
def test_coupled_joints_are_those_of_the_free_tree_on_the_constraint(free: str) -> None:
    """M = Gᵀ M_free G with G the slope of all coordinates along the coupling."""
    text = COUPLED.format(free=free)
    system = parse_mjcf(text)
    count = 6 if free else 0
    assert system.rate_count == count + 1
    model: Any = mujoco.MjModel.from_xml_string(text)
    data: Any = mujoco.MjData(model)
    rng = np.random.default_rng(3)
    a = 0.7
    b = model.qpos0[-2] + 0.3 - 1.5 * (a - model.qpos0[-3])
    c = model.qpos0[-1] + 0.4 * (b - model.qpos0[-2])
    start = [*rng.normal(size=3), *unit_quaternion(rng)] if free else []
    data.qpos[:] = [*start, a, b, c]
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    G = np.zeros((model.nv, count + 1))
    G[:count, :count] = np.eye(count)
    if free:
        G[3:6, 3:6] = data.xmat[1].reshape(3, 3).T
    G[count:, count] = 1.0, -1.5, -0.6
    q = [*start, a]
    assert_same(mass_matrix(system, q), G.T @ M @ G, "mass matrix", EXACT)
    for name in "abc":
        ours = pose_matrix(frame_pose(system, q, name))
        assert_same(ours[:3, 3], data.body(name).xpos, f"position of {name}", EXACT, 1.0)
    v = rng.normal(size=count + 1)
    data.qvel[:] = G @ v
    model.opt.gravity[:] = 0
    mujoco.mj_forward(model, data)
    bias = G.T @ data.qfrc_bias
    assert_same(bias_forces(system, q, v), bias, "bias forces", EXACT, float(np.linalg.norm(M)))


def test_a_joint_that_an_equality_holds_stays() -> None:
    text = COUPLED.format(free="").replace(
        '<joint joint1="c" joint2="b" polycoef="0 .4 0 0 0"/>', '<joint joint1="c"/>'
    )
    system = parse_mjcf(text)
    assert [joint.name for joint in system.movable_joints] == ["a"]
    held: Joint = system.joint("c")
    assert held.motion.kind == "fixed"
