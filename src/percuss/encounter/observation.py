"""What can be read off a motion: poses, energies, momenta and loads at every time.

Everything is computed for all times at once: the scalars of the physics are NumPy arrays here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from percuss.algebra.motions import Force
from percuss.algebra.motions import Motion as MotionVector
from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Vector3
from percuss.dynamics.composite import momentum
from percuss.dynamics.energy import kinetic_energy, potential_energy
from percuss.dynamics.inverse import joint_reactions
from percuss.dynamics.orbit import orbital_loads
from percuss.encounter.assembly import Assembly
from percuss.encounter.equations import Equations
from percuss.encounter.loads import Applied
from percuss.encounter.mechanics import Passenger
from percuss.encounter.method import RecordedMotion, cubics
from percuss.encounter.record import Track
from percuss.impact.sizes import momentum_sizes
from percuss.kinematics.frames import frame_pose, frame_velocity, planar_angle
from percuss.kinematics.trees import (
    Configuration,
    TreePoses,
    TreeVelocities,
    Velocities,
    tree_poses,
    tree_velocities,
)
from percuss.model.bodies import Body
from percuss.model.joints import Free, Planar
from percuss.model.systems import Frame, System


@dataclass(frozen=True)
class Observation:
    """A motion seen from outside; arrays have time first, world axes unless said otherwise."""

    equations: Equations
    motion: RecordedMotion
    origin: float = 0.0
    """Time of the run (s) at which the clock of the motion was zero."""

    @cached_property
    def time(self) -> np.ndarray:
        """Time since the start of the run (time,), s."""
        return self.motion.time + self.origin

    @property
    def target(self) -> System:
        """The target; there is none in a run with a pulse."""
        target = self.assembly.target
        assert target is not None
        return target

    @property
    def assembly(self) -> Assembly:
        return self.equations.assembly

    @property
    def system(self) -> System:
        """The tree whose state the equations have: the chaser and what hangs from it, or is
        beside it."""
        return self.assembly.tree

    @cached_property
    def q(self) -> np.ndarray:
        """Coordinates (nq, time), quaternions unit."""
        return unit_quaternions(
            self.motion.states[self.equations.slices["q"]], self.assembly.quaternions
        )

    @cached_property
    def v(self) -> np.ndarray:
        """Rates (nv, time)."""
        return self.motion.states[self.equations.slices["v"]]

    @cached_property
    def a(self) -> np.ndarray:
        """Accelerations (nv, time)."""
        return self.motion.rates[self.equations.slices["v"]]

    @cached_property
    def poses(self) -> TreePoses:
        """The poses of the tree's bodies over time: what is asked of q is found here."""
        return tree_poses(self.system, self.q)

    @cached_property
    def velocities(self) -> TreeVelocities:
        """The velocities of the tree's bodies over time: what is asked of v is found here."""
        return tree_velocities(self.poses, self.v)

    @cached_property
    def _moving(self) -> tuple[_Moving, ...]:
        """Every system that moves: the tree, and its passengers."""

        def center_velocity(body: Body) -> MotionVector:
            center = Frame("centre of mass", body.name, Pose(position=body.com))
            return frame_velocity(self.system, self.poses, self.velocities, center)

        tree = _Moving(
            system=self.system,
            q=self.q,
            poses=self.poses,
            velocities=self.velocities,
            center_velocity=center_velocity,
        )
        return (tree, *(self._riding(passenger) for passenger in self.assembly.plant.passengers))

    def _riding(self, passenger: Passenger) -> _Moving:
        q, v = (self._stacked(*part).T for part in passenger.state(self.q, self.v))
        poses = tree_poses(passenger.system, q)

        def center_velocity(body: Body) -> MotionVector:
            del body
            return passenger.center_velocity(self.q, self.v)

        return _Moving(
            system=passenger.system,
            q=q,
            poses=poses,
            velocities=tree_velocities(poses, v),
            center_velocity=center_velocity,
        )

    def integral(self, name: str) -> np.ndarray:
        """Wheel momentum, work or external impulse so far: (time, entries)."""
        return self.motion.states[self.equations.slices[name]].T

    # --- target -------------------------------------------------------------------------------

    @cached_property
    def target_pose(self) -> Pose:
        """The pose of the target's base body, world ← body; its frame is at the centre of mass."""
        part = self._with_target
        return frame_pose(part.system, part.poses, self.target.base.name)

    @cached_property
    def target_center(self) -> np.ndarray:
        """Centre of mass of the target's base body (time, 3), m."""
        return self.rows(self.target_pose.act(self.target.base.com))

    @cached_property
    def target_angle(self) -> np.ndarray:
        """Angle of a planar target (time,), rad, full turns counted."""
        part, given = self._with_target, self.assembly.target_angle
        assert given is not None
        found = self._over_time(planar_angle(part.system, part.q, self.target.base.name))
        # A grasp joint starts at zero wherever the target was: whole turns are the target's.
        return found + 2 * np.pi * np.round((given - found[0]) / (2 * np.pi))

    @cached_property
    def target_velocity(self) -> np.ndarray:
        """The velocity of the target's centre of mass (time, 6): linear, angular (m/s, rad/s)."""
        return self._stacked(*self._with_target.center_velocity(self.target.base))

    @property
    def _with_target(self) -> _Moving:
        """The tree that the target is in."""
        name = self.target.base.name
        return next(part for part in self._moving if name in part.names)

    # --- balances -----------------------------------------------------------------------------

    @cached_property
    def kinetic_energy(self) -> np.ndarray:
        """The kinetic energy of all bodies (time,), J."""
        energies = (kinetic_energy(p.system, p.poses, p.velocities) for p in self._moving)
        return self._summed(map(self._over_time, energies))

    @cached_property
    def potential_energy(self) -> np.ndarray:
        """Potential energy in uniform gravity (time,), J."""
        energies = (potential_energy(p.system, p.poses) for p in self._moving)
        return self._summed(map(self._over_time, energies))

    @cached_property
    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """Linear (N s) and angular momentum about the world's origin (N m s), each (time, 3)."""
        whole = self._summed(momentum(p.system, p.poses, p.velocities) for p in self._moving)
        return self.rows(whole.linear), self.rows(whole.angular)

    @cached_property
    def momentum_sizes(self) -> tuple[float, float]:
        """Largest over time of Σ|p_i| (N s) and of Σ(|L_i| + |r_i||p_i|) (N m s) over the bodies.

        What the errors of momentum are relative to, also where the momenta cancel.
        """
        sizes = [momentum_sizes(p.system, p.poses, p.velocities) for p in self._moving]
        linear, angular = (self._summed(part) for part in zip(*sizes, strict=True))
        return float(np.max(linear)), float(np.max(angular))

    # --- loads --------------------------------------------------------------------------------

    @cached_property
    def reactions(self) -> dict[str, Force]:
        """Load on the outboard body at each joint, its body's axes, by joint."""
        loads = [*self.wrenches, *self._pulls]
        return joint_reactions(self.system, self.poses, self.velocities, self.a, wrenches=loads)

    @cached_property
    def _pulls(self) -> list[tuple[Frame, Force]]:
        """What passengers do to the tree over time."""
        return [p.pull(self.q, self.v, self.a) for p in self.assembly.plant.passengers]

    @cached_property
    def held_force(self) -> np.ndarray:
        """The force on the chaser from what it holds (time, 3), N, world axes.

        It is zero where the chaser holds nothing.
        """
        found = np.zeros((len(self.motion.time), 3))
        for _, load in self._pulls:
            found = found + self.rows(load.linear)
        grasp = self.assembly.grasp
        if grasp is not None:
            body = frame_pose(self.system, self.poses, self.system.joint(grasp).child)
            found = found - self.rows(body.rotation @ self.reactions[grasp].linear)
        return found

    @cached_property
    def wrenches(self) -> list[tuple[Frame, Force]]:
        """What acts on the bodies over time besides motors and thrusters, world axes."""
        found = [] if self.load is None else list(self.load.wrenches)
        orbit = self.equations.orbit
        if orbit is None:
            return found
        angle = self.integral("orbit")[:, 0]
        falling = orbital_loads(orbit, self.system, angle, self.q, v=self.v)
        return found + falling.wrenches

    @cached_property
    def load(self) -> Applied | None:
        """What acts at the tool over time, None where no load is part of the equations."""
        load = self.equations.load
        return None if load is None else load(self.motion.time, self.q, self.v)

    @cached_property
    def load_force(self) -> np.ndarray:
        """The force on the chaser at the tool (time, 3), N; zero where there is no load."""
        if self.load is None:
            return np.zeros((len(self.motion.time), 3))
        return self.rows(self.load.force)

    def reaction(self, joint: str) -> tuple[np.ndarray, np.ndarray]:
        """Force (N) and moment (N m) at a joint, each (time, 3)."""
        load = self.reactions[joint]
        return self.rows(load.linear), self.rows(load.angular)

    # --- bodies -------------------------------------------------------------------------------

    @cached_property
    def tool_position(self) -> np.ndarray:
        """The position of the contact point on the chaser (time, 3), m, world axes."""
        frame = self.assembly.tool
        return self.rows(frame_pose(self.system, self.poses, frame).position)

    @cached_property
    def relative_velocity(self) -> np.ndarray:
        """The velocity of the target's point at the tool, seen from the tool (time, 3), m/s."""
        return self.rows(self._relative_velocity(self.poses, self.velocities))

    def relative_velocity_at(self, when: float) -> np.ndarray:
        """The relative velocity at one time (s) that may lie between the steps; shape (3,), m/s."""
        motion, slices = self.motion, self.equations.slices
        wanted = np.array([when - self.origin])
        x = cubics(wanted, motion.time, motion.states, motion.rates)[:, 0]
        q = unit_quaternions(x[slices["q"]], self.assembly.quaternions)
        return np.asarray(self._relative_velocity(q, x[slices["v"]]).array(), float)

    def _relative_velocity(self, q: Configuration, v: Velocities) -> Vector3:
        tree, body = self.assembly.tree, self.target.base.name
        carried = frame_velocity(tree, q, v, body)
        arm = frame_pose(tree, q, self.assembly.tool).position - frame_pose(tree, q, body).position
        own = frame_velocity(tree, q, v, self.assembly.tool).linear
        return carried.linear + carried.angular.cross(arm) - own

    def tracks(self, recorded: np.ndarray) -> tuple[Track, ...]:
        """The bodies at some of the times, given by their indices."""
        owners = {body.name: "chaser" for body in self.assembly.chaser.bodies}
        count = len(recorded)
        return tuple(
            _track(node.body, owners.get(node.body.name, "target"), pose, count)
            for part in self._moving
            for node, pose in zip(
                part.system.tree,
                tree_poses(part.system, part.q[:, recorded]).world_poses(),
                strict=True,
            )
        )

    def base_pose(self) -> Pose:
        """World ← base body, over time; the identity where the arm stands on the world."""
        joint = self.assembly.chaser.base_joint
        if joint.motion.rate_count and not isinstance(joint.motion, (Free, Planar)):
            return Pose.identity()
        return frame_pose(self.system, self.poses, joint.child)

    # --- arrays -------------------------------------------------------------------------------

    @staticmethod
    def _summed(values: Iterable[Any]) -> Any:
        """The sum of one or more; one alone as it is."""
        first, *others = values
        return sum(others, start=first)

    def _over_time(self, value: Any) -> np.ndarray:
        return np.broadcast_to(np.asarray(value, float), self.motion.time.shape)

    def _stacked(self, *values: Any) -> np.ndarray:
        return np.stack([self._over_time(value) for value in values], axis=-1)

    def rows(self, vector: Vector3) -> np.ndarray:
        """A vector over time as (time, 3)."""
        return self._stacked(*vector)


@dataclass(frozen=True)
class _Moving:
    """A system over time: coordinates (nq, time), poses and velocities of its bodies."""

    system: System
    q: np.ndarray
    poses: TreePoses
    velocities: TreeVelocities
    center_velocity: Callable[[Body], MotionVector]
    """Of the centre of mass of one of its bodies."""

    @cached_property
    def names(self) -> set[str]:
        return {body.name for body in self.system.bodies}


def unit_quaternions(q: np.ndarray, places: tuple[int, ...]) -> np.ndarray:
    """Coordinates (nq, time) with quaternions, which begin at the places, of length one."""
    q = q.copy()
    for first in places:
        part = q[first : first + 4]
        part /= np.linalg.norm(part, axis=0)
    return q


def _track(body: Any, owner: str, pose: Pose, count: int) -> Track:
    def rows(values: Any) -> np.ndarray:
        return np.stack([np.broadcast_to(np.asarray(x, float), (count,)) for x in values], axis=-1)

    quaternion = rows(pose.rotation.to_quaternion())
    return Track(
        name=body.name,
        owner=owner,
        visuals=body.visuals,
        positions=rows(pose.position),
        quaternions=quaternion,
    )
