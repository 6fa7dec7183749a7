"""Numbers, axes and quantities as a reader sees them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

QUANTITIES = {
    "vx": "velocity of the centre of mass along x",
    "vy": "velocity of the centre of mass along y",
    "vz": "velocity of the centre of mass along z",
    "omega": "angular velocity",
    "wx": "angular velocity about x",
    "wy": "angular velocity about y",
    "wz": "angular velocity about z",
    "angle": "attitude",
    "attitude.x": "attitude about x",
    "attitude.y": "attitude about y",
    "attitude.z": "attitude about z",
    "mass": "mass",
    "com.x": "centre of mass along x of the target",
    "com.y": "centre of mass along y of the target",
    "com.z": "centre of mass along z of the target",
    "inertia": "moment of inertia",
    "inertia.xx": "moment of inertia about x of the target",
    "inertia.yy": "moment of inertia about y of the target",
    "inertia.zz": "moment of inertia about z of the target",
    "inertia.xy": "product of inertia xy of the target",
    "inertia.xz": "product of inertia xz of the target",
    "inertia.yz": "product of inertia yz of the target",
    "contact.x": "contact point along x of the target",
    "contact.y": "contact point along y of the target",
    "contact.z": "contact point along z of the target",
    "restitution": "restitution",
    "time": "time of the impact",
}
"""What the unknowns are called."""


def number(x: float, digits: int = 3) -> str:
    """Short, with a true minus.

    >>> number(-0.25), number(1234.5), number(1e-17)
    ('−0.25', '1.23e+03', '1e-17')
    """
    return f"{x:.{digits}g}".replace("-", "−", 1) if x < 0 else f"{x:.{digits}g}"


def rounded_axis(a: Sequence[float] | Array, digits: int = 3) -> Array:
    """The unit vector along a, first large entry positive, with so many digits after the point.

    What is rounded so already is left as it is, though not quite of length one.

    >>> rounded_axis([1.0, -2.0]).tolist()
    [0.447, -0.894]
    """
    unit = np.asarray(a, float)
    size = float(np.linalg.norm(unit))
    if abs(size - 1.0) > 10.0**-digits or np.any(unit != np.round(unit, digits)):
        unit = unit / size
    unit = unit * np.sign(unit[np.flatnonzero(np.abs(unit) > 0.1)[0]])
    return np.round(unit, digits) + 0.0


def along(a: Sequence[float] | Array, digits: int = 3) -> str:
    """An axis: a letter, or a unit vector whose first large entry is positive.

    >>> along([0.0, -2.0]), along([3.0, -4.0, 0.0])
    ('y', '(0.6, −0.8, 0)')
    """
    unit = rounded_axis(a, digits)
    if np.count_nonzero(unit) == 1:
        return "xyz"[int(np.argmax(np.abs(unit)))]
    return f"({', '.join(number(float(x), digits) for x in unit)})"


def line_of(a: Sequence[float] | Array, b: Sequence[float] | Array) -> bool:
    """Whether two vectors lie on one line, within half a degree; the first may be of the plane."""
    first = np.zeros(3)
    first[: len(a)] = a
    size = float(np.linalg.norm(first) * np.linalg.norm(b))
    return size > 0.0 and float(np.linalg.norm(np.cross(first, b))) < 0.01 * size


def listed(parts: Sequence[str]) -> str:
    """a, b and c."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def proportion(values: Array, names: Sequence[str], units: Sequence[str], ranges: Array) -> str:
    """A direction by the quantities that it moves most, as shares of their ranges."""
    share = np.abs(values) / ranges
    kept = [int(k) for k in np.argsort(-share, kind="stable") if share[k] > 0.1 * share.max()]
    mainly = (
        "mainly " if np.any((share > 0.02 * share.max()) & (share <= 0.1 * share.max())) else ""
    )
    called = [QUANTITIES.get(names[k], names[k]) for k in kept]
    if len(kept) == 1:
        return mainly + called[0]
    amounts = [f"{number(float(values[k]))} {units[k]}".removesuffix(" 1") for k in kept]
    return f"{mainly}{listed(called)} together, in the proportion {' : '.join(amounts)}"


def rounded_sum(values: Array, digits: int = 3) -> Array:
    """Weights with so many digits, those below rounding left out."""
    largest = float(np.abs(values).max())
    kept = np.where(np.abs(values) < 10.0**-digits * largest, 0.0, values)
    return np.array([float(f"{x:.{digits}g}") for x in kept])


def weighted_sum(values: Array, names: Sequence[str]) -> str:
    """A combination as a sum: vx + 0.5 omega − 2 mass."""
    text = ""
    for k in np.flatnonzero(values).tolist():
        size = number(abs(float(values[k])), 9)
        term = names[k] if size == "1" else f"{size} {names[k]}"
        sign = "−" if values[k] < 0 else "+"
        text += f" {sign} {term}" if text else (f"−{term}" if values[k] < 0 else term)
    return text
