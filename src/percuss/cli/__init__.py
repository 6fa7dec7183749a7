"""The command `percuss`."""

from percuss.cli.main import main

__all__ = ["main"]
