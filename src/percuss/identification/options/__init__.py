"""How an estimate is searched for, judged, refused and put into words: every number by name."""

from percuss.identification.options.group import OptionGroup
from percuss.identification.options.search import DEFAULT, GROUPS, SearchOptions

__all__ = ["DEFAULT", "GROUPS", "OptionGroup", "SearchOptions"]
