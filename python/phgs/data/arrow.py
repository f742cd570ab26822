"""Numbers of Arrow columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FLOATS = {"halffloat": "float16", "float": "float32", "double": "float64"}
"""numpy's names of Arrow's types, where they differ; pyarrow's own `to_pandas_dtype` may import pandas."""


def numbers(column: Any, fill: float) -> NDArray[Any]:
    """Return the numbers of an Arrow column, of integers or floats, with `fill` where they are missing.

    pyarrow's own `to_numpy` and `fill_null` are no use: where pandas is installed they import it, which takes longer
    than reading a table, and lose a Ctrl-C that comes meanwhile.
    """
    column = _array(column)
    values = _buffer(column)
    if not column.null_count:
        return values
    if fill < 0 and values.dtype.kind == "u":
        values = values.astype(np.int64)
    return np.where(missing(column), np.asarray(fill, values.dtype), values)


def missing(column: Any) -> NDArray[np.bool_]:
    """Return where an Arrow column has no value."""
    import pyarrow as pa

    return _buffer(_array(column).is_null().cast(pa.uint8())).astype(np.bool_)


def _array(column: Any) -> Any:
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        return column
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _buffer(column: Any) -> NDArray[Any]:
    name = str(column.type)
    dtype = np.dtype(_FLOATS.get(name, name))
    values = column.buffers()[1]
    if values is None:
        return np.empty(0, dtype)
    return np.frombuffer(values, dtype, len(column), column.offset * dtype.itemsize)
