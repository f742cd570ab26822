"""Bayesian-network structure learning: which variables of a table depend directly on which."""

from phgs._core import __version__
from phgs.errors import (
    DataError,
    DegenerateColumnWarning,
    GraphError,
    InternalError,
    KnowledgeError,
    ManyStatesWarning,
    NotFittedError,
    ParameterError,
    ParseError,
    PhgsWarning,
)

__all__ = [
    "DataError",
    "DegenerateColumnWarning",
    "GraphError",
    "InternalError",
    "KnowledgeError",
    "ManyStatesWarning",
    "NotFittedError",
    "ParameterError",
    "ParseError",
    "PhgsWarning",
    "__version__",
]
