"""Robots and targets with known numbers, by name."""

from percuss.model.library.entry import Assumption, LibraryEntry
from percuss.model.library.registry import assumptions, entry, known, robot, robots

__all__ = ["Assumption", "LibraryEntry", "assumptions", "entry", "known", "robot", "robots"]
