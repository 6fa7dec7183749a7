"""What the target did before the impact, from what the robot did after it, and how surely."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand as _on_demand

if TYPE_CHECKING:
    from percuss.identification.data.measured import read_measured, write_measured
    from percuss.identification.data.measured_columns import Measured
    from percuss.identification.data.sensors import Sensors, read_sensors
    from percuss.identification.data.synthesis import synthesise
    from percuss.identification.estimate.information import information
    from percuss.identification.estimate.residuals import Weighting
    from percuss.identification.forward.model import ForwardModel
    from percuss.identification.forward.unknowns import Unknowns
    from percuss.identification.identification import identify
    from percuss.identification.observability.proposal import propose
    from percuss.identification.observability.words import account
    from percuss.identification.options import SearchOptions
    from percuss.identification.result import Identification

__all__ = [
    "ForwardModel",
    "Identification",
    "Measured",
    "SearchOptions",
    "Sensors",
    "Unknowns",
    "Weighting",
    "account",
    "identify",
    "information",
    "propose",
    "read_measured",
    "read_sensors",
    "synthesise",
    "write_measured",
]

__getattr__, __dir__ = _on_demand(
    __name__,
    {
        "data.measured": ("read_measured", "write_measured"),
        "data.measured_columns": ("Measured",),
        "data.sensors": ("Sensors", "read_sensors"),
        "data.synthesis": ("synthesise",),
        "estimate.information": ("information",),
        "estimate.residuals": ("Weighting",),
        "forward.model": ("ForwardModel",),
        "forward.unknowns": ("Unknowns",),
        "identification": ("identify",),
        "observability.proposal": ("propose",),
        "observability.words": ("account",),
        "options": ("SearchOptions",),
        "result": ("Identification",),
    },
)
