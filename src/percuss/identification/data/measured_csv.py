"""Measurements as comma-separated values: a header, then one row per time; blank is missing."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import Any

import numpy as np

from percuss.encounter.errors import shown
from percuss.identification.data.impact_clock import after_impact, since
from percuss.identification.data.measured_columns import Measured, measured_of, refuse_names
from percuss.identification.data.reading import as_text
from percuss.model.errors import ModelError

_LONGEST = 1_000_000
"""Characters of a line: forty thousand columns."""
_CHUNK = 20_000
"""Rows that are converted at once."""


def parse_csv(
    data: bytes, file: str, impact: Decimal | None = None, *, robust: bool = False
) -> Measured:
    """Measurements in the bytes of a CSV file; `file` names it in errors.

    `impact` is the time of the impact by the file's clock (s), the file's own if None; rows before
    it are left out. `robust` as of `read_measured`.
    """
    text = as_text(data, file)
    if not text.strip():
        raise ModelError(f"{file}: is empty; expected a header (time, joint.1, …) and rows")
    reader = csv.reader(_lines(text, file), strict=True)
    try:
        names = [name.strip() for name in next(row for row in reader if row)]
        where = f"{file}, line {reader.line_num}"
        _refuse_other_separators(names, where)
        refuse_names(names, where)
        ends_well = text.endswith(("\n", "\r"))
        lines, table = _rows(reader, names, file, impact, ends_well=ends_well)
    except csv.Error as error:
        raise ModelError(f"{file}, line {reader.line_num}: not a row of CSV: {error}") from None
    place = names.index("time")
    notes: list[str] = []
    _refuse_disorder(table[:, place], lines, file)
    if impact is None:
        _refuse_early(table[:, place], lines, file)
    else:
        kept, note = after_impact(table[:, place], impact, file)
        table, notes = table[kept], [note] if note else []
    columns = {name: table[:, k] for k, name in enumerate(names) if k != place}
    if not ends_well:
        notes.append(
            f"{file} does not end with a line break: if it was cut off, its last entry is wrong."
        )
    try:
        return measured_of(table[:, place], columns, tuple(notes), robust=robust)
    except ModelError as error:
        raise ModelError(f"{file}: {error}") from None


def csv_text(measured: Measured) -> str:
    """The text of a CSV file; every number reads back as it was."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["time", *measured.columns])
    columns = [measured.time.tolist()]
    columns += [values.tolist() for values in measured.columns.values()]
    for row in zip(*columns, strict=True):
        writer.writerow(["" if math.isnan(x) else repr(x) for x in row])
    return out.getvalue()


def _lines(text: str, file: str) -> Iterator[str]:
    """The lines of a text; ModelError for one that no row of measurements is as long as."""
    for number, line in enumerate(io.StringIO(text, newline=""), start=1):
        if len(line) > _LONGEST:
            raise ModelError(
                f"{file}, line {number}: is longer than {_LONGEST} characters, the most of a row"
            )
        yield line


def _refuse_other_separators(names: list[str], where: str) -> None:
    for separator, word in ((";", "semicolons"), ("\t", "tabs")):
        if len(names) == 1 and separator in names[0]:
            raise ModelError(f"{where}: columns are separated by commas, not by {word}")


def _rows(
    reader: Any, names: list[str], file: str, impact: Decimal | None, *, ends_well: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Lines (rows,) and numbers (rows, columns), NaN where blank; times since an impact."""
    parts: list[np.ndarray] = []
    lines: list[int] = []
    numbered = _numbered(reader)
    while chunk := list(islice(numbered, _CHUNK)):
        for k, (line, row) in enumerate(chunk):
            if len(row) != len(names):
                last = not ends_well and k == len(chunk) - 1 and next(numbered, None) is None
                cut = "; the file ends in the middle of the row" if last else ""
                raise ModelError(
                    f"{file}, line {line}: has {len(row)} entries, the header has {len(names)}{cut}"
                )
        cells = [cell for _, row in chunk for cell in row]
        lines += [line for line, _ in chunk]
        numbers = _numbers(cells, names, lines[-len(chunk) :], file)
        if impact is not None:
            place = names.index("time")
            times = [row[place].strip() for _, row in chunk]
            numbers[:, place] = [since(text, impact) if text else np.nan for text in times]
        parts.append(numbers)
    if not parts:
        raise ModelError(f"{file}: has a header but no rows")
    return np.array(lines), np.concatenate(parts)


def _numbered(reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, with their lines."""
    for row in reader:
        if row and (len(row) > 1 or row[0].strip()):
            yield reader.line_num, row


def _numbers(cells: list[str], names: list[str], lines: list[int], file: str) -> np.ndarray:
    try:
        values = [float(cell) if cell and not cell.isspace() else np.nan for cell in cells]
    except ValueError:
        values = None
    if values is not None and not _has_words(cells, values):
        return np.array(values).reshape(-1, len(names))
    for k, cell in enumerate(cells):
        if not _is_number(cell):
            row, column = divmod(k, len(names))
            raise ModelError(
                f"{file}, line {lines[row]}: {names[column]} must be a finite number, or blank "
                f"for a missing sample, got {shown(cell)}"
            )
    raise AssertionError("every cell is a number")


def _has_words(cells: list[str], values: list[float]) -> bool:
    """Whether `nan`, `inf`, `1_000` or the like stand among the numbers."""
    array = np.array(values)
    odd = np.flatnonzero(~np.isfinite(array))
    return any(cells[k].strip() for k in odd) or any("_" in cell for cell in cells)


def _is_number(cell: str) -> bool:
    text = cell.strip()
    if not text:
        return True
    try:
        return bool(np.isfinite(float(text))) and "_" not in text
    except ValueError:
        return False


def _refuse_disorder(time: np.ndarray, lines: np.ndarray, file: str) -> None:
    blank = np.isnan(time)
    if blank.any():
        line = lines[int(np.argmax(blank))]
        raise ModelError(f"{file}, line {line}: time is blank; every row has its time (s)")
    late = np.diff(time) <= 0
    if late.any():
        k = int(np.argmax(late))
        raise ModelError(
            f"{file}, line {lines[k + 1]}: time must increase from row to row, got "
            f"{time[k + 1]:.9g} s after {time[k]:.9g} s"
        )


def _refuse_early(time: np.ndarray, lines: np.ndarray, file: str) -> None:
    if time[0] < 0:
        raise ModelError(
            f"{file}, line {lines[0]}: time is counted from the impact (s, ≥ 0), got {time[0]:g} "
            "s; leave out the rows before it, or say with --impact-at (impact_at) when it was"
        )
