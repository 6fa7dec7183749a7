"""Reading a compiled MuJoCo model, body by body."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.vectors import Vector3
from percuss.model.bodies import Body
from percuss.model.errors import ModelError
from percuss.model.joints import Fixed, Free, JointMotion, Planar, Prismatic, Revolute, Spherical
from percuss.model.merge import combined
from percuss.model.mjcf.bodies import inertial, pose
from percuss.model.mjcf.joints import friction_of, reference_of
from percuss.model.systems import WORLD, Frame, Friction, Joint, Limits, System
from tests.oracles.twins import shifted, vector


class MujocoReader:
    """Walks the bodies of an `MjModel`, parents first."""

    def __init__(self, model: Any, mujoco: Any) -> None:
        self.model = model
        self.types = mujoco.mjtJoint
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.frames: list[Frame] = []
        # The body of ours that a MuJoCo body is (part of), and the MuJoCo frame seen from it.
        self.homes: dict[int, tuple[str, Pose]] = {0: (WORLD, Pose.identity())}

    def system(self) -> System:
        model = self.model
        for body in range(1, model.nbody):
            self._read_body(body)
        name = bytes(model.names).split(b"\0", 1)[0].decode()
        return System(
            name or "mujoco model",
            tuple(self.bodies),
            tuple(self.joints),
            tuple(self.frames),
            gravity=vector(model.opt.gravity),
            source="MuJoCo model",
        )

    def _read_body(self, index: int) -> None:
        model = self.model
        name = model.body(index).name or f"body{index}"
        first, count = int(model.body_jntadr[index]), int(model.body_jntnum[index])
        joints = [*range(first, first + count)]
        home, carrier = self.homes[int(model.body_parentid[index])]
        at = carrier @ pose(model.body_pos[index], model.body_quat[index])
        if not joints and model.body_mass[index] == 0:
            self.homes[index] = home, at
            if home != WORLD:
                self.frames.append(Frame(name, home, at))
            self._read_sites(index, skip=name)
            return
        own = self._own_site(index, name)  # our body frame in the MuJoCo body frame
        self.homes[index] = name, own.inverse()
        self.bodies.append(self._inertial(index, name, own))
        self.joints.append(self._read_joint(name, home, at, own, joints=joints))
        self._read_sites(index, skip=name)

    def _inertial(self, index: int, name: str, own: Pose) -> Body:
        body = inertial(self.model, index, name)
        return combined(name, [] if body is None else [(own.inverse(), body)], ())

    def _read_joint(
        self, child: str, parent: str, at: Pose, own: Pose, *, joints: list[int]
    ) -> Joint:
        model = self.model
        if not joints:
            return Joint(
                name=f"{child} weld",
                motion=Fixed(),
                parent=parent,
                child=child,
                placement=at,
                child_placement=own,
            )
        names = [model.joint(j).name or f"joint{j}" for j in joints]
        for j, name in zip(joints, names, strict=True):
            self._refuse_springs(j, name)
        last = joints[-1]
        motion = self._motion(child, joints, names)
        name = names[0] if len(joints) == 1 else names[0].removesuffix(".x")
        if int(model.jnt_type[last]) == self.types.mjJNT_FREE:
            # The pose of a free body is its coordinates and nothing else.
            return Joint(
                name=name,
                motion=motion,
                parent=parent,
                child=child,
                placement=Pose.identity(),
                child_placement=own,
            )
        # Slides are measured from `ref` along the carrier's axes, a hinge about its own.
        slides = [j for j in joints if int(model.jnt_type[j]) == self.types.mjJNT_SLIDE]
        start = sum((model.jnt_axis[j] * reference_of(model, j) for j in slides), np.zeros(3))
        back = Pose.identity()
        if int(model.jnt_type[last]) == self.types.mjJNT_HINGE:
            turn = Rotation.about(vector(model.jnt_axis[last]), -reference_of(model, last))
            back = Pose(turn, Vector3.zero())
        pivot = shifted(model.jnt_pos[last])
        placement = at @ pivot @ shifted(-start)
        child_placement = back @ pivot.inverse() @ own
        limits, friction = Limits(), Friction()
        if len(joints) == 1:
            friction = friction_of(model, last)
            if isinstance(motion, (Revolute, Prismatic)) and model.jnt_limited[last]:
                limits = Limits(*(float(x) for x in model.jnt_range[last]))
        return Joint(
            name=name,
            motion=motion,
            parent=parent,
            child=child,
            placement=placement,
            child_placement=child_placement,
            limits=limits,
            friction=friction,
        )

    def _motion(self, body: str, joints: list[int], names: list[str]) -> JointMotion:
        model, types = self.model, self.types
        kinds = [int(model.jnt_type[j]) for j in joints]
        axes = model.jnt_axis[joints[0] : joints[-1] + 1]
        slide, hinge, ball = types.mjJNT_SLIDE, types.mjJNT_HINGE, types.mjJNT_BALL
        if kinds == [hinge]:
            return Revolute(vector(axes[0]))
        if kinds == [slide]:
            return Prismatic(vector(axes[0]))
        if kinds == [ball]:
            return Spherical()
        if kinds == [types.mjJNT_FREE]:
            return Free()
        damped = any(friction_of(model, j) != Friction() for j in joints)
        if not damped and kinds == [slide, slide, hinge] and np.array_equal(axes, np.eye(3)):
            return Planar()
        straight = len(joints) == 4 and np.array_equal(axes[:3], np.eye(3))
        if not damped and kinds == [slide, slide, slide, ball] and straight:
            return Free()
        raise ModelError(
            f"body {body!r} has {len(joints)} joints ({', '.join(names)}): percuss has one joint "
            "for each body. Frictionless slides along x and y with a hinge about z (planar), and "
            "slides along x, y, z with a ball (free), are understood; otherwise put a body with "
            "mass between."
        )

    def _refuse_springs(self, j: int, name: str) -> None:
        model = self.model
        if model.jnt_stiffness[j] != 0:
            raise ModelError(f"joint {name!r} has a spring, which percuss does not have")
        dof = int(model.jnt_dofadr[j])
        free = int(model.jnt_type[j]) == self.types.mjJNT_FREE
        if free and friction_of(model, j) != Friction():
            raise ModelError(f"joint {name!r} damps a free body, which percuss does not do")
        if model.dof_armature[dof] != 0:
            raise ModelError(
                f"joint {name!r} has armature (rotor inertia), which percuss does not have; "
                "model the rotor as a body"
            )

    def _sites(self, index: int) -> list[tuple[str, Pose]]:
        model = self.model
        return [
            (model.site(s).name, pose(model.site_pos[s], model.site_quat[s]))
            for s in range(model.nsite)
            if model.site_bodyid[s] == index and model.site(s).name
        ]

    def _own_site(self, index: int, name: str) -> Pose:
        return dict(self._sites(index)).get(name, Pose.identity())

    def _read_sites(self, index: int, skip: str) -> None:
        home, seen = self.homes[index]
        for name, at in self._sites(index):
            if name != skip and home != WORLD:
                self.frames.append(Frame(name, home, seen @ at))
