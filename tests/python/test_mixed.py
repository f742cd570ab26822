"""Numbers beside categories."""

import importlib.util
import pickle
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

import phgs
from phgs.data import MixedTable
from phgs.result.methods import methods_paragraph


def small(**changes):
    columns = (np.array([0, 1, 2, 0], np.uint8), np.array([0.5, -1.0, 3.0, 2.0]), np.array([0, 0, 0, 0], np.uint8))
    given = {"names": ("a", "b", "c"), "n_rows": 4, "n_rows_read": 5, "levels": (("x", "y", "z"), (), ("k",))}
    return MixedTable(**given | {"columns": columns} | changes)


def test_rows_and_columns_of_a_table():
    table = small()
    assert table.data_type == "mixed"
    assert table.arities == (3, 0, 1)
    assert table.degenerate == (2,)
    assert [table.is_number(i) for i in range(3)] == [False, True, False]
    drawn = table.take(np.array([2, 2, 1]))
    assert drawn.n_rows == 3
    assert drawn.levels == (("y", "z"), (), ("k",))
    assert drawn.columns[0].tolist() == [1, 1, 0]
    assert drawn.columns[1].tolist() == [3.0, 3.0, -1.0]
    assert table.take(np.array([1, 1])).degenerate == (0, 1, 2)
    chosen = table.select(["c", "b"])
    assert chosen.names == ("b", "c")
    assert chosen.levels == ((), ("k",))
    assert [array.tolist() for array in table.arrays()] == [column.tolist() for column in table.columns]
    again = pickle.loads(pickle.dumps(table))
    assert again.names == table.names
    assert again.columns[1].tolist() == table.columns[1].tolist()
    assert repr(table) == "<phgs.MixedTable: 4 rows × 3 variables (1 numbers, 2 categories)>"


def test_identifiers_are_those_of_all_rows():
    codes = np.arange(40, dtype=np.uint8)
    levels = (tuple(range(40)), ())
    table = small(names=("id", "x"), n_rows=40, levels=levels, columns=(codes, np.linspace(0, 1, 40)))
    assert table.isolated == (0,)
    assert table.take(np.zeros(40, np.intp)).isolated == (0,)
    with pytest.raises(AttributeError):
        table.names = ()


# An independent implementation: log determinants of blocks by numpy, normal scores by scipy.


def block(table, index):
    """Return the embedded columns of a variable: rare states share an indicator, a spike has one of its own."""
    column = table.columns[index]
    n = len(column)
    if not table.is_number(index):
        counts = np.bincount(column)
        others = [state for state in range(len(counts)) if state != counts.argmax() and counts[state]]
        common = [(column == state) * 1.0 for state in others if counts[state] >= max(5, 0.005 * n)]
        rare = [state for state in others if counts[state] < max(5, 0.005 * n)]
        return [*common, np.isin(column, rare) * 1.0] if rare else common
    if table.numbers == "ranks":
        z = scipy.stats.norm.ppf(scipy.stats.rankdata(column) / (n + 1))
    else:
        z = (column - column.mean()) / column.std()
    values, counts = np.unique(column, return_counts=True)
    found = [z, z**2 - 1, z**3 - 3 * z][: min(table.powers, len(values) - 1)]
    spike = (
        [(column == values[counts.argmax()]) * 1.0] if counts.max() > 0.3 * n and len(values) > 1 + len(found) else []
    )
    return [*found, *spike]


class Reference:
    def __init__(self, table):
        blocks = [block(table, i) for i in range(table.n_variables)]
        self.n = table.n_rows
        self.at = np.cumsum([0] + [len(b) for b in blocks])
        found = np.corrcoef(np.array([column for b in blocks for column in b]))
        self.matrix = (found + np.eye(len(found)) / self.n) / (1 + 1 / self.n)

    def width(self, *variables):
        return sum(int(self.at[x + 1] - self.at[x]) for x in variables)

    def log(self, variables):
        columns = [c for x in variables for c in range(self.at[x], self.at[x + 1])]
        return np.linalg.slogdet(self.matrix[np.ix_(columns, columns)])[1] if columns else 0.0

    def local(self, x, parents, per_parent):
        fit = -self.n / 2 * (self.log([*parents, x]) - self.log(parents))
        pairs = self.width(x) * self.width(*parents)
        return fit - 0.5 * np.log(self.n) * pairs - per_parent * len(parents)

    def test(self, x, y, given):
        widths = self.width(x), self.width(y)
        rows = self.n - self.width(*given) - 1 - (sum(widths) + 1) / 2
        ratio = self.log([x, *given]) + self.log([y, *given]) - self.log([x, y, *given]) - self.log(given)
        return rows * ratio, widths[0] * widths[1]


def simulated(n=600, seed=0, **options):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = np.exp(a + rng.normal(size=n))
    c = np.searchsorted([-0.5, 0.8], a + rng.normal(size=n))
    d = np.searchsorted([0.1], c - 1 + rng.normal(size=n))
    e = np.round(2 * rng.normal(size=n) + d + a**2)
    f = rng.integers(0, 4, n)
    columns = (a, b, c.astype(np.uint8), d.astype(np.uint8), e, f.astype(np.uint8))
    levels = ((), (), ("l", "m", "h"), ("no", "yes"), (), (0, 1, 2, 3))
    return MixedTable(names=tuple("abcdef"), n_rows=n, n_rows_read=n, levels=levels, columns=columns, **options)


DAG = [("a", "b"), ("a", "c"), ("c", "d"), ("d", "e"), ("a", "e"), ("e", "f")]


@pytest.mark.parametrize("options", [{}, {"powers": 3}, {"powers": 1}, {"numbers": "values"}])
def test_scores_are_log_determinants_of_blocks(options):
    table = simulated(**options)
    reference = Reference(table)
    for kind, per_parent in (("mixed-bic", 0.0), ("mixed-ebic", 0.5 * np.log(6) * (1 + 100 / table.n_rows))):
        found = phgs.score(table, DAG, kind)
        for name, value in found.local.items():
            parents = [table.index(a) for a, b in DAG if b == name]
            # d has a category as parent: the larger of the exact and the embedded gain.
            expected = reference.local(table.index(name), parents, per_parent)
            assert value == pytest.approx(expected, abs=1e-6) if name != "d" else value >= expected - 1e-6
        assert found.name == kind


@pytest.mark.parametrize("given", [[], ["a"], ["f", "a"], ["a", "d", "b"]])
@pytest.mark.parametrize("pair", [("c", "e"), ("e", "c")])
def test_the_test_is_a_likelihood_ratio_with_bartletts_factor(pair, given):
    table = simulated()
    found = phgs.independence_test(table, *pair, given)
    statistic, degrees = Reference(table).test(*map(table.index, pair), [table.index(z) for z in given])
    assert found.statistic == pytest.approx(statistic, rel=1e-7, abs=1e-7)
    assert found.degrees_of_freedom == degrees
    assert found.p_value == pytest.approx(scipy.stats.chi2.sf(statistic, degrees), rel=1e-6)
    assert found.test == "mixed-lr"


@pytest.mark.parametrize("n", [60, 500, 4000])
def test_rare_states_share_an_indicator_and_spikes_have_one(n):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    # The last four states are rare; half of the rows of a number have one value.
    common = np.searchsorted([-0.3, 0.6], x + rng.normal(size=n))
    category = np.where(rng.random(n) < 0.02, rng.integers(3, 7, n), common).astype(np.uint8)
    spiked = np.where(x + rng.normal(size=n) < 0, 0.0, np.abs(x) + 0.1)
    table = MixedTable(
        names=("x", "c", "s"),
        n_rows=n,
        n_rows_read=n,
        levels=((), tuple(range(7)), ()),
        columns=(x, category, spiked),
    )
    reference = Reference(table)
    assert table.core.widths == [reference.width(i) for i in range(3)]
    assert reference.width(2) == 3
    for child, parents in ((0, []), (1, [0]), (2, [0, 1]), (0, [1, 2])):
        arcs = phgs.as_graph([(table.names[a], table.names[child]) for a in parents], table.names)
        found = phgs.score(table, arcs, "mixed-bic").local[table.names[child]]
        assert found == pytest.approx(reference.local(child, parents, 0.0), abs=1e-6)
    statistic, _ = reference.test(1, 2, [0])
    assert phgs.independence_test(table, "c", "s", "x").statistic == pytest.approx(statistic, rel=1e-7)


class Conditional:
    """The conditional Gaussian score by numpy."""

    def __init__(self, table):
        z = [scipy.stats.norm.ppf(scipy.stats.rankdata(c) / (len(c) + 1)) for c in table.columns]
        self.z = [(v - v.mean()) / v.std() if v.std() > 0 else None for v in z]
        self.table = table

    def of_set(self, variables):
        table, n = self.table, self.table.n_rows
        categories = [x for x in variables if not table.is_number(x)]
        numbers = np.array([self.z[x] for x in variables if table.is_number(x)]).reshape(-1, n)
        k = len(numbers)
        f = np.prod([table.arities[x] for x in categories])
        cells = [np.flatnonzero(c) for c in self.cells(categories)]
        covariances = [np.cov(numbers[:, rows], bias=True).reshape(k, k) for rows in cells]
        pooled = sum(len(rows) / n * found for rows, found in zip(cells, covariances, strict=True))
        total = -0.5 * np.log(n) * (f * k * (k + 3) / 2 + f - 1)
        for rows, own in zip(cells, covariances, strict=True):
            total += len(rows) * np.log(len(rows) / n)
            used = pooled if len(rows) < k + 4 else own
            log = np.linalg.slogdet(used + np.eye(k) / n)[1] if k else 0.0
            total -= len(rows) / 2 * (log + k * (1 + np.log(2 * np.pi)))
        return total

    def cells(self, categories):
        rows = np.zeros((self.table.n_rows, 1), int)
        if categories:
            rows = np.array([self.table.columns[x] for x in categories]).T
        _, number = np.unique(rows, axis=0, return_inverse=True)
        return [number.ravel() == cell for cell in range(number.max() + 1)]


@pytest.mark.parametrize("n", [40, 600])
def test_the_conditional_score_is_that_of_groups_of_rows(n):
    table = simulated(n)
    reference = Conditional(table)
    found = phgs.score(table, DAG, "cg")
    for name, value in found.local.items():
        parents = [table.index(a) for a, b in DAG if b == name]
        family = [*parents, table.index(name)]
        expected = reference.of_set(family) - reference.of_set(parents) - 0.5 * np.log(6) * len(parents)
        assert value == pytest.approx(expected, abs=1e-6)
    # By name the parents of each: the parameters are those of the family less those of the parents.
    families = [("a", []), ("b", ["a"]), ("c", ["a"]), ("d", ["c"]), ("e", ["a", "d"]), ("f", ["e"])]
    states = {"c": 3, "d": 2, "f": 4}

    def parameters(names):
        k = sum(name not in states for name in names)
        f = np.prod([states.get(name, 1) for name in names])
        return f * (k * (k + 3) / 2 + 1) - 1

    assert found.n_parameters == sum(parameters([x, *p]) - parameters(p) for x, p in families)


def test_categories_alone_have_the_larger_of_the_gains():
    n = 2000
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 2, (2, n))
    z = np.where(rng.random(n) < 0.05, rng.integers(0, 2, n), x ^ y)
    columns = tuple(v.astype(np.uint8) for v in (x, y, z))
    table = MixedTable(names=("x", "y", "z"), n_rows=n, n_rows_read=n, levels=((0, 1),) * 3, columns=columns)
    plain = phgs.Table(names=table.names, levels=table.levels, codes=columns, n_rows=n, n_rows_read=n)
    arcs = [("x", "z"), ("y", "z")]

    exact = sum(
        phgs.score(plain, arcs, "bic").local[v] - phgs.score(plain, phgs.as_graph([], table.names), "bic").local[v]
        for v in "xyz"
    )
    mixed = (
        phgs.score(table, arcs, "mixed-bic").value
        - phgs.score(table, phgs.as_graph([], table.names), "mixed-bic").value
    )
    # Nothing linear sees an exclusive or; the pair of parents has no gain, so the family has that of its table.
    assert mixed == pytest.approx(exact, rel=0.02)
    assert mixed > 500


def test_numbers_alone_by_their_values_have_the_gaussian_score():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(3, 400))
    values[2] += values[0] - 0.5 * values[1]
    names = ("x", "y", "z")
    mixed = MixedTable(
        names=names, n_rows=400, n_rows_read=400, levels=((),) * 3, columns=tuple(values), numbers="values", powers=1
    )
    gaussian = phgs.as_gaussian(dict(zip(names, values, strict=True)))
    arcs = [("x", "z"), ("y", "z")]
    found = []
    for table, kind in ((mixed, "mixed-ebic"), (gaussian, "gaussian-ebic")):
        empty = phgs.as_graph([], names)
        found.append(phgs.score(table, arcs, kind).value - phgs.score(table, empty, kind).value)
    # Up to the ridge of 1/n.
    assert found[0] == pytest.approx(found[1], rel=0.01)


@pytest.mark.parametrize("kind", ["mixed-bic", "mixed-ebic", "cg"])
def test_equivalent_dags_have_equal_scores(kind):
    table = simulated()
    rng = np.random.default_rng(3)
    for _ in range(20):
        order = rng.permutation(6)
        arcs = [(table.names[order[i]], table.names[order[j]]) for i in range(6) for j in range(i + 1, 6)]
        arcs = [arc for arc in arcs if rng.random() < 0.6]
        # Reverse a covered edge, where there is one.
        for a, b in arcs:
            if {x for x, y in arcs if y == b} - {a} == {x for x, y in arcs if y == a}:
                turned = [arc for arc in arcs if arc != (a, b)] + [(b, a)]
                first, second = (phgs.score(table, phgs.as_graph(g, table.names), kind).value for g in (arcs, turned))
                assert first == pytest.approx(second, abs=1e-7)
                break


def changed(table, how):
    if how == "monotone":
        columns = tuple(np.exp(c / 5) if table.is_number(i) else c for i, c in enumerate(table.columns))
        return replace(table, columns=columns)
    if how == "decreasing":
        return replace(table, columns=tuple(-c if table.is_number(i) else c for i, c in enumerate(table.columns)))
    if how == "labels":
        columns = list(table.columns)
        columns[2] = (2 - columns[2]).astype(np.uint8)
        return replace(table, columns=tuple(columns))
    if how == "rows":
        return table.take(np.random.default_rng(0).permutation(table.n_rows))
    return replace(table, names=table.names[::-1], levels=table.levels[::-1], columns=table.columns[::-1])


@pytest.mark.parametrize("how", ["monotone", "decreasing", "labels", "rows", "columns"])
def test_what_changes_nothing(how):
    table = simulated()
    other = changed(table, how)
    assert phgs.score(other, DAG, "ebic").value == pytest.approx(phgs.score(table, DAG, "ebic").value, abs=1e-6)
    assert phgs.compare(phgs.learn(table, progress=False), phgs.learn(other, progress=False)).shd == 0


def test_independent_columns_are_rejected_as_often_as_the_level_says():
    rng = np.random.default_rng(5)
    rejected = {"numbers": 0, "mixed": 0, "categories": 0}
    rounds = 400
    for _ in range(rounds):
        n = 300
        z = rng.normal(size=n)
        u = rng.integers(0, 3, n).astype(np.uint8)
        columns = (z + rng.normal(size=n), z + rng.normal(size=n), z, u, rng.integers(0, 4, n).astype(np.uint8))
        levels = ((), (), (), (0, 1, 2), (0, 1, 2, 3))
        table = MixedTable(names=tuple("xyzuv"), n_rows=n, n_rows_read=n, levels=levels, columns=columns)
        rejected["numbers"] += phgs.independence_test(table, "x", "y", "z").p_value < 0.05
        rejected["mixed"] += phgs.independence_test(table, "x", "u", "z").p_value < 0.05
        rejected["categories"] += phgs.independence_test(table, "u", "v").p_value < 0.05
    # Three standard errors of 400 rounds are .033. Squares of numbers with a common cause reject a little more.
    assert abs(rejected["mixed"] / rounds - 0.05) < 0.033
    assert abs(rejected["categories"] / rounds - 0.05) < 0.033
    assert rejected["numbers"] / rounds < 0.12


def test_singular_columns_never_give_nan():
    n = 200
    rng = np.random.default_rng(6)
    x = rng.normal(size=n)
    g = rng.integers(0, 3, n)
    spike = np.where(rng.random(n) < 0.5, 0.0, x)
    columns = (x, -np.exp(x), g.astype(np.uint8), g * 2.5, spike, np.full(n, 3.0), np.zeros(n, np.uint8), x + g)
    levels = ((), (), ("a", "b", "c"), (), (), (), ("k",), ())
    table = MixedTable(names=tuple("abcdefgh"), n_rows=n, n_rows_read=n, levels=levels, columns=columns)
    assert table.core.widths == [2, 2, 2, 2, 3, 0, 0, 2]
    assert table.copies == {1: 0}
    assert table.isolated == (1,)
    assert table.degenerate == (5, 6)
    result = phgs.learn(table, progress=False)
    assert np.isfinite(result.score.value)
    for name in "bfg":
        assert not any(name in edge[:2] for edge in result.cpdag.edges)
    for x, y in (("a", "b"), ("c", "d"), ("a", "f"), ("g", "h")):
        assert np.isfinite(phgs.independence_test(table, x, y, "e").p_value)
    for method in ("ppc", "mmhc", "phgs"):
        phgs.learn(table, method, progress=False)


@pytest.mark.parametrize("method", [name for name in phgs.METHODS if name not in ("pef",)])
def test_every_method_learns(method):
    table = simulated(2000)
    skeleton = {"skeleton": DAG} if method == "gsc" else {}
    result = phgs.learn(table, method, progress=False, **skeleton)
    assert result.test == "mixed-lr"
    assert result.parameters["data_type"] == "mixed"
    assert result.parameters["test"] == "mixed-lr"
    assert phgs.compare(DAG[:5], result).skeleton_recall >= 0.6
    if result.score is not None:
        assert result.score.name in ("mixed-bic", "mixed-ebic")
        kind = result.score.name
        assert result.score.value == pytest.approx(phgs.score(table, result.dag, kind).value, rel=1e-9)


def test_other_data_are_refused_by_name():
    table = simulated(100)
    with pytest.raises(phgs.ParameterError, match="'sqnml' is for categories; mixed data have 'bic', 'ebic' and 'cg'"):
        phgs.learn(table, score="sqnml", progress=False)
    with pytest.raises(phgs.ParameterError, match="mixed data are tested by a likelihood ratio"):
        phgs.learn(table, "ppc", test="x2", progress=False)
    with pytest.raises(phgs.ParameterError, match="'mixed-ebic' is for numbers beside categories"):
        phgs.learn({"x": [0, 1] * 9, "y": [0, 1, 1] * 6}, score="mixed-ebic", progress=False)


def test_how_numbers_enter_is_a_parameter():
    table = simulated(400)
    result = phgs.learn(table, progress=False)
    assert (result.parameters["numbers"], result.parameters["powers"]) == ("ranks", 2)
    changed_ = phgs.learn(table, numbers="values", powers=1, progress=False)
    assert (changed_.parameters["numbers"], changed_.parameters["powers"]) == ("values", 1)
    again = phgs.learn(replace(table, numbers="values", powers=1), progress=False)
    assert changed_.score.value == again.score.value
    assert changed_.score.value != result.score.value
    with pytest.raises(phgs.ParameterError, match="powers: 4"):
        phgs.learn(table, powers=4, progress=False)
    with pytest.raises(phgs.ParameterError, match="numbers"):
        phgs.learn(table, numbers="cubes", progress=False)
    with pytest.raises(phgs.ParameterError, match=r"numbers: it says how .* these data hold categories alone"):
        phgs.learn({"x": [0, 1] * 9, "y": [0, 1, 1] * 6}, numbers="ranks", progress=False)


def test_the_conditional_score_by_name():
    for name, test in (("g2", "discrete"), ("cg", "mixed")):
        assert phgs.choices.data_type_of(name) == (None if test == "discrete" else test)
    result = phgs.learn(simulated(2000), score="cg", progress=False)
    assert result.score.name == result.parameters["score"] == "cg"
    assert np.isfinite([edge.score_gain for edge in result.edges if edge.score_gain is not None]).all()
    with pytest.raises(phgs.ParameterError, match="'cg' is for numbers beside categories; categories have 'bic'"):
        phgs.learn({"x": [0, 1] * 9, "y": [0, 1, 1] * 6}, score="cg", progress=False)
    with pytest.raises(phgs.ParameterError, match="score"):
        phgs.learn({"x": [0.5, 1.5] * 9, "y": [0, 1, 1] * 6}, score="cg", data_type="gaussian", progress=False)


def test_bootstrap_knowledge_and_clusters():
    table = simulated(800)
    confidence = phgs.bootstrap("auto", table, 4, seed=1, progress=False)
    assert confidence.pair("c", "d").frequency == 1.0
    result = phgs.learn(table, knowledge={"forbidden": [("a", "b"), ("b", "a")]}, progress=False)
    assert not {("a", "b"), ("b", "a")} & {tuple(edge[:2]) for edge in result.cpdag.edges}
    assert set(phgs.cluster_variables(table)) == set(table.names)
    distances = phgs.distances(table)
    assert len(distances) == 15
    assert ((distances >= 0) & (distances <= 1)).all()


@cache
def generators():
    path = Path(__file__).parents[2] / "benches" / "mixed_generators.py"
    spec = importlib.util.spec_from_file_location("mixed_generators", path)
    made = importlib.util.module_from_spec(spec)
    sys.modules["mixed_generators"] = made
    spec.loader.exec_module(made)
    return made


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("kind", "at_least", "options"),
    [
        ("linear", 0.97, {}),
        ("monotone", 0.97, {}),
        ("unordered", 0.97, {}),
        ("curved", 0.92, {}),
        ("numbers", 0.94, {}),
        ("conditional", 0.7, {}),
        ("conditional", 0.8, {"score": "cg"}),
    ],
)
def test_what_was_simulated_is_found(kind, at_least, options):
    found = []
    # Conditional models differ much from one to the next.
    for seed in range(6 if options else 3):
        simulated = generators().KINDS[kind](50, 2000, seed)
        found.append(phgs.compare(simulated.arcs, phgs.learn(simulated.table, progress=False, **options)).jaccard)
    assert np.mean(found) >= at_least


def test_the_methods_paragraph_names_no_test_that_was_not_made():
    text = methods_paragraph(phgs.learn(simulated(), progress=False))
    assert "6 mixed variables" in text
    assert "greedy equivalence search followed by best order score search" in text
    assert "significance" not in text
