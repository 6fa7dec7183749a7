"""A small table of texts that can be shown in a terminal, a page or a document."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from percuss.model.table import text_table


@dataclass(frozen=True)
class Table:
    """A title, a header and rows of the same length."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(
                    f"table {self.title!r}: a row has {len(row)} cells, not {len(self.header)}: "
                    f"{row}"
                )

    def __str__(self) -> str:
        return f"{self.title}\n\n{text_table(self.header, self.rows)}"

    def html(self) -> str:
        """The table in HTML; cells that look like numbers are set apart by a class."""
        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.header)
        body = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in self.rows)
        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        return (
            f'<div class="wide"><table>{caption}\n<thead><tr>{head}</tr></thead>\n'
            f"<tbody>{body}</tbody></table></div>"
        )

    def markdown(self) -> str:
        """The table in Markdown, without the title."""
        lines = [self.header, ("---",) * len(self.header), *self.rows]
        return "\n".join(f"| {' | '.join(_escaped(line))} |" for line in lines)


def number(value: float, digits: int = 8) -> str:
    """A number for a reader: rounding noise is 0, and 1e-05 is 1e-5."""
    if abs(value) < 1e-11:
        return "0"
    text = f"{value:.{digits}g}".replace("-", "−")
    mantissa, e, exponent = text.partition("e")
    if not e:
        return text
    sign = "−" if exponent.startswith("−") else ""
    return f"{mantissa}e{sign}{exponent.lstrip('+−0')}"


def numbers(values: Iterable[float], digits: int = 8) -> str:
    """Several numbers, separated by commas; one is left alone."""
    return ", ".join(number(value, digits) for value in values)


def is_numeric(text: str) -> bool:
    """Whether a cell holds numbers and nothing else."""
    plain = text.replace("−", "-").replace(",", "").replace(" ", "")
    return plain != "" and all(c in "0123456789.e-" for c in plain)


def _cell(text: str) -> str:
    return (
        f'<td class="number">{escape(text)}</td>'
        if is_numeric(text)
        else f"<td>{escape(text)}</td>"
    )


def _escaped(line: tuple[str, ...]) -> tuple[str, ...]:
    """A bar would end the cell, and stars, underscores and brackets are markup."""
    marks = {ord(c): f"\\{c}" for c in "|*_[]<>`$"}
    return tuple(cell if set(cell) == {"-"} else cell.translate(marks) for cell in line)
