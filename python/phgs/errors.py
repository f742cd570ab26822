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
    "ConfigurationError",
    "DataError",
    "DegenerateColumnWarning",
    "DocumentError",
    "FewRowsWarning",
    "GraphError",
    "InternalError",
    "KnowledgeError",
    "KnowledgeFileError",
    "ManyStatesWarning",
    "MissingValuesWarning",
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


class MissingValuesWarning(PhgsWarning):
    """Columns of which so much is missing that edges there depend on what is filled in."""


class FewRowsWarning(PhgsWarning):
    """Gaussian data with at most as many rows as columns: an unrestricted search fits the noise."""


class DocumentError(ParseError, DataError):
    """A file has the wrong content: the message names the file and the place in it."""


class KnowledgeFileError(DocumentError, KnowledgeError):
    """A file of background knowledge that is not what it should be."""


class ConfigurationError(DocumentError, ParameterError):
    """A study's configuration that is not what it should be."""
