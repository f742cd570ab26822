"""Options and knowledge reach every stage: one value for each way in which they were once lost."""

import itertools
import warnings

import numpy as np
import pytest

import phgs

NAMES = list("abcdef")
REFINE = ["free", "growing", "ges", "xges", "boss"]


@pytest.fixture(scope="module")
def dense():
    """Return six variables of which the last depends on all others, and most on most."""
    rng = np.random.default_rng(3)
    columns = {}
    for name in NAMES:
        total = sum(columns.values()) if columns else rng.integers(0, 2, 3000)
        columns[name] = np.where(rng.random(3000) < 0.8, total % 2 + (total > 2), rng.integers(0, 3, 3000))
    return phgs.as_table(columns, warn=False)


def most_parents(dag):
    return max((sum(b == name for _, b in dag.directed) for name in dag.variables), default=0)


@pytest.mark.parametrize("refine", REFINE)
def test_the_limit_of_the_method_holds_in_its_refinement(dense, refine):
    unlimited = phgs.ARGES(refine=refine, progress=False).learn(dense)
    assert most_parents(unlimited.dag) > 2
    for learner in (
        phgs.ARGES(max_parents=2, refine=refine),
        phgs.ARGES(max_parents=2, init="hgi", refine=refine),
        phgs.PHGS(max_parents=2, refine=phgs.BOSS()),
        phgs.Hybrid(restrict=phgs.PC(), maximize=None, max_parents=2, refine=refine),
        phgs.Hybrid(restrict=phgs.PC(), init="oriented", maximize=None, max_parents=2, refine=refine),
        phgs.Hybrid(restrict=phgs.PC(), init="oriented", maximize=phgs.Tabu(), refine=phgs.GES(max_parents=2)),
    ):
        learner.progress = False
        assert most_parents(learner.learn(dense).dag) <= 2


def test_a_search_of_its_own_limit_starts_within_it(dense):
    result = phgs.Hybrid(restrict=phgs.PC(), maximize=phgs.Tabu(max_parents=2), progress=False).learn(dense)
    assert most_parents(result.dag) <= 2


def test_an_unfinished_result_keeps_the_limit_that_was_to_come(dense):
    learner = phgs.Hybrid(
        init=[("a", "f"), ("b", "f")], refine=phgs.GES(max_parents=2), time_limit=1e-9, progress=False
    )
    result = learner.learn(dense)
    assert not result.complete
    assert most_parents(result.dag) <= 2
    oriented = phgs.Hybrid(
        restrict=phgs.PC(), init="oriented", refine=phgs.GES(max_parents=1), time_limit=1e-9, progress=False
    )
    result = oriented.learn(dense)
    assert not result.complete
    assert most_parents(result.dag if result.dag is not None else phgs.cpdag_to_dag(result.cpdag)) <= 1


def test_a_limit_that_no_stage_could_keep_is_refused(dense):
    learner = phgs.Hybrid(restrict=phgs.PC(), init="oriented", max_parents=2, progress=False)
    with pytest.raises(phgs.ParameterError, match="max_parents: an oriented skeleton keeps the edges"):
        learner.learn(dense)


@pytest.mark.parametrize(
    "learner",
    [
        phgs.HillClimbing(start=[("a", "f"), ("b", "f"), ("c", "f")], max_parents=2),
        phgs.GES(start=[("a", "f"), ("b", "f"), ("c", "f")], max_parents=2),
        phgs.BOSS(start=[("a", "f"), ("b", "f"), ("c", "f")], max_parents=2),
        phgs.Hybrid(init=[("a", "f"), ("b", "f"), ("c", "f")], maximize=phgs.Tabu(max_parents=2)),
        phgs.Hybrid(init=[("a", "f"), ("b", "f"), ("c", "f")], max_parents=2),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_a_given_start_with_more_parents_is_refused_by_name(dense, learner):
    learner.progress = False
    with pytest.raises(phgs.ParameterError, match="max_parents: 'f' has 3 parents in the start graph, more than 2"):
        learner.learn(dense)


def test_required_arcs_are_there_when_nothing_is_searched(dense):
    known = {"required": [("a", "b")], "required_edges": [("c", "d")]}
    result = phgs.Hybrid(init="empty", knowledge=known, progress=False).learn(dense)
    assert result.dag.directed == (("a", "b"), ("c", "d"))
    assert result.cpdag.directed == (("a", "b"),)
    for refine in REFINE:
        learner = phgs.Hybrid(init="empty", refine=refine, knowledge=known, time_limit=1e-9, progress=False)
        result = learner.learn(dense)
        assert not result.complete
        assert ("a", "b") in result.dag.directed


METHODS = ["hc", "tabu", "ges", "boss", "phgs", "mmhc", "h2pc", "arges", "arges-hgi"]


@pytest.mark.parametrize("method", METHODS)
def test_required_edges_find_a_direction_within_the_limit(dense, method):
    known = {"required": [("a", "d")], "required_edges": [("d", "e")]}
    result = phgs.learn(dense, method, max_parents=1, knowledge=known, progress=False)
    assert {("a", "d"), ("d", "e")} <= set(result.dag.directed)
    assert most_parents(result.dag) == 1
    # A cycle of required edges has a variable with two parents in every DAG.
    around = {"required_edges": [("a", "b"), ("b", "c"), ("c", "a")]}
    assert most_parents(phgs.learn(dense, method, max_parents=2, knowledge=around, progress=False).dag) == 2
    with pytest.raises(phgs.ParameterError, match=r"max_parents: the required edges 'a' − 'b', .* cannot be directed"):
        phgs.learn(dense, method, max_parents=1, knowledge=around, progress=False)


def test_pef_refuses_knowledge_beyond_its_limit(dense):
    known = {"required": [("a", "c"), ("b", "c")]}
    with pytest.raises(phgs.ParameterError, match="max_parents: 1 is below the 2 required parents of 'c'"):
        phgs.PEF(max_parents=1, knowledge=known, progress=False).learn(dense)
    edges = {"required": [("a", "d")], "required_edges": [("d", "e")]}
    result = phgs.PEF(max_parents=1, knowledge=edges, progress=False).learn(dense)
    assert {("a", "d"), ("d", "e")} <= set(result.dag.directed)
    assert most_parents(result.dag) == 1


@pytest.mark.parametrize(
    "known",
    [
        {"forbidden": [("a", "b")]},
        {"forbidden_edges": [("a", "b")]},
        {"tiers": [["b"], ["a"]]},
        {"required": [("b", "a")]},
    ],
)
def test_a_given_start_obeys_knowledge(dense, known):
    result = phgs.Hybrid(init=[("a", "b"), ("b", "c")], knowledge=known, progress=False).learn(dense)
    assert ("a", "b") not in result.dag.directed
    assert ("b", "c") in result.dag.directed
    assert (("b", "a") in result.dag.directed) == ("required" in known)


def test_extendable_says_whether_there_is_a_dag():
    # a → b ← c and a → d ← c: with a, c and b, d never tested, nothing directs the cycle of four.
    rng = np.random.default_rng(0)
    a, c = rng.integers(0, 2, (2, 20_000))
    w = rng.random((4, 20_000)) < 0.1
    data = {"a": a, "b": 2 * (a ^ w[0]) + (c ^ w[1]), "c": c, "d": 2 * (a ^ w[2]) + (c ^ w[3])}
    known = {"forbidden_edges": [("a", "c"), ("b", "d")]}
    result = phgs.PC(path_length=1, knowledge=known, progress=False).learn(data)
    assert len(result.cpdag.undirected) == 4
    assert not result.extendable
    with pytest.raises(phgs.GraphError, match="no consistent extension"):
        phgs.cpdag_to_dag(result.cpdag)


@pytest.mark.parametrize(
    "learner",
    [
        phgs.HillClimbing(),
        phgs.HillClimbing(restarts=2),
        phgs.Tabu(),
        phgs.GES(),
        phgs.GES(schedule="interleaved"),
        phgs.BOSS(),
        phgs.BOSS(growing=False, backward=False),
        phgs.Hybrid(maximize=phgs.Tabu(), init=[("a", "b"), ("a", "c")]),
        phgs.Hybrid(init=[("a", "b"), ("a", "c")], refine="growing"),
    ],
    ids=repr,
)
def test_of_equal_scores_the_graph_with_fewer_arcs(chain, learner):
    data = {"a": chain["a"], "b": chain["b"], "c": np.zeros(len(chain["a"]), int)}
    learner.progress = False
    if not isinstance(learner, phgs.Hybrid):
        learner.start = [("a", "b"), ("a", "c")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", phgs.PhgsWarning)
        result = learner.learn(data)
    assert result.dag.skeleton().undirected == (("a", "b"),)


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
    if other == "missing":
        assert phgs.score(data, [("a", "b")], missing=missing).value == value
    if other == "fractional":
        # A column of numbers counts, and makes the data mixed.
        assert phgs.score(data, [("a", "b")], missing=missing).name == "mixed-bic"
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


# Equal evidence


def independent(x, y, given, pairs):
    needed = pairs.get(frozenset((x, y)))
    separated = needed is not None and needed == set(given)
    return (0.1, 1, 0.5) if separated else (100.0, 1, 1e-20)


def learned(names, pairs, rule="separating-set"):
    learner = phgs.PC(
        test=lambda x, y, given: independent(x, y, given, pairs), path_length=1, collider_rule=rule, progress=False
    )
    return learner.learn(list(names))


def test_colliders_of_equal_support_are_both_left_out_in_any_order():
    # a → b ← c and b → c ← d, both from the empty set with the same p-value.
    pairs = {frozenset(pair): set() for pair in ("ac", "bd", "ad")}
    for names in itertools.permutations("abcd"):
        result = learned(names, pairs)
        assert not result.cpdag.directed
        assert {frozenset(edge) for edge in result.cpdag.undirected} == {frozenset(e) for e in ("ab", "bc", "cd")}
        assert {(frozenset((t.x, t.y)), t.centre) for t in result.conflicts} == {
            (frozenset("ac"), "b"),
            (frozenset("bd"), "c"),
        }


def test_rules_that_contradict_each_other_leave_an_edge_undirected_in_any_order():
    # u → x ← w, v → z ← q, x − y − z, and x and z independent given y: R1 wants x → y ← z, which that forbids.
    pairs = {frozenset(pair): set() for pair in ("uw", "vq", "uv", "uq", "wv", "wq", "uz", "wz", "xv", "xq")}
    pairs |= {frozenset(pair): {"x"} for pair in ("uy", "wy")} | {frozenset(pair): {"z"} for pair in ("vy", "qy")}
    pairs[frozenset("xz")] = {"y"}
    rng = np.random.default_rng(0)
    for _ in range(20):
        result = learned(rng.permutation(list("uwvqxyz")).tolist(), pairs)
        assert set(result.cpdag.directed) == {("u", "x"), ("w", "x"), ("v", "z"), ("q", "z")}
        assert {frozenset(edge) for edge in result.cpdag.undirected} == {frozenset("xy"), frozenset("yz")}
        assert [(frozenset((t.x, t.y)), t.centre) for t in result.conflicts] == [(frozenset("xz"), "y")]
        assert not result.extendable


def test_path_of_length_one_counts_no_scores(chain):
    assert "path" not in phgs.PC(path_length=1, progress=False).learn(chain).calls
    assert phgs.PC(path_length=5, progress=False).learn(chain).calls["path"] > 0
