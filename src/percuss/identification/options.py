"""How an estimate is searched for, judged, refused and put into words: every number, with a reason.

Plausible ranges are those of `Unknowns`. A rise is one of χ² above that of the best fit: along one
direction 1 is one standard deviation and 9 are three. What is not here is no choice: limits on the
files of strangers, the rounding of numbers, and the 95 % that intervals are stated for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from percuss.identification.option_group import DescribedOption, OptionGroup, documented, option
from percuss.model.errors import ModelError, closest


@documented
@dataclass(frozen=True)
class StartOptions(OptionGroup):
    """Where searches begin."""

    group = "starts"

    spread: float = option(
        0.5,
        "Standard deviation of the places where searches begin, as a share of the ranges.",
        "Two of them reach the ends of what is plausible.",
        held="Smaller (0.167): 2 beyond 4 σ instead of 1, 1 beyond 5 σ instead of 0.",
    )
    jump_doubt: float = option(
        3.0,
        "How many times as wide as stated the velocity is drawn that the jump of the robot tells.",
        "It rests on the scenario's mass and shape, which may be wrong.",
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    farthest_jump: float = option(
        3.0,
        "How far from the scenario's velocity the jump may take the search, in ranges.",
        "A cubic that fits badly must not throw it out of what is plausible.",
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    jump_window: float = option(
        0.5,
        "How long after the impact (s) samples tell the jump of the velocities.",
        "A cubic follows the motion of arms of this size for so long.",
        held=(
            "Neither smaller nor larger changes any of 6 records. The sample does not tell; "
            "see `test_jump.py`."
        ),
    )
    jump_samples: int = option(
        10,
        "Samples that tell it at least.",
        "A cubic through a known place has three numbers, and noise is to average.",
        least=3,
        held=(
            "Neither smaller nor larger changes any of 6 records. The sample does not tell; "
            "see `test_jump.py`."
        ),
    )
    more: int = option(
        4,
        "How many times as many searches are begun where the first have found nothing that fits, "
        "or where χ² is no parabola.",
        "The best place has then been missed, and there are several to miss.",
        least=1,
        held=(
            "Neither smaller nor larger changes any of 6 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    surprise: float = option(
        2.5,
        "Standard deviations by which χ² may exceed what is expected before that is done.",
        "A right fit exceeds it once in 160 records, and searching again costs time alone.",
        held=(
            "Neither smaller nor larger changes any of 6 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )


@documented
@dataclass(frozen=True)
class DescentOptions(OptionGroup):
    """How one search goes down."""

    group = "descent"

    steps: int = option(
        60,
        "Steps of a search on few samples at most.",
        "A search that takes more creeps along what cannot be known.",
        least=1,
        held=(
            "Neither smaller nor larger changes any of 6 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    whole_record: int = option(
        4,
        "How many times as many steps there may be on the whole record.",
        "Few searches creep along a narrow valley, and are worth it.",
        least=1,
        held=(
            "Neither smaller nor larger changes any of 6 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    released: int = option(
        2,
        "How many times as many there may be once the scenario's values pull no more.",
        "They begin at the end of the last.",
        least=1,
        held=(
            "Neither smaller nor larger changes any of 6 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    first_damping: float = option(
        1e-2,
        "Damping of the first step, per range squared.",
        "Small beside the information of anything that is known, which is above 1.",
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    damping_growth: float = option(
        4.0,
        "By what the damping grows after a step that leads up; twice that after the next.",
        "Nielsen's rule, whose steps shrink faster and faster.",
        above=1.0,
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    standing_damping: float = option(
        1e-3,
        "Damping that always stays, per range squared.",
        "What cannot be known keeps its place, and what can (information above 1) loses a "
        "thousandth of a step.",
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    least_damping: float = option(
        1e-15,
        "Least damping, as a share of the information.",
        "Exact degeneracies stay solvable.",
        below=1.0,
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    given_up_damping: float = option(
        1e20,
        "Damping at which a search is given up.",
        "Its steps are too short to move any number.",
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    longest_step: float = option(
        0.5,
        "Longest step, as a share of the ranges.",
        "Derivatives tell nothing of what is a range away.",
        held="Larger (1.5): 1 warned instead of 0.",
    )
    closeness: float = option(
        1e-9,
        "A search is done when a full step would lower χ² by less.",
        "It is 3e-5 standard deviations away then.",
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    no_noise: float = option(
        100.0,
        "χ² of a sample from which on residuals are no noise, and closeness is counted in units "
        "of them.",
        "What is off by thousands of deviations has its minimum no more exactly than that, and a "
        "search for its last digit has no end.",
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    polishing_steps: int = option(
        2,
        "Steps that take away what a weak pull has left.",
        "Little is left after the first.",
        least=1,
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    bend_looks: int = option(
        4,
        "Places at which a step is looked at, to follow a bend.",
        "Each costs one motion without derivatives.",
        least=1,
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    bend_gain: float = option(
        0.25,
        "Share of what is left of χ² that a correction may leave, if another is to follow.",
        "The next would gain less than it costs.",
        below=1.0,
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    bend_rest: float = option(
        0.01,
        "Share of the χ² that a step promises to take away, that may be left of its bend.",
        "The rest is the next step's.",
        below=1.0,
        held=(
            "Neither smaller nor larger changes a count; what is said of 1 of 5 records "
            "differs. The sample does not tell; see `test_fit.py`."
        ),
    )
    longest_bend: float = option(
        0.75,
        "Longest correction that is believed, as a share of the step.",
        "A series of corrections that shrink slower leads elsewhere.",
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    straight: float = option(
        1e-3,
        "Steps that promise to lower χ² by less are taken straight.",
        "They are a thirtieth of a standard deviation long, where nothing bends.",
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )


@documented
@dataclass(frozen=True)
class HorizonOptions(OptionGroup):
    """How the record is made longer while it is searched, and thinned."""

    group = "horizons"

    times: int = option(
        48,
        "Times of the record that the first search looks at.",
        "They follow the swings of a record at a fraction of its time.",
        least=6,
        held=(
            "Neither smaller nor larger changes a count; what is said of 1 of 5 records "
            "differs. The sample does not tell; see `test_fit.py`."
        ),
    )
    halvings: int = option(
        5,
        "How often a record is halved for the very first search.",
        "In a thirtieth of a record motion is simple, and χ² a parabola.",
        least=0,
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    fewest_times: int = option(
        6,
        "Times that a part of a record must have for a search.",
        "Fewer tell about as many numbers as are asked for.",
        least=1,
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    closeness: float = option(
        0.1,
        "How close to its minimum χ² must come on a part of the record.",
        "The next part moves it by more.",
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    rough_closeness: float = option(
        1e-3,
        "How close it must come on few times of the whole record.",
        "All times move it by more.",
        held=(
            "Neither smaller nor larger changes any of 5 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    hopeless_ratio: float = option(
        10.0,
        "Places whose χ² is that many times the best are let go before the record is longer.",
        "A place that will fit the whole record fits a part of it.",
        least=1.0,
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    hopeless_rise: float = option(
        60.0,
        "Ends whose χ² is not that much above the best are kept in any case.",
        "Noise, and what few times leave of a bend, reach as high.",
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )
    velocity_pull: float = option(
        1e-5,
        "Pull of the scenario's velocity while the rest is pulled by one range.",
        "Where it is absent, zero stands for it, which is no knowledge.",
        least=0.0,
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_fit.py`."
        ),
    )


@documented
@dataclass(frozen=True)
class EndOptions(OptionGroup):
    """What is made of the places where searches end."""

    group = "ends"

    most: int = option(
        3,
        "Ends of a case from which the search goes on with the whole record.",
        "Minima that fit alike on few times, at the time of one search each.",
        least=1,
        held=(
            "Neither smaller nor larger changes any of 2 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    same_rise: float = option(
        0.01,
        "Ends are one if χ² rises by less from one to the other.",
        "A tenth of a standard deviation.",
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    even_rise: float = option(
        4.0,
        "Minima whose χ² differ by less fit alike: that nearest to the scenario is taken.",
        "Two standard deviations, which noise often makes.",
        least=0.0,
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    still: float = option(
        1e-6,
        "By how much a step may lower χ² in a minimum.",
        "A thousandth of a standard deviation.",
        held=(
            "Neither smaller nor larger changes a count; what is said of 1 of 4 records "
            "differs. The sample does not tell; see `test_honesty.py`."
        ),
    )
    first_probes: tuple[float, ...] = option(
        (-100.0, -10.0, 10.0, 100.0),
        "Standard deviations from the first minimum, along what is known least, at which the "
        "search is begun again.",
        "Where data says little χ² has long curved valleys, with more than one minimum in them.",
        least=-1e6,
        held=(
            "Neither smaller nor larger changes any of 2 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    probes: tuple[float, ...] = option(
        (-30.0, -10.0, -4.0, 4.0, 10.0, 30.0),
        "The same on the whole record, where χ² is no parabola at its minimum.",
        "That is rare, and more likely to have several minima.",
        least=-1e6,
        held="Not tried on the sample; see `test_honesty.py`.",
    )
    farthest_probe: float = option(
        0.6,
        "But no farther than this share of a range.",
        "The valley has bent away by then.",
        held=(
            "Neither smaller nor larger changes any of 2 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )


@documented
@dataclass(frozen=True)
class ValleyOptions(OptionGroup):
    """Where χ² is no parabola: how the bottom of its valley is followed."""

    group = "valleys"

    bent: float = option(
        0.1,
        "How far χ² is from a parabola at two standard deviations, as a share, for its valley to "
        "be followed.",
        "Below, intervals are wrong by less than a twentieth.",
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    first_step: float = option(
        0.5,
        "Length of the first step along a valley, in standard deviations.",
        "A parabola rises by a quarter there.",
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    flattest_rise: float = option(
        0.2,
        "Rise from place to place below which the next step is longer.",
        "Several places then stand for each standard deviation.",
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    step_growth: float = option(
        1.6,
        "How many times as long it is.",
        "A failure, which halves it, undoes one and a half growths.",
        above=1.0,
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    steepest_rise: float = option(
        1.2,
        "Largest rise between places next to each other; while the rise is small.",
        "A density that falls by half is still followed well between its places.",
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    steepest_share: float = option(
        0.35,
        "The same as a share of the rise, where that is large.",
        "Little is left of the density there.",
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    last_rise: float = option(
        14.0,
        "Rise at which a walk ends.",
        "A thousandth of the density of the best is left, and nothing beyond.",
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    places: int = option(
        40,
        "Places to either side at most.",
        "That of a parabola takes far fewer.",
        least=1,
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    farthest: float = option(
        1.0,
        "Share of the ranges where a walk ends, too.",
        "What is farther is not plausible.",
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    leap: float = option(
        0.5,
        "Share of the ranges that a step may at most move anything.",
        "A place that leaps while its distance hardly changes is in another valley.",
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    corrections: int = option(
        6,
        "Steps back to the bottom of a valley at most.",
        "What needs more has left it.",
        least=1,
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    closeness: float = option(
        0.01,
        "Rise above the bottom that a place may have.",
        "A tenth of a standard deviation.",
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    long_share: float = option(
        0.6,
        "Share of half a valley that a standard deviation within it may be before its flattest "
        "place is looked for.",
        "Of a parabola it is a third.",
        held="Not tried on the sample; see `test_honesty.py`.",
    )
    refinements: int = option(
        12,
        "How often the flattest place is looked for between its neighbours.",
        "Each halves the gap.",
        least=0,
        held="Not tried on the sample; see `test_honesty.py`.",
    )
    blind: float = option(
        0.5**0.5,
        "Standard deviation at the flattest place, the ranges known, from which on a direction is "
        "not known to first order.",
        "Measurements and ranges tell as much about it as each other.",
        most=1.0,
        held="Not tried on the sample; see `test_honesty.py`.",
    )
    hidden_ways: int = option(
        2,
        "How many more ways are followed for each direction that cannot be known, between them.",
        "Their valley may bend any way.",
        least=0,
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_honesty.py`."
        ),
    )
    fewest_places: int = option(
        5,
        "Places that a valley needs for intervals to be read from it.",
        "Two to either side.",
        least=3,
        held="Not tried on the sample; see `test_honesty.py`.",
    )
    draws: int = option(
        4000,
        "Samples from which means, σ and intervals along a valley are taken.",
        "σ is known to a hundredth.",
        least=100,
        held="Not tried on the sample; see `test_honesty.py`.",
    )


@documented
@dataclass(frozen=True)
class AcceptanceOptions(OptionGroup):
    """What gets a number, and when two answers differ."""

    group = "acceptance"

    leak: float = option(
        0.03,
        "Share of its range by which what cannot be known may move a quantity that gets a number.",
        "Less than a tenth of what was plausible, which is called weak.",
        least=0.0,
        below=1.0,
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_document.py`."
        ),
    )
    apart: float = option(
        5.0,
        "Standard deviations by which different values differ.",
        "Noise does not make it in a million records.",
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_document.py`."
        ),
    )
    alike_rise: float = option(
        9.0,
        "Places fit as well as the best where χ² rises by less.",
        "Three standard deviations.",
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_document.py`."
        ),
    )
    likely_rise: float = option(
        4.0,
        "Places are as likely as any where χ² rises by less.",
        "Two standard deviations.",
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_document.py`."
        ),
    )
    rest: float = option(
        0.1,
        "A quantity is at rest when a step more would move it by a smaller share of its σ.",
        "That is lost beside the σ that is stated.",
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_document.py`."
        ),
    )
    lost_share: float = option(
        0.5,
        "Share of what seemed known, contradicted by places that fit as well, above which the rest "
        "gets no number either.",
        "The place itself is not to be believed then.",
        most=1.0,
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_document.py`."
        ),
    )


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
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_odd_records.py`."
        ),
    )
    closest_times: float = option(
        1e-9,
        "Least time between samples (s).",
        "Below a nanosecond a clock shows its own rounding.",
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_odd_records.py`."
        ),
    )
    other_units: float = option(
        20.0,
        "A record that is so many durations long may be in other units than seconds.",
        "In milliseconds it is a thousand.",
        above=1.0,
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_odd_records.py`."
        ),
    )
    most_work: int = option(
        200_000,
        "Rows times unknowns of a record at most.",
        "30 s of search for three unknowns, and memory for its tables.",
        least=1,
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_odd_records.py`."
        ),
    )
    longest: float = option(
        20_000.0,
        "Longest record (s).",
        "400,000 of the longest steps of the integration, see `ForwardModel`.",
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_odd_records.py`."
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
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_odd_records.py`."
        ),
    )
    near: float = option(
        2.0,
        "A record tells its beginning if it begins no later than so many times as long as these "
        "take.",
        "A straight line leads no farther back.",
        held=(
            "Neither smaller nor larger changes any of 4 records. The sample does not tell; "
            "see `test_odd_records.py`."
        ),
    )
    explained: float = option(
        0.1,
        "Share of the distance that an explanation, such as degrees, may leave.",
        "Explanations differ by factors.",
        below=1.0,
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_odd_records.py`."
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
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_odd_records.py`."
        ),
    )
    fastest: float = option(
        50.0,
        "A record begins no faster than so many times what a plausible target causes.",
        "Searches begin within three times; units are wrong by fifty and more.",
        least=1.0,
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_odd_records.py`."
        ),
    )
    slowest: float = option(
        0.03,
        "Share of the fastest coordinate that any may at least move at.",
        "What hardly moves at first may soon.",
        most=1.0,
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_odd_records.py`."
        ),
    )
    sure: float = option(
        20.0,
        "Standard deviations that a velocity must be too large by.",
        "Those of a cubic do not count what it cannot follow.",
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_odd_records.py`."
        ),
    )
    instants: float = option(
        1.0,
        "How long after the impact (s) motion is simple.",
        "Arms of this size swing more slowly.",
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_odd_records.py`."
        ),
    )
    misfit: float = option(
        1000.0,
        "Standard deviations, root mean square, from which on a fit of so little is none.",
        "A wrong closure or friction leaves less: it is warned of, and not refused.",
        held=(
            "Neither smaller nor larger changes any of 2 records. The sample does not tell; "
            "see `test_odd_records.py`."
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
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_odd_records.py`."
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
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_outliers.py`."
        ),
    )
    ends: float = option(
        50.0,
        "How much less the first and last samples are judged.",
        "Their neighbours are on one side only, and just after an impact a contact that yields "
        "shakes everything.",
        least=1.0,
        held=(
            "Neither smaller nor larger changes any of 2 records. The sample does not tell; "
            "see `test_outliers.py`."
        ),
    )
    gross: float = option(
        100.0,
        "Spreads from its neighbours from which on a sample is refused.",
        "It would make a fit meaningless.",
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_outliers.py`."
        ),
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
        held=(
            "Neither smaller nor larger changes any of 2 records. The sample does not tell; "
            "see `test_outliers.py`."
        ),
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
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_odd_records.py`."
        ),
    )
    beside: int = option(
        5,
        "Samples beside such a run that tell how fast the column moves.",
        "Their median bears two bad ones.",
        least=1,
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_odd_records.py`."
        ),
    )
    noisy: float = option(
        0.3,
        "Share of its stated noise above which a column has noise at all.",
        "What is computed or rounded stays below.",
        held=(
            "Neither smaller nor larger changes any of 2 records. The sample does not tell; "
            "see `test_odd_records.py`."
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


@documented
@dataclass(frozen=True)
class ResidualTestOptions(OptionGroup):
    """Tests of what a fit has left."""

    group = "residual_tests"

    false_alarm: float = option(
        0.01,
        "How often at most a right model is called wrong.",
        "A warning is to be read, so it must be rare.",
        below=1.0,
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_checks.py`."
        ),
    )
    fewest_samples: int = option(
        20,
        "Samples of a channel of which correlations in time are tested.",
        "With fewer their distributions are not known well.",
        least=4,
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_checks.py`."
        ),
    )
    rounding: float = option(
        1e-2,
        "Share of the stated variance below which residuals are of the computation, not of noise.",
        "Records without noise are right, and their rounding is not random.",
        held=(
            "Neither smaller nor larger changes any of 2 records. The sample does not tell; "
            "see `test_checks.py`."
        ),
    )
    free_share: float = option(
        0.01,
        "Share of the noise of a sample that a fit must leave for a test.",
        "Less depends on its last digits.",
        below=1.0,
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_checks.py`."
        ),
    )
    onset_samples: int = option(
        8,
        "Samples that count as the onset.",
        "A contact that takes time has ended by then.",
        least=1,
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_checks.py`."
        ),
    )
    samples_per_lag: int = option(
        25,
        "Samples for each lag of the Ljung–Box statistic.",
        "With more lags the tail of its distribution is heavier than that of χ².",
        least=1,
        held=(
            "Neither smaller nor larger changes any of 2 records. The sample does not tell; "
            "see `test_checks.py`."
        ),
    )
    most_lags: int = option(
        10,
        "Most lags of it.",
        "What is correlated farther is correlated nearer, too.",
        least=2,
        held=(
            "Neither smaller nor larger changes any of 2 records. The sample does not tell; "
            "see `test_checks.py`."
        ),
    )
    early_share: float = option(
        0.05,
        "Share of the record that counts as just after the impact, in words.",
        "A contact takes milliseconds, a record seconds.",
        below=1.0,
        held="Not tried on the sample; see `test_checks.py`.",
    )


@documented
@dataclass(frozen=True)
class ObservabilityOptions(OptionGroup):
    """What cannot be known, and what is known although its parts are not, in words."""

    group = "observability"

    weak: float = option(
        0.1,
        "A quantity is weak when its standard deviation is above this share of its range.",
        "It is known one digit better than before.",
        held=(
            "Neither smaller nor larger changes any of 3 records. The sample does not tell; "
            "see `test_words.py`."
        ),
    )
    aligned: float = option(
        0.03,
        "Sine of the angle to a space below which a direction is one of its members.",
        "As much as may leak into what is known, see `acceptance.leak`.",
        below=1.0,
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_words.py`."
        ),
    )
    new: float = option(
        0.1,
        "Sine of the angle to what has been said above which a direction says more.",
        "What is nearer says the same in other words.",
        below=1.0,
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_words.py`."
        ),
    )
    moved: float = option(
        10.0,
        "A combination is not known if it differs by more standard deviations at a place that fits "
        "as well.",
        "Such places are up to three away, and along a bend twice as far.",
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_words.py`."
        ),
    )
    fewest_digits: int = option(
        3,
        "Digits of the numbers in words at least.",
        "Fewer are no numbers of engineers.",
        least=1,
        most=12,
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_words.py`."
        ),
    )
    most_digits: int = option(
        8,
        "And at most.",
        "Sensors have no more.",
        least=1,
        most=12,
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_words.py`."
        ),
    )
    wider: float = option(
        1.02,
        "Standard deviation of what the words say, as a share of that of what is known best.",
        "As many digits are shown as lose no more than 2 %.",
        least=1.0,
        held=(
            "Neither smaller nor larger changes any of 1 records. The sample does not tell; "
            "see `test_words.py`."
        ),
    )


@documented
@dataclass(frozen=True)
class AdviceOptions(OptionGroup):
    """What would help, and when it is worth a word."""

    group = "advice"

    misfit: float = option(
        2.0,
        "Residuals, in standard deviations, of a model whose promises are worth nothing.",
        "Half of what it leaves is no noise.",
        held="Not tried on the sample; see `test_excitation.py`.",
    )
    worth: float = option(
        2.0,
        "By how much a standard deviation must fall for a remedy to be worth a word.",
        "Four times as many samples would do as much.",
        least=1.0,
        held="Not tried on the sample; see `test_excitation.py`.",
    )
    longer: int = option(
        2,
        "How many times as long a record is looked at.",
        "The least that is worth another campaign.",
        least=2,
        held="Not tried on the sample; see `test_excitation.py`.",
    )
    marker_noise: float = option(
        1e-3,
        "Of a marker on the target that is looked at, where the sensors have none (m).",
        "A camera nearby.",
        held="Not tried on the sample; see `test_excitation.py`.",
    )
    places: int = option(
        11,
        "Places besides the best fit that a promise is held against.",
        "They stand for a valley's length; each costs a motion with derivatives.",
        least=1,
        held="Not tried on the sample; see `test_excitation.py`.",
    )
    different: float = option(
        2.0,
        "Standard deviations between quantities of two places that a record must tell apart.",
        "Nearer ones are one answer.",
        held="Not tried on the sample; see `test_excitation.py`.",
    )
    held_share: float = option(
        0.5,
        "Least share of that difference by which what is shown must differ.",
        "Derivatives promise too much where what is predicted turns back.",
        below=1.0,
        held="Not tried on the sample; see `test_excitation.py`.",
    )
    as_good_as_new: float = option(
        100.0,
        "A standard deviation that falls so much was hardly one before.",
        "It becomes known, in words.",
        above=1.0,
        held="Not tried on the sample; see `test_excitation.py`.",
    )
    mentioned: int = option(
        4,
        "Quantities that the words on a manoeuvre tell of.",
        "A sentence holds no more.",
        least=1,
        held="Not tried on the sample; see `test_excitation.py`.",
    )
    cycles: tuple[float, ...] = option(
        (1.0, 2.0, 4.0, 8.0),
        "Oscillations within the record that are tried.",
        "Faster ones move little for the same torque.",
        held="Not tried on the sample; see `test_excitation.py`.",
    )
    sizes: tuple[float, ...] = option(
        (0.95, 0.6, 0.3),
        "Shares of the torque that, if joints moved in proportion, would move one by the whole "
        "travel.",
        "They do not quite, so that some must be smaller.",
        held="Not tried on the sample; see `test_excitation.py`.",
    )
    probe: float = option(
        0.03,
        "Share of the travel by which a first try of a rigid tree would move its joint.",
        "Joints move in proportion there.",
        below=1.0,
        held="Not tried on the sample; see `test_excitation.py`.",
    )
    compared: int = option(
        60,
        "Times at which manoeuvres are compared.",
        "The best is then followed at all of them.",
        least=2,
        held="Not tried on the sample; see `test_excitation.py`.",
    )
    strong: float = option(
        10.0,
        "Range over standard deviation from which a direction needs no help.",
        "It is not weak then, see `observability.weak`.",
        least=1.0,
        held="Not tried on the sample; see `test_excitation.py`.",
    )
    resolved: int = option(
        40,
        "Steps of the integration in the shortest period of a manoeuvre at least.",
        "Its torque is smooth to a method of fourth order then.",
        least=4,
        held="Not tried on the sample; see `test_excitation.py`.",
    )


@documented
@dataclass(frozen=True)
class PosteriorOptions(OptionGroup):
    """How the posterior is drawn, and when its samples are good."""

    group = "posterior"

    divergent_share: float = option(
        2e-3,
        "Share of steps that may diverge.",
        "No more can be missed of what they lead to.",
        below=1.0,
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    doubtful: float = option(
        1.05,
        "R̂ from which on more should be drawn.",
        "Means of chains then differ by a third of a standard deviation.",
        above=1.0,
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    wrong: float = option(
        1.1,
        "R̂ from which on nothing is said.",
        "The chains have seen different things (Gelman and Rubin).",
        above=1.0,
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    hidden: float = option(
        0.7,
        "Share of the ranges from which on a standard deviation is not measured, but plausible.",
        "Measurements and ranges tell as much as each other, see `valleys.blind`.",
        most=1.0,
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    low_rise: float = option(
        9.0,
        "Rise below which a valley goes on beyond its end, and is followed anew.",
        "Three standard deviations are drawn.",
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    farthest: float = option(
        2.5,
        "How far a valley is followed along what cannot be known, in ranges, besides "
        "`valleys.farthest`.",
        "As far as samples with the ranges as σ are drawn.",
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    pilot: int = option(
        256,
        "Places at which a chart is tried.",
        "They take a fraction of the samples' time.",
        least=16,
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    close: float = option(
        3.0,
        "How far the logarithm of the density may be from a normal one at all but `exceptions` of "
        "them, for paths to follow the normal one.",
        "Steps are then accepted often enough.",
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    exceptions: int = option(
        5,
        "Of the places that may be farther.",
        "Tails that one sample in fifty reaches.",
        least=1,
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    aside: float = option(
        0.1,
        "Standard deviations to either side at which slopes tell the bends of a chart.",
        "Noise of the integration is smaller there, and bends hardly change.",
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    tail: float = option(
        3.0,
        "Standard deviations of the coordinate along a valley beyond which it goes on evenly.",
        "The density beyond is not known well enough to be followed.",
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    knots: int = option(
        41,
        "Knots of the coordinate along a valley.",
        "Seven for each standard deviation.",
        least=5,
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    fine: int = option(
        4001,
        "Places at which the density along a valley is summed up.",
        "A hundred for each knot.",
        least=101,
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    fewest_places: int = option(
        5,
        "Places of a valley that can be followed.",
        "Two to either side.",
        least=3,
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    depth: int = option(
        6,
        "Doublings of a path at most.",
        "In these coordinates it turns back long before.",
        least=1,
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    diverged: float = option(
        1000.0,
        "Gain of energy at which a path has lost its way.",
        "As Stan has it; none is accepted from 30 on.",
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    acceptance: float = option(
        0.8,
        "Mean acceptance that the step is adapted to.",
        "As Stan has it (Hoffman and Gelman).",
        below=1.0,
        held="Not tried on the sample; see `test_posterior.py`.",
    )
    careful_acceptance: float = option(
        0.93,
        "The same once a path has diverged.",
        "The density has narrow parts, for which steps must be shorter.",
        below=1.0,
        held="Not tried on the sample; see `test_posterior.py`.",
    )


@dataclass(frozen=True)
class SearchOptions:
    """Every number by which `identify` searches, judges, refuses, warns and words.

    Each is described where it stands, with its reason and what holds it; `described` lists all.
    Other values make another value, and those that are not allowed are refused by name:

    >>> options = SearchOptions().changed({"descent.longest_step": 0.25})
    >>> options.descent.longest_step
    0.25
    """

    starts: StartOptions = field(default_factory=StartOptions)
    descent: DescentOptions = field(default_factory=DescentOptions)
    horizons: HorizonOptions = field(default_factory=HorizonOptions)
    ends: EndOptions = field(default_factory=EndOptions)
    valleys: ValleyOptions = field(default_factory=ValleyOptions)
    acceptance: AcceptanceOptions = field(default_factory=AcceptanceOptions)
    records: RecordOptions = field(default_factory=RecordOptions)
    beginning: BeginningOptions = field(default_factory=BeginningOptions)
    integration: IntegrationOptions = field(default_factory=IntegrationOptions)
    outliers: OutlierOptions = field(default_factory=OutlierOptions)
    frozen: FrozenOptions = field(default_factory=FrozenOptions)
    residual_tests: ResidualTestOptions = field(default_factory=ResidualTestOptions)
    observability: ObservabilityOptions = field(default_factory=ObservabilityOptions)
    advice: AdviceOptions = field(default_factory=AdviceOptions)
    posterior: PosteriorOptions = field(default_factory=PosteriorOptions)

    def __post_init__(self) -> None:
        for name, group in GROUPS.items():
            if not isinstance(getattr(self, name), group):
                given = type(getattr(self, name)).__name__
                raise ModelError(f"{name} must be {group.__name__}, got {given}")

    def __repr__(self) -> str:
        """What is not as it is by default."""
        own = [(each, self.value(each.name)) for each in self.described()]
        other = [f"{each.name}={value!r}" for each, value in own if value != each.value]
        return f"<SearchOptions: {', '.join(other) or 'all as by default'}>"

    def value(self, name: str) -> Any:
        """Of one option by its name, `descent.longest_step`."""
        group, _, own = name.partition(".")
        if group not in GROUPS or own not in {each.name for each in fields(GROUPS[group])}:
            known = [each.name for each in self.described()]
            raise ModelError(f"options: there is no {name!r}.{closest(name, known)}")
        return getattr(getattr(self, group), own)

    def changed(self, values: Mapping[str, Any]) -> Self:
        """The same with other values by name, `{"descent.longest_step": 0.25}`."""
        found = self
        for name, value in values.items():
            self.value(name)
            group, _, own = name.partition(".")
            found = replace(found, **{group: replace(getattr(found, group), **{own: value})})
        return found

    @staticmethod
    def described() -> tuple[DescribedOption, ...]:
        """What is written of every option, in order."""
        return tuple(each for group in GROUPS.values() for each in group.described())


GROUPS: dict[str, type[OptionGroup]] = {
    each.group: each
    for each in (
        StartOptions,
        DescentOptions,
        HorizonOptions,
        EndOptions,
        ValleyOptions,
        AcceptanceOptions,
        RecordOptions,
        BeginningOptions,
        IntegrationOptions,
        OutlierOptions,
        FrozenOptions,
        ResidualTestOptions,
        ObservabilityOptions,
        AdviceOptions,
        PosteriorOptions,
    )
}
"""Name to class."""

DEFAULT = SearchOptions()
"""What is used where no other options are asked for."""
