"""Data that make every loop long: nearly everything depends on nearly everything.

Each is made anew from a seed, as codes of shape (rows, columns).
"""

import numpy as np


def hub(n_columns=40, n_rows=20_000):
    """One variable and its many noisy copies, which sets without limit are to separate."""
    rng = np.random.default_rng(1)
    centre = rng.integers(0, 2, n_rows)
    return noisy([centre] * n_columns, 2, 0.2, rng)


def copies(n_columns=80, n_rows=2500):
    """Noisy copies of one factor."""
    rng = np.random.default_rng(2)
    factor = rng.integers(0, 3, n_rows)
    return noisy([factor] * n_columns, 3, 0.3, rng)


def survey(n_columns=100, n_rows=2449):
    """Questions that all measure a few factors, on a scale of three."""
    rng = np.random.default_rng(3)
    factors = rng.normal(size=(n_rows, 4))
    answers = factors @ rng.normal(size=(4, n_columns)) + 0.7 * rng.normal(size=(n_rows, n_columns))
    return np.stack([np.searchsorted(np.quantile(a, [1 / 3, 2 / 3]), a) for a in answers.T], axis=1)


def many_states(n_columns=24, n_rows=24_000, n_states=4000):
    """Noisy copies of one factor of 4,000 states, and of what its first bits say."""
    rng = np.random.default_rng(4)
    factor = rng.integers(0, n_states, n_rows)
    columns = noisy([factor] * (n_columns // 2), n_states, 0.3, rng)
    return np.hstack([columns, noisy([factor >> 10] * (n_columns - n_columns // 2), 4, 0.2, rng)])


def wide(n_columns=3000, n_rows=50):
    """Far more columns than rows: one pair in twenty depends by chance."""
    return np.random.default_rng(5).integers(0, 2, (n_rows, n_columns))


def huge(n_columns=5000, n_rows=50):
    """Still more columns."""
    return wide(n_columns, n_rows)


def noisy(columns, n_states, share, rng):
    """Columns with a share of their values drawn anew."""
    return np.stack([np.where(rng.random(len(c)) < share, rng.integers(0, n_states, len(c)), c) for c in columns], 1)


NASTY = {f.__name__: f for f in (hub, copies, survey, many_states, wide, huge)}
