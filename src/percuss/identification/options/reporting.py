"""Advice, and samples of the posterior."""

from __future__ import annotations

from dataclasses import dataclass

from percuss.identification.options.group import OptionGroup, documented, option


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
