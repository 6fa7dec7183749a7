"""Laws of contact: what each tells of itself, and that another one needs no more than its class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import pytest

import percuss
from percuss import kernel
from percuss.algebra import Pose, Vector3
from percuss.algebra.scalars import Scalar, add, mul, where
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.impact import CONTACT_LAWS, Compliance, SurfaceLaw
from percuss.impact.compliance import normal_force
from percuss.impact.compliant_hunt_crossley import restitution_of_drop
from percuss.model import Frame, ModelError
from percuss.report.encounter import contact_rows
from percuss.scenario.impact import CompliantBlock

STIFFNESS, DAMPING, SPEED = 5e4, 4.0, 0.3


@final
@dataclass(frozen=True)
class Quadratic(SurfaceLaw):
    """F = max(0, k δ² (1 + c δ̇))."""

    name: ClassVar[str] = "quadratic"
    words: ClassVar[str] = "quadratic spring"
    stiffness_unit: ClassVar[str] = "N/m^2"
    damping_unit: ClassVar[str] = "s/m"

    def trial_force(self, k: Scalar, c: Scalar, depth: Scalar, speed: Scalar) -> Scalar:
        size = where(depth < 0.0, 0.0, mul(depth, depth))  # type: ignore[operator]
        return mul(mul(k, size), add(1.0, mul(c, speed)))

    def elastic_energy(self, k: Scalar, depth: Scalar) -> Scalar:
        return mul(1.0 / 3.0, mul(k, mul(depth, mul(depth, depth))))

    def push_margin(self, k: Scalar, c: Scalar, depth: Scalar, speed: Scalar) -> Scalar:
        del k
        return mul(depth, add(1.0, mul(c, speed)))


@pytest.fixture
def quadratic(monkeypatch: pytest.MonkeyPatch) -> Quadratic:
    """The law, entered while a test lasts."""
    law = Quadratic()
    monkeypatch.setitem(CONTACT_LAWS, law.name, law)
    return law


def hit(offset: float = 0.0, **changes: Any) -> percuss.Encounter:
    """A ball that meets a ball on the line of their centres, or beside it by an offset (m)."""
    given: dict[str, Any] = {
        "chaser": percuss.free_body(percuss.sphere("base", 0.5, mass=40.0)),
        "tool": Frame("tool", "base", Pose(position=Vector3(0.5, 0.0, 0.0))),
        "target": percuss.free_body(percuss.sphere("target", 0.3, mass=10.0)),
        "grip": (-np.sqrt(0.3**2 - offset**2), offset, 0.0),
        "target_rates": (-SPEED, 0.0, 0.0, 0.0, 0.0, 0.0),
        "closure": percuss.Compliant(STIFFNESS, damping=DAMPING, law="quadratic"),
        "duration": 1.0,
    }
    return percuss.Encounter(**given | changes)


def test_a_law_of_a_class_alone_is_carried_out(quadratic: Quadratic) -> None:
    """Head on its equation separates, m u du/(1 + c u) = -k δ² dδ, as Hunt and Crossley's does."""
    result = percuss.simulate(hit())
    summary = result.summary
    (touch,) = summary["contact"]["touches"]
    e = restitution_of_drop(DAMPING * SPEED)
    assert 0.2 < e < 0.8
    assert touch["restitution"] == pytest.approx(e, rel=1e-8)
    assert touch["energy_lost"] == pytest.approx(0.5 * 8.0 * SPEED**2 * (1 - e**2), rel=1e-8)
    np.testing.assert_allclose(touch["impulse"], [-(1 + e) * 8.0 * SPEED, 0.0, 0.0], atol=1e-8)
    rows = {name: value for name, value, _ in contact_rows(result.encounter)}
    assert rows["Law"] == quadratic.words
    assert rows["Stiffness"].endswith("N/m^2")
    assert summary["contact"]["law"] == "quadratic"


@pytest.mark.usefixtures("quadratic")
def test_its_contact_conserves_momentum() -> None:
    """Linear and angular, of a hit beside the centres, with friction."""
    closure = percuss.Compliant(STIFFNESS, damping=DAMPING, law="quadratic", friction=0.3)
    result = percuss.simulate(hit(0.15, closure=closure))
    assert len(result.summary["contact"]["touches"]) == 1
    for name in ("linear_momentum", "angular_momentum"):
        momentum = result.record[name]
        assert np.abs(momentum - momentum[0]).max() < 1e-9
    assert np.abs(result.record["angular_momentum"]).max() > 0.1
    assert result.encounter.balance.energy < 1e-9
    turned = result.record["target_velocity"][-1][3:]
    assert np.linalg.norm(turned) > 1e-3, "friction did not turn the target"


@pytest.mark.usefixtures("quadratic")
def test_an_ensemble_carries_it_out_as_a_single_run_does() -> None:
    encounter = hit(0.15)
    (touch,) = percuss.simulate(encounter).summary["contact"]["touches"]
    batch = Ensemble(encounter)()
    assert batch.words == "1 bounced"
    np.testing.assert_allclose(batch.impulse[:, 0], touch["impulse"], atol=1e-7)


@pytest.mark.usefixtures("quadratic")
def test_what_the_law_does_not_know_is_said() -> None:
    wanted = percuss.Compliant(STIFFNESS, restitution=0.5, law="quadratic")
    with pytest.raises(
        percuss.EncounterError,
        match=r"impact\.restitution: the damping for a restitution of one mass is not known of "
        r"the law 'quadratic'",
    ):
        percuss.simulate(hit(closure=wanted))


def test_a_law_is_known_while_it_is_entered(quadratic: Quadratic) -> None:
    compliance = Compliance("quadratic", 100.0, 0.5)
    assert normal_force(compliance, 0.1, 1.0) == pytest.approx(1.5)
    del CONTACT_LAWS[quadratic.name]
    with pytest.raises(ModelError, match=r"law must be one of 'linear', .*, got 'quadratic'"):
        Compliance("quadratic", 100.0)


@pytest.mark.usefixtures("quadratic")
def test_fingerprints_tell_laws_apart_and_know_none_of_users() -> None:
    """Code of a user may change under the name of its law, so nothing is kept under it."""
    for make in (
        lambda law: Compliance(law, 1.0),
        lambda law: percuss.Compliant(1.0, 1.0, law=law),
    ):
        known = [kernel.fingerprint(make(law)) for law in ("linear", "hunt-crossley", "bilateral")]
        assert None not in known
        assert len(set(known)) == 3
        assert known[0] == kernel.fingerprint(make("linear"))
        assert kernel.fingerprint(make("quadratic")) is None


@pytest.mark.parametrize("law", CONTACT_LAWS.values(), ids=list(CONTACT_LAWS))
def test_scenarios_offer_every_law_and_say_so(law: Any) -> None:
    assert CONTACT_LAWS[law.name] is law
    assert f"`{law.name}`" in str(CompliantBlock.model_fields["law"].description)
    stiffness, damping = f"3 {law.stiffness_unit}", f"4 {law.damping_unit}"
    given = {"closure": "compliant", "law": law.name, "stiffness": stiffness, "damping": damping}
    impact = CompliantBlock.model_validate(given)
    assert (impact.stiffness, impact.damping) == (3.0, 4.0)
    assert impact.contact_law is law
