"""Valleys of χ² that are no parabolas."""

from __future__ import annotations

from dataclasses import dataclass

from percuss.identification.options.group import OptionGroup, documented, option


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
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_honesty.py`."),
    )
    first_step: float = option(
        0.5,
        "Length of the first step along a valley, in standard deviations.",
        "A parabola rises by a quarter there.",
        held=(
            "Neither smaller nor larger changes a count; what is said of 3 of 103 targets"
            " differs; see `test_honesty.py`."
        ),
    )
    flattest_rise: float = option(
        0.2,
        "Rise from place to place below which the next step is longer.",
        "Several places then stand for each standard deviation.",
        held=(
            "Neither smaller nor larger changes a count; what is said of 2 of 103 targets"
            " differs; see `test_honesty.py`."
        ),
    )
    step_growth: float = option(
        1.6,
        "How many times as long it is.",
        "A failure, which halves it, undoes one and a half growths.",
        above=1.0,
        held=(
            "Neither smaller nor larger changes a count; what is said of 1 of 103 targets"
            " differs; see `test_honesty.py`."
        ),
    )
    steepest_rise: float = option(
        1.2,
        "Largest rise between places next to each other; while the rise is small.",
        "A density that falls by half is still followed well between its places.",
        held=(
            "Neither smaller nor larger changes a count; what is said of 3 of 103 targets"
            " differs; see `test_honesty.py`."
        ),
    )
    steepest_share: float = option(
        0.35,
        "The same as a share of the rise, where that is large.",
        "Little is left of the density there.",
        held=(
            "Neither smaller nor larger changes a count; what is said of 1 of 103 targets"
            " differs; see `test_honesty.py`."
        ),
    )
    last_rise: float = option(
        14.0,
        "Rise at which a walk ends.",
        "A thousandth of the density of the best is left, and nothing beyond.",
        held=("Smaller (4.67): 1 beyond 4 σ instead of 0, 1 beyond 5 σ instead of 0."),
    )
    halvings: int = option(
        12,
        "How often in a row a step is halved because it leads off the valley.",
        "Where a four-thousandth of it does, too, the valley is lost. Of 40 walks in cases of the "
        "campaign, 120 sides went on after up to 10, none after more.",
        held=(
            "Neither smaller nor larger changes anything of 103 targets; see `test_campaign.py`."
        ),
    )
    places: int = option(
        40,
        "Places to either side at most.",
        "That of a parabola takes far fewer.",
        least=1,
        held=("Neither smaller nor larger changes anything of 103 targets; see `test_honesty.py`."),
    )
    farthest: float = option(
        1.0,
        "Share of the ranges where a walk ends, too.",
        "What is farther is not plausible.",
        held=("Smaller (0.333): 1 beyond 4 σ instead of 0, 1 beyond 5 σ instead of 0."),
    )
    leap: float = option(
        0.5,
        "Share of the ranges that a step may at most move anything.",
        "A place that leaps while its distance hardly changes is in another valley.",
        held=("Neither smaller nor larger changes anything of 102 targets; see `test_honesty.py`."),
    )
    corrections: int = option(
        6,
        "Steps back to the bottom of a valley at most.",
        "What needs more has left it.",
        least=1,
        held=("Neither smaller nor larger changes anything of 102 targets; see `test_honesty.py`."),
    )
    closeness: float = option(
        0.01,
        "Rise above the bottom that a place may have.",
        "A tenth of a standard deviation.",
        held=(
            "Neither smaller nor larger changes a count; what is said of 2 of 102 targets"
            " differs; see `test_honesty.py`."
        ),
    )
    long_share: float = option(
        0.6,
        "Share of half a valley that a standard deviation within it may be before its flattest "
        "place is looked for.",
        "Of a parabola it is a third.",
        held=("Larger (1.8): 3 withheld instead of 0."),
    )
    refinements: int = option(
        12,
        "How often the flattest place is looked for between its neighbours.",
        "Each halves the gap.",
        least=0,
        held=(
            "Neither smaller nor larger changes a count; what is said of 1 of 101 targets"
            " differs; see `test_honesty.py`."
        ),
    )
    blind: float = option(
        0.5**0.5,
        "Standard deviation at the flattest place, the ranges known, from which on a direction is "
        "not known to first order.",
        "Measurements and ranges tell as much about it as each other.",
        most=1.0,
        held=("Neither smaller nor larger changes anything of 101 targets; see `test_honesty.py`."),
    )
    hidden_ways: int = option(
        2,
        "How many more ways are followed for each direction that cannot be known, between them.",
        "Their valley may bend any way.",
        least=0,
        held=(
            "Neither smaller nor larger changes a count; what is said of 1 of 2 targets "
            "differs; see `test_honesty.py`."
        ),
    )
    fewest_places: int = option(
        5,
        "Places that a valley needs for intervals to be read from it.",
        "Two to either side.",
        least=3,
        held=("Neither smaller nor larger changes anything of 101 targets; see `test_honesty.py`."),
    )
    tail: float = option(
        1.0,
        "Standard deviations by which a place of a bent valley may be farther than its χ² says.",
        "The one that is stated is made wider for a longer tail, which would else seem excluded.",
        least=0.0,
        held=(
            "Neither smaller nor larger changes a count; what is said of 2 of 103 targets"
            " differs; see `test_campaign.py`."
        ),
    )
    draws: int = option(
        4000,
        "Samples from which means, σ and intervals along a valley are taken.",
        "σ is known to a hundredth.",
        least=100,
        held=(
            "Neither smaller nor larger changes a count; what is said of 2 of 101 targets"
            " differs; see `test_honesty.py`."
        ),
    )
