"""What each column is taken for: the rules, what the user says, and the same for any container."""

import datetime as dt
import json

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

import phgs
from phgs.cli.main import main
from phgs.data import MixedTable, Table, as_data
from phgs.result.methods import methods_paragraph

N = 400

pytestmark = pytest.mark.filterwarnings("ignore:columns with fewer than five rows per state")


def kinds(data, **options):
    return as_data(data, warn=False, **options).kinds


def kind(values, **options):
    return kinds({"x": values, "y": ["a", "b"] * (len(values) // 2) + ["a"] * (len(values) % 2)}, **options)["x"]


def frame(n=N, seed=0):
    rng = np.random.default_rng(seed)
    height = rng.normal(170, 8, n)
    return {
        "id": np.arange(1, n + 1),
        "age": rng.integers(20, 80, n),
        "height": height,
        "weight": height / 2 + rng.normal(0, 5, n),
        "sex": rng.choice(["m", "f"], n),
        "grade": rng.integers(1, 6, n),
        "smokes": rng.integers(0, 2, n) == 1,
    }


KINDS = {
    "id": "identifier",
    "age": "number",
    "height": "number",
    "weight": "number",
    "sex": "category",
    "grade": "category",
    "smokes": "category",
}


# The rules


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([True, False] * 50, "category"),
        (["a", "b", "c"] * 40, "category"),
        ([0.5, 1.0, 2.5] * 40, "category"),
        (np.linspace(0, 1, 100), "number"),
        (np.arange(120) % 6, "category"),
        (np.arange(119) % 6, "number"),
        (np.arange(1000) % 10, "category"),
        (np.arange(1000) % 11, "number"),
        (np.arange(9) % 5, "category"),
        (np.arange(1000.0) % 10, "category"),
        (np.arange(1000.0) % 11, "number"),
        (np.arange(50), "identifier"),
        (np.random.default_rng(0).permutation(50) + 7, "identifier"),
        (np.arange(10), "number"),
        (np.arange(50) * 2, "number"),
        (np.arange(1950, 2010), "number"),
        (np.arange(70_000), "identifier"),
        (np.arange(70_000) ** 2, "number"),
        ([7] * 50, "constant"),
        ([0.25] * 50, "constant"),
        ([None] * 50, "empty"),
        ([np.nan] * 50, "empty"),
        ([f"p{i}" for i in range(100)], "identifier"),
        ([f"p{i}" for i in range(70_000)], "identifier"),
        (["136A", "c168", "98115-4820", "136B"] * 30, "category"),
        ([f"{i}{'AB'[i % 2]}" if i % 9 == 0 else str(i) for i in range(30)] * 10, "category"),
        (pd.date_range("2020-01-01", periods=60), "date"),
        ([dt.date(2020, 1, 1) + dt.timedelta(i) for i in range(60)], "date"),
        ([str(dt.date(2020, 1, 1) + dt.timedelta(i)) for i in range(60)], "date"),
        ([dt.date(2020, 1, 1), dt.date(2021, 1, 1), None] * 40, "category"),
        (pd.Categorical(np.arange(300) % 50), "category"),
        ([1, 2, "a"] * 30, "category"),
    ],
)
def test_rules(values, expected):
    options = {"missing": "level"} if expected == "category" else {}
    assert kind(values, **options) == expected


def test_text_files_hold_numbers_as_text(tmp_path):
    path = tmp_path / "d.csv"
    columns = {
        "decimal": [f"{i / 7:.3f}" for i in range(60)],
        "whole": [str(i % 30) for i in range(60)],
        "code": [f"{i % 30:03}" for i in range(60)],
        "long": [f"{i % 12}{10**17 + i % 3}" for i in range(60)],
        "flag": [str(i % 2) for i in range(60)],
        "row": [str(i) for i in range(60)],
        "day": [f"2020-{1 + i // 28:02}-{1 + i % 28:02}" for i in range(60)],
    }
    pd.DataFrame(columns).to_csv(path, index=False)
    expected = {"decimal": "number", "whole": "number", "code": "identifier", "long": "category"}
    assert kinds(path) == expected | {"flag": "category", "row": "identifier", "day": "date"}
    # In a frame, text is text.
    assert kinds(columns)["whole"] == "identifier"
    assert kinds(columns, kinds={"whole": "number"})["whole"] == "number"


# One treatment for all containers


def cells(draw, n):
    values = draw(
        st.sampled_from(
            [
                st.integers(0, 3),
                st.integers(-500, 500),
                st.integers(0, 8),
                st.sampled_from([0.5, 1.5, 2.25]),
                st.floats(-1e6, 1e6, allow_nan=False),
                st.sampled_from(["x", "y z", "c168", "-"]),
                st.booleans(),
                st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)),
            ]
        )
    )
    return draw(st.lists(values, min_size=n, max_size=n))


@st.composite
def tables(draw):
    n = draw(st.integers(12, 80))
    found = {name: cells(draw, n) for name in ("a", "b", "c")[: draw(st.integers(1, 3))]}
    if draw(st.booleans()):
        found["row"] = list(range(1, n + 1))
    return found


@given(table=tables())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_same_columns_are_taken_for_the_same_in_any_container(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("frames")
    pandas = pd.DataFrame(table)
    pandas.to_csv(folder / "d.csv", index=False)
    pandas.to_parquet(folder / "d.parquet")
    expected = as_data(table, warn=False)
    for other in (pandas, pl.DataFrame(table), pa.table(table), folder / "d.csv", folder / "d.parquet"):
        found = as_data(other, warn=False)
        assert found.kinds == expected.kinds
        assert found.data_type == expected.data_type
        for mine, theirs in zip(found.arrays(), expected.arrays(), strict=True):
            np.testing.assert_array_equal(mine, theirs)


@given(table=tables(), seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_kinds_do_not_depend_on_the_order_of_rows_and_columns(table, seed):
    shuffled = pd.DataFrame(table).sample(frac=1, random_state=seed)[sorted(table, reverse=True)]
    assert kinds(shuffled) == kinds(table)


def test_arrays():
    rng = np.random.default_rng(0)
    assert isinstance(as_data(rng.integers(0, 4, (200, 5)), warn=False), Table)
    assert kinds(rng.normal(size=(200, 2))) == {0: "number", 1: "number"}
    assert isinstance(as_data(rng.normal(size=(200, 2))), MixedTable)


# What it does to learning


def test_categories_alone_are_learned_as_before(alarm):
    data = {name: codes[:1000] for name, codes in zip(alarm.table.names, alarm.table.codes, strict=True)}
    auto = phgs.learn(data, "phgs", progress=False)
    discrete = phgs.learn(data, "phgs", data_type="discrete", progress=False)
    assert auto.cpdag == discrete.cpdag
    assert auto.score == discrete.score
    assert auto.calls == discrete.calls
    assert auto.parameters == discrete.parameters
    assert auto.levels == discrete.levels
    assert set(auto.kinds.values()) == {"category"}


def test_every_method_learns_numbers_beside_categories():
    data = frame()
    for method in ("auto", "pc", "phgs", "hc", "ges", "mmhc"):
        result = phgs.learn(data, method, progress=False)
        assert ("height", "weight") in result.cpdag
        assert result.kinds == KINDS
        assert result.parameters["data_type"] == "mixed"
    assert list(result.isolated) == ["id"]


def test_what_was_decided_is_told(tmp_path):
    result = phgs.learn(frame(), progress=False)
    text = str(result)
    assert "columns              7 (3 numbers, 3 categories, 1 identifier)\n" in text
    line = "'grade': whole numbers, 5 different values; taken for categories; kinds={'grade': 'number'} changes it"
    assert line in text
    assert set(result.guesses) == {"id", "age", "grade"}
    assert "They were taken for 3 numbers, 3 categories, 1 identifier." in methods_paragraph(result)
    assert "7 (3 numbers, 3 categories, 1 identifier)" in result.report().html
    result.save(tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["kinds"] == KINDS
    again = phgs.Result.load(tmp_path / "r.json")
    assert again.kinds == result.kinds
    assert again.guesses == result.guesses
    assert str(again.explain("height", "weight", frame())).endswith("400 rows")
    assert again.untested("id", "age").startswith("id has 400 states")
    many = {f"x{i}": np.random.default_rng(i).integers(0, 50, 100) for i in range(9)}
    assert "and 4 more guesses: phgs.describe shows all" in str(phgs.learn(many, progress=False))


def test_what_the_user_says_holds():
    data = frame()
    said = {"age": "category", "grade": "number", "id": "number"}
    result = phgs.learn(data, "hc", kinds=said, progress=False)
    assert [result.kinds[name] for name in ("grade", "id")] == ["number", "number"]
    assert result.levels["grade"] == ()
    assert len(result.levels["age"]) == len(set(data["age"].tolist()))
    assert not result.guesses
    assert kinds(data, categories=["height"])["height"] == "identifier"
    days = pd.date_range("2020-01-01", periods=60)
    table = as_data({"day": days, "x": [1, 2] * 30}, kinds={"day": "number"})
    assert np.diff(table.columns[0]).tolist() == [86_400.0] * 59
    assert kinds({"day": [str(day.date()) for day in days]}, kinds={"day": "number"})["day"] == "number"
    assert isinstance(as_data({"x": [0, 1] * 20}, "mixed"), MixedTable)
    learner = phgs.HillClimbing(kinds={"grade": "number"})
    assert "kinds={'grade': 'number'}" in repr(learner)
    assert learner.get_params()["kinds"] == {"grade": "number"}


def test_pieces_find_out_too():
    data = frame()
    test = phgs.independence_test(data, "height", "weight")
    assert test.test == "mixed-lr"
    assert test.p_value < 1e-10
    assert phgs.independence_test(data, "sex", "smokes").test.startswith("g2")
    assert phgs.score(data, [("height", "weight")]).name == "mixed-bic"
    assert phgs.score(data, phgs.as_graph([("sex", "smokes")])).name == "bic"
    assert len(phgs.distances(data)) == 21
    assert set(phgs.cluster_variables(data)) == set(data)
    table = as_data(data, warn=False)
    assert np.array_equal(phgs.distances(table), phgs.distances(data))


# Missing values


def test_missing_values_of_numbers_and_categories():
    data = pd.DataFrame(frame())
    data.loc[3, "height"] = np.nan
    data.loc[5, "sex"] = None
    data["nothing"] = None
    data["day"] = pd.date_range("2020-01-01", periods=N)
    data.loc[7, "day"] = pd.NaT
    with pytest.raises(phgs.DataError, match=r"missing values in 'height' \(1\), 'sex' \(1\); pass missing='auto' to"):
        as_data(data)
    with pytest.raises(phgs.DataError, match=r"'height' \(1\), which are numbers and have no levels; pass missing='au"):
        as_data(data, missing="level")
    with pytest.raises(phgs.ParameterError, match="one set of rows; use missing='auto', which fills them in, or"):
        as_data(data, missing="testwise")
    table = as_data(data, missing="drop", warn=False)
    assert (table.n_rows, table.n_rows_read) == (N - 2, N)
    gapped = as_data(data, missing="auto", warn=False)
    assert dict(zip(gapped.names, gapped.n_missing, strict=True)) == dict.fromkeys(gapped.names, 0) | {
        "height": 1,
        "sex": 1,
    }
    # Read from the table, gaps are treated as read from the frame.
    again = as_data(gapped, missing="drop")
    assert again.levels == table.levels
    assert all(map(np.array_equal, again.columns, table.columns))
    assert (again.kinds, again.n_rows_read) == (table.kinds, N)
    with pytest.raises(phgs.DataError, match="missing values in 'height'"):
        as_data(gapped)
    assert (table.kinds["nothing"], table.kinds["day"]) == ("empty", "date")
    del data["height"]
    table = as_data(data, missing="level", warn=False)
    assert table.n_rows == N
    assert None in table.levels[table.index("sex")]
    report = phgs.describe(data)
    assert {row.name: row.missing for row in report.columns if row.missing} == {"sex": 1, "nothing": N, "day": 1}


# Bad input: one clear error each


def bad(values, match, error=phgs.DataError, **options):
    with pytest.raises(error, match=match):
        as_data({"x": values, "y": ["a", "b"] * (len(values) // 2)}, **options)


def test_text_among_numbers_is_refused_with_its_rows(tmp_path):
    values = [str(i / 2) for i in range(60)]
    values[3] = values[18] = "?"
    values[40] = "n.a."
    expected = r"column 'x' holds numbers, but '\?', 'n.a.' in rows 4, 19, 41; make these missing, or say .*kinds="
    bad(values, expected)
    bad([value if value in ("?", "n.a.") else float(value) for value in values], expected)
    with pytest.raises(phgs.DataError, match=r"'x' holds numbers.*'category'} \(likewise in 'z'\)"):
        as_data({"x": values, "y": ["a", "b"] * 30, "z": values})
    path = tmp_path / "d.csv"
    pd.DataFrame({"x": values, "y": ["a", "b"] * 30}).to_csv(path, index=False)
    with pytest.raises(phgs.DataError, match=expected):
        as_data(path)
    for strays in (["none"] * 20, ["<5", ">= 2.5"], ["not available", "-"]):
        bad([*strays, *map(str, range(30))], "column 'x' holds numbers, but")
    assert kind(["none"] * 40 + [str(i) for i in range(30)]) == "identifier"
    assert kind(["low", "high"] * 10 + [str(i) for i in range(30)] * 5) == "category"
    assert "rows 4, 19, 41" in phgs.describe(path)["unusable"][0].text
    assert kind(values, kinds={"x": "category"}) == "identifier"


def test_what_cannot_be(capsys, tmp_path):
    ab = ["a", "b"] * 10
    bad(ab, "column 'x' cannot be a number: it holds 'a', 'b' in rows 1, 2, 3, 4, 5 and 15 more", kinds={"x": "number"})
    bad([1.5, np.inf] * 10, "'x' holds infinite numbers; replace or drop them")
    bad([1.5, np.inf] * 10, "'x' holds infinite numbers", kinds={"x": "number"})
    bad([1j, 2j] * 10, "'x' holds complex numbers")
    bad([[1], [2]] * 10, "'x' holds values that cannot be compared")
    parameter = phgs.ParameterError
    bad(ab, "kinds: unknown column 'z'", parameter, kinds={"z": "number"})
    bad(ab, "kinds: 'x': unknown kind 'numbr'; did you mean 'number'", parameter, kinds={"x": "numbr"})
    bad(ab, "kinds: expected a mapping", parameter, kinds=["x"])
    both = {"kinds": {"x": "number"}, "categories": ["x"]}
    bad([1, 2] * 10, "'x' is said to be a number, and is named in categories= too", parameter, **both)
    bad([1, 2] * 10, "'x' cannot be a number: data_type='disc", parameter, kinds={"x": "number"}, data_type="discrete")
    bad([1, 2] * 10, "'x' cannot be a category: Gauss", parameter, kinds={"x": "category"}, data_type="gaussian")
    with pytest.raises(parameter, match="has its kinds already"):
        as_data(phgs.as_table({"x": ab}), kinds={"x": "category"})
    with pytest.raises(parameter, match=r"'bdeu' is for categories; .*column 'h' is taken for a number; data_type="):
        phgs.learn({"h": np.linspace(0, 1, 40), "x": ab * 2}, "hc", score="bdeu")
    with pytest.raises(parameter, match="kinds: 'x': unknown kind"):
        phgs.HillClimbing(kinds={"x": "nominal"}).fit({"x": ab})
    path = tmp_path / "d.csv"
    pd.DataFrame(frame()).to_csv(path, index=False)
    assert main(["learn", str(path), "--number", "grade", "--category", "grade,sex"]) == 2
    assert "column 'grade' is named in --number and in --category" in capsys.readouterr().err


def test_the_command_line(tmp_path, capsys):
    path, found = tmp_path / "d.csv", tmp_path / "r.json"
    pd.DataFrame(frame()).to_csv(path, index=False)
    assert main(["learn", str(path), "--json", str(found)]) == 0
    assert json.loads(found.read_text())["kinds"] == KINDS
    assert "taken for categories; --number grade changes it" in capsys.readouterr().out
    options = ["--number", "grade,id", "--category", "age", "--method", "hc", "--json", str(found)]
    assert main(["learn", str(path), *options]) == 0
    changed = json.loads(found.read_text())["kinds"]
    assert (changed["grade"], changed["id"]) == ("number", "number")
    assert main(["learn", str(path), "--data-type", "discrete", "--method", "hc"]) == 2
    assert "numbers that are not whole" in capsys.readouterr().err
    assert main(["describe", str(path), "--number", "grade"]) == 0
    assert "'grade'" not in capsys.readouterr().out
