"""Fingerprints: a hash of everything that determines what a function computes.

It is taken from the data itself: numbers bit by bit, arrays, containers, the fields of dataclasses,
and functions by their code, their defaults, what they close over and the globals they name. What
cannot be told apart this way has no fingerprint, so that what is kept under one is never stale.

A class of percuss that is no dataclass, or whose fields are not all of what its functions look at,
has a method `__fingerprint__`: it returns the values that determine what an object computes, None
where it cannot tell.

Frozen dataclasses that are made of nothing that can change, such as systems of bodies, are walked
through once: their hashes are remembered for as long as they live.
"""

from __future__ import annotations

import builtins
import enum
import functools
import hashlib
import types
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from percuss.kernel.provenance import (
    UnknownError,
    imports,
    is_ours,
    library_of,
    module_of,
    names_around,
    version_of,
)
from percuss.kernel.sources import kernel_version, package_version


def fingerprint(*values: Any) -> str | None:
    """A hash of some values, 64 hexadecimal digits; None where one of them cannot be hashed.

    Equal fingerprints mean equal values under the same code: the sources of percuss and the
    versions of Python and NumPy are part of it. A callable of a library is known by its name and
    the library's version; one whose library has no version, and any object that is not made of
    plain data, has no fingerprint.
    """
    return _fingerprint(package_version(), values)


def kernel_fingerprint(*values: Any) -> str | None:
    """A fingerprint that changes with the sources of the kernel, but with no others of percuss.

    It is for what the kernel makes of programs, and of functions that are known by a name.
    """
    return _fingerprint(kernel_version(), values)


_remembered: dict[int, tuple[weakref.ref[Any], bytes]] = {}
"""Hashes of objects that cannot change, by their identity, as long as they live."""


@dataclass(frozen=True)
class _Seen:
    """What a walk through values has come by.

    Attributes:
        around: places of the containers around the value that is looked at, by their identity.
        known: values that were walked through, by their identity, with their hashes and whether
            they can change. They are kept so that no other takes the place of one in memory.
        loops: the places of containers that were met again inside themselves.
        loose: the kinds of what was met that can change, each time it was.
    """

    around: dict[int, int] = field(default_factory=dict[int, int])
    known: dict[int, tuple[Any, bytes, bool]] = field(
        default_factory=dict[int, tuple[Any, bytes, bool]]
    )
    loops: list[int] = field(default_factory=list[int])
    loose: list[type] = field(default_factory=list[type])

    def inside(self, value: Any) -> _Seen:
        around = self.around | {id(value): len(self.around)}
        return _Seen(around, self.known, self.loops, self.loose)


def _fingerprint(version: bytes, values: tuple[Any, ...]) -> str | None:
    seen = _Seen()
    try:
        return _hashed((p for value in values for p in _pieces(value, seen)), version).hex()
    except UnknownError:
        return None


def _hashed(pieces: Iterable[bytes], before: bytes = b"") -> bytes:
    hasher = hashlib.sha256(before)
    for piece in pieces:
        hasher.update(len(piece).to_bytes(8, "little") + piece)
    return hasher.digest()


def _pieces(value: Any, seen: _Seen) -> Iterator[bytes]:
    """What tells a value apart, piece by piece, a hash for what is composed of others."""
    kind = type(value)
    if kind is float:
        yield b"float " + value.hex().encode()
    elif value is None or kind in (bool, int, str, bytes, complex):
        yield f"{kind.__name__} {value!r}".encode("utf-8", "surrogatepass")
    elif isinstance(value, np.generic) or (kind is np.ndarray and value.dtype != object):
        if kind is np.ndarray:
            seen.loose.append(kind)
        array = np.asarray(value)
        yield f"array {array.dtype.str} {array.shape}".encode()
        yield array.tobytes()
    elif id(value) in seen.around:
        seen.loops.append(seen.around[id(value)])
        yield f"again {seen.loops[-1]}".encode()  # the container that is being looked at
    elif id(value) in seen.known:
        _, digest, changes = seen.known[id(value)]
        if changes:
            seen.loose.append(kind)
        yield digest
    elif (kept := _remembered.get(id(value))) is not None and kept[0]() is value:
        yield kept[1]
    else:
        loops, loose = len(seen.loops), len(seen.loose)
        digest = _hashed(_composed(value, kind, seen.inside(value)))
        if len(seen.loops) == loops:  # else it depends on what is around it
            changes = len(seen.loose) > loose
            seen.known[id(value)] = value, digest, changes
            if not changes and is_dataclass(kind) and kind.__weakrefoffset__:
                _remember(value, digest)
        yield digest


def _remember(value: Any, digest: bytes) -> None:
    place = id(value)
    _remembered[place] = weakref.ref(value, lambda _: _remembered.pop(place, None)), digest


def _composed(value: Any, kind: type, seen: _Seen) -> Iterator[bytes]:
    if not _is_fixed(value, kind):
        seen.loose.append(kind)
    if isinstance(value, enum.Enum):
        yield f"enum {_name(kind)} {value.name}".encode()
        yield from _pieces(value.value, seen)
    elif isinstance(value, PurePath):
        yield f"path {value}".encode("utf-8", "surrogatepass")
    elif isinstance(value, type):
        yield _class(value)
    elif isinstance(value, slice):
        yield b"slice"
        for part in (value.start, value.stop, value.step):
            yield from _pieces(part, seen)
    elif hasattr(kind, "__fingerprint__"):
        yield _class(kind)
        told = value.__fingerprint__()
        if told is None:
            raise UnknownError
        yield from _pieces(told, seen)
    elif kind in (dict, types.MappingProxyType):
        yield f"dict of {len(value)}".encode()
        for key, part in value.items():
            yield from _pieces(key, seen)
            yield from _pieces(part, seen)
    elif kind in (tuple, list) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        yield f"{_name(kind)} of {len(value)}".encode()
        if kind not in (tuple, list):
            yield _class(kind)
        for part in value:
            yield from _pieces(part, seen)
    elif kind in (set, frozenset):
        digests = sorted(b"".join(_pieces(part, seen)) for part in value)
        yield f"set of {len(value)}".encode()
        yield from digests
    elif is_dataclass(kind):
        yield _class(kind)
        for name in _field_names(kind):
            yield name.encode()
            yield from _pieces(getattr(value, name), seen)
    else:
        yield from _callable(value, seen)


def _is_fixed(value: Any, kind: type) -> bool:
    """Whether an object cannot change as long as its parts do not."""
    if isinstance(value, (enum.Enum, PurePath, type)) or kind in (tuple, frozenset, slice):
        return True
    return _is_frozen(kind) and not hasattr(kind, "__fingerprint__")


@functools.lru_cache(maxsize=1024)
def _is_frozen(kind: type) -> bool:
    parameters = getattr(kind, "__dataclass_params__", None)
    return parameters is not None and parameters.frozen


@functools.lru_cache(maxsize=1024)
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _callable(value: Any, seen: _Seen) -> Iterator[bytes]:
    if isinstance(value, types.FunctionType):
        yield from _function(value, seen)
    elif isinstance(value, types.MethodType):
        yield b"method"
        yield from _pieces(value.__self__, seen)
        yield from _pieces(value.__func__, seen)
    elif isinstance(value, functools.partial):
        yield b"partial"
        for part in (value.func, value.args, dict(value.keywords)):
            yield from _pieces(part, seen)
    elif isinstance(value, types.CodeType):
        yield from _code(value, seen)
    elif isinstance(value, types.ModuleType):
        yield library_of(value.__name__)
    elif isinstance(value, types.BuiltinFunctionType) or _is_numpys(value):
        yield f"built-in {getattr(value, '__qualname__', value.__name__)}".encode()
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, types.ModuleType):
            yield from _pieces(owner, seen)
        else:
            yield library_of(getattr(value, "__module__", None) or "numpy")
    else:
        raise UnknownError


def _is_numpys(value: Any) -> bool:
    """Whether it is a function of NumPy itself, and not one that NumPy made of another.

    Those that dispatch on their arguments are of a type of their own.
    """
    if isinstance(value, np.ufunc):
        return getattr(np, value.__name__, None) is value
    return isinstance(value, type(np.sum))


def _function(function: types.FunctionType, seen: _Seen) -> Iterator[bytes]:
    module = module_of(function)
    yield f"function {module}.{function.__qualname__}".encode()
    closed = function.__closure__ or ()
    own = is_ours(module)
    if own or version_of(module) is not None:
        yield library_of(module)
        if "<locals>" not in function.__qualname__ and not closed:
            return
    yield from _code(function.__code__, seen)
    yield from _pieces(function.__defaults__, seen)
    yield from _pieces(function.__kwdefaults__, seen)
    for cell in closed:
        try:
            content = cell.cell_contents
        except ValueError:  # empty: assigned later
            raise UnknownError from None
        yield from _pieces(content, seen)
    if own or version_of(module) is not None:
        return
    if imports(function.__code__):
        raise UnknownError  # what it imports is not looked at
    for name in sorted(names_around(function.__code__)):
        if name in function.__globals__:
            yield f"global {name}".encode()
            yield from _pieces(function.__globals__[name], seen)
        elif not hasattr(builtins, name):
            # An attribute, or a name that would be missing: the code itself tells it apart.
            yield f"name {name}".encode()


def _code(code: types.CodeType, seen: _Seen) -> Iterator[bytes]:
    yield code.co_code
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_flags)).encode()
    for constant in code.co_consts:
        yield from _pieces(constant, seen)


@functools.lru_cache(maxsize=1024)
def _class(kind: type) -> bytes:
    """A class, known by its name where its code is that of percuss, Python or a library."""
    return f"class {_name(kind)} ".encode() + library_of(kind.__module__)


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
