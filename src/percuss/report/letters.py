"""Names as letters: what commands a terminal, or begins a formula in a figure, is written out."""

from __future__ import annotations

import re

_COMMANDS = re.compile(
    # Control characters but tab and line feed, among them escape and its one-character forms,
    # and those that turn the direction of writing or begin lines elsewhere.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


def plain(text: str) -> str:
    r"""The text with characters that command a terminal written out, such as `\x1b`."""
    return _COMMANDS.sub(lambda found: ascii(found[0])[1:-1], text)


def figure_text(text: str) -> str:
    """Text for a figure, in which a dollar sign does not start a formula."""
    return plain(text).replace("$", r"\$")
