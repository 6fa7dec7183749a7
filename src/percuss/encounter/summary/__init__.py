"""The summary of an encounter that was carried out: its records, and the same as `summary.json`.

The types of the records are in `percuss.encounter.records`. Here they are made from a
`Simulation`, written as plain data, and read again.
"""

from percuss.encounter.summary.plain_data import (
    encounter_of,
    read_summary,
    summary_of,
    summary_text,
)
from percuss.encounter.summary.result import encounter_result

__all__ = ["encounter_of", "encounter_result", "read_summary", "summary_of", "summary_text"]
