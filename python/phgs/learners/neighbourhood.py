"""What is learned around one variable: its neighbours, or its Markov blanket."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from phgs.data.frames import Name


class Neighbour(NamedTuple):
    """A neighbour of a target variable.

    Attributes
    ----------
    name
        The neighbour.
    log_p_value : float
        Natural logarithm of the largest p-value of all tests of the pair: how close it came to being separated; −∞ for
        a required pair, which is not tested.
    weakest_set : tuple
        The conditioning set that gave it.
    """

    name: Name
    log_p_value: float
    weakest_set: tuple[Name, ...]

    @property
    def p_value(self) -> float:
        """The largest p-value of all tests of the pair; 0 below 1e-308."""
        return math.exp(self.log_p_value)


@dataclass(frozen=True)
class Neighbourhood:
    """The variables that depend directly on one of them: its parents and children, which tests alone cannot tell apart.

    Attributes
    ----------
    target
        The variable.
    neighbours : tuple of Neighbour
        Its neighbours, in column order.
    method : str
        Name of the learner.
    test : str
        Name of the independence test and its rule for degrees of freedom.
    calls : int
        Number of tests.
    seconds : float
        Seconds in all, reading included.
    n_rows : int
        Rows used.
    """

    target: Name
    neighbours: tuple[Neighbour, ...]
    method: str
    test: str
    calls: int
    seconds: float
    n_rows: int

    @property
    def names(self) -> tuple[Name, ...]:
        """Names of the neighbours, in column order."""
        return tuple(neighbour.name for neighbour in self.neighbours)

    def __str__(self) -> str:
        from phgs.texts import p_value_text, printable

        lines = [f"{self.target}: {len(self.neighbours)} neighbours ({self.method}, {self.calls:,} tests)"]
        for name, log_p, given in self.neighbours:
            p_value = "required" if log_p == -math.inf else f"largest p = {p_value_text(log_p)}"
            lines.append(f"  {name}: {p_value}" + (f" given {', '.join(map(str, given))}" if given else ""))
        return printable("\n".join(lines))


@dataclass(frozen=True)
class MarkovBlanket:
    """The variables given which one of them is independent of all others.

    In a causal graph they are its parents, its children and the other parents of its children.

    Attributes
    ----------
    target
        The variable.
    names : tuple
        Names of the members, in column order.
    method : str
        Name of the learner.
    test : str
        Name of the independence test and its rule for degrees of freedom.
    calls : int
        Number of tests.
    seconds : float
        Seconds in all, reading included.
    n_rows : int
        Rows used.
    """

    target: Name
    names: tuple[Name, ...]
    method: str
    test: str
    calls: int
    seconds: float
    n_rows: int

    def __str__(self) -> str:
        members = ", ".join(map(str, self.names)) or "nothing"
        return f"{self.target}: {members} ({self.method}, {self.calls:,} tests)"
