"""Which motion of the joints would tell most: candidates tried on the model, the best proposed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.dynamics.composite import mass_matrix
from percuss.identify.information import Information, information
from percuss.identify.manoeuvre import ExcitedModel, burst, peak
from percuss.identify.model import ForwardModel
from percuss.identify.residuals import Weighting
from percuss.model.errors import ModelError, closest
from percuss.model.joints import Revolute
from percuss.scenario import effort_limits

CYCLES = (1.0, 2.0, 4.0, 8.0)
"""Oscillations within the record that are tried."""
SIZES = (1.0, 0.3, 0.1)
"""Shares of the torque that would move a joint of a rigid tree by the whole travel."""
_STRONG = 10.0
"""Range over standard deviation from which a direction needs no help."""
_LANES = 1024


@dataclass(frozen=True)
class Excitation:
    """A manoeuvre: a smooth burst of torque on one joint during the record.

    Attributes:
        joint: its name; `unit` of the torque is N m, or N for a joint that slides.
        frequency: of the oscillation (Hz); `cycles` of it in `length` (s).
        amplitude: largest torque; its sign is that of the first swing.
        travel: how far it moves any joint from where it were without (rad or m).
        before, after: information without and with the manoeuvre.
        quantity: whose standard deviation was to fall; None for the weakest directions.
        tried: how many manoeuvres were compared, all within the limits.
    """

    joint: str
    unit: str
    frequency: float
    cycles: float
    length: float
    amplitude: float
    travel: float
    before: Information
    after: Information
    quantity: str | None
    tried: int

    def torque(self, t: Any) -> np.ndarray:
        """The torque at times t (s after the impact), zero outside the record."""
        times = np.asarray(t, float)
        factor = self.amplitude / peak(self.cycles, self.length)
        inside = (times >= 0.0) & (times <= self.length)
        flat = [float(np.asarray(burst(x, self.cycles, self.length))) for x in times.ravel()]
        return np.where(inside, factor * np.array(flat).reshape(times.shape), 0.0)

    @property
    def factors(self) -> dict[str, float]:
        """By what each standard deviation falls; infinite where a quantity becomes known."""
        found: dict[str, float] = {}
        for k, name in enumerate(self.before.names):
            if self.before.nuisance[k] or not self.after.known[k]:
                continue
            was_known = bool(self.before.known[k])
            ratio = float(self.before.sigmas[k] / self.after.sigmas[k])
            found[name] = ratio if was_known else math.inf
        return found

    @property
    def words(self) -> str:
        gains: list[str] = []
        for name, factor in sorted(self.factors.items(), key=lambda item: -item[1]):
            k = self.after.names.index(name)
            unit = "" if self.after.units[k] == "1" else f" {self.after.units[k]}"
            sigma = f"± {self.after.sigmas[k]:.2g}{unit}"
            if math.isinf(factor):
                gains.append(f"{name} becomes known, {sigma}")
            elif factor > 1.5 and (self.quantity is None or name == self.quantity):
                gains.append(f"the uncertainty of {name} falls {factor:.3g} times, to {sigma}")
        manoeuvre = (
            f"swinging joint {self.joint} at {self.frequency:.3g} Hz with up to "
            f"{abs(self.amplitude):.3g} {self.unit} for {self.length:.3g} s"
        )
        if not gains:
            return f"no manoeuvre of a joint helps much; the best is {manoeuvre}"
        return f"{manoeuvre}: {'; '.join(gains[:4])}"


def propose(
    model: ForwardModel,
    noise: Mapping[str, float],
    theta: Any,
    *,
    quantity: str | None = None,
    travel: float = 0.3,
    torque: float | None = None,
    cycles: tuple[float, ...] = CYCLES,
) -> Excitation:
    """The manoeuvre of one joint that tells most about what is weak.

    All joints, numbers of cycles and both signs are followed with their sensitivities in one
    batch, and the information of each is computed as it is for a fit.

    Args:
        model: of the record; the manoeuvre lasts as long.
        noise: standard deviations by kind of measurement.
        theta: where the information is taken (n,), such as the fit's.
        quantity: whose standard deviation is to fall; default the directions that are weak.
        travel: how far any joint may move by it (rad or m), within its own limits.
        torque: largest (N m or N), besides the limits of the scenario.
        cycles: how many oscillations within the record are tried.
    """
    names = model.unknowns.names
    if quantity is not None and quantity not in names:
        raise ModelError(
            f"quantity: {quantity!r} is not unknown here.{closest(quantity, names)} There are: "
            f"{', '.join(names)}"
        )
    for what, value in (("travel", travel), ("torque", torque)):
        if value is not None and not (value > 0.0 and math.isfinite(value)):
            raise ModelError(f"{what} must be finite and > 0, got {value!r}")
    theta = np.asarray(theta, float)
    excited = ExcitedModel(model)
    length = excited.length
    joints = model.scenario.start.chaser.movable_joints
    options = _options(excited, travel, torque, cycles)
    if not options:
        raise ModelError("no joint has a motor that may move it: there is nothing to excite")
    table = np.zeros((len(joints) + 1, 1 + len(options)))
    table[-1] = 1.0  # the first lane has no torque: what the record tells as it is
    for k, (joint, count, amplitude) in enumerate(options, start=1):
        table[joint, k] = amplitude / peak(count, length)
        table[-1, k] = count
    found, angles = _informations(excited, noise, theta, table)
    before, others = found[0], found[1:]
    far = np.nanmax(np.abs(angles[..., 1:] - angles[..., :1]), axis=(0, 1))
    allowed = (far <= travel) & _within(excited, angles)[1:]
    if not allowed.any():
        raise ModelError(
            f"travel: every manoeuvre that was tried moves a joint by more than {travel:g} rad "
            f"(or m), or beyond its limits; the least by {float(np.min(far)):.2g}"
        )
    scores = [
        _score(before, after, quantity) if ok else -math.inf
        for after, ok in zip(others, allowed, strict=True)
    ]
    best = int(np.argmax(scores))
    joint, count, amplitude = options[best]
    return Excitation(
        joints[joint].name,
        "N m" if isinstance(joints[joint].motion, Revolute) else "N",
        count / length,
        count,
        length,
        amplitude,
        float(far[best]),
        before,
        others[best],
        quantity,
        int(allowed.sum()),
    )


def _options(
    model: ExcitedModel, travel: float, torque: float | None, cycles: tuple[float, ...]
) -> list[tuple[int, float, float]]:
    """(joint, cycles, largest torque) of all manoeuvres, within limits."""
    chaser = model.motion.onset.start.chaser
    limits = effort_limits(model.plain.scenario.control, chaser)
    inertias, length = _inertias(model), model.length
    found: list[tuple[int, float, float]] = []
    for k, joint in enumerate(chaser.movable_joints):
        if joint.motion.rate_count != 1:
            continue
        limit = float(limits[chaser.node(joint.child).rates.start])
        most = min(limit, math.inf if torque is None else torque)
        for count in cycles:
            whole = travel * inertias[k] * peak(count, length)
            sizes = dict.fromkeys(min(share * whole, most) for share in SIZES)
            found += [(k, count, sign * x) for x in sizes for sign in (1.0, -1.0) if x > 0.0]
    return found


def _within(model: ExcitedModel, angles: np.ndarray) -> np.ndarray:
    """Which manoeuvres keep all joints within limits that they keep without (batch,)."""
    joints = model.motion.onset.start.chaser.movable_joints
    kept = np.ones(angles.shape[2], bool)
    for own, joint in zip(angles, joints, strict=True):
        low, high = float(joint.limits.lower), float(joint.limits.upper)
        inside = ((own >= low) & (own <= high)).all(axis=0)
        if inside[0]:
            kept &= inside
    return kept


def _inertias(model: ExcitedModel) -> list[float]:
    """What each joint feels of the whole tree at the impact, everything else free (kg m²)."""
    stage = model.motion.known.stage
    assert stage.tree is not None
    inverse = np.linalg.inv(np.array(mass_matrix(stage.tree, stage.coordinates), float))
    chaser = model.motion.onset.start.chaser
    places = [chaser.node(joint.child).rates.start for joint in chaser.movable_joints]
    return [1.0 / float(inverse[place, place]) for place in places]


def _informations(
    model: ExcitedModel, noise: Mapping[str, float], theta: np.ndarray, table: np.ndarray
) -> tuple[list[Information], np.ndarray]:
    """Information under each manoeuvre (a column of the table), and joint angles."""
    plain = model.plain
    weighting = Weighting(plain, noise)
    shape = (len(plain.channels), len(plain.times))
    pieces = max(1, math.ceil(table.shape[1] * len(theta) / _LANES))
    found: list[Information] = []
    angles: list[np.ndarray] = []
    for part in np.array_split(table, pieces, axis=1):
        values, slopes, moved = model.excited(theta, part)
        angles.append(moved)
        _, rows = weighting.whitened(values.reshape(*shape, -1), values, slopes)
        found += [information(plain.unknowns, theta, rows[..., k]) for k in range(part.shape[1])]
    return found, np.concatenate(angles, axis=-1)


def _score(before: Information, after: Information, quantity: str | None) -> float:
    """Larger is better; minus infinity for a motion that is no number."""
    if quantity is not None:
        k = after.names.index(quantity)
        # Until a quantity is known, bring down what hides it.
        hidden = float(after.leaks[k]) if not after.known[k] else 0.0
        return -10.0 * hidden - math.log(float(after.sigmas[k] / after.ranges[k]))
    weak = before.strengths < _STRONG
    if not weak.any():
        return math.log(float(after.strengths[-1]))
    logs = np.log(np.maximum(after.strengths[weak], 1e-6))
    # Whatever is strong enough counts alike; among equals the stronger is taken.
    return float(np.sum(np.minimum(logs, math.log(_STRONG))) + 1e-3 * np.sum(logs))
