"""Input as it comes: users' rows 41 to 49 of what goes wrong elsewhere."""

import datetime as dt
import decimal
import io
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import phgs

X = np.random.default_rng(0).integers(0, 4, 200)
LABELS = np.array(["a", "b", "ü", "10"])
FORMS = {
    "int64": X,
    "int8": X.astype(np.int8),
    "uint64": X.astype(np.uint64),
    "beyond int64": X.astype(np.uint64) + 2**63,
    "big endian": X.astype(">i4"),
    "strided": np.repeat(X, 2)[::2],
    "whole float": X.astype(float),
    "float32": X.astype(np.float32),
    "text": LABELS[X],
    "object": LABELS[X].astype(object),
    "list": X.tolist(),
    "huge ints": [int(x) * 10**30 for x in X],
    "mixed": [[1, "1", True, (1, 2)][x] for x in X],
    "pandas int": pd.Series(X),
    "pandas Int64": pd.Series(X, dtype="Int64"),
    "pandas Float64": pd.Series(X, dtype="Float64"),
    "pandas string": pd.Series(LABELS[X], dtype="string"),
    "pandas categorical": pd.Series(pd.Categorical(LABELS[X], categories=["unused", "10", "ü", "b", "a"])),
    "pandas half categories": pd.Series(pd.Categorical(X / 2)),
    "pandas interval": pd.cut(pd.Series(X), 4),
    "pandas interval objects": pd.cut(pd.Series(X), 4).astype(object),
    "pandas arrow": pd.Series(X).astype("int64[pyarrow]"),
    "polars": pl.Series(LABELS[X]),
    "polars categorical": pl.Series(LABELS[X]).cast(pl.Categorical),
    "polars enum": pl.Series(LABELS[X]).cast(pl.Enum(["10", "a", "b", "ü", "unused"])),
    "arrow": pa.chunked_array([pa.array(LABELS[X[:50]]), pa.array(LABELS[X[50:]])]),
    "arrow dictionary": pa.chunked_array([pa.array(LABELS[p]).dictionary_encode() for p in (X[:9], X[9:])]),
    "arrow view": pa.array(LABELS[X]).cast(pa.string_view()),
    "arrow decimal": pa.array(X).cast(pa.decimal128(20, 0)),
    "decimal": [decimal.Decimal(int(x)) for x in X],
}


@pytest.mark.filterwarnings("ignore:columns that are copies", "ignore:labels that are the same as text")
@pytest.mark.parametrize("form", FORMS)
def test_the_same_partition_in_any_type_gives_the_same_codes(form):
    reference = phgs.as_table({"x": X, "y": X})
    table = phgs.as_table({"x": FORMS[form], "y": X})
    assert table.codes[0].tolist() == reference.codes[0].tolist()
    assert table.arities == (4, 4)


def test_results_are_the_same_to_the_bit(chain):
    as_text = {name: np.array([f"s{value}" for value in column]) for name, column in chain.items()}
    as_category = pd.DataFrame({name: pd.Categorical(column) for name, column in as_text.items()})
    reference = phgs.learn(chain, progress=False)
    for data in (as_text, as_category, pl.DataFrame(as_text), pd.DataFrame(chain).astype(float)):
        result = phgs.learn(data, progress=False)
        assert result.cpdag == reference.cpdag
        assert result.score == reference.score
        assert result.edges["log_p_value"] == reference.edges["log_p_value"]


def test_booleans_keep_their_labels_and_are_not_numbers():
    table = phgs.as_table({"x": [True, False, True], "y": [1, True, 1], "z": pd.array([True, False, True], "boolean")})
    assert table.levels == ((True, False), (1, True), (True, False))


def test_levels_show_the_mapping_in_order_of_appearance():
    table = phgs.as_table({"x": ["no", "yes", "no"], "y": [3, 1, 2]})
    assert table.levels == (("no", "yes"), (3, 1, 2))
    assert table.codes[1].tolist() == [0, 1, 2]


def test_frames_of_every_kind_are_the_same(chain):
    frame = pd.DataFrame(chain)
    reference = phgs.as_table(chain)
    structured = frame.to_records(index=False)
    others = [
        frame,
        pl.from_pandas(frame),
        pl.from_pandas(frame).lazy(),
        pa.Table.from_pandas(frame),
        pa.Table.from_pandas(frame).to_batches()[0],
        structured,
    ]
    for data in others:
        table = phgs.as_table(data)
        assert table.names == reference.names
        assert all((a == b).all() for a, b in zip(table.codes, reference.codes, strict=True))
    array = phgs.as_table(frame.to_numpy())
    assert array.names == (0, 1, 2, 3)
    assert phgs.as_table(frame.to_numpy(), names=list("abcd")).names == reference.names


def test_the_dataframe_protocol_alone_is_enough(chain):
    class Frame:
        def __dataframe__(self, allow_copy=True):
            return pa.table({k: pa.array(v) for k, v in chain.items()}).__dataframe__(allow_copy=allow_copy)

    assert phgs.as_table(Frame()).names == tuple(chain)


def test_names_survive(chain):
    names = [7, "Größe", ("multi", 1), "日本"]
    frame = pd.DataFrame(dict(enumerate(chain.values())))
    frame.columns = pd.Index(names, tupleize_cols=False)
    result = phgs.learn(frame, progress=False)
    assert result.variables == tuple(names)
    assert 7 in result.to_networkx().nodes
    assert all(type(name) is not np.int64 for name in result.variables)


def test_a_constant_column_warns_once_and_stays_alone(chain):
    with pytest.warns(phgs.DegenerateColumnWarning, match="'k', 'm'") as caught:
        result = phgs.learn({**chain, "k": ["same"] * 2000, "m": [0] * 2000}, progress=False)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert result.cpdag.adjacent("k") == ()
    assert result.cpdag == phgs.Graph(
        result.variables,
        phgs.learn(chain, progress=False).cpdag.directed,
        phgs.learn(chain, progress=False).cpdag.undirected,
    )


def test_id_like_columns_warn(chain):
    with pytest.warns(phgs.ManyStatesWarning, match=r"'id' \(2,000 states in 2,000 rows\)"):
        result = phgs.learn({**chain, "id": np.arange(2000)}, progress=False)
    assert result.n_rows == 2000


def test_more_columns_than_rows_and_copies_of_a_column_work():
    rng = np.random.default_rng(3)
    wide = rng.integers(0, 2, (30, 60))
    wide[:, 1] = wide[:, 0]
    with pytest.warns(phgs.DegenerateColumnWarning, match="0 = 1"):
        result = phgs.learn(wide, progress=False)
    assert (0, 1) in result.cpdag


def refused(data, match, **options):
    with pytest.raises(ValueError, match=match):
        phgs.learn(data, progress=False, **options)


def test_duplicate_names_are_listed():
    refused(pd.DataFrame([[1, 2, 3], [2, 1, 3]], columns=["a", "b", "a"]), "repeated: 'a'")
    refused({1: [1, 2], "1": [2, 1]}, "same as text")
    refused(pa.table([[1, 2], [1, 2]], names=["x", "x"]), "repeated: 'x'")


def test_numbers_that_are_not_whole_are_refused_by_column(chain):
    text = r"columns 'w', 'v' hold numbers that are not whole"
    refused({**chain, "w": np.full(2000, 0.5), "v": [0.25] * 2000}, text, data_type="discrete")
    refused({**chain, "w": pa.array([0.5] * 2000)}, "phgs.discretize", data_type="discrete")
    refused({**chain, "w": [decimal.Decimal("0.5")] * 2000}, "not whole", data_type="discrete")
    refused({"x": [1.0, float("inf")]}, "infinite")
    refused({"x": [1j, 2j]}, "complex")


def test_dates_are_refused_with_advice():
    days = pd.date_range("2026-01-01", periods=3)
    for column in (days, pd.Series(days, dtype="date32[pyarrow]"), list(days), [dt.date(2026, 1, 1)] * 3):
        text = "'when' holds dates or times; turn them into categories"
        refused({"when": column, "x": [1, 2, 1]}, text, data_type="discrete")
    refused(pl.DataFrame({"when": [dt.date(2026, 1, 1)] * 3}), "dates", data_type="discrete")


def test_things_that_are_no_data():
    refused(5, "expected a pandas, polars or pyarrow frame.*got builtins.int")
    refused(np.zeros(3), "two dimensions")
    refused(pd.Series([1, 2]), "to_frame")
    refused({}, "no columns")
    refused(np.zeros((5, 0)), "no columns")
    refused({"x": []}, "no rows")
    refused({"x": [1]}, "one row")
    refused({"x": [1, 2], "y": [1]}, "'y' has 1 rows")
    refused({"x": [[1], [2]]}, "cannot be compared")
    refused({"x": np.arange(70_000)}, "more than 65,535 different values", data_type="discrete")


def test_missing_values_are_counted_by_column():
    data = {"x": [1.0, np.nan, 2.0, 1.0], "y": ["a", None, None, "b"], "z": pd.array([1, 2, pd.NA, 1], "Int64")}
    refused(data, r"'x' \(1\), 'y' \(2\), 'z' \(1\)", missing="error")
    dropped = phgs.as_table(data, missing="drop", warn=False)
    assert (dropped.n_rows, dropped.n_rows_read) == (2, 4)
    assert dropped.levels == ((1.0,), ("a", "b"), (1,))
    level = phgs.as_table(data, missing="level")
    assert level.levels == ((1.0, None, 2.0), ("a", None, "b"), (1, 2, None))
    refused({"x": [None, None]}, "no rows are left", missing="drop", data_type="discrete")
    refused(data, "did you mean 'level'", missing="levels")


def test_missing_values_of_arrow_integers_are_not_zeros():
    data = pa.table({"x": [0, None, 1], "y": pa.array(["a", "b", None]).dictionary_encode(), "z": [True, None, False]})
    table = phgs.as_table(data, missing="level")
    assert table.levels == ((0, None, 1), ("a", "b", None), (True, None, False))


def test_files(tmp_path, chain):
    frame = pd.DataFrame(chain)
    frame.to_csv(tmp_path / "d.csv", index=False)
    frame.to_csv(tmp_path / "d.tsv", index=False, sep="\t")
    frame.to_csv(tmp_path / "d.csv.gz", index=False)
    frame.to_parquet(tmp_path / "d.parquet")
    (tmp_path / "nameless").write_bytes((tmp_path / "d.parquet").read_bytes())
    pyarrow.feather.write_feather(frame, tmp_path / "d.feather")
    reference = phgs.as_table(frame)
    for name in ("d.csv", "d.tsv", "d.csv.gz", "d.parquet", "nameless", "d.feather"):
        table = phgs.as_table(tmp_path / name)
        assert table.names == reference.names
        assert all((a == b).all() for a, b in zip(table.codes, reference.codes, strict=True)), name


def test_csv_is_text(tmp_path, monkeypatch):
    path = tmp_path / "d.csv"

    def table(text, **options):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return phgs.as_table(path, warn=False, **options)

    assert table("\ufeffa,b\n01,x\n1,y\n").levels == (("01", "1"), ("x", "y"))
    assert table('a,b\n"NA",1\n"p\nq",2\n').levels[0] == ("NA", "p\nq")
    assert table("a,b\nNA,1\nx,\n", missing="level").levels == ((None, "x"), ("1", None))
    with pytest.raises(phgs.DataError, match="unless quoted"):
        table("a,b\nNA,1\nx,2\n")
    for text, match in [
        ("", "is empty"),
        ("a,b\n", "no rows"),
        ("a;b\n1;2\n", "separated by ';'"),
        ("a,b\n1,2,3\n", "line 2: 3 fields, the header has 2"),
        ("a,b\n0.5,1\n1,2\n", "'a' holds numbers that are not whole"),
        ("a,b\n2026-01-01,1\n2026-01-02,2\n", "dates"),
        (b"a,b\n\xff,1\nx,2\n", "UTF-8"),
        ("a,a\n1,2\n2,3\n", "repeated"),
    ]:
        with pytest.raises(phgs.DataError, match=match):
            table(text)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\nx,y\ny,x\n")))
    assert phgs.as_table("-").names == ("a", "b")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError):
        phgs.learn(tmp_path / "none.csv")
    (tmp_path / "bad.parquet").write_text("no")
    (tmp_path / "none").mkdir()
    for path, match in ((tmp_path / "bad.parquet", "cannot read"), (tmp_path / "none", "is a folder")):
        with pytest.raises(phgs.DataError, match=match):
            phgs.learn(path)


def test_numbers_are_cut_into_intervals():
    rng = np.random.default_rng(2)
    z = rng.normal(size=3000)
    data = pd.DataFrame({"z": z, "twin": z + 0.1 * rng.normal(size=3000), "k": rng.integers(0, 3, 3000)})
    data.loc[5, "z"] = np.nan
    for method in ("quantile", "uniform", "hartemink"):
        table = phgs.discretize(data, bins=4, method=method, missing="drop")
        assert (table.n_rows, table.arities) == (2999, (4, 4, 3))
        assert all(label[0] == "[" for label in table.levels[0])
    quantiles = phgs.discretize(data, bins=4, missing="drop")
    assert np.ptp(np.bincount(quantiles.codes[1])) <= 2
    informed = phgs.discretize(data, bins=4, method="hartemink", missing="drop")
    found = [phgs.independence_test(t, "z", "twin").statistic for t in (informed, quantiles)]
    assert found[0] > 0.8 * found[1]
    assert phgs.discretize({"x": [1, 2, 3, 4], "y": list("abab")}, "x", bins=2).levels[0] == ("[1, 2.5)", "[2.5, 4]")
    with pytest.raises(phgs.DataError, match="'y' holds no numbers"):
        phgs.discretize({"x": [0.5, 1.5], "y": ["a", "b"]}, ["y"])
    with pytest.raises(phgs.ParameterError, match="did you mean 'uniform'"):
        phgs.discretize(data, method="unifrom")
    with pytest.raises(phgs.ParameterError, match="single one"):
        phgs.discretize({"x": [0.5, 1.5]}, method="hartemink")


def test_copies_of_a_column_are_warned_of_under_any_labels():
    rng = np.random.default_rng(5)
    x = rng.integers(0, 3, 100)
    data = {"x": x, "same": np.array(["c", "a", "b"])[x], "third": rng.integers(0, 3, 100), "one": np.zeros(100, int)}
    with pytest.warns(phgs.DegenerateColumnWarning) as caught:
        phgs.as_table(data)
    copies = [str(w.message) for w in caught if "copies" in str(w.message)]
    assert len(copies) == 1
    assert "'x' = 'same'" in copies[0]
    assert "third" not in copies[0]


def test_columns_of_polars_that_arrow_does_not_have():
    objects = pl.DataFrame({"x": pl.Series([(1, 2), frozenset(), (1, 2), None], dtype=pl.Object), "y": [1, 2, 1, 2]})
    assert phgs.as_table(objects, missing="level").levels == (((1, 2), frozenset(), None), (1, 2))
    huge = pl.DataFrame({"x\0": [2**69, 1, 2**69]}, strict=False)
    assert phgs.as_table(huge).levels == ((2**69, 1),)


def test_gaps_in_single_arrow_arrays_and_polars_series():
    for make in (pa.array, pl.Series, lambda values: pl.DataFrame({"x": values})["x"]):
        data = {"i": make([0, None, 1]), "f": make([0.0, None, 1.0]), "b": make([True, None, False])}
        levels = phgs.as_table(data, missing="level").levels
        assert levels == ((0, None, 1), (0.0, None, 1.0), (True, None, False))


def test_a_name_with_a_zero_character():
    assert phgs.as_table(pl.DataFrame({"x\0y": [0, None, 1]}), missing="level").names == ("x\0y",)


def test_reading_files_imports_no_pandas(tmp_path):
    """It would take longer than reading, and pyarrow, which imports it for its `to_numpy`, loses a Ctrl-C meanwhile."""
    import subprocess
    import sys

    (tmp_path / "d.csv").write_text("a,b\n" + "x,1\ny,2\nx,\n" * 9)
    frame = pd.read_csv(tmp_path / "d.csv", dtype="string")
    frame.to_parquet(tmp_path / "d.parquet")
    frame.to_feather(tmp_path / "d.feather")
    code = (
        "import sys, phgs; path = sys.argv[1]; phgs.as_table(path, missing='drop', warn=False);"
        " phgs.discretize(path, columns=['b'], missing='drop') if path.endswith('csv') else None;"
        " assert 'pandas' not in sys.modules"
    )
    for name in ("d.csv", "d.parquet", "d.feather"):
        subprocess.run([sys.executable, "-c", code, tmp_path / name], check=True)


def test_arrow_columns_of_any_shape():
    import pyarrow as pa

    from phgs.data.arrow import numbers

    for made in (
        pa.array([], pa.int32()),
        pa.chunked_array([], pa.int16()),
        pa.chunked_array([[1, None], [], [3]], pa.uint8()),
        pa.array([5, 1, None, 3], pa.int64()).slice(1),
        pa.chunked_array([pa.array([9, 1, 2]).slice(1), pa.array([None, 7, 8]).slice(0, 1)], pa.int64()),
        pa.array([0.5, 1.5, None, 2.5])[1:],
    ):
        expected = [99 if value is None else value for value in made.to_pylist()]
        assert numbers(made, 99).tolist() == expected


def test_pandas_columns_of_any_kind_read_the_same_stored_or_as_series():
    rows = 40
    numbers = np.arange(rows) % 3
    frame = pd.DataFrame(
        {
            "integers": numbers,
            "bytes": numbers.astype(np.int8),
            "booleans": numbers == 1,
            "whole": numbers.astype(float),
            "gaps": np.where(numbers == 2, np.nan, numbers),
            "objects": [("a", 1, True)[number] for number in numbers],
            "text": pd.Series([("no", "yes", None)[number] for number in numbers], dtype="str"),
            "categories": pd.Categorical.from_codes(2 - numbers, ["c", "b", "unused", "a"]),
            "some": pd.Categorical.from_codes(numbers - 1, ["x", "y"]),
            "intervals": pd.cut(numbers, 2),
            "truth": pd.Categorical(numbers == 0),
            "nullable": pd.array([(0, 1, None)[number] for number in numbers], dtype="Int64"),
        }
    )
    stored = phgs.as_table(frame, missing="level", warn=False)
    series = phgs.as_table(dict(frame.items()), missing="level", warn=False)
    assert stored.names == series.names
    assert stored.levels == series.levels
    assert stored.levels[7] == ("unused", "b", "c")
    assert stored.levels[8] == (None, "x", "y")
    for one, other in zip(stored.codes, series.codes, strict=True):
        np.testing.assert_array_equal(one, other)


def test_missing_values_are_no_state_beyond_the_limit():
    # As many states as are supported, and missing values, which would be one more.
    codes = np.append(np.arange(65_535), [-1, 0])
    column = pd.Categorical.from_codes(codes, np.arange(65_535))
    table = phgs.as_table(pd.DataFrame({"x": column, "y": codes % 2}), missing="drop", warn=False)
    assert table.arities == (65_535, 2)
    assert (table.n_rows, table.n_rows_read) == (65_536, 65_537)


def test_the_core_looks_into_the_codes_of_a_table_and_copies_none(tmp_path):
    few, many = ["a", "b", "b", "c"] * 75, list(range(300))
    frame = pd.DataFrame({"text": few, "number": [1, 2, 3, 1] * 75, "truth": [True, False, False] * 100, "many": many})
    pa.parquet.write_table(pa.Table.from_pandas(frame), tmp_path / "frame.parquet", row_group_size=70)
    for data in (frame, pl.from_pandas(frame), tmp_path / "frame.parquet"):
        table = phgs.as_table(data, warn=False)
        *narrow, wide = table.codes
        assert [type(codes.base) for codes in narrow] == [bytes] * 3
        assert (wide.dtype, table.arities) == (np.uint16, (3, 3, 2, 300))
        before = [sys.getrefcount(codes.base) for codes in narrow]
        assert [codes.tolist() for codes in table.core.codes()] == [codes.tolist() for codes in table.codes]
        assert [sys.getrefcount(codes.base) for codes in narrow] == [count + 1 for count in before]
        with pytest.raises(ValueError, match="read-only"):
            narrow[0][0] = 1
        del table
        assert [sys.getrefcount(codes.base) for codes in narrow] == before


@pytest.mark.parametrize("part", [slice(1, None), slice(None, None, 2), slice(None, None, -1)])
def test_parts_of_codes_are_copied_into_the_core(part):
    table = phgs.as_table({"x": [0, 1, 0, 1, 1, 0], "y": ["a", "b", "c", "c", "a", "b"]}, warn=False)
    codes = [codes[part] for codes in table.codes]
    core = phgs._core.CategoricalDataset(codes, [2, 3])
    assert [column.tolist() for column in core.codes()] == [column.tolist() for column in codes]


@pytest.mark.parametrize("n_states", [3, 127, 128, 129, 255, 256, 300])
def test_codes_with_gaps_are_narrow_and_right(n_states, tmp_path):
    values = [*map(str, range(n_states)), None, "0", None]
    frame = pa.table({"x": values, "y": [i % 2 for i in range(len(values))]})
    pa.parquet.write_table(frame, tmp_path / "gaps.parquet", row_group_size=50)
    for data in (frame, tmp_path / "gaps.parquet"):
        table = phgs.as_table(data, missing="testwise", warn=False)
        assert table.codes[0].tolist() == [*range(n_states), n_states, 0, n_states]
        assert table.codes[0].dtype == (np.uint8 if n_states < 256 else np.uint16)
        assert [type(codes.base) is bytes for codes in table.codes] == [n_states < 256, True]
        assert (table.n_missing, table.arities, table.core.n_rows) == ((2, 0), (n_states, 2), n_states + 3)
        dropped = phgs.as_table(data, missing="drop", warn=False)
        assert dropped.codes[0].tolist() == [*range(n_states), 0]
        filled = phgs.as_table(data, missing="level", warn=False)
        assert filled.codes[0].tolist() == table.codes[0].tolist()
        assert filled.levels[0][-1] is None
