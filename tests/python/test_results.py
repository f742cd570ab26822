"""Results: attributes, forms, files."""

import itertools
import json

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

import phgs


@pytest.fixture(scope="module")
def result(alarm):
    return phgs.learn(alarm.table, "phgs", progress=False)


def test_the_paper_s_method_on_alarm(alarm, result):
    """The authors' package learns the same graph: JI 0.673, P 41, TP 35, R 6, FP 0, BIC −273,973.734."""
    found = phgs.compare(alarm.truth, result)
    assert (found.learned_edges, found.true_positives, found.wrong_directions, found.false_positives) == (41, 35, 6, 0)
    assert found.shd == 11
    assert found.jaccard == pytest.approx(35 / 52)
    assert result.score.name == "bic"
    assert result.score.value == pytest.approx(-273973.734, abs=5e-4)


def test_what_a_result_says(result):
    assert result.dag.is_dag
    assert phgs.dag_to_cpdag(result.dag) == result.cpdag
    assert result.calls["total"] == sum(count for name, count in result.calls.items() if name != "total")
    assert result.calls["partition"] == 37 * 36 // 2 + 37
    assert set(result.clusters) == set(result.variables)
    assert sum(point.selected for point in result.path) == 1
    assert result.selected.alpha == 0.05
    assert result.parameters["alpha"] == 0.05
    assert result.parameters["tabu_length"] == 100
    assert result.test == "g2"
    text = str(result)
    for word in ("variables", "clusters", "threshold", "score", "calls", "seconds"):
        assert word in text
    assert "<svg" in result._repr_html_()


def test_score_gains_add_up(alarm, result):
    empty = phgs.score(alarm.table, phgs.Graph(result.variables)).value
    gains = dict(
        zip(zip(result.edges["from"], result.edges["to"], strict=True), result.edges["score_gain"], strict=True)
    )
    assert all(gain > 0 for gain in gains.values())
    assert result.score.value > empty
    (edge,) = [e for e in result.dag.directed if len(result.dag.parents(e[1])) == 1][:1]
    alone = phgs.score(alarm.table, [edge]).value - empty
    assert gains.get(edge, gains.get(edge[::-1])) == pytest.approx(alone, rel=1e-9)


def test_edges_and_separations_are_explained(result, alarm):
    table = result.edges
    assert table.columns[:3] == ("from", "to", "directed")
    assert len(table) == result.cpdag.n_edges
    row = table[0]
    found = phgs.independence_test(alarm.table, row.source, row.target, row.weakest_set)
    assert found.log_p_value == pytest.approx(row.log_p_value, rel=1e-9)
    assert len(pl.DataFrame(table)) == len(table)
    assert list(table.to_pandas().columns) == list(table.columns)
    assert table[:3].rows == table.rows[:3]
    with pytest.raises(KeyError, match="did you mean 'p_value'"):
        table["pvalue"]
    tested = 0
    for x in result.variables[:12]:
        for y in result.variables[:12]:
            if x != y and (x, y) not in result.cpdag:
                separation = result.separation(x, y)
                if separation.log_p_value is not None:
                    found = phgs.independence_test(alarm.table, x, y, separation.given)
                    assert found.log_p_value == pytest.approx(separation.log_p_value, abs=1e-9)
                    tested += 1
                else:
                    assert phgs.independence_test(alarm.table, x, y).p_value > 0.05
                assert "not adjacent" in result.explain(x, y)
    assert tested
    assert "df =" in result.explain(row.source, row.target)
    with pytest.raises(ValueError, match="unknown variable"):
        result.explain("nobody", row.target)


def test_the_file_round_trip(tmp_path, result):
    path = tmp_path / "r.json"
    result.save(path)
    found = json.loads(path.read_text(encoding="utf-8"))
    assert set(found) >= {
        "method", "version", "n_rows", "variables", "dag", "cpdag", "score", "calls", "seconds", "clusters", "path",
        "conflicts", "parameters",
    }  # fmt: skip
    assert found["method"] == "phgs"
    assert found["n_rows"] == 25000
    assert set(found["cpdag"]) == {"directed", "undirected", "extendable", "oriented"}
    assert set(found["path"][0]) == {"alpha", "edges", "score", "extendable", "selected"}
    assert all(len(edge) == 2 for edge in found["dag"])
    loaded = phgs.Result.load(path)
    assert loaded.to_dict() == json.loads(path.read_text(encoding="utf-8"))
    assert (loaded.cpdag, loaded.dag, loaded.score, loaded.path) == (
        result.cpdag,
        result.dag,
        result.score,
        result.path,
    )
    assert list(tmp_path.iterdir()) == [path]


def test_methods_without_a_dag_say_null(alarm):
    found = phgs.learn(alarm.table, "pc", progress=False).to_dict()
    assert found["dag"] is None
    assert found["score"] is None
    assert found["clusters"] is None
    found = phgs.learn(alarm.table, "tabu", progress=False).to_dict()
    assert found["path"] is None
    assert found["cpdag"]["extendable"] is True


def test_result_files_that_are_none(tmp_path):
    path = tmp_path / "r.json"
    for text in ("", "[]", "{}", "nonsense"):
        path.write_text(text)
        with pytest.raises(phgs.DataError, match="not a result file"):
            phgs.Result.load(path)
    with pytest.raises(ValueError, match="there is no folder"):
        phgs.learn({"x": [0, 1] * 9, "y": [1, 0] * 9}, progress=False).save(tmp_path / "no" / "r.json")


def test_what_the_matrix_means():
    graph = phgs.Graph("abc", directed=[("a", "b")], undirected=[("b", "c")])
    matrix = graph.to_numpy()
    assert matrix.tolist() == [[0, 1, 0], [0, 0, 1], [0, 1, 0]]
    assert phgs.as_graph(matrix, "abc") == graph
    assert phgs.as_graph(pd.DataFrame(matrix, list("abc"), list("abc"))) == graph
    made = graph.to_networkx()
    assert sorted(made.edges) == [("a", "b"), ("b", "c"), ("c", "b")]
    assert phgs.as_graph(made) == graph


def test_isolated_nodes_are_everywhere(chain):
    result = phgs.learn(chain, progress=False)
    assert result.cpdag.adjacent("d") == ()
    assert "d" in result.to_networkx()
    assert '"d";' in result.to_dot()
    assert list(result.to_networkx()) == ["a", "b", "c", "d"]
    assert list(nx.parse_graphml(result.to_graphml())) == ["n0", "n1", "n2", "n3"]
    assert result.fit().nodes == ("a", "b", "c", "d")
    assert ">d</text>" in result._repr_html_()
    assert result.to_numpy().shape == (4, 4)
    assert result.to_dict()["variables"] == ["a", "b", "c", "d"]


def test_exports_need_nothing(tmp_path):
    graph = phgs.Graph(["a", 'q"\\'], directed=[("a", 'q"\\')])
    assert '"a" -> "q\\"\\\\";' in graph.to_dot()
    path = tmp_path / "g.graphml"
    path.write_text(graph.to_graphml(), encoding="utf-8")
    assert nx.read_graphml(path).number_of_edges() == 1


@pytest.mark.parametrize("size", [0, 1, 8, 37, 300, 400])
def test_pictures_of_any_size(tmp_path, size):
    rng = np.random.default_rng(size)
    arcs = [(i, j) for j in range(size) for i in range(j) if rng.random() < 2 / max(size, 1)]
    graph = phgs.Graph(range(size), directed=arcs[::2], undirected=arcs[1::2])
    path = tmp_path / "g.png"
    graph.plot(path)
    assert path.read_bytes().startswith(b"\x89PNG")
    graph.plot(tmp_path / "g.svg")
    if size:
        graph.plot(focus=0)
        assert graph._repr_html_()
    with pytest.raises(ValueError, match=r"end its name in \.png"):
        graph.plot(tmp_path / "g.bmpp")


def test_the_path_can_be_drawn(tmp_path, result):
    result.plot_path(tmp_path / "p.png")
    result.plot(tmp_path / "g.svg", focus="HR")
    assert (tmp_path / "p.png").stat().st_size > 1000
    with pytest.raises(ValueError, match="path"):
        phgs.learn({"x": [0, 1] * 9, "y": [1, 0] * 9}, "tabu", progress=False).plot_path()


def test_degenerate_sizes():
    for p in (1, 2, 3):
        for n in (2, 3, 5):
            data = np.arange(n * p).reshape(n, p) % 2
            for method in sorted(set(phgs.METHODS) - {"gsc"}):
                with pytest.warns() if (data == data[0]).all(axis=0).any() else Nothing():
                    result = phgs.learn(data, method, progress=False)
                assert result.cpdag.n_variables == p


class Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def test_long_edges_pass_between_nodes(result):
    """No line runs through the box of a variable that is not its end: it would look like an edge to it."""
    from phgs.graphs.layout import cut_at_box, layered

    graph = result.cpdag
    arcs, edges = graph._directed_indices(), graph._undirected_indices()
    layout = layered(graph.n_variables, arcs, edges)
    assert any(len(layout.route(a, b)) > 2 for a, b in arcs)
    half = (0.35, 0.15)
    through = 0
    for a, b in arcs + edges:
        corners = layout.route(a, b)
        line = np.vstack([np.linspace(p, q, 20) for p, q in itertools.pairwise(corners)])
        assert np.array_equal(corners[[0, -1]], layout.places[[a, b]])
        assert np.array_equal(layout.route(b, a)[::-1].round(9), corners.round(9))
        others = np.delete(layout.places, [a, b], axis=0)
        through += bool((np.abs(line[:, None] - others[None]) <= half).all(axis=2).any())
        end = cut_at_box(corners, half)[-1] - layout.places[b]
        assert np.isclose(np.abs(end) / half, 1).any()
        assert (np.abs(end) <= np.array(half) + 1e-9).all()
    assert through == 0
    low, high = layout.corners
    assert (layout.places >= low).all()
    assert (layout.places <= high).all()
    assert len({tuple(place) for place in layout.places.round(6).tolist()}) == graph.n_variables


def test_no_line_runs_behind_a_box_of_random_graphs():
    from phgs.graphs.layout import layered

    for seed in range(8):
        arcs = phgs.random_dag(40, degree=2.5, seed=seed)._directed_indices()
        layout = layered(40, arcs, [])
        for a, b in arcs:
            line = np.vstack([np.linspace(p, q, 20) for p, q in itertools.pairwise(layout.route(a, b))])
            others = np.delete(layout.places, [a, b], axis=0)
            assert not (np.abs(line[:, None] - others[None]) <= (0.35, 0.15)).all(axis=2).any(), (seed, a, b)


def test_the_tree_of_the_partition_can_be_drawn(tmp_path, result, alarm):
    figure = result.plot_dendrogram(tmp_path / "d.png")
    assert (tmp_path / "d.png").read_bytes().startswith(b"\x89PNG")
    labels = figure.axes[0].get_yticklabels()
    assert {label.get_text() for label in labels} == set(result.variables)
    colour = {label.get_text(): label.get_color() for label in labels}
    for x, y in itertools.combinations(result.variables, 2):
        assert (colour[x] == colour[y]) == (result.clusters[x] == result.clusters[y])
    result.save(tmp_path / "r.json")
    loaded = phgs.Result.load(tmp_path / "r.json")
    with pytest.raises(phgs.ParameterError, match="does not keep its data"):
        loaded.plot_dendrogram()
    loaded.plot_dendrogram(data=alarm.table)
    with pytest.raises(phgs.ParameterError, match="makes no partition"):
        phgs.learn(alarm.table, "pc", progress=False).plot_dendrogram()
    rng = np.random.default_rng(0)
    phgs.learn(rng.integers(0, 2, (50, 200)), "ppc", progress=False).plot_dendrogram(tmp_path / "large.png")


def test_html_of_a_large_graph_shows_a_part():
    graph = phgs.random_dag(400, degree=2, seed=1)
    html = graph._repr_html_()
    most = max(graph.variables, key=lambda name: len(graph.adjacent(name)))
    assert f"around {most}, which has the most edges" in html
    assert "<svg" in html
    assert "<svg" not in phgs.Graph(range(400))._repr_html_()


def test_a_fitted_network_is_that_of_the_counts(alarm, result, tmp_path):
    network = result.fit()
    assert network.nodes == result.variables
    assert set(network.edges) == set(result.dag.directed)
    child = max(result.variables, key=lambda name: len(result.dag.parents(name)))
    parents = list(network.parents[child])
    columns = {}
    for name in [child, *parents]:
        i = alarm.table.index(name)
        columns[name] = [str(alarm.table.levels[i][code]) for code in alarm.table.codes[i]]
    frame = pd.DataFrame(columns)
    first = {parent: network.states[parent][0] for parent in parents}
    rows = frame[(frame[parents] == pd.Series(first)).all(axis=1)]
    expected = [float((rows[child] == state).mean()) for state in network.states[child]]
    assert network.table(child)[(0,) * len(parents)] == pytest.approx(expected, abs=1e-12)
    network.save(tmp_path / "alarm.bif")
    assert phgs.Network.load(tmp_path / "alarm.bif").edges == network.edges
    assert result.fit(equivalent_sample_size=10) != network
    result.save(tmp_path / "r.json")
    loaded = phgs.Result.load(tmp_path / "r.json")
    with pytest.raises(phgs.ParameterError, match="does not keep its data"):
        loaded.fit()
    assert loaded.fit(alarm.table) == network
    without_dag = phgs.learn(alarm.table, "pc", progress=False)
    assert phgs.dag_to_cpdag(without_dag.fit().edges).n_edges == without_dag.cpdag.n_edges


def test_edge_lists_and_graphml_of_results(result, tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text(result.to_csv(), encoding="utf-8")
    assert phgs.as_graph(path, result.variables) == result.cpdag
    graphml = tmp_path / "g.graphml"
    graphml.write_text(result.to_graphml(), encoding="utf-8")
    made = nx.read_graphml(graphml)
    assert nx.get_node_attributes(made, "label") == {f"n{i}": name for i, name in enumerate(result.variables)}
    named = nx.relabel_nodes(made, nx.get_node_attributes(made, "label"))
    assert phgs.as_graph(named) == result.cpdag
    marks = [mark for *_, mark in named.edges(data="directed")]
    assert marks.count(False) == 2 * len(result.cpdag.undirected)


@pytest.mark.extras
def test_igraph_gets_every_node_and_edge(result, package):
    package("igraph")
    made = result.to_igraph()
    assert made.vs["name"] == list(result.variables)
    assert phgs.as_graph(made) == result.cpdag
    assert made.es["directed"].count(False) == 2 * len(result.cpdag.undirected)


@pytest.mark.extras
def test_pyagrum_gets_the_fitted_network(result, package):
    package("pyagrum")
    made, network = result.to_pyagrum(), result.fit()
    assert {(made.variable(a).name(), made.variable(b).name()) for a, b in made.arcs()} == set(network.edges)
    root = next(name for name in network.nodes if not network.parents[name])
    assert made.cpt(root).tolist() == pytest.approx(network.table(root).tolist())


@pytest.mark.extras
@pytest.mark.filterwarnings("ignore")  # its own, on import
def test_pgmpy_gets_the_graph(result, alarm, package):
    package("pgmpy")
    made = result.to_pgmpy()
    assert set(made.nodes) == set(result.variables)
    assert set(made.edges) == set(result.dag.directed)
    assert phgs.as_graph(phgs.learn(alarm.table, "pc", progress=False).to_pgmpy()).n_variables == 37


def test_explain_says_why_in_each_case(result, alarm, tmp_path):
    marginal = result.explain("HISTORY", "FIO2").split("\n")
    assert marginal[1] == "They are independent marginally, at the level 0.05."
    assert marginal[2].startswith("HISTORY ⫫ FIO2: g2 = 1.15416, df = 1, p = 0.283, 25,000 rows")
    given = result.explain("TPR", "HR").split("\n")
    assert given[1] == "They are independent: p = 0.301 given CATECHOL, ANAPHYLAXIS (level 0.05)."
    later = [
        pair
        for pair in itertools.combinations(result.variables, 2)
        if pair not in result.cpdag
        and (found := result.separation(*pair)) is not None
        and found.log_p_value is not None
        and found.log_p_value <= np.log(0.05)
    ]
    for pair in later:
        text = result.explain(*pair)
        assert "No test separated them at the level 0.05" in text
        assert "Their edge went later" in text
    assert "tabu keeps no separating sets" in phgs.learn(alarm.table, "tabu", progress=False).explain("HR", "TPR")
    result.save(tmp_path / "r.json", separations=False)
    assert "its file was saved without them" in phgs.Result.load(tmp_path / "r.json").explain("HR", "TPR")


def test_a_loaded_result_can_all_that_a_new_one_can(tmp_path, alarm):
    """But for the data, which are given: of identifiers, integer names and knowledge too."""
    frame = pd.DataFrame({i: codes[:5000] for i, codes in enumerate(alarm.table.codes)})
    frame["id"] = [f"person {i}" for i in range(5000)]
    known = {"required": [(7, 9)], "forbidden_edges": [(0, 1)], "tiers": [[3], [4, 5]]}
    with pytest.warns(phgs.ManyStatesWarning):
        result = phgs.PHGS(knowledge=known, collider_rule="majority", progress=False).learn(frame)
    result.save(tmp_path / "r.json")
    assert "person" not in (tmp_path / "r.json").read_text()
    loaded = phgs.Result.load(tmp_path / "r.json")
    assert str(loaded) == str(result)
    assert "1 required arc, 1 forbidden edge, 2 tiers" in str(loaded)
    assert loaded.knowledge == phgs.Knowledge(
        required=[("7", "9")], forbidden_edges=[("0", "1")], tiers=[["3"], ["4", "5"]]
    )
    assert loaded.isolated == result.isolated == {"id": 5000}
    assert loaded.levels["3"] == result.levels[3]
    for pair in itertools.combinations(result.variables, 2):
        named = tuple(map(str, pair))
        assert loaded.untested(*named) == result.untested(*pair)
        if (separation := result.separation(*pair)) is not None:
            given = tuple(map(str, separation.given))
            assert loaded.separation(*named) == (*named, given, separation.log_p_value)
    for pair in ((0, 1), (2, 3), (2, "id"), (7, 9), (10, 20)):
        assert loaded.explain(*map(str, pair), data=frame) == result.explain(*pair)
    assert "Background knowledge requires it" in loaded.explain("7", "9")
    assert "knowledge forbids" in loaded.explain("0", "1")
    assert loaded.fit(frame).table("3").tolist() == result.fit().table("3").tolist()
    loaded.plot_dendrogram(tmp_path / "d.png", data=frame)
    for export in ("to_dot", "to_csv", "to_graphml", "_repr_html_"):
        assert getattr(loaded, export)() == getattr(result, export)()


def test_triples_are_in_the_file(tmp_path):
    # With weak dependences and few rows, colliders that tests suggest contradict each other.
    rng = np.random.default_rng(0)
    found = {"separating-set": 0, "conservative": 0}
    for _ in range(10):
        x = rng.integers(0, 2, (60, 8))
        for j in range(2, 8):
            x[:, j] = np.where(rng.random(60) < 0.6, x[:, j - 1] ^ x[:, j - 2], x[:, j])
        frame = pd.DataFrame(x, columns=list("abcdefgh"))
        for rule in found:
            result = phgs.learn(frame, "pc", collider_rule=rule, alpha=0.3, path_length=1, progress=False)
            result.save(tmp_path / "r.json")
            loaded = phgs.Result.load(tmp_path / "r.json")
            assert (loaded.conflicts, loaded.undecided) == (result.conflicts, result.undecided)
            found[rule] += len(result.conflicts if rule == "separating-set" else result.undecided)
    assert min(found.values()) > 0


def test_files_of_an_earlier_version_can_be_loaded(tmp_path, chain):
    found = phgs.learn(chain, progress=False).to_dict()
    for key in ("levels", "isolated", "knowledge", "separations", "conflict_triples", "undecided_triples"):
        del found[key]
    (tmp_path / "r.json").write_text(json.dumps(found))
    loaded = phgs.Result.load(tmp_path / "r.json")
    assert (loaded.levels, loaded.isolated, loaded.knowledge) == ({}, {}, None)
    loaded.save(tmp_path / "again.json")
    assert phgs.Result.load(tmp_path / "again.json").cpdag == loaded.cpdag


def test_very_many_separating_sets_are_kept_on_request(tmp_path, monkeypatch, result):
    from phgs.result import file

    assert result.to_dict()["separations"] is not None
    monkeypatch.setattr(file, "_MOST_SEPARATIONS", 3)
    assert result.to_dict()["separations"] is None
    result.save(tmp_path / "r.json", separations=True)
    assert phgs.Result.load(tmp_path / "r.json").separation("HR", "TPR") == result.separation("HR", "TPR")
