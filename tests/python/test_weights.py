"""Sampling weights: values by numpy, equal weights as none, levels of tests, every learner, errors."""

import json
import math
import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, norm

import phgs
from phgs.cli import main
from phgs.data import as_data, as_gaussian, as_table
from phgs.data.weights import weighted
from phgs.errors import DataError, ParameterError
from phgs.result.methods import methods_paragraph

SCORES = ("loglik", "aic", "bic", "ebic", "qnml", "sqnml")


def small(seed=0, n=400):
    """Return rows of a → b → c, d on its own, and lognormal weights."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, n)
    b = np.where(rng.random(n) < 0.7, a, rng.integers(0, 3, n))
    c = np.where((b == 1) ^ (rng.random(n) < 0.2), 1, 0)
    data = {"a": a.tolist(), "b": b.tolist(), "c": c.tolist(), "d": rng.integers(0, 2, n).tolist()}
    return data, rng.lognormal(0.0, 1.0, n)


def kish(weights):
    return weights.sum() ** 2 / (weights**2).sum()


def scaled(weights):
    return weights * weights.sum() / (weights**2).sum()


def cells(data, names, weights):
    """Return the table of weights of some columns, scaled to the effective number of rows."""
    index = np.zeros(len(weights), dtype=int)
    size = 1
    for name in names:
        column = np.unique(data[name], return_inverse=True)[1]
        index = index * (column.max() + 1) + column
        size *= int(column.max()) + 1
    return np.bincount(index, scaled(weights), minlength=size)


def f(data, names, weights):
    """Return Σ n ln n over the cells."""
    n = cells(data, names, weights)
    return float((n[n > 0] * np.log(n[n > 0])).sum())


def learned(data, method, **parameters):
    if method in ("gsc", "arges"):
        parameters["skeleton"] = [("a", "b"), ("b", "c"), ("c", "d")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return phgs.learn(data, method, progress=False, **parameters)


def facts(result):
    """Return what a result says, but for the time and the weights."""
    found = json.loads(json.dumps(result.to_dict()))
    del found["seconds"], found["weights"], found["parameters"]["weights"]
    for stage in found["stages"]:
        del stage["seconds"]
    return found


# Values


@pytest.mark.parametrize("given", [(), ("b",), ("b", "d")])
def test_g2_is_that_of_the_weighted_table(given):
    data, weights = small()
    found = phgs.independence_test(data, "a", "c", given, weights=weights)
    z = list(given)
    expected = 2 * (
        f(data, ["a", "c", *z], weights)
        + f(data, z, weights)
        - f(data, ["a", *z], weights)
        - f(data, ["c", *z], weights)
    )
    df = 2 * math.prod(len(set(data[name])) for name in given)
    assert found.statistic == pytest.approx(expected, rel=1e-7)
    assert found.degrees_of_freedom == df
    assert found.log_p_value == pytest.approx(chi2.logsf(expected, df), rel=1e-6)
    assert found.n_rows == 400


def test_x2_is_that_of_the_weighted_table():
    data, weights = small()
    table = cells(data, ["a", "c"], weights).reshape(3, 2)
    expected = table.sum(1, keepdims=True) * table.sum(0) / table.sum()
    found = phgs.independence_test(data, "a", "c", test="x2", weights=weights)
    assert found.statistic == pytest.approx(((table - expected) ** 2 / expected).sum(), rel=1e-7)


@pytest.mark.parametrize("graph", [[], [("a", "b"), ("b", "c")], [("a", "b"), ("c", "b"), ("d", "b")]])
def test_scores_are_those_of_the_weighted_table(graph):
    data, weights = small()
    n = kish(weights)
    parents = {name: [x for x, y in graph if y == name] for name in data}
    sizes = {name: len(set(data[name])) for name in data}
    likelihood = sum(f(data, [x, *parents[x]], weights) - f(data, parents[x], weights) for x in data)
    k = sum((sizes[x] - 1) * math.prod(sizes[y] for y in parents[x]) for x in data)
    expected = {
        "loglik": likelihood,
        "aic": likelihood - k,
        "bic": likelihood - 0.5 * math.log(n) * k,
        "ebic": likelihood - 0.5 * math.log(n) * k - 0.5 * math.log(4) * len(graph),
    }
    for kind, value in expected.items():
        dag = phgs.Graph("abcd", graph)
        assert phgs.score(data, dag, kind, weights=weights).value == pytest.approx(value, rel=1e-8), kind


def test_quotient_nml_charges_for_the_effective_rows():
    """The regret of two states and n rows, by its sum."""
    data, weights = small()
    n = round(kish(weights))
    k = np.arange(1, n)
    log_binomial = np.array([math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in k])
    regret = math.log(2 + np.exp(log_binomial + k * np.log(k / n) + (n - k) * np.log(1 - k / n)).sum())
    expected = f(data, ["d"], weights) - f(data, [], weights) - regret
    found = phgs.score({"d": data["d"]}, phgs.Graph(["d"]), "qnml", weights=weights)
    assert found.value == pytest.approx(expected, rel=1e-7)


def test_gaussian_data_have_weighted_correlations():
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    data = {"x": x, "y": 0.4 * x + rng.normal(size=300), "z": rng.exponential(size=300)}
    weights = rng.lognormal(0, 1, 300)
    table = as_gaussian(data, weights=weights)
    covariance = np.cov(np.array([*data.values()]), aweights=weights, ddof=0)
    deviations = np.sqrt(np.diag(covariance))
    assert table.correlation == pytest.approx(covariance / np.outer(deviations, deviations), rel=1e-10)
    n = kish(weights)
    assert table.effective_rows == pytest.approx(n, rel=1e-12)
    found = phgs.independence_test(table, "x", "y", "z")
    inverse = np.linalg.inv(table.correlation)
    partial = -inverse[0, 1] / math.sqrt(inverse[0, 0] * inverse[1, 1])
    assert found.statistic == pytest.approx(math.sqrt(n - 4) * abs(math.atanh(partial)), rel=1e-9)
    assert found.degrees_of_freedom == pytest.approx(n - 4)
    value = sum(-0.5 * n * (math.log(2 * math.pi * v) + 1) - math.log(n) for v in np.diag(covariance))
    assert phgs.score(table, phgs.Graph("xyz")).value == pytest.approx(value, rel=1e-9)


def test_networks_are_fitted_to_weights():
    data, weights = small()
    network = phgs.Network.fit(data, phgs.Graph("abcd", [("a", "b")]), weights=weights)
    table = cells(data, ["a", "b"], weights).reshape(3, 3)
    assert network.table("b") == pytest.approx(table / table.sum(1, keepdims=True), rel=1e-7)
    smoothed = phgs.Network.fit(data, phgs.Graph("abcd"), weights=weights, equivalent_sample_size=6)
    single = cells(data, ["a"], weights) + 2
    assert smoothed.table("a") == pytest.approx(single / single.sum(), rel=1e-7)


# Equal weights


@pytest.mark.parametrize("method", phgs.METHODS)
def test_equal_weights_are_no_weights_in_every_method(method):
    data, _ = small()
    found = learned({**data, "w": [0.3] * 400}, method, weights="w")
    assert facts(found) == facts(learned(data, method))
    assert found.weights.effective_rows == 400


def test_equal_weights_are_no_weights_in_every_piece():
    data, _ = small()
    equal = [7.0] * 400
    for options in ({}, {"test": "x2"}, {"degrees_of_freedom": "adjusted"}, {"minimum_sample": 100}):
        for given in ([], ["b"], ["b", "d"]):
            found = phgs.independence_test(data, "a", "c", given, weights=equal, **options)
            expected = phgs.independence_test(data, "a", "c", given, **options)
            assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
            assert found.degrees_of_freedom == expected.degrees_of_freedom
            assert found.too_sparse == expected.too_sparse
    for kind in SCORES:
        graph = phgs.Graph("abcd", [("a", "b"), ("b", "c"), ("a", "c")])
        assert phgs.score(data, graph, kind, weights=equal) == phgs.score(data, graph, kind)
    assert np.array_equal(phgs.distances(data, weights=equal), phgs.distances(data))
    graph = phgs.Graph("abcd", [("a", "b")])
    assert phgs.Network.fit(data, graph, weights=equal).to_bif() == phgs.Network.fit(data, graph).to_bif()


@pytest.mark.parametrize("method", ["auto", "pc", "tabu", "ges"])
def test_equal_weights_are_no_weights_in_gaussian_data(method):
    rng = np.random.default_rng(5)
    x = rng.normal(size=200)
    data = {"x": x, "y": x + rng.normal(size=200), "z": rng.normal(size=200)}
    found = learned(data, method, data_type="gaussian", weights=np.full(200, 2.5))
    assert facts(found) == facts(learned(data, method, data_type="gaussian"))


# Levels


def test_tests_keep_their_level_whatever_the_weights():
    """1,000 rows, 3 × 3 states, lognormal weights of σ = 1: near 10 of 1,000 at the level .01, where the number of rows
    itself would give near 290."""
    rng = np.random.default_rng(11)
    rejected = 0
    for _ in range(1000):
        data = {"x": rng.integers(0, 3, 1000), "y": rng.integers(0, 3, 1000)}
        rejected += phgs.independence_test(data, "x", "y", weights=rng.lognormal(0, 1, 1000)).p_value < 0.01
    # Binomial (1000, .01) has a standard deviation of 3.1.
    assert 2 <= rejected <= 19


# Learning


@pytest.mark.parametrize("method", phgs.METHODS)
def test_every_method_learns_the_chain_from_any_threads(method):
    data, weights = small(n=1500)
    one = learned(data, method, weights=weights, threads=1)
    assert facts(one)["cpdag"] == facts(learned(data, method, weights=weights, threads=2))["cpdag"]
    assert {frozenset(edge[:2]) for edge in one.cpdag.edges} == {frozenset("ab"), frozenset("bc")}


def test_only_ratios_of_weights_matter():
    data, weights = small()
    one = learned(data, "ges", weights=weights)
    assert one.score.value == pytest.approx(learned(data, "ges", weights=weights * 1e6).score.value, rel=1e-9)


def test_rows_of_weight_0_are_left_out():
    data, weights = small()
    weights[:100] = 0
    dropped = {name: column[100:] for name, column in data.items()}
    data["a"][0] = "nowhere else"
    assert as_table(data, weights=weights).levels == as_table(dropped).levels
    assert facts(learned(data, "auto", weights=weights)) == facts(learned(dropped, "auto", weights=weights[100:]))


def test_incomplete_rows_take_their_weights_with_them():
    data, weights = small()
    data["a"][7] = data["b"][9] = None
    kept = np.delete(np.arange(400), [7, 9])
    dropped = {name: [column[i] for i in kept] for name, column in data.items()}
    found, expected = as_table(data, missing="drop", weights=weights), as_table(dropped, weights=weights[kept])
    assert np.array_equal(found.weights, expected.weights)
    assert found.effective_rows == pytest.approx(kish(weights[kept]))
    assert as_table(data, missing="level", weights=weights).n_rows == 400
    numbers = {"x": np.random.default_rng(1).normal(size=50), "y": np.random.default_rng(2).normal(size=50)}
    numbers["x"][3] = np.nan
    table = as_gaussian(numbers, missing="drop", weights=weights[:50])
    assert np.array_equal(table.weights, np.delete(weights[:50], 3))
    with pytest.raises(ParameterError, match="missing: 'testwise' does not go with weights; use missing='auto'"):
        as_table(data, missing="testwise", weights=weights)


def test_bootstrap_draws_rows_with_their_weights():
    data, weights = small()
    found = phgs.bootstrap(phgs.PC(weights="w"), {**data, "w": weights}, n=4, seed=2)
    rows = np.random.default_rng([2, 0]).integers(0, 400, 400)
    drawn = {name: [column[i] for i in rows] for name, column in data.items()}
    counts = {tuple(sorted(edge[:2])) for edge in learned(drawn, "pc", weights=weights[rows]).cpdag.edges}
    again = phgs.bootstrap(phgs.PC(weights="w"), {**data, "w": weights}, n=1, seed=2)
    assert {tuple(sorted((row.x, row.y))) for row in again.pairs} == counts
    assert found.parameters["weights"] == "w"
    parallel = phgs.bootstrap(phgs.PC(weights=weights, threads=1), data, n=4, seed=2, workers=2)
    assert parallel.counts == found.counts


def test_tables_take_weights_later_and_keep_them():
    data, weights = small()
    table = as_table(data, weights=weights)
    expected = phgs.learn(data, weights=weights, data_type="discrete", progress=False)
    for other in (phgs.learn(as_table(data), weights=weights, progress=False), phgs.learn(table, progress=False)):
        assert facts(other) == facts(expected)
        assert other.weights.effective_rows == table.effective_rows
    assert table.select(["a", "b"]).effective_rows == table.effective_rows
    assert phgs.discretize({"x": [0.1, 0.2, 0.7, 0.9]}, bins=2, weights=[1, 1, 1, 3]).weights.tolist() == [1, 1, 1, 3]
    assert phgs.markov_blanket(data, "b", weights=weights).names == ("a", "c")


def test_results_say_how_rows_were_weighed(tmp_path):
    data, weights = small()
    result = learned({**data, "w": weights}, "pc", weights="w")
    n = f"{kish(weights):,.0f}"
    assert (result.weights.column, result.parameters["weights"]) == ("w", "w")
    assert f"weights              column 'w', effective rows {n} of 400" in str(result)
    assert f"Kish's effective number of rows, {kish(weights):,.1f}" in methods_paragraph(result)
    result.save(tmp_path / "result.json")
    document = json.loads((tmp_path / "result.json").read_text())
    assert document["weights"] == {"column": "w", "effective_rows": result.weights.effective_rows}
    loaded = phgs.Result.load(tmp_path / "result.json")
    assert loaded.weights == result.weights
    assert loaded.explain("a", "c", {**data, "w": weights}) == result.explain("a", "c")
    assert learned(data, "pc").weights is None
    assert f"effective rows {n} of 400" in learned(data, "pc", weights=weights).report().html


# Numbers beside categories


def mixed(n=600, seed=3):
    """A category, a number that depends on it, one that depends on that, and a category cut from it; and weights."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    x = 0.8 * group + rng.normal(size=n)
    y = 0.7 * x + rng.normal(size=n)
    answer = (y + rng.normal(size=n) > 0.5).astype(int)
    frame = {"a": np.array(["p", "q", "r"])[group], "b": x, "c": y, "d": np.array(["no", "yes"])[answer]}
    return frame, np.exp(rng.normal(size=n))


def log_determinants(columns, weights):
    """Of the weighted correlation matrix of columns with the ridge of one effective row: ln|R| by sets of columns."""
    effective = kish(weights)
    centred = np.column_stack(columns) - np.average(np.column_stack(columns), axis=0, weights=weights)
    covariance = (centred * weights[:, None]).T @ centred
    spread = np.sqrt(np.diag(covariance))
    matrix = (covariance / np.outer(spread, spread) + np.eye(len(spread)) / effective) / (1 + 1 / effective)
    return effective, lambda chosen: np.linalg.slogdet(matrix[np.ix_(chosen, chosen)])[1]


def normal_scores(values, weights):
    """The normal quantile of the middle of each value's weight among all, as a share of all and one more."""
    effective = kish(weights)
    own = scaled(weights)
    ranks = np.array([own[values < v].sum() + 0.5 * (own[values == v].sum() + 1) for v in values])
    return norm.ppf(ranks / (effective + 1))


def test_mixed_scores_and_tests_are_those_of_the_weighted_embedding():
    frame, weights = mixed(300)
    table = as_data(frame, "mixed", warn=False)
    table = weighted(table, weights)
    z, v = normal_scores(frame["b"], weights), normal_scores(frame["c"], weights)
    is_a, is_b = (frame["a"] == "p").astype(float), (frame["a"] == "q").astype(float)
    n, log_of = log_determinants([z, z * z, v, v * v, is_a, is_b], weights)
    assert table.effective_rows == pytest.approx(n)
    x, y, group = [0, 1], [2, 3], [4, 5]
    right = -0.5 * n * (log_of(x + y) - log_of(x)) - 0.5 * np.log(n) * 4
    scored = phgs.score(table, [("b", "c")], "mixed-bic")
    assert scored.local["c"] == pytest.approx(right, rel=1e-7)
    found = phgs.independence_test(table, "a", "c", ["b"])
    factor = n - 2 - 1 - 0.5 * (2 + 2 + 1)
    statistic = factor * (log_of(group + x) + log_of(x + y) - log_of(group + x + y) - log_of(x))
    assert (found.statistic, found.degrees_of_freedom) == (pytest.approx(statistic, rel=1e-6), 4)


@pytest.mark.parametrize("method", phgs.METHODS)
def test_equal_weights_are_no_weights_in_mixed_data(method):
    frame, _ = mixed()
    plain, equal = learned(frame, method), learned(frame, method, weights=[0.3] * 600)
    assert equal.cpdag == plain.cpdag
    if plain.score is not None:
        assert equal.score.value == pytest.approx(plain.score.value, rel=1e-9)


def test_conditional_gaussian_scores_weigh_rows():
    # Twice the weight is two rows, and all of them are worth what Kish's number is of their number.
    frame, _ = mixed(200)
    weights = np.array([1.0, 2.0] * 100)
    doubled = {name: np.repeat(column, weights.astype(int)) for name, column in frame.items()}
    arcs, kinds = [("a", "b"), ("b", "c"), ("c", "d")], {"numbers": "values"}
    table = replace(as_data(frame, "mixed", warn=False), **kinds)
    table = weighted(table, weights)
    many = replace(as_data(doubled, "mixed", warn=False), **kinds)
    light = phgs.score(table, arcs, "cg", penalty=0, gamma=0)
    heavy = phgs.score(many, arcs, "cg", penalty=0, gamma=0)
    share = table.effective_rows / 300
    # The ridge of one row in n differs by a little.
    assert light.value == pytest.approx(share * heavy.value, rel=2e-3)


def test_mixed_graphs_weigh_rows_in_learning_fitting_and_replicates():
    frame, weights = mixed(2000)
    result = learned(frame, "auto", weights=weights)
    names = "abcd"
    assert {frozenset(pair) for pair in result.cpdag.skeleton().undirected} == set(map(frozenset, pairwise(names)))
    assert result.weights.effective_rows == pytest.approx(kish(weights))
    assert "effective" in str(result)
    shares = phgs.bootstrap("ges", weighted(as_data(frame, warn=False), weights), 4, progress=False)
    assert shares.pair("b", "c").frequency == 1
    table = weighted(as_data(frame, warn=False), weights)
    network = phgs.MixedNetwork.fit(table, [("a", "b"), ("b", "c"), ("c", "d")])
    x, y = frame["b"], frame["c"]
    assert network.family("c").coefficients == pytest.approx(np.polyfit(x, y, 1, w=np.sqrt(weights))[::-1], rel=1e-6)
    means = [np.average(x[frame["a"] == g], weights=weights[frame["a"] == g]) for g in network.states["a"]]
    assert network.family("b").coefficients.ravel() == pytest.approx(means)
    shares_of = [weights[frame["a"] == g].sum() / weights.sum() for g in network.states["a"]]
    assert network.family("a").probabilities == pytest.approx(shares_of)
    # At the maximum the weighted shares of states are those that the regression predicts.
    family = network.family("d")
    predicted = np.exp(family.log_densities(np.zeros(2000, int), {"c": y}))
    first = frame["d"] == network.states["d"][0]
    assert np.average(predicted, weights=weights) == pytest.approx(np.average(first, weights=weights), rel=1e-4)


# Missing values


def gapped(kind, n=600, seed=3):
    """Return a frame of which a tenth is missing; the first column is complete."""
    rng = np.random.default_rng(seed)
    g = rng.integers(0, 3, n)
    x = g + rng.normal(size=n)
    y = 0.8 * x + rng.normal(size=n)
    c = (y + rng.normal(size=n) > 1).astype(int) + (y > 2)
    columns = {
        "discrete": {"g": g.astype(str), "h": (g + (rng.random(n) < 0.2)).astype(int).astype(str), "c": c.astype(str)},
        "gaussian": {"w": g + rng.normal(size=n), "x": x, "y": y},
        "mixed": {"g": g.astype(str), "x": x, "y": y, "c": c.astype(str)},
    }[kind]
    frame = pd.DataFrame(columns)
    for name in frame.columns[1:]:
        frame.loc[rng.random(n) < 0.1, name] = None
    return frame, rng.integers(1, 4, n)


def incomplete(frame, kind):
    return as_data(frame, kind, missing="auto", warn=False)


KINDS = ("discrete", "gaussian", "mixed")


@pytest.mark.parametrize("kind", KINDS)
def test_equal_weights_are_none_where_values_are_missing(kind):
    frame, _ = gapped(kind)
    plain, same = incomplete(frame, kind), incomplete(frame, kind)
    same = weighted(same, [0.3] * len(frame))
    arcs = [(0, 1), (1, 2)]
    filled = [table.fill(table.start(), arcs, sweeps=3, seed=1) for table in (plain, same)]
    for one, other in zip(*(list(table.arrays()) for table in filled), strict=False):
        assert np.array_equal(one, other)
    assert filled[1].weights is not None
    assert np.array_equal(phgs.distances(plain), phgs.distances(same)) or kind == "discrete"
    # Sums of weights are whole numbers of tiny units: the last bits differ.
    assert phgs.distances(same) == pytest.approx(phgs.distances(plain), abs=1e-9)
    found = [phgs.learn(table, threads=1, progress=False) for table in (plain, same)]
    assert found[0].cpdag == found[1].cpdag
    assert found[0].score.value == pytest.approx(found[1].score.value, rel=1e-9)
    assert found[0].missing == found[1].missing
    assert found[1].weights.effective_rows == len(frame)


@pytest.mark.parametrize("kind", KINDS)
def test_whole_weights_are_repeated_rows_where_values_are_missing(kind):
    frame, times = gapped(kind)
    repeated = frame.loc[frame.index.repeat(times)].reset_index(drop=True)
    light = weighted(incomplete(frame, kind), times)
    heavy = incomplete(repeated, kind)
    if kind == "mixed":
        # Ranks are among as many rows as the weights are worth, of which there are fewer; and so is the ridge.
        light, heavy = replace(light, numbers="values"), replace(heavy, numbers="values")
    tolerance = 5e-3 if kind == "mixed" else 1e-9
    assert phgs.distances(light) == pytest.approx(phgs.distances(heavy), abs=tolerance)
    assert light.effective_rows == pytest.approx(kish(times.astype(float)))
    shares = {}
    for name, table in (("light", light), ("heavy", heavy)):
        filled = table.start()
        for seed in range(4):
            filled = table.fill(filled, [(0, 1), (1, 2)], sweeps=6, seed=seed)
        weights = np.ones(len(repeated)) if filled.weights is None else filled.weights
        columns = [np.asarray(column, float) for column in list(filled.arrays())[:3]]
        shares[name] = [np.average(column, weights=weights) for column in columns]
    # The draws of 60 values in 600 rows: means differ by about 0.01.
    assert shares["light"] == pytest.approx(shares["heavy"], abs=0.05)
    if kind == "discrete":
        arcs = [("g", "h"), ("h", "c")]
        one, other = phgs.Network.fit(light, arcs), phgs.Network.fit(heavy, arcs)
        for name in "ghc":
            assert one.table(name) == pytest.approx(other.table(name), abs=1e-5)


def test_missing_values_are_drawn_from_weighted_rows():
    # In light rows y is x, in heavy ones −x: what is missing follows the heavy ones.
    rng = np.random.default_rng(8)
    x = rng.normal(size=2000)
    heavy = np.arange(2000) % 2 == 0
    y = np.where(heavy, -x, x) + 0.1 * rng.normal(size=2000)
    y[::10] = np.nan
    weights = np.where(heavy, 1000.0, 1.0)
    group = np.where(rng.random(2000) < 0.5, "a", "b")
    for kind, frame in (("gaussian", {"x": x, "y": y}), ("mixed", {"x": x, "y": y, "g": group})):
        table = weighted(incomplete(pd.DataFrame(frame), kind), weights)
        filled = table.fill(table.start(), [(0, 1)], sweeps=8, seed=2)
        drawn = list(filled.arrays())[1][::10]
        assert np.corrcoef(drawn, x[::10])[0, 1] < -0.95, kind
    codes = pd.DataFrame({"x": x > 0, "y": np.where(np.isnan(y), None, y > 0)}).astype("string")
    table = weighted(incomplete(codes, "discrete"), weights)
    filled = table.fill(table.start(), [(0, 1)], sweeps=8, seed=2)
    agree = np.asarray(codes["x"])[::10] == np.array([filled.levels[1][code] for code in filled.codes[1]])[::10]
    assert agree.mean() < 0.15


def test_distances_of_a_pair_are_those_of_its_complete_rows():
    frame, weights = gapped("mixed")
    for given in (None, weights):
        found = phgs.distances(frame, weights=given)
        pairs = [(a, b) for i, a in enumerate(frame.columns) for b in frame.columns[i + 1 :]]
        assert len(found) == len(pairs)
        for (a, b), distance in zip(pairs, found, strict=True):
            pair = frame[[a, b]].dropna()
            of_pair = None if given is None else given[pair.index]
            kinds = {name: "number" if name in "xy" else "category" for name in (a, b)}
            table = weighted(as_data(pair, "mixed", kinds=kinds, warn=False), of_pair)
            assert distance == pytest.approx(phgs.distances(table)[0], abs=1e-9)
    frame.loc[2:, "x"] = None
    assert phgs.distances(frame, kinds={"x": "number", "y": "number"})[0] == 1.0


# Errors


def test_bad_weights_are_refused_by_name():
    data = {"a": ["x", "y", "z"], "b": [0, 1, 1]}

    def refused(weights, match):
        with pytest.raises(DataError, match=match):
            as_table({**data, "w": weights}, weights="w", warn=False)
        with pytest.raises(DataError, match=match):
            phgs.learn(data, weights=weights, progress=False)
        with pytest.raises(DataError, match=match):
            phgs.learn(as_table(data, warn=False), weights=weights, progress=False)

    refused([1, -2, 3], r"weights.* has negative weights \(rows from 0: 1\)")
    refused([1, 2, float("inf")], r"weights.* has infinite weights \(rows from 0: 2\)")
    refused([1, None, 3], r"weights.* has missing weights \(rows from 0: 1\)")
    refused(["1", "2", "3"], "weights.* holds values that are not numbers")
    refused([0, 0, 0], "weights.* has no weight above 0")
    refused([1, 2], r"has 2 (values|rows)|has 3 rows")
    table = as_table(data, warn=False)
    with pytest.raises(ParameterError, match="weights: unknown column 'm'"):
        as_table(data, weights="m")
    with pytest.raises(ParameterError, match=r"weights: <phgs\.Table: .*> has no column of weights"):
        phgs.learn(table, weights="w", progress=False)
    with pytest.raises(ParameterError, match=r"weights: the rows of <phgs\.Table: .*> have weights already"):
        phgs.learn(as_table(data, weights=[1, 2, 3], warn=False), weights=[1, 2, 3], progress=False)
    with pytest.raises(ParameterError, match="weights: rows have counts already; give weights or counts, not both"):
        as_table(data, weights=[1, 2, 3], counts=[1, 2, 3])
    with pytest.raises(ParameterError, match="knowledge: 'w' holds the weights and is no variable"):
        phgs.learn({**data, "w": [1, 2, 3]}, weights="w", knowledge={"tiers": [["w"]]}, progress=False)
    gapped = as_table({"a": ["x", "y", None], "b": [0, 1, 1]}, missing="testwise", warn=False)
    with pytest.raises(ParameterError, match="missing: 'testwise' does not go with weights"):
        phgs.learn(gapped, "pc", weights=[1, 2, 3], progress=False)
    with pytest.raises(ParameterError, match=r"weights: .* takes none"):
        phgs.learn(phgs.gaussian_from_correlation(np.eye(2), 50), weights=[1] * 50, progress=False)
    for score in ("bdeu", "k2"):
        with pytest.raises(ParameterError, match=f"score: '{score}' is a probability of whole counts"):
            learned(data, "hc", score=score, weights=[1, 2, 3])


def test_the_command_line_weighs(tmp_path, capsys):
    data, weights = small()
    path, out = tmp_path / "weighted.csv", tmp_path / "result.json"
    pd.DataFrame({**data, "w": weights}).to_csv(path, index=False)
    assert main(["learn", str(path), "--method", "pc", "--weights", "w", "--json", str(out)]) == 0
    assert "effective rows" in capsys.readouterr().out
    assert json.loads(out.read_text())["weights"]["effective_rows"] == pytest.approx(kish(weights))
    assert main(["bootstrap", str(path), "-n", "2", "--method", "pc", "--weights", "w", "--quiet"]) == 0
    assert main(["learn", str(path), "--weights", "m"]) == 2
    assert "weights: unknown column 'm'" in capsys.readouterr().err
