"""Rows on the workers of a Dask cluster: the same results to the bit, whatever happens to the workers."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import phgs
from test_workers import ON_CLUSTERS, learned, numbers, of_numbers, write

pytestmark = [
    *ON_CLUSTERS,
    pytest.mark.filterwarnings("ignore:Port 8787"),
]

METHODS = ["pc", "ppc", "phgs", "mmpc", "si-hiton-pc", "fast-iamb", "hc", "tabu", "ges", "mmhc", "auto"]


@pytest.fixture(scope="module")
def distributed(request):
    if request.config.getoption("--extras"):
        import distributed

        return distributed
    return pytest.importorskip("distributed")


@pytest.fixture
def cluster(distributed):
    """Start clusters of so many processes, and close them."""
    started = []

    def start(n_workers, **options):
        made = distributed.LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", **options)
        client = distributed.Client(made)
        started.extend([client, made])
        return client

    yield start
    for made in started:
        made.close()


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    table = phgs.Network.load("alarm").sample(2000, seed=1)
    return table, write(tmp_path_factory.mktemp("lakes") / "alarm", table)


@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_methods_find_the_same_to_the_bit(n_workers, lake, cluster):
    table, folder = lake
    client = cluster(n_workers)
    with phgs.shards(folder, on=client) as source:
        for method in METHODS:
            assert learned(source, method) == learned(table, method), method
        assert len({handle.place for handle in source.spread([], found_out=True).parts.handles}) == n_workers
    result = phgs.learn(phgs.shards(folder, on=client), "pc", progress=False)
    assert (result.n_rows, len(list(result.edges))) == (2000, result.cpdag.n_edges)


@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_gaussian_methods_find_the_same_to_the_bit(n_workers, tmp_path, cluster, package):
    frames = package("dask.dataframe")
    table = numbers(20_000)
    client = cluster(n_workers)
    source = phgs.shards(write(tmp_path / "lake", table), on=client)
    frame = frames.from_pandas(table.to_pandas(), npartitions=5)
    for method in ("pc", "phgs", "mmpc", "hc", "ges", "auto"):
        expected, _ = of_numbers(table, method)
        assert of_numbers(source, method)[0] == expected, method
        assert of_numbers(frame, method)[0] == expected, method
    # The scheduler tells workers a moment later, which on a machine under load may be long.
    until = time.perf_counter() + 120
    while any(held(client).values()) and time.perf_counter() < until:
        time.sleep(0.05)
    assert not any(held(client).values())


def test_large_tables_and_many_states(tmp_path, cluster):
    from test_workers import many_states

    table = many_states()
    source = phgs.shards(write(tmp_path / "lake", table), on=cluster(2))
    for method, options in (("hc", {"score": "aic", "max_parents": 3}), ("pc", {"max_conditioning_size": 2})):
        options |= {"data_type": "discrete"}
        assert learned(source, method, **options) == learned(table, method, **options)


@pytest.mark.filterwarnings("ignore::phgs.errors.PhgsWarning")
def test_a_dask_dataframe_is_learned_from_where_it_is(lake, cluster, package):
    frames = package("dask.dataframe")
    frame = lake[0].slice(0, 1000).to_pandas().astype(str)
    dask_frame = frames.from_pandas(frame, npartitions=5)
    with pytest.raises(phgs.ParameterError, match=r"there is none; make a distributed\.Client"):
        phgs.learn(dask_frame)
    client = cluster(2)
    assert learned(dask_frame, "phgs") == learned(frame, "phgs")
    source = phgs.shards(dask_frame, columns=["HR", "HRBP", "CO"])
    chosen = frame[list(source.names)]
    assert learned(source, "pc") == learned(chosen, "pc")
    assert phgs.verify(phgs.learn(chosen, "pc"), phgs.shards(dask_frame)).n_rows == 1000
    # The same rows, however they lie: those of a sample do not depend on partitions.
    again = phgs.shards(frames.from_pandas(frame, npartitions=3), on=client)
    assert list(phgs.shards(dask_frame).sample(50, seed=1).codes[0]) == list(again.sample(50, seed=1).codes[0])
    some = dask_frame[dask_frame["HR"] == "HIGH"]
    assert phgs.learn(some[["CO", "HRBP"]], "pc", progress=False).n_rows == int((frame["HR"] == "HIGH").sum())
    with pytest.raises(phgs.DataError, match="no rows"):
        phgs.learn(dask_frame[dask_frame["HR"] == "none"], "pc")


@pytest.mark.parametrize(("seed", "n_workers"), [(0, 1), (1, 2), (2, 2), (3, 2), (4, 3)])
def test_a_killed_worker_changes_nothing(seed, n_workers, lake, cluster):
    """The only one, too: its nanny starts another."""
    table, folder = lake
    client = cluster(n_workers)
    source = phgs.shards(folder, on=client)
    source.spread([], found_out=True)
    pids = list(client.run(os.getpid).values())
    chosen = random.Random(seed)
    timer = threading.Timer(chosen.uniform(0, 2), os.kill, (chosen.choice(pids), signal.SIGKILL))
    timer.start()
    expected = learned(table, "phgs")
    for _ in range(50):
        assert learned(source, "phgs") == expected
        if not timer.is_alive() and source.spread([], found_out=True).parts.lost:
            break
    assert source.spread([], found_out=True).parts.lost == 1


def test_what_cannot_be_done_is_said_before_any_work(lake, cluster, distributed, tmp_path):
    table, folder = lake
    nobody = cluster(0)
    with pytest.raises(phgs.ParameterError, match="on: there are no workers of the client"):
        phgs.learn(phgs.shards(folder, on=nobody))
    small = cluster(1, memory_limit="60 kB")
    with pytest.raises(phgs.DataError, match=r"the table takes about .* KiB on the workers of the client"):
        phgs.learn(phgs.shards(folder, on=small))

    async def refused():
        async with distributed.Client(nobody.scheduler.address, asynchronous=True) as client:
            with pytest.raises(phgs.ParameterError, match="on: an asynchronous client"):
                phgs.shards(folder, on=client)

    import asyncio

    asyncio.run(refused())
    moved = write(tmp_path / "lake", table)
    source = phgs.shards(moved, on=cluster(1))
    assert source.n_rows == 2000
    (moved / "part-0.parquet").unlink()
    with pytest.raises(phgs.DataError, match=r"finds no file .*part-0\.parquet"):
        phgs.learn(source)


WORK = {
    "learn": "phgs.learn(source, 'phgs', alpha=0.2, max_conditioning_size=None, progress=False)",
    "distances": "phgs.distances(source)",
    "score": "phgs.score(source, graph)",
    "blanket": "phgs.markov_blanket(source, 'HR')",
}


def test_workers_are_those_of_the_scheduler_whatever_the_client_remembers(cluster, monkeypatch):
    from phgs.data.on_dask import DaskEngine

    client = cluster(2)
    engine = DaskEngine(client)
    # Now and then a client writes over what it remembers, without the workers.
    monkeypatch.setattr(client, "scheduler_info", lambda **_: {"workers": {}})
    assert len(engine.places()) == 2
    client.close()
    assert engine.places() == []


@pytest.mark.parametrize("name", WORK)
def test_ctrl_c_frees_the_workers_within_two_seconds(name, tmp_path, cluster):
    table = phgs.Network.load("alarm").sample(300_000, seed=1)
    folder = write(tmp_path / "lake", table)
    client = cluster(2)
    program = f"""
        import distributed, phgs
        client = distributed.Client({client.scheduler.address!r})
        source = phgs.shards({str(folder)!r}, on=client)
        graph = list(phgs.Network.load("alarm").edges)
        phgs.learn(source, "pc", progress=False)
        print("begin", flush=True)
        try:
            while True:
                {WORK[name]}
        except KeyboardInterrupt:
            print("freed", not any(held.parts.handles for held in source._spread.values()), flush=True)
            import time
            time.sleep(60)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begin\n"
    time.sleep(1)
    assert any(held(client).values())
    process.send_signal(signal.SIGINT)
    begin = time.perf_counter()
    assert process.stdout.readline() == "freed True\n"
    while any(held(client).values()) and time.perf_counter() < begin + 10:
        time.sleep(0.05)
    taken = time.perf_counter() - begin
    process.kill()
    process.wait()
    assert taken < 2


@pytest.mark.parametrize("seed", range(3))
def test_a_worker_that_is_killed_while_it_first_reads_changes_nothing(seed, tmp_path, cluster):
    table = phgs.Network.load("alarm").sample(400_000, seed=1)
    folder = write(tmp_path / "lake", table, files=40)
    client = cluster(2)
    source = phgs.shards(folder, on=client)
    pids = list(client.run(os.getpid).values())
    client.run(lambda: __import__("phgs.data.parts"))
    chosen = random.Random(seed)
    killed = []

    def kill():
        while not any(held(client).values()):
            time.sleep(0.01)
        time.sleep(chosen.uniform(0, 0.1))
        killed.append(not source._spread)
        os.kill(chosen.choice(pids), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    found = learned(source, "pc")
    killer.join()
    assert killed == [True], "the worker was killed too late"
    assert found == learned(table, "pc")
    assert source.spread([], found_out=True).parts.lost == 1


def held(client):
    """Return the actors on each worker."""
    return client.run(lambda dask_worker: list(dask_worker.state.actors))


def test_the_command_line_takes_a_scheduler(lake, cluster, tmp_path, capsys):
    from phgs.cli import main

    _, folder = lake
    client = cluster(2)
    ours, theirs = tmp_path / "a.csv", tmp_path / "b.csv"
    assert main(["learn", str(folder), "--method", "pc", "--edges", str(ours), "--quiet"]) == 0
    arguments = ["learn", str(folder), "--method", "pc", "--dask", client.scheduler.address, "--edges", str(theirs)]
    assert main([*arguments, "--quiet"]) == 0
    assert ours.read_text() == theirs.read_text()
    assert main(["learn", str(folder), "--dask", "tcp://127.0.0.1:1"]) == 2
    assert "--dask: no scheduler answers at tcp://127.0.0.1:1" in capsys.readouterr().err
