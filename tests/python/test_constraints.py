"""What is asked for is done, or it is said that it is not."""

import warnings

import numpy as np
import pytest

import phgs


@pytest.mark.parametrize(
    "learner",
    [
        phgs.Hybrid(restrict=[], init="empty"),
        phgs.Hybrid(restrict=[], maximize=phgs.Tabu(), init="empty"),
        phgs.GSC(skeleton=[]),
        phgs.ARGES(skeleton=[]),
        phgs.ARGES(cig=[]),
    ],
    ids=repr,
)
def test_nothing_to_connect_is_said(chain, learner):
    learner.progress = False
    with pytest.warns(phgs.PhgsWarning, match="joins no variables, so that nothing may be connected") as caught:
        result = learner.learn(chain)
    assert caught[0].filename == __file__
    assert result.cpdag.n_edges == 0


def test_pairs_that_knowledge_forbids_are_nothing_to_connect(chain):
    learner = phgs.GSC(skeleton=[("a", "b")], knowledge={"forbidden_edges": [("a", "b")]}, progress=False)
    with pytest.warns(phgs.PhgsWarning, match="joins only pairs that knowledge forbids"):
        learner.learn(chain)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner = phgs.GSC(skeleton=[("a", "b")], knowledge={"forbidden": [("a", "b")]}, progress=False)
        assert learner.learn(chain).cpdag.directed == (("b", "a"),)


# Own columns


OTHERS = {
    "fractional": lambda n: np.linspace(0, 1, n),
    "missing": lambda n: np.array([None, "x"] * (n // 2), dtype=object),
    "constant": lambda n: np.full(n, 7),
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("missing", ["error", "drop"])
def test_tests_and_scores_read_their_own_columns(chain, other, missing):
    data = dict(chain)
    expected = phgs.independence_test(data, "a", "c", "b")
    graph = phgs.Graph(["a", "b"], [("a", "b")])
    value = phgs.score({"a": data["a"], "b": data["b"]}, graph).value
    data["w"] = OTHERS[other](len(data["a"]))
    found = phgs.independence_test(data, "a", "c", "b", missing=missing)
    assert (found.statistic, found.n_rows, found.n_rows_read) == (expected.statistic, 2000, 2000)
    assert phgs.score(data, graph, missing=missing).value == value
    if other != "constant":
        assert phgs.score(data, [("a", "b")], missing=missing).value == value
    with pytest.raises(phgs.ParameterError, match="unknown column 'nowhere'"):
        phgs.independence_test(data, "a", "nowhere")


def test_columns_without_edges_count_where_they_can(chain):
    empty = phgs.score(chain, [])
    assert set(empty.local) == {"a", "b", "c", "d"}
    assert set(phgs.score(chain, [("a", "b")]).local) == {"a", "b", "c", "d"}
    assert set(phgs.score(chain, iter([("a", "b")])).local) == {"a", "b", "c", "d"}
    assert set(phgs.score(chain, phgs.Graph(["a", "b"], [])).local) == {"a", "b"}


def test_a_gaussian_test_does_not_mind_a_copy(chain):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 500))
    data = {"X": x, "Y": y + x, "W": 3 * x, "text": np.array(["u", "v"] * 250)}
    found = phgs.independence_test(data, "X", "Y", test="fisher-z")
    r = np.corrcoef(data["X"], data["Y"])[0, 1]
    assert found.statistic == pytest.approx(np.sqrt(497) * np.arctanh(r), rel=1e-9)
    graph = phgs.Graph(["X", "Y"], [("X", "Y")])
    both = phgs.as_gaussian({"X": data["X"], "Y": data["Y"]})
    assert phgs.score(data, graph, "gaussian-bic").value == phgs.score(both, graph).value
    with pytest.raises(phgs.DataError, match=r"'X', 'W'|'W', 'X'"):
        phgs.independence_test(data, "X", "W", test="fisher-z")


def test_columns_can_be_chosen(chain):
    table = phgs.as_table(chain, columns=["d", "a"])
    assert table.names == ("a", "d")
    assert phgs.as_table(phgs.as_table(chain), columns=["a"]).names == ("a",)
