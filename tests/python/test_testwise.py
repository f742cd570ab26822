"""Missing values left out test by test, against pandas' dropna for each test."""

import itertools

import hypothesis
import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import phgs

BY_TESTS = ["mmpc", "hpc", "fast-iamb", "si-hiton-pc", "hiton-pc", "getpc", "gs", "iamb", "inter-iamb", "iamb-fdr"]


@pytest.fixture(scope="module")
def frame():
    return with_gaps(make_frame(800))


def make_frame(n, seed=3):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, n)
    b = np.where(rng.random(n) < 0.8, a, rng.integers(0, 3, n))
    c = np.where(rng.random(n) < 0.8, b, rng.integers(0, 3, n))
    d = rng.integers(0, 2, n)
    e = np.where(rng.random(n) < 0.9, (c > 0) & (d > 0), rng.integers(0, 2, n))
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e})


def with_gaps(frame, share=0.15, seed=4):
    return frame.astype("Int64").mask(np.random.default_rng(seed).random(frame.shape) < share)


@pytest.mark.filterwarnings("ignore:only .* rows are in strata:phgs.PhgsWarning")
@pytest.mark.parametrize("test", ["g2", "x2"])
@pytest.mark.parametrize("rule", ["classical", "adjusted"])
def test_each_test_is_that_of_dropna(frame, test, rule):
    options = {"test": test, "degrees_of_freedom": rule}
    table = phgs.as_table(frame, missing="testwise")
    for x, y in itertools.combinations("abcde", 2):
        rest = [name for name in "abcde" if name not in (x, y)]
        for size in (0, 1, 3):
            for given in itertools.combinations(rest, size):
                kept = frame[[x, y, *given]].dropna()
                expected = phgs.independence_test(kept, x, y, given, **options)
                found = phgs.independence_test(table, x, y, given, **options)
                assert found.n_rows == len(kept)
                assert found.n_rows_read == 800
                assert found.degrees_of_freedom == expected.degrees_of_freedom
                assert found.statistic == pytest.approx(expected.statistic, rel=1e-10, abs=1e-10)
                assert found.log_p_value == pytest.approx(expected.log_p_value, rel=1e-9, abs=1e-12)
                assert found.informative_rows == expected.informative_rows


@pytest.mark.filterwarnings("ignore:only .* rows are in strata:phgs.PhgsWarning")
def test_the_skeleton_is_that_of_pc_by_hand(frame):
    """PC-stable in a few lines, each test on what dropna leaves of its own columns."""
    result = phgs.PC(alpha=0.01, path_length=1, missing="testwise", progress=False).learn(frame)
    expected = {frozenset(pair) for pair in itertools.combinations("abcde", 2)}
    for size in range(4):
        around = {x: {y for y in "abcde" if {x, y} in expected} for x in "abcde"}
        for x, y in itertools.permutations("abcde", 2):
            for given in itertools.combinations(sorted(around[x] - {y}), size):
                if {x, y} in expected:
                    kept = frame[[x, y, *given]].dropna()
                    if phgs.independence_test(kept, x, y, given).p_value > 0.01:
                        expected.discard(frozenset((x, y)))
    assert {frozenset(edge) for edge in result.cpdag.skeleton().undirected} == expected
    assert expected == {frozenset("ab"), frozenset("bc"), frozenset("ce"), frozenset("de")}
    assert (result.n_rows, result.score, result.dag) == (800, None, None)
    assert "each test uses those complete in its columns" in str(result)
    assert result.calls["total"] == result.calls["within"]
    shown = result.explain("a", "c")
    rows = len(frame[["a", "b", "c"]].dropna())
    assert f"{rows:,} rows" in shown


@pytest.mark.parametrize("method", [*BY_TESTS, "pc", "ppc"])
def test_methods_that_learn_by_tests(frame, method):
    options = {"path_length": 1} if method in ("pc", "ppc") else {}
    result = phgs.learn(frame, method, missing="testwise", progress=False, **options)
    assert ("a", "b") in result.cpdag
    assert ("a", "c") not in result.cpdag
    again = phgs.learn(frame, method, missing="testwise", threads=1, progress=False, **options)
    assert again.cpdag == result.cpdag
    assert again.edges["log_p_value"] == result.edges["log_p_value"]


@pytest.mark.parametrize("method", [*BY_TESTS, "pc", "ppc"])
def test_on_complete_data_it_changes_nothing(alarm, method):
    options = {"path_length": 1} if method in ("pc", "ppc") else {}
    table = alarm.table
    data = {name: codes[:1000] for name, codes in zip(table.names, table.codes, strict=True)}
    # One more column that is never there makes the table an incomplete one; it is independent of everything.
    gone = {**data, "gone": [None] * 1000}
    complete = phgs.learn(data, method, progress=False, **options)
    with pytest.warns(phgs.DegenerateColumnWarning, match="'gone'"):
        found = phgs.learn(gone, method, missing="testwise", progress=False, **options)
    # False discoveries are controlled among all columns, of which the one that is never there is one.
    if method != "iamb-fdr":
        assert set(found.cpdag.directed) == set(complete.cpdag.directed)
        assert set(found.cpdag.undirected) == set(complete.cpdag.undirected)
    same = phgs.learn(data, method, missing="testwise", progress=False, **options)
    assert same.cpdag == complete.cpdag


def test_what_scores_refuses_it_with_advice(frame):
    by_tests = set(BY_TESTS)
    for method in phgs.METHODS:
        if method not in by_tests | {"gsc"}:
            for data in (frame, phgs.as_table(frame, missing="testwise")):
                with pytest.raises(phgs.ParameterError, match=r"missing: .* needs one set of rows; use missing='drop'"):
                    phgs.learn(data, method, missing="testwise", progress=False)
    with pytest.raises(phgs.ParameterError, match="PATH compares"):
        phgs.PC(missing="testwise").fit(frame)
    with pytest.raises(phgs.DataError, match="needs complete rows"):
        phgs.score(frame, [("a", "b")], missing="testwise")
    with pytest.raises(phgs.ParameterError, match="Gaussian"):
        phgs.PC(missing="testwise", data_type="gaussian").fit(frame)
    composed = phgs.Hybrid(restrict=phgs.HPC(), init="oriented", maximize=None, missing="testwise", progress=False)
    assert composed.fit(frame).cpdag_.n_variables == 5


def test_states_and_rows_are_those_that_a_test_uses():
    x = ["a", "b", "c", "a", "b", "a", "b", "a"]
    y = [0, 1, None, 0, 1, 1, 0, 0]
    for rule in ("classical", "adjusted"):
        found = phgs.independence_test({"x": x, "y": y}, "x", "y", missing="testwise", degrees_of_freedom=rule)
        assert (found.n_rows, found.degrees_of_freedom) == (7, 1)
        known = phgs.independence_test({"x": x, "y": y}, "x", "y", missing="drop", degrees_of_freedom=rule)
        assert (found.statistic, found.log_p_value) == pytest.approx((known.statistic, known.log_p_value), rel=1e-12)


def test_a_column_without_any_value_leaves_no_row():
    data = {"x": [0, 1] * 20, "y": [0, 1] * 20, "z": [None] * 40}
    given = phgs.independence_test(data, "x", "y", "z", missing="testwise")
    assert (given.n_rows, given.degrees_of_freedom, given.p_value) == (0, 0, 1.0)
    assert given.no_information
    assert "no row says anything" in str(given)
    assert phgs.independence_test(data, "x", "y", missing="testwise").n_rows == 40
    assert phgs.independence_test(data, "x", "z", missing="testwise").no_information


@pytest.mark.filterwarnings("ignore::phgs.PhgsWarning")
@hypothesis.given(st.integers(0, 2**32 - 1))
def test_any_test_is_that_of_the_rows_that_are_complete_in_its_columns(seed):
    """Also where rows that are left out hold the only ones of a state, or all of them are left out."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    frame = pd.DataFrame({name: rng.integers(0, rng.integers(1, 6), n) for name in "xyz"}).astype("Int64")
    frame = frame.mask(rng.random(frame.shape) < rng.choice([0.1, 0.5, 1.0], 3))
    for names in ("xy", "xyz"):
        kept = frame[list(names)].dropna()
        for rule in ("classical", "adjusted"):
            options = {"degrees_of_freedom": rule, "missing": "testwise"}
            found = phgs.independence_test(frame, "x", "y", names[2:] or (), **options)
            assert found.n_rows == len(kept)
            if len(kept) > 1:
                expected = phgs.independence_test(kept, "x", "y", names[2:] or (), degrees_of_freedom=rule)
                assert found.degrees_of_freedom == expected.degrees_of_freedom
                assert found.statistic == pytest.approx(expected.statistic, rel=1e-10, abs=1e-10)
            else:
                assert found.no_information


def test_distances_and_clusters_take_it(frame):
    found = phgs.distances(frame, missing="testwise")
    pairs = list(itertools.combinations("abcde", 2))
    expected = [phgs.distances(frame[list(pair)].dropna())[0] for pair in pairs]
    assert found == pytest.approx(expected, abs=1e-12)
    assert set(phgs.cluster_variables(frame, missing="testwise")) == set("abcde")


def test_table_of_gaps(frame):
    import pickle

    table = phgs.as_table(frame, missing="testwise")
    assert isinstance(table, phgs.IncompleteTable)
    assert table.n_missing == tuple(frame.isna().sum())
    assert "values missing" in repr(table)
    table.core  # noqa: B018 - made when first asked for
    copy = pickle.loads(pickle.dumps(table))
    assert (
        phgs.PC(path_length=1, missing="testwise", progress=False).fit(copy).cpdag_
        == phgs.PC(path_length=1, missing="testwise", progress=False).fit(frame).cpdag_
    )
