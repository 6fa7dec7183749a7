"""Many cases: draws that cannot be are refused one by one, and what is asked wrongly at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray

import percuss
from percuss.encounter.errors import EncounterError
from percuss.kernel import KernelError
from percuss.kernel.backends import cuda
from percuss.model.errors import ModelError
from tests.encounter.batches import PLANAR
from tests.encounter.numbered import encounters
from tests.encounter.scenes import SPATIAL, scene

SHORT: dict[str, Any] = {"integration": {}, "duration": 0.2}
PIN = scene(PLANAR, impact__closure="pin", **SHORT)
BOUNCE = scene(PLANAR, impact={"closure": "bounce", "restitution": 0.6}, **SHORT)
SOFT = scene(PLANAR, impact={"closure": "compliant", "stiffness": 2e3, "restitution": 0.6}, **SHORT)
SPACE = scene(SPATIAL, duration=0.2)
MASS = {"target.mass": [12.0]}
TENSOR = [30.0, 40.0, 35.0, 2.0, 0.0, -1.0]


def reasons(scenario: Any, **vary: Any) -> list[str]:
    """Why cases of one number were refused; a dot in its name is written __, - as _."""
    names = {name.replace("__", ".").replace("_", "-"): x for name, x in vary.items()}
    found = percuss.simulate(scenario, vary=names, ask=[])
    for status, reason in zip(found["status"].values, found["reason"].values, strict=True):
        assert (status == "refused") == bool(reason), f"{status} goes with the reason {reason!r}"
    refused = (found["status"] == "refused").values
    for name, variable in found.data_vars.items():
        if name not in names and np.issubdtype(variable.dtype, np.floating):
            assert np.isnan(variable.values[refused]).all(), f"{name} of a refused case is told"
    return [str(reason) for reason in found["reason"].values]


@pytest.mark.parametrize(
    ("scenario", "name", "good", "bad"),
    [
        (PIN, "target.mass", 12.0, [-1.0, 0.0, np.nan, np.inf]),
        (PIN, "duration", 0.1, [0.0, -1.0]),
        (BOUNCE, "impact.restitution", 0.5, [1.5, -0.1, np.nan]),
        (SOFT, "impact.restitution", 0.5, [1.5, 0.0, np.nan]),
        (SOFT, "impact.stiffness", 1e3, [0.0, -1.0, np.inf]),
        (SPACE, "target.inertia.xx", 31.0, [-1.0]),
        (SPACE, "target.inertia", TENSOR, [[30.0, 400.0, *TENSOR[2:]], [np.nan] * 6]),
        (encounters()["weld"], "target.mass", 120.0, [-1.0, np.nan]),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_what_cannot_be_is_refused_by_its_name(
    scenario: Any, name: str, good: Any, bad: list[Any]
) -> None:
    found = reasons(scenario, **{name.replace(".", "__"): [good, *bad]})
    assert found[0] == "", "a case that can be is refused"
    for value, reason in zip(bad, found[1:], strict=True):
        assert reason.startswith(f"{name} must be "), f"{name} = {value}: {reason!r}"
        assert "got" in reason


def test_bodies_that_cannot_exist_are_refused_by_their_name() -> None:
    """Each moment is allowed, all of them together are not."""
    _, reason = reasons(SPACE, target__inertia__xx=[30.0, 300.0])
    assert reason.startswith("body 'target': principal moments")


@pytest.mark.parametrize("scenario", [PIN, BOUNCE, SOFT, SPACE], ids=["pin", "bounce", "", "3d"])
def test_all_cases_may_be_refused(scenario: percuss.Scenario) -> None:
    found = percuss.simulate(
        scenario, vary={"target.mass": [-1.0, np.nan]}, signals=["energy"], times=[0.0, 0.1]
    )
    assert found["status"].values.tolist() == ["refused", "refused"]
    assert np.isnan(found["final.coordinates"].values).all()
    assert found.attrs["outcomes"] == "no cases; 2 refused"


@pytest.mark.parametrize("name", ["target.mass", "duration"])
@pytest.mark.parametrize("scenario", [PIN, SOFT], ids=["pin", "compliant"])
def test_no_cases_make_an_empty_dataset(scenario: percuss.Scenario, name: str) -> None:
    found = percuss.simulate(scenario, vary={name: np.zeros(0)})
    assert found.sizes["case"] == 0
    assert found["final.coordinates"].shape == (0, 5)


def test_refused_cases_leave_the_others_as_they_are() -> None:
    whole = percuss.simulate(PIN, vary={"target.mass": [10.0, -1.0, 12.0, np.nan, 14.0]})
    alone = percuss.simulate(PIN, vary={"target.mass": [10.0, 12.0, 14.0]})
    some = whole.isel(case=[0, 2, 4])
    for name in alone.data_vars:
        np.testing.assert_array_equal(
            some[name].values, alone[name].values, f"{name} changes when other cases are refused"
        )


@pytest.mark.parametrize(
    ("vary", "told"),
    [
        ({"target.mas": [1.0]}, r"target\.mas: .*Did you mean 'target\.mass'"),
        ({"impact.closure": [1.0]}, "impact.closure: is not a number"),
        ({"target.mass": np.ones((2, 2))}, r"target.mass: must have the shape \(cases,\)"),
        ({"target.velocity.linear": np.ones((4, 3))}, r"must have the shape \(cases, 2\)"),
        (
            {"target.mass": np.ones(3), "chaser.base.mass": np.ones(2)},
            "numbers of cases differ: target.mass has 3, chaser.base.mass has 2",
        ),
        ({"target.mass": ["heavy"]}, "target.mass: must be numbers in kg"),
        ({"target.mass": "12 kg"}, "target.mass: must be numbers in kg"),
        ({"target.mass": ([1.0], "deg/s")}, "must be in kg, got deg/s, which is an angular"),
        ({"target.mass": ([1.0], "stone")}, "'stone' is not a unit"),
        ({"target.velocity.angular": (["fast"], "deg/s")}, "must be numbers in deg/s"),
        ({}, "vary: is empty"),
        (["target.mass"], "vary: must be values of numbers by name"),
        ({"target.position": [[3.0, 0.0]]}, "target.position"),
        ({"chaser.joints": [[0.1, 0.2]], "chaser.joints.joint1": [0.3]}, "is part of chaser.joi"),
        ({"target.contact.angle": [3.0], "target.contact": [[-0.3, 0.0]]}, "is part of target.co"),
    ],
)
def test_what_cannot_vary_is_told(vary: Any, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        percuss.simulate(PIN, vary=vary)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"knows": ["target.radius"]}, "knows: 'target.radius' is not among the numbers that vary"),
        ({"knows": "all"}, "knows: must be nominal, truth, or a list"),
        ({"knows": None}, "knows: must be nominal, truth, or a list"),
        ({"ask": ["impacts"]}, "ask: must be among .*Did you mean 'impact'"),
        ({"signals": ["energi"], "times": [0.0]}, "signals: must be among .*Did you mean 'energy'"),
        ({"signals": ["energy"]}, "times: is missing"),
        ({"times": [0.0]}, "signals: is missing"),
        ({"signals": "energy", "times": [0.0, 0.0]}, "times: must be finite times in s"),
        ({"signals": "energy", "times": [-1.0]}, "times: must be finite times in s"),
        ({"signals": "energy", "times": [np.nan]}, "times: must be finite times in s"),
        ({"signals": "energy", "times": ["noon"]}, "times: must be finite times in s"),
        ({"signals": "energy", "times": 0.1}, "times: must be finite times in s"),
        ({"on": "tpu"}, "on: must be one of auto, cores, gpu, got 'tpu'"),
    ],
)
def test_what_is_asked_wrongly_is_told(options: dict[str, Any], told: str) -> None:
    with pytest.raises(EncounterError, match=told):
        percuss.simulate(PIN, vary=MASS, **options)


@pytest.mark.skipif(cuda.available(), reason="there is a GPU")
def test_without_a_gpu_it_is_said_what_is_missing() -> None:
    with pytest.raises(KernelError, match=r"CuPy|NVIDIA|GPU"):
        percuss.simulate(PIN, vary=MASS, on="gpu")


def test_units_are_converted() -> None:
    plain = percuss.simulate(
        PIN, vary={"target.velocity.angular": np.radians([1.0, 2.0]), "target.mass": [12.0, 13.0]}
    )
    grams = xarray.DataArray([12000.0, 13000.0], dims="case", attrs={"units": "g"})
    given = percuss.simulate(
        PIN, vary={"target.velocity.angular": ([1.0, 2.0], "deg/s"), "target.mass": grams}
    )
    for name in plain.data_vars:
        if plain[name].dtype.kind == "f":
            np.testing.assert_allclose(
                given[name].values, plain[name].values, rtol=1e-9, atol=1e-11, err_msg=str(name)
            )


def test_only_what_is_asked_for_is_found_out() -> None:
    least = percuss.simulate(PIN, vary=MASS, ask=[])
    assert "peak.joint_reaction" not in least
    assert "impact.energy.before" not in least
    every = percuss.simulate(PIN, vary=MASS)
    assert {"peak.joint_reaction", "impact.energy.before"} <= set(every.data_vars)
    for name in least.data_vars:
        if least[name].dtype.kind == "f":
            np.testing.assert_allclose(least[name].values, every[name].values, rtol=1e-9)
