"""What a learner returns.

`result` holds the value, `table` its table of edges, `file` the JSON form, `summary` the text and HTML that explain it.
"""

from phgs.result.columns import ColumnFacts
from phgs.result.file import result_schema
from phgs.result.parts import Conflict, PathPoint, Score, Stage, Triple
from phgs.result.result import Result
from phgs.result.table import EdgeRow, EdgeTable, Separation

__all__ = [
    "ColumnFacts",
    "Conflict",
    "EdgeRow",
    "EdgeTable",
    "PathPoint",
    "Result",
    "Score",
    "Separation",
    "Stage",
    "Triple",
    "result_schema",
]
