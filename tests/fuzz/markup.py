"""Changes to XML documents (URDF, MJCF) that know elements and attributes."""

from __future__ import annotations

import copy
from random import Random
from xml.etree import ElementTree

from tests.fuzz.values import hostile_number, hostile_text, shifted

Element = ElementTree.Element

_MOST_COPIES = 300


def changed_markup(text: str, rng: Random, tags: tuple[str, ...]) -> str:
    """The text of an XML document with one to four changes; `tags` are known ones."""
    root = ElementTree.fromstring(text)
    for _ in range(rng.choice((1, 1, 2, 3, 4))):
        _change(root, rng, tags)
    written = ElementTree.tostring(root, encoding="unicode")
    return rng.choice(("", "", '<?xml version="1.0"?>\n')) + written


def _change(root: Element, rng: Random, tags: tuple[str, ...]) -> None:
    parents = {child: parent for parent in root.iter() for child in parent}
    element = rng.choice(list(root.iter()))
    parent = parents.get(element)
    kind = rng.randrange(13)
    if kind < 6 and element.attrib:
        _attribute(element, rng, root)
    elif kind == 6:
        element.set(rng.choice(("name", "value", "xyz", "type", "a:b", "mass")), _safe(rng))
    elif kind == 7 and parent is not None:
        parent.remove(element)
    elif kind == 8 and parent is not None:
        for _ in range(rng.choice((1, 1, 2, _MOST_COPIES))):
            parent.append(copy.deepcopy(element))
    elif kind == 9 and parent is not None:
        _move(root, element, parent, rng)
    elif kind == 10:
        element.tag = rng.choice(tags)
    elif kind == 11:
        element.append(Element(rng.choice(tags), {"name": _safe(rng)}))
    elif kind == 12:
        element.text = _safe(rng)
    elif element.attrib:
        del element.attrib[rng.choice(sorted(element.attrib))]


def _move(root: Element, element: Element, parent: Element, rng: Random) -> None:
    inside = set(element.iter())
    elsewhere = [other for other in root.iter() if other not in inside]
    parent.remove(element)
    rng.choice(elsewhere).append(element)


def _attribute(element: Element, rng: Random, root: Element) -> None:
    name = rng.choice(sorted(element.attrib))
    value = element.attrib[name]
    words = value.split()
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if numbers and rng.random() < 0.8:
        k = rng.randrange(len(numbers))
        new = rng.choice((hostile_number, shifted))(rng, numbers[k])
        words[k] = str(new)
        if rng.random() < 0.1:
            words = words[:-1] if rng.random() < 0.5 else [*words, "1"]
        element.set(name, " ".join(words))
    elif rng.random() < 0.5:
        # A value of the same name from elsewhere: doubled names, loops, foreign types.
        others = [other.attrib[name] for other in root.iter() if name in other.attrib]
        element.set(name, rng.choice(others))
    else:
        element.set(name, _safe(rng))


def _safe(rng: Random) -> str:
    """A text that can be written as XML."""
    text = hostile_text(rng)
    return "".join(
        letter for letter in text if letter >= " " and not "\ud800" <= letter <= "\udfff"
    )
