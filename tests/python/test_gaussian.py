"""Continuous data: reading, refusing, learning; greedy equivalence search on them."""

import json
import pickle

import numpy as np
import pytest

import phgs
from phgs.cli.main import main

ARCS = [("a", "c"), ("b", "c"), ("c", "d"), ("e", "d"), ("d", "f"), ("f", "g")]


@pytest.fixture(scope="module")
def table():
    return phgs.sample_gaussian(ARCS, 4000, seed=3)


def columns(table):
    return dict(zip(table.names, table.values, strict=True))


@pytest.mark.parametrize("method", [name for name in phgs.METHODS if name not in ("hc", "pef")])
def test_every_method_finds_the_class(table, method):
    skeleton = {"skeleton": ARCS} if method == "gsc" else {}
    result = phgs.learn(table, method, progress=False, **skeleton)
    assert phgs.compare(ARCS, result).jaccard >= 0.5
    assert result.test == "fisher-z"
    assert result.parameters["data_type"] == "gaussian"
    if result.score is not None:
        kind, penalty = ("ebic", 1.0) if method == "auto" else ("bic", 0.5)
        assert result.score.name == f"gaussian-{kind}"
        assert result.score.value == pytest.approx(
            phgs.score(table, result.dag, kind, penalty=penalty).value, rel=1e-12
        )


@pytest.mark.parametrize("method", ["auto", "ges", "arges", "arges-hgi", "phgs"])
def test_strong_methods_find_it_exactly(table, method):
    assert phgs.compare(ARCS, phgs.learn(table, method, progress=False)).jaccard == 1.0


def test_arges_in_a_given_graph(table):
    cig = phgs.conditional_independence_graph(ARCS)
    assert phgs.ARGES(cig=cig, progress=False).fit(table).cpdag_ == phgs.dag_to_cpdag(phgs.as_dag(ARCS, table.names))
    hgi = phgs.ARGES(skeleton=ARCS, init="hgi", progress=False).fit(table)
    assert hgi.method == "arges-hgi"
    assert phgs.compare(ARCS, hgi.result_).jaccard == 1.0
    with pytest.raises(phgs.ParameterError, match="not both"):
        phgs.ARGES(cig=cig, skeleton=ARCS).fit(table)
    with pytest.raises(phgs.ParameterError, match="HGI needs a skeleton"):
        phgs.ARGES(cig=cig, init="hgi").fit(table)


def test_input_types_agree(table):
    import pandas as pd
    import pyarrow as pa

    expected = phgs.learn(table, "ges", progress=False).cpdag
    for data in (columns(table), pd.DataFrame(columns(table)), pa.table(columns(table))):
        assert phgs.GES(data_type="gaussian", progress=False).fit(data).cpdag_ == expected
    array = phgs.learn(np.column_stack(table.values), "ges", data_type="gaussian", progress=False)
    assert len(array.cpdag.directed) == len(expected.directed)
    matrix = phgs.gaussian_from_correlation(table.correlation, table.n_rows, table.names)
    assert phgs.learn(matrix, "ges", progress=False).cpdag == expected
    again = pickle.loads(pickle.dumps(table))
    assert phgs.learn(again, "ges", progress=False).cpdag == expected


def test_pieces(table):
    covariance = np.cov(np.column_stack(table.values).T)
    precision = np.linalg.inv(covariance[:3, :3])
    r = -precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1])
    names = table.names
    found = phgs.independence_test(table, names[0], names[1], names[2])
    assert found.statistic == pytest.approx(np.sqrt(4000 - 4) * abs(np.arctanh(r)), rel=1e-10)
    assert phgs.independence_test(columns(table), names[0], names[1], names[2], test="fisher-z") == found
    assert phgs.distances(table)[0] == pytest.approx(1 - abs(np.corrcoef(table.values[0], table.values[1])[0, 1]))
    assert set(phgs.cluster_variables(table, 2)) == set(names)
    result = phgs.learn(table, "ges", progress=False)
    assert all(row.score_gain > 0 for row in result.edges)


def test_the_penalty_counts(table):
    sizes = [phgs.GES(penalty=p, progress=False).fit(table).cpdag_.n_edges for p in (0.0, 0.5, 40.0)]
    assert sizes[0] > sizes[1] > sizes[2]


@pytest.mark.parametrize(
    ("name", "column", "message"),
    [
        ("constant", lambda n: np.ones(n), "'x' are constant"),
        ("infinite", lambda n: np.r_[np.inf, np.arange(n - 1.0)], "'x' hold"),
        ("text", lambda n: ["low"] * n, "'x' holds values that are not numbers"),
        ("truth", lambda n: np.arange(n) % 2 == 0, "'x' holds values that are not numbers"),
        ("missing", lambda n: np.r_[np.nan, np.arange(n - 1.0)], r"missing values in 'x' \(1\)"),
    ],
)
def test_bad_columns_are_named(table, name, column, message):
    del name
    with pytest.raises(phgs.DataError, match=message):
        phgs.PC(data_type="gaussian", missing="error").learn({**columns(table), "x": column(table.n_rows)})


def test_copies_and_combinations_are_named(table):
    data = columns(table)
    with pytest.raises(phgs.DataError, match="'a', 'x' are copies"):
        phgs.as_gaussian({**data, "x": 2 - 3 * data["a"]})
    with pytest.warns(phgs.DegenerateColumnWarning, match="'x' is a linear combination of 'a', 'b'"):
        phgs.as_gaussian({**data, "x": data["a"] - data["b"]})
    with pytest.warns(phgs.DegenerateColumnWarning, match="whole numbers"):
        phgs.as_gaussian(np.random.default_rng(1).integers(0, 90, (100, 3)))


def test_rows_with_missing_values_can_be_dropped(table):
    data = columns(table)
    data["a"] = np.r_[np.nan, data["a"][1:]]
    dropped = phgs.as_gaussian(data, missing="drop")
    assert (dropped.n_rows, dropped.n_rows_read) == (3999, 4000)
    with pytest.raises(phgs.ParameterError, match="no levels"):
        phgs.as_gaussian(data, missing="level")


def test_fewer_rows_than_columns():
    few = phgs.sample_gaussian([(i, i + 1) for i in range(29)], 8, seed=1)
    for method in ("pc", "phgs", "ges"):
        learner = {"max_parents": 2} if method != "pc" else {}
        assert phgs.learn(few, method, progress=False, **learner).cpdag.n_variables == 30
    with pytest.warns(phgs.FewRowsWarning, match="8 rows for 30 columns.*max_parents"):
        phgs.learn(columns(few), "phgs", data_type="gaussian", progress=False)
    with pytest.raises(phgs.DataError, match="at least two rows"):
        phgs.as_gaussian({"a": [0.5], "b": [1.5]})


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 0.9, 0.9], [0.9, 1, -0.9], [0.9, -0.9, 1]], "not positive semi-definite"),
        ([[1, 2], [2, 1]], "outside"),
        ([[1, 0.5], [0.4, 1]], "not symmetric"),
        ([[1, 0.5]], "square"),
        ([[2, 0.5], [0.5, 2]], "diagonal"),
    ],
)
def test_what_is_no_correlation_matrix_is_refused(matrix, message):
    with pytest.raises(phgs.DataError, match=message):
        phgs.gaussian_from_correlation(matrix, 100)


@pytest.mark.parametrize(
    ("method", "parameters"),
    [("pc", {"test": "x2"}), ("hc", {"score": "bdeu"}), ("phgs", {"degrees_of_freedom": "adjusted"})],
)
def test_what_only_categories_have_is_refused(table, method, parameters):
    with pytest.raises(phgs.ParameterError, match="is for categories"):
        phgs.learn(columns(table), method, data_type="gaussian", **parameters)


def test_numbers_are_jointly_normal_only_if_you_say_so(table):
    assert phgs.learn(columns(table), "pc", progress=False).test == "mixed-lr"
    assert phgs.learn(columns(table), "pc", data_type="gaussian", progress=False).test == "fisher-z"
    with pytest.raises(phgs.DataError):
        phgs.learn(columns(table), "pc", data_type="discrete")
    with pytest.raises(phgs.ParameterError, match="gaussian"):
        phgs.learn(columns(table), "pc", data_type="normal")


def test_equivalence_search_on_categories():
    data = phgs.datasets.load_alarm()
    result = phgs.learn(data.table, "ges", turning=True, schedule="interleaved", progress=False)
    assert phgs.compare(data.truth, result).jaccard > 0.7
    with pytest.raises(phgs.ParameterError, match="k2"):
        phgs.learn(data.table, "ges", score="k2")


def test_extended_search_scores_at_least_as_well(table):
    scores = {
        schedule: phgs.GES(schedule=schedule, data_type="gaussian", progress=False).learn(table).score.value
        for schedule in ("interleaved", "cut-loose", "extended")
    }
    assert min(scores["cut-loose"], scores["extended"]) >= scores["interleaved"]
    alarm = phgs.datasets.load_alarm().table
    named = phgs.learn(alarm, "phgs", refine="xges", progress=False)
    given = phgs.learn(alarm, "phgs", refine=phgs.GES(schedule="extended"), progress=False)
    assert (named.cpdag, named.calls) == (given.cpdag, given.calls)
    assert named.score.value >= phgs.learn(alarm, "phgs", refine="ges", progress=False).score.value
    with pytest.raises(phgs.ParameterError, match="backward"):
        phgs.GES(schedule="extended", backward=False).learn(alarm)
    with pytest.raises(phgs.ParameterError, match="backward"):
        phgs.GES(schedule="cut-loose", backward=False).learn(alarm)


def test_command_line(table, tmp_path, capsys):
    csv = tmp_path / "data.csv"
    rows = np.column_stack(table.values)
    csv.write_text(",".join(table.names) + "\n" + "\n".join(",".join(map(repr, row)) for row in rows.tolist()) + "\n")
    out = tmp_path / "result.json"
    options = ["--data-type", "gaussian", "--method", "ges", "--penalty", "0.6", "--json", str(out)]
    assert main(["learn", str(csv), *options]) == 0
    found = json.loads(out.read_text())
    assert found["test"] == "fisher-z"
    assert found["score"]["name"] == "gaussian-bic"
    assert found["parameters"]["penalty"] == 0.6
    assert sorted(map(tuple, found["dag"])) == sorted(phgs.learn(csv, "ges", data_type="gaussian").dag.directed)
    capsys.readouterr()
    assert main(["learn", str(csv), "--data-type", "gaussian", "--test", "x2", "--method", "pc"]) == 2
    assert "categories" in capsys.readouterr().err


def dense(p, degree, n, seed):
    """A random linear model of a dense graph, standardised, and its graph."""
    rng = np.random.default_rng(seed)
    order, pairs = rng.permutation(p), [(i, j) for i in range(p) for j in range(i + 1, p)]
    weights = np.zeros((p, p))
    for at in rng.choice(len(pairs), round(p * degree / 2), replace=False):
        i, j = pairs[at]
        weights[order[i], order[j]] = rng.uniform(0.5, 1.5) * rng.choice([-1, 1])
    data = np.zeros((n, p))
    for x in order:
        data[:, x] = data @ weights[:, x] + rng.normal(size=n)
    return (data - data.mean(axis=0)) / data.std(axis=0), (weights != 0).astype(int)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_dense_graphs_are_found(seed):
    """Greedy search alone is caught far from the true class."""
    data, graph = dense(30, 7, 2000, seed)
    truth = phgs.dag_to_cpdag(phgs.as_graph(graph))
    quick, normal = (
        phgs.learn(data, data_type="gaussian", effort=effort, progress=False) for effort in ("quick", "normal")
    )
    assert phgs.compare(truth, quick.cpdag).jaccard < 0.9
    assert phgs.compare(truth, normal.cpdag).jaccard > 0.95
    assert normal.score.value > quick.score.value
    one = phgs.learn(data, data_type="gaussian", threads=1, progress=False)
    assert (one.cpdag, one.score, one.calls) == (normal.cpdag, normal.score, normal.calls)


def test_the_start_order_of_gaussian_data_is_an_option():
    data, _ = dense(20, 6, 1000, 1)
    found = [
        phgs.BOSS(order_from_data=given, score="ebic", data_type="gaussian", progress=False).learn(data)
        for given in (False, True)
    ]
    assert found[0].calls != found[1].calls
