"""Numbers of closures, laws, approaches and orbits: those of their fields, by dotted name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import Scalar, to_scalar
from percuss.control.joint_friction_models import DryFriction, LuGre
from percuss.dynamics.orbit import CircularOrbit
from percuss.encounter.actuation import ActuatorLimits, Dump
from percuss.encounter.approach import Approach, Law, Meet
from percuss.encounter.bounds import (
    ANY,
    DIRECTION,
    LIMIT,
    NOT_NEGATIVE,
    POSITIVE,
    SHARE,
    Bound,
)
from percuss.encounter.closures import Bounce, Compliant, Pulse, Repeat
from percuss.encounter.entries import Entries, Entry, Key, indexed, is_part
from percuss.encounter.goals import MoveTo, PassThrough
from percuss.encounter.laws.compensating import ImpactCompensation
from percuss.encounter.laws.tracking import PD, Detumble
from percuss.encounter.requirements import is_sequence
from percuss.impact.contact_laws import CONTACT_LAWS

NOT_A_NUMBER = "is not a number that can vary"
_SAMPLED = f"{NOT_A_NUMBER}: samples are counted before anything moves"
_ABSENT = "is not given, so there is no number to vary"

_RULES: dict[tuple[type, str], tuple[str, Bound]] = {
    (Bounce, "restitution"): ("", SHARE),
    (Bounce, "friction"): ("", NOT_NEGATIVE),
    (Bounce, "normal"): ("", DIRECTION),
    (Repeat, "below"): ("m/s", POSITIVE),
    (Compliant, "stiffness"): ("", POSITIVE),
    (Compliant, "damping"): ("", NOT_NEGATIVE),
    (Compliant, "restitution"): ("", SHARE),
    (Compliant, "friction"): ("", NOT_NEGATIVE),
    (Compliant, "slip_speed"): ("m/s", POSITIVE),
    (Compliant, "normal"): ("", DIRECTION),
    (Pulse, "force"): ("N", ANY),
    (Pulse, "lasting"): ("s", POSITIVE),
    (Law, "natural_frequency"): ("rad/s", POSITIVE),
    (Law, "damping_ratio"): ("", NOT_NEGATIVE),
    (Law, "kp"): ("1/s²", NOT_NEGATIVE),
    (Law, "kd"): ("1/s", NOT_NEGATIVE),
    (PD, "kp"): ("N/m or N m/rad", NOT_NEGATIVE),
    (PD, "kd"): ("N s/m or N m s/rad", NOT_NEGATIVE),
    (Detumble, "time_constant"): ("s", POSITIVE),
    (ImpactCompensation, "threshold"): ("N", NOT_NEGATIVE),
    (ImpactCompensation, "offset"): ("m", ANY),
    (ImpactCompensation, "torque_rate"): ("N m/s", POSITIVE),
    (DryFriction, "viscous"): ("N m s/rad", NOT_NEGATIVE),
    (DryFriction, "coulomb"): ("N m", NOT_NEGATIVE),
    (DryFriction, "smoothing"): ("rad/s", POSITIVE),
    (LuGre, "stiffness"): ("N m/rad", POSITIVE),
    (LuGre, "coulomb"): ("N m", POSITIVE),
    (LuGre, "static"): ("N m", POSITIVE),
    (LuGre, "stribeck"): ("rad/s", POSITIVE),
    (LuGre, "damping"): ("N m s/rad", NOT_NEGATIVE),
    (LuGre, "viscous"): ("N m s/rad", NOT_NEGATIVE),
    (ActuatorLimits, "joints"): ("N m or N", LIMIT),
    (ActuatorLimits, "base"): ("N m or N", LIMIT),
    (ActuatorLimits, "wheels"): ("N m s", POSITIVE),
    (Dump, "torque"): ("N m", POSITIVE),
    (Dump, "after"): ("s", NOT_NEGATIVE),
    (Dump, "lever_arm"): ("m", POSITIVE),
    (MoveTo, "joints"): ("rad or m", ANY),
    (MoveTo, "position"): ("m", ANY),
    (MoveTo, "angle"): ("rad", ANY),
    (MoveTo, "within"): ("s", POSITIVE),
    (Approach, "timeout"): ("s", POSITIVE),
    (Approach, "observe"): ("s", NOT_NEGATIVE),
    (Approach, "capture_radius"): ("m", POSITIVE),
    (Meet, "at"): ("s", POSITIVE),
    (Meet, "closing_speed"): ("m/s", NOT_NEGATIVE),
    (CircularOrbit, "semi_major_axis"): ("m", POSITIVE),
    (CircularOrbit, "gravitational_parameter"): ("m³/s²", POSITIVE),
}
"""Unit of a field, and what its class asks of it; of other fields only that they are finite."""

_NAMES = {
    (Pulse, "lasting"): "duration",
    (Pulse, "in_link"): "frame",
    (MoveTo, "rotation"): "orientation",
}
"""Names of fields in a scenario file, where they are not the same with dashes."""
_COMPENSATION = ("rule", "base_torque", "threshold", "friction", "offset", "delay", "torque_rate")
"""Fields that a scenario file has under `compensation`; their own names do as well."""


@dataclass(frozen=True)
class FieldNumbers:
    """The numbers of the fields of a part, however deep, of an encounter whose joints are known."""

    joints: tuple[str, ...]

    def of(self, part: Any, prefix: str, key: Key) -> Entries:
        """The numbers of a dataclass whose name begins with `prefix` and whose keys with `key`."""
        found = Entries.none()
        if isinstance(part, PassThrough):
            reason = f"{NOT_A_NUMBER}: a path through points is one of fixed numbers"
            found.refused.update({f"{prefix}.{name}": reason for name in ("times", "joints")})
            return found
        for field in fields(part):
            value, at = getattr(part, field.name), (*key, field.name)
            for name in _names(part, field.name, prefix):
                why = _refusal(part, field, value)
                if why:
                    found.refused[name] = why
                else:
                    found.add(self._of_value(part, field.name, value, name, key=at))
        return found

    def _of_value(self, part: Any, field: str, value: Any, name: str, *, key: Key) -> Entries:
        unit, bound = _rule(part, field)
        found = Entries.none()
        if isinstance(value, Rotation):
            turn = tuple(to_scalar(x) for x in value.to_quaternion())
            found.numbers[name] = Entry(turn, "", DIRECTION, indexed(key, 4))
        elif is_part(value):
            found.add(self.of(value, name, key))
            if not found.numbers and not found.refused:
                found.refused[name] = NOT_A_NUMBER
        elif isinstance(value, Mapping) and all(_is_scalar(x) for x in value.values()):
            scalars = {str(k): to_scalar(x) for k, x in value.items()}
            keys: tuple[Key, ...] = tuple((*key, k) for k in scalars)
            found.numbers[name] = Entry(tuple(scalars.values()), unit, bound, keys)
            self._single(found, scalars, name, keys, rule=(unit, bound))
        elif is_sequence(value) and all(_is_scalar(x) for x in value):
            entries = tuple(to_scalar(x) for x in value)
            keys = indexed(key, len(entries))
            found.numbers[name] = Entry(entries, unit, bound, keys)
            if field == "joints" and len(entries) == len(self.joints):
                by_name = dict(zip(self.joints, entries, strict=True))
                self._single(found, by_name, name, keys, rule=(unit, bound))
        elif _is_scalar(value):
            found.numbers[name] = Entry(to_scalar(value), unit, bound, (key,))
        else:
            found.refused[name] = NOT_A_NUMBER
        return found

    def _single(
        self,
        found: Entries,
        scalars: Mapping[str, Scalar],
        name: str,
        keys: tuple[Key, ...],
        *,
        rule: tuple[str, Bound],
    ) -> None:
        """The entries of a vector of joints, each by the name of its joint."""
        for (joint, x), at in zip(scalars.items(), keys, strict=True):
            found.numbers[f"{name}.{joint}"] = Entry(x, *rule, (at,))


def _names(part: Any, field: str, prefix: str) -> tuple[str, ...]:
    own = _NAMES.get((type(part), field), field.replace("_", "-"))
    names = (f"{prefix}.{own}",)
    if isinstance(part, ImpactCompensation) and field in _COMPENSATION:
        return (f"{prefix}.compensation.{own}", *names)
    return names


def _rule(part: Any, field: str) -> tuple[str, Bound]:
    if isinstance(part, Compliant) and field in ("stiffness", "damping"):
        law = CONTACT_LAWS[part.law]
        unit = law.stiffness_unit if field == "stiffness" else law.damping_unit
        return unit, _RULES[Compliant, field][1]
    for kind in type(part).__mro__:
        if (kind, field) in _RULES:
            return _RULES[kind, field]
    return "", ANY


def _refusal(part: Any, field: Any, value: Any) -> str:
    """Why a field is no number that can vary; empty where it may be one."""
    if value is None:
        return _ABSENT
    if field.name in ("period", "delay"):
        return _SAMPLED
    if isinstance(part, Compliant) and part.pulls and field.name in ("friction", "slip_speed"):
        return f"{NOT_A_NUMBER}: law {part.law} has no surface to slide on"
    if isinstance(value, (str, bool, np.bool_)):
        return f"{NOT_A_NUMBER}: it is a word or a switch"
    if field.type in ("int", int):
        return f"{NOT_A_NUMBER}: it is a count"
    if field.name == "believes":
        return f"{NOT_A_NUMBER}: it is what the controller takes the bodies for"
    return ""


def _is_scalar(value: Any) -> bool:
    if isinstance(value, (str, bool)) or is_sequence(value):
        return False
    try:
        to_scalar(value)
    except TypeError:
        return False
    return True
