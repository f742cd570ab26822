"""Exceptions that phgs raises.

All that can be mended by the caller are subclasses of `ValueError`, and their messages name the argument or
column and the remedy.
"""

from phgs._core import (
    DataError,
    GraphError,
    InternalError,
    KnowledgeError,
    ParameterError,
    ParseError,
)

__all__ = [
    "DataError",
    "DegenerateColumnWarning",
    "FewRowsWarning",
    "GraphError",
    "InternalError",
    "KnowledgeError",
    "ManyStatesWarning",
    "NotFittedError",
    "ParameterError",
    "ParseError",
    "PhgsWarning",
]


class NotFittedError(ValueError, AttributeError):
    """An estimator is asked for a result before `fit`."""


class PhgsWarning(UserWarning):
    """Base of all warnings of phgs."""


class DegenerateColumnWarning(PhgsWarning):
    """Columns that cannot carry information, such as constant ones."""


class ManyStatesWarning(PhgsWarning):
    """Columns with so many states that tests of them have little power."""


class FewRowsWarning(PhgsWarning):
    """Gaussian data with no more rows than columns, of which an unrestricted search fits the noise."""
