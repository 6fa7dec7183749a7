"""What the numbers hang on besides the target: that no sensor has a bias that nobody knows of.

A bias is a constant b of a column, in standard deviations of its noise. Where b ~ N(0, s²) is not
known, the errors of the column have the covariance 1 + s² 1 1ᵀ instead of 1, and what is left of
its slopes is that of samples less a part of their mean. A bias that the motion could show too, such
as a later impact, leaves no residual: only its size can be told.
"""

from __future__ import annotations

import numpy as np

from percuss.identification.estimate.fit import Fit
from percuss.identification.estimate.information import Information, information
from percuss.identification.forward.unknowns import Unknowns


def with_unknown_biases(
    unknowns: Unknowns, found: Fit, counted: np.ndarray, size: float
) -> Information:
    """Information about the reported quantities where every column may have a bias.

    Args:
        counted: which samples there are (components, times).
        size: standard deviation of a bias, in those of the noise.
    """
    rows = found.slopes.reshape(*counted.shape, -1) * counted[..., None]
    counts = np.maximum(counted.sum(axis=1), 1)
    means = rows.sum(axis=1) / counts[:, None]
    # (1 + s² 1 1ᵀ)^(-1/2) takes that share of the mean of m samples away.
    share = 1.0 - 1.0 / np.sqrt(1.0 + size**2 * counts)
    left = (rows - (share[:, None] * means)[:, None]) * counted[..., None]
    left = left.reshape(-1, rows.shape[-1])
    return information(unknowns, found.theta, left, options=found.information.options)
