"""Numbers cut into groups by what these tell of other columns."""

import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln, logsumexp, xlogy

import phgs
from phgs.data import IncompleteMixedTable, MixedTable, as_data
from phgs.result.methods import methods_paragraph

sys.path.insert(0, str(Path(__file__).parents[2] / "benches"))


def steps(n=1500, seed=1, weights=None):
    """A number that acts by steps on two categories, one that follows, and one that is nothing to the others."""
    rng = np.random.default_rng(seed)
    dose = rng.gamma(4, 2, n)
    level = np.digitize(dose, [5.0, 7.0, 12.0])
    answer = np.where(rng.random(n) < 0.9, np.array([2, 0, 3, 1])[level], rng.integers(0, 4, n))
    relapse = np.where(rng.random(n) < 0.8, answer > 1, rng.random(n) < 0.5)
    late = np.where(relapse, rng.choice([-1.0, 1.0], n) * (2 + rng.random(n)), rng.normal(0, 0.5, n))
    frame = {"dose": dose, "answer": answer, "relapse": relapse, "late": late, "noise": rng.normal(size=n)}
    return as_data(frame, "mixed", kinds={"answer": "category"}, warn=False)


# An independent implementation, by numpy.


def regret(n, k):
    """ln of the regret of n draws from k states, by the sum that defines it and the recurrence over states."""
    if k <= 1:
        return 0.0
    h = np.arange(n + 1)
    two = logsumexp(gammaln(n + 1) - gammaln(h + 1) - gammaln(n - h + 1) + xlogy(h, h / n) + xlogy(n - h, (n - h) / n))
    before, last = 0.0, float(two)
    for states in range(3, k + 1):
        before, last = last, float(np.logaddexp(last, np.log(n / (states - 2)) + before))
    return last


def ln_binomial(n, k):
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def code_length_gain(table):
    n = int(table.sum())

    def score(cells):
        occupied = int((cells > 0).sum())
        return xlogy(cells, cells).sum() - regret(n, occupied) - ln_binomial(cells.size, occupied)

    return score(table.ravel()) - score(table.sum(1)) - score(table.sum(0)) + xlogy(n, n)


def counted(a, b):
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1)
    return table


def of_ranks(values, most):
    """Groups of equally many rows of different values."""
    rank = np.argsort(np.argsort(values))
    middle = (rank + 0.5) / len(values)
    group = np.where(2 * rank + 1 <= len(values), middle * most, 0).astype(int)
    upper = 2 * rank + 1 > len(values)
    group[upper] = most - 1 - ((1 - middle[upper]) * most).astype(int)
    return np.unique(group, return_inverse=True)[1]


def embedded_gain(table, i, j):
    widths = table.embedded.widths
    ends = np.cumsum([0, *widths])
    matrix = np.eye(ends[-1])
    upper = np.triu_indices(ends[-1], 1)
    matrix[upper] = table.embedded.correlations()
    matrix.T[upper] = matrix[upper]

    def log(*blocks):
        at = np.concatenate([np.arange(ends[b], ends[b + 1]) for b in blocks])
        return np.linalg.slogdet(matrix[np.ix_(at, at)])[1]

    n = table.n_rows
    return -n / 2 * (log(i, j) - log(i) - log(j)) - 0.5 * np.log(n) * widths[i] * widths[j]


def reference(table):
    """The groups of each number, and what they are worth."""
    columns = range(table.n_variables)
    numbers = [i for i in columns if table.is_number(i)]
    coarse = [of_ranks(c, 5) if i in numbers else c.astype(int) for i, c in enumerate(table.columns)]
    gains = {(i, j): embedded_gain(table, i, j) for i in numbers for j in columns if i != j}
    partners = {i: [j for j in columns if i != j and gains[i, j] > 0] for i in numbers}
    cut, charges = {}, dict.fromkeys(columns, 0.0)
    for i in numbers:
        if not partners[i]:
            cut[i] = of_ranks(table.columns[i], 3)
            continue
        groups = of_ranks(table.columns[i], int(np.clip(table.n_rows / 10, 99, 999)) | 1)
        n_fine = groups.max() + 1
        best = (-np.inf, None)
        there = [counted(groups, coarse[j]) for j in partners[i]]
        mirrored = [t[::-1].ravel().tolist() for t in there] < [t.ravel().tolist() for t in there]
        while True:
            tables = [counted(groups, coarse[j]) for j in partners[i]]
            size = groups.max() + 1
            worth = sum(max(0.0, code_length_gain(t)) for t in tables)
            if size <= 20 and worth >= best[0]:
                best = (worth, groups)
            if size == 2:
                break

            def information(t):
                return xlogy(t, t).sum() - xlogy(t.sum(1), t.sum(1)).sum()

            losses = [
                sum(
                    information(t) - information(np.add.reduceat(t, np.delete(np.arange(size), at + 1))) for t in tables
                )
                for at in range(size - 1)
            ]
            # Of equal losses the pair of fewest rows, and then the first.
            rows = np.bincount(groups)
            order = [
                (round(loss, 9), rows[at] + rows[at + 1], -at if mirrored else at) for at, loss in enumerate(losses)
            ]
            groups = np.where(groups > abs(min(order)[2]), groups - 1, groups)
        cut[i] = best[1]
        charges[i] = ln_binomial(n_fine - 1, cut[i].max())
    codes = [cut.get(i, coarse[i]) for i in columns]
    pairs = {tuple(sorted((i, j))) for i in numbers for j in partners[i]}
    in_groups = sum(
        np.sqrt(max(0.0, code_length_gain(counted(codes[i], codes[j])) - 0.5 * (charges[i] + charges[j])))
        for i, j in pairs
    )
    embedded = sum(np.sqrt(gains[p] if p in gains else gains[p[::-1]]) for p in pairs)
    return cut, in_groups / embedded


@pytest.mark.parametrize("seed", [1, 2])
def test_groups_are_those_of_an_independent_implementation(seed):
    table = steps(400, seed)
    expected, advantage = reference(table)
    found = table.groups
    assert set(found.codes) == set(expected) == {0, 3, 4}
    for i, codes in expected.items():
        assert found.codes[i].tolist() == codes.tolist()
    assert found.advantage == pytest.approx(advantage, rel=1e-9)


def test_cuts_are_where_other_columns_change():
    table = steps(5000)
    bounds = table.groups.bounds[0]
    assert len(bounds) == 4
    for border, (below, above) in zip((5.0, 7.0, 12.0), ((a[1], b[0]) for a, b in pairwise(bounds)), strict=True):
        # Within a hundredth of the rows.
        dose = table.columns[0]
        assert abs((dose < border).mean() - (dose <= below).mean()) < 0.0101
        assert below < above
    labels = table.grouped.levels[0]
    assert len(labels) == 4
    assert all(label.startswith("[") for label in labels)
    # The second follows |relapse| at both ends; nothing depends on the last, which is cut into three.
    assert len(table.grouped.levels[3]) >= 3
    assert np.ptp(np.bincount(table.grouped.codes[4])) <= 1


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), map_=st.sampled_from(["exp", "cube", "negative"]))
def test_only_the_order_of_numbers_matters(seed, map_):
    table = steps(300, seed)
    change = {"exp": np.exp, "cube": lambda x: x**3 - 5, "negative": np.negative}[map_]
    changed = replace(table, columns=tuple(change(c) if c.dtype.kind == "f" else c for c in table.columns))
    found, other = table.groups, changed.groups
    assert other.advantage == pytest.approx(found.advantage, rel=1e-9)
    for i, codes in found.codes.items():
        turned = codes.max() - other.codes[i] if map_ == "negative" else other.codes[i]
        assert codes.tolist() == turned.tolist()


def test_order_of_rows_and_threads_change_nothing():
    table = steps(600)
    rows = np.random.default_rng(0).permutation(600)
    found, other = table.groups, replace(table, columns=tuple(c[rows] for c in table.columns)).groups
    assert other.advantage == pytest.approx(found.advantage, rel=1e-9)
    for i, codes in found.codes.items():
        assert codes[rows].tolist() == other.codes[i].tolist()
    numbers = [0, 3, 4]
    for threads in (1, 3):
        codes, bounds, advantage = table.embedded.groups(list(table.columns), list(table.arities), numbers, (), threads)
        assert [c.tolist() for c in codes] == [found.codes[i].tolist() for i in numbers]
        assert bounds == list(found.bounds.values())
        assert advantage == found.advantage


def test_weights_of_one_change_nothing_and_others_count_rows():
    table = steps(500)
    assert replace(table, weights=np.ones(500)).groups.advantage == pytest.approx(table.groups.advantage)
    rng = np.random.default_rng(3)
    weighted = replace(table, weights=rng.uniform(0.5, 3, 500))
    result = phgs.learn(weighted, numbers="groups", progress=False)
    assert result.score.name == "sqnml"
    assert result.score.value == phgs.score(weighted, result.dag, "sqnml", numbers="groups").value


def test_degenerate_numbers():
    n = 60
    frame = {
        "constant": np.full(n, 2.5),
        "two": np.tile([0.5, 7.25], n // 2),
        "spike": np.where(np.arange(n) % 3 == 0, np.linspace(1, 2, n), 0.0),
        "kind": np.tile(["a", "b"], n // 2),
    }
    kinds = {"constant": "number", "two": "number", "spike": "number"}
    table = as_data(frame, "mixed", kinds=kinds, warn=False)
    grouped = table.grouped
    assert [len(levels) for levels in grouped.levels][:2] == [1, 2]
    assert grouped.codes[1].tolist() == [0, 1] * (n // 2)
    assert 2 <= len(grouped.levels[2]) <= 20
    result = phgs.learn(table, numbers="groups", progress=False)
    assert "kind" in result.cpdag.adjacent("two")


def test_the_default_method_finds_out_how_numbers_act():
    from mixed_generators import linear, network

    for drawn, entering in (
        (network("alarm", 2000, 20, numbers=0.3), "groups"),
        (network("child", 2000, 20, numbers=0.1), "groups"),
        (linear(40, 2000, 20, categories=0.8), "ranks"),
        (linear(40, 2000, 20, curve="curved"), "ranks"),
    ):
        result = phgs.learn(drawn.table, progress=False)
        assert result.parameters["numbers"] == entering
        assert result.parameters["score"] == ("sqnml" if entering == "groups" else "mixed-ebic")
        assert phgs.compare(drawn.arcs, result).jaccard >= 0.75
        assert bool(result.groups) == (entering == "groups")


def test_a_tenth_of_numbers_among_categories():
    from mixed_generators import NETWORKS, network

    found = []
    for name in NETWORKS:
        for seed in (20, 21, 22):
            drawn = network(name, 2000, seed, numbers=0.1)
            found.append(phgs.compare(drawn.arcs, phgs.learn(drawn.table, progress=False)).jaccard)
    assert np.mean(found) >= 0.6


@pytest.mark.parametrize("method", ["pc", "phgs", "tabu", "ges", "mmhc", "boss"])
def test_every_method_learns_from_groups_as_from_categories(method):
    table = steps()
    result = phgs.learn(table, method, numbers="groups", progress=False)
    same = phgs.learn(table.grouped, method, progress=False)
    assert result.cpdag == same.cpdag
    assert result.test == same.test
    assert result.parameters["data_type"] == "mixed"
    assert result.parameters["numbers"] == "groups"
    if result.score is not None:
        assert result.score == same.score
        kind = result.score.name
        again = phgs.score(table, result.dag, kind, numbers="groups")
        assert (again.name, again.value) == (kind, result.score.value)
    assert set(result.groups) == {"dose", "late", "noise"}


def test_results_say_how_numbers_were_cut(tmp_path):
    table = steps()
    result = phgs.learn(table, numbers="groups", progress=False)
    assert f"cut into groups (dose {len(table.grouped.levels[0])}," in str(result)
    assert "numbers='ranks' embeds them" in str(result)
    assert "The numbers were cut into groups" in methods_paragraph(result)
    assert "G² test" in methods_paragraph(result)
    result.save(tmp_path / "result.json")
    again = phgs.Result.load(tmp_path / "result.json")
    assert again.groups == {name: tuple(labels) for name, labels in result.groups.items()}
    assert "numbers" not in str(phgs.learn(table.grouped, progress=False)).lower().split()
    # Data that are given again enter as they did.
    frame = dict(zip(table.names, table.columns, strict=True))
    gains = {(edge.source, edge.target): edge.score_gain for edge in result.edges}
    assert all(gain is not None and gain > 0 for gain in gains.values())
    assert str(again.explain("dose", "answer", data=frame)) == str(result.explain("dose", "answer"))
    network = result.fit()
    assert isinstance(network, phgs.MixedNetwork)


def test_missing_values_are_filled_in_and_cut():
    table = steps(2000)
    gapped = phgs.make_missing(table, 0.1, seed=1)
    assert isinstance(gapped, IncompleteMixedTable)
    result = phgs.learn(gapped, progress=False)
    assert result.parameters["numbers"] == "groups"
    assert result.missing.method == "em"
    assert "answer" in result.cpdag.adjacent("dose")
    assert phgs.learn(gapped, progress=False, threads=1).cpdag == result.cpdag


def test_bootstrap_cuts_each_replicate_anew_and_decides_once():
    table = steps(800)
    confidence = phgs.bootstrap("auto", table, 4, seed=1, progress=False)
    assert confidence.pair("dose", "answer").frequency == 1.0
    assert isinstance(table.take(np.arange(100)), MixedTable)


def test_bad_input():
    table = steps(100)
    with pytest.raises(phgs.ParameterError, match=r"numbers: .*'groups'"):
        phgs.learn(table, numbers="bins", progress=False)
    with pytest.raises(phgs.ParameterError, match=r"numbers: .*'groups'"):
        phgs.score(table, [("dose", "answer")], "sqnml", numbers="bins")
    with pytest.raises(phgs.ParameterError, match=r"'sqnml' is for categories; .* numbers='groups'"):
        phgs.learn(table, score="sqnml", progress=False)
    with pytest.raises(phgs.ParameterError, match=r"tested by a likelihood ratio .* numbers='groups'"):
        phgs.learn(table, "pc", test="x2", progress=False)
    with pytest.raises(phgs.ParameterError, match="'mixed-ebic' is for numbers beside categories"):
        phgs.learn(table, "ges", score="mixed-ebic", numbers="groups", progress=False)
    with pytest.raises(phgs.ParameterError, match="these data hold categories alone"):
        phgs.learn(table.grouped, numbers="groups", progress=False)
