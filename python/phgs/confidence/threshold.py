"""The frequency above which an edge is taken for real, estimated from the frequencies themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def estimated_threshold(frequencies: ArrayLike) -> float:
    """Estimate the threshold of significance of edge frequencies (Scutari and Nagarajan 2013).

    Were every edge sure to be there or not to be there, the distribution function of the frequencies would be a step: t
    on [0, 1) and 1 at 1, where t is the share of pairs without an edge. The estimate of t is the level that is nearest
    to the empirical distribution function F in L1 distance, ``∫₀¹ |F(x) − t| dx``, and the threshold is the frequency
    at which F reaches it. Edges *above* the threshold are significant.

    As F never falls, the nearest level is its median over [0, 1], F(½): the threshold is the largest frequency that
    is not above ½, and the significant edges are those in more than half of the replicates.

    Parameters
    ----------
    frequencies : array_like
        The frequency in [0, 1] of every pair of variables, pairs without an edge included.

    Returns
    -------
    float
        The threshold; 0 where no frequency is at most ½.

    References
    ----------
    M. Scutari and R. Nagarajan, *Identifying significant edges in graphical models of molecular networks*, Artificial
    Intelligence in Medicine 57 (2013), 207–217.

    Examples
    --------
    >>> from phgs.confidence.threshold import estimated_threshold
    >>> estimated_threshold([0.0460, 0.2242, 0.3921, 0.7689, 0.8935, 0.9439])
    0.3921
    """
    values = np.asarray(frequencies, dtype=np.float64)
    below = values[values <= 0.5]
    return float(below.max()) if below.size else 0.0
