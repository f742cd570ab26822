"""Numbers cut into intervals: each value in its interval, a column and its negative alike, never a constant."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import phgs

pytestmark = pytest.mark.filterwarnings("ignore::phgs.PhgsWarning")

METHODS = ("quantile", "uniform", "hartemink")
NUMBERS = st.one_of(
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40),
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300), min_size=2, max_size=20
    ),
    st.lists(st.sampled_from([0.0, 0.0, 0.0, 0.1, 0.2, 0.3, 0.5, 1.0]), min_size=2, max_size=40),
    st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=40),
    st.lists(st.sampled_from([0.0] * 20 + [1.5, 2.0, 7.25]), min_size=2, max_size=60),
)


def cut(values, bins, method):
    data = {"x": np.array(values), "y": np.arange(len(values)) % 2}
    table = phgs.discretize(data, ["x"], bins=bins, method=method)
    return table.codes[0].tolist(), table.levels[0]


@given(NUMBERS, st.integers(2, 5), st.sampled_from(METHODS))
def test_a_value_lies_in_the_interval_that_its_label_prints(values, bins, method):
    codes, levels = cut(values, bins, method)
    for value, code in zip(values, codes, strict=True):
        opens, low, high, closes = re.fullmatch(r"([\[(])(\S+), (\S+)([\])])", levels[code]).groups()
        assert float(low) <= value if opens == "[" else float(low) < value
        assert value <= float(high) if closes == "]" else value < float(high)
    assert not any(re.search(r"-0\b(?!\.)", label) for label in levels)
    assert len(set(levels)) == len(levels)


@example([0.0, 1.0, 9.999999999998222e299, -9.999999999998253e299], 2, "uniform")
@example([1.0, 2.0, -1e300, 1e300], 2, "uniform")
@given(NUMBERS, st.integers(2, 5), st.sampled_from(METHODS))
def test_a_column_and_its_negative_are_cut_alike(values, bins, method):
    assert cut(values, bins, method)[0] == cut([-value for value in values], bins, method)[0]


@given(NUMBERS, st.integers(2, 5), st.sampled_from(METHODS))
def test_what_varies_is_never_constant_and_few_values_are_states(values, bins, method):
    _, levels = cut(values, bins, method)
    distinct = len(set(values))
    assert len(levels) <= bins
    if distinct <= bins:
        assert len(levels) == distinct
    else:
        assert len(levels) >= 2


def test_zero_inflated_columns_keep_their_edge():
    rng = np.random.default_rng(1)
    x = np.where(rng.random(2000) < 0.75, 0.0, rng.exponential(size=2000))
    y = np.where(x > 0, rng.random(2000) < 0.9, rng.random(2000) < 0.1).astype(int)
    for values in (x, -x, np.ceil(x), -np.ceil(x)):
        table = phgs.discretize({"x": values, "y": y}, ["x"])
        assert table.arities[0] >= 2
        assert phgs.independence_test(table, "x", "y").p_value < 1e-100
    rare = np.where(rng.random(2000) < 0.97, 0.0, rng.normal(size=2000))
    table = phgs.discretize({"x": rare, "y": y}, method="hartemink")
    assert table.arities[0] >= 2


def test_quantiles_hold_equally_many_rows():
    values = np.random.default_rng(2).normal(size=1000)
    for bins in (2, 3, 4, 7):
        counts = np.bincount(cut(values, bins, "quantile")[0])
        assert len(counts) == bins
        assert np.ptp(counts) <= 1


def test_uniform_borders_are_those_that_are_printed():
    codes, levels = cut([0.0, 0.1, 0.2, 0.3, 0.05], 3, "uniform")
    assert codes == [0, 1, 2, 2, 0]
    assert levels == ("[0, 0.1)", "[0.1, 0.2)", "[0.2, 0.3]")
    codes, levels = cut([0.0, -0.1, -0.2, -0.3, -0.05], 3, "uniform")
    assert codes == [0, 1, 2, 2, 0]
    assert levels == ("(-0.1, 0]", "(-0.2, -0.1]", "[-0.3, -0.2]")


@pytest.mark.parametrize(
    "columns",
    [
        lambda frame: frame.columns[:2],
        lambda _: np.array(["a", "b"]),
        lambda _: {"a": 1, "b": 2}.keys(),
        lambda _: {"b", "a"},
        lambda _: (name for name in "ab"),
        lambda _: ("a", "b"),
        lambda frame: frame[["a", "b"]].columns.to_series(),
    ],
)
def test_columns_are_named_by_any_iterable(columns):
    frame = pd.DataFrame({"a": [0.5, 1.5, 2.5, 3.5], "b": [4, 3, 2, 1], "c": list("uvuv")})
    table = phgs.discretize(frame, columns(frame), bins=2)
    assert table.arities == (2, 2, 2)
    assert table.levels[2] == ("u", "v")


def test_names_of_columns_are_checked():
    frame = pd.DataFrame([[0.5, 1.5], [2.5, 3.5]], columns=["a", "a"])
    with pytest.raises(phgs.DataError, match="distinct; repeated: 'a'"):
        phgs.discretize(frame)
    with pytest.raises(phgs.ParameterError, match="columns: unknown column 'z'"):
        phgs.discretize({"a": [0.5, 1.5]}, ["z"])
    with pytest.raises(phgs.ParameterError, match="columns: expected names"):
        phgs.discretize({"a": [0.5, 1.5]}, [["a"]])
    tuples = phgs.discretize({("a", 1): [0.5, 1.5], "b": [0, 1]}, ("a", 1))
    assert tuples.arities == (2, 2)


def test_files_of_text_are_cut_as_typed_frames(tmp_path):
    frame = pl.DataFrame({"x": [0.5, 1.5, 2.5, 3.5], "y": [0.1, 0.2, 0.3, 0.4], "z": list("abab")})
    frame.write_csv(tmp_path / "d.csv")
    known = phgs.discretize(frame, bins=2)
    assert phgs.discretize(tmp_path / "d.csv", bins=2).levels == known.levels
    for data in (frame, tmp_path / "d.csv"):
        with pytest.raises(phgs.DataError, match="column 'y' holds numbers that are not whole"):
            phgs.discretize(data, columns=["x"])


def test_text_is_cut_where_it_is_named_in_any_container():
    text = {"x": ["0.5", "1.5", "2.5", "3.5"], "y": list("abab")}
    for data in (text, pd.DataFrame(text), pl.DataFrame(text), pl.DataFrame(text).to_arrow()):
        assert phgs.discretize(data).levels[0] == ("0.5", "1.5", "2.5", "3.5")
        assert phgs.discretize(data, "x", bins=2).arities == (2, 2)
        with pytest.raises(phgs.DataError, match="'y' holds no numbers"):
            phgs.discretize(data, "y")
    declared = {"x": pd.Categorical([0.5, 1.5, 2.5, 3.5]), "y": list("abab")}
    for data in (declared, pd.DataFrame(declared)):
        with pytest.raises(phgs.DataError, match="'x' holds no numbers"):
            phgs.discretize(data, "x")


def test_kinds_say_what_is_cut():
    rng = np.random.default_rng(1)
    frame = {"age": rng.integers(0, 90, 200), "dose": rng.choice([0.5, 1.0, 2.5], 200), "y": rng.normal(size=200)}
    table = phgs.discretize(frame, kinds={"age": "number", "dose": "category"}, bins=3)
    assert table.arities == (3, 3, 3)
    assert sorted(table.levels[1]) == [0.5, 1.0, 2.5]
    assert phgs.discretize(frame, "y", kinds={"age": "number", "dose": "category"}).arities == (3, 3, 3)
    with pytest.raises(phgs.ParameterError, match="columns: 'dose' is said to be a category in kinds, too"):
        phgs.discretize(frame, "dose", kinds={"dose": "category"})
    with pytest.raises(phgs.ParameterError, match="kinds: unknown column 'ages'"):
        phgs.discretize(frame, kinds={"ages": "number"})
    with pytest.raises(phgs.DataError, match="column 'name' holds no numbers"):
        phgs.discretize({**frame, "name": ["a", "b"] * 100}, kinds={"name": "number"})
