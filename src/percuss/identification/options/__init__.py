"""How an estimate is searched for, judged, refused and put into words: every number by name."""

from percuss.exports import on_demand as _on_demand
from percuss.identification.options.search import DEFAULT, SearchOptions

__all__ = ["DEFAULT", "SearchOptions"]

__getattr__, __dir__ = _on_demand(__name__, {})
