"""Files: read with care, and written so that they appear whole or not at all."""

from percuss.exports import on_demand as _on_demand
from percuss.io.files import write_file

__all__ = ["write_file"]

__getattr__, __dir__ = _on_demand(__name__, {})
