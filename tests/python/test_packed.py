"""Tables of many rows: codes that are kept as bit planes, and files that are mapped."""

import contextlib
import datetime as dt
import os
import pickle
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import phgs
from phgs import _core
from phgs.data import packed, sharded
from phgs.data.engines import InProcess
from phgs.data.shards import Shards
from phgs.data.stored import StoredColumns


@pytest.fixture
def pack_all(monkeypatch):
    """Tables of any number of rows are packed within the block."""

    @contextlib.contextmanager
    def packing(rows=1):
        with monkeypatch.context() as patch:
            patch.setattr(packed, "PACKED_ROWS", rows)
            yield

    return packing


def frame(rows=900):
    """Columns of few, of 32 and of more states."""
    random = np.random.default_rng(3)
    hidden = random.integers(0, 3, rows)
    found = {f"v{r}": (hidden * (r % 3 + 1) + random.integers(0, r, rows) ** 2 // r) % r for r in (2, 3, 4, 32, 33, 60)}
    return pd.DataFrame({**found, "one": 1, "text": np.array(["no", "yes", "maybe"])[hidden]})


def learned(data, method, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = phgs.learn(data, method, progress=False, **options).to_dict(separations=True)
    found.pop("seconds")
    for stage in found["stages"]:
        stage.pop("seconds")
    return found


def tables(data, pack_all):
    with pack_all():
        kept = phgs.as_table(data, warn=False)
    return phgs.as_table(data, warn=False), kept


def test_codes_are_the_same_whether_they_are_packed_or_not(pack_all):
    plain, kept = tables(frame(), pack_all)
    assert isinstance(plain.codes, tuple)
    assert [isinstance(c, _core.PackedColumn) for c in packed.stored(kept.codes)] == [True] * 4 + [False] * 2 + [
        True
    ] * 2
    for one, other in zip(plain.codes, kept.codes, strict=True):
        assert (one == other).all()
        assert one.dtype == other.dtype
    assert plain.levels == kept.levels
    assert len(kept.codes[1:3]) == 2
    some = kept.select(["v3", "text", "v60"])
    assert isinstance(packed.stored(some.codes)[2], _core.PackedColumn)
    rows = np.array([5, 5, 17, 880])
    for one, other in zip(plain.select(["v3", "text", "v60"]).take(rows).codes, some.take(rows).codes, strict=True):
        assert (one == other).all()
    again = pickle.loads(pickle.dumps(kept))
    assert [c.tolist() for c in again.codes] == [c.tolist() for c in plain.codes]
    assert repr(kept) == repr(plain)


@pytest.mark.parametrize("method", phgs.METHODS)
def test_every_method_finds_the_same_to_the_bit(method, pack_all):
    alarm = phgs.Network.load("alarm").sample(1000, seed=4)
    given = {"gsc": {"skeleton": [("HR", "HRBP"), ("HR", "HREKG"), ("HRBP", "HREKG")]}}.get(method, {})
    plain, kept = tables(alarm, pack_all)
    assert learned(kept, method, threads=2, **given) == learned(plain, method, threads=2, **given)


def test_options_find_the_same_to_the_bit(pack_all):
    plain, kept = tables(frame(), pack_all)
    for method, options in [
        ("pc", {"test": "x2", "degrees_of_freedom": "adjusted"}),
        ("hc", {"score": "bdeu"}),
        ("ges", {"score": "sqnml"}),
        ("auto", {}),
    ]:
        assert learned(kept, method, **options) == learned(plain, method, **options)


def test_all_that_is_done_with_tables_is_the_same(pack_all):
    data = frame()
    plain, kept = tables(data, pack_all)
    one, other = (phgs.learn(table, "hc", progress=False) for table in (plain, kept))
    networks = one.fit(plain), other.fit(kept)
    assert all((networks[0].table(node) == networks[1].table(node)).all() for node in networks[0].nodes)
    assert str(phgs.describe(plain)) == str(phgs.describe(kept))
    assert (phgs.distances(plain) == phgs.distances(kept)).all()
    arguments = ("v2", "v4", ["v3"])
    assert phgs.independence_test(plain, *arguments) == phgs.independence_test(kept, *arguments)
    assert phgs.score(plain, one.dag) == phgs.score(kept, one.dag)
    replicates = [phgs.bootstrap(phgs.HillClimbing(), table, n=4, seed=1, progress=False) for table in (plain, kept)]
    assert replicates[0].to_dict() == replicates[1].to_dict()
    weights = np.linspace(0.5, 2, len(data))
    weighted = [learned(data, "hc", weights=weights)]
    with pack_all():
        weighted.append(learned(data, "hc", weights=weights))
    assert weighted[0] == weighted[1]


def test_columns_with_missing_values_or_many_states_are_kept_as_codes(pack_all, tmp_path):
    """Also where that is found out in the last part."""
    many = pa.table({"x": [0, 1] * 50 + list(range(40)), "y": [0, 1] * 70})
    gaps = pa.table({"x": [0, 1] * 50 + [None] * 40, "y": [0, 1] * 70})
    for name, table in (("many", many), ("gaps", gaps)):
        pq.write_table(table, tmp_path / f"{name}.parquet", row_group_size=30)
    with pack_all():
        found = phgs.as_table(tmp_path / "many.parquet", warn=False)
        left = phgs.as_table(tmp_path / "gaps.parquet", missing="drop", warn=False)
        states = phgs.as_table(tmp_path / "gaps.parquet", missing="level", warn=False)
    assert [isinstance(c, _core.PackedColumn) for c in packed.stored(found.codes)] == [False, True]
    assert [c.tolist() for c in found.codes] == [many["x"].to_pylist(), many["y"].to_pylist()]
    assert left.n_rows == 100
    assert states.levels[0] == (0, 1, None)
    assert states.codes[0].tolist() == [0, 1] * 50 + [2] * 40


def test_columns_of_labels_are_read_row_group_by_row_group(monkeypatch, tmp_path):
    """What is read part by part is what is read at once: text, dictionaries, gaps, dictionaries that differ."""
    text = ["a", "b", None, "c", "a", "d"] * 20
    later = pa.array(text[60:]).dictionary_encode()
    table = {
        "text": pa.array(text),
        "dictionary": pa.chunked_array([pa.array(text[:60]).dictionary_encode(), later]),
        "number": pa.array([1, 2, 3, 1, 2, None] * 20),
    }
    pq.write_table(pa.table(table), tmp_path / "t.parquet", row_group_size=25)
    source = Shards((str(tmp_path / "t.parquet"),))
    at_once = phgs.as_table(source, missing="level", warn=False)
    whole = learned(tmp_path / "t.parquet", "hc", missing="level")
    monkeypatch.setattr("phgs.data.stored._AT_ONCE", 1)
    columns = StoredColumns(source, list(table)).columns()
    assert [column.labelled() is not None for column in columns] == [True, True, False]
    assert learned(tmp_path / "t.parquet", "hc", missing="level") == whole
    in_parts = phgs.as_table(source, missing="level", warn=False)
    assert in_parts.levels == at_once.levels
    assert all((one == other).all() for one, other in zip(in_parts.codes, at_once.codes, strict=True))


def test_workers_keep_planes_and_find_the_same_to_the_bit(pack_all, tmp_path):
    table = pa.Table.from_pandas(frame(1200), preserve_index=False)
    for part in range(5):
        pq.write_table(table.slice(240 * part, 240), tmp_path / f"{part}.parquet", row_group_size=100)
    for method in ("pc", "hc"):
        expected = learned(table, method, data_type="discrete")
        with pack_all():
            source = phgs.shards(tmp_path, on=InProcess(3))
            assert learned(source, method, data_type="discrete") == expected
            source.close()


def test_memory_of_workers_is_that_of_planes(pack_all, tmp_path):
    pq.write_table(phgs.Network.load("alarm").sample(4000, seed=1), tmp_path / "a.parquet", row_group_size=1000)
    engine = InProcess(1, memory=4000 * 37 // 2)
    with pytest.raises(phgs.DataError, match=r"the table takes about .* on the"):
        phgs.learn(phgs.shards(tmp_path, on=engine), "pc", progress=False)
    with pack_all():
        # Half a byte a value is more than planes take, and less than codes do.
        source = phgs.shards(tmp_path, on=engine)
        phgs.learn(source, "pc", progress=False)
        source.close()
        small = InProcess(1, memory=4000 * 37 // 8)
        with pytest.raises(phgs.DataError, match=r"the table takes about .* on the"):
            phgs.learn(phgs.shards(tmp_path, on=small), "pc", progress=False)
    assert sharded.bytes_a_row([], 10) == 10 * sharded.BYTES_A_CODE


@pytest.fixture
def lake(tmp_path):
    path = tmp_path / "rows.parquet"
    table = pa.Table.from_pandas(frame(), preserve_index=False)
    table = table.append_column("flag", pa.array([True, False, False] * 300))
    table = table.append_column("half", pa.array([0.0, 1.0] * 450))
    pq.write_table(table, path, row_group_size=200)
    return path


@pytest.mark.parametrize("rows", [1, 10**9])
def test_a_kept_table_is_read_from_its_file(rows, lake, tmp_path, pack_all, monkeypatch):
    kept = tmp_path / "kept.planes"
    with pack_all(rows):
        first = phgs.as_table(lake, cache=kept, warn=False)
        monkeypatch.setattr(Shards, "row_groups", lambda *_: pytest.fail("rows were read"))
        again = phgs.as_table(lake, cache=kept, warn=False)
        other = phgs.as_table(phgs.shards(lake), cache=kept, warn=False)
    assert first.levels == again.levels == other.levels
    assert [list(map(type, labels)) for labels in first.levels] == [list(map(type, labels)) for labels in again.levels]
    assert all((a == b).all() and a.dtype == b.dtype for a, b in zip(first.codes, again.codes, strict=True))
    kept.unlink()
    # What is mapped stays there.
    assert learned(again, "hc") == learned(first, "hc")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.parquet"]


def test_a_kept_table_is_made_anew_where_the_files_or_the_options_are_others(lake, tmp_path):
    kept = tmp_path / "kept.planes"
    first = phgs.as_table(lake, cache=kept, warn=False)
    some = phgs.as_table(lake, cache=kept, columns=["v2", "v3"], warn=False)
    assert some.names == ("v2", "v3")
    assert phgs.as_table(lake, cache=kept, warn=False).names == first.names
    pq.write_table(pa.Table.from_pandas(frame()[["v2", "v4"]][:500]), lake)
    assert phgs.as_table(lake, cache=kept, warn=False).n_rows == 500
    stamp = lake.stat().st_mtime_ns + 10**9
    os.utime(lake, ns=(stamp, stamp))
    size = kept.stat().st_mtime_ns
    phgs.as_table(lake, cache=kept, warn=False)
    assert kept.stat().st_mtime_ns != size
    # A file that was cut off is no kept table.
    kept.write_bytes(kept.read_bytes()[:-64])
    assert phgs.as_table(lake, cache=kept, warn=False).n_rows == 500
    assert kept.stat().st_size % 64 == 0


def test_warnings_are_those_of_reading(lake, tmp_path):
    for _ in range(2):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            phgs.as_table(lake, cache=tmp_path / "kept.planes")
        assert any("single state" in str(warning.message) for warning in found)
        assert {warning.filename for warning in found} == {__file__}


def test_what_is_not_kept_is_refused_with_the_remedy(lake, tmp_path):
    kept = tmp_path / "kept.planes"
    with pytest.raises(phgs.ParameterError, match=r"cache: what was read from Parquet files is kept.*DataFrame"):
        phgs.as_table(frame(), cache=kept)
    table = phgs.as_table(lake, warn=False)
    with pytest.raises(phgs.ParameterError, match=r"cache: what was read from Parquet files is kept"):
        phgs.as_table(table, cache=kept)
    with pytest.raises(phgs.ParameterError, match="there is no folder"):
        phgs.as_table(lake, cache=tmp_path / "no" / "kept.planes")
    with pytest.raises(phgs.DataError, match=r"cache: names that are kept are text or whole numbers, and one is 1\.5"):
        phgs.as_table(lake, cache=kept, names=[1.5, *range(table.n_variables - 1)])
    kept.write_text("mine")
    with pytest.raises(phgs.DataError, match=r"cache: .*kept\.planes is there, and phgs did not write it"):
        phgs.as_table(lake, cache=kept)
    assert kept.read_text() == "mine"
    kept.unlink()
    days = [dt.date(2026, 1, 1), dt.date(2026, 1, 2)] * 20
    pq.write_table(pa.table({"day": days, "x": [0, 1] * 20}), lake)
    with pytest.raises(phgs.DataError, match=r"cache: column 'day' has the label datetime\.date\(2026, 1, 1\)"):
        phgs.as_table(lake, cache=kept, categories=["day"])
    pq.write_table(pa.table({"x": [0, 1, None, 1] * 20, "y": [0, 1] * 40}), lake)
    with pytest.raises(phgs.DataError, match="cache: tables with missing values are not kept"):
        phgs.as_table(lake, cache=kept, missing="auto")
    assert phgs.as_table(lake, cache=kept, missing="level", warn=False).levels[0] == (0, 1, None)


def test_packed_columns_refuse_what_they_cannot_hold():
    packer = _core.ColumnPacker(3)
    with pytest.raises(ValueError, match="codes below 32"):
        packer.add(np.array([0, 32], np.uint8))
    packer.add(np.array([0, 1, 2, 1], np.uint8))
    column = packer.whole()
    assert (len(column), column.n_states, column.counts()) == (4, 3, [1, 2, 1])
    assert column.renumbered([2, 0, 1], 4).unpacked().tolist() == [2, 0, 1, 0]
    for new, arity in (([0, 0, 1], 3), ([0, 1], 3), ([0, 1, 3], 3), ([0, 1, 2], 33)):
        with pytest.raises(ValueError, match=r"new:|bit planes are for"):
            column.renumbered(new, arity)
    with pytest.raises(_core.DataError):
        _core.PackedColumn(b"", 4, 3)
    with pytest.raises(_core.DataError):
        _core.MappedFile("/no/such/file")
