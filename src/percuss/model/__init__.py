"""Bodies, joints and systems; builders; attaching; a library of robots and targets."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand as _on_demand
from percuss.model.attach import Attachment, attach, detach, reroot
from percuss.model.compose import Mounted, compose, side_by_side
from percuss.model.lock import lock
from percuss.model.parameters import parameters
from percuss.model.rebase import rebase

if TYPE_CHECKING:
    from percuss.model.bodies import Body, box, cylinder, disk, rod, sphere
    from percuss.model.dh import DHLink, dh_arm
    from percuss.model.document import load_system, save_system, system_from_dict, system_to_dict
    from percuss.model.errors import ModelError, ModelNotice
    from percuss.model.files import read_model
    from percuss.model.joints import Fixed, Free, Mimic, Planar, Prismatic, Revolute, Spherical
    from percuss.model.library.registry import robot, robots
    from percuss.model.merge import merge_fixed
    from percuss.model.mjcf.read import read_mjcf
    from percuss.model.planar import PlanarArm, PlanarLink, planar_arm, planar_robot
    from percuss.model.single import free_body
    from percuss.model.systems import WORLD, BaseMode, Frame, Friction, Joint, Limits, System
    from percuss.model.urdf.read import parse_urdf, read_urdf
    from percuss.model.urdf.write import write_urdf

__all__ = [
    "WORLD",
    "Attachment",
    "BaseMode",
    "Body",
    "DHLink",
    "Fixed",
    "Frame",
    "Free",
    "Friction",
    "Joint",
    "Limits",
    "Mimic",
    "ModelError",
    "ModelNotice",
    "Mounted",
    "Planar",
    "PlanarArm",
    "PlanarLink",
    "Prismatic",
    "Revolute",
    "Spherical",
    "System",
    "attach",
    "box",
    "compose",
    "cylinder",
    "detach",
    "dh_arm",
    "disk",
    "free_body",
    "load_system",
    "lock",
    "merge_fixed",
    "parameters",
    "parse_urdf",
    "planar_arm",
    "planar_robot",
    "read_mjcf",
    "read_model",
    "read_urdf",
    "rebase",
    "reroot",
    "robot",
    "robots",
    "rod",
    "save_system",
    "side_by_side",
    "sphere",
    "system_from_dict",
    "system_to_dict",
    "write_urdf",
]

__getattr__, __dir__ = _on_demand(
    __name__,
    {
        "bodies": ("Body", "box", "cylinder", "disk", "rod", "sphere"),
        "dh": ("DHLink", "dh_arm"),
        "document": ("load_system", "save_system", "system_from_dict", "system_to_dict"),
        "errors": ("ModelError", "ModelNotice"),
        "files": ("read_model",),
        "joints": ("Fixed", "Free", "Mimic", "Planar", "Prismatic", "Revolute", "Spherical"),
        "library.registry": ("robot", "robots"),
        "merge": ("merge_fixed",),
        "mjcf.read": ("read_mjcf",),
        "planar": ("PlanarArm", "PlanarLink", "planar_arm", "planar_robot"),
        "single": ("free_body",),
        "systems": ("WORLD", "BaseMode", "Frame", "Friction", "Joint", "Limits", "System"),
        "urdf.read": ("parse_urdf", "read_urdf"),
        "urdf.write": ("write_urdf",),
    },
    packages=("library",),
)
"""Names that are also those of a module are imported at once, the others when asked for."""
