"""What `verify` says of edges and of their absence: formulas, enumeration, and the same from memory and from files."""

import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import phgs

EXACT = {"threads": 1, "progress": False}


def chain(rows, seed=1):
    """Return x → y → z, binary, with w apart."""
    generator = np.random.default_rng(seed)
    x = generator.integers(0, 2, rows)
    y = np.where(generator.random(rows) < 0.8, x, 1 - x)
    z = np.where(generator.random(rows) < 0.7, y, 1 - y)
    return {"x": x, "y": y, "z": z, "w": generator.integers(0, 3, rows)}


def information(x, y, strata):
    """Conditional mutual information in bits, by the definition."""
    rows, total = len(x), 0.0
    for stratum in set(strata):
        inside = strata == stratum
        n = inside.sum()
        for a in set(x[inside]):
            for b in set(y[inside]):
                both = np.sum(inside & (x == a) & (y == b))
                if both:
                    expected = np.sum(inside & (x == a)) * np.sum(inside & (y == b)) / n
                    total += both / rows * math.log2(both / expected)
    return total


def of(table, *pair):
    return next(row for row in table if {row.x, row.y} == set(pair))


def test_effects_are_those_of_the_definition():
    data = chain(4_000)
    result = phgs.PC(alpha=0.01, path_length=1, **EXACT).learn(data)
    check = phgs.verify(result)
    assert len(check.edges) == 2
    assert len(check.absent) == 4
    assert check.n_rows == 4_000
    nothing = np.zeros(4_000)
    for row in [*check.edges, *check.absent]:
        strata = nothing if not row.given else data[row.given[0]]
        assert len(row.given) <= 1
        expected = information(data[row.x], data[row.y], strata)
        assert row.bits == pytest.approx(expected, rel=1e-9, abs=1e-15)
        assert row.statistic == pytest.approx(2 * 4_000 * math.log(2) * expected, rel=1e-9, abs=1e-9)
        test = phgs.independence_test(data, row.x, row.y, row.given)
        assert row.statistic == pytest.approx(test.statistic, rel=1e-9, abs=1e-9)
        assert (row.degrees_of_freedom, row.log_p_value) == (
            test.degrees_of_freedom,
            pytest.approx(test.log_p_value, rel=1e-8, abs=1e-12),
        )
    assert of(check.absent, "x", "z").given == ("y",) == result.separation("x", "z").given
    # 1 − H(0.8) is what a binary symmetric channel passes on; the estimate is within four standard errors.
    screened = phgs.PC(alpha=0.01, path_length=1, max_conditioning_size=0, **EXACT).learn(data)
    passed = 1 + 0.8 * math.log2(0.8) + 0.2 * math.log2(0.2)
    assert of(phgs.verify(screened).edges, "x", "y").bits == pytest.approx(passed, abs=0.05)
    assert check.broken.rows == () == check.weak.rows
    assert check.alpha == 0.01
    bits = [row.bits for row in check.edges]
    assert bits == sorted(bits)
    bits = [row.bits for row in check.absent]
    assert bits == sorted(bits, reverse=True)


def test_a_graph_of_too_few_rows_is_found_out_by_many():
    data = chain(50_000)
    few = {name: column[:60] for name, column in data.items()}
    result = phgs.PC(alpha=1e-6, path_length=1, **EXACT).learn(few)
    check = phgs.verify(result, data)
    missing = {frozenset(pair) for pair in [("x", "y"), ("y", "z")]} - {
        frozenset(edge[:2]) for edge in result.cpdag.edges
    }
    assert missing
    assert missing <= {frozenset((row.x, row.y)) for row in check.broken}
    assert all(row.bits >= 0.1 for row in phgs.verify(result, data, least_bits=0.1).broken)
    assert len(phgs.verify(result, data, least_bits=0.2, alpha=0.05).weak) == sum(r.bits < 0.2 for r in check.edges)


def test_an_edge_that_chance_made_is_weak():
    truth = phgs.Network.load("asia")
    small, large = truth.sample(500, seed=3), truth.sample(30_000, seed=4)
    result = phgs.HillClimbing(score="aic", **EXACT).learn(small)
    check = phgs.verify(result, large, alpha=1e-3)
    true = {frozenset(edge) for edge in truth.edges}
    assert check.weak
    assert not {frozenset((row.x, row.y)) for row in check.weak} & true


def test_of_a_search_the_dag_says_what_to_look_at_given():
    data = phgs.Network.load("asia").sample(5_000, seed=1)
    result = phgs.HillClimbing(**EXACT).learn(data)
    check = phgs.verify(result)
    assert len(check.edges) == result.cpdag.n_edges
    assert len(check.edges) + len(check.absent) == 28
    order = []
    left = list(result.variables)
    while left:
        order += [name for name in left if set(result.dag.parents(name)) <= set(order)]
        left = [name for name in left if name not in order]
    for row in check.absent:
        assert phgs.d_separated(result.dag, row.x, row.y, row.given)
        assert set(row.given) in (set(result.dag.parents(row.x)), set(result.dag.parents(row.y)))
    for row in check.edges:
        head, tail = (row.y, row.x) if row.x in result.dag.parents(row.y) else (row.x, row.y)
        assert set(row.given) == set(result.dag.parents(head)) - {tail}


@pytest.mark.parametrize("method", ["pc", "phgs", "mmpc", "hc", "auto"])
def test_files_say_what_memory_says(tmp_path, method):
    rows = phgs.Network.load("child").sample(3_000, seed=2)
    for part in range(4):
        pq.write_table(rows.slice(part * 750, 750), tmp_path / f"{part}.parquet", row_group_size=300)
    source = phgs.shards(tmp_path)
    result = phgs.learn(source.sample(1_000, seed=5), method=method, progress=False)
    found, wanted = phgs.verify(result, source), phgs.verify(result, rows)
    assert (found.edges, found.absent, found.n_rows) == (wanted.edges, wanted.absent, 3_000)
    assert len(found.edges) + len(found.absent) + len(found.too_large) == 190
    one = phgs.verify(result, tmp_path, threads=1)
    assert one.edges == found.edges
    assert str(one) == str(found)


def test_tables_that_do_not_fit_together_are_counted_in_several_passes(monkeypatch):
    data = phgs.Network.load("asia").sample(2_000, seed=1)
    result = phgs.learn(data, progress=False)
    wanted = phgs.verify(result)
    monkeypatch.setattr("phgs.verification.counting.MOST_TOGETHER", 40)
    assert phgs.verify(result).edges == wanted.edges
    assert phgs.verify(result).absent == wanted.absent
    monkeypatch.setattr("phgs.verification.counting.MOST_CELLS", 4)
    few = phgs.verify(result)
    assert all(not row.given for row in [*few.edges, *few.absent])
    assert len(few.too_large) + len(few.edges) + len(few.absent) == 28
    assert few.too_large


def test_missing_values_and_what_knowledge_forbids(tmp_path):
    data = chain(900)
    gaps = pa.table({**data, "y": pa.array([None if row % 50 == 0 else int(v) for row, v in enumerate(data["y"])])})
    for part in range(3):
        pq.write_table(gaps.slice(part * 300, 300), tmp_path / f"{part}.parquet", row_group_size=100)
    for missing, rows in [("drop", 882), ("level", 900)]:
        learner = phgs.PC(missing=missing, knowledge={"forbidden": [["x", "w"], ["w", "x"]]}, **EXACT)
        result = learner.learn(gaps)
        found, wanted = phgs.verify(result, tmp_path), phgs.verify(result, gaps)
        assert found.n_rows == rows
        assert (found.edges, found.absent) == (wanted.edges, wanted.absent)
        assert not [row for row in found.absent if {row.x, row.y} == {"x", "w"}]
    whole = phgs.PC(**EXACT).learn(data)
    with pytest.raises(phgs.DataError, match="'y' has missing values"):
        phgs.verify(whole, tmp_path)
    testwise = phgs.MMPC(missing="testwise", **EXACT).learn(gaps)
    for source in (tmp_path, gaps):
        with pytest.raises(phgs.ParameterError, match="missing: verify"):
            phgs.verify(testwise, source)


def test_bad_input_is_named(tmp_path):
    data = chain(200)
    result = phgs.PC(**EXACT).learn(data)
    fewer = {name: data[name] for name in ("x", "y", "w")}
    pq.write_table(pa.table(fewer), tmp_path / "a.parquet")
    for source in (fewer, tmp_path):
        with pytest.raises(phgs.ParameterError, match="unknown column 'z'"):
            phgs.verify(result, source)
    for name, value in [("alpha", 2), ("least_bits", -1), ("threads", 1.5)]:
        with pytest.raises(phgs.ParameterError, match=name):
            phgs.verify(result, **{name: value})
    gaussian = phgs.PC(data_type="gaussian", **EXACT).learn({"x": [0.5, 1, 2.5, 4] * 9, "y": [1, 2.5, 4, 0.1] * 9})
    with pytest.raises(phgs.ParameterError, match="result: verify counts states"):
        phgs.verify(gaussian)
    result.save(tmp_path / "result.json")
    loaded = phgs.Result.load(tmp_path / "result.json")
    with pytest.raises(phgs.ParameterError, match="data="):
        phgs.verify(loaded)
    assert phgs.verify(loaded, data).edges == phgs.verify(result).edges


def test_the_tables_go_to_frames_and_text():
    check = phgs.verify(phgs.PC(**EXACT).learn(chain(500)))
    assert check.edges.to_arrow().column_names == list(check.edges.columns)
    assert check.absent.to_pandas()["bits"].tolist() == check.absent["bits"]
    assert "500 rows" in str(check)
    assert "bits" in repr(check.edges)
    assert "broken" in repr(check)


def test_numbers_that_were_taken_for_categories_stay_categories(tmp_path):
    data = chain(400)
    halves = pa.table({**data, "dose": (data["x"] + data["w"]) / 2})
    result = phgs.PC(kinds={"dose": "category"}, **EXACT).learn(halves)
    pq.write_table(halves, tmp_path / "a.parquet", row_group_size=90)
    assert phgs.verify(result, tmp_path).edges == phgs.verify(result).edges
    mixed = phgs.learn({**data, "height": np.random.default_rng(1).normal(size=400)}, progress=False)
    with pytest.raises(phgs.ParameterError, match="result: verify counts states"):
        phgs.verify(mixed)


def test_rows_with_weights_are_refused():
    data = chain(300)
    weights = np.full(300, 0.5)
    table = phgs.as_table(data, weights=weights)
    with pytest.raises(phgs.ParameterError, match="data: verify counts rows, and these have weights"):
        phgs.verify(phgs.PC(**EXACT).learn(data), table)
    with pytest.raises(phgs.ParameterError, match="verify counts rows"):
        phgs.verify(phgs.PC(weights=weights, **EXACT).learn(data))
