"""Rows that stay in parts, of which tables are added up: the same results to the bit, lost parts, what is refused."""

import _thread
import contextlib
import itertools
import sys
import threading
import time
import warnings
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import phgs
from phgs.data import asking, sharded, sharded_numbers
from phgs.data.engines import InProcess, LostError, Place

ON_CLUSTERS = [
    pytest.mark.extras,
    pytest.mark.timeout(600),
    # Processes and sockets of clusters are closed some time after their ends.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
"""Marks of the tests that start clusters."""

RESTRICTED = {"gsc": {"skeleton": [("HR", "HRBP"), ("HR", "HREKG"), ("HRBP", "HREKG"), ("CO", "HR"), ("CVP", "PCWP")]}}
"""What methods need beside data."""


def write(folder, table, files=7):
    """Write consecutive rows to files of different lengths."""
    folder.mkdir(exist_ok=True)
    ends = np.linspace(0, 1, files + 1) ** 1.3 * len(table)
    for number, (start, end) in enumerate(itertools.pairwise(ends.astype(int))):
        pq.write_table(table.slice(start, end - start), folder / f"part-{number}.parquet")
    return folder


def learned(data, method, **options):
    """All that a result file holds, but for what depends on the day and on threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = phgs.learn(data, method, progress=False, **{**RESTRICTED.get(method, {}), **options})
    found = found.to_dict(separations=True)
    found.pop("seconds"), found["parameters"].pop("threads")
    for stage in found["stages"]:
        stage.pop("seconds")
    return found


@pytest.fixture(scope="module")
def alarm_lake(tmp_path_factory):
    table = phgs.Network.load("alarm").sample(1500, seed=1)
    return table, write(tmp_path_factory.mktemp("lakes") / "alarm", table)


@pytest.mark.parametrize("method", phgs.METHODS)
def test_every_method_finds_the_same_to_the_bit(method, alarm_lake):
    table, folder = alarm_lake
    expected = learned(table, method)
    for parts, threads in ((1, 1), (2, 0), (7, 5)):
        assert learned(phgs.shards(folder, on=InProcess(parts)), method, threads=threads) == expected


def many_states():
    random = np.random.default_rng(1)
    hidden = random.integers(0, 3, 1200)
    states = [2, 5, 12, 20, 40, 300]
    return pa.table(
        {f"v{i}": (hidden * (i % 3) + random.integers(0, r, 1200)) % r for i, r in enumerate(states + states)}
    )


@pytest.mark.parametrize("name", ["asia", "child", "win95pts", "many-states"])
def test_other_tables_and_options_find_the_same_to_the_bit(name, tmp_path):
    table = many_states() if name == "many-states" else phgs.Network.load(name).sample(700, seed=2)
    source = phgs.shards(write(tmp_path / "lake", table), on=InProcess(3))
    cases = [
        ("pc", {"test": "x2"}),
        ("pc", {"test": "x2", "degrees_of_freedom": "adjusted"}),
        ("pc", {"degrees_of_freedom": "adjusted", "max_conditioning_size": 2}),
        ("pc", {"minimum_sample": 10, "collider_rule": "majority"}),
        ("mmpc", {"max_conditioning_size": 2}),
        ("ppc", {"max_clusters": 2}),
        ("hc", {"score": "bdeu", "max_parents": 3}),
        ("tabu", {"score": "k2", "max_parents": 2}),
        ("hc", {"score": "aic", "max_parents": 3}),
        ("hc", {"score": "qnml"}),
        ("ges", {"score": "sqnml"}),
        ("phgs", {}),
        ("fast-iamb", {}),
    ]
    for method, options in cases:
        options |= {"data_type": "discrete"}
        assert learned(source, method, **options) == learned(table, method, **options), (method, options)


def test_a_state_of_one_part_alone_is_a_state_everywhere(tmp_path):
    rows = 300
    late = np.where(np.arange(rows) >= 290, "late", np.where(np.arange(rows) % 3 == 0, "a", "b"))
    table = pa.table({"x": np.arange(rows) % 2, "late": pa.array(late).dictionary_encode()})
    source = phgs.shards(write(tmp_path / "lake", table), on=InProcess(5))
    result = phgs.learn(source, "pc")
    assert result.levels == phgs.learn(table, "pc").levels == {"x": (0, 1), "late": ("a", "b", "late")}
    assert result.columns["late"].counts == (97, 193, 10)
    assert learned(source, "pc") == learned(table, "pc")


def test_results_explain_and_their_edges_are_scored_where_the_rows_are(alarm_lake):
    table, folder = alarm_lake
    source = phgs.shards(folder, on=InProcess(2))
    result, expected = phgs.learn(source, "phgs"), phgs.learn(table, "phgs")
    assert list(result.edges) == list(expected.edges)
    assert result.explain("HR", "HRBP") == expected.explain("HR", "HRBP")
    with pytest.raises(phgs.ParameterError, match="sample"):
        result.fit()
    assert len(result.fit(source.sample(1000, seed=1)).nodes) == 37
    with pytest.raises(phgs.DataError, match="sample"):
        phgs.bootstrap("pc", source, n=2)
    blanket = phgs.markov_blanket(source, "HR")
    assert blanket.names == phgs.markov_blanket(table, "HR").names


def test_effects_are_counted_where_the_rows_are(alarm_lake, engine, monkeypatch):
    table, folder = alarm_lake
    reordered = table.select(table.column_names[::-1])
    monkeypatch.setattr(phgs.data.shards.__globals__["Shards"], "row_groups", lambda *_: pytest.fail("rows came here"))
    for method, options in (("phgs", {}), ("hc", {}), ("pc", {"degrees_of_freedom": "adjusted"})):
        result = phgs.learn(reordered, method, progress=False, **options)
        expected, found = phgs.verify(result, reordered), phgs.verify(result, phgs.shards(folder, on=engine))
        assert (found.n_rows, list(found.edges), list(found.absent)) == (
            1500,
            list(expected.edges),
            list(expected.absent),
        )


def test_workers_keep_what_they_have_read_until_the_source_is_closed(alarm_lake):
    _, folder = alarm_lake
    with phgs.shards(folder, on=InProcess(2)) as source:
        first, second = phgs.learn(source, "pc"), phgs.learn(source, "hc")
        assert first._table is second._table
        assert len(first._table.parts.handles) == 2
    assert not first._table.parts.handles
    assert phgs.learn(source, "pc")._table is not first._table


# Missing values and counts


def gapped(rows=1500, seed=1):
    """A table with missing values: some columns have none, one in the last rows alone, one a state "missing"."""
    random = np.random.default_rng(seed)
    table = phgs.Network.load("child").sample(rows, seed=seed)
    columns = {}
    for i, name in enumerate(table.column_names):
        values = table[name].to_pylist()
        share = 0.002 * (i % 4)
        gaps = random.random(rows) < share if i != 5 else np.arange(rows) >= rows - 3
        columns[name] = [None if gap else value for value, gap in zip(values, gaps, strict=True)]
    columns["named"] = [None if i % 400 == 7 else "None" if i % 3 else "missing" for i in range(rows)]
    # Hardly a value twice: it is set apart, and drops no row.
    columns["id"] = [None if i % 2 else f"row {i // 3}" for i in range(rows)]
    columns["empty"] = pa.nulls(rows, pa.string())
    return pa.table(columns)


@pytest.mark.parametrize("missing", ["drop", "level"])
def test_missing_values_are_treated_as_in_one_table(missing, tmp_path):
    table = gapped()
    folder = write(tmp_path / "lake", table)
    for method in ("pc", "phgs", "hc", "auto"):
        expected = learned(table, method, missing=missing)
        for parts in (1, 3, 7):
            assert learned(phgs.shards(folder, on=InProcess(parts)), method, missing=missing) == expected
    assert (expected["n_rows"] < 1500) == (missing == "drop")
    kept = table.drop_columns(["empty", "id"])
    source = phgs.shards(folder, on=InProcess(3), columns=kept.column_names)
    expected = learned(kept, "pc", data_type="discrete", missing=missing)
    assert learned(source, "pc", data_type="discrete", missing=missing) == expected
    result = phgs.learn(kept, "pc", data_type="discrete", missing=missing)
    found, here = phgs.verify(result, source), phgs.verify(result, kept)
    assert (found.n_rows, list(found.edges), list(found.absent)) == (here.n_rows, list(here.edges), list(here.absent))


@pytest.mark.filterwarnings("ignore::phgs.errors.PhgsWarning")
def test_each_test_has_the_rows_that_are_complete_in_its_columns(tmp_path):
    table = gapped()
    source = phgs.shards(write(tmp_path / "lake", table), on=InProcess(3))
    for method, options in (
        ("pc", {"path_length": 1}),
        ("pc", {"path_length": 1, "test": "x2", "degrees_of_freedom": "adjusted", "minimum_sample": 2}),
        ("ppc", {"path_length": 1, "max_clusters": 3}),
        ("mmpc", {}),
        ("fast-iamb", {}),
        ("si-hiton-pc", {"data_type": "discrete"}),
    ):
        options |= {"missing": "testwise"}
        assert learned(source, method, **options) == learned(table, method, **options), method
    result, expected = (phgs.learn(data, "pc", path_length=1, missing="testwise") for data in (source, table))
    assert result.missing == expected.missing
    assert result.explain("CO2", "Age") == expected.explain("CO2", "Age")
    found, here = (
        phgs.independence_test(data, "CO2", "Age", ["Grunting"], missing="testwise") for data in (source, table)
    )
    assert found == here
    assert (phgs.distances(source, missing="testwise") == phgs.distances(table, missing="testwise")).all()
    with pytest.raises((phgs.ParameterError, phgs.DataError), match="missing: hc compares graphs"):
        phgs.learn(source, "hc", missing="testwise")
    with pytest.raises((phgs.ParameterError, phgs.DataError), match="missing"):
        phgs.score(source, result.cpdag, missing="testwise")
    with pytest.raises(phgs.ParameterError, match="verify counts complete rows"):
        phgs.verify(result, source)


@pytest.mark.parametrize("missing", ["auto", "error", "drop", "level", "testwise"])
def test_gaps_of_what_is_set_apart_are_a_state(missing, tmp_path):
    whole = gapped()
    known = [name for name in whole.column_names if not whole[name].null_count]
    assert len(known) > 4
    table = whole.select([*known, "id", "empty"])
    if missing not in ("auto", "error"):
        table = table.append_column("constant", pa.array(["same" if i % 3 else None for i in range(1500)]))
    source = phgs.shards(write(tmp_path / "lake", table), on=InProcess(3))
    assert learned(source, "mmpc", missing=missing) == learned(table, "mmpc", missing=missing)


def test_a_part_without_a_complete_row_counts_nothing(tmp_path):
    table = phgs.Network.load("asia").sample(900, seed=1)
    gaps = pa.array([None if i < 400 else value for i, value in enumerate(table["xray"].to_pylist())])
    table = table.set_column(table.column_names.index("xray"), "xray", gaps)
    source = phgs.shards(write(tmp_path / "lake", table), on=InProcess(7))
    for method in ("pc", "hc"):
        assert learned(source, method, missing="drop") == learned(table, method, missing="drop")


def test_what_holds_no_gap_is_not_read_again_and_what_needs_rows_is_refused(tmp_path, alarm_lake):
    with phgs.shards(alarm_lake[1], on=InProcess(2)) as source:
        found = [phgs.learn(source, "pc", missing=missing)._table for missing in ("auto", "drop", "level")]
        assert found[0] is found[1] is found[2]
    source = phgs.shards(write(tmp_path / "lake", gapped()), on=InProcess(2))
    for missing in ("auto", "error"):
        with pytest.raises(phgs.DataError, match=r"missing values in .*missing='drop'.*missing='level'.*sample"):
            phgs.learn(source, "pc", missing=missing)
    never = pa.table({"x": pa.nulls(50, pa.string()), "y": ["a", "b"] * 25})
    source = phgs.shards(write(tmp_path / "never", never), on=InProcess(2))
    with pytest.raises(phgs.DataError, match="no rows are left"):
        phgs.learn(source, "pc", missing="drop", data_type="discrete")
    with pytest.raises(phgs.DataError, match="every value is missing"):
        phgs.learn(phgs.shards(tmp_path / "never", on=InProcess(2), columns=["x"]), "pc", missing="drop")


@pytest.mark.parametrize("methods", [("without_gaps",), ("code",)])
def test_a_part_that_is_lost_while_missing_values_are_treated_is_read_again(methods, tmp_path, engine, monkeypatch):
    monkeypatch.setattr(asking, "_NEW_WORKER", 0.1)
    table = gapped()
    folder = write(tmp_path / "lake", table)
    failing = Failing(engine, frozenset({2}), methods=methods)
    assert learned(phgs.shards(folder, on=failing), "pc", missing="drop") == learned(table, "pc", missing="drop")
    assert failing.made == 4


def test_counts_and_weights_of_rows_on_workers_in_every_function(tmp_path):
    table = phgs.Network.load("asia").sample(300, seed=1)
    table = table.append_column("often", pa.array(np.arange(300) % 4))
    source = phgs.shards(write(tmp_path / "lake", table), on=InProcess(3))
    graph = [("smoke", "bronc")]
    asked = [
        lambda data, **of: phgs.score(data, graph, **of),
        lambda data, **of: phgs.distances(data, **of).tolist(),
        lambda data, **of: phgs.independence_test(data, "smoke", "bronc", "asia", **of),
        lambda data, **of: phgs.as_table(data, **of).codes[0].tolist(),
    ]
    for ask in asked:
        assert ask(source, counts="often") == ask(table, counts="often")
    for ask in asked[:3]:
        with pytest.raises(phgs.ParameterError, match="weights: rows on workers have none"):
            ask(source, weights="often")
    assert str(phgs.describe(source, counts="often")) == str(phgs.describe(table, counts="often"))
    assert asked[3](source, weights="often") == asked[3](table, weights="often")


def test_rows_stand_as_often_as_a_column_says(tmp_path):
    table = phgs.Network.load("asia").sample(600, seed=1)
    often = np.random.default_rng(1).integers(0, 5, 600)
    # Nothing looks at a row that stands no time.
    xray = [None if n == 0 else value for n, value in zip(often, table["xray"].to_pylist(), strict=True)]
    table = table.set_column(table.column_names.index("xray"), "xray", pa.array(xray)).append_column(
        "often", pa.array(often)
    )
    source = phgs.shards(write(tmp_path / "lake", table), on=InProcess(3))
    repeated = table.take(np.repeat(np.arange(600), often)).drop_columns(["often"])
    for method in ("pc", "phgs", "hc", "auto"):
        found = learned(source, method, counts="often")
        assert found == learned(table, method, counts="often")
        assert found["n_rows"] == often.sum()
        found["parameters"]["counts"] = None
        assert found == learned(repeated, method)
    with source:
        result = phgs.learn(source, "pc", counts="often")
        assert phgs.learn(source, "pc", counts="often")._table is result._table
    assert not result._table.parts.handles
    dropped = table.set_column(8, "often", pa.array([None, *often[1:].tolist()]))
    cases = {
        "missing counts": dropped,
        "negative counts": table.set_column(8, "often", pa.array(often - 1)),
        "not whole": table.set_column(8, "often", pa.array(often + 0.5)),
        "not numbers": table.set_column(8, "often", table["xray"].combine_chunks().fill_null("no")),
        "no count above 0": table.set_column(8, "often", pa.array(0 * often)),
        "stands for 18,000,000,000 rows": table.set_column(8, "often", pa.array(0 * often + 30_000_000)),
    }
    for number, (said, wrong) in enumerate(cases.items()):
        folder = write(tmp_path / str(number), wrong, files=1 if "stands" in said else 7)
        with pytest.raises(phgs.DataError, match=f"counts: column 'often'.*{said}"):
            phgs.learn(phgs.shards(folder, on=InProcess(3)), "pc", counts="often")
    with pytest.raises(phgs.DataError, match="is the only one"):
        phgs.learn(phgs.shards(tmp_path / "lake", on=InProcess(3), columns=["often"]), "pc", counts="often")


# LostError parts


@dataclass(eq=False)
class Failing:
    """An engine whose parts are lost at some of their requests, numbered over all parts."""

    inner: InProcess
    at: frozenset = frozenset()
    requests: int = 0
    made: int = 0
    methods: tuple = ("tables", "cells")
    word = "workers"
    lasting = False
    made_of: list = field(default_factory=list)

    def places(self):
        return self.inner.places()

    def put(self, *given):
        self.made += 1
        return FailingHandle(self.inner.put(*given), self)


class FailingHandle:
    def __init__(self, inner, engine):
        self.inner, self.engine, self.place = inner, engine, inner.place

    def send(self, method, *given):
        self.engine.requests += method in self.engine.methods
        if self.engine.requests in self.engine.at:
            self.engine.at -= {self.engine.requests}
            self.inner.free()
        return self.inner.send(method, *given)

    def free(self):
        self.inner.free()


@pytest.fixture
def engine(monkeypatch):
    """Let tests pass engines of their own as clients."""
    monkeypatch.setattr(sys.modules["phgs.data.shards"], "engine_of", lambda on: on)
    return InProcess(3)


@pytest.mark.parametrize("at", [{1}, {2, 3}, {7}, {30, 31, 32}, set(range(5, 60, 9))])
def test_a_lost_part_is_read_again_and_asked_again(at, alarm_lake, engine, monkeypatch):
    table, folder = alarm_lake
    monkeypatch.setattr(asking, "_NEW_WORKER", 0.1)
    failing = Failing(engine, frozenset(at))
    assert learned(phgs.shards(folder, on=failing), "phgs") == learned(table, "phgs")
    assert failing.made == 3 + len(at)


def test_a_part_that_is_lost_again_and_again_is_given_up(alarm_lake, engine, monkeypatch):
    monkeypatch.setattr(asking, "_NEW_WORKER", 0.1)
    _, folder = alarm_lake
    failing = Failing(engine, frozenset(range(4, 10_000)))
    with pytest.raises(phgs.DataError, match=r"worker \d was lost.*sample"):
        phgs.learn(phgs.shards(folder, on=failing), "pc")


@pytest.mark.parametrize("methods", [("version",), ("read",), ("states",), ("code",), ("read", "states", "code")])
def test_a_part_that_is_lost_while_it_is_first_read_is_read_again(methods, alarm_lake, engine, monkeypatch):
    table, folder = alarm_lake
    monkeypatch.setattr(asking, "_NEW_WORKER", 0.1)
    # Every look at how far a part is follows a row group.
    monkeypatch.setattr(asking, "_AT_ONCE", 0.0)
    expected = learned(table, "pc")
    for at in ({1}, {2, 3}, {3}, {1, 4, 5}):
        failing = Failing(engine, frozenset(at), methods=methods)
        assert learned(phgs.shards(folder, on=failing), "pc") == expected
        assert failing.made == 3 + len(at)


def test_a_part_that_no_worker_can_read_is_given_up(alarm_lake, engine, monkeypatch):
    monkeypatch.setattr(asking, "_NEW_WORKER", 0.1)
    monkeypatch.setattr(asking, "_AT_ONCE", 0.0)
    failing = Failing(engine, frozenset(range(3, 10_000, 3)), methods=("read",))
    source = phgs.shards(alarm_lake[1], on=failing)
    with pytest.raises(phgs.DataError, match=r"worker \d was lost.*more memory"):
        phgs.learn(source, "pc")
    assert failing.made < 40


def test_data_that_changed_while_learning_are_noticed(tmp_path, engine, monkeypatch):
    monkeypatch.setattr(asking, "_NEW_WORKER", 0.1)
    table = phgs.Network.load("asia").sample(1000, seed=1)
    for changed, said in ((table.slice(0, 500), "row group 0 is not what it was"), (flipped(table), "have changed")):
        folder = write(tmp_path / "lake", table, files=1)
        failing = Failing(engine)
        source = phgs.shards(folder, on=failing)
        phgs.learn(source, "pc")
        pq.write_table(changed, folder / "part-0.parquet")
        failing.at = frozenset({failing.requests + 2})
        with pytest.raises(phgs.DataError, match=said):
            phgs.learn(source, "hc")


def test_data_that_changed_while_they_are_read_are_noticed(tmp_path, engine, monkeypatch):
    monkeypatch.setattr(asking, "_NEW_WORKER", 0.1)
    table = phgs.Network.load("asia").sample(1000, seed=1)
    folder = write(tmp_path / "lake", table, files=1)
    failing = Failing(engine, frozenset({1}), methods=("code",))
    states = phgs.data.parts.Part.states

    def changing(part):
        monkeypatch.setattr(phgs.data.parts.Part, "states", states)
        pq.write_table(
            table.set_column(0, table.column_names[0], pa.array(["other"] * 1000)), folder / "part-0.parquet"
        )
        return states(part)

    monkeypatch.setattr(phgs.data.parts.Part, "states", changing)
    with pytest.raises(phgs.DataError, match="the files have changed"):
        phgs.learn(phgs.shards(folder, on=failing), "pc")


def test_rows_that_were_let_go_of_are_not_counted_as_none(alarm_lake):
    with phgs.shards(alarm_lake[1], on=InProcess(2)) as source:
        result = phgs.learn(source, "pc")
    with pytest.raises(phgs.DataError, match=r"let go of these rows.*phgs\.shards"):
        result.explain("HR", "HRBP")


def flipped(table):
    return table.set_column(0, table.column_names[0], table.column(0).take(pa.array(range(len(table)))[::-1]))


# Numbers


def numbers(rows, seed=1):
    """Columns that depend on each other, at several scales and far from zero, some with heavy tails."""
    x = np.random.default_rng(seed).normal(size=(rows, 7))
    x[:, 1] += x[:, 0]
    x[:, 2] = 1e9 + 3 * x[:, 2] + x[:, 1]
    x[:, 3] = 1e-100 * (x[:, 3] + x[:, 0])
    x[:, 4] = 1e100 * (x[:, 4] - x[:, 1])
    x[:, 6] = np.exp(3 * x[:, 6]) + x[:, 5]
    return pa.table({f"v{i}": x[:, i] for i in range(7)})


def of_numbers(data, method, **options):
    """What was learned of numbers, and the facts of columns, which are no sums of the core where rows are here."""
    found = learned(data, method, data_type="gaussian", **options)
    facts = found.pop("columns")
    return found, np.array(
        [[fact[of] for of in ("mean", "standard_deviation", "least", "largest")] for fact in facts.values()], float
    )


@pytest.mark.parametrize("rows", [300, 5000, 20_000])
def test_gaussian_methods_find_the_same_to_the_bit(rows, tmp_path):
    table = numbers(rows)
    folder = write(tmp_path / "lake", table)
    for method in ("pc", "ppc", "phgs", "mmpc", "fast-iamb", "hc", "tabu", "ges", "boss", "mmhc", "auto"):
        expected, facts = of_numbers(table, method)
        for parts in (1, 2, 7):
            found, same_facts = of_numbers(phgs.shards(folder, on=InProcess(parts)), method)
            assert found == expected, (method, parts)
            assert np.allclose(same_facts, facts, rtol=1e-12, atol=1e-12)


def test_numbers_are_cut_at_chunks_and_no_row_is_lost():
    random = np.random.default_rng(1)
    chunk = phgs._core.NumberSums.CHUNK
    for _ in range(300):
        rows = random.integers(1, 3 * chunk, random.integers(1, 20)).tolist()
        cut = sharded_numbers.cut_at_chunks(rows, int(random.integers(1, 9)))
        starts = np.concatenate([[0], np.cumsum(rows)])
        taken = [(starts[i] + first, starts[i] + end) for part in cut for i, first, end in part]
        assert taken[0][0] == 0
        assert taken[-1][1] == sum(rows)
        assert all(before[1] == after[0] for before, after in itertools.pairwise(taken))
        assert all((starts[part[0][0]] + part[0][1]) % chunk == 0 for part in cut)


@pytest.mark.parametrize("methods", [("read",), ("found",), ("sums",), ("multiply",), ("products",)])
def test_a_part_of_numbers_that_is_lost_is_summed_again(methods, tmp_path, engine, monkeypatch):
    monkeypatch.setattr(asking, "_NEW_WORKER", 0.1)
    monkeypatch.setattr(asking, "_AT_ONCE", 0.0)
    table = numbers(9000)
    folder = write(tmp_path / "lake", table)
    expected, _ = of_numbers(table, "pc")
    for at in ({1}, {2, 3}):
        failing = Failing(engine, frozenset(at), methods=methods)
        assert of_numbers(phgs.shards(folder, on=failing), "pc")[0] == expected
        assert failing.made == 3 + len(at)


def test_the_workers_are_free_once_numbers_are_summed(tmp_path, engine):
    slow = Slow("none")
    source = phgs.shards(write(tmp_path / "lake", numbers(5000)), on=slow)
    result = phgs.learn(source, "hc", data_type="gaussian")
    assert slow.freed == 2
    # The sums are kept, and what needs rows says so.
    assert phgs.learn(source, "pc", data_type="gaussian", progress=False)._table is result._table
    assert slow.freed == 2
    for ask in (lambda: phgs.bootstrap("pc", result._table, n=2), lambda: result.fit()):
        with pytest.raises((phgs.DataError, phgs.ParameterError), match=r"rows of this table are on workers.*sample"):
            ask()
    slow = Slow("multiply")
    with interrupted(0.7):
        phgs.learn(phgs.shards(tmp_path / "lake", on=slow), "pc", data_type="gaussian")
    assert slow.freed == 2


def test_numbers_that_cannot_be_used_are_refused_by_name(tmp_path, engine):
    good = {"x": np.random.default_rng(1).normal(size=3000), "y": np.random.default_rng(2).normal(size=3000)}
    gaps = good["x"].copy()
    gaps[[5, 2900]] = np.nan
    infinite = good["x"].copy()
    infinite[2800] = np.inf
    cases = {
        "column 't' holds values that are not numbers": {"t": ["a", "b", "c"] * 1000},
        r"missing values in 'g' \(2\); on workers": {"g": gaps},
        "'i'.*infinite": {"i": infinite},
        "'c'.*constant": {"c": np.full(3000, 0.1)},
        "'x', 'k' are copies": {"k": 3 - 2 * good["x"]},
    }
    for number, (said, more) in enumerate(cases.items()):
        folder = write(tmp_path / str(number), pa.table({**good, **more}))
        with pytest.raises(phgs.DataError, match=said):
            phgs.learn(phgs.shards(folder, on=engine), "pc", data_type="gaussian")
    small = Offering((Place("a", 1, 50_000), Place("b", 1, 10_000)))
    with pytest.raises(phgs.DataError, match="worker b would need"):
        phgs.learn(phgs.shards(folder, on=small), "pc", data_type="gaussian")
    whole = write(tmp_path / "whole", pa.table({name: np.rint(9 * column) for name, column in good.items()}))
    with pytest.warns(phgs.errors.DegenerateColumnWarning, match="whole numbers"):
        phgs.learn(phgs.shards(whole, on=engine), "pc", data_type="gaussian")


# What is refused


@dataclass(frozen=True)
class Offering:
    """An engine that offers other places, or another version."""

    found: tuple = ()
    version: str | None = None
    word = "workers"
    lasting = False

    def places(self):
        return list(self.found)

    def put(self, *given):
        handle = InProcess(1).put(*given)
        if self.version:
            handle._part.version = lambda: self.version
        return handle


def test_what_cannot_be_done_is_said_before_any_row_is_read(alarm_lake, engine, monkeypatch):
    _, folder = alarm_lake
    monkeypatch.setattr(phgs.data.parts.Part, "read", lambda *_: pytest.fail("rows were read"))
    cases = [
        (Offering(), r"on: there are no workers"),
        (Offering((Place("a", 1, 50_000), Place("b", 1, 10_000))), r"81.3 KiB.*worker b would need .* KiB of its 9.77"),
        (Offering((Place("a", 1, None),), "0.0.1"), r"worker .* has version 0.0.1 of phgs"),
    ]
    for on, said in cases:
        with pytest.raises((phgs.DataError, phgs.ParameterError), match=said):
            phgs.learn(phgs.shards(folder, on=on), "pc")
    source = phgs.shards(folder, on=engine)
    options = [
        ({"data_type": "mixed"}, "data_type: 'mixed' needs the rows"),
        ({"data_type": "gaussian", "categories": ["HR"]}, "categories: Gaussian data have none"),
        ({"counts": "HX"}, "counts: .*HX"),
        ({"counts": [1] * 1500}, "counts: .*name of the column"),
        ({"counts": "HR", "data_type": "gaussian"}, "counts: rows of numbers on workers"),
        ({"weights": "HR"}, "weights: rows on workers"),
        ({"kinds": {"HR": "number"}}, "kinds: 'HR' cannot be a number"),
        ({"categories": ["HX"]}, "HX"),
    ]
    for given, said in options:
        with pytest.raises(phgs.ParameterError, match=said):
            phgs.learn(source, "pc", **given)
    monkeypatch.setattr(sys.modules["phgs.data.shards"], "MOST_ROWS", 1000)
    with pytest.raises(phgs.DataError, match=r"1,500 rows.*sample"):
        phgs.learn(source, "pc")


def test_who_is_no_client_is_refused(alarm_lake):
    with pytest.raises(phgs.ParameterError, match=r"on: expected a distributed\.Client or the module ray, got 'tcp"):
        phgs.shards(alarm_lake[1], on="tcp://127.0.0.1:8786")


def test_columns_that_are_no_categories_are_refused_by_name(tmp_path):
    rows = 400
    random = np.random.default_rng(1)
    good = {"x": random.integers(0, 3, rows), "y": random.integers(0, 2, rows)}
    many = [f"row {i}" for i in range(rows)]
    cases = {
        "column 'n' is taken for a number": {"n": random.normal(size=rows)},
        "columns 'n', 'm' are taken for numbers": {"n": random.normal(size=rows), "m": np.arange(rows) // 3},
        "column 'd' holds dates": {"d": np.arange(rows).astype("datetime64[D]")},
        r"missing values in 'g' \(4\); on workers": {"g": [None if i < 4 else "a" for i in range(rows)]},
    }
    for number, (said, more) in enumerate(cases.items()):
        source = phgs.shards(write(tmp_path / str(number), pa.table({**good, **more})), on=InProcess(3))
        with pytest.raises(phgs.DataError, match=said):
            phgs.learn(source, "pc")
        assert not source._spread
    with pytest.warns(phgs.errors.ManyStatesWarning, match="'id'"):
        result = phgs.learn(phgs.shards(write(tmp_path / "id", pa.table({**good, "id": many})), on=InProcess(2)), "pc")
    assert result.isolated == {"id": 400}
    folder = write(tmp_path / "n", pa.table({**good, "n": random.normal(size=rows)}))
    chosen = phgs.shards(folder, on=InProcess(2), columns=["y", "x"])
    assert (chosen.names, phgs.learn(chosen, "pc").variables) == (("x", "y"), ("x", "y"))
    few = write(tmp_path / "few", pa.table({**good, "dose": random.choice([0.5, 1.0, 2.5], rows)}))
    assert learned(phgs.shards(few, on=InProcess(2)), "pc")["levels"]["dose"]
    with pytest.raises(phgs.DataError, match="not whole"):
        phgs.learn(phgs.shards(few, on=InProcess(2)), "pc", data_type="discrete")
    assert phgs.learn(phgs.shards(few, on=InProcess(2)), "pc", data_type="discrete", categories=["dose"]).n_rows == rows


def test_parts_are_cut_without_empty_ones():
    random = np.random.default_rng(1)
    for _ in range(300):
        rows = random.integers(1, 1000, random.integers(1, 30)).tolist()
        n_parts = int(random.integers(1, 12))
        cut = sharded._cut(rows, n_parts)
        assert len(cut) == min(n_parts, len(rows))
        assert [first for first, _ in cut] == [0, *(end for _, end in cut[:-1])]
        assert cut[-1][1] == len(rows)
        assert all(end > first for first, end in cut)
        largest = max(sum(rows[first:end]) for first, end in cut)
        assert largest <= sum(rows) / n_parts + 2 * max(rows)


# Interruption


class Slow:
    """An engine whose answers do not come."""

    word = "workers"
    lasting = False

    def __init__(self, method="tables"):
        self.method = method
        self.freed = 0

    def places(self):
        return [Place("a", 1, None), Place("b", 1, None)]

    def put(self, *given):
        return SlowHandle(InProcess(1).put(*given), self)


class SlowHandle(FailingHandle):
    def send(self, method, *given):
        return Never() if method == self.engine.method else self.inner.send(method, *given)

    def free(self):
        self.engine.freed += 1


class Never:
    def get(self, seconds):
        time.sleep(seconds)
        raise TimeoutError


@contextlib.contextmanager
def interrupted(after):
    """Press Ctrl-C so many seconds later, unless all is over."""
    timer = threading.Timer(after, _thread.interrupt_main)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        timer.cancel()


COUNTING = {
    "learn": lambda source, _: phgs.learn(source, "pc"),
    "score": lambda source, result: phgs.score(source, result.cpdag),
    "distances": lambda source, _: phgs.distances(source),
    "clusters": lambda source, _: phgs.cluster_variables(source),
    "test": lambda source, _: phgs.independence_test(source, "HR", "CO", "HRBP"),
    "blanket": lambda source, _: phgs.markov_blanket(source, "HR"),
    "verify": lambda source, result: phgs.verify(result, source),
    "explain": lambda source, result: result.explain("HR", "HRBP", data=source),
}
"""All that counts where rows are elsewhere."""


@pytest.mark.parametrize("name", COUNTING)
def test_ctrl_c_frees_the_workers_in_every_function(name, alarm_lake, engine):
    table, folder = alarm_lake
    result = phgs.learn(table, "pc")
    slow = Slow()
    source = phgs.shards(folder, on=slow)
    start = time.perf_counter()
    with interrupted(0.7):
        COUNTING[name](source, result)
    assert time.perf_counter() - start < 3
    assert slow.freed == 2
    # What is asked next is read again.
    assert not any(held.parts.handles for held in source._spread.values())


@pytest.mark.parametrize("name", ["learn", "verify"])
def test_ctrl_c_frees_the_workers_while_they_read(name, alarm_lake, engine):
    table, folder = alarm_lake
    result = phgs.learn(table, "pc")
    slow = Slow("read")
    with interrupted(0.5):
        COUNTING[name](phgs.shards(folder, on=slow), result)
    assert slow.freed == 2


def test_a_lost_part_is_no_other_error():
    assert not issubclass(LostError, OSError)


class Early:
    """A future of Dask whose answer comes in the moment that the first wait ends."""

    def __init__(self, value):
        self.value = value
        self.waits = 0

    def result(self, timeout):
        self.waits += 1
        if self.waits == 1:
            raise UnboundLocalError("cannot access local variable 'result'")
        return self.value


def test_an_answer_in_the_moment_that_a_wait_ends_is_waited_for_again():
    from phgs.data.on_dask import _Actor

    class Made:
        def version(self):
            return Early("1.0")

    pending = _Actor(Early(Made()), "one", lambda: [Place("one", 1, None)]).send("version")
    for _ in range(2):
        with pytest.raises(TimeoutError):
            pending.get(0.05)
    assert pending.get(0.05) == "1.0"
