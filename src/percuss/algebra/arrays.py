"""Names for what functions of the physics take: their shapes, frames and units.

Each accepts a list or tuple of scalars, a NumPy or JAX array, a traced array, or a SymPy matrix:
whatever has a length and entries. Batches have their cases on the axes after the first.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias


class VectorLike(Protocol):
    """A list, an array of any library, traced or not, or a SymPy matrix."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any: ...


Coordinates: TypeAlias = VectorLike
"""Generalized coordinates q, (nq,): of each joint in the order of the system (m, rad).

Of a free base: position (m) and quaternion (w, x, y, z), in the plane x, y and the angle; world
frame.
"""

Rates: TypeAlias = VectorLike
"""Generalized velocities v, (nv,), as the joints' rates name them (m/s, rad/s).

Of a free base: velocity of its origin and angular velocity, both along the world's axes.
"""

Accelerations: TypeAlias = VectorLike
"""Rates of change of the generalized velocities, (nv,) (m/s², rad/s²)."""

Forces: TypeAlias = VectorLike
"""Generalized forces τ, (nv,), one for each rate (N, N m)."""

Commands: TypeAlias = VectorLike
"""What the actuators are asked for: forces on the driven rates, in their order (N, N m)."""
