"""What an HDF5 file holds, looked through before any of it is read.

The format lets a file of a few kB declare any amount of data, take data from other files of the
computer, and ask for libraries that decode it. None of that is part of a measurement.
"""

from __future__ import annotations

import io
import math
from typing import Any

from percuss.io.reading import size_text
from percuss.model.errors import ModelError

MOST_BYTES = 100_000_000
"""Of all numbers together: an hour of thirty channels at 100 Hz."""
MOST_OBJECTS = 10_000
"""Groups and variables."""
MOST_ATTRIBUTE = 50_000
"""Bytes of one attribute, such as a unit."""
FILTERS = (1, 2, 3, 4, 5, 6, 32000)
"""Ways to pack numbers that come with HDF5 and h5py (deflate … scale-offset, lzf). Others are
libraries that would be loaded."""


def refuse_hdf5(data: bytes, file: str) -> None:
    """ModelError where the bytes of an HDF5 file refer to others, or ask for too much memory."""
    import h5py

    with h5py.File(io.BytesIO(data), "r") as opened:
        _Contents(file).look_through(opened)


class _Contents:
    """Looks through groups and variables, each once, and adds up what they would take."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.total = 0
        self.visited: set[Any] = set()

    def look_through(self, root: Any) -> None:
        import h5py

        waiting = [root]
        while waiting:
            group = waiting.pop()
            self._attributes(group)
            for name in group:
                if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                    raise self._refused(f"{name!r} is a link; a measurement holds its own numbers")
                found = group[name]
                if found in self.visited:
                    continue  # things in an HDF5 file can hold each other
                self.visited.add(found)
                if len(self.visited) > MOST_OBJECTS:
                    raise self._refused(f"holds more than {MOST_OBJECTS} things, at most allowed")
                if isinstance(found, h5py.Group):
                    waiting.append(found)
                elif isinstance(found, h5py.Dataset):
                    self._variable(name, found)

    def _variable(self, name: str, variable: Any) -> None:
        self._attributes(variable)
        if variable.external:
            raise self._refused(f"{name!r} is stored in an external file; that is not read")
        if variable.is_virtual:
            raise self._refused(f"{name!r} is virtual, made of other files; those are not read")
        if variable.dtype.kind not in "fiu":
            raise self._refused(f"{name} must hold numbers over time, got {variable.dtype}")
        creation = variable.id.get_create_plist()
        for k in range(creation.get_nfilters()):
            number = creation.get_filter(k)[0]
            if number not in FILTERS:
                raise self._refused(
                    f"{name!r} is packed by filter {number}, which is a library of its own; use "
                    "deflate, or none"
                )
        # A part of a variable is unpacked whole.
        parts = [variable.shape or (1,), variable.chunks or (1,)]
        self.total += variable.dtype.itemsize * max(math.prod(shape) for shape in parts)
        if self.total > MOST_BYTES:
            raise self._refused(
                f"declares {size_text(self.total)} of numbers (up to {name!r}); read are at most "
                f"{size_text(MOST_BYTES)}"
            )

    def _attributes(self, thing: Any) -> None:
        import h5py

        for name in thing.attrs:
            found = h5py.h5a.open(thing.id, name.encode())
            size = math.prod(found.shape) * found.dtype.itemsize
            if size > MOST_ATTRIBUTE:
                raise self._refused(
                    f"the attribute {name!r} has {size} bytes; allowed are at most {MOST_ATTRIBUTE}"
                )

    def _refused(self, reason: str) -> ModelError:
        return ModelError(f"{self.file}: {reason}")
