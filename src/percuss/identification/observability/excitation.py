"""A manoeuvre of one joint: a burst of torque, what it would tell, and how to carry it out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from percuss.identification.estimate.information import Information
from percuss.identification.observability.manoeuvre import peak


@dataclass(frozen=True)
class Excitation:
    """A manoeuvre: a smooth burst of torque on one joint during the record.

    τ(t) = a d²/dt² [sin(2π f t) sin²(π t / T)] from the impact, t = 0, to t = T, on top of what
    the control law commands; a law that is sampled holds it for its period. It begins and ends
    with no torque; alone on a rigid joint it would begin and end at rest in the same place.

    Attributes:
        joint: its name; `unit` of the torque is N m, or N for a joint that slides.
        frequency: f of the oscillation (Hz); `cycles` of it in `length` T (s).
        amplitude: largest torque; its sign is that of the first push.
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

    @cached_property
    def sines(self) -> tuple[tuple[float, float], ...]:
        """The sines of which the burst is made, τ(t) = Σ torque · sin(2π frequency t), f in Hz."""
        scale = self.amplitude / peak(self.cycles, self.length)
        slow = 1.0 / self.length
        parts = (
            (-0.5, self.frequency),
            (0.25, self.frequency + slow),
            (0.25, self.frequency - slow),
        )
        return tuple((share * scale * (2.0 * math.pi * f) ** 2, f) for share, f in parts if f > 0)

    def torque(self, t: Any) -> np.ndarray:
        """The torque at times t (s after the impact), zero outside the record."""
        times = np.asarray(t, float)
        inside = (times >= 0.0) & (times <= self.length)
        total = sum(a * np.sin(2.0 * math.pi * f * times) for a, f in self.sines)
        return np.where(inside, total, 0.0)

    @property
    def factors(self) -> dict[str, float]:
        """The factors by which standard deviations fall, infinite where something becomes known."""
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
        """What to do, and what it would tell."""
        options = self.before.options.advice
        gains: list[str] = []
        for name, factor in sorted(self.factors.items(), key=lambda item: -item[1]):
            k = self.after.names.index(name)
            unit = "" if self.after.units[k] == "1" else f" {self.after.units[k]}"
            sigma = f"± {self.after.sigmas[k]:.2g}{unit}"
            if factor > options.as_good_as_new:
                gains.append(f"{name} becomes known, {sigma}")
            elif factor > 1.5 and (self.quantity is None or name == self.quantity):
                gains.append(f"the uncertainty of {name} falls {factor:.3g} times, to {sigma}")
        first = "positive" if self.amplitude > 0.0 else "negative"
        manoeuvre = (
            f"swinging joint {self.joint} at {self.frequency:.3g} Hz with up to "
            f"{abs(self.amplitude):.3g} {self.unit} for {self.length:.3g} s from the impact on, "
            f"first in the {first} direction, swelling and dying away (no joint goes more than "
            f"{self.travel:.2g} rad or m off)"
        )
        if not gains:
            return f"no manoeuvre of a joint helps much; the best is {manoeuvre}"
        more = len(gains) - options.mentioned
        others = f"; and {more} more" if more > 0 else ""
        return f"{manoeuvre}: {'; '.join(gains[: options.mentioned])}{others}"

    def document(self) -> dict[str, Any]:
        """The manoeuvre as plain data: how to carry it out, and the sigmas it promises."""
        shown = [k for k in range(len(self.after.names)) if not self.after.nuisance[k]]
        known = [k for k in shown if self.after.known[k]]
        return {
            "joint": self.joint,
            "unit": self.unit,
            "frequency": self.frequency,
            "cycles": self.cycles,
            "duration": self.length,
            "amplitude": self.amplitude,
            "travel": self.travel,
            "sines": [{"torque": a, "frequency": f} for a, f in self.sines],
            "sigma": {self.after.names[k]: float(self.after.sigmas[k]) for k in known},
            "becomes_known": [self.after.names[k] for k in known if not self.before.known[k]],
            "words": self.words,
        }
