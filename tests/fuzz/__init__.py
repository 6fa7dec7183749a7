"""A fuzzer: files, command lines and signals that nobody would send on purpose, and some would.

`make fuzz` or `python -m tests.fuzz`. An input is made from a kind, a seed and an index alone, so
that these three say which it is: `cases` makes it, `drive` lets percuss have it, `judge` says
whether what came back keeps percuss's promises, and `workers` survives what does not come back.
"""
