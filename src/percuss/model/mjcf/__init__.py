"""MJCF, the model format of MuJoCo, read through MuJoCo's own compiler."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand

if TYPE_CHECKING:
    from percuss.model.mjcf.read import parse_mjcf, read_mjcf
    from percuss.model.mjcf.scan import LARGEST_FILE

__all__ = [
    "LARGEST_FILE",
    "parse_mjcf",
    "read_mjcf",
]

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "read": ("parse_mjcf", "read_mjcf"),
        "scan": ("LARGEST_FILE",),
    },
)
