"""Scores that are Python functions, in every learner that scores."""

import itertools
import math
import pickle
import signal
import sys
import time

import numpy as np
import pytest

import phgs

NAMES = ("a", "b", "c", "d", "e")
TRUE_PARENTS = {"a": set(), "b": {"a"}, "c": {"a"}, "d": {"b", "c"}, "e": {"d"}}
SCORING = ["phgs", "auto", "ppc", "pc", "hc", "tabu", "mmhc", "h2pc", "mmhc-hgi", "pef", "ges", "arges", "boss"]


def bic_of(table, asked=None):
    """The package's BIC as a function of one's own."""
    arities = dict(zip(table.names, table.arities, strict=True))
    codes = dict(zip(table.names, table.codes, strict=True))

    def bic(variable, parents):
        if asked is not None:
            asked.append((variable, parents))
        cell = np.zeros(table.n_rows, dtype=np.int64)
        for name in parents:
            cell = cell * arities[name] + codes[name]
        joint = np.bincount(cell * arities[variable] + codes[variable])
        margin = np.bincount(cell)
        loglik = sum(n * math.log(n) for n in joint if n) - sum(n * math.log(n) for n in margin if n)
        n_parameters = (arities[variable] - 1) * math.prod(arities[name] for name in parents)
        return loglik - 0.5 * math.log(table.n_rows) * n_parameters

    return bic


def distance(variable, parents):
    """Best, and 0, only for the true parents."""
    return -float(len(TRUE_PARENTS[variable] ^ set(parents)))


@pytest.fixture(scope="module")
def table(alarm):
    columns = dict(zip(alarm.table.names[:9], alarm.table.codes, strict=False))
    return phgs.as_table({name: codes[:1000] for name, codes in columns.items()}, warn=False)


@pytest.mark.parametrize("method", SCORING)
def test_bic_of_ones_own_finds_what_bic_finds(table, method):
    asked = []
    options = {"score": "bic", "progress": False}
    theirs = phgs.learn(table, method, **options)
    own = phgs.learn(table, method, **(options | {"score": bic_of(table, asked)}))
    assert own.cpdag == theirs.cpdag
    if theirs.score is not None:
        assert own.score.name == "bic"
        assert own.score.value == pytest.approx(theirs.score.value, rel=1e-12)
        assert own.score.value == pytest.approx(phgs.score(table, own.dag, bic_of(table)).value, rel=1e-14)
    assert (own.parameters["score"], own.parameters["threads"]) == ("bic", 1)
    assert len(asked) == len(set(asked)), "a local score is asked for once"
    position = {name: i for i, name in enumerate(table.names)}
    assert all(list(parents) == sorted(parents, key=position.get) for _, parents in asked)
    assert all(variable not in parents for variable, parents in asked)


@pytest.mark.parametrize("method", ["hc", "tabu"])
def test_names_do_where_nothing_is_tested(method):
    result = phgs.learn(list(NAMES), method, score=distance, progress=False)
    assert {name: set(result.dag.parents(name)) for name in NAMES} == TRUE_PARENTS
    assert result.score == ("distance", 0.0)
    assert result.n_rows == 0


def test_tests_and_scores_of_ones_own_together():
    truth = phgs.Graph(NAMES, directed=[(p, x) for x, parents in TRUE_PARENTS.items() for p in parents])

    def separated(x, y, given):
        return 0.0, 1.0, float(phgs.d_separated(truth, x, y, given))

    result = phgs.PHGS(test=separated, score=distance, progress=False).learn(list(NAMES))
    assert set(result.dag.directed) == set(truth.directed)
    with pytest.raises(phgs.ParameterError, match="phgs tests pairs, which needs data"):
        phgs.PHGS(score=distance, progress=False).learn(list(NAMES))


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, None, "1", (1.0,)])
def test_what_is_no_finite_number_is_refused(wrong):
    for make in (phgs.HillClimbing, phgs.Tabu, phgs.GES, phgs.BOSS):
        with pytest.raises(phgs.ParameterError, match=r"score: <lambda> returned .* with the parents \["):
            make(score=lambda variable, parents: wrong, progress=False).learn(list(NAMES))
    with pytest.raises(phgs.ParameterError, match="score: <lambda> returned"):
        phgs.score(list(NAMES), [("a", "b")], lambda variable, parents: wrong)


@pytest.mark.parametrize("make", [phgs.HillClimbing, phgs.Tabu, phgs.GES, phgs.BOSS])
def test_what_a_score_raises_is_passed_on_at_once(make):
    count = itertools.count()

    def failing(variable, parents):
        if next(count) == 7:
            raise KeyError("my own fault")
        return distance(variable, parents)

    with pytest.raises(KeyError, match="my own fault"):
        make(score=failing, progress=False).learn(list(NAMES))
    assert next(count) == 8, "nothing is scored after a score that failed"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("make", [phgs.HillClimbing, phgs.GES, phgs.BOSS])
def test_ctrl_c_stops_own_scores(make):
    def slow(variable, parents):
        time.sleep(0.01)
        return -float(len(parents))

    def stop(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            make(score=slow, progress=False).learn(list(range(100)))
        assert time.monotonic() - start < 3.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_single_graphs_and_results(table, tmp_path):
    graph = [("a", "b"), ("c", "b")]
    scored = phgs.score(list(NAMES), graph, distance)
    assert scored.name == "distance"
    assert scored.local == {"a": 0.0, "b": -1.0, "c": -1.0, "d": -2.0, "e": -1.0}
    assert scored.value == -5.0
    assert scored.n_parameters is None
    result = phgs.learn(table, "hc", score=bic_of(table), progress=False)
    theirs = phgs.learn(table, "hc", progress=False)
    gains = {(row.source, row.target): row.score_gain for row in theirs.edges}
    for row in result.edges:
        assert row.score_gain == pytest.approx(gains[row.source, row.target], rel=1e-9)
    assert pickle.loads(pickle.dumps(result)).edges == result.edges
    result.save(tmp_path / "r.json")
    assert phgs.Result.load(tmp_path / "r.json").score == result.score


def test_gaussian_and_incomplete_data_take_them_too():
    gaussian = phgs.sample_gaussian([("a", "b"), ("b", "c")], 500, seed=1)

    def own(variable, parents):
        chosen = gaussian.correlation[np.ix_(*[[gaussian.index(name) for name in (*parents, variable)]] * 2)]
        left = np.linalg.det(chosen) / np.linalg.det(chosen[:-1, :-1])
        return -250.0 * math.log(left) - 0.5 * math.log(500) * len(parents)

    assert (
        phgs.learn(gaussian, "ges", score=own, progress=False).cpdag
        == phgs.learn(gaussian, "ges", progress=False).cpdag
    )
    holes = {"a": [0, 1, None, 1], "b": [0, 1, 1, None], "c": [0, 0, 1, 1], "d": [0, 1, 1, 0], "e": [1, 1, 0, 0]}
    result = phgs.learn(holes, "hc", score=distance, missing="testwise", progress=False)
    assert {name: set(result.dag.parents(name)) for name in NAMES} == TRUE_PARENTS


class OfRows:
    """A score that can be given other rows."""

    def __init__(self, table):
        self.function = bic_of(table)

    def on(self, table):
        return OfRows(table)

    def __call__(self, variable, parents):
        return self.function(variable, parents)


def test_bootstrap_gives_functions_the_rows_drawn(table):
    own = phgs.bootstrap(phgs.HillClimbing(score=OfRows(table)), table, n=3, seed=1, progress=False)
    assert own.counts == phgs.bootstrap("hc", table, n=3, seed=1, progress=False).counts
    with pytest.raises(phgs.ParameterError, match=r"score: distance has data of its own.*method on\(table\)"):
        phgs.bootstrap(phgs.HillClimbing(score=distance), table)
