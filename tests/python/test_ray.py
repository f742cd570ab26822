"""Rows on the nodes of a Ray cluster: the same results to the bit, whatever happens to the actors."""

import os
import signal
import threading
import time

import pytest

import phgs
from test_workers import ON_CLUSTERS, interrupted, learned, numbers, of_numbers, write

pytestmark = [
    *ON_CLUSTERS,
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

STORE = 80 << 20
"""Bytes of the object store of a node, the least that there can be."""


@pytest.fixture(scope="module")
def ray(request):
    """Connect to a cluster of two nodes on this machine."""
    if request.config.getoption("--extras"):
        import ray
    else:
        ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": STORE}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    cluster.add_node(num_cpus=1, object_store_memory=STORE)
    ray.init(address=cluster.address, log_to_driver=False)
    yield ray
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    table = phgs.Network.load("alarm").sample(2000, seed=1)
    return table, write(tmp_path_factory.mktemp("lakes") / "alarm", table)


def processes(ray, source):
    """Return the process of each part."""
    handles = source.spread([], found_out=True).parts.handles
    return ray.get([handle._actor.__ray_call__.remote(lambda _: os.getpid()) for handle in handles])


def is_there(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_methods_find_the_same_to_the_bit(ray, lake):
    table, folder = lake
    with phgs.shards(folder, on=ray) as source:
        for method in ("pc", "ppc", "phgs", "mmpc", "si-hiton-pc", "fast-iamb", "hc", "tabu", "ges", "mmhc", "auto"):
            assert learned(source, method) == learned(table, method), method
        parts = source.spread([], found_out=True).parts
        assert len({handle.place for handle in parts.handles}) == 2
        running = processes(ray, source)
    until = time.perf_counter() + 120
    while any(map(is_there, running)) and time.perf_counter() < until:
        time.sleep(0.05)
    assert not any(map(is_there, running))


def test_gaussian_methods_find_the_same_to_the_bit(ray, tmp_path):
    table = numbers(20_000)
    source = phgs.shards(write(tmp_path / "lake", table), on=ray)
    for method in ("pc", "hc"):
        assert of_numbers(source, method)[0] == of_numbers(table, method)[0], method


def test_a_killed_actor_changes_nothing(ray, lake):
    table, folder = lake
    with phgs.shards(folder, on=ray) as source:
        parts = source.spread([], found_out=True).parts
        timer = threading.Timer(0.3, os.kill, (processes(ray, source)[1], signal.SIGKILL))
        timer.start()
        expected = learned(table, "phgs")
        for _ in range(50):
            assert learned(source, "phgs") == expected
            if not timer.is_alive() and parts.lost:
                break
        assert parts.lost == 1


def test_files_that_are_not_there_are_named(ray, lake, tmp_path):
    folder = write(tmp_path / "lake", lake[0])
    source = phgs.shards(folder, on=ray)
    assert source.n_rows == 2000
    (folder / "part-0.parquet").unlink()
    with pytest.raises(phgs.DataError, match=r"finds no file .*part-0\.parquet"):
        phgs.learn(source)


def test_ctrl_c_frees_the_nodes(ray, lake):
    source = phgs.shards(lake[1], on=ray)
    source.spread([], found_out=True)
    running = processes(ray, source)
    with interrupted(0.5):
        while True:
            phgs.learn(source, "phgs", alpha=0.2, max_conditioning_size=None, progress=False)
    begin = time.perf_counter()
    assert not any(held.parts.handles for held in source._spread.values())
    while any(map(is_there, running)) and time.perf_counter() < begin + 10:
        time.sleep(0.02)
    assert time.perf_counter() - begin < 2


def test_ray_must_be_connected(ray, lake, monkeypatch):
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(phgs.ParameterError, match=r"on: ray is not connected to a cluster; call ray\.init"):
        phgs.shards(lake[1], on=ray)
