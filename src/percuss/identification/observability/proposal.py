"""Which motion of the joints would tell most: candidates tried on the model, the best proposed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from percuss.identification.estimate.information import Information, information
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.model import ForwardModel
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.observability.candidates import (
    Option,
    excitations,
    excursions,
    options_within,
)
from percuss.identification.observability.excitation import Excitation
from percuss.identification.observability.manoeuvre import ExcitedModel
from percuss.identification.options import DEFAULT, SearchOptions
from percuss.model.errors import ModelError, closest
from percuss.model.joints import Revolute

_LANES = 1024


def propose(
    model: ForwardModel,
    noise: Mapping[str, float],
    theta: Any,
    *,
    quantity: str | None = None,
    travel: float = 0.3,
    torque: float | None = None,
    cycles: tuple[float, ...] | None = None,
    there: np.ndarray | None = None,
    options: SearchOptions = DEFAULT,
) -> Excitation:
    """The manoeuvre of one joint that tells most about what is weak.

    A small burst on each joint shows how far it moves the joints. Bursts of several sizes, all
    frequencies and both signs, that keep to the travel are then followed with their
    sensitivities in one batch, and the information of each is computed as it is for a fit. A
    burst must also keep to the travel when θ is one standard deviation off, as known now.

    Args:
        model: of the record; the manoeuvre lasts as long.
        noise: standard deviations by kind of measurement.
        theta: where the information is taken (n,), such as the fit's.
        quantity: whose standard deviation is to fall; default the directions that are weak.
        travel: how far any joint may move by it (rad or m), within its own limits.
        torque: largest (N m or N), besides the limits of the scenario.
        cycles: how many oscillations within the record are tried; default `advice.cycles`.
        there: which samples the record has (components, times), see `Weighting.counted`;
            default all.
        options: how manoeuvres are chosen and compared.
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
    advice = options.advice
    excited = ExcitedModel(model, advice.resolved)
    tried = options_within(
        excited, theta, travel, torque, cycles=cycles or advice.cycles, options=advice
    )
    far = excursions(excited, theta, tried)
    allowed = [option for option, x in zip(tried, far, strict=True) if x <= travel]
    if not allowed:
        least = float(np.min(far))
        why = f"; the least by {least:.2g}" if math.isfinite(least) else ""
        raise ModelError(
            f"travel: every manoeuvre that was tried moves a joint by more than {travel:g} rad "
            f"(or m), or beyond its limits{why}"
        )
    kept = np.unique(np.linspace(0, len(model.times) - 1, advice.compared).round().astype(int))
    weighting = Weighting(model, noise, options)
    found, spreads = _informations(excited, weighting, theta, allowed, kept=kept, there=there)
    reach = far[far <= travel] + spreads[1:]
    if not (reach <= travel).any():
        raise ModelError(
            f"travel: no manoeuvre surely keeps every joint within {travel:g} rad (or m), because "
            f"too little is known of the target; the best keeps within {float(np.min(reach)):.2g}"
        )
    scores = [
        _score(found[0], after, quantity, advice.strong) if x <= travel else -math.inf
        for after, x in zip(found[1:], reach, strict=True)
    ]
    best = allowed[int(np.argmax(scores))]
    every = np.arange(len(model.times))
    (before, after), _ = _informations(excited, weighting, theta, [best], kept=every, there=there)
    joint = model.encounter.start.chaser.movable_joints[best[0]]
    return Excitation(
        joint=joint.name,
        unit="N m" if isinstance(joint.motion, Revolute) else "N",
        frequency=best[1] / excited.length,
        cycles=best[1],
        length=excited.length,
        amplitude=best[2],
        travel=float(far[tried.index(best)]),
        before=before,
        after=after,
        quantity=quantity,
        tried=int((reach <= travel).sum()),
    )


def _informations(
    model: ExcitedModel,
    weighting: Weighting,
    theta: np.ndarray,
    tried: list[Option],
    *,
    kept: np.ndarray,
    there: np.ndarray | None,
) -> tuple[list[Information], np.ndarray]:
    """Information without a manoeuvre and under each, from the samples `kept` as if from all.

    Also (1 + tried,) how far one standard deviation, as known without a manoeuvre, takes any
    joint (rad or m).
    """
    plain = model.plain
    times = len(plain.times)
    present = np.ones((len(weighting.components), times)) if there is None else there.astype(float)
    # Fewer samples count for as many as there are of each component.
    counted = np.maximum(present[:, kept].sum(axis=1, keepdims=True), 1.0)
    weights = present[:, kept] * np.sqrt(present.sum(axis=1, keepdims=True) / counted)
    table = excitations(model, tried)
    pieces = max(1, math.ceil(table.shape[1] * len(theta) / _LANES))
    found: list[Information] = []
    spreads: list[np.ndarray] = []
    for part in np.array_split(table, pieces, axis=1):
        values, slopes, turned = model.excited(theta, part, kept)
        shape = (len(plain.channels), len(kept), part.shape[1])
        _, rows = weighting.whitened(values.reshape(shape), values, slopes)
        rows = rows * weights.reshape(-1, 1, 1)
        found += [
            information(plain.unknowns, theta, rows[..., k], options=weighting.options)
            for k in range(part.shape[1])
        ]
        spreads.append(_spread(turned, plain.unknowns, theta, found[0]))
    return found, np.concatenate(spreads)


def _spread(
    turned: np.ndarray, unknowns: Unknowns, theta: np.ndarray, known: Information
) -> np.ndarray:
    """Largest standard deviation of any joint's coordinate (batch,), rad or m, θ as `known`."""
    simple = turned[~np.isnan(turned[:, 0, 0, 0])]
    back = np.linalg.inv(unknowns.slopes(theta))
    covariance = back @ known.covariance @ back.T
    variances = np.einsum("jtnb,nk,jtkb->jtb", simple, covariance, simple, optimize=True)
    return np.sqrt(np.max(np.maximum(variances, 0.0), axis=(0, 1)))


def _score(before: Information, after: Information, quantity: str | None, strong: float) -> float:
    """Larger is better; a strength of `strong` is enough."""
    if quantity is not None:
        k = after.names.index(quantity)
        # Until a quantity is known, bring down what hides it.
        hidden = float(after.leaks[k]) if not after.known[k] else 0.0
        return -10.0 * hidden - math.log(float(after.sigmas[k] / after.ranges[k]))
    strengths = _strengths(after)
    weak = _strengths(before) < strong
    if not weak.any():
        return math.log(float(strengths[-1]))
    logs = np.log(np.maximum(strengths[weak], 1e-6))
    # Whatever is strong enough counts alike; among equals the stronger is taken.
    return float(np.sum(np.minimum(logs, math.log(strong))) + 1e-3 * np.sum(logs))


def _strengths(found: Information) -> np.ndarray:
    """The strengths of what is of interest, the nuisance being whatever it is."""
    order = np.argsort(~found.nuisance, kind="stable")
    own = int(found.nuisance.sum())
    scaled = (found.root * found.ranges)[:, order]
    rest = np.asarray(np.linalg.qr(scaled, mode="r"))[own:, own:]
    sizes = np.linalg.svd(rest, compute_uv=False)
    return np.append(sizes, np.zeros(int((~found.nuisance).sum()) - len(sizes)))
