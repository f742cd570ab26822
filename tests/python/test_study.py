"""Studies: configurations, running, resuming, reporting. Most tests use a stub in place of learners."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

import phgs
from phgs.study import Configuration, Store, configurations, paper_network, run_study, write_report
from phgs.study.solving import Outcome, Solved, solve

SMALL = {
    "n_rows": 200,
    "seeds": [1, 2],
    "networks": [{"name": "asia", "copies": 2}, "cancer"],
    "methods": [
        {"method": "phgs", "alpha": 0.05},
        {"label": "pc", "method": "pc", "alphas": [0.1, 0.01], "parameters": {"path_length": 1}},
        {"label": "pc-hc", "method": "gsc", "alphas": [0.1, 0.01], "skeleton": "pc"},
        {"label": "hc", "method": "tabu"},
        {"label": "true-hc", "method": "gsc", "skeleton": "truth", "parameters": {"init": "empty"}},
    ],
}


def stub(group, n_rows, data_type):
    """Make up values that depend on the task alone."""
    outcomes = []
    for network, seed, label, alpha in group.keys:
        if network == "cancer" and label == "hc" and seed == 2:
            outcomes.append(Outcome(network, seed, label, alpha, error="Traceback\nValueError: made up"))
            continue
        count = sum(map(ord, f"{network}{label}")) % 50 + seed
        values = {"P": 90, "TP": count, "R": 5, "FP": 85 - count, "FN": 10, "SHD": 15, "JI": count / (190 - count)}
        calls = {"within": 100 * n_rows, "search": n_rows, "total": 101 * n_rows}
        outcomes.append(Outcome(network, seed, label, alpha, None, 0.5, {**values, "calls": calls}))
    facts = {"p": 10, "edges": 12, "avg_neighbours": 2.4, "max_indegree": 3, "parameters": 50, "seconds": 0.1}
    return Solved(outcomes, {"network": group.network.label, "seed": group.seed, **facts})


def slow_stub(group, n_rows, data_type):
    time.sleep(0.15)
    return stub(group, n_rows, data_type)


def dying(group, n_rows, data_type):
    if group.network.label == "cancer" and group.seed == 2 and group.members[0].label == "hc":
        os.kill(os.getpid(), signal.SIGKILL)
    return stub(group, n_rows, data_type)


def test_configurations_that_come_with_the_package():
    assert configurations() == ["default-method", "gaussian", "gaussian-quick", "paper-full", "paper-quick"]
    quick, full = Configuration.load("paper-quick"), Configuration.load("paper-full")
    assert len(quick.networks) == len(full.networks) == 20
    assert [entry.copies for entry in quick.networks[:3]] == [200, 200, 125]
    assert full.seeds == tuple(range(1, 101))
    levels = {entry.label: len(entry.alphas) for entry in full.methods}
    assert levels["hpc"] == 10
    assert levels["phgs"] == 1
    assert {entry.label for entry in quick.methods} == set(levels)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seeds": []}, "seeds must be a list"),
        ({"data_sets": 3}, "either seeds"),
        ({"sedes": 3}, "did you mean 'seeds'"),
        ({"n_rows": 1}, "at least 2"),
        ({"networks": ["asia", "asia"]}, "'asia' is there twice"),
        ({"methods": [{"method": "phg"}]}, "did you mean 'phgs'"),
        ({"methods": [{"method": "phgs", "alpha": 2}]}, "not between 0 and 1"),
        ({"methods": [{"method": "gsc"}]}, "needs a skeleton"),
        ({"methods": [{"method": "pc", "skeleton": "truth"}]}, "takes no skeleton"),
        ({"methods": [{"method": "arges-hgi", "cig": "truth"}]}, "only method arges takes a cig"),
        ({"methods": [{"method": "ges", "alphas": [0.1], "penalties": [0.5]}]}, "not both"),
        ({"methods": [{"method": "ges", "penalties": [0]}]}, "must be above 0"),
        ({"data_type": "normal"}, "unknown data_type 'normal'"),
        ({"n_rows": []}, "a list with at least one"),
        ({"methods": [{"method": "gsc", "alphas": [0.1], "skeleton": "mmcp"}]}, "unknown label"),
        ({"methods": [{"method": "mmpc"}, {"method": "gsc", "alphas": [0.1], "skeleton": "mmpc"}]}, "levels at which"),
    ],
)
def test_wrong_configurations_are_refused(change, says):
    with pytest.raises(phgs.ParameterError, match=says):
        Configuration.from_mapping({**SMALL, **change})


def test_configuration_files(tmp_path):
    path = tmp_path / "small.json"
    path.write_text(json.dumps(SMALL))
    found = Configuration.load(path)
    assert found.name == "small"
    assert found.digest == Configuration.from_mapping(found.to_mapping()).digest
    with pytest.raises(phgs.ParameterError, match="did you mean 'paper-quick'"):
        Configuration.load("paper-quik")
    with pytest.raises(phgs.ParameterError, match="no file"):
        Configuration.load(tmp_path / "other.toml")
    if sys.version_info >= (3, 11):
        path = tmp_path / "bad.toml"
        path.write_text("seeds = [1")
        with pytest.raises(phgs.ParameterError, match=r"bad\.toml"):
            Configuration.load(path)


def test_a_study_runs_once_and_is_reported(tmp_path):
    configuration = Configuration.from_mapping(SMALL)
    with ThreadPoolExecutor(2) as executor:
        finished = run_study(configuration, tmp_path / "s", executor=executor, solver=stub)
        assert (finished.done, finished.failed, finished.new) == (28, 1, 28)
        again = run_study(configuration, tmp_path / "s", executor=executor, solver=stub)
        assert (again.done, again.failed, again.new) == (28, 1, 0)
        retried = run_study(configuration, tmp_path / "s", executor=executor, solver=stub, retry_failed=True)
        assert (retried.done, retried.failed, retried.new) == (28, 1, 1)
    files = {path.name for path in write_report(tmp_path / "s")}
    assert {"report.md", "report.html", "results.csv", "differences.csv", "accuracy-boxes.png"} <= files
    text = (tmp_path / "s/report/report.md").read_text()
    assert "28 of 28 tasks are done, 1 of them failed" in text
    assert "ValueError: made up" in text
    assert "(0.746)" not in text  # earthquake is not in this study
    assert "(0.758)" in text  # the paper's pHGS on cancer
    page = (tmp_path / "s/report/report.html").read_text()
    assert page.count("<table>") == text.count("|:---|")
    lines = (tmp_path / "s/report/results.csv").read_text().splitlines()
    assert len(lines) == 29


def test_results_are_put_together_as_in_the_paper():
    from phgs.study.results import Results

    def outcome(seed, alpha, ji, calls):
        values = dict.fromkeys(("P", "TP", "R", "FP", "SHD"), 1) | {"JI": ji}
        return Outcome("alarm", seed, "mmpc", alpha, None, 1.0, {**values, "calls": {"within": calls, "total": calls}})

    outcomes = [
        outcome(1, 0.1, 0.5, 100),
        outcome(1, 0.01, 0.7, 50),
        outcome(2, 0.1, 0.9, 100),
        outcome(2, 0.01, 0.1, 50),
    ]
    summary = Results(outcomes).summary("alarm", "mmpc")
    assert summary.metrics["JI"] == pytest.approx(0.8)
    assert summary.calls == [150, 150]
    assert summary.mean_calls == 150 * 10 / 2
    assert Results(outcomes).summary("alarm", "mmpc", 0.1).metrics["JI"] == pytest.approx(0.7)


def test_other_folders_are_left_alone(tmp_path):
    configuration = Configuration.from_mapping(SMALL)
    with ThreadPoolExecutor(1) as executor:
        run_study(configuration, tmp_path / "s", executor=executor, solver=stub)
        before = (tmp_path / "s/results.sqlite").read_bytes()
        other = Configuration.from_mapping({**SMALL, "n_rows": 300})
        with pytest.raises(phgs.ParameterError, match="another configuration"):
            run_study(other, tmp_path / "s", executor=executor, solver=stub)
        assert (tmp_path / "s/results.sqlite").read_bytes() == before
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine/notes.txt").write_text("mine")
        with pytest.raises(phgs.ParameterError, match="other files"):
            run_study(configuration, tmp_path / "mine", executor=executor, solver=stub)
        unknown = Configuration.from_mapping({**SMALL, "networks": ["asai"]})
        with pytest.raises(phgs.ParameterError, match="did you mean 'asia'"):
            run_study(unknown, tmp_path / "new", executor=executor, solver=stub)
        assert not (tmp_path / "new").exists()
    with pytest.raises(phgs.ParameterError, match="no study"):
        write_report(tmp_path / "mine")


def test_a_killed_study_goes_on_where_it_was(tmp_path):
    here = Path(__file__).parent
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from phgs.study import Configuration, run_study\n"
        "import test_study\n"
        "with ThreadPoolExecutor(2) as executor:\n"
        "    configuration = Configuration.from_mapping(test_study.SMALL)\n"
        "    run_study(configuration, sys.argv[2], executor=executor, solver=test_study.slow_stub)\n"
    )
    folder = tmp_path / "s"
    process = subprocess.Popen([sys.executable, "-c", code, str(here), str(folder)])
    deadline = time.monotonic() + 60
    done = 0
    while done < 5 and time.monotonic() < deadline:
        time.sleep(0.05)
        if (folder / "results.sqlite").exists():
            try:
                with Store(folder) as store:
                    done = len(store.done())
            except phgs.ParameterError:
                continue  # not started yet
    process.send_signal(signal.SIGKILL)
    process.wait()
    with Store(folder) as store:
        before = list(store.outcomes())
    assert 5 <= len(before) < 28
    with ThreadPoolExecutor(2) as executor:
        finished = run_study(Configuration.from_mapping(SMALL), folder, executor=executor, solver=stub)
    assert (finished.done, finished.new) == (28, 28 - len(before))
    with Store(folder) as store:
        after = list(store.outcomes())
    assert all(outcome in after for outcome in before)


# The command line, which says when it has its workers.
BEGINS = """
import sys
from phgs.cli import main
from phgs.study import running

def own_processes(workers, of_phgs=running.own_processes):
    made = of_phgs(workers)
    print("begins", flush=True)
    return made

running.own_processes = own_processes
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_a_study_at_once_and_keeps_what_is_done(tmp_path):
    # The last task takes minutes.
    settings = {
        **SMALL,
        "seeds": [1],
        "networks": ["asia", {"name": "alarm", "copies": 4}],
        "methods": [{"method": "phgs"}, {"label": "hc", "method": "hc", "parameters": {"restarts": 10**6}}],
    }
    path, folder = tmp_path / "c.json", tmp_path / "s"
    path.write_text(json.dumps(settings))
    command = [sys.executable, "-c", BEGINS, "study", "run", str(path), "--out", str(folder), "--workers", "2"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}

    def interrupted(until):
        # A terminal sends the signal to the workers too.
        with subprocess.Popen(command, **pipes, start_new_session=True) as process:
            assert process.stdout.readline() == "begins\n"
            until()
            sent = time.monotonic()
            os.killpg(process.pid, signal.SIGINT)
            shown = process.communicate()[1]
            assert time.monotonic() - sent < 1.0
        assert (process.returncode, shown) == (130, "phgs: interrupted\n")

    def done():
        try:
            with Store(folder) as store:
                return store.done()
        except phgs.ParameterError:
            return set()

    def wait_for(condition):
        deadline = time.monotonic() + 60
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.02)

    interrupted(lambda: None)  # workers are starting
    interrupted(lambda: wait_for(lambda: {key[2] for key in done()} == {"phgs"} and len(done()) == 2))
    before = done()
    assert len(before) == 2
    interrupted(lambda: time.sleep(1))
    assert done() == before


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_a_worker_that_dies_does_not_stop_the_rest(tmp_path):
    finished = run_study(Configuration.from_mapping(SMALL), tmp_path / "s", workers=2, solver=dying)
    assert finished.done == 28
    with Store(tmp_path / "s") as store:
        errors = [outcome for outcome in store.outcomes() if outcome.error is not None]
    assert [(o.network, o.seed, o.label) for o in errors] == [("cancer", 2, "hc")]
    assert "died" in errors[0].error


def test_learners_are_run_and_compared(tmp_path):
    with ThreadPoolExecutor(1) as executor:
        finished = run_study(Configuration.from_mapping(SMALL), tmp_path / "s", executor=executor)
    assert (finished.done, finished.failed) == (28, 0)
    with Store(tmp_path / "s") as store:
        found = {(o.network, o.seed, o.label, o.level): o.values for o in store.outcomes()}
        facts = {(f["network"], f["seed"]): f for f in store.data_sets()}
    for (network, seed, _, _), values in found.items():
        assert values["TP"] + values["R"] + values["FN"] == facts[network, seed]["edges"]
        assert values["P"] == values["TP"] + values["R"] + values["FP"]
    # A method on another's skeleton counts the calls that the skeleton took.
    for alpha in (0.1, 0.01):
        skeleton, hybrid = (found["asia", 1, label, alpha]["calls"] for label in ("pc", "pc-hc"))
        assert hybrid["within"] == skeleton["within"]
        assert hybrid["total"] > hybrid["within"]
    # The whole method in one run gives the same graph at the same calls.
    group = next(g for g in Configuration.from_mapping(SMALL).groups() if g.members[0].label == "pc")
    again = solve(group, 200)
    assert [o.values for o in again.outcomes] == [found[o.network, o.seed, o.label, o.level] for o in again.outcomes]


GAUSSIAN = {
    "data_type": "gaussian",
    "n_rows": [100, 2000],
    "seeds": [1, 2],
    "networks": [{"name": "asia", "copies": 4}, "sachs"],
    "methods": [
        {"label": "arges-skeleton", "method": "arges", "penalties": [0.5, 1.5], "skeleton": "truth"},
        {"label": "arges-cig", "method": "arges", "penalties": [0.5, 1.5], "cig": "truth"},
        {
            "label": "arges-hgi",
            "method": "arges-hgi",
            "penalties": [0.5, 1.5],
            "skeleton": "truth",
            "parameters": {"alpha": 0.01},
        },
    ],
}


def test_gaussian_data_of_several_sizes(tmp_path):
    from phgs.study import gaussian, simulate
    from phgs.study.results import Results

    configuration = Configuration.from_mapping({**GAUSSIAN, "networks": [{"name": "asia", "copies": 4}]})
    assert [entry.label for entry in configuration.networks] == ["asia, n = 100", "asia, n = 2000"]
    assert Configuration.from_mapping(configuration.to_mapping()) == configuration
    with ThreadPoolExecutor(1) as executor:
        finished = run_study(configuration, tmp_path / "s", executor=executor)
    assert (finished.done, finished.failed) == (2 * 2 * 3 * 2, 0)
    with Store(tmp_path / "s") as store:
        outcomes = list(store.outcomes())
    # The same structure twice has other weights.
    same = Configuration.from_mapping({**GAUSSIAN, "networks": ["cancer", "earthquake"], "n_rows": 50})
    one, other = (simulate(entry, 1, 50, data_type="gaussian") for entry in same.networks)
    assert one.n_parameters == other.n_parameters
    assert one.table.values[0][0] != other.table.values[0][0]
    # One task by hand.
    data = simulate(configuration.networks[1], 2, 2000, data_type="gaussian", threads=1)
    cig = phgs.conditional_independence_graph(data.truth)
    expected = phgs.learn(data.table, "arges", cig=cig, penalty=1.5, progress=False)
    task = ("asia, n = 2000", 2, "arges-cig", 1.5)
    found = next(o.values["JI"] for o in outcomes if (o.network, o.seed, o.label, o.level) == task)
    assert found == phgs.compare(data.truth, expected).jaccard
    pairs = gaussian.executions(configuration, Results(outcomes))
    assert len(pairs) == 2 * 2 * 2
    mean = {n: sum(each.greedy for each in pairs if each.n_rows == n) / 4 for n in (100, 2000)}
    assert mean[100] < mean[2000]
    files = {path.name for path in write_report(tmp_path / "s")}
    assert "gains-by-hgi.png" in files
    text = (tmp_path / "s/report/report.md").read_text()
    assert "100, 2,000 rows. 24 of 24 tasks are done" in text
    assert "| all | 8 |" in text


def test_gains_are_of_the_better_plain_search():
    from phgs.study import gaussian
    from phgs.study.results import Results

    configuration = Configuration.from_mapping({**GAUSSIAN, "n_rows": 100, "networks": ["asia"], "seeds": [1]})
    ji = {"arges-skeleton": 0.5, "arges-cig": 0.4, "arges-hgi": 0.6}
    outcomes = [
        Outcome("asia", 1, label, level, None, 1.0, {"JI": value if level == 0.5 else value / 2})
        for label, value in ji.items()
        for level in (0.5, 1.5)
        if (label, level) != ("arges-cig", 1.5)
    ]
    (found,) = gaussian.executions(configuration, Results(outcomes))
    assert (found.plain, found.greedy, found.n_rows) == (0.5, 0.6, 100)
    assert found.gain == pytest.approx(0.2)
    assert gaussian.gains([found]).rows[-1] == [
        "all",
        "1",
        "0.500",
        "0.600",
        "+20.0",
        "+20.0 (+20.0, +20.0)",
        "0.0",
        "0.0",
    ]


def test_folders_of_an_earlier_version_can_be_read(tmp_path):
    import sqlite3

    with ThreadPoolExecutor(1) as executor:
        run_study(Configuration.from_mapping(SMALL), tmp_path / "s", executor=executor, solver=stub)
    # Left to itself a connection commits at the end of the block but stays open.
    with closing(sqlite3.connect(tmp_path / "s/results.sqlite")) as connection, connection:
        connection.execute("alter table results rename column level to alpha")
    with Store(tmp_path / "s") as store:
        assert len(store.done()) == 28


def test_networks_of_the_paper():
    network = paper_network("child", copies=3, seed=4)
    assert len(network.nodes) == 60
    assert network == paper_network("child", copies=3, seed=4)
    mix = paper_network("mix", seed=1)
    assert len(mix.nodes) == 1011
    assert mix.max_in_degree == 7


@pytest.mark.extras
@pytest.mark.timeout(300)
def test_dask_runs_a_study(tmp_path, package):
    distributed = package("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        finished = run_study(
            Configuration.from_mapping(SMALL), tmp_path / "s", executor=client.get_executor(), solver=stub
        )
    assert (finished.done, finished.new) == (28, 28)


def test_a_task_over_the_time_limit_is_recorded_as_not_finished(tmp_path):
    methods = [{"label": "mmpc", "method": "mmpc", "alpha": 0.1}]
    methods.append({"label": "mmhc", "method": "gsc", "alpha": 0.1, "skeleton": "mmpc"})
    study = {"n_rows": 5000, "seeds": [1], "networks": [{"name": "andes", "copies": 2}], "methods": methods}
    configuration = Configuration.from_mapping({**study, "time_limit": 1e-9})
    assert configuration.digest != Configuration.from_mapping(study).digest
    assert Configuration.from_mapping(configuration.to_mapping()) == configuration
    solved = solve(configuration.groups()[0], 5000)
    assert [outcome.finished for outcome in solved.outcomes] == [False, False]
    assert solved.outcomes[0].error == "not finished: more than 1e-09 s of the processor"
    assert "mmpc, whose skeleton it uses: more than" in solved.outcomes[1].error
    assert all(not outcome.values for outcome in solved.outcomes)

    with ThreadPoolExecutor(1) as executor:
        finished = run_study(configuration, tmp_path, executor=executor)
    assert (finished.done, finished.failed, finished.not_finished) == (2, 0, 2)
    report = write_report(tmp_path)[0].read_text()
    assert "2 were not finished within 1e-09 s" in report
    assert "| andes | mmhc | 0.1 |" in report
    assert "Failed tasks" not in report
    for wrong in (0, True, "1 h"):
        with pytest.raises(phgs.ParameterError, match="time_limit"):
            Configuration.from_mapping({**study, "time_limit": wrong})
