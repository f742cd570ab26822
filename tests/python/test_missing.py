"""Missing values that are filled in from the learned graph."""

import itertools
import pickle
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import phgs
from phgs.data import as_data
from phgs.data.missing import ROUNDS
from phgs.learners.rounds import learn_in_rounds

SEARCHES = ("ges", "boss", "hc", "auto")


@pytest.fixture(scope="module")
def asia():
    return phgs.as_table(phgs.Network.load("asia").sample(3000, seed=2))


@pytest.fixture(scope="module")
def gapped(asia):
    return phgs.make_missing(asia, 0.1, seed=3)


@pytest.fixture(scope="module")
def gaussian():
    return phgs.sample_gaussian([("a", "b"), ("b", "c"), ("d", "c"), ("d", "e")], 2000, seed=4)


@pytest.fixture(scope="module")
def gapped_gaussian(gaussian):
    return phgs.make_missing(gaussian, 0.15, seed=5)


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(6)
    n = 2000
    group = rng.integers(0, 3, n)
    x = group + rng.normal(size=n)
    y = -0.8 * x + 0.6 * rng.normal(size=n)
    answer = rng.random(n) < 1 / (1 + np.exp(-2 * y))
    frame = {
        "group": np.array(["low", "middle", "high"])[group],
        "x": x,
        "y": y,
        "answer": np.where(answer, "yes", "no"),
        "count": np.round(np.exp(0.5 * y + rng.normal(size=n))),
        "alone": rng.normal(size=n),
    }
    return as_data(frame)


@pytest.fixture(scope="module")
def gapped_mixed(mixed):
    return phgs.make_missing(mixed, 0.15, seed=7)


def learn(data, method="ges", **options):
    return phgs.learn(data, method, progress=False, **options)


def edges(graph):
    return set(graph.directed), set(map(frozenset, graph.undirected))


# Nothing missing


@pytest.mark.parametrize("method", phgs.METHODS)
def test_where_nothing_is_missing_nothing_changes(asia, method):
    options = {"skeleton": [("smoke", "bronc"), ("lung", "either"), ("bronc", "dysp")]} if method == "gsc" else {}
    found = learn(asia, method, **options)
    strict = learn(asia, method, missing="error", **options)
    assert found.missing is None
    assert found.to_dict()["missing"] is None
    assert edges(found.cpdag) == edges(strict.cpdag)
    assert found.score == strict.score
    assert found.calls == strict.calls
    assert found.edges["log_p_value"] == strict.edges["log_p_value"]
    assert "missing" not in found.seconds


# Every method, and what it reports


@pytest.mark.parametrize("method", phgs.METHODS)
def test_every_method_learns_with_gaps(gapped, gapped_gaussian, gapped_mixed, method):
    for data in (gapped, gapped_gaussian, gapped_mixed):
        options = {}
        if method == "gsc":
            options["skeleton"] = [data.names[:2], data.names[1:3], data.names[2:4]]
        one, two = (learn(data, method, threads=threads, **options) for threads in (1, 4))
        assert edges(one.cpdag) == edges(two.cpdag)
        assert one.score == two.score
        assert one.missing == two.missing
        assert one.missing.method == "em"
        assert 1 <= one.missing.rounds <= ROUNDS
        assert one.missing.repeated or one.missing.rounds == ROUNDS
        assert one.complete
        assert one.cpdag.n_edges >= 2
        assert one.seconds["missing"] > 0
        assert one.n_rows == data.n_rows


def test_the_printed_line_and_the_file(gapped, tmp_path):
    result = learn(gapped)
    share = sum(gapped.n_missing) / (3000 * 8)
    shown = (
        f"{100 * share:.1f} % of cells in 8 columns, filled in from the learned graph ({result.missing.rounds} round"
    )
    assert f"missing              {shown}" in str(result)
    assert result.missing.share == pytest.approx(share)
    assert result.missing.columns == dict(zip(gapped.names, gapped.n_missing, strict=True))
    result.save(tmp_path / "result.json")
    loaded = phgs.Result.load(tmp_path / "result.json")
    assert loaded.missing == result.missing
    assert loaded.columns == result.columns
    assert [facts.n_missing for facts in loaded.columns.values()] == list(gapped.n_missing)
    assert "missing at random given what is seen" in result.report().html
    assert "structural EM (Friedman 1997)" in result.report().methods
    assert "filled in" in loaded.report(data=gapped).html
    assert pickle.loads(pickle.dumps(result)).missing == result.missing


def test_calls_are_those_of_all_rounds(gapped):
    result = learn(gapped)
    assert result.calls["total"] > 1.5 * learn(gapped, missing="drop").calls["total"]


# Containers


def test_all_containers_give_the_same():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 3, 400)
    b = np.where(rng.random(400) < 0.8, a, rng.integers(0, 3, 400))
    c = np.where(rng.random(400) < 0.7, b, rng.integers(0, 3, 400))
    gaps = rng.random((400, 3)) < 0.1
    columns = {
        name: [None if gap else int(v) for v, gap in zip(column, gaps[:, i], strict=True)]
        for i, (name, column) in enumerate(zip("abc", (a, b, c), strict=True))
    }
    floats = pd.DataFrame(
        {name: [np.nan if v is None else float(v) for v in column] for name, column in columns.items()}
    )
    frames = [
        columns,
        floats,
        pd.DataFrame(columns, dtype="Int64"),
        pd.DataFrame({name: pd.Categorical(column) for name, column in columns.items()}),
        pl.DataFrame(columns),
        pa.table(columns),
        {
            name: np.ma.array(np.array([v or 0 for v in column]), mask=[v is None for v in column])
            for name, column in columns.items()
        },
        {name: [None if v is None else f"s{v}" for v in column] for name, column in columns.items()},
    ]
    results = [learn(frame) for frame in frames]
    for result in results[1:]:
        assert edges(result.cpdag) == edges(results[0].cpdag)
        assert result.score.value == results[0].score.value
        assert result.missing == results[0].missing


def test_gaussian_frames_and_tables_give_the_same(gapped_gaussian):
    frame = pd.DataFrame(dict(zip(gapped_gaussian.names, gapped_gaussian.values, strict=True)))
    found = learn(frame, data_type="gaussian")
    assert edges(found.cpdag) == edges(learn(gapped_gaussian).cpdag)
    assert found.missing.columns == {name: int(count) for name, count in frame.isna().sum().items()}
    assert found.columns["a"].mean == pytest.approx(frame["a"].mean())
    assert found.columns["a"].n_missing == frame["a"].isna().sum()


def as_frame(table):
    """The frame that numbers beside categories with gaps were read from."""
    return pd.DataFrame(
        {
            name: column
            if table.is_number(i)
            else pd.Series([None if code == len(labels) else labels[code] for code in column], dtype=object)
            for i, (name, column, labels) in enumerate(zip(table.names, table.columns, table.levels, strict=True))
        }
    )


def test_mixed_frames_and_tables_give_the_same(gapped_mixed, tmp_path):
    frame = as_frame(gapped_mixed)
    frame.to_csv(tmp_path / "table.csv", index=False)
    frame.to_parquet(tmp_path / "table.parquet")
    found = learn(gapped_mixed)
    sources = (
        frame,
        pl.from_pandas(frame),
        pa.Table.from_pandas(frame),
        tmp_path / "table.csv",
        tmp_path / "table.parquet",
    )
    for source in sources:
        again = learn(source)
        assert edges(again.cpdag) == edges(found.cpdag)
        assert again.score.value == found.score.value
        assert again.missing == found.missing
    assert found.missing.columns == {name: int(count) for name, count in frame.isna().sum().items()}
    assert found.columns["x"].mean == pytest.approx(frame["x"].mean())
    assert found.columns["x"].n_missing == frame["x"].isna().sum()
    counts = dict(zip(found.levels["group"], found.columns["group"].counts, strict=True))
    assert counts == frame["group"].value_counts().to_dict()


# What is recovered


def jaccard(truth, result):
    return phgs.compare(truth, result).jaccard


def test_it_recovers_what_dropping_and_levels_lose():
    network = phgs.Network.load("child")
    names = ("complete", "auto", "drop", "level")
    found = dict.fromkeys(names, 0.0)
    for seed in range(3):
        table = phgs.as_table(network.sample(5000, seed=seed))
        gapped = phgs.make_missing(table, 0.1, "mar" if seed == 2 else "mcar", seed=seed)
        options = {"schedule": "extended", "score": "ebic"}
        found["complete"] += jaccard(network.edges, learn(table, **options)) / 3
        for missing in names[1:]:
            found[missing] += jaccard(network.edges, learn(gapped, missing=missing, **options)) / 3
    assert found["auto"] >= found["complete"] - 0.05, found
    assert found["auto"] >= found["drop"] + 0.1, found
    assert found["auto"] >= found["level"] + 0.1, found


def test_gaussian_graphs_are_recovered():
    options = {"schedule": "extended", "score": "ebic"}
    complete = filled = 0.0
    for seed in range(4):
        dag = phgs.random_dag(30, degree=3, seed=seed)
        table = phgs.sample_gaussian(dag, 2000, seed=seed)
        gapped = phgs.make_missing(table, 0.1, seed=seed)
        complete += jaccard(dag, learn(table, **options)) / 4
        filled += jaccard(dag, learn(gapped, **options)) / 4
    assert filled >= complete - 0.1, (complete, filled)


# Gapped tables


def test_tables_do_what_is_asked(gapped, asia):
    complete = np.array(
        [np.flatnonzero(c < a) for c, a in zip(gapped.codes, gapped.arities, strict=True)], dtype=object
    )
    rows = sorted(set.intersection(*map(set, complete)))
    dropped = phgs.as_table(gapped, missing="drop")
    assert isinstance(dropped, phgs.Table)
    assert (dropped.n_rows, dropped.n_rows_read) == (len(rows), 3000)
    assert dropped.levels[0][dropped.codes[0][5]] == asia.levels[0][asia.codes[0][rows[5]]]
    with pytest.raises(phgs.DataError, match="missing values in 'asia'"):
        phgs.as_table(gapped, missing="error")
    assert phgs.as_table(gapped, missing="level").arities == tuple(a + 1 for a in gapped.arities)
    assert phgs.as_table(gapped, missing="testwise").missing == "testwise"
    assert phgs.as_table(gapped, missing="auto") is gapped
    assert phgs.as_table(gapped, missing="testwise", columns=["tub", "asia"]).names == ("asia", "tub")
    assert learn(gapped, missing="drop").n_rows == len(rows)


def test_gaussian_tables_do_what_is_asked(gapped_gaussian, gaussian):
    known = ~np.isnan(np.array(gapped_gaussian.values)).any(axis=0)
    dropped = phgs.as_gaussian(gapped_gaussian, missing="drop")
    assert isinstance(dropped, phgs.GaussianTable)
    assert (dropped.n_rows, dropped.n_rows_read) == (known.sum(), 2000)
    assert np.array_equal(dropped.values[1], gaussian.values[1][known])
    with pytest.raises(phgs.DataError, match="missing values in 'a'"):
        phgs.as_gaussian(gapped_gaussian, missing="error")
    with pytest.raises(phgs.ParameterError, match="no levels"):
        phgs.as_gaussian(gapped_gaussian, missing="level")
    with pytest.raises(phgs.DataError, match="holds categories"):
        phgs.as_gaussian(phgs.make_missing({"a": [0, 1] * 50}, 0.1))


def test_tables_survive_pickling(gapped, gapped_gaussian, gapped_mixed):
    gaps = (gapped, gapped_gaussian, gapped_mixed)
    for table in (*gaps, *(table.start() for table in gaps)):
        again = pickle.loads(pickle.dumps(table))
        assert again.isolated == table.isolated
        assert again.n_missing == table.n_missing
        assert all(
            np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
            for a, b in zip(again.arrays(), table.arrays(), strict=True)
        )


def few_known(n=200):
    rng = np.random.default_rng(7)
    a = rng.integers(0, 2, n)
    b = np.where(rng.random(n) < 0.9, a, 1 - a)
    rare = [int(v) if i < 12 else None for i, v in enumerate(a)]
    return {"a": [None, *a[1:].tolist()], "b": b.tolist(), "rare": rare, "gone": [None] * n}


def test_columns_of_few_known_values_are_set_apart():
    some = pytest.warns(phgs.MissingValuesWarning, match="1 column with fewer than 20 known values .*'rare'")
    with some, pytest.warns(phgs.DegenerateColumnWarning, match="every value is missing stay isolated: 'gone'"):
        result = learn(few_known())
    assert result.missing.apart == ("rare",)
    assert set(result.isolated) == {"rare", "gone"}
    assert {frozenset(pair) for pair in result.cpdag.skeleton().undirected} == {frozenset("ab")}
    assert "fewer than 20 values of rare are known" in result.explain("a", "rare")
    assert "'rare' (fewer than 20 known values); 'gone' (no values)" in str(result)
    assert [finding.code for finding in phgs.describe(few_known()).findings] == ["missing", "few-known", "empty"]
    # Read as categories alone, a column without any value is one of few known values.
    with pytest.warns(phgs.MissingValuesWarning, match=r"2 columns with fewer than 20 known values .*'rare', 'gone'"):
        assert phgs.as_table(few_known(), missing="auto").few_known == (2, 3)
    numbers = {name: np.array([np.nan if v is None else v for v in column]) for name, column in few_known().items()}
    numbers["a"] = numbers["a"] + 0.1 * np.random.default_rng(1).normal(size=200)
    numbers["b"] = numbers["b"] + 0.1 * np.random.default_rng(2).normal(size=200)
    with pytest.warns(phgs.MissingValuesWarning, match="fewer than 20 known values"):
        table = phgs.as_gaussian(numbers, missing="auto")
    assert pickle.loads(pickle.dumps(table)).isolated == table.isolated == (2, 3)
    assert pickle.loads(pickle.dumps(table.start())).isolated == (2, 3)
    assert table.take(np.arange(100)).isolated == (2, 3)
    result = learn(table, "phgs")
    assert result.isolated == {"rare": 0, "gone": 0}
    assert {frozenset(pair) for pair in result.cpdag.skeleton().undirected} == {frozenset("ab")}


def test_mixed_columns_of_few_known_values_are_set_apart():
    data = few_known()
    rng = np.random.default_rng(3)
    data["number"] = (np.array(data["b"]) + rng.normal(size=200)).tolist()
    data["hardly"] = [v if i < 15 else None for i, v in enumerate(data["number"])]
    data["key"] = [f"k{i % 20}" if i < 80 else None for i in range(200)]
    with (
        pytest.warns(phgs.MissingValuesWarning, match="2 columns with fewer than 20 known values .*'rare', 'hardly'"),
        pytest.warns(phgs.DegenerateColumnWarning, match="every value is missing stay isolated: 'gone'"),
        pytest.warns(phgs.ManyStatesWarning, match=r"'key' \(text, 20 different values in 80 rows\)"),
    ):
        result = learn(data)
    assert result.missing.apart == ("rare", "hardly")
    assert set(result.isolated) == {"rare", "gone", "hardly", "key"}
    assert {frozenset(pair) for pair in result.cpdag.skeleton().undirected} == {
        frozenset("ab"),
        frozenset(("b", "number")),
    }
    table = as_data(data, missing="auto", warn=False)
    assert table.take(np.arange(100)).isolated == table.isolated == table.start().isolated == (2, 3, 5, 6)
    chosen = table.select(["key", "b"])
    assert (chosen.names, chosen.isolated) == (("b", "key"), (1,))


def test_mixed_values_are_filled_in_with_what_the_row_says(mixed):
    # A number that is nearly a function of another, and a category that a number decides.
    rng = np.random.default_rng(8)
    x = mixed.columns[mixed.index("x")]
    near = 2.0 * x + 0.05 * rng.normal(size=len(x))
    side = np.where(x > 0.5, "right", "left")
    gaps = rng.random((len(x), 2)) < 0.3
    frame = pd.DataFrame({"x": x, "near": np.where(gaps[:, 0], np.nan, near), "side": side})
    frame.loc[gaps[:, 1], "side"] = None
    table = as_data(frame, missing="auto", warn=False)
    filled = table.fill(table.start(), [(0, 1), (0, 2)], sweeps=12, seed=1)
    names = dict(enumerate(filled.levels[2]))
    drawn = np.array([names[code] for code in filled.columns[2]])
    error = np.abs(filled.columns[1] - near)[gaps[:, 0]]
    assert np.quantile(error, 0.9) < 0.3
    assert set(filled.columns[1][gaps[:, 0]]) <= set(near[~gaps[:, 0]])
    far = gaps[:, 1] & (np.abs(x - 0.5) > 0.5)
    assert (drawn == side)[far].mean() > 0.97
    assert np.array_equal(filled.columns[0], x)


def test_bootstrap_fit_and_knowledge_of_mixed_tables_with_gaps(gapped_mixed):
    shares = phgs.bootstrap("ges", gapped_mixed, 6, progress=False)
    assert shares.pair("group", "x").frequency > 0.9
    assert shares.pair("alone", "x").frequency < 0.5
    known = {"required": [("alone", "x")], "forbidden": [("y", "answer"), ("answer", "y")]}
    result = learn(gapped_mixed, knowledge=known)
    assert ("alone", "x") in result.cpdag.directed
    assert ("y", "answer") not in result.cpdag
    network = learn(gapped_mixed).fit()
    assert isinstance(network, phgs.MixedNetwork)
    # Of y given x: one slope of −0.8.
    fitted = phgs.MixedNetwork.fit(gapped_mixed, [("group", "x"), ("x", "y"), ("y", "answer")])
    assert fitted.family("y").coefficients.ravel() == pytest.approx([0.0, -0.8], abs=0.08)
    means = dict(zip(fitted.states["group"], fitted.family("x").coefficients.ravel(), strict=True))
    assert means == pytest.approx({"low": 0.0, "middle": 1.0, "high": 2.0}, abs=0.15)
    test = phgs.independence_test(gapped_mixed, "x", "answer", ["y"])
    complete = as_data(gapped_mixed.select(["x", "answer", "y"]), missing="drop")
    assert (test.n_rows, test.p_value) == (
        complete.n_rows,
        phgs.independence_test(complete, "x", "answer", ["y"]).p_value,
    )
    # The first pair has the rows that are complete in both.
    first = as_data(gapped_mixed.select(gapped_mixed.names[:2]), missing="drop")
    assert phgs.distances(gapped_mixed)[0] == pytest.approx(phgs.distances(first)[0], abs=1e-9)
    assert set(phgs.cluster_variables(gapped_mixed)) == set(gapped_mixed.names)


def test_much_missing_is_warned_of(asia):
    rng = np.random.default_rng(1)
    frame = {name: codes.tolist() for name, codes in zip(asia.names, asia.codes, strict=True)}
    frame["dysp"] = [None if rng.random() < 0.3 else v for v in frame["dysp"]]
    with pytest.warns(phgs.MissingValuesWarning, match=r"many values are missing in 'dysp' \(\d\d %\)"):
        learn(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame["dysp"] = [None if rng.random() < 0.1 else v for v in asia.codes[7].tolist()]
        learn(frame)


def test_identifiers_are_judged_by_known_rows():
    # 20 states in 200 rows are no identifier; in 80 known rows they are one.
    n = 200
    key = [i % 20 if i < 80 else None for i in range(n)]
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, n).tolist()
    with pytest.warns(phgs.ManyStatesWarning, match="identifiers"):
        table = phgs.as_table({"a": a, "key": key}, missing="auto")
    assert table.isolated == (1,)
    assert phgs.as_table({"a": a, "key": [i % 20 for i in range(n)]}).isolated == ()


def test_findings_of_copies_with_gaps():
    rng = np.random.default_rng(2)
    a = [None if rng.random() < 0.05 else int(v) for v in rng.integers(0, 3, 300)]
    with pytest.warns(phgs.DegenerateColumnWarning, match="copies"):
        result = learn({"a": a, "same": a, "b": rng.integers(0, 2, 300).tolist()})
    assert result.missing.rounds >= 1
    x = np.array([np.nan if v is None else v + 0.5 for v in a])
    result = learn({"a": x, "same": x, "b": rng.normal(size=300)}, data_type="gaussian")
    assert result.missing.rounds >= 1


def test_bad_input_is_one_error():
    for data_type, value in (("discrete", None), ("gaussian", np.nan)):
        with pytest.raises(phgs.DataError, match="every value is missing"):
            learn({"a": [value] * 30, "b": [value] * 30}, data_type=data_type)
    with pytest.raises(phgs.DataError, match="'a' is constant"):
        learn({"a": [1.5] * 30 + [np.nan], "b": np.arange(31) + 0.5}, data_type="gaussian")
    with pytest.raises(phgs.DataError, match="infinite"):
        learn({"a": [np.inf, np.nan] * 20, "b": np.arange(40) + 0.5}, data_type="gaussian")
    with pytest.raises(phgs.ParameterError, match="missing"):
        learn({"a": [0, 1]}, missing="guess")
    with pytest.raises(phgs.DataError, match="missing values in 'a'"):
        learn({"a": [0, None, 1] * 20, "b": [0, 1, 1] * 20}, missing="error")


# Functions of the user's own


class G2:
    """A test on a table, as a user writes one."""

    def __init__(self, table, seen):
        self.table, self.seen = table, seen

    def on(self, table):
        self.seen.append(table)
        return G2(table, self.seen)

    def __call__(self, x, y, given):
        found = phgs.independence_test(self.table, x, y, given)
        return found.statistic, found.degrees_of_freedom, found.p_value


class Bic:
    """A score on a table, as a user writes one."""

    def __init__(self, table, seen):
        self.table, self.seen = table, seen

    def on(self, table):
        self.seen.append(table)
        return Bic(table, self.seen)

    def __call__(self, variable, parents):
        return phgs.score(self.table, [(parent, variable) for parent in parents]).local[variable]


@pytest.mark.filterwarnings("ignore:only .* rows are in strata:phgs.PhgsWarning")
def test_functions_get_completed_data(gapped):
    seen = []
    own = learn(gapped, "pc", path_length=1, test=G2(gapped, seen))
    assert edges(own.cpdag) == edges(learn(gapped, "pc", path_length=1).cpdag)
    assert len(seen) == own.missing.rounds + 1
    assert all(isinstance(table, phgs.Table) for table in seen)
    seen = []
    own = learn(gapped, "hc", score=Bic(gapped, seen))
    assert len(seen) == own.missing.rounds + 1
    assert edges(own.cpdag) == edges(learn(gapped, "hc").cpdag)


# Limits of time


def test_a_round_that_is_cut_short_is_left_out(gapped):
    learner, learned = phgs.GES(progress=False), []

    def learn_until(last):
        def learn(table):
            found = learner._run(table, learner._for_core(table), None, None)
            learned.append(table)
            # Classes that differ, so that rounds go on.
            undirected = np.array([[0, 1]] * (len(learned) % 2), dtype=np.uint32).reshape(-1, 2)
            return {**found, "complete": len(learned) < last, "cpdag": (undirected[:0], undirected)}

        learned.clear()
        return learn_in_rounds(gapped, learn, threads=1, until=None)

    found = learn_until(3)
    assert found.table is learned[1]
    assert not found.learned["complete"]
    assert (found.missing.rounds, found.missing.repeated) == (1, False)
    assert learn_until(1).missing.rounds == 0
    whole = learn_until(99)
    assert whole.table is learned[-1]
    assert whole.learned["complete"]
    assert (whole.missing.rounds, whole.missing.repeated) == (ROUNDS, False)
    # Time that is up before a round, or while values are filled in.
    done = learn_in_rounds(
        gapped, lambda table: learner._run(table, learner._for_core(table), None, None), threads=1, until=0.0
    )
    assert (done.missing.rounds, done.learned["complete"]) == (0, False)
    with pytest.raises(TimeoutError):
        gapped.fill(gapped.start(), [], sweeps=8, seed=1, time_limit=1e-9)


def test_a_time_limit_that_ends_in_the_first_learning():
    table = phgs.datasets.load_alarm().table
    gapped = phgs.make_missing(table, 0.05, seed=1)
    start = time.perf_counter()
    result = learn(gapped, "boss", time_limit=0.02)
    assert time.perf_counter() - start < 5
    assert not result.complete
    assert result.missing.rounds == 0
    assert not result.missing.repeated


# Pieces


def test_single_tests_use_complete_rows(gapped, gapped_gaussian):
    for table, of in ((gapped, ("smoke", "bronc", "dysp")), (gapped_gaussian, ("a", "b", "c"))):
        found = phgs.independence_test(table, *of)
        columns = [table.names.index(name) for name in of]
        arrays = list(table.arrays())
        known = [np.isnan(arrays[i]) if arrays[i].dtype.kind == "f" else arrays[i] == table.arities[i] for i in columns]
        rows = np.flatnonzero(~np.any(known, axis=0))
        complete = as_data(table, missing="drop", columns=of, warn=False)
        expected = phgs.independence_test(complete, *of)
        assert (found.n_rows, found.n_rows_read) == (len(rows), table.n_rows)
        assert found.statistic == pytest.approx(expected.statistic)


def test_scores_are_those_of_data_filled_in_from_the_graph(gapped, gapped_gaussian, asia, gaussian):
    dag = [("smoke", "bronc"), ("bronc", "dysp")]
    for data, complete, arcs in ((gapped, asia, dag), (gapped_gaussian, gaussian, [("a", "b"), ("b", "c")])):
        found, right = phgs.score(data, arcs), phgs.score(complete, arcs)
        assert found.n_rows == complete.n_rows
        assert found.value == phgs.score(data, arcs, threads=1).value
        assert found.value == pytest.approx(right.value, rel=0.02)
        # Filled in from a graph without them, the edges are worth less.
        with pytest.raises(phgs.DataError):
            phgs.score(data, arcs, missing="error")


def test_distances_are_pairwise(gapped_gaussian, gapped):
    found = phgs.distances(gapped_gaussian)
    frame = pd.DataFrame(dict(zip(gapped_gaussian.names, gapped_gaussian.values, strict=True)))
    expected = 1 - frame.corr().abs().to_numpy()[np.triu_indices(5, 1)]
    assert found == pytest.approx(expected, abs=1e-9)
    assert len(phgs.cluster_variables(gapped)) == 8
    assert len(phgs.cluster_variables(gapped_gaussian)) == 5


def test_neighbourhoods_and_blankets(gapped, gapped_gaussian):
    assert "bronc" in phgs.MMPC().neighbourhood(gapped, "smoke").names
    assert "bronc" in phgs.markov_blanket(gapped, "smoke").names
    assert "b" in phgs.markov_blanket(gapped_gaussian, "a").names


def test_bootstrap_fills_in_within_each_replicate(gapped, gapped_gaussian):
    for table, pair in ((gapped, ("smoke", "bronc")), (gapped_gaussian, ("a", "b"))):
        found = phgs.bootstrap("hc", table, n=6, seed=1, progress=False)
        again = phgs.bootstrap("hc", table, n=6, seed=1, workers=2, progress=False)
        assert found.counts == again.counts
        assert found.pair(*pair).frequency == 1.0
        drawn = table.take(np.random.default_rng([1, 0]).integers(0, table.n_rows, table.n_rows))
        replicate = learn(drawn, "hc")
        assert replicate.missing.rounds >= 1
        assert replicate.cpdag.n_edges > 0


def test_the_command_line(gapped, tmp_path):
    import json
    import subprocess
    import sys

    frame = pd.DataFrame(
        {
            name: [labels[code] if code < len(labels) else "" for code in codes]
            for name, codes, labels in zip(gapped.names, gapped.codes, gapped.levels, strict=True)
        }
    )
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    run = [sys.executable, "-m", "phgs", "learn", str(tmp_path / "gaps.csv"), "--method", "ges", "--json"]
    out = subprocess.run([*run, str(tmp_path / "r.json")], capture_output=True, text=True, check=True)
    assert "filled in from the learned graph" in out.stdout
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["missing"]["method"] == "em"
    assert found["missing"]["share"] == pytest.approx(sum(gapped.n_missing) / 24000)
    refused = subprocess.run([*run, str(tmp_path / "s.json"), "--missing", "error"], capture_output=True, text=True)
    assert refused.returncode == 2
    assert "missing values in" in refused.stderr


# Mechanisms


@pytest.mark.parametrize("mechanism", ["mcar", "mar", "mnar"])
def test_mechanisms(asia, gaussian, mechanism):
    for table in (asia, gaussian):
        n, p = table.n_rows, table.n_variables
        gapped = phgs.make_missing(table, 0.1, mechanism, seed=1)
        again = phgs.make_missing(table, 0.1, mechanism, seed=1)
        assert gapped.n_missing == again.n_missing
        # The standard error is at most √(0.1 · 4 / (n p)).
        assert sum(gapped.n_missing) / (n * p) == pytest.approx(0.1, abs=5 * (0.4 / (n * p)) ** 0.5)
        if mechanism == "mar":
            assert sum(count == 0 for count in gapped.n_missing) == (p + 1) // 2
        arrays = zip(gapped.arrays(), table.arrays(), strict=True)
        gaps = [(np.isnan(a) if a.dtype.kind == "f" else a != b, b) for a, b in arrays]
        for gap, values in gaps:
            often = values > np.median(values) if values.dtype.kind == "f" else values == np.bincount(values).argmax()
            if mechanism == "mnar" and min(gap[often].sum(), gap[~often].sum()) > 5:
                assert gap[often].mean() > 2 * gap[~often].mean()
            if mechanism == "mcar":
                assert gap.mean() == pytest.approx(0.1, abs=0.04)
    with pytest.raises(phgs.ParameterError, match="share"):
        phgs.make_missing(asia, 1.0)
    with pytest.raises(phgs.ParameterError, match="mechanism"):
        phgs.make_missing(asia, 0.1, "often")
    with pytest.raises(phgs.DataError, match="missing values"):
        phgs.make_missing(gapped, 0.1)


# Parameters by EM


def em(columns, parents, arities, steps=4000):
    """Maximise the likelihood of the known values by enumerating every completion of every row."""
    names = list(columns)
    rows = list(zip(*columns.values(), strict=True))
    completions = [
        [
            c
            for c in itertools.product(*(range(arities[n]) for n in names))
            if all(k in (None, v) for k, v in zip(row, c, strict=True))
        ]
        for row in rows
    ]
    at = {name: i for i, name in enumerate(names)}
    tables = {n: np.full([arities[p] for p in parents[n]] + [arities[n]], 1.0 / arities[n]) for n in names}
    # The same start as the package's: relative frequencies of rows that are complete in the family, with one row more.
    for n in names:
        counts = np.full_like(tables[n], 1.0 / arities[n])
        for row in rows:
            cell = tuple(row[at[v]] for v in (*parents[n], n))
            if None not in cell:
                counts[cell] += 1
        tables[n] = counts / counts.sum(-1, keepdims=True)
    for _ in range(steps):
        counts = {n: np.zeros_like(tables[n]) for n in names}
        for options in completions:
            cells = [[tuple(c[at[v]] for v in (*parents[n], n)) for n in names] for c in options]
            weights = np.array([np.prod([tables[n][cell] for n, cell in zip(names, of, strict=True)]) for of in cells])
            for of, weight in zip(cells, weights / weights.sum(), strict=True):
                for n, cell in zip(names, of, strict=True):
                    counts[n][cell] += weight
        new = {n: c / c.sum(-1, keepdims=True) for n, c in counts.items()}
        change = max(np.abs(new[n] - tables[n]).max() for n in names)
        tables = new
        if change < 1e-10:
            break
    return tables


@pytest.mark.filterwarnings("ignore:many values are missing:phgs.MissingValuesWarning")
@pytest.mark.parametrize("seed", range(4))
def test_parameters_are_those_of_em_by_enumeration(seed):
    rng = np.random.default_rng(seed)
    n = 60
    a = rng.integers(0, 2, n)
    b = np.where(rng.random(n) < 0.7, a, rng.integers(0, 3, n))
    c = np.where(rng.random(n) < 0.8, (a + b) % 2, rng.integers(0, 2, n))
    gaps = rng.random((3, n)) < 0.25
    columns = {
        name: [None if gap else int(v) for v, gap in zip(column, gaps[i], strict=True)]
        for i, (name, column) in enumerate(zip("abc", (a, b, c), strict=True))
    }
    parents = [{"a": (), "b": ("a",), "c": ("a", "b")}, {"a": (), "b": ("c",), "c": ("a",)}][seed % 2]
    arcs = [(p, child) for child, above in parents.items() for p in above]
    expected = em(columns, parents, {"a": 2, "b": 3, "c": 2})
    network = phgs.Network.fit(columns, arcs)
    assert network.states["b"] == ("0", "1", "2")
    for name in "abc":
        order = [network.parents[name].index(p) for p in parents[name]]
        found = network.table(name).transpose([*order, len(order)])
        assert found == pytest.approx(expected[name], abs=1e-5), name
    again = phgs.Network.fit(columns, arcs, threads=1)
    assert all(np.array_equal(network.table(name), again.table(name)) for name in "abc")


def test_results_fit_by_em(asia, gapped):
    result = learn(gapped, knowledge={"required": [("smoke", "bronc")]})
    network, complete = result.fit(), phgs.Network.fit(asia, result.dag)
    assert network.table("smoke") == pytest.approx(complete.table("smoke"), abs=0.03)
    assert network.table("bronc") == pytest.approx(complete.table("bronc"), abs=0.05)
    same = phgs.Network.fit(gapped, result.dag)
    assert np.array_equal(network.table("bronc"), same.table("bronc"))
    with pytest.raises(phgs.DataError, match="missing values in"):
        phgs.Network.fit(gapped, result.dag, missing="error")
    with pytest.raises(phgs.DataError, match="needs complete rows"):
        phgs.Network.fit(phgs.as_table(gapped, missing="testwise"), result.dag)
    with pytest.raises(phgs.DataError, match="'gone' has no known value"), pytest.warns(phgs.MissingValuesWarning):
        phgs.Network.fit({"a": [0, 1] * 30, "gone": [None] * 60}, [])


def test_many_missing_values_that_depend_on_each_other():
    # Eight missing values of four states that one child ties together: more joint states than are enumerated.
    rng = np.random.default_rng(3)
    above = rng.integers(0, 4, (8, 400))
    columns = {f"x{i}": column.tolist() for i, column in enumerate(above)}
    columns["y"] = (above.sum(axis=0) > 12).astype(int).tolist()
    for i in range(8):
        columns[f"x{i}"][:5] = [None] * 5
    arcs = [("x0", "y"), ("x1", "y"), *[(f"x{i}", f"x{i + 1}") for i in range(1, 7)]]
    network = phgs.Network.fit(columns, arcs)
    assert network.table("x0").sum() == pytest.approx(1.0)
    assert network.table("x0") == pytest.approx(np.bincount(above[0], minlength=4) / 400, abs=0.02)
