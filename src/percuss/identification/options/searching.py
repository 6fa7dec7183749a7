"""Where searches begin, how they descend, and on how much of a record."""

from __future__ import annotations

from dataclasses import dataclass

from percuss.identification.options.group import OptionGroup, documented, option


@documented
@dataclass(frozen=True)
class StartOptions(OptionGroup):
    """Where searches begin."""

    group = "starts"

    spread: float = option(
        0.5,
        "Standard deviation of the places where searches begin, as a share of the ranges.",
        "Two of them reach the ends of what is plausible.",
        held=(
            "Smaller (0.167): 4 beyond 4 σ instead of 0, 4 beyond 5 σ instead of 0, 6 "
            "withheld instead of 0."
        ),
    )
    jump_doubt: float = option(
        3.0,
        "How many times as wide as stated the velocity is drawn that the jump of the robot tells.",
        "It rests on the scenario's mass and shape, which may be wrong.",
        held=("Neither smaller nor larger changes anything of 103 targets; see `test_fit.py`."),
    )
    farthest_jump: float = option(
        3.0,
        "How far from the scenario's velocity the jump may take the search, in ranges.",
        "A cubic that fits badly must not throw it out of what is plausible.",
        held=("Neither smaller nor larger changes anything of 103 targets; see `test_fit.py`."),
    )
    jump_window: float = option(
        0.5,
        "How long after the impact (s) samples tell the jump of the velocities.",
        "A cubic follows the motion of arms of this size for so long.",
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_jump.py`."),
    )
    jump_samples: int = option(
        10,
        "Samples that tell it at least.",
        "A cubic through a known place has three numbers, and noise is to average.",
        least=3,
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_jump.py`."),
    )
    more: int = option(
        4,
        "How many times as many searches are begun where the first have found nothing that fits, "
        "or where χ² is no parabola.",
        "The best place has then been missed, and there are several to miss.",
        least=1,
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
    )
    surprise: float = option(
        2.5,
        "Standard deviations by which χ² may exceed what is expected before that is done.",
        "A right fit exceeds it once in 160 records, and searching again costs time alone.",
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
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
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
    )
    whole_record: int = option(
        4,
        "How many times as many steps there may be on the whole record.",
        "Few searches creep along a narrow valley, and are worth it.",
        least=1,
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
    )
    released: int = option(
        2,
        "How many times as many there may be once the scenario's values pull no more.",
        "They begin at the end of the last.",
        least=1,
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
    )
    first_damping: float = option(
        1e-2,
        "Damping of the first step, per range squared.",
        "Small beside the information of anything that is known, which is above 1.",
        held=(
            "Neither smaller nor larger changes a count; what is said of 2 of 104 targets"
            " differs; see `test_fit.py`."
        ),
    )
    damping_growth: float = option(
        4.0,
        "By what the damping grows after a step that leads up; twice that after the next.",
        "Nielsen's rule, whose steps shrink faster and faster.",
        above=1.0,
        held=(
            "Neither smaller nor larger changes a count; what is said of 2 of 104 targets"
            " differs; see `test_fit.py`."
        ),
    )
    standing_damping: float = option(
        1e-3,
        "Damping that always stays, per range squared.",
        "What cannot be known keeps its place, and what can (information above 1) loses a "
        "thousandth of a step.",
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
    )
    least_damping: float = option(
        1e-15,
        "Least damping, as a share of the information.",
        "Exact degeneracies stay solvable.",
        below=1.0,
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
    )
    given_up_damping: float = option(
        1e20,
        "Damping at which a search is given up.",
        "Its steps are too short to move any number.",
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
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
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
    )
    no_noise: float = option(
        100.0,
        "χ² of a sample from which on residuals are no noise, and closeness is counted in units "
        "of them.",
        "What is off by thousands of deviations has its minimum no more exactly than that, and a "
        "search for its last digit has no end.",
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
    )
    polishing_steps: int = option(
        2,
        "Steps that take away what a weak pull has left.",
        "Little is left after the first.",
        least=1,
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
    )
    bend_looks: int = option(
        4,
        "Places at which a step is looked at, to follow a bend.",
        "Each costs one motion without derivatives.",
        least=1,
        held=(
            "Neither smaller nor larger changes a count; what is said of 2 of 104 targets"
            " differs; see `test_fit.py`."
        ),
    )
    bend_gain: float = option(
        0.25,
        "Share of what is left of χ² that a correction may leave, if another is to follow.",
        "The next would gain less than it costs.",
        below=1.0,
        held=(
            "Neither smaller nor larger changes a count; what is said of 1 of 104 targets"
            " differs; see `test_fit.py`."
        ),
    )
    bend_rest: float = option(
        0.01,
        "Share of the χ² that a step promises to take away, that may be left of its bend.",
        "The rest is the next step's.",
        below=1.0,
        held=(
            "Neither smaller nor larger changes a count; what is said of 2 of 104 targets"
            " differs; see `test_fit.py`."
        ),
    )
    longest_bend: float = option(
        0.75,
        "Longest correction that is believed, as a share of the step.",
        "A series of corrections that shrink slower leads elsewhere.",
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
    )
    straight: float = option(
        1e-3,
        "Steps that promise to lower χ² by less are taken straight.",
        "They are a thirtieth of a standard deviation long, where nothing bends.",
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
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
            "Neither smaller nor larger changes a count; what is said of 1 of 104 targets"
            " differs; see `test_fit.py`."
        ),
    )
    halvings: int = option(
        5,
        "How often a record is halved for the very first search.",
        "In a thirtieth of a record motion is simple, and χ² a parabola.",
        least=0,
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
    )
    fewest_times: int = option(
        6,
        "Times that a part of a record must have for a search.",
        "Fewer tell about as many numbers as are asked for.",
        least=1,
        held=(
            "Neither smaller nor larger changes a count; what is said of 1 of 104 targets"
            " differs; see `test_fit.py`."
        ),
    )
    closeness: float = option(
        0.1,
        "How close to its minimum χ² must come on a part of the record.",
        "The next part moves it by more.",
        held=(
            "Neither smaller nor larger changes a count; what is said of 1 of 104 targets"
            " differs; see `test_fit.py`."
        ),
    )
    rough_closeness: float = option(
        1e-3,
        "How close it must come on few times of the whole record.",
        "All times move it by more.",
        held=(
            "Neither smaller nor larger changes a count; what is said of 1 of 104 targets"
            " differs; see `test_fit.py`."
        ),
    )
    hopeless_ratio: float = option(
        10.0,
        "Places whose χ² is that many times the best are let go before the record is longer.",
        "A place that will fit the whole record fits a part of it.",
        least=1.0,
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
    )
    hopeless_rise: float = option(
        60.0,
        "Ends whose χ² is not that much above the best are kept in any case.",
        "Noise, and what few times leave of a bend, reach as high.",
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
    )
    velocity_pull: float = option(
        1e-5,
        "Pull of the scenario's velocity while the rest is pulled by one range.",
        "Where it is absent, zero stands for it, which is no knowledge.",
        least=0.0,
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_fit.py`."),
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
        held=("Neither smaller nor larger changes anything of 103 targets; see `test_honesty.py`."),
    )
    same_rise: float = option(
        0.01,
        "Ends are one if χ² rises by less from one to the other.",
        "A tenth of a standard deviation.",
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_honesty.py`."),
    )
    even_rise: float = option(
        4.0,
        "Minima whose χ² differ by less fit alike: that nearest to the scenario is taken.",
        "Two standard deviations, which noise often makes.",
        least=0.0,
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_honesty.py`."),
    )
    implausible: float = option(
        16.0,
        "χ² by which places that are farther from the scenario than its square root, in plausible "
        "ranges, must fit better than those that are near.",
        "Four ranges off nothing is expected, and noise lowers χ² by a few where little is known.",
        least=0.0,
        held=(
            "Neither smaller nor larger changes anything of 104 targets; see `test_campaign.py`."
        ),
    )
    still: float = option(
        1e-6,
        "By how much a step may lower χ² in a minimum.",
        "A thousandth of a standard deviation.",
        held=(
            "Neither smaller nor larger changes a count; what is said of 6 of 104 targets"
            " differs; see `test_honesty.py`."
        ),
    )
    first_probes: tuple[float, ...] = option(
        (-100.0, -10.0, 10.0, 100.0),
        "Standard deviations from the first minimum, along what is known least, at which the "
        "search is begun again.",
        "Where data says little χ² has long curved valleys, with more than one minimum in them.",
        least=-1e6,
        held=("Neither smaller nor larger changes anything of 103 targets; see `test_honesty.py`."),
    )
    probes: tuple[float, ...] = option(
        (-30.0, -10.0, -4.0, 4.0, 10.0, 30.0),
        "The same on the whole record, where χ² is no parabola at its minimum.",
        "That is rare, and more likely to have several minima.",
        least=-1e6,
        held=("Neither smaller nor larger changes anything of 102 targets; see `test_honesty.py`."),
    )
    farthest_probe: float = option(
        0.6,
        "But no farther than this share of a range.",
        "The valley has bent away by then.",
        held=("Neither smaller nor larger changes anything of 104 targets; see `test_honesty.py`."),
    )
