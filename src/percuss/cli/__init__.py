"""The command `percuss`."""

from percuss.cli.main import main, program

__all__ = ["main", "program"]
