"""What a record must be, and what is left out of it."""

from __future__ import annotations

from dataclasses import dataclass

from percuss.identification.options.group import OptionGroup, documented, option


@documented
@dataclass(frozen=True)
class RecordOptions(OptionGroup):
    """Which times a record of the scenario may have."""

    group = "records"

    latest_begin: float = option(
        10.0,
        "A record begins no later than that many times the longer of itself and the duration.",
        "Its clock does not begin with the impact.",
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    closest_times: float = option(
        1e-9,
        "Least time between samples (s).",
        "Below a nanosecond a clock shows its own rounding.",
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    other_units: float = option(
        20.0,
        "A record that is so many durations long may be in other units than seconds.",
        "In milliseconds it is a thousand.",
        above=1.0,
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    most_work: int = option(
        200_000,
        "Rows times unknowns of a record at most.",
        "30 s of search for three unknowns, and memory for its tables.",
        least=1,
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    longest: float = option(
        20_000.0,
        "Longest record (s).",
        "400,000 of the longest steps of the integration, see `ForwardModel`.",
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )


@documented
@dataclass(frozen=True)
class BeginningOptions(OptionGroup):
    """Whether a record begins as the scenario says."""

    group = "beginning"

    samples: int = option(
        8,
        "Samples from which the beginning is told.",
        "The median of their lines bears two bad ones.",
        least=3,
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    near: float = option(
        2.0,
        "A record tells its beginning if it begins no later than so many times as long as these "
        "take.",
        "A straight line leads no farther back.",
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    explained: float = option(
        0.1,
        "Share of the distance that an explanation, such as degrees, may leave.",
        "Explanations differ by factors.",
        below=1.0,
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    turns: int = option(
        10,
        "Whole turns that a joint may have made before the record.",
        "More is another fault.",
        least=0,
        held="Not tried on the sample; see `test_odd_records.py`.",
    )
    prior_deviations: float = option(
        10.0,
        "Standard deviations by which the robot's own state may be wrong where it is unknown.",
        "A normal number is never there.",
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    fastest: float = option(
        50.0,
        "A record begins no faster than so many times what a plausible target causes.",
        "Searches begin within three times; units are wrong by fifty and more.",
        least=1.0,
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    slowest: float = option(
        0.03,
        "Share of the fastest coordinate that any may at least move at.",
        "What hardly moves at first may soon.",
        most=1.0,
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    sure: float = option(
        20.0,
        "Standard deviations that a velocity must be too large by.",
        "Those of a cubic do not count what it cannot follow.",
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    instants: float = option(
        1.0,
        "How long after the impact (s) motion is simple.",
        "Arms of this size swing more slowly.",
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    misfit: float = option(
        1000.0,
        "Standard deviations, root mean square, from which on a fit of so little is none.",
        "A wrong closure or friction leaves less: it is warned of, and not refused.",
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )


@documented
@dataclass(frozen=True)
class IntegrationOptions(OptionGroup):
    """How finely the motion that fits must be followed."""

    group = "integration"

    error: float = option(
        1e-2,
        "Of the integration, in standard deviations of what is estimated, at most.",
        "It is lost beside them.",
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    misfit: float = option(
        100.0,
        "Residuals, root mean square in standard deviations, of a fit that may be no fit.",
        "No model of a real sensor leaves as much.",
        held="Not tried on the sample; see `test_odd_records.py`.",
    )
    halvings: int = option(
        3,
        "Halvings of the steps that are tried for such a fit.",
        "Finer ones follow a motion that never was.",
        least=0,
        held="Not tried on the sample; see `test_odd_records.py`.",
    )
    most_steps: int = option(
        200_000,
        "Steps of the integration over a record that any fit may need.",
        "A search takes minutes then.",
        least=1,
        held="Not tried on the sample; see `test_odd_records.py`.",
    )
    tolerance: float = option(
        3e-10,
        "Error of a value (m, rad, …), and as a share of it, down to which steps are halved.",
        "No sensor of a robot tells as much.",
        below=1.0,
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_model.py`."),
    )
    first_tolerance: float = option(
        1e-7,
        "The same where a search is but to find the place, at few times of the record.",
        "What is found is fitted to the whole record afterwards.",
        below=1.0,
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_model.py`."),
    )
    longest_step: float = option(
        0.05,
        "Longest step (s).",
        "A trial may turn much faster than what the steps are judged by: at 3 rad/s it turns by a "
        "seventh of a radian in one, which fourth order follows to 1e-6.",
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_model.py`."),
    )
    burst: float = option(
        0.1,
        "Share of the mean time between samples below which they do not shorten the steps.",
        "Bursts of samples do not ask for short steps between them.",
        below=1.0,
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_model.py`."),
    )
    aside: float = option(
        0.02,
        "How far beside the scenario's values the steps are judged, too; a share of the ranges.",
        "The scenario may be at rest until something is known of the target.",
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_model.py`."),
    )
    lead: float = option(
        0.1,
        "How long (s) the motion takes to catch up with the clock where the time of impact is "
        "unknown.",
        "Its rate changes smoothly then, whatever the time.",
        held=(
            "Neither smaller nor larger changes anything of 1 targets; see `test_impact_clock.py`."
        ),
    )
    lead_steps: int = option(
        16,
        "Steps, at least, until the clocks meet.",
        "Their rate changes there.",
        least=1,
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_impact_clock.py`."
        ),
    )


@documented
@dataclass(frozen=True)
class OutlierOptions(OptionGroup):
    """Samples that are bad, and what `robust` leaves out."""

    group = "outliers"

    side: int = option(
        4,
        "Neighbours on each side that a sample is compared with.",
        "Fewer than half of them may be bad, and motion is a parabola over as many.",
        least=3,
        most=12,
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_outliers.py`."),
    )
    ends: float = option(
        50.0,
        "How much less the first and last samples are judged.",
        "Their neighbours are on one side only, and just after an impact a contact that yields "
        "shakes everything.",
        least=1.0,
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_outliers.py`."),
    )
    gross: float = option(
        100.0,
        "Spreads from its neighbours from which on a sample is refused.",
        "It would make a fit meaningless.",
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_outliers.py`."),
    )
    far: float = option(
        20.0,
        "Spreads from its neighbours from which on `robust` leaves a sample out before the fit.",
        "Neither a normal number is ever there nor motion that was sampled a few times per swing; "
        "what is nearer is judged against the fit, which knows the motion.",
        held="Not tried on the sample; see `test_outliers.py`.",
    )
    travel: float = option(
        10.0,
        "A leap is farther than so many times what the column moves from a sample to the next.",
        "What has mass does not.",
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_outliers.py`."),
    )
    false_alarm: float = option(
        0.01,
        "How often at most `robust` leaves out anything of a record without outliers.",
        "The variance of what is kept is then that of the noise to a few 1e-4.",
        below=1.0,
        held="Not tried on the sample; see `test_outliers.py`.",
    )
    rounds: int = option(
        16,
        "How often the samples that are left out are chosen anew at most.",
        "Each round takes a fit.",
        least=1,
        held="Not tried on the sample; see `test_outliers.py`.",
    )
    worst_share: float = option(
        0.3,
        "Share of the largest residual below which others wait for the next fit.",
        "What one bad sample has drawn away looks bad, too, until that one is gone.",
        below=1.0,
        held="Not tried on the sample; see `test_outliers.py`.",
    )
    most_share: float = option(
        0.1,
        "Share of the samples of a column that may be left out.",
        "What is more often bad is a sensor, a scenario or a noise that is wrong.",
        below=1.0,
        held="Not tried on the sample; see `test_outliers.py`.",
    )


@documented
@dataclass(frozen=True)
class FrozenOptions(OptionGroup):
    """Sensors that stand still, and rates that are not those of the places beside them."""

    group = "frozen"

    equal: int = option(
        10,
        "Samples in a row with the same digits that no noisy sensor gives.",
        "Noise changes the last digit of one of them.",
        least=2,
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    beside: int = option(
        5,
        "Samples beside such a run that tell how fast the column moves.",
        "Their median bears two bad ones.",
        least=1,
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    noisy: float = option(
        0.3,
        "Share of its stated noise above which a column has noise at all.",
        "What is computed or rounded stays below.",
        held=(
            "Neither smaller nor larger changes anything of 3 targets; see `test_odd_records.py`."
        ),
    )
    moves: float = option(
        10.0,
        "Standard deviations, root mean square, that a place moves if its rate is compared.",
        "Noise is then a tenth of the comparison.",
        held="Not tried on the sample; see `test_odd_records.py`.",
    )
    correlated: float = option(
        0.95,
        "Least correlation of a place with the integral of its rate for their ratio to mean "
        "something.",
        "They are one curve but for noise.",
        below=1.0,
        held="Not tried on the sample; see `test_odd_records.py`.",
    )
    agree: float = option(
        0.5,
        "By how much their ratio may differ from one.",
        "Units and signs differ by more, biases by less.",
        held="Not tried on the sample; see `test_odd_records.py`.",
    )
