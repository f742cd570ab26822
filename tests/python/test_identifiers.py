"""Columns with fewer than five rows per state are kept isolated: tests tell nothing of them, or given them."""

import warnings

import numpy as np
import pytest

import phgs

METHODS = [method for method in phgs.METHODS if method != "gsc"]
ISOLATED = "ignore:columns with fewer than five rows per state:phgs.ManyStatesWarning"


def with_identifier(data, n):
    first, *rest = data.items()
    return dict([first, ("id", np.arange(n)), *rest])


@pytest.mark.filterwarnings(ISOLATED)
@pytest.mark.parametrize("method", METHODS)
def test_the_edges_around_an_identifier_stay(method):
    from conftest import make_chain

    data = with_identifier(make_chain(n=500), 500)
    result = phgs.learn(data, method, progress=False)
    skeleton = {frozenset(edge) for edge in result.cpdag.skeleton().undirected}
    assert skeleton == {frozenset("ab"), frozenset("bc")}
    assert result.variables == ("a", "id", "b", "c", "d")


@pytest.mark.filterwarnings(ISOLATED)
@pytest.mark.parametrize("method", METHODS)
def test_all_else_is_as_without_it(alarm, method):
    table = alarm.table
    rows = 2000
    data = {name: codes[:rows] for name, codes in zip(table.names, table.codes, strict=True)}
    rng = np.random.default_rng(0)
    without = phgs.learn(data, method, progress=False)
    # Not quite an identifier: a few states are in several rows.
    within = phgs.learn({**data, "id": [f"p{i}" for i in rng.integers(0, 3 * rows, rows)]}, method, progress=False)
    assert within.cpdag.directed == without.cpdag.directed
    assert within.cpdag.undirected == without.cpdag.undirected
    assert within.cpdag.adjacent("id") == ()


@pytest.mark.filterwarnings(ISOLATED)
def test_a_skeleton_or_a_start_does_not_bring_it_back(chain):
    data = with_identifier(chain, 2000)
    every = [(a, b) for i, a in enumerate(data) for b in list(data)[i + 1 :]]
    found = phgs.learn(data, "gsc", skeleton=every, score="loglik", max_parents=2, progress=False)
    assert found.cpdag.adjacent("id") == ()
    assert phgs.HillClimbing(start=[("id", "a")], progress=False).learn(data).cpdag.adjacent("id") == ()


def test_a_test_of_it_warns(chain):
    flag = np.arange(2000) % 2
    data = {**chain, "id": np.arange(2000), "flag": flag}
    for x, y, given in (("id", "flag", ()), ("a", "b", "id")):
        with pytest.warns(phgs.ManyStatesWarning, match=r"'id' has 2,000 states in 2,000 rows: a test says little"):
            test = phgs.independence_test(data, x, y, given)
    assert test.no_information
    assert test.strata == 2000
    assert test.informative_strata == 0


@pytest.mark.filterwarnings(ISOLATED)
def test_it_is_said_where_it_matters(chain):
    data = with_identifier(chain, 2000)
    result = phgs.learn(data, progress=False)
    assert "isolated             'id' (fewer than five rows per state)" in str(result)
    assert "2,000 states in 2,000 rows" in result.explain("a", "id")
    with pytest.raises(
        phgs.KnowledgeError, match=r"'id' and 'a' cannot be joined: column 'id' has fewer than five rows"
    ):
        phgs.learn(data, knowledge={"required": [("id", "a")]}, progress=False)


def test_what_counts_as_an_identifier():
    def identifiers(x):
        return phgs.as_table({"x": x, "y": np.arange(len(x)) % 2}, warn=False).isolated

    assert identifiers(np.arange(60) // 5) == ()
    assert identifiers(np.r_[np.arange(60) // 5, 12]) == (0,)
    # Up to ten states per column is a category, however few rows there are.
    assert identifiers(np.arange(10)) == ()


@pytest.mark.filterwarnings(ISOLATED)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("states", [100, 300])
def test_a_column_of_hundreds_of_states_takes_no_true_edge(method, states):
    """In other packages PC loses every edge to a column of 300 states in 600 rows."""
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 3, 600)]
    for _ in range(5):
        columns.append(np.where(rng.random(600) < 0.7, columns[-1], rng.integers(0, 3, 600)))
    data = dict(zip("abcdef", columns, strict=True))
    chain = phgs.learn(data, method, progress=False).cpdag.skeleton()
    assert chain.n_edges >= 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", phgs.ManyStatesWarning)
        found = phgs.learn({**data, "many": rng.integers(0, states, 600)}, method, progress=False).cpdag.skeleton()
    assert set(zip("abcde", "bcdef", strict=True)) <= set(found.undirected)
    assert found.adjacent("many") == ()


def with_group(data, rows_of_each=4, seed=99):
    """Add a group of four rows that decides d in nine of ten of them, and codes that decide nothing."""
    rng = np.random.default_rng(seed)
    n = len(data["a"])
    group = rng.integers(0, n // rows_of_each, n)
    of_group = rng.integers(0, 3, n // rows_of_each)
    decided = np.where(rng.random(n) < 0.9, of_group[group], rng.integers(0, 3, n))
    codes = {"group": group, "codes": rng.integers(0, n // 2, n)}
    return {**data, "d": decided, **{name: [f"person {i}" for i in values] for name, values in codes.items()}}


def edges_at(graph, name):
    return set(graph.adjacent(name))


@pytest.mark.filterwarnings(ISOLATED)
@pytest.mark.parametrize("method", ["auto", "ges", "boss", "tabu", "hc"])
def test_a_score_that_charges_what_occurs_judges_it(chain, method):
    result = phgs.learn(with_group(chain), method, score="sqnml", progress=False)
    assert set(result.identifiers) == {"group", "codes"}
    assert result.isolated == {}
    assert edges_at(result.cpdag, "codes") == set()
    assert edges_at(result.cpdag, "group") == {"d"}
    assert {frozenset("ab"), frozenset("bc")} <= {frozenset(edge) for edge in result.cpdag.skeleton().undirected}


@pytest.mark.filterwarnings(ISOLATED)
@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("auto", {"score": "ebic"}),
        ("ges", {"score": "qnml"}),
        ("tabu", {}),
        ("phgs", {"score": "sqnml"}),
        ("mmhc", {"score": "sqnml"}),
        ("pc", {}),
    ],
)
def test_otherwise_it_stays_isolated(chain, method, options):
    result = phgs.learn(with_group(chain), method, progress=False, **options)
    assert set(result.isolated) == {"group", "codes"}
    assert result.identifiers == {}
    assert edges_at(result.cpdag, "group") == set()


@pytest.mark.filterwarnings(ISOLATED)
def test_no_test_looks_at_what_the_score_judges(chain):
    data = with_group(chain)
    without = phgs.learn({name: data[name] for name in "abcd"}, refine="none", progress=False)
    within = phgs.learn(data, refine="ges", progress=False)
    tested = {name: within.calls.get(name) for name in ("within", "between", "complete")}
    assert tested == {name: without.calls.get(name) for name in tested}
    assert within.untested("a", "group") is not None
    assert "no test can tell anything of it, and the score alone decided" in within.explain("a", "group")
    assert "no test can tell anything of it" in within.explain("d", "group")
    assert "not tested           'group', 'codes' (fewer than five rows per state)" in str(within)


@pytest.mark.filterwarnings(ISOLATED)
def test_a_file_has_no_states_of_it(chain, tmp_path):
    data = with_group(chain)
    result = phgs.learn(data, progress=False)
    path = tmp_path / "result.json"
    result.save(path)
    assert "person" not in path.read_text()
    again = phgs.Result.load(path)
    assert again.identifiers == result.identifiers
    assert "person" not in result.explore().html


def test_repeated_rows_and_gaps_leave_it_to_nothing(chain):
    table = phgs.as_table(with_group(chain), warn=False)
    names = [table.names[i] for i in table.identifiers]
    assert names == ["group", "codes"]
    half = table.take(np.arange(0, 2000, 2))
    assert half.identifiers == table.identifiers
    drawn = table.take(np.random.default_rng(0).integers(0, 2000, 2000))
    assert drawn.identifiers == ()
    assert drawn.isolated == table.isolated
    unique = phgs.as_table({**chain, "row": np.arange(2000), "most": np.arange(2000) % 1801}, warn=False)
    assert [unique.names[i] for i in unique.isolated] == ["row", "most"]
    assert unique.identifiers == ()


@pytest.mark.filterwarnings(ISOLATED)
def test_an_edge_may_be_required_where_the_score_judges(chain):
    data = with_group(chain)
    result = phgs.learn(data, knowledge={"required": [("codes", "a")]}, progress=False)
    assert ("codes", "a") in result.cpdag.directed
    with pytest.raises(phgs.KnowledgeError, match="fewer than five rows"):
        phgs.learn(data, score="ebic", knowledge={"required": [("codes", "a")]}, progress=False)
    forbidden = phgs.learn(data, knowledge={"forbidden": [("group", "d"), ("d", "group")]}, progress=False)
    assert edges_at(forbidden.cpdag, "group") == set()


@pytest.mark.filterwarnings(ISOLATED)
def test_of_many_columns_it_is_scored_beside_all():
    """Searches of more than 100 columns score what depends in a marginal test; of an identifier none is made."""
    rng = np.random.default_rng(3)
    n = 2000
    columns = {f"x{i}": rng.integers(0, 2, n) for i in range(120)}
    group = rng.integers(0, n // 4, n)
    columns["x7"] = np.where(rng.random(n) < 0.9, rng.integers(0, 3, n // 4)[group], rng.integers(0, 3, n))
    result = phgs.Auto(effort="quick", progress=False, data_type="discrete").learn({**columns, "group": group})
    assert edges_at(result.cpdag, "group") == {"x7"}
