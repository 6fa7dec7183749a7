"""Gains of control laws, given or from a natural frequency and a damping ratio."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

from percuss.algebra.arrays import Coordinates
from percuss.algebra.scalars import Scalar, pack, plain, sub, terms, unpack
from percuss.control.plant import Plant, TreePlant
from percuss.dynamics.effective_inertia import effective_inertias
from percuss.model.checks import is_not_negative, is_positive, shown, violates
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars


def gains(natural_frequency: Any, damping_ratio: Any, count: int) -> tuple[Any, Any]:
    """(kp, kd) of ë + kd ė + kp e = 0: kp = ωn² in 1/s², kd = 2 ζ ωn in 1/s (thesis 4.30).

    Args:
        natural_frequency: ωn > 0, rad/s; one number or `count` of them.
        damping_ratio: ζ ≥ 0; 1 comes to rest soonest without overshooting.
        count: the chaser's rates.

    Returns:
        Two arrays of shape (count,).

    Example:
        >>> gains(2.0, 1.0, 3)
        (array([4., 4., 4.]), array([4., 4., 4.]))
    """
    return _scaled((1.0,) * count, natural_frequency, damping_ratio)


def pd_gains(
    plant: Plant, q0: Coordinates, natural_frequency: Any, damping_ratio: Any
) -> tuple[Any, Any]:
    """(kp, kd) for `pd`: kp = M*_ii ωn², kd = 2 ζ ωn M*_ii, M*_ii the effective inertia at q0.

    M*_ii (kg or kg m²) is what an actuator feels while the other driven rates are held and what
    nothing drives is free: the base of a free-floating robot, the swing of a pinned target. So
    each driven rate on its own swings with ωn (rad/s) and ζ about the goal. Together they
    influence each other: of n driven rates no mode is slower than ωn/√n, nor damped less than
    ζ/√n, while modes that move little inertia are quicker and damped more.

    Args:
        q0: coordinates of the whole plant, shape (coordinate_count,).

    Returns:
        Two arrays of shape (own_rates,), in N/m and N m/rad, N s/m and N m s/rad; 0 where nothing
        is driven.
    """
    return _scaled(felt_inertias(plant, q0), natural_frequency, damping_ratio)


def spread(values: Any, count: int, what: str, *, positive: bool = False) -> Scalars:
    """One scalar for all of `count` rates or one for each: finite, and ≥ 0 (or > 0)."""
    if isinstance(values, Sized) and getattr(values, "ndim", 1):
        entries = unpack(values, len(values), what)
    else:
        entries = unpack([values], 1, what) * count
    if len(entries) != count:
        raise ModelError(
            f"{what} must be one number or {count}, one for each rate of the chaser, "
            f"got {len(entries)}"
        )
    for k, value in enumerate(entries):
        if violates(value, is_positive if positive else is_not_negative):
            least = "> 0" if positive else "≥ 0"
            raise ModelError(f"{what}: entry {k} must be finite and {least}, got {shown(value)}")
    return entries


def _scaled(inertias: Scalars, natural_frequency: Any, damping_ratio: Any) -> tuple[Any, Any]:
    count = len(inertias)
    frequencies = spread(natural_frequency, count, "natural-frequency (rad/s)", positive=True)
    ratios = spread(damping_ratio, count, "damping-ratio")
    kp: list[Scalar] = []
    kd: list[Scalar] = []
    for inertia, frequency, ratio in zip(inertias, frequencies, ratios, strict=True):
        w = terms(frequency)
        kp.append(plain(inertia * (w * w)))
        kd.append(plain(inertia * (2.0 * (ratio * w))))
    return pack(kp), pack(kd)


def felt_inertias(plant: Plant, q0: Coordinates) -> Scalars:
    """M*_ii (kg or kg m²) of the chaser's rates, 0 where nothing is driven."""
    count = plant.own_rates
    if isinstance(plant, TreePlant):
        driven = (*plant.actuated, *(False,) * (plant.rate_count - count))
        felt = effective_inertias(plant.system, q0, driven)
        return unpack(felt, plant.rate_count, "M*")[:count]
    # At rest a unit acceleration of one driven rate takes M*_ii more than none: what is not driven
    # then moves as it must.
    rest = [0.0] * plant.rate_count
    held = unpack(plant.commands(q0, rest, [0.0] * count), count, "commands")
    found: list[Scalar] = []
    for k in range(count):
        unit = [1.0 if i == k else 0.0 for i in range(count)]
        found.append(sub(unpack(plant.commands(q0, rest, unit), count, "commands")[k], held[k]))
    return tuple(found)
