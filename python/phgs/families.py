"""The distributions of one variable given its parents: tables, lines by group, and multinomial logistic regressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phgs.errors import DataError

Rows = dict[Any, NDArray[Any]]
"""Columns by name: codes of categories, numbers."""

LEAST_DEVIATION = 1e-6
"""Of the deviation of a number over all rows: the least that a line leaves, so that every density is finite."""
WEIGHT_OF_PRIOR = 0.01
"""Of a logistic regression: half of this times the squares of its weights, of standardised parents, is taken off."""


@dataclass(frozen=True, eq=False)
class Table:
    """A category given categories.

    Attributes
    ----------
    parents : tuple
        The parents, in the order of the axes.
    probabilities : numpy.ndarray
        One axis for each parent, and a last one for the variable itself.
    """

    parents: tuple[Any, ...]
    probabilities: NDArray[np.float64]

    @property
    def n_parameters(self) -> int:
        """Number of free parameters."""
        return int(self.probabilities.size) // self._states * (self._states - 1)

    def log_densities(self, own: NDArray[Any], rows: Rows) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each row."""
        with np.errstate(divide="ignore"):
            which = (*(rows[parent] for parent in self.parents), own)
            found: NDArray[np.float64] = np.log(self.probabilities[which])
        return found

    def draw(self, rows: Rows, n_rows: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """Draw codes."""
        which = tuple(rows[parent] for parent in self.parents)
        shares = self.probabilities[which] if which else np.broadcast_to(self.probabilities, (n_rows, self._states))
        return _drawn(shares, rng)

    @property
    def _states(self) -> int:
        return int(self.probabilities.shape[-1])


@dataclass(frozen=True, eq=False)
class Lines:
    """A number given numbers and categories: a line and a normal disturbance for each configuration of the categories.

    Attributes
    ----------
    groups : tuple
        The parents that are categories, in the order of the axes.
    numbers : tuple
        The parents that are numbers, in the order of the slopes.
    coefficients : numpy.ndarray
        One axis for each of `groups`, and a last one: the intercept, then the slopes.
    deviations : numpy.ndarray
        The standard deviation of the disturbance, one axis for each of `groups`.
    n_rows : numpy.ndarray
        Rows of each configuration. Those with too few (no more than two beside one for each coefficient) have the line
        of all rows.
    """

    groups: tuple[Any, ...]
    numbers: tuple[Any, ...]
    coefficients: NDArray[np.float64]
    deviations: NDArray[np.float64]
    n_rows: NDArray[np.int64]

    @property
    def parents(self) -> tuple[Any, ...]:
        """All parents."""
        return (*self.groups, *self.numbers)

    @property
    def n_parameters(self) -> int:
        """Number of free parameters."""
        return self.coefficients.size + self.deviations.size

    def _means(self, rows: Rows, n_rows: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        which = tuple(rows[parent] for parent in self.groups)
        design = _design([rows[parent] for parent in self.numbers], n_rows)
        coefficients, deviations = self.coefficients[which], self.deviations[which]
        return (design * coefficients).sum(axis=1), np.broadcast_to(deviations, (n_rows,))

    def log_densities(self, own: NDArray[Any], rows: Rows) -> NDArray[np.float64]:
        """Return the logarithm of the density of each row."""
        means, deviations = self._means(rows, len(own))
        found: NDArray[np.float64] = -0.5 * (((own - means) / deviations) ** 2 + np.log(2 * np.pi)) - np.log(deviations)
        return found

    def draw(self, rows: Rows, n_rows: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw numbers."""
        means, deviations = self._means(rows, n_rows)
        return means + deviations * rng.standard_normal(n_rows)


@dataclass(frozen=True, eq=False)
class Logistic:
    """A category given numbers, and categories beside them: a multinomial logistic regression.

    Attributes
    ----------
    numbers : tuple
        The parents that are numbers.
    categories : dict
        The parents that are categories, with their numbers of states.
    weights : numpy.ndarray
        A row for each state but the first: the intercept, a weight for each of `numbers` as they are, and one for each
        state but the first of each of `categories`. The logit of the first state is 0.
    """

    numbers: tuple[Any, ...]
    categories: dict[Any, int]
    weights: NDArray[np.float64]

    @property
    def parents(self) -> tuple[Any, ...]:
        """All parents."""
        return (*self.numbers, *self.categories)

    @property
    def n_parameters(self) -> int:
        """Number of free parameters."""
        return self.weights.size

    def _logarithms(self, rows: Rows, n_rows: int) -> NDArray[np.float64]:
        columns = [rows[parent] for parent in self.numbers]
        for parent, arity in self.categories.items():
            columns += [rows[parent] == state for state in range(1, arity)]
        return _log_shares(_design(columns, n_rows) @ self.weights.T)

    def log_densities(self, own: NDArray[Any], rows: Rows) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each row."""
        found: NDArray[np.float64] = self._logarithms(rows, len(own))[np.arange(len(own)), own]
        return found

    def draw(self, rows: Rows, n_rows: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """Draw codes."""
        return _drawn(np.exp(self._logarithms(rows, n_rows)), rng)


Family = Table | Lines | Logistic


def fit_table(
    own: NDArray[Any],
    arity: int,
    categories: dict[Any, int],
    rows: Rows,
    prior: float | None,
    weights: NDArray[np.float64] | None = None,
) -> Table:
    """Count a table: relative frequencies, or with a prior that weighs as much as some rows; uniform without rows."""
    shape = (*categories.values(), arity)
    cells = np.ravel_multi_index((*(rows[parent] for parent in categories), own), shape)
    counts = np.bincount(cells, weights, minlength=int(np.prod(shape))).reshape(shape) + (prior or 0.0) / np.prod(shape)
    sums = counts.sum(axis=-1, keepdims=True)
    return Table(tuple(categories), np.where(sums > 0, counts / np.where(sums > 0, sums, 1), 1 / arity))


def fit_lines(
    own: NDArray[np.float64],
    categories: dict[Any, int],
    numbers: tuple[Any, ...],
    rows: Rows,
    weights: NDArray[np.float64] | None = None,
) -> Lines:
    """Fit a line by least squares to each configuration of categories."""
    n, shape = len(own), tuple(categories.values())
    weights = np.ones(n) if weights is None else weights
    design = _design([rows[parent] for parent in numbers], n)
    d = design.shape[1]
    cells = np.zeros(n, np.intp)
    if shape:
        cells = np.ravel_multi_index(tuple(rows[parent] for parent in categories), shape)
    n_cells = int(np.prod(shape))
    centre = float(np.average(own, weights=weights))
    spread = float(np.sqrt(np.average((own - centre) ** 2, weights=weights)))
    least = LEAST_DEVIATION * spread or LEAST_DEVIATION * max(1.0, abs(centre))

    def line(chosen: Any) -> tuple[NDArray[np.float64], float]:
        # Around the means, so that numbers far from 0 lose no digits.
        x, y, w = design[chosen], own[chosen], weights[chosen]
        means, mean = np.average(x, axis=0, weights=w), np.average(y, weights=w)
        root = np.sqrt(w)
        slopes = np.linalg.lstsq((x[:, 1:] - means[1:]) * root[:, None], (y - mean) * root, rcond=None)[0]
        found = np.concatenate(([mean - means[1:] @ slopes], slopes))
        return found, max(float(np.sqrt(np.average((y - x @ found) ** 2, weights=w))), least)

    everywhere = line(slice(None))
    order = np.argsort(cells, kind="stable")
    counts = np.bincount(cells, minlength=n_cells)
    ends = np.cumsum(counts)
    coefficients, deviations = np.empty((n_cells, d)), np.empty(n_cells)
    for cell in range(n_cells):
        enough = counts[cell] > d + 2 or n_cells == 1
        chosen = order[ends[cell] - counts[cell] : ends[cell]]
        coefficients[cell], deviations[cell] = line(chosen) if enough else everywhere
    return Lines(
        tuple(categories), numbers, coefficients.reshape(*shape, d), deviations.reshape(shape), counts.reshape(shape)
    )


def fit_logistic(
    name: Any,
    own: NDArray[Any],
    arity: int,
    categories: dict[Any, int],
    numbers: tuple[Any, ...],
    rows: Rows,
    weights: NDArray[np.float64] | None = None,
) -> Logistic:
    """Fit a multinomial logistic regression by Newton's method, with a weak prior that keeps weights finite."""
    n = len(own)
    columns: list[NDArray[np.float64]] = [np.asarray(rows[parent], np.float64) for parent in numbers]
    for parent, states in categories.items():
        columns += [(rows[parent] == state).astype(np.float64) for state in range(1, states)]
    design = _design(columns, n)
    of_rows = np.ones(n) if weights is None else weights
    centre = np.average(design, axis=0, weights=of_rows)
    scale = np.sqrt(np.average((design - centre) ** 2, axis=0, weights=of_rows))
    centre[0], scale[0] = 0.0, 1.0
    scale[scale == 0] = 1.0
    standard = (design - centre) / scale
    d = standard.shape[1]
    observed = np.zeros((n, arity))
    observed[np.arange(n), own] = of_rows
    # Intercepts are hardly held, so that shares of states are those of the data.
    prior = np.full(d, WEIGHT_OF_PRIOR)
    prior[0] = 1e-6
    found = np.zeros((arity - 1, d))

    def value(at: NDArray[np.float64]) -> float:
        return float((observed * _log_shares(standard @ at.T)).sum() - 0.5 * (prior * at**2).sum())

    now = value(found)
    for _ in range(100):
        shares = np.exp(_log_shares(standard @ found.T))[:, 1:]
        gradient = (observed[:, 1:] - shares * of_rows[:, None]).T @ standard - prior * found
        curvature = np.zeros((arity - 1, d, arity - 1, d))
        for i in range(arity - 1):
            for j in range(i + 1):
                each = of_rows * shares[:, i] * ((i == j) - shares[:, j])
                curvature[i, :, j, :] = curvature[j, :, i, :] = (standard * each[:, None]).T @ standard
        size = (arity - 1) * d
        flat = curvature.reshape(size, size) + np.diag(np.tile(prior, arity - 1))
        step = np.linalg.solve(flat, gradient.ravel()).reshape(found.shape)
        length = 1.0
        while (after := value(found + length * step)) < now and length > 1e-10:
            length /= 2
        if not after > now + 1e-10 * max(1.0, abs(now)):
            break
        found, now = found + length * step, after
    else:
        raise DataError(f"the logistic regression of {name!r} on its parents has not converged")
    raw = found / scale
    raw[:, 0] -= raw[:, 1:] @ centre[1:]
    return Logistic(numbers, categories, raw)


def _design(columns: list[NDArray[Any]], n_rows: int) -> NDArray[np.float64]:
    return np.column_stack([np.ones(n_rows), *columns]).astype(np.float64, copy=False)


def _log_shares(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithms of the shares of all states, of which the first has a logit of 0."""
    every = np.column_stack((np.zeros(len(logits)), logits))
    every -= every.max(axis=1, keepdims=True)
    found: NDArray[np.float64] = every - np.log(np.exp(every).sum(axis=1, keepdims=True))
    return found


def _drawn(shares: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    sums = np.cumsum(shares, axis=1)
    found: NDArray[np.intp] = (rng.random(len(shares))[:, None] * sums[:, -1:] >= sums[:, :-1]).sum(axis=1)
    return found
