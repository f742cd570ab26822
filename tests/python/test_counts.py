"""A table of counts is the table with its rows repeated, bit for bit, whatever is done with it."""

import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phgs
from phgs.cli import main
from phgs.data import as_gaussian, as_table
from phgs.errors import DataError, ParameterError
from phgs.result.methods import methods_paragraph

CONTAINERS = {
    "mapping": dict,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "categorical": lambda data: pd.DataFrame(data).astype({"a": "category", "b": "category"}),
    "dictionary": lambda data: pa.table({**data, "a": pa.array(data["a"]).dictionary_encode()}),
    "structured": lambda data: np.rec.fromarrays([np.asarray(data[name]) for name in data], names=list(data)),
    "objects": lambda data: {name: [*column] for name, column in data.items()},
}


def small(seed=0, n=60):
    """Return rows of a → b → c, d on its own, and a count for each, some of them 0."""
    rng = np.random.default_rng(seed)
    a = rng.choice(["low", "mid", "high"], n)
    b = np.where(rng.random(n) < 0.8, a, rng.choice(["low", "mid", "high"], n))
    c = np.where((b == "mid") ^ (rng.random(n) < 0.1), 1, 0)
    data = {"a": a.tolist(), "b": b.tolist(), "c": c.tolist(), "d": rng.integers(0, 2, n).tolist()}
    return data, rng.poisson(3, n)


def repeated(data, counts):
    return {name: np.repeat(np.asarray(column), counts).tolist() for name, column in data.items()}


def same(one, other):
    """Two tables are the same, their codes too."""
    assert one.names == other.names
    assert one.levels == other.levels
    assert (one.n_rows, one.n_rows_read) == (other.n_rows, other.n_rows_read)
    assert all(np.array_equal(x, y) and x.dtype == y.dtype for x, y in zip(one.arrays(), other.arrays(), strict=True))


def table_or_none(data, counts, missing):
    """Read a table; None where no rows are left."""
    try:
        return as_table(data, counts=counts, missing=missing, warn=False)
    except DataError:
        return None


def facts(result):
    """Return what a result says, but for the time and how the rows were counted."""
    found = json.loads(json.dumps(result.to_dict()))
    del found["seconds"], found["parameters"]["counts"]
    for stage in found["stages"]:
        del stage["seconds"]
    return json.dumps(found)


def learned(data, method, **parameters):
    if method in ("gsc", "arges"):
        parameters["skeleton"] = [("a", "b"), ("b", "c"), ("c", "d")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return phgs.learn(data, method, progress=False, **parameters)


@pytest.mark.parametrize("method", phgs.METHODS)
def test_every_method_learns_as_from_repeated_rows(method):
    data, counts = small()
    expanded = learned(repeated(data, counts), method)
    assert facts(learned({**data, "n": counts}, method, counts="n")) == facts(expanded)
    assert facts(learned(data, method, counts=counts)) == facts(expanded)


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_gives_the_repeated_table(container):
    data, counts = small()
    # What a row of count 0 holds is nothing to anyone.
    for name in ("a", "b"):
        data[name][int(np.flatnonzero(counts == 0)[0])] = "nowhere else"
    expanded = as_table(repeated(data, counts))
    made = CONTAINERS[container]({**data, "n": counts.tolist()})
    same(as_table(made, counts="n"), expanded)
    same(as_table(CONTAINERS[container](data), counts=pd.Series(counts)), expanded)


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from([0, 1, None]), st.integers(0, 4)), min_size=1))
def test_tables_are_those_of_repeated_rows(rows):
    counts = [n for *_, n in rows]
    data = {"a": [a for a, *_ in rows], "b": [b for _, b, _ in rows]}
    expanded = {
        name: [v for v, n in zip(column, counts, strict=True) for _ in range(n)] for name, column in data.items()
    }
    for missing in ("drop", "level", "testwise"):
        found, wanted = (table_or_none(*read, missing) for read in ((data, counts), (expanded, None)))
        assert (found is None) == (wanted is None)
        if found is not None:
            same(found, wanted)


def test_columns_are_named_or_given_as_numbers_of_any_kind():
    data, counts = small()
    expanded = as_table(repeated(data, counts))
    for given_counts in (counts, counts.tolist(), tuple(counts.tolist()), counts.astype(float), pl.Series(counts)):
        same(as_table(data, counts=given_counts), expanded)
    same(as_table({**data, ("n", 1): counts}, counts=("n", 1)), expanded)
    same(as_table({**data, 7: counts}, counts=7), expanded)
    array = np.column_stack([data["c"], data["d"], counts])
    same(as_table(array, names=["c", "d", "n"], counts="n"), as_table(repeated({k: data[k] for k in "cd"}, counts)))


def test_rows_of_count_0_decide_neither_states_nor_what_can_be_used():
    data = {"a": [0.0, 1.0, 0.5, 1.0], "b": ["x", "y", ["no", "value"], "x"], "n": [3, 2, 0, 1]}
    same(as_table(data, counts="n"), as_table({"a": [0.0] * 3 + [1.0] * 3, "b": ["x"] * 3 + ["y"] * 2 + ["x"]}))


def test_gaussian_tables_are_those_of_repeated_rows():
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    data = {"x": x, "y": x + rng.normal(size=80), "z": rng.normal(size=80)}
    counts = rng.integers(0, 5, 80)
    expanded = {name: np.repeat(column, counts) for name, column in data.items()}
    table = as_gaussian({**data, "n": counts}, counts="n")
    assert np.array_equal(table.correlation, as_gaussian(expanded).correlation)
    for method in ("auto", "pc", "ges"):
        found = learned(data, method, counts=counts, data_type="gaussian")
        assert facts(found) == facts(learned(expanded, method, data_type="gaussian"))


@pytest.mark.parametrize("method", ["auto", "pc", "ges"])
def test_mixed_tables_are_those_of_repeated_rows(method):
    rng = np.random.default_rng(2)
    x = rng.normal(size=90)
    data = {"x": x, "y": x + rng.normal(size=90), "a": np.where(x > 0, "high", "low")}
    counts = rng.integers(0, 4, 90)
    expanded = {name: np.repeat(column, counts) for name, column in data.items()}
    found = learned({**data, "n": counts}, method, counts="n")
    assert found.parameters["data_type"] == "mixed"
    assert facts(found) == facts(learned(expanded, method))
    assert phgs.describe(data, counts=counts).to_dict() == phgs.describe(expanded).to_dict()


def test_pieces_take_counts():
    data, counts = small()
    expanded, counted = repeated(data, counts), {**data, "n": counts}
    for test in ("g2", "x2"):
        found = phgs.independence_test(counted, "a", "c", "b", test=test, counts="n")
        assert found == phgs.independence_test(expanded, "a", "c", "b", test=test)
    for kind in ("bic", "sqnml", "bdeu", "k2"):
        graph = [("a", "b"), ("b", "c")]
        assert phgs.score(counted, graph, kind, counts="n") == phgs.score(expanded, graph, kind)
    assert np.array_equal(phgs.distances(counted, counts="n"), phgs.distances(expanded))
    assert phgs.cluster_variables(counted, counts="n") == phgs.cluster_variables(expanded)
    assert phgs.describe(counted, counts="n").to_dict() == phgs.describe(expanded).to_dict()
    fitted = phgs.Network.fit(counted, phgs.Graph("abcd", [("a", "b")]), counts="n")
    assert fitted.to_bif() == phgs.Network.fit(expanded, phgs.Graph("abcd", [("a", "b")])).to_bif()
    cut = phgs.discretize({"x": [0.1, 0.2, 0.7, 0.9], "n": [5, 1, 1, 9]}, counts="n", bins=2)
    same(cut, phgs.discretize({"x": [0.1] * 5 + [0.2, 0.7] + [0.9] * 9}, bins=2))


def test_bootstrap_draws_from_the_repeated_rows(tmp_path):
    data, counts = small()
    expanded = phgs.bootstrap(phgs.PC(), repeated(data, counts), n=6, seed=3)
    counted = phgs.bootstrap(phgs.PC(counts="n"), {**data, "n": counts}, n=6, seed=3, folder=tmp_path / "kept")
    assert counted.counts == expanded.counts
    assert counted.n_rows == expanded.n_rows
    assert counted.parameters == {**expanded.parameters, "counts": "n"}
    parallel = phgs.bootstrap(phgs.PC(counts="n", threads=1), {**data, "n": counts}, n=6, seed=3, workers=2)
    assert parallel.counts == expanded.counts


def test_results_say_how_rows_were_counted_and_explain_themselves(tmp_path):
    data, counts = small()
    counted = {**data, "n": counts}
    result = learned(counted, "pc", counts="n")
    assert result.parameters["counts"] == "n"
    assert f"{counts.sum():,}, counted by column 'n'" in str(result)
    assert f"{counts.sum():,} rows, counted by column 'n'," in methods_paragraph(result)
    result.save(tmp_path / "result.json")
    loaded = phgs.Result.load(tmp_path / "result.json")
    assert loaded.explain("a", "c", counted) == result.explain("a", "c")
    assert result.fit(counted).to_bif() == result.fit().to_bif()
    given_numbers = learned(data, "pc", counts=counts)
    assert given_numbers.parameters["counts"] == {"values": 60}
    with pytest.raises(ParameterError, match=r"phgs.as_table\(data, counts=\.\.\.\)"):
        given_numbers.explain("a", "c", data)
    assert given_numbers.explain("a", "c", as_table(data, counts=counts)) == result.explain("a", "c")


def test_learners_keep_scikit_learns_protocol_with_counts():
    data, counts = small()
    learner = phgs.PC(counts=counts)
    assert "counts=array" in repr(learner)
    assert type(learner)(**learner.get_params(deep=False)).fit(data).cpdag_ == learner.fit(data).cpdag_


def test_bad_counts_are_refused_by_name():
    data = {"a": ["x", "y", "z"], "b": [0, 1, 1]}

    def refused(counts, match, error=DataError):
        with pytest.raises(error, match=match):
            as_table({**data, "n": counts}, counts="n")
        with pytest.raises(error, match=match):
            phgs.learn(data, counts=counts, progress=False)

    refused([1, -2, 3], r"counts.* has negative counts \(rows from 0: 1\)")
    refused([1, 2, 0.5], r"counts.* has counts that are not whole \(rows from 0: 2\)")
    refused([1, 2, float("inf")], r"counts.* has counts that are not whole \(rows from 0: 2\)")
    refused([1, None, 3], r"counts.* has missing counts \(rows from 0: 1\)")
    refused([1, float("nan"), None], r"counts.* has missing counts \(rows from 0: 1, 2\)")
    refused(["1", "2", "3"], "counts.* holds values that are not numbers")
    refused([True, False, True], "counts.* holds values that are not numbers")
    refused([0, 0, 0], "counts.* has no count above 0")
    refused([5_000_000, 5_000_001, 0], "counts.* stands for 10,000,001 rows, and at most 10,000,000")
    refused([1, 2], r"has (2|3) (values|rows), column '\w' has (2|3) rows")
    with pytest.raises(ParameterError, match="counts: unknown column 'm'"):
        as_table({**data, "n": [1, 2, 3]}, counts="m")
    with pytest.raises(ParameterError, match="counts: expected the name of a column or a number for each row"):
        as_table(data, counts={1, 2, 3})
    with pytest.raises(ParameterError, match="counts: expected the name of a column or a number for each row"):
        as_table(data, counts=np.eye(3))
    with pytest.raises(ParameterError, match=r"counts: the rows of <phgs.Table: .*> have been read already"):
        phgs.learn(as_table(data, warn=False), counts=[1, 2, 3], progress=False)
    with pytest.raises(ParameterError, match="knowledge: 'n' holds the counts and is no variable"):
        phgs.learn({**data, "n": [1, 2, 3]}, counts="n", knowledge={"forbidden": [("n", "a")]}, progress=False)
    with pytest.raises(DataError, match="counts: column 'n' is the only one"):
        as_table({"n": [1, 2, 3]}, counts="n")
    with pytest.raises(ParameterError, match=r"counts: give them to phgs\.Hybrid itself, not to restrict"):
        phgs.Hybrid(restrict=phgs.PC(counts=[1, 2, 3])).learn(data)
    with pytest.raises(ParameterError, match="categories: unknown column 'n'"):
        as_table({**data, "n": [1, 2, 3]}, counts="n", categories=["n"])


def test_a_column_of_counts_is_never_guessed():
    data, counts = small()
    assert "n" in as_table({**data, "n": counts}, warn=False).names


def test_the_command_line_counts(tmp_path, capsys):
    data, counts = small()
    counted, expanded = tmp_path / "counted.csv", tmp_path / "expanded.csv"
    pd.DataFrame({**data, "n": counts}).to_csv(counted, index=False)
    pd.DataFrame(repeated(data, counts)).to_csv(expanded, index=False)

    def run(*options):
        status = main([*map(str, options)])
        return status, capsys.readouterr()

    for path, options in ((counted, ["--counts", "n"]), (expanded, [])):
        out = tmp_path / f"{path.stem}.json"
        assert run("learn", path, "--method", "pc", "--json", out, "--quiet", *options)[0] == 0
        assert run("bootstrap", path, "-n", 4, "--method", "pc", "--json", f"{out}.b", "--quiet", *options)[0] == 0
        assert run("describe", path, "--json", f"{out}.d", "--quiet", *options)[0] == 0
    one, other = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("counted", "expanded"))
    assert one["parameters"].pop("counts") == "n"
    assert other["parameters"].pop("counts") is None
    assert {**one, "seconds": 0, "stages": 0} == {**other, "seconds": 0, "stages": 0}
    one, other = (json.loads((tmp_path / f"{name}.json.b").read_text()) for name in ("counted", "expanded"))
    assert one["pairs"] == other["pairs"]
    assert (tmp_path / "counted.json.d").read_text() == (tmp_path / "expanded.json.d").read_text()
    status, said = run("learn", counted, "--counts", "m")
    assert status == 2
    assert "counts: unknown column 'm'" in said.err
