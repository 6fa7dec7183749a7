"""What is known, what fits, and what cannot be known."""

from __future__ import annotations

from dataclasses import dataclass

from percuss.identification.options.group import OptionGroup, documented, option


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
            "Neither smaller nor larger changes anything of 103 targets; see `test_document.py`."
        ),
    )
    apart: float = option(
        5.0,
        "Standard deviations by which different values differ.",
        "Noise does not make it in a million records.",
        held=("Smaller (1.67): 1 withheld instead of 0."),
    )
    covered: float = option(
        2.0,
        "Standard deviations, as they are told, within which a quantity may be elsewhere along "
        "what cannot be known, and still gets a number.",
        "What is told to be uncertain by so much is there in one of twenty records.",
        held=("Larger (6): 1 beyond 4 σ instead of 0."),
    )
    alike_rise: float = option(
        9.0,
        "Places fit as well as the best where χ² rises by less.",
        "Three standard deviations.",
        held=(
            "Neither smaller nor larger changes anything of 103 targets; see `test_document.py`."
        ),
    )
    likely_rise: float = option(
        4.0,
        "Places are as likely as any where χ² rises by less.",
        "Two standard deviations.",
        held=(
            "Neither smaller nor larger changes a count; what is said of 1 of 103 targets"
            " differs; see `test_document.py`."
        ),
    )
    rest: float = option(
        0.1,
        "A quantity is at rest when a step more would move it by a smaller share of its σ.",
        "That is lost beside the σ that is stated.",
        held=(
            "Neither smaller nor larger changes anything of 103 targets; see `test_document.py`."
        ),
    )
    lost_share: float = option(
        0.5,
        "Share of what seemed known, contradicted by places that fit as well, above which the rest "
        "gets no number either.",
        "The place itself is not to be believed then.",
        most=1.0,
        held=(
            "Neither smaller nor larger changes anything of 103 targets; see `test_document.py`."
        ),
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
        held=("Larger (0.1): 1 warned instead of 0."),
    )
    doubt: float = option(
        0.05,
        "Chance below which what is held is fitted, too, to tell what hangs on it.",
        "Standard deviations where it is as stated are not those where it fits.",
        below=1.0,
        held=(
            "Neither smaller nor larger changes anything of 2 targets; see "
            "`test_held_properties.py`."
        ),
    )
    fewest_samples: int = option(
        20,
        "Samples of a channel of which correlations in time are tested.",
        "With fewer their distributions are not known well.",
        least=4,
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_checks.py`."),
    )
    rounding: float = option(
        1e-2,
        "Share of the stated variance below which residuals are of the computation, not of noise.",
        "Records without noise are right, and their rounding is not random.",
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_checks.py`."),
    )
    free_share: float = option(
        0.01,
        "Share of the noise of a sample that a fit must leave for a test.",
        "Less depends on its last digits.",
        below=1.0,
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_checks.py`."),
    )
    onset_samples: int = option(
        8,
        "Samples that count as the onset.",
        "A contact that takes time has ended by then.",
        least=1,
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_checks.py`."),
    )
    samples_per_lag: int = option(
        25,
        "Samples for each lag of the Ljung–Box statistic.",
        "With more lags the tail of its distribution is heavier than that of χ².",
        least=1,
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_checks.py`."),
    )
    most_lags: int = option(
        10,
        "Most lags of it.",
        "What is correlated farther is correlated nearer, too.",
        least=2,
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_checks.py`."),
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
        held=("Neither smaller nor larger changes anything of 3 targets; see `test_words.py`."),
    )
    aligned: float = option(
        0.03,
        "Sine of the angle to a space below which a direction is one of its members.",
        "As much as may leak into what is known, see `acceptance.leak`.",
        below=1.0,
        held=("Neither smaller nor larger changes anything of 2 targets; see `test_words.py`."),
    )
    new: float = option(
        0.1,
        "Sine of the angle to what has been said above which a direction says more.",
        "What is nearer says the same in other words.",
        below=1.0,
        held=("Neither smaller nor larger changes anything of 2 targets; see `test_words.py`."),
    )
    aside: float = option(
        0.3,
        "Share of its range by which a property that is held is moved, to see what hangs on it.",
        "So wrong a property may be without a sign in the residuals where little is known.",
        held=(
            "Neither smaller nor larger changes a count; what is said of 1 of 3 targets "
            "differs; see `test_campaign.py`."
        ),
    )
    conditional: float = option(
        1.25,
        "Times as wide as stated from which a standard deviation is said to hang on a property of "
        "the target that is held.",
        "An error of it that a score test misses, five of its own standard deviations at most, "
        "then moves an estimate of which nothing is said by no more than 5 √(1.25² - 1) = 3.75 of "
        "the stated ones.",
        least=1.0,
        held="`test_held_properties.py` compares with who asks for the property.",
    )
    moved: float = option(
        10.0,
        "A combination is not known if it differs by more standard deviations at a place that fits "
        "as well.",
        "Such places are up to three away, and along a bend twice as far.",
        held=("Neither smaller nor larger changes anything of 2 targets; see `test_words.py`."),
    )
    fewest_digits: int = option(
        3,
        "Digits of the numbers in words at least.",
        "Fewer are no numbers of engineers.",
        least=1,
        most=12,
        held=("Neither smaller nor larger changes anything of 2 targets; see `test_words.py`."),
    )
    most_digits: int = option(
        8,
        "And at most.",
        "Sensors have no more.",
        least=1,
        most=12,
        held=("Neither smaller nor larger changes anything of 2 targets; see `test_words.py`."),
    )
    wider: float = option(
        1.02,
        "Standard deviation of what the words say, as a share of that of what is known best.",
        "As many digits are shown as lose no more than 2 %.",
        least=1.0,
        held=("Neither smaller nor larger changes anything of 2 targets; see `test_words.py`."),
    )
