"""Contacts that take time, of many cases: what the last touch of each did from begin to end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import pack, unpack
from percuss.dynamics.composite import momentum
from percuss.dynamics.energy import kinetic_energy
from percuss.dynamics.inverse import joint_reactions
from percuss.encounter.ensemble.impacts import mounts
from percuss.encounter.ensemble.machine import Machine
from percuss.encounter.ensemble.measures import Make
from percuss.encounter.ensemble.template import Parameters
from percuss.encounter.equations import Equations
from percuss.encounter.loads import Touch
from percuss.kernel.duals import array_of
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.model.joints import Free, Planar
from percuss.model.names import BaseMode
from percuss.model.systems import Frame

LOADS = "loads"


@dataclass(frozen=True)
class Bearing:
    """Impulses through the joints of the chaser over a motion, in the axes of the outboard links.

    `equations` are those of any of the cases.
    """

    make: Make
    equations: Equations

    def statistics(self) -> dict[str, kernel.Integral]:
        """The statistics of the loads by name, as a rollout takes them."""
        return {LOADS: kernel.Integral()}

    def integrands(
        self, equations: Equations, t: Any, x: Any, u: Any, *, rates: Any
    ) -> dict[str, Any]:
        """Force and moment at each joint that moves, then at each that is fixed, and what a fixed
        base passes on to the world, in world axes (N, N m), all one after the other."""
        del u
        a, (q, v) = rates[equations.slices["v"]], equations.state(x)
        loads = joint_reactions(equations.system, q, v, a, wrenches=equations.wrenches(t, x))
        chaser = equations.chaser
        joints = [joint.name for joint in (*chaser.moving_joints, *mounts(chaser))]
        entries = [
            entry
            for name in joints
            for part in (loads[name].linear, loads[name].angular)
            for entry in part
        ]
        base = chaser.base_joint
        if chaser.mode == BaseMode.FIXED:
            turns = base.motion.rate_count and not isinstance(base.motion, (Free, Planar))
            pose = Pose.identity() if turns else frame_pose(equations.system, q, base.child)
            for part in (loads[base.name].linear, loads[base.name].angular):
                entries += list(-(pose.rotation @ part))
        else:
            entries += [0.0] * 6
        return {LOADS: pack(entries)}

    @staticmethod
    def apart(equations: Equations, found: np.ndarray) -> dict[str, np.ndarray]:
        """The impulses (entries, cases) by the names of records of impacts."""
        chaser = equations.chaser
        first = 6 * len(chaser.moving_joints)
        last = first + 6 * len(mounts(chaser))
        parts = {
            "reactions": found[:first],
            "mounts": found[first:last],
            "passed_on": found[last:],
        }
        return {name: part for name, part in parts.items() if len(part)}


@dataclass(frozen=True)
class TouchAccount:
    """What a touch did, from the flat states at its begin and at its end."""

    machine: Machine
    make: Make
    like: Parameters

    def __call__(self, x0: np.ndarray, x1: np.ndarray, p: Parameters) -> dict[str, np.ndarray]:
        """By the names of records of impacts, (entries, cases)."""
        found = self._compiled(x0, x1, {name: p[name] for name in self.like})
        return {name: array_of(values) for name, values in found.items()}

    @cached_property
    def _compiled(self) -> kernel.Kernel:
        state = np.zeros(self.make(self.like).size)
        return self.machine.compiled(self._found, state, state, self.like)

    def _found(self, x0: Any, x1: Any, p: Parameters) -> dict[str, Any]:
        equations = self.make(p)
        system, assembly = equations.system, equations.assembly
        states = [equations.state(x) for x in (x0, x1)]
        totals = [momentum(system, *state) for state in states]
        own = assembly.chaser.rate_count
        found = {
            "chaser_rates": list(unpack(states[1][1], system.rate_count, "v")[:own]),
            "energy": [kinetic_energy(system, *state) for state in states],
            "linear_momentum": [x for total in totals for x in total.linear],
            "angular_momentum": [x for total in totals for x in total.angular],
        }
        if assembly.target is not None:
            base = assembly.target.base
            center = Frame("centre of mass", base.name, Pose(position=base.com))
            after = frame_velocity(system, *states[1], center)
            found["target_velocity"] = [*after.linear, *after.angular]
        touch = equations.load
        if isinstance(touch, Touch) and touch.surface is not None and assembly.target is not None:
            q, v = states[0]
            normal = touch.contact(q, v).normal
            assert normal is not None
            found["normal"] = list(-normal)
            carried = frame_velocity(system, q, v, assembly.target.base.name)
            arm = frame_pose(system, q, assembly.tool).position
            arm = arm - frame_pose(system, q, assembly.target.base.name).position
            tool = frame_velocity(system, q, v, assembly.tool).linear
            relative = carried.linear + carried.angular.cross(arm) - tool
            found["relative_velocity"] = list(relative)
        return {name: pack(entries) for name, entries in found.items()}
