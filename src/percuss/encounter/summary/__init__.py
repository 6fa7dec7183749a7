"""The summary of an encounter that was carried out: its records, and the same as `summary.json`.

The types of the records are in `percuss.encounter.records`. Here they are made from a
`Simulation`, written as plain data, and read again.
"""
