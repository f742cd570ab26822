"""Quotient NML against its definition, written out anew with numpy, and what follows from its form."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phgs
from phgs.cli.main import main

KINDS = ("qnml", "sqnml")


def log_regrets(n, most):
    """ln C(n, r) for r = 0 … most: C(n, 2) summed by its definition, then the recurrence; whole numbers and floats."""
    two = math.fsum(math.comb(n, k) * k**k * (n - k) ** (n - k) / n**n for k in range(n + 1))
    found = [0.0, 1.0, two]
    for r in range(1, most - 1):
        found.append(found[r + 1] + n / r * found[r])
    return [0.0, *np.log(found[1 : most + 1])]


def set_function(matrix, arities, kind):
    """Return G of a set of columns."""
    n = len(matrix)
    regrets = log_regrets(n, max(math.prod(arities), n, 2))

    def value(columns):
        columns = sorted(columns)
        cells = math.prod(arities[c] for c in columns)
        counts = np.unique(matrix[:, columns], axis=0, return_counts=True)[1] if columns else np.array([n])
        fitted = float(np.sum(counts * np.log(counts)))
        if kind == "qnml":
            return fitted - regrets[cells]
        return fitted - regrets[len(counts)] - math.log(math.comb(cells, len(counts)))

    return value


def as_data(matrix):
    return {f"v{c}": matrix[:, c] for c in range(matrix.shape[1])}


@st.composite
def tables(draw):
    n, p = draw(st.integers(2, 120)), draw(st.integers(2, 4))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    arities = [draw(st.integers(2, 4)) for _ in range(p)]
    matrix = np.empty((n, p), dtype=np.int64)
    for c, arity in enumerate(arities):
        before = matrix[:, :c].sum(axis=1) if c else generator.integers(arity, size=n)
        matrix[:, c] = np.where(generator.random(n) < 0.3, generator.integers(arity, size=n), before % arity)
    # States that do not occur are no states of a table that is read.
    ranks = [np.unique(matrix[:, c], return_inverse=True)[1] for c in range(p)]
    return np.column_stack(ranks), [int(rank.max()) + 1 for rank in ranks], generator


@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from(KINDS), st.floats(0, 2))
def test_scores_are_their_definition(drawn, kind, gamma):
    matrix, arities, generator = drawn
    p = len(arities)
    value = set_function(matrix, arities, kind)
    order = generator.permutation(p)
    arcs = [(int(order[i]), int(order[j])) for i, j in combinations(range(p), 2) if generator.random() < 0.6]
    found = phgs.score(as_data(matrix), [(f"v{x}", f"v{y}") for x, y in arcs], kind, gamma=gamma)
    assert found.name == kind
    for c in range(p):
        parents = {x for x, y in arcs if y == c}
        expected = value(parents | {c}) - value(parents) - gamma * math.log(p) * len(parents)
        assert found.local[f"v{c}"] == pytest.approx(expected, abs=1e-9)
    assert found.value == pytest.approx(sum(found.local.values()), rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(tables(), st.sampled_from(KINDS))
def test_members_of_a_class_and_relabelled_tables_score_the_same(drawn, kind):
    matrix, arities, generator = drawn
    p = len(arities)
    chain = [(f"v{c}", f"v{c + 1}") for c in range(p - 1)]
    first = phgs.score(as_data(matrix), chain, kind).value
    for root in range(p):
        member = [(x, y) if c >= root else (y, x) for c, (x, y) in enumerate(chain)]
        assert phgs.score(as_data(matrix), member, kind).value == first
    other = matrix[generator.permutation(len(matrix))]
    other = np.column_stack([generator.permutation(100)[other[:, c]] for c in range(p)])
    assert phgs.score(as_data(other), chain, kind).value == first


def test_a_copy_gains_nothing_and_a_support_is_charged_once():
    x = np.arange(600) % 5
    y = np.where(np.arange(600) % 7 == 0, (x + 1) % 5, x)
    data = {"x": x, "copy": x, "y": y}
    for kind in KINDS:
        one = phgs.score(data, [("x", "y")], kind, gamma=0).local["y"]
        both = phgs.score(data, [("x", "y"), ("copy", "y")], kind, gamma=0).local["y"]
        assert both <= one
    # All cells of x and y occur in this one: the two kinds are the same.
    full = {"x": np.arange(600) % 4, "y": np.arange(600) // 4 % 3}
    values = [phgs.score(full, [("x", "y")], kind).value for kind in KINDS]
    assert values[0] == values[1]


@pytest.mark.parametrize("kind", KINDS)
def test_every_method_that_scores_takes_it(alarm, kind):
    table = phgs.as_table({n: c[:1000] for n, c in zip(alarm.table.names, alarm.table.codes, strict=True)}, warn=False)
    for method in ("hc", "tabu", "ges", "arges", "boss", "ppc", "phgs", "mmhc", "h2pc", "pef", "auto"):
        result = phgs.learn(table, method, score=kind, progress=False)
        if result.score is not None:
            assert result.score.name == kind, method
            assert result.score.value == pytest.approx(phgs.score(table, result, kind).value, rel=1e-12), method


def test_gamma_has_a_default_for_each_score():
    data = {"x": [0, 0, 1, 1, 1], "y": [0, 0, 1, 1, 0], "z": [0, 1, 0, 1, 1]}
    arcs = [("x", "y"), ("z", "y")]
    for kind, usual in (("ebic", 0.5), ("qnml", 1), ("sqnml", 1)):
        assert phgs.score(data, arcs, kind).value == phgs.score(data, arcs, kind, gamma=usual).value
        free = phgs.score(data, arcs, kind, gamma=0).value
        assert phgs.score(data, arcs, kind).value == pytest.approx(free - 2 * usual * math.log(3), rel=1e-12)
        with pytest.raises(phgs.ParameterError, match="gamma: -1 must not be negative"):
            phgs.score(data, arcs, kind, gamma=-1)


def test_columns_of_many_states_stay_finite():
    generator = np.random.default_rng(5)
    data = {f"v{c}": generator.permutation(3000) for c in range(40)} | {"y": generator.integers(2, size=3000)}
    arcs = [(f"v{c}", "y") for c in range(40)]
    table = phgs.as_table(data, warn=False)
    for kind in KINDS:
        assert math.isfinite(phgs.score(table, arcs, kind).value)
    # Where parents tell all rows apart, what a child of two states costs is at least N log 2: binomial(2 s, N) is at
    # least 2^N binomial(s, N) then. So such parents gain no more than the child's own table is charged.
    alone = phgs.score(table, [], "sqnml", gamma=0).local["y"]
    for k in (1, 2, 3, 40):
        local = phgs.score(table, arcs[:k], "sqnml", gamma=0).local["y"]
        assert local <= -3000 * math.log(2) + 1e-9
        assert local - alone <= log_regrets(3000, 3)[2]


def test_the_command_line_takes_it(tmp_path, capsys):
    path = tmp_path / "table.csv"
    path.write_text("x,y\n" + "0,0\n1,1\n" * 40 + "0,1\n", encoding="utf-8")
    assert main(["learn", str(path), "--method", "hc", "--score", "sqnml", "--gamma", "0.5"]) == 0
    shown = capsys.readouterr().out
    assert "sqnml" in shown
