"""The same table by any container and file: the same result, or the same error."""

import csv
import datetime as dt
import decimal
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import phgs

pytestmark = pytest.mark.filterwarnings("ignore::phgs.PhgsWarning")

# Each example goes through every container.
FEW = max(1, settings.default.max_examples // 6)

TEXT = st.sampled_from(["", "a", "b", "NA", "nan", "ü", "01", "1", "1.5", "None", "a,b", 'say "x"'])
KINDS = {
    "text": TEXT,
    "flags": st.booleans(),
    "integers": st.integers(-3, 300),
    # Beyond these a float, which pandas makes where a value is missing, is another number.
    "large integers": st.sampled_from([2**53 - 1, 1 - 2**53, 7]),
    "whole floats": st.integers(-3, 3).map(float),
    "fractions": st.sampled_from([0.5, 1.0, -0.25, 1e-5, 3.0]),
    "infinite": st.sampled_from([math.inf, 1.0]),
    "huge floats": st.sampled_from([1e300, 1.0]),
    "dates": st.dates(dt.date(2026, 1, 1), dt.date(2026, 1, 4)),
}
NAMES = st.sampled_from(
    ["a", "b", "ü", "x,y", 'a "b"', "two words", "c\td", "1", "NA", "é", "", " d", "index", "__a__"]
)


@st.composite
def tables(draw, kinds=tuple(KINDS), gaps=True):
    """Return names and columns of Python values of one type each, None where they are missing."""
    n_rows = draw(st.integers(2, 25))
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    made = {}
    for name in names:
        values = KINDS[draw(st.sampled_from(kinds))]
        column = draw(st.lists(values, min_size=n_rows, max_size=n_rows))
        if gaps and draw(st.booleans()):
            gone = draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows))
            # A file of text cannot tell a column that has no value at all from others.
            if not all(gone):
                column = [None if missing else value for missing, value in zip(gone, column, strict=True)]
        made[name] = column
    return made


def kind_of(column):
    return type(next(value for value in column if value is not None))


def as_masked(column):
    """Return a numpy array of the values' own type, masked where they are missing."""
    kind = kind_of(column)
    fill = {str: "", bool: False, int: 0, float: 0.0, dt.date: dt.date(2000, 1, 1)}[kind]
    values = np.array(
        [fill if value is None else value for value in column], dtype="M8[D]" if kind is dt.date else None
    )
    return np.ma.MaskedArray(values, [value is None for value in column])


def as_pandas(made):
    frame = pd.DataFrame({i: pd.Series(column, dtype=object) for i, column in enumerate(made.values())})
    frame.columns = pd.Index(list(made))
    return frame


def as_arrow(made):
    types = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64(), dt.date: pa.date32()}
    return pa.table({name: pa.array(column, types[kind_of(column)]) for name, column in made.items()})


def batches(made):
    table = as_arrow(made)
    return pa.Table.from_batches([b for part in (table.slice(0, 1), table.slice(1)) for b in part.to_batches()])


def structured(made):
    columns = {name: as_masked(column) for name, column in made.items()}
    n_rows = len(next(iter(columns.values())))
    made_array = np.ma.zeros(n_rows, dtype=[(f"f{i}", c.dtype) for i, c in enumerate(columns.values())])
    for i, column in enumerate(columns.values()):
        made_array[f"f{i}"] = column
    return made_array


IN_MEMORY = {
    "lists": lambda made: made,
    "tuples": lambda made: {name: tuple(column) for name, column in made.items()},
    "object arrays": lambda made: {n: np.array([*column, None], dtype=object)[:-1] for n, column in made.items()},
    "masked": lambda made: {name: as_masked(column) for name, column in made.items()},
    "masked constants": lambda made: {n: [np.ma.masked if v is None else v for v in c] for n, c in made.items()},
    "structured": structured,
    "matrix": lambda made: np.array([[*column, None] for column in made.values()], dtype=object).T[:-1],
    "pandas": as_pandas,
    "pandas nullable": lambda made: as_pandas(made).convert_dtypes(),
    "pandas inferred": lambda made: as_pandas(made).infer_objects(),
    "pandas with an index": lambda made: as_pandas(made).set_axis([f"r{i}" for i in range(len(as_pandas(made)))]),
    "pandas on Arrow": lambda made: pd.DataFrame({n: pd.Series(pd.array(c.to_pylist(), pd.ArrowDtype(c.type)))
                                                  for n, c in zip(made, as_arrow(made).columns, strict=True)}),
    "polars": lambda made: pl.from_arrow(as_arrow(made)),
    "polars lazy": lambda made: pl.from_arrow(as_arrow(made)).lazy(),
    "arrow": as_arrow,
    "record batch": lambda made: as_arrow(made).combine_chunks().to_batches()[0],
    "chunks": batches,
    "mapping of series": lambda made: dict(as_pandas(made).items()),
    "from pandas": lambda made: pa.Table.from_pandas(as_pandas(made).infer_objects().set_axis(
        [f"r{i}" for i in range(len(as_pandas(made)))])),
}  # fmt: skip


def parquet_of_pandas(made, path):
    frame = as_pandas(made).convert_dtypes()
    frame.set_axis([f"r{i}" for i in range(len(frame))]).to_parquet(path)


def csv_of_pandas(made, path):
    as_pandas(made).to_csv(path, quoting=csv.QUOTE_STRINGS if hasattr(csv, "QUOTE_STRINGS") else csv.QUOTE_NONNUMERIC)


FILES = {
    "parquet": lambda made, path: pyarrow.parquet.write_table(as_arrow(made), path),
    "parquet of pandas": parquet_of_pandas,
    "feather": lambda made, path: pyarrow.feather.write_feather(as_arrow(made), path),
    "csv": lambda made, path: pyarrow.csv.write_csv(
        as_arrow(made), path, pyarrow.csv.WriteOptions(quoting_style="all_valid")
    ),
}
ENDINGS = {"parquet of pandas": "parquet"}


def outcome(call, data):
    """Return what a call says of data, in words that do not depend on names of columns or types of labels."""
    try:
        return call(data)
    except phgs.DataError as error:
        return str(error)


def categories(data):
    table = phgs.as_table(data, missing="testwise")
    return [codes.tolist() for codes in table.codes], list(table.n_missing), table.n_rows


def dropped(data):
    table = phgs.as_table(data, missing="drop")
    return [codes.tolist() for codes in table.codes], table.n_rows


def gaussian(data):
    table = phgs.as_gaussian(data, missing="drop", warn=False)
    return [values.tolist() for values in table.values]


def cut(data):
    table = phgs.discretize(data, missing="level", bins=2)
    return [codes.tolist() for codes in table.codes]


def described(data):
    report = phgs.describe(data)
    rows = [(row.states, row.missing, row.share, row.rare_states) for row in report.columns]
    return rows, report.n_rows, report.n_complete, [finding.code for finding in report.findings]


CALLS = {"as_table": categories, "drop": dropped, "as_gaussian": gaussian, "discretize": cut, "describe": described}


def named(names):
    """Return data by other names, so that containers without names, or with others, compare."""
    return [f"column {i}" for i in range(len(names))]


@pytest.mark.timeout(1200)
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], max_examples=FEW)
@given(tables(), st.sampled_from(list(CALLS)))
def test_every_container_gives_the_same(made, call):
    made = dict(zip(named(made), made.values(), strict=True))
    expected = outcome(CALLS[call], made)
    for form, convert in IN_MEMORY.items():
        data = convert(made)
        if form == "structured":
            data = {name: data[f"f{i}"] for i, name in enumerate(made)}
        elif form == "matrix":
            data = {name: data[:, i] for i, name in enumerate(made)}
        assert outcome(CALLS[call], data) == expected, form


@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
    max_examples=FEW,
)
@given(made=tables(), call=st.sampled_from(list(CALLS)))
def test_every_file_gives_the_same(tmp_path, made, call):
    expected = outcome(CALLS[call], made)
    for form, write in FILES.items():
        if form == "csv" and call in ("as_gaussian", "discretize", "drop", "as_table", "describe"):
            # In text files numbers in quotes are numbers, too: columns of text that reads as numbers are another table.
            looks = [v for c in made.values() if kind_of(c) is str for v in c if v is not None]
            if any(v.strip() and v.strip()[0] in "0123456789" for v in looks):
                continue
            # A line that holds one missing value is an empty line.
            if len(made) == 1:
                continue
        path = tmp_path / f"d.{ENDINGS.get(form, form)}"
        write(made, path)
        found = outcome(CALLS[call], path)
        if isinstance(expected, str):
            assert isinstance(found, str), form
            assert found.split(" (in CSV")[0] == expected, form
        else:
            assert found == expected, form


# Rows of the list of faults: masks


MASKED = np.ma.MaskedArray(
    np.array([[0, 0], [0, 0], [1, 1], [1, 1], [9, 0], [0, 9]]), [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0], [0, 1]]
)


@pytest.mark.parametrize(
    "data",
    [
        MASKED,
        {0: MASKED[:, 0], 1: MASKED[:, 1]},
        MASKED.astype(float),
        np.ma.MaskedArray(MASKED.data.astype(object), MASKED.mask),
        np.ma.array(
            [tuple(row) for row in MASKED.data.tolist()],
            mask=[tuple(row) for row in MASKED.mask.tolist()],
            dtype=[("0", int), ("1", int)],
        ),
    ],
    ids=["2-d", "mapping", "floats", "objects", "structured"],
)
def test_masked_is_missing(data):
    with pytest.raises(phgs.DataError, match=r"missing values in .* \(1\), .* \(1\)"):
        phgs.as_table(data)
    table = phgs.as_table(data, missing="drop")
    assert (table.n_rows, table.arities) == (4, (2, 2))
    assert phgs.describe(data).n_complete == 4
    assert phgs.discretize(data, missing="drop").n_rows == 4


def test_masked_numbers_are_missing_in_gaussian_data():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = x + rng.normal(size=200)
    mask = rng.random(200) < 0.2
    spoilt = np.ma.MaskedArray(np.where(mask, 1e6, y), mask)
    expected = np.corrcoef(x[~mask], y[~mask])[0, 1]
    for data in ({"x": x, "y": spoilt}, np.ma.column_stack([x, spoilt])):
        table = phgs.as_gaussian(data, missing="drop")
        assert table.n_rows == (~mask).sum()
        assert table.correlation[0, 1] == pytest.approx(expected, rel=1e-12)


def test_arrays_of_unknown_kind_are_refused():
    class WithUnits(np.ndarray):
        """Values that mean nothing without what it holds beside them."""

    array = np.array([[1, 2], [2, 1]]).view(WithUnits)
    with pytest.raises(phgs.DataError, match=r"mask or units .* numpy.asarray"):
        phgs.as_table(array)
    with pytest.raises(phgs.DataError, match=r"column 'x' .* numpy.asarray"):
        phgs.as_table({"x": array[:, 0], "y": [0, 1]})
    with pytest.raises(phgs.DataError, match=r"column 'x' .* numpy.asarray"):
        phgs.as_gaussian({"x": array[:, 0], "y": [0, 1]})
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[1, 2], [2, 1]])
    assert phgs.as_table(matrix).arities == (2, 2)


# The index of pandas


@pytest.mark.parametrize("name", [None, "key"])
def test_the_index_of_pandas_is_no_column(tmp_path, name):
    frame = pd.DataFrame({"a": [0, 1, 0, 1], "b": [1, 1, 0, 0]}, index=pd.Index([5, 7, 9, 5], name=name))
    frame.to_parquet(tmp_path / "d.parquet")
    frame.to_feather(tmp_path / "d.feather")
    for data in (frame, tmp_path / "d.parquet", tmp_path / "d.feather", pa.Table.from_pandas(frame)):
        assert phgs.as_table(data).names == ("a", "b")
        assert len(phgs.describe(data).columns) == 2
    if name is None:
        assert phgs.as_table(pl.read_parquet(tmp_path / "d.parquet")).names == ("a", "b")
    levels = frame.set_index(["a", "b"], append=True).assign(c=1, d=[0, 1, 1, 0])
    assert phgs.as_table(pa.Table.from_pandas(levels)).names == ("c", "d")


def test_row_numbers_without_a_name_are_no_column(tmp_path):
    frame = pd.DataFrame({"a": list("xyxy"), "b": list("uuvv")})
    for first in (0, 1):
        frame.set_axis(range(first, first + 4)).to_csv(tmp_path / "d.csv")
        assert phgs.as_table(tmp_path / "d.csv").names == ("a", "b")
    frame.set_axis([0, 1, 1, 0]).to_csv(tmp_path / "d.csv")
    assert phgs.as_table(tmp_path / "d.csv").names == ("", "a", "b")


# By value, not by container


@pytest.mark.parametrize(
    "column",
    [
        [0.5, 1.5, -1.0, 0.25],
        pd.Series([0.5, 1.5, -1.0, 0.25], dtype=object),
        [decimal.Decimal(v) for v in ("0.5", "1.5", "-1", "0.25")],
        pd.Series([decimal.Decimal(v) for v in ("0.5", "1.5", "-1", "0.25")]),
        pa.array([decimal.Decimal(v) for v in ("0.50", "1.50", "-1.00", "0.25")]),
        pl.Series([0.5, 1.5, -1.0, 0.25], dtype=pl.Decimal(10, 2)),
        np.array([0.5, 1.5, -1.0, 0.25], dtype=object),
        pd.Series([0.5, 1.5, -1.0, 0.25], dtype="Float32"),
    ],
    ids=["floats", "pandas objects", "Decimal", "pandas Decimal", "Arrow", "polars", "numpy objects", "Float32"],
)
def test_numbers_are_numbers_in_any_container(column):
    table = phgs.as_gaussian({"x": column, "y": [1.0, 2.0, 0.5, 0.1]})
    assert table.values[0].tolist() == [0.5, 1.5, -1.0, 0.25]
    with pytest.raises(phgs.DataError, match="column 'x' holds numbers that are not whole"):
        phgs.as_table({"x": column, "y": list("abab")})
    cut = phgs.discretize({"x": column, "y": list("abab")}, bins=2)
    assert cut.codes[0].tolist() == [0, 0, 1, 1]
    row = phgs.describe({"x": column, "y": list("abab")}).columns[0]
    assert (row.kind, row.why) == ("category", "numbers that are not all whole, 4 different values")


def test_a_decimal_nan_is_missing():
    column = [decimal.Decimal("1.5"), decimal.Decimal("NaN"), decimal.Decimal("2.5"), decimal.Decimal("0.5")]
    data = {"x": column, "y": [1.0, 2.0, 0.5, 0.1]}
    assert phgs.as_gaussian(data, missing="drop").n_rows == 3
    with pytest.raises(phgs.DataError, match=r"missing values in 'x' \(1\)"):
        phgs.as_gaussian(data)
    with pytest.raises(phgs.DataError, match=r"missing values in 'x' \(1\)"):
        phgs.as_table({"x": [decimal.Decimal(1), decimal.Decimal("NaN")], "y": [0, 1]})


@pytest.mark.parametrize(
    ("column", "problem"),
    [
        (1, "a single value"),
        ("abc", "a single value"),
        (np.array(3), "a single value"),
        ({1, 2}, "without an order"),
        ({"k": 1}, "without an order"),
        (pd.DataFrame({"k": [1, 2]}), "nested"),
        (pa.table({"k": [1, 2]}), "nested"),
        (pl.DataFrame({"k": [1, 2]}), "nested"),
        (np.zeros((2, 2)), "nested"),
    ],
)
def test_what_is_no_column_is_refused_by_name(column, problem):
    for call in (phgs.as_table, phgs.as_gaussian, phgs.discretize, lambda d: phgs.learn(d, progress=False)):
        with pytest.raises(phgs.DataError, match=rf"column 'a' holds .*{problem}"):
            call({"a": column, "b": [1, 2]})
    unusable = phgs.describe({"a": column, "b": [1, 2]})["unusable"][0]
    assert problem in unusable.text


def test_labels_that_are_the_same_as_text_are_warned_of():
    data = {"x": [1, "1", 1, "1"] * 5, "y": [0, 1, 1, 0] * 5}
    with pytest.warns(phgs.PhgsWarning, match=r"same as text .* 'x' \(1 and '1'\)"):
        phgs.as_table(data)
    assert phgs.describe(data)["same-text"][0].columns == ("x",)
    assert not phgs.describe({"x": [1, 2, 1, 2], "y": [True, False] * 2})["same-text"]


def test_missing_as_a_level_has_a_name_that_is_free():
    data = {"x": ["None", None, "a", "None"] * 10, "y": ["missing", "None", None, "(missing)"] * 10, "z": [0, 1] * 20}
    table = phgs.as_table(data, missing="level")
    assert table.levels[:2] == (("None", "missing", "a"), ("missing", "None", "missing 2", "(missing)"))
    network = phgs.Network.fit(data, [("z", "x"), ("z", "y")], missing="level")
    assert sorted(network.states["x"]) == ["None", "a", "missing"]
    assert phgs.as_table({"x": [None, "a"], "z": [0, 1]}, missing="level").levels[0] == (None, "a")


def test_too_many_states_name_the_column():
    values = [*range(65_535), None]
    data = {"many": values, "y": [0, 1] * 32_768}
    for missing in ("level",):
        with pytest.raises(phgs.DataError, match="column 'many' holds more than 65,535 different values"):
            phgs.as_table(data, missing=missing)
    assert phgs.as_table(data, missing="drop").arities[0] == 65_535
    with pytest.raises(phgs.DataError, match="column 'many' holds more than 65,535"):
        phgs.as_table({"many": np.arange(65_536) / 2, "y": [0, 1] * 32_768}, categories="many")


# Which columns are categories


DOSES = [0.5, 1.0, 2.5, 0.5, 1.0, 2.5, 0.5, 1.0]


@pytest.mark.parametrize("form", ["lists", "pandas", "polars", "arrow", "csv", "parquet", "objects", "numpy"])
def test_decimals_can_be_categories(tmp_path, form):
    made = {"dose": DOSES, "day": [dt.date(2026, 1, 1 + i % 2) for i in range(8)], "y": list("abbaabba")}
    path = tmp_path / f"d.{form}"
    if form == "csv":
        pl.DataFrame(made).write_csv(path)
    if form == "parquet":
        pl.DataFrame(made).write_parquet(path)
    data = {
        "lists": made, "pandas": pd.DataFrame(made), "polars": pl.DataFrame(made), "arrow": pa.table(made),
        "objects": pd.DataFrame(made).astype(object), "csv": path, "parquet": path,
        "numpy": {"dose": np.array(DOSES), "day": np.array(made["day"], "M8[D]"), "y": np.array(made["y"])},
    }[form]  # fmt: skip
    with pytest.raises(phgs.DataError, match=r"'dose' holds numbers that are not whole; .*categories="):
        phgs.as_table(data)
    table = phgs.as_table(data, categories=["dose", "day"])
    assert [codes.tolist() for codes in table.codes[:2]] == [[0, 1, 2, 0, 1, 2, 0, 1], [0, 1] * 4]
    assert [float(label) for label in table.levels[0]] == [0.5, 1.0, 2.5]
    result = phgs.learn(data, categories=["dose", "day"], progress=False)
    assert result.parameters["categories"] == ["dose", "day"]
    assert phgs.describe(data, categories=("dose", "day"))["unusable"] == ()
    assert phgs.independence_test(data, "dose", "y", categories="dose").n_rows == 8
    assert phgs.score(data, [("dose", "y")], categories="dose").n_rows == 8
    with pytest.raises(phgs.ParameterError, match="categories: unknown column 'doze'; did you mean 'dose'"):
        phgs.as_table(data, categories=["doze"])


def test_categories_are_for_categories():
    numbers = {"x": [0.5, 1.5, 2.5, 0.1], "y": [1.5, 1.0, 0.2, 0.3]}
    with pytest.raises(phgs.ParameterError, match="categories"):
        phgs.GES(data_type="gaussian", categories=["x"], progress=False).fit(numbers)
    assert phgs.discretize(numbers, categories=["x"]).levels[0] == (0.5, 1.5, 2.5, 0.1)
    with pytest.raises(phgs.ParameterError, match="'x' is named in categories, too"):
        phgs.discretize(numbers, ["x"], categories=["x"])


# Tests and scores read their own columns only


def test_other_columns_do_not_matter_to_tests_and_scores():
    rng = np.random.default_rng(2)
    x = rng.integers(0, 2, 300)
    y = np.where(rng.random(300) < 0.8, x, rng.integers(0, 2, 300))
    own = {"x": x, "y": y}
    gaps = [None if i % 3 else 1 for i in range(300)]
    other = own | {"fraction": rng.random(300), "gaps": gaps, "date": [dt.date(2026, 1, 1)] * 300, "one": [1] * 300}
    for missing in ("error", "drop", "testwise"):
        for data in (other, pd.DataFrame(other), pl.DataFrame(other)):
            assert phgs.independence_test(data, "x", "y", missing=missing) == phgs.independence_test(own, "x", "y")
    for missing in ("error", "drop", "level"):
        found = phgs.score(other, [("x", "y")], missing=missing)
        assert (found.value, found.n_rows) == (pytest.approx(phgs.score(own, [("x", "y")]).value, rel=1e-12), 300)
        assert "gaps" not in found.local
    assert phgs.independence_test(other, "x", "gaps", missing="drop").n_rows == 100
    assert phgs.score(other, [("x", "gaps")], missing="drop").n_rows == 100
    with pytest.raises(phgs.DataError, match="'gaps'"):
        phgs.score(other, [("x", "gaps")], missing="error")
    with pytest.raises(phgs.ParameterError, match="unknown column 'z'"):
        phgs.independence_test(other, "x", "z")
    # Graphs on the same data compare, as all count the columns that can be used.
    usable = own | {"z": rng.integers(0, 3, 300)}
    gain = phgs.score(usable, [("x", "y")]).value - phgs.score(usable, []).value
    assert gain == pytest.approx(phgs.score(own, [("x", "y")]).value - phgs.score(own, []).value, rel=1e-12)


def test_other_columns_do_not_matter_to_gaussian_tests_and_scores():
    rng = np.random.default_rng(3)
    x = rng.normal(size=100)
    y = x + rng.normal(size=100)
    own = {"x": x, "y": y}
    other = own | {"copy": 2 * x, "one": np.ones(100), "text": ["a"] * 100, "gaps": np.where(x > 0, np.nan, x)}
    for missing in ("error", "drop"):
        found = phgs.independence_test(other, "x", "y", test="fisher-z", missing=missing)
        assert found == phgs.independence_test(own, "x", "y", test="fisher-z")
        found = phgs.score(other, [("x", "y")], "gaussian-bic", missing=missing)
        assert found.value == phgs.score(own, [("x", "y")], "gaussian-bic").value
    with pytest.raises(phgs.DataError, match="copies of each other"):
        phgs.independence_test(other, "x", "copy", test="fisher-z")


# Marks of other conventions


def test_matrices_of_other_conventions_are_refused():
    with pytest.raises(phgs.GraphError, match=r"0 and 1 is missing .*a\[i, j\] = 1 and a\[j, i\] = 0 is i → j"):
        phgs.as_graph(np.array([[0, np.nan], [0, 0]]))
    with pytest.raises(phgs.GraphError, match=r"marks of ends .* ours is"):
        phgs.as_graph(np.array([[0, -1], [1, 0]]))
    frame = pd.DataFrame([[0, -1], [-1, 0]], index=["a", "b"], columns=["a", "b"])
    with pytest.raises(phgs.GraphError, match="'a' and 'b'"):
        phgs.as_graph(frame)
    with pytest.raises(phgs.GraphError, match="missing"):
        phgs.as_graph(np.ma.MaskedArray([[0, 1], [0, 0]], [[0, 1], [0, 0]]))
    with pytest.raises(phgs.GraphError, match="holds numbers"):
        phgs.as_graph(np.array([["a", "b"], ["c", "d"]], dtype=object))
    assert phgs.as_graph(np.array([[0, -0.5], [0, 0]])).directed == ((0, 1),)  # a weight
