"""Networks of numbers beside categories: estimates, densities, samples."""

import pickle

import numpy as np
import pytest
import scipy.optimize
import scipy.stats

import phgs
from phgs.data import MixedTable, as_data
from phgs.families import WEIGHT_OF_PRIOR, Lines, Logistic, Table

ARCS = [("g", "h"), ("g", "x"), ("x", "y"), ("g", "y"), ("h", "y"), ("y", "c"), ("h", "c"), ("x", "d")]
STATES = {"g": 3, "h": 2, "c": 3, "d": 2}


def drawn(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    g = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    h = (rng.random(n) < np.array([0.2, 0.5, 0.8])[g]).astype(int)
    x = np.array([-1.0, 0.0, 2.0])[g] + np.array([1.0, 0.5, 0.8])[g] * rng.normal(size=n)
    slope = np.array([[1.0, -2.0], [0.5, 0.0], [-1.0, 3.0]])
    y = 10 + slope[g, h] * x + (0.5 + h) * rng.normal(size=n)
    logits = np.stack([np.zeros(n), 0.3 * (y - 10) - h, 1 - 0.4 * (y - 10)], 1) + rng.gumbel(size=(n, 3))
    d = rng.random(n) < 1 / (1 + np.exp(-1 - 1.5 * x))
    codes = {"g": g, "h": h, "c": logits.argmax(1), "d": d}
    return table_of({"g": g, "h": h, "x": x, "y": y, **codes})


def table_of(columns):
    held = tuple(np.asarray(v, np.uint8) if k in STATES else np.asarray(v, float) for k, v in columns.items())
    levels = tuple(tuple(f"{k}{i}" for i in range(STATES[k])) if k in STATES else () for k in columns)
    n = len(held[0])
    return MixedTable(names=tuple(columns), n_rows=n, n_rows_read=n, levels=levels, columns=held)


TABLE = drawn()
COLUMNS = dict(zip(TABLE.names, TABLE.columns, strict=True))
NETWORK = phgs.MixedNetwork.fit(TABLE, ARCS)


def test_tables_are_relative_frequencies():
    family = NETWORK.family("h")
    assert isinstance(family, Table)
    for g in range(3):
        shares = np.bincount(COLUMNS["h"][COLUMNS["g"] == g], minlength=2)
        assert family.probabilities[g] == pytest.approx(shares / shares.sum())
    prior = phgs.MixedNetwork.fit(TABLE, ARCS, equivalent_sample_size=6).family("h").probabilities
    counts = np.array([[((COLUMNS["g"] == g) & (COLUMNS["h"] == h)).sum() for h in range(2)] for g in range(3)]) + 1.0
    assert prior == pytest.approx(counts / counts.sum(1, keepdims=True))


def test_numbers_have_a_line_in_each_group():
    family = NETWORK.family("y")
    assert isinstance(family, Lines)
    assert family.parents == ("g", "h", "x")
    for g in range(3):
        for h in range(2):
            rows = (COLUMNS["g"] == g) & (COLUMNS["h"] == h)
            line = scipy.stats.linregress(COLUMNS["x"][rows], COLUMNS["y"][rows])
            assert family.coefficients[g, h] == pytest.approx([line.intercept, line.slope], rel=1e-8)
            left = COLUMNS["y"][rows] - line.intercept - line.slope * COLUMNS["x"][rows]
            assert family.deviations[g, h] == pytest.approx(left.std(), rel=1e-8)
            assert family.n_rows[g, h] == rows.sum()


def test_categories_of_numbers_are_logistic():
    family = NETWORK.family("c")
    assert isinstance(family, Logistic)
    x = np.column_stack([np.ones(TABLE.n_rows), COLUMNS["y"], COLUMNS["h"]])
    centre, scale = x[:, 1:].mean(0), x[:, 1:].std(0)
    standard = np.column_stack([x[:, 0], (x[:, 1:] - centre) / scale])

    def loss(flat):
        weights = flat.reshape(2, 3)
        logits = np.column_stack([np.zeros(len(x)), standard @ weights.T])
        fit = logits[np.arange(len(x)), COLUMNS["c"]] - scipy.special.logsumexp(logits, axis=1)
        return -fit.sum() + 0.5 * WEIGHT_OF_PRIOR * (weights[:, 1:] ** 2).sum() + 0.5e-6 * (weights[:, 0] ** 2).sum()

    best = scipy.optimize.minimize(loss, np.zeros(6), tol=1e-12).x.reshape(2, 3)
    assert family.weights[:, 1:] == pytest.approx(best[:, 1:] / scale, abs=1e-4)
    # The true weights, within three standard errors.
    assert family.weights == pytest.approx(np.array([[-3.0, 0.3, -1.0], [5.0, -0.4, 0.0]]), abs=0.6)
    assert NETWORK.family("d").weights[0] == pytest.approx([1.0, 1.5], abs=0.3)


def test_the_likelihood_is_that_of_the_families():
    total = 0.0
    rows = TABLE.n_rows
    g, h, x, y = (COLUMNS[v].astype(int) if v in STATES else COLUMNS[v] for v in "ghxy")
    total += np.log(NETWORK.family("g").probabilities[g]).sum()
    total += np.log(NETWORK.family("h").probabilities[g, h]).sum()
    lines = NETWORK.family("x")
    total += scipy.stats.norm.logpdf(x, lines.coefficients[g, 0], lines.deviations[g]).sum()
    lines = NETWORK.family("y")
    means = lines.coefficients[g, h, 0] + lines.coefficients[g, h, 1] * x
    total += scipy.stats.norm.logpdf(y, means, lines.deviations[g, h]).sum()
    for name, design in (("c", [y, h]), ("d", [x])):
        logits = np.column_stack([np.ones(rows), *design]) @ NETWORK.family(name).weights.T
        logits = np.column_stack([np.zeros(rows), logits])
        total += (logits - scipy.special.logsumexp(logits, axis=1, keepdims=True))[np.arange(rows), COLUMNS[name]].sum()
    assert NETWORK.log_likelihood(TABLE) == pytest.approx(total, rel=1e-10)
    # What was fitted is more likely than what was drawn from, and than a network that lacks an arc.
    fewer = phgs.MixedNetwork.fit(TABLE, [arc for arc in ARCS if arc != ("x", "y")])
    assert fewer.log_likelihood(TABLE) < NETWORK.log_likelihood(TABLE) - 500


def test_samples_have_the_distribution_they_are_drawn_from():
    found = NETWORK.sample(40_000, seed=3)
    assert found.column_names == list("ghxycd")
    again = NETWORK.sample(40_000, seed=3)
    assert found.equals(again)
    columns = {
        name: found.column(name).combine_chunks().indices.to_numpy()
        if name in STATES
        else found.column(name).to_numpy()
        for name in found.column_names
    }
    other = phgs.MixedNetwork.fit(table_of(columns), ARCS)
    assert other.family("y").coefficients == pytest.approx(NETWORK.family("y").coefficients, abs=0.12)
    assert other.family("y").deviations == pytest.approx(NETWORK.family("y").deviations, rel=0.06)
    assert other.family("c").weights == pytest.approx(NETWORK.family("c").weights, abs=0.2)
    assert other.family("h").probabilities == pytest.approx(NETWORK.family("h").probabilities, abs=0.02)


def test_a_result_is_fitted_and_sampled():
    result = phgs.learn(TABLE, progress=False)
    network = result.fit()
    assert isinstance(network, phgs.MixedNetwork)
    assert set(network.edges) == set(result.dag.directed)
    assert network.n_parameters == sum(network.family(v).n_parameters for v in network.nodes)
    assert np.isfinite(network.log_likelihood(TABLE))
    again = pickle.loads(pickle.dumps(network))
    assert again.log_likelihood(TABLE) == network.log_likelihood(TABLE)
    assert repr(NETWORK) == "<phgs.MixedNetwork: 6 variables (2 numbers, 4 categories), 8 arcs, 37 parameters>"


@pytest.mark.parametrize("export", ["to_bif", "to_pgmpy", "to_pyagrum"])
def test_formats_of_categories_are_refused_with_a_remedy(export):
    with pytest.raises(phgs.ParameterError, match=r"categories alone, and 'x' is a number; .*phgs\.discretize"):
        getattr(NETWORK, export)()


def test_bif_files_and_exports_of_results_are_refused():
    with pytest.raises(phgs.ParameterError, match=r"BIF holds categories alone, and 'x' is a number"):
        NETWORK.save("x.bif")
    with pytest.raises(phgs.ParameterError, match="pyAgrum's network holds categories alone"):
        phgs.learn(TABLE, progress=False).to_pyagrum()


def test_few_rows_separation_and_constants():
    n = 12
    rng = np.random.default_rng(1)
    x = rng.normal(size=n)
    # d is x > 0; one group has two rows; y is a function of x; h is constant.
    columns = {"g": [0] * 6 + [1] * 4 + [2] * 2, "h": [0] * n, "x": x, "y": 2 * x + 1, "d": x > 0}
    table = table_of(columns)
    network = phgs.MixedNetwork.fit(table, [("x", "d"), ("g", "y"), ("x", "y"), ("x", "h"), ("g", "x")])
    assert np.isfinite(network.log_likelihood(table))
    lines = network.family("y")
    # Too few rows for a line of their own: that of all rows, which is exact here.
    assert lines.coefficients[2] == pytest.approx([1.0, 2.0])
    assert (lines.deviations > 0).all()
    assert network.family("h").probabilities.shape == (2,)
    # The probability is on the right side of each row.
    sign = network.family("d").weights[0, 1]
    assert 1 < sign < 1000
    assert network.sample(5).num_rows == 5


def test_strange_data_are_refused():
    with pytest.raises(phgs.ParameterError, match=r"Network\.fit takes categories"):
        phgs.MixedNetwork.fit(phgs.as_table({"x": [0, 1] * 9}), [])
    levels = dict(zip(TABLE.names, TABLE.levels, strict=True)) | {"c": ("c0", "c1", "c9")}
    strange = MixedTable(TABLE.names, TABLE.n_rows, TABLE.n_rows, tuple(levels.values()), TABLE.columns)
    with pytest.raises(phgs.ParameterError, match="'c9' is no state of 'c'"):
        NETWORK.log_likelihood(strange)
    with pytest.raises(phgs.ParameterError, match="z"):
        NETWORK.family("z")
    with pytest.raises(TypeError, match="MixedNetwork"):
        phgs.MixedNetwork()


def test_gaussian_results_are_fitted_by_lines():
    arcs = [("a", "b"), ("b", "c")]
    table = phgs.sample_gaussian(arcs, 3000, seed=2)
    known = {"required": arcs}
    result = phgs.learn(table, "ges", knowledge=known, progress=False)
    network = result.fit()
    a, b, c = table.values
    slope, intercept = np.polyfit(b, c, 1)
    assert network.family("c").coefficients == pytest.approx([intercept, slope])
    assert network.family("c").deviations == pytest.approx(np.std(c - intercept - slope * b))
    assert network.family("a").coefficients == pytest.approx([a.mean()])
    density = -0.5 * sum(np.log(2 * np.pi * network.family(x).deviations ** 2) + 1 for x in "abc") * 3000
    assert network.log_likelihood(table) == pytest.approx(float(density))
    gapped = phgs.make_missing(table, 0.1, seed=1)
    filled = phgs.learn(gapped, "ges", knowledge=known, progress=False).fit()
    assert filled.family("c").coefficients == pytest.approx([intercept, slope], abs=0.1)
    weights = np.linspace(1, 3, 3000)
    light = phgs.MixedNetwork.fit(phgs.as_gaussian(table, weights=weights), arcs)
    assert light.family("c").coefficients == pytest.approx(np.polyfit(b, c, 1, w=np.sqrt(weights))[::-1])
    with pytest.raises(phgs.ParameterError, match="a correlation matrix has no rows"):
        phgs.MixedNetwork.fit(phgs.gaussian_from_correlation(np.eye(3), 100), [(0, 1)])


def test_frames_are_fitted_and_scored_as_their_tables():
    rng = np.random.default_rng(4)
    group = rng.integers(0, 3, 300)
    frame = {"group": np.array(["u", "v", "w"])[group], "x": group + rng.normal(size=300), "n": np.arange(300) % 12}
    arcs = [("group", "x"), ("n", "x")]
    network = phgs.MixedNetwork.fit(frame, arcs)
    assert network.kinds == {"group": "category", "x": "number", "n": "number"}
    table = as_data(frame, warn=False)
    assert network.log_likelihood(frame) == phgs.MixedNetwork.fit(table, arcs).log_likelihood(table)
    # What a column is in the network it is in other rows, also in few.
    few = {name: column[:4] for name, column in frame.items()}
    whole = sum(network.log_likelihood({name: column[i : i + 4] for name, column in frame.items()}) for i in (0, 4))
    both = {name: column[:8] for name, column in frame.items()}
    assert network.log_likelihood(few) < 0
    assert network.log_likelihood(both) == pytest.approx(whole)
