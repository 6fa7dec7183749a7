"""Damage to texts and bytes that knows nothing of what they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from tests.fuzz.values import hostile_number, hostile_text

_PUNCTUATION = "\t:{}[],&*!|>'\"%@`\n#-?<>=/\\;.é\x07\x00\x1b\u2028"
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_MOST = 300_000
"""Characters of a damaged text, so that doubling does not take the time of everything else."""


def damaged_text(text: str, rng: Random, others: Sequence[str]) -> str:
    """The text with one to three changes; `others` are texts from which lines are taken."""
    for _ in range(rng.randint(1, 3)):
        text = _change(text, rng, others)[:_MOST]
    return text


def _change(text: str, rng: Random, others: Sequence[str]) -> str:
    if not text:
        return hostile_text(rng)
    a, b = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    lines = text.splitlines(keepends=True)
    k = rng.randrange(len(lines))
    match rng.randrange(11):
        case 0:
            return text[:a]
        case 1:
            return text[:a] + rng.choice(_PUNCTUATION) + text[a:]
        case 2:
            return text[:a] + text[min(b, a + rng.randint(1, 40)) :]
        case 3:
            return "".join([*lines[: k + 1], *lines[k:]])
        case 4:
            return "".join([*lines[:k], *lines[k + 1 :]])
        case 5:
            other = rng.choice(others).splitlines(keepends=True) or [""]
            start = rng.randrange(len(other))
            return "".join([*lines[:k], *other[start : start + rng.randint(1, 8)], *lines[k:]])
        case 6:
            return text[:a] + hostile_text(rng) + text[a:]
        case 7:
            return text[:a] + text[a:b][:200] * rng.choice((2, 3, 50, 1000)) + text[b:]
        case 8:
            return "".join([*lines[:k], " " * rng.randint(1, 5), *lines[k:]])
        case 9:
            rng.shuffle(lines)
            return "".join(lines)
        case _:
            return _other_number(text, rng)


def _other_number(text: str, rng: Random) -> str:
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    place = rng.choice(found)
    return text[: place.start()] + str(hostile_number(rng, float(place[0]))) + text[place.end() :]


def damaged_bytes(data: bytes, rng: Random) -> bytes:
    """The bytes with a few of them changed, moved, added or gone."""
    match rng.randrange(8):
        case 0:
            return data[: rng.randrange(len(data) + 1)]
        case 1:
            return b"\xef\xbb\xbf" + data
        case 2:
            return data.decode("utf-8", "replace").encode(
                "utf-16" if rng.random() < 0.5 else "cp037", "replace"
            )
        case 3:
            place = rng.randrange(len(data) + 1)
            return data[:place] + rng.randbytes(rng.randint(1, 64)) + data[place:]
        case _:
            changed = bytearray(data)
            for _ in range(rng.choice((1, 1, 2, 5, 20))):
                if changed:
                    changed[rng.randrange(len(changed))] = rng.choice(
                        (0, 255, 127, 128, 10, rng.randrange(256))
                    )
            return bytes(changed)


def encoded(text: str) -> bytes:
    """A text as bytes; lone surrogates, which no UTF-8 has, as the bytes they stand for."""
    return text.encode("utf-8", "surrogatepass")
