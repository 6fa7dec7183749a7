"""URDF, the robot description format of ROS, read and written."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand

if TYPE_CHECKING:
    from percuss.model.urdf.log import Log
    from percuss.model.urdf.read import MOST_BYTES, parse_urdf, read_urdf
    from percuss.model.urdf.write import write_urdf
    from percuss.model.urdf.xml import parse_xml

__all__ = [
    "MOST_BYTES",
    "Log",
    "parse_urdf",
    "parse_xml",
    "read_urdf",
    "write_urdf",
]

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "log": ("Log",),
        "read": ("MOST_BYTES", "parse_urdf", "read_urdf"),
        "write": ("write_urdf",),
        "xml": ("parse_xml",),
    },
)
