"""Small URDF texts, a piece a line."""

from __future__ import annotations

MASS = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


def robot(*content: str) -> str:
    """A URDF with one line per piece, the first on line 2."""
    return "\n".join(['<robot name="r">', *content, "</robot>"])


def link(name: str, content: str = MASS) -> str:
    return f'<link name="{name}">{content}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", content: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{content}</joint>'


AB = (link("a"), link("b"))
