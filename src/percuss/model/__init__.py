"""Bodies, joints and systems; builders; attaching; a library of robots and targets."""

from percuss.model.attach import Attachment, attach, detach, reroot
from percuss.model.bodies import Body, Visual, box, cylinder, disk, rod
from percuss.model.errors import ModelError, ModelNotice
from percuss.model.joints import Fixed, Free, JointMotion, Planar, Prismatic, Revolute, Spherical
from percuss.model.parameters import parameters, with_parameters
from percuss.model.systems import (
    WORLD,
    BaseMode,
    Frame,
    Friction,
    Joint,
    Limits,
    Node,
    System,
)

__all__ = [
    "WORLD",
    "Attachment",
    "BaseMode",
    "Body",
    "Fixed",
    "Frame",
    "Free",
    "Friction",
    "Joint",
    "JointMotion",
    "Limits",
    "ModelError",
    "ModelNotice",
    "Node",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "System",
    "Visual",
    "attach",
    "box",
    "cylinder",
    "detach",
    "disk",
    "parameters",
    "reroot",
    "rod",
    "with_parameters",
]
