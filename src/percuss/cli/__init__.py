"""The command `percuss`."""

from percuss.cli.main import program as program
