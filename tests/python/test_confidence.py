"""The bootstrap: what replicates are, what is counted, what one graph is made of it."""

import concurrent.futures
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest

import phgs
from phgs.confidence.confidence import counted
from phgs.confidence.threshold import estimated_threshold


@pytest.fixture(scope="module")
def asia():
    return phgs.Network.load("asia").sample(1000, seed=1)


@pytest.fixture(scope="module")
def found(asia):
    return phgs.bootstrap(phgs.PHGS(threads=1), asia, n=40, seed=3)


def made(n, counts, variables="abcd"):
    return phgs.EdgeConfidence(
        method="pc",
        variables=tuple(variables),
        n_replicates=n,
        n_incomplete=0,
        seed=0,
        n_rows=10,
        parameters={},
        counts={tuple(variables.index(v) for v in pair): shares for pair, shares in counts.items()},
    )


def test_shares_add_to_one_and_belong_to_the_order_of_the_pair(found):
    assert len(found.pairs) >= 5
    for row in found.pairs:
        assert row.x_to_y + row.y_to_x + row.undirected + row.absent == pytest.approx(1, abs=1e-12)
        assert row.frequency == pytest.approx(1 - row.absent, abs=1e-12)
        back = found.pair(row.y, row.x)
        assert (back.x_to_y, back.y_to_x) == (row.y_to_x, row.x_to_y)
    frequencies = found.pairs["frequency"]
    assert frequencies == sorted(frequencies, reverse=True)
    never = next(
        (x, y)
        for i, x in enumerate(found.variables)
        for j, y in enumerate(found.variables)
        if i < j and (i, j) not in found.counts
    )
    assert found.pair(*never)[2:] == (0.0, 0.0, 0.0, 0.0, 1.0)
    with pytest.raises(phgs.ParameterError, match="did you mean 'bronc'"):
        found.pair("asia", "bronch")


def test_counts_are_those_of_the_replicates_cpdags(asia, found):
    table = phgs.as_table(asia)
    frame = asia.to_pandas().astype(str)
    total = {}
    for index in range(40):
        rows = np.random.default_rng([3, index]).integers(0, 1000, 1000)
        drawn = table.take(rows)
        # The rows read on their own, without what the whole table knows.
        fresh = phgs.learn(frame.iloc[rows].reset_index(drop=True), "phgs", progress=False).cpdag
        assert phgs.learn(drawn, "phgs", progress=False).cpdag == fresh
        for edge in fresh:
            total[edge] = total.get(edge, 0) + 1
    for row in found.pairs:
        n = found.n_replicates
        assert row.x_to_y * n == pytest.approx(total.get((row.x, row.y, True), 0))
        assert row.y_to_x * n == pytest.approx(total.get((row.y, row.x, True), 0))
        assert row.undirected * n == pytest.approx(total.get((row.x, row.y, False), 0))


def test_any_executor_and_any_number_of_threads_give_the_same(asia, found):
    with concurrent.futures.ThreadPoolExecutor(3) as executor:
        assert phgs.bootstrap(phgs.PHGS(), asia, 40, 3, executor=executor) == found
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as executor:
        few = phgs.bootstrap(phgs.PHGS(), asia, 6, 3, executor=executor)
    assert few == phgs.bootstrap(phgs.PHGS(threads=1), asia, 6, 3)
    assert few != phgs.bootstrap(phgs.PHGS(threads=1), asia, 6, 4)


def test_a_learner_that_is_given_stays_as_it_is(asia):
    learner = phgs.PC(progress=True, threads=0)
    phgs.bootstrap(learner, asia, 2)
    assert repr(learner) == "PC(progress=True)"
    assert not hasattr(learner, "result_")


def test_gaussian_rows_are_drawn_too():
    data = phgs.sample_gaussian([("a", "b"), ("b", "c")], 500, seed=1)
    found = phgs.bootstrap(phgs.PC(), data, 10)
    assert found.pair("a", "b").frequency == 1.0
    matrix = phgs.gaussian_from_correlation(data.correlation, 500, names=data.names)
    with pytest.raises(phgs.DataError, match="no rows to draw from"):
        phgs.bootstrap(phgs.PC(), matrix, 10)


def test_states_that_a_replicate_lacks_are_not_counted():
    table = phgs.as_table({"x": ["a", "b", "c", "a"], "y": [0, 1, 0, 1]})
    drawn = table.take(np.array([2, 0, 2, 0, 0]))
    assert drawn.levels == (("a", "c"), (0,))
    assert [codes.tolist() for codes in drawn.codes] == [[1, 0, 1, 0, 0], [0] * 5]
    assert (drawn.n_rows, drawn.n_rows_read) == (5, 5)


def distance(values, t):
    """Return ∫₀¹ |F(x) − t| dx exactly: F is constant between the values."""
    ends = np.concatenate([[0.0], np.sort(values), [1.0]])
    level = np.arange(len(values) + 1) / len(values)
    return float(np.sum(np.abs(level - t) * np.diff(ends)))


def test_the_threshold_minimises_the_distance():
    # The example of Scutari and Nagarajan (2013): three of six edges are significant.
    example = [0.0460, 0.2242, 0.3921, 0.7689, 0.8935, 0.9439]
    assert estimated_threshold(example) == 0.3921
    assert estimated_threshold([0.9, 1.0]) == 0.0
    assert estimated_threshold([]) == 0.0
    rng = np.random.default_rng(2)
    for _ in range(200):
        values = rng.choice(101, int(rng.integers(1, 12)), replace=False) / 100
        values = values[values != 0.5]
        if not len(values):
            continue
        threshold = estimated_threshold(values)
        t = float(np.mean(values <= threshold))
        grid = [distance(values, level) for level in np.linspace(0, 1, 201)]
        assert distance(values, t) <= min(grid) + 1e-12


def test_the_estimated_threshold_counts_pairs_without_an_edge(found):
    assert found.estimated_threshold <= 0.5
    assert all(row.frequency > 0.5 for row in found.significant())
    assert len(found.significant()) == sum(row.frequency > 0.5 for row in found.pairs)
    assert made(10, {"ab": (10, 0, 0)}).estimated_threshold == 0.0


def test_a_threshold_of_one_s_own():
    counts = {"ab": (10, 0, 0), "bc": (4, 1, 0), "cd": (1, 0, 0)}
    found = made(10, counts)
    assert [row.frequency for row in found.significant(0.5)] == [1.0, 0.5]
    assert [row.frequency for row in found.significant(1.0)] == [1.0]
    assert len(found.significant(0.1)) == 3
    for bad, match in [(0.0, "frequency above 0"), (1.5, "at most 1"), ("estimate", "did you mean 'estimated'")]:
        with pytest.raises(phgs.ParameterError, match=match):
            found.significant(bad)
    with pytest.raises(phgs.ParameterError, match="kind"):
        found.consensus(kind="pdag")


def test_the_consensus_draws_each_edge_as_most_replicates_do():
    found = made(10, {"ab": (6, 3, 1), "bc": (1, 7, 1), "cd": (4, 0, 4), "ad": (3, 3, 2)})
    graph = found.consensus(0.5)
    assert graph.directed == (("a", "b"), ("c", "b"))
    assert graph.undirected == (("a", "d"), ("c", "d"))


def test_the_consensus_leaves_out_the_weakest_arc_of_a_cycle():
    found = made(10, {"ab": (9, 0, 0), "bc": (8, 0, 0), "ac": (0, 7, 0)})
    for kind in ("majority", "dag"):
        assert found.consensus(kind=kind).directed == (("a", "b"), ("b", "c"))
        assert found.consensus(kind=kind).undirected == ()
    assert found.consensus(kind="cpdag").undirected == (("a", "b"), ("b", "c"))
    counts = {(0, 1): (6, 0, 0), (1, 2): (7, 0, 0), (0, 2): (0, 8, 0)}
    found = phgs.EdgeConfidence("hc", ("a", "b", "c"), 10, 0, 0, 100, {}, counts)
    assert set(found.consensus(0.5, "dag").directed) == {("b", "c"), ("c", "a")}


def test_the_class_of_the_consensus_keeps_the_directions_of_knowledge(tmp_path):
    # Tiers direct a → b; Meek's first rule then directs b → c.
    known = phgs.Knowledge(tiers=[["a"], ["b"]])
    counts = {(0, 1): (10, 0, 0), (1, 2): (6, 1, 3)}
    found = phgs.EdgeConfidence("hc", ("a", "b", "c"), 10, 0, 0, 100, {}, counts, knowledge=known)
    assert found.consensus(kind="cpdag").directed == (("a", "b"), ("b", "c"))
    found.save(tmp_path / "found.json")
    loaded = phgs.EdgeConfidence.load(tmp_path / "found.json")
    assert loaded.consensus(kind="cpdag").directed == (("a", "b"), ("b", "c"))
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 500)
    data = {"a": a, "b": a ^ (rng.random(500) < 0.1)}
    found = phgs.bootstrap(phgs.Tabu(knowledge=known), data, n=5, progress=False)
    assert found.consensus(kind="cpdag").directed == (("a", "b"),)


def test_every_consensus_is_acyclic():
    rng = np.random.default_rng(4)
    for _ in range(100):
        p = int(rng.integers(2, 9))
        pairs = {(x, y): tuple(map(int, rng.integers(0, 4, 3))) for x in range(p) for y in range(x + 1, p)}
        counts = {pair: shares for pair, shares in pairs.items() if sum(shares)}
        found = phgs.EdgeConfidence("pc", tuple(range(p)), 9, 0, 0, 10, {}, counts)
        voted, dag = found.consensus(0.3), found.consensus(0.3, "dag")
        assert phgs.Graph(voted.variables, voted.directed).is_dag
        assert dag.is_dag
        assert dag.skeleton() == voted.skeleton()
        assert set(voted.directed) <= set(dag.directed)
        for a, b in dag.directed:
            share = found.pair(a, b)
            assert share.x_to_y > 0 or share.undirected > 0
        assert found.consensus(0.3, "cpdag") == phgs.dag_to_cpdag(dag)


def test_an_undirected_chain_stays_a_chain():
    """No v-structure may come of edges whose direction no replicate knew."""
    found = made(10, {"ac": (0, 0, 10), "bc": (0, 0, 10)})
    assert found.consensus(kind="cpdag").undirected == (("a", "c"), ("b", "c"))


def test_a_folder_resumes(asia, found, tmp_path):
    folder = tmp_path / "replicates"
    calls = []

    def stop(phase, done, total):
        calls.append((phase, done, total))
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        phgs.bootstrap(phgs.PHGS(), asia, 40, 3, folder=folder, progress=stop)
    assert len(list(folder.glob("replicate-*.json"))) == 7
    kept = (folder / "replicate-000003.json").read_bytes()
    calls.clear()
    again = phgs.bootstrap(
        phgs.PHGS(threads=2), asia, 40, 3, folder=folder, progress=lambda *state: calls.append(state)
    )
    assert again == found
    assert calls[0] == ("bootstrap", 8, 40)
    assert calls[-2:] == [("bootstrap", 40, 40), ("finished", 1, 1)]
    assert (folder / "replicate-000003.json").read_bytes() == kept
    assert phgs.bootstrap(phgs.PHGS(), asia, 5, 3, folder=folder).n_replicates == 5
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_a_folder_belongs_to_one_bootstrap(asia, tmp_path):
    folder = tmp_path / "replicates"
    phgs.bootstrap(phgs.PC(), asia, 2, 1, folder=folder)
    before = sorted(path.name for path in folder.iterdir())
    other = asia.to_pandas().iloc[::-1].reset_index(drop=True)
    for learner, data, seed, match in [
        (phgs.PC(alpha=0.01), asia, 1, "other alpha"),
        (phgs.PPC(), asia, 1, "other .*method"),
        (phgs.PC(), asia, 2, "other seed"),
        (phgs.PC(), other, 1, "other data or knowledge"),
        (phgs.PC(knowledge={"forbidden": [("asia", "tub")]}), asia, 1, "other data or knowledge"),
    ]:
        with pytest.raises(phgs.ParameterError, match=match):
            phgs.bootstrap(learner, data, 2, seed, folder=folder)
    assert sorted(path.name for path in folder.iterdir()) == before
    (folder / "replicate-000001.json").write_text("{")
    with pytest.raises(phgs.ParameterError, match=r"replicate-000001\.json is damaged; delete it"):
        phgs.bootstrap(phgs.PC(), asia, 2, 1, folder=folder)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("x")
    with pytest.raises(phgs.ParameterError, match="holds other files"):
        phgs.bootstrap(phgs.PC(), asia, 2, 1, folder=tmp_path / "full")


def test_what_an_executor_has_done_is_kept_when_one_fails(asia, tmp_path):
    executor = concurrent.futures.ThreadPoolExecutor(1)
    gate = threading.Event()

    class Failing(phgs.PC):
        def _learn(self, data, stacklevel):
            if gate.is_set():
                raise RuntimeError("enough")
            return super()._learn(data, stacklevel)

    def stop(phase, done, total):
        if done == 3:
            gate.set()

    with executor, pytest.raises(RuntimeError, match="enough"):
        phgs.bootstrap(Failing(), asia, 60, executor=executor, folder=tmp_path / "r", progress=stop)
    assert len(list((tmp_path / "r").glob("replicate-*.json"))) >= 3


SCRIPT = """
import phgs
data = phgs.datasets.load_alarm().table
try:
    print("ready", flush=True)
    phgs.bootstrap(phgs.PHGS(), data, 10**6, folder={folder!r}, progress=False)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_keeps_what_is_done(tmp_path):
    folder = tmp_path / "replicates"
    script = SCRIPT.format(folder=os.fspath(folder))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        deadline = time.monotonic() + 60
        while len(list(folder.glob("replicate-*.json"))) < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert time.monotonic() - sent < 1.0
    files = list(folder.glob("replicate-*.json"))
    assert len(files) >= 3
    assert all("directed" in json.loads(path.read_text()) for path in files)


def test_files_frames_and_pictures(found, tmp_path):
    path = tmp_path / "b.json"
    found.save(path)
    assert phgs.EdgeConfidence.load(path) == found
    path.write_text("{}")
    with pytest.raises(phgs.DataError, match="not a file of bootstrap"):
        phgs.EdgeConfidence.load(path)
    frame = found.to_pandas()
    assert list(frame.columns) == ["x", "y", "frequency", "x_to_y", "y_to_x", "undirected", "absent"]
    assert isinstance(frame, pd.DataFrame)
    assert pl.DataFrame(found).height == len(frame) == len(found.to_csv().splitlines()) - 1
    found.plot(tmp_path / "b.png", threshold=0.1)
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")
    for text in (str(found), found._repr_html_()):
        assert "40 of 1,000 rows" in text
        assert "frequency" in text
    assert "<svg" in found._repr_html_()


def test_bad_arguments(asia):
    for arguments, match in [
        ({"learner": "phsg"}, "did you mean 'phgs'"),
        ({"learner": 3}, "learner: expected a learner"),
        ({"learner": "pc", "n": 0}, "n: 0 must be at least 1"),
        ({"learner": "pc", "seed": -1}, "seed"),
        ({"learner": "pc", "executor": 2}, "executor: expected"),
        ({"learner": phgs.PC(alpha=2)}, "alpha"),
    ]:
        with pytest.raises(phgs.ParameterError, match=match):
            phgs.bootstrap(data=asia, **arguments)


def test_a_time_limit_is_counted(alarm):
    found = phgs.bootstrap(phgs.HillClimbing(restarts=10**6, time_limit=0.05), alarm.table, 2)
    assert found.n_incomplete == 2
    assert "2 cut short" in str(found)


def test_counting():
    assert counted([([(2, 1)], [(0, 1)]), ([(1, 2)], [])]) == {(0, 1): (0, 0, 1), (1, 2): (1, 1, 0)}


def test_on_the_command_line(asia, found, tmp_path, capsys):
    from phgs.cli import main

    data = tmp_path / "asia.csv"
    asia.to_pandas().to_csv(data, index=False)
    names = {kind: tmp_path / f"out.{kind}" for kind in ("json", "table", "edges", "dot", "png")}
    options = ["--json", names["json"], "--table", names["table"], "--edges", names["edges"], "--dot", names["dot"]]
    options += ["--plot", names["png"], "--folder", tmp_path / "r", "--workers", "2", "--consensus", "cpdag"]
    assert main(["bootstrap", str(data), "--method", "phgs", "-n", "40", "--seed", "3", *map(str, options)]) == 0
    assert "40 of 1,000 rows, seed 3" in capsys.readouterr().out
    loaded = phgs.EdgeConfidence.load(names["json"])
    assert loaded.counts == found.counts
    assert phgs.as_graph(names["edges"], loaded.variables) == found.consensus(kind="cpdag")
    assert all(path.stat().st_size for path in names.values())
    assert main(["bootstrap", str(data), "--threshold", "2", "-n", "1"]) == 2
    assert "expected a share" in capsys.readouterr().err


def test_rows_with_missing_values_are_drawn_as_they_are():
    frame = pd.DataFrame({"x": ["a", "b", None, "c", "a"] * 50, "y": ["u", None, "v", "u", "v"] * 50})
    table = phgs.as_table(frame, missing="testwise")
    drawn = table.take(np.array([0, 2, 3, 3]))
    assert drawn.levels == (("a", "c"), ("u", "v"))
    assert [codes.tolist() for codes in drawn.codes] == [[0, 2, 1, 1], [0, 1, 0, 0]]
    assert drawn.n_missing == (1, 0)
    found = phgs.bootstrap(phgs.PC(path_length=1, missing="testwise"), frame, 5)
    assert found.n_replicates == 5


def test_an_identifier_stays_one_when_rows_repeat(chain):
    data = {**{name: values[:100] for name, values in chain.items()}, "id": [i // 2 * 2 for i in range(99)] + [999]}
    table = phgs.as_table(data, warn=False)
    drawn = table.take(np.random.default_rng(0).integers(0, 100, 100))
    assert drawn.isolated == table.isolated == (4,)
    found = phgs.bootstrap(phgs.PC(path_length=1), table, 10)
    assert all("id" not in (row.x, row.y) for row in found.pairs)
