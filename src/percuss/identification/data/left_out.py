"""Samples that an identification leaves out, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from percuss.identification.options import DEFAULT
from percuss.model.errors import ModelError


@dataclass(frozen=True)
class LeftOut:
    """One sample that was left out as an outlier.

    Attributes:
        column: its name; an attitude is left out as a whole, `base.orientation`.
        sample: its number in the column's file, the first row being 1.
        time: after the impact (s).
        value: what stood there, in the unit of the column; of an attitude NaN, or the length of a
            quaternion that is not one.
        deviations: how far off it was, in standard deviations of what it was compared with; of a
            length in units of what is allowed.
        against: "neighbours", "fit", or "length" of a quaternion.
    """

    column: str
    sample: int
    time: float
    value: float
    deviations: float
    against: str

    @property
    def words(self) -> str:
        """`sample 31 of base.x (0.62 s) is 4,000 σ from its neighbours`."""
        from_what = {"neighbours": "its neighbours", "fit": "the fit"}
        which = f"sample {self.sample} of {self.column} ({self.time:g} s)"
        if self.against == "length":
            return f"{which} is a quaternion of length {self.value:.4g}"
        return f"{which} is {count_words(self.deviations)} σ from {from_what[self.against]}"


def count_words(number: float) -> str:
    """A number of deviations to two digits, thousands set apart, powers where it is too long."""
    rounded = float(f"{number:.2g}")
    return f"{rounded:,.0f}" if 10.0 <= rounded < 1e7 else f"{rounded:.2g}"


def summary(found: Sequence[LeftOut]) -> str:
    """How many samples are left out, of which columns, and the farthest of them; "" for none."""
    if not found:
        return ""
    columns = dict.fromkeys(item.column for item in found)
    counts = {name: sum(item.column == name for item in found) for name in columns}
    each = ", ".join(f"{count} of {name}" for name, count in counts.items())
    worst = max(found, key=lambda item: item.deviations)
    if len(found) == 1:
        return f"1 sample is left out as an outlier: {worst.words}"
    return f"{len(found)} samples are left out as outliers ({each}); the farthest: {worst.words}"


def refuse_many(
    found: Iterable[LeftOut],
    counts: dict[str, int],
    most_share: float = DEFAULT.outliers.most_share,
) -> None:
    """ModelError where more of a column would be left out than outliers are; `counts` by column
    are the samples that were there."""
    by_column: dict[str, list[LeftOut]] = {}
    for item in found:
        by_column.setdefault(item.column, []).append(item)
    for name, own in by_column.items():
        # A short column may have one bad sample, whatever share of it that is.
        if len(own) > max(1.0, most_share * counts[name]):
            worst = max(own, key=lambda item: item.deviations)
            raise ModelError(
                f"{name}: {len(own)} of {counts[name]} samples would be left out as outliers, more "
                f"than {most_share:.0%} (the farthest: {worst.words}); then the scenario, the "
                "sensor or its stated noise is wrong. Without --robust (robust=True) the residuals "
                "show which"
            )
