"""The paper "Parametric sensitivity and control of on-orbit manipulators during impacts using the
Centre of Percussion concept".

Its data are in `paper`, its pulses in `cases` and `compensation`, its robot at the onset of a blow
in `newton_euler`, its IC² written out in `written_out`, its errors in `errata`.
"""

from percuss.exports import on_demand as _on_demand
from percuss.sources.centre_of_percussion.newton_euler import blow, onset
from percuss.sources.centre_of_percussion.paper import TABLE_1

__all__ = ["TABLE_1", "blow", "onset"]

__getattr__, __dir__ = _on_demand(__name__, {})
