"""`python -m percuss` is the command `percuss`."""

from percuss.cli import program

program()
