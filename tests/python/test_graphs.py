"""Functions of graphs."""

import itertools
import signal
import sys

import networkx as nx
import numpy as np
import pytest

import phgs


def random_dag(rng, p, density):
    order = rng.permutation(p)
    pairs = itertools.combinations(order.tolist(), 2)
    return phgs.Graph(range(p), directed=[pair for pair in pairs if rng.random() < density])


def test_round_trips_on_random_dags():
    rng = np.random.default_rng(5)
    for _ in range(100):
        dag = random_dag(rng, int(rng.integers(1, 8)), rng.random())
        cpdag = phgs.dag_to_cpdag(dag)
        extension = phgs.cpdag_to_dag(cpdag)
        assert extension.is_dag
        assert phgs.dag_to_cpdag(extension) == cpdag
        members = phgs.all_dags(cpdag, limit=100_000)
        assert dag in members
        assert len(set(members)) == len(members)
        assert all(phgs.dag_to_cpdag(member) == cpdag for member in members[:20])
        assert phgs.all_dags(cpdag, limit=1) == members[:1]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_stops_the_listing_of_a_class():
    complete = phgs.Graph(range(12), undirected=itertools.combinations(range(12), 2))

    def stop(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            phgs.all_dags(complete, limit=10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_d_separation_agrees_with_networkx():
    rng = np.random.default_rng(6)
    for _ in range(200):
        dag = random_dag(rng, 6, 0.4)
        x, y, *rest = rng.permutation(6).tolist()
        given = rest[: int(rng.integers(0, 4))]
        expected = nx.is_d_separator(dag.to_networkx(), {x}, {y}, set(given))
        assert phgs.d_separated(dag, x, y, given) == expected


def test_what_stands_in_the_way_is_named():
    square = phgs.Graph("abcd", undirected=[("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    with pytest.raises(phgs.GraphError, match="cannot be directed either way"):
        phgs.cpdag_to_dag(square)
    with pytest.raises(phgs.GraphError, match="cycle"):
        phgs.dag_to_cpdag([("a", "b"), ("b", "c"), ("c", "a")])
    assert not phgs.Graph("abc", directed=[("a", "b"), ("b", "c"), ("c", "a")]).is_dag


def test_comparison_is_by_name_and_class():
    truth = phgs.Graph("abc", directed=[("a", "b"), ("b", "c")])
    assert phgs.compare(truth, [("c", "b"), ("b", "a")]).jaccard == 1.0
    arcs = phgs.compare(truth, [("c", "b"), ("b", "a")], as_cpdags=False)
    assert (arcs.reversed, arcs.shd, arcs.jaccard) == (2, 2, 0.0)
    found = phgs.compare(truth, phgs.Graph("cab", directed=[("a", "b"), ("c", "b")]))
    assert (found.true_positives, found.direction_invented, found.shd) == (0, 2, 2)
    nothing = phgs.compare(phgs.Graph("ab"), phgs.Graph("ab"))
    assert (nothing.jaccard, nothing.precision) == (1.0, None)
    assert phgs.compare(truth, phgs.Graph("abc")).false_negatives == 2


def test_markov_blankets():
    dag = phgs.Graph("abcde", directed=[("a", "c"), ("b", "c"), ("c", "d")])
    assert dag.markov_blanket("a") == ("b", "c")
    assert dag.markov_blanket("c") == ("a", "b", "d")
    assert dag.markov_blanket("e") == ()
    assert phgs.dag_to_cpdag(dag).markov_blanket("a") == ("b", "c")


def test_any_graph_can_be_scored(chain):
    n = len(chain["a"])
    empty = phgs.score(chain, phgs.Graph(chain), "loglik")
    counts = np.bincount(chain["a"])
    assert empty.local["a"] == pytest.approx((counts * np.log(counts / n)).sum(), rel=1e-12)
    assert empty.n_parameters == 2 + 2 + 2 + 1
    bic = phgs.score(chain, phgs.Graph(chain))
    assert bic.value == pytest.approx(empty.value - 0.5 * np.log(n) * 7, rel=1e-12)
    forward, backward = [("a", "b"), ("b", "c")], [("c", "b"), ("b", "a")]
    for kind in ("bic", "aic", "loglik", "bdeu"):
        assert phgs.score(chain, forward, kind).value == pytest.approx(
            phgs.score(chain, backward, kind).value, rel=1e-12
        )
        cpdag = phgs.dag_to_cpdag(phgs.Graph(chain, directed=forward))
        assert phgs.score(chain, cpdag, kind).value == pytest.approx(phgs.score(chain, forward, kind).value, rel=1e-12)


def test_independence_tests_agree_with_scipy(chain):
    from scipy.stats import chi2_contingency

    table = np.zeros((3, 3))
    np.add.at(table, (chain["a"], chain["b"]), 1)
    for name, power in (("g2", 0), ("x2", 1)):
        expected = chi2_contingency(table, correction=False, lambda_=power)
        found = phgs.independence_test(chain, "a", "b", test=name)
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-10)
        assert found.degrees_of_freedom == expected.dof
    weak = phgs.independence_test(chain, "a", "d")
    table = np.zeros((3, 2))
    np.add.at(table, (chain["a"], chain["d"]), 1)
    assert weak.p_value == pytest.approx(chi2_contingency(table, lambda_=0).pvalue, rel=1e-9)
    assert "df = 2" in str(weak)
    for bad in (("a", "a"), ("a", "b", ["a"]), ("a", "b", ["c", "c"])):
        with pytest.raises(phgs.ParameterError, match="different"):
            phgs.independence_test(chain, *bad)
    with pytest.raises(phgs.ParameterError, match="unknown column"):
        phgs.independence_test(chain, "a", "z")


def test_tables_without_information():
    data = {"x": [0, 0, 1, 1], "y": [0, 1, 0, 1], "k": [5] * 4, "i": [0, 1, 2, 3]}
    nothing = phgs.independence_test(data, "x", "k")
    assert (nothing.statistic, nothing.degrees_of_freedom, nothing.p_value) == (0.0, 0.0, 1.0)
    with_constant = phgs.independence_test(data, "x", "y", "k")
    without = phgs.independence_test(data, "x", "y")
    assert (with_constant.statistic, with_constant.p_value) == (without.statistic, without.p_value)
    singletons = phgs.independence_test(data, "x", "y", "i", degrees_of_freedom="adjusted")
    assert (singletons.degrees_of_freedom, singletons.p_value) == (0.0, 1.0)


def test_the_partition_is_average_linkage_and_the_paper_s_cut(alarm):
    from scipy.cluster.hierarchy import linkage

    distances = phgs.distances(alarm.table)
    assert len(distances) == 37 * 36 // 2
    assert np.all((distances >= 0) & (distances <= 1))
    assert len(linkage(distances, "average")) == 36
    labels = phgs.cluster_variables(alarm.table)
    sizes = np.bincount(list(labels.values()))
    assert sorted(sizes.tolist()) == [6, 6, 12, 13]
    assert set(phgs.cluster_variables(alarm.table, 1).values()) == {0}


@pytest.mark.parametrize(
    ("variables", "edges", "match"),
    [
        ("ab", {"directed": [("a", "a")]}, "itself"),
        ("ab", {"directed": [("a", "b"), ("b", "a")]}, "twice"),
        ("ab", {"undirected": [("a", "c")]}, "unknown variable 'c'"),
        ("aa", {}, "distinct"),
        ("ab", {"directed": ["ab"]}, "expected pairs of variables, got 'ab'"),
        ("ab", {"directed": [("a", "b", "c")]}, "expected pairs of variables, got"),
        ("ab", {"undirected": [3]}, "expected pairs of variables, got 3"),
        ("ab", {"undirected": [("a", ["b"])]}, r"unknown variable \['b'\]"),
    ],
)
def test_graphs_that_are_none(variables, edges, match):
    with pytest.raises(phgs.GraphError, match=match):
        phgs.Graph(variables, **edges)


def test_edge_lists(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text("from,to\na,b\nb,c\nc,b\n", encoding="utf-8")
    graph = phgs.as_graph(path)
    assert (graph.directed, graph.undirected) == ((("a", "b"),), (("b", "c"),))
    assert phgs.as_graph(path, "abcd").variables == ("a", "b", "c", "d")
    with pytest.raises(phgs.GraphError, match="unknown variable 'c'"):
        phgs.as_graph(path, "ab")
    for text, match in (("", "empty"), ("x,y\n1,2\n", "columns from and to"), ("from,to\na\n", "line 2")):
        path.write_text(text)
        with pytest.raises(phgs.DataError, match=match):
            phgs.as_graph(path)


@pytest.mark.extras
def test_distances_by_causal_effects(package):
    package("gadjid")
    # a → b in truth. Reversed: a's effect is denied and b's is made up, whatever one adjusts for.
    turned = phgs.adjustment_distances([("a", "b")], [("b", "a")], as_cpdags=False)
    assert (turned.parent, turned.ancestor, turned.oset, turned.shd) == (1.0, 1.0, 1.0, 1)
    # No edge: adjusting for no parents gives a's effect, and a false one of b; ancestors deny a's effect only.
    empty = phgs.Graph(("a", "b"))
    missed = phgs.adjustment_distances([("a", "b")], empty, as_cpdags=False)
    assert (missed.parent_mistakes, missed.ancestor_mistakes, missed.shd) == (1, 1, 1)
    assert missed.parent == 0.5
    # Members of one class are the same graph to data.
    same = phgs.adjustment_distances([("a", "b"), ("b", "c")], [("c", "b"), ("b", "a")])
    assert set(same.to_dict().values()) == {0}
    with pytest.raises(phgs.GraphError, match="learned: the graph is neither a DAG nor a CPDAG"):
        phgs.adjustment_distances([("a", "b")], phgs.Graph(("a", "b", "c"), [("a", "b")], [("b", "c")]))


def test_distances_by_causal_effects_need_gadjid(monkeypatch):
    monkeypatch.setitem(sys.modules, "gadjid", None)
    with pytest.raises(ImportError, match=r"phgs\[gadjid\]"):
        phgs.adjustment_distances([("a", "b")], [("a", "b")])
