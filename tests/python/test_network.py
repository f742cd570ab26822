"""Networks: names, files, samples, simulation, parameters, export."""

import gzip
import pickle

import numpy as np
import pytest

import phgs


def test_the_list_matches_the_files():
    for info in phgs.networks():
        if info.path is not None:
            network = phgs.Network.load(info.name)
            found = (len(network.nodes), len(network.edges), network.n_parameters)
            assert found == (info.variables, info.arcs, info.parameters)
            assert network.name == info.name
    bundled = {info.name for info in phgs.networks() if info.path is not None}
    assert {"alarm", "asia", "water", "munin1"} <= bundled


def test_unknown_names_suggest_near_ones(monkeypatch):
    with pytest.raises(phgs.ParameterError, match="did you mean 'alarm'"):
        phgs.Network.load("alarn")
    monkeypatch.delenv("PHGS_NETWORKS", raising=False)
    with pytest.raises(phgs.ParameterError, match="PHGS_NETWORKS"):
        phgs.Network.load("barley")
    with pytest.raises(FileNotFoundError):
        phgs.Network.load("nothing.bif")


def test_networks_of_a_folder_have_names(monkeypatch, tmp_path):
    phgs.Network.load("asia").renamed("").save(tmp_path / "mine.bif.gz")
    monkeypatch.setenv("PHGS_NETWORKS", str(tmp_path))
    assert "mine" in [info.name for info in phgs.networks()]
    assert phgs.Network.load("mine").nodes == phgs.Network.load("asia").nodes
    monkeypatch.setenv("PHGS_NETWORKS", str(tmp_path / "not there"))
    with pytest.raises(phgs.ParameterError, match="there is no folder"):
        phgs.networks()


@pytest.mark.parametrize("ending", [".bif", ".bif.gz"])
def test_writing_then_reading_is_the_identity(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    for name in ["asia", "child", "hailfinder"]:
        network = phgs.Network.load(name)
        network.save(path)
        assert phgs.Network.load(path) == network
        assert path.read_bytes().startswith(b"\x1f\x8b") == ending.endswith("gz")
        assert pickle.loads(pickle.dumps(network)) == network


def test_errors_in_files_say_where(tmp_path):
    path = tmp_path / "bad.bif"
    text = phgs.Network.load("asia").to_bif()
    path.write_text(text.replace("(yes) 0.1, 0.9;", "(yes) 0.1, 0.8;"))
    with pytest.raises(phgs.ParseError, match=r"bad\.bif: line \d+, column 3: probabilities sum to 0\.9"):
        phgs.Network.load(path)
    path.write_text(text[: len(text) // 2])
    with pytest.raises(phgs.ParseError, match="truncated"):
        phgs.Network.load(path)
    path.write_bytes(gzip.compress(text.encode())[:100])
    with pytest.raises(phgs.DataError, match="damaged or truncated"):
        phgs.Network.load(path)


def test_samples_do_not_depend_on_threads_and_keep_labels():
    network = phgs.Network.load("alarm")
    rows = network.sample(3000, seed=5, threads=1)
    assert rows.equals(network.sample(3000, seed=5, threads=2))
    assert not rows.equals(network.sample(3000, seed=6))
    assert rows.column_names == list(network.nodes)
    assert set(rows["CVP"].to_pylist()) <= set(network.states["CVP"])
    for wrong in [{"n_rows": 0}, {"n_rows": 2.5}, {"n_rows": 10, "seed": -1}, {"n_rows": 10, "seed": 1 << 64}]:
        with pytest.raises(phgs.ParameterError):
            network.sample(**wrong)


def test_samples_are_learned_from_as_they_are():
    network = phgs.Network.load("asia")
    result = phgs.learn(network.sample(5000, seed=1), progress=False)
    assert result.variables == network.nodes
    assert phgs.compare(network, result).true_edges == 8


def test_preparation_and_tiling():
    prepared = phgs.Network.load("water").prepare(seed=1)
    assert len(prepared.dropped_variables) == 6
    tiled = prepared.network.tile(3, seed=1)
    assert len(tiled.nodes) == 3 * len(prepared.network.nodes)
    assert tiled.nodes[-1].endswith("_2")
    assert len(tiled.edges) > 3 * len(prepared.network.edges)
    assert tiled == prepared.network.tile(3, seed=1)
    permuted = tiled.permuted(seed=1)
    assert set(permuted.edges) == set(tiled.edges)
    assert permuted.nodes != tiled.nodes
    mixed = phgs.Network.tile_all([phgs.Network.load(name) for name in ["asia", "cancer", "sachs"]], seed=2)
    assert len(mixed.nodes) == 8 + 5 + 11


def test_tables_go_in_and_come_out():
    states = {"a": ["x", "y"], "b": [1, 2, 3], "c": [True, False]}
    rng = np.random.default_rng(0)
    tables = {
        "a": [0.25, 0.75],
        "b": rng.dirichlet(np.ones(3), size=2),
        "c": rng.dirichlet(np.ones(2), size=(3, 2)),
    }
    network = phgs.Network.from_tables(states, {"b": ["a"], "c": ["b", "a"]}, tables)
    for name, table in tables.items():
        np.testing.assert_array_equal(network.table(name), table)
    assert network.edges == (("a", "b"), ("a", "c"), ("b", "c"))
    marginals = network.marginals()
    joint = np.einsum("a,ab,bac->abc", tables["a"], tables["b"], tables["c"])
    np.testing.assert_allclose(marginals["c"], joint.sum((0, 1)), atol=1e-14)
    with pytest.raises(phgs.GraphError, match="cycle: "):
        phgs.Network.from_tables({"a": "xy", "b": "xy"}, {"a": "b", "b": "a"}, {"a": np.eye(2), "b": np.eye(2)})
    with pytest.raises(phgs.DataError, match="shape"):
        phgs.Network.from_tables(states, {}, tables)


def test_parameters_are_learned():
    data = {"rain": [0, 0, 0, 1], "wet": ["n", "n", "y", "y"]}
    network = phgs.Network.fit(data, [("rain", "wet")])
    assert network.states == {"rain": ("0", "1"), "wet": ("n", "y")}
    np.testing.assert_allclose(network.table("wet"), [[2 / 3, 1 / 3], [0, 1]])
    smooth = phgs.Network.fit(data, [("rain", "wet")], equivalent_sample_size=4)
    np.testing.assert_allclose(smooth.table("wet"), [[0.6, 0.4], [1 / 3, 2 / 3]])
    # Whatever the order of rows, states are sorted.
    backward = {name: values[::-1] for name, values in data.items()}
    assert phgs.Network.fit(backward, [("rain", "wet")]) == network
    asia = phgs.Network.load("asia")
    learned = phgs.Network.fit(asia.sample(200_000, seed=3), asia)
    np.testing.assert_allclose(learned.marginals()["dysp"][::-1], asia.marginals()["dysp"], atol=0.005)


def test_random_networks():
    dag = phgs.random_dag(50, degree=3, seed=1)
    assert dag.is_dag
    assert 40 < len(dag.directed) < 110
    network = phgs.Network.random(dag, states=(2, 4), concentration=0.5, seed=2)
    assert network.nodes == dag.variables
    assert set(network.edges) == set(dag.directed)
    assert {len(states) for states in network.states.values()} <= {2, 3, 4}
    assert len(phgs.random_dag(50, scale_free_parents=2).directed) == 97
    with pytest.raises(phgs.ParameterError, match="not both"):
        phgs.random_dag(5, degree=1, scale_free_parents=1)
    with pytest.raises(phgs.ParameterError, match="degree"):
        phgs.random_dag(5, degree=9)


@pytest.mark.extras
@pytest.mark.filterwarnings("ignore")  # its own, on import
def test_pgmpy_gets_the_same_distribution(package):
    package("pgmpy")
    network = phgs.Network.load("asia")
    model = network.to_pgmpy()
    assert model.check_model()
    from pgmpy.inference import VariableElimination

    found = VariableElimination(model).query(["dysp"], show_progress=False)
    expected = dict(zip(network.states["dysp"], network.marginals()["dysp"], strict=True))
    for state, value in expected.items():
        assert found.get_value(dysp=state) == pytest.approx(value)


@pytest.mark.extras
def test_pyagrum_gets_the_same_distribution(package):
    gum = package("pyagrum")
    network = phgs.Network.load("insurance")
    inference = gum.LazyPropagation(network.to_pyagrum())
    inference.makeInference()
    for node, expected in network.marginals().items():
        np.testing.assert_allclose(inference.posterior(node).toarray(), expected, atol=1e-9)
