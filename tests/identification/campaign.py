"""Hostile cases of identification with a truth of our own, and what is counted of them.

In the plane the truth is that of `plane_motion`, in space MuJoCo's; neither shares code with what
is judged. The tests run a few of these cases, `make honesty` thousands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from percuss.identification.data.measured import Measured
from percuss.identification.identification import identify
from percuss.identification.options import DEFAULT, SearchOptions
from percuss.identification.result import Identification
from percuss.model.errors import ModelError
from tests.identification.adversary import SURE, Own, own
from tests.identification.plane import SENSORS, Case, random_case


@dataclass(frozen=True)
class Counted:
    """What one case adds to the table.

    Attributes:
        kind, index: which case it is.
        outcome: "given" or "refused", the whole record by a ModelError; "error" for anything else.
        warned: whether anything was said against the fit. What is said of quantities that get no
            number is none: it warns of no other.
        worst: largest |estimate - truth| / σ of what was given a number; 0 of nothing. Where the
            closure, the mass, the contact point or a sensor is not as stated, and it is said that a
            number hangs on just that, σ, and the estimate if one is told, are those for the case
            that it is not known.
        hangs: whether a number would be beyond 5 σ but for that.
        sure: quantities of which our own derivatives say that they are known.
        withheld: those of them that got no number.
        words: of a refusal or an error.
        seconds: that it took.
    """

    kind: str
    index: int
    outcome: str
    warned: bool = False
    worst: float = 0.0
    hangs: bool = False
    sure: int = 0
    withheld: int = 0
    words: str = ""
    seconds: float = 0.0

    @property
    def beyond(self) -> float:
        """Standard deviations by which it is wrong without a warning."""
        return 0.0 if self.warned else self.worst


def _case(seed: int, index: int) -> tuple[Case, np.random.Generator]:
    mixed = int(np.random.SeedSequence([seed, index]).generate_state(1)[0])
    return random_case(mixed), np.random.default_rng([seed, index, 3])


Record = tuple[Case, Case, Measured]
"""What is true, what is believed and asked, and what is measured."""


def _plain(case: Case) -> Record:
    return case, case, case.measured(True)


def _honest(case: Case, _: np.random.Generator) -> Record:
    return _plain(case)


def _closure(case: Case, _: np.random.Generator) -> Record:
    """A weld is taken for a pin, or a pin for a weld."""
    other = "weld" if case.closure == "pin" else "pin"
    return case, replace(case, closure=other), case.measured(True)


def _shape(case: Case, random: np.random.Generator) -> Record:
    """The contact point is elsewhere than believed, by a tenth to half of its distance."""
    body = case.believed
    moved = abs(body.contact) * random.uniform(0.1, 0.5) * np.exp(2j * np.pi * random.random())
    return case, replace(case, believed=replace(body, contact=body.contact + moved)), _seen(case)


def _mass(case: Case, random: np.random.Generator) -> Record:
    """The target is lighter or heavier than believed, by 5 to 50 %."""
    factor = np.exp(random.choice([-1.0, 1.0]) * random.uniform(0.05, 0.4))
    body = case.believed
    return case, replace(case, believed=replace(body, mass=body.mass * factor)), _seen(case)


def _seen(case: Case) -> Measured:
    return case.measured(True)


def _delay(case: Case, random: np.random.Generator) -> Record:
    """All samples are later than stated, by 1 to 30 ms, and by their clock the impact is, too."""
    late = random.uniform(1e-3, 30e-3)
    record = replace(case, times=tuple(np.array(case.times) - late)).measured(True)
    truth = dict(case.truth)
    if "time" in truth:
        truth["time"] += late
    return replace(case, truth=truth), case, Measured(np.array(case.times), record.columns)


def _bias(case: Case, random: np.random.Generator) -> Record:
    """One column is off by 2 to 50 standard deviations of its noise."""
    record = case.measured(True)
    k = int(random.integers(len(case.shown)))
    name, off = case.shown[k], random.uniform(2.0, 50.0) * case.sigmas[k]
    columns = {**record.columns, name: record.columns[name] + off}
    return case, case, Measured(record.time, columns)


def _few(case: Case, random: np.random.Generator) -> Record:
    """Three to eight samples."""
    count = int(random.integers(3, 9))
    return _plain(replace(case, times=tuple(np.linspace(0.5, 4.0, count))))


def _one(case: Case, random: np.random.Generator) -> Record:
    """One column alone."""
    return _plain(replace(case, channels=(str(random.choice(case.shown)),)))


def _zero(case: Case, _: np.random.Generator) -> Record:
    """The record begins at the impact itself."""
    return _plain(replace(case, times=(0.0, *case.times)))


def _drowned(case: Case, _: np.random.Generator) -> Record:
    """The first tenth of a second, in which the motion hardly leaves the noise."""
    return _plain(replace(case, times=tuple(np.linspace(1e-3, 0.1, 20))))


PLANAR: dict[str, tuple[Callable[[Case, np.random.Generator], Record], bool]] = {
    "honest records": (_honest, True),
    "few samples": (_few, True),
    "one sensor only": (_one, True),
    "records from t = 0": (_zero, True),
    "within the noise": (_drowned, True),
    "wrong closure": (_closure, False),
    "wrong shape": (_shape, False),
    "wrong mass": (_mass, False),
    "delay": (_delay, False),
    "bias": (_bias, False),
}
"""How a record comes about, and whether the scenario and the sensors are as they are stated."""
_SPACE = "in space, "
SPATIAL = {_SPACE + kind: honest for kind, (_, honest) in PLANAR.items()}
"""The same kinds of captures in MuJoCo, and whether all is as stated."""
KINDS = (*PLANAR, *SPATIAL)
MISTAKEN = {
    "wrong closure": "closure",
    "in space, wrong closure": "closure",
    "wrong shape": "contact",
    "wrong mass": "mass",
    "in space, wrong shape": "contact",
    "in space, wrong mass": "mass",
    "bias": "biases",
    "in space, bias": "biases",
}
"""What of the target, its closure or the sensors is not as it is stated."""
PLANAR_SHARE = 3
"""Cases in the plane for each in space, which takes longer."""
ALIKE = 10.0
"""Places whose χ² differ by less fit alike."""
HONEST = frozenset(
    [*(kind for kind, (_, so) in PLANAR.items() if so), *(k for k, so in SPATIAL.items() if so)]
)


def counted(kind: str, seed: int, index: int, options: SearchOptions = DEFAULT) -> Counted:
    """Make a case, have it identified, and compare."""
    made = _in_space if kind in SPATIAL else _in_plane
    return made(kind, seed, index, options)


def kind_of(index: int) -> str:
    """Of a case of the campaign: kinds come in turn, every fourth case is in space."""
    before, place = divmod(index, PLANAR_SHARE + 1)
    if place == PLANAR_SHARE:
        return list(SPATIAL)[before % len(SPATIAL)]
    return list(PLANAR)[(PLANAR_SHARE * before + place) % len(PLANAR)]


def judged(seed: int, index: int) -> Counted:
    """One case of the campaign."""
    begun = perf_counter()
    one = counted(kind_of(index), seed, index)
    return replace(one, seconds=round(perf_counter() - begun, 2))


def _in_plane(kind: str, seed: int, index: int, options: SearchOptions) -> Counted:
    case, random = _case(seed, index)
    truth, asked, record = PLANAR[kind][0](case, random)
    true = dict(zip(truth.names, truth.true, strict=True))

    def found() -> Identification:
        return identify(
            asked.scenario, record, SENSORS, asked.groups, advice=False, options=options
        )

    def sure(given: Identification | None) -> list[str]:
        if kind not in HONEST:
            return []
        known = _sure(truth, truth.true)
        if given is not None and _fits_alike(truth, given):
            known &= _sure(truth, given.fit.quantities)
        return [name for name, here in zip(truth.names, known, strict=True) if here]

    return _judged(kind, index, found, true, sure)


def _sure(case: Case, quantities: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which quantities our own derivatives say are known there, well within their ranges (n,)."""
    return _well_known(own(case, quantities), case.ranges)


def _well_known(about: Own, ranges: NDArray[np.float64]) -> NDArray[np.bool_]:
    return (about.leaks < 0.005) & (about.sigmas < SURE * ranges)


def _fits_alike(case: Case, found: Identification) -> bool:
    """Whether the place found fits as well as the truth by our own motion, so that no record could
    tell one from the other."""
    table = np.stack([found.measured.columns[name] for name in found.measured.names])
    scaled = (table / case.sigmas[:, None]).ravel()

    def misfit(quantities: NDArray[np.float64]) -> float:
        return float(((scaled - case.rows(quantities[:, None])[:, 0]) ** 2).sum())

    return misfit(found.fit.quantities) < misfit(case.true) + ALIKE


def _in_space(kind: str, seed: int, index: int, options: SearchOptions) -> Counted:
    # MuJoCo is loaded where it is asked for only.
    from tests.identification.space import space_case

    case = space_case(kind.removeprefix(_SPACE), np.random.default_rng([seed, index, 9]))
    plan, record, believed = case.plan, case.record, case.believed

    def found() -> Identification:
        return identify(believed, record, case.sensors, plan.unknown, advice=False, options=options)

    def sure(_: Identification | None) -> list[str]:
        if kind not in HONEST:
            return []
        known = _well_known(case.own, case.own.ranges)
        return [name for name, here in zip(case.true, known, strict=True) if here]

    return _judged(kind, index, found, case.true, sure)


def _judged(
    kind: str,
    index: int,
    identified: Callable[[], Identification],
    true: dict[str, float],
    sure: Callable[[Identification | None], list[str]],
) -> Counted:
    """`sure` are the quantities that can be known."""
    try:
        found = identified()
    except ModelError as refusal:
        words, asked = str(refusal).splitlines()[0], sure(None)
        return Counted(kind, index, "refused", sure=len(asked), withheld=len(asked), words=words)
    except Exception as error:  # the campaign goes on; an error is a row of its table
        return Counted(kind, index, "error", words=f"{type(error).__name__}: {error}"[:200])
    sigmas, estimate = dict(found.sigma), dict(found.estimate)
    plain = _worst(estimate, true, sigmas)
    for condition in found.conditions:
        if condition.property == MISTAKEN.get(kind):
            estimate |= condition.values
            for name, told in condition.sigmas.items():
                sigmas[name] = np.inf if told is None else told
    worst = _worst(estimate, true, sigmas)
    # Where two answers fit alike, the values are said, and what differs is not refused.
    names = found.unknowns.names
    rivals = {name for name, one in zip(names, found.distinct, strict=True) if not one}
    asked = [name for name in sure(found) if name in names]
    return Counted(
        kind,
        index,
        "given",
        warned=bool(found.checks.warnings),
        worst=worst,
        hangs=plain > 5.0 >= worst,
        sure=len(asked),
        withheld=sum(name not in found.estimate and name not in rivals for name in asked),
    )


def _worst(estimate: dict[str, float], true: dict[str, float], sigmas: dict[str, float]) -> float:
    """Largest |estimate - truth| / σ; 0 of nothing."""
    gaps = [abs(x - true[k]) / sigmas[k] for k, x in estimate.items() if k in true]
    return float(max(gaps, default=0.0))


def table(done: Iterable[Counted]) -> str:
    """The table by kind, as Markdown."""
    rows = [
        "| kind | cases | beyond 5 σ unwarned | beyond 4 σ unwarned | warned | said to hang on "
        "what is wrong | record refused | withheld of what could be known | errors |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    everything = list(done)
    for kind in (*KINDS, "all"):
        own = [one for one in everything if kind in (one.kind, "all")]
        if not own:
            continue
        sure, withheld = sum(one.sure for one in own), sum(one.withheld for one in own)
        share = f"{withheld} of {sure} ({100 * withheld / sure:.1f} %)" if sure else "–"
        cells = [
            kind,
            len(own),
            sum(one.beyond > 5.0 for one in own),
            sum(one.beyond > 4.0 for one in own),
            sum(one.warned for one in own),
            sum(one.hangs and not one.warned for one in own),
            sum(one.outcome == "refused" for one in own),
            share,
            sum(one.outcome == "error" for one in own),
        ]
        rows.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(rows)


def as_row(one: Counted) -> dict[str, object]:
    return asdict(one)
