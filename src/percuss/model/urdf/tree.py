"""The tree that the joints of a URDF make of its links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from percuss.model.errors import choices, closest
from percuss.model.urdf.xml import Element


def by_name(robot: Element, tag: str) -> dict[str, Element]:
    """The links or joints by name; those without a name or with a taken one are errors."""
    found: dict[str, Element] = {}
    for element in robot.all(tag):
        with robot.log.going_on():
            name = element.text("name")
            if name in found:
                line = found[name].line
                raise element.error(
                    f"the name is taken by another {tag} on line {line}; names must differ"
                )
            found[name] = element
    return found


def root_of(links: Mapping[str, Element], joints: Mapping[str, Element]) -> str:
    """The one link that is no child; loops, several roots and unknown links are refused."""
    joint_of: dict[str, Element] = {}
    for joint in joints.values():
        with joint.log.going_on():
            _check_ends(joint, links)
            child = _end(joint, "child")
            if child in joint_of:
                other = joint_of[child]
                raise joint.error(
                    f"link {child!r} is already the child of {other.described} (line "
                    f"{other.line}): a loop, which a tree of joints cannot hold"
                )
            joint_of[child] = joint
    next(iter(links.values())).log.check_errors()
    _refuse_loops(links, joint_of)
    roots = [name for name in links if name not in joint_of]
    if len(roots) > 1:
        named = ", ".join(f"{name!r} (line {links[name].line})" for name in roots)
        raise links[roots[1]].error(
            f"the file has {len(roots)} roots, links that are no joint's child: {named}; "
            "allowed is one. Join them by a joint, 'fixed' or 'floating' perhaps"
        )
    return roots[0]


def _end(joint: Element, role: str) -> str:
    return joint.needed(role).text("link")


def _check_ends(joint: Element, links: Mapping[str, Element]) -> None:
    for role in ("parent", "child"):
        link = _end(joint, role)
        if link not in links:
            there = there_is(link, links)
            raise joint.needed(role).error(f"link {link!r} does not exist.{there}")


def _refuse_loops(links: Mapping[str, Element], joint_of: Mapping[str, Element]) -> None:
    reaching_root: set[str] = set()
    for name in links:
        path: dict[str, None] = {}
        link = name
        while link in joint_of and link not in reaching_root:
            if link in path:
                names = list(path)
                cycle = " → ".join([link, *reversed(names[names.index(link) :])])
                raise joint_of[link].error(f"links form a loop: {cycle}")
            path[link] = None
            link = _end(joint_of[link], "parent")
        reaching_root.update(path)


def there_is(name: str, known: Iterable[str]) -> str:
    """What there is instead of a link or joint that does not exist, after a sentence."""
    names = list(known)
    return f"{closest(name, names)} There are: {choices(name, names)}"
