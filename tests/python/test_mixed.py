"""Numbers beside categories."""

import pickle

import numpy as np
import pytest

from phgs.data import MixedTable


def small(**changes):
    columns = (np.array([0, 1, 2, 0], np.uint8), np.array([0.5, -1.0, 3.0, 2.0]), np.array([0, 0, 0, 0], np.uint8))
    given = {"names": ("a", "b", "c"), "n_rows": 4, "n_rows_read": 5, "levels": (("x", "y", "z"), (), ("k",))}
    return MixedTable(**given | {"columns": columns} | changes)


def test_rows_and_columns_of_a_table():
    table = small()
    assert table.data_type == "mixed" and table.arities == (3, 0, 1) and table.degenerate == (2,)
    assert [table.is_number(i) for i in range(3)] == [False, True, False]
    drawn = table.take(np.array([2, 2, 1]))
    assert drawn.n_rows == 3 and drawn.levels == (("y", "z"), (), ("k",))
    assert drawn.columns[0].tolist() == [1, 1, 0] and drawn.columns[1].tolist() == [3.0, 3.0, -1.0]
    assert table.take(np.array([1, 1])).degenerate == (0, 1, 2)
    chosen = table.select(["c", "b"])
    assert chosen.names == ("b", "c") and chosen.levels == ((), ("k",))
    assert [array.tolist() for array in table.arrays()] == [column.tolist() for column in table.columns]
    again = pickle.loads(pickle.dumps(table))
    assert again.names == table.names and again.columns[1].tolist() == table.columns[1].tolist()
    assert repr(table) == "<phgs.MixedTable: 4 rows × 3 variables (1 numbers, 2 categories)>"


def test_identifiers_are_those_of_all_rows():
    codes = np.arange(40, dtype=np.uint8)
    levels = (tuple(range(40)), ())
    table = small(names=("id", "x"), n_rows=40, levels=levels, columns=(codes, np.linspace(0, 1, 40)))
    assert table.isolated == (0,)
    assert table.take(np.zeros(40, np.intp)).isolated == (0,)
    with pytest.raises(AttributeError):
        table.names = ()
