"""Tables in many Parquet files: the same as the table in memory, and what does not fit together is refused."""

import datetime as dt
import itertools
import re
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import phgs
from phgs.data import as_data
from phgs.data.shards import Shards

MANY = {"rows": 3_000, "group": 400, "files": 3}


def frame(rows=MANY["rows"], seed=3):
    """Columns of every type, with states that the first file does not show."""
    generator = np.random.default_rng(seed)
    x = generator.integers(0, 3, rows)
    y = np.where(generator.random(rows) < 0.8, x, generator.integers(0, 3, rows))
    late = np.where(np.arange(rows) > 2 * rows // 3, "late", np.where(y > 0, "some", "none"))
    return pa.table(
        {
            "x": pa.array(x),
            "y": pa.array(np.array(["low", "middle", "high"])[y]),
            "late": pa.array(late).dictionary_encode(),
            "truth": pa.array(generator.random(rows) < 0.3),
            "whole": pa.array(x + 2.0 * (y == 1)),
        }
    )


def write(folder, table, files=MANY["files"], group=MANY["group"]):
    """Write consecutive rows to files that are named in their order."""
    ends = np.linspace(0, len(table), files + 1).astype(int)
    for number, (start, end) in enumerate(itertools.pairwise(ends)):
        pq.write_table(table.slice(start, end - start), folder / f"part-{number}.parquet", row_group_size=group)
    return folder


@pytest.fixture
def lake(tmp_path):
    folder = tmp_path / "lake"
    folder.mkdir()
    return write(folder, frame())


def same(found, table):
    assert (found.names, found.levels, found.n_rows) == (table.names, table.levels, table.n_rows)
    assert all(np.array_equal(a, b) for a, b in zip(found.codes, table.codes, strict=True))


@pytest.mark.parametrize("how", ["folder", "text", "pattern", "list", "uri", "opened"])
def test_files_are_the_table_in_memory(lake, how):
    paths = sorted(lake.iterdir())
    source = {
        "folder": lake,
        "text": str(lake),
        "pattern": str(lake / "part-*.parquet"),
        "list": [str(path) for path in paths],
        "uri": lake.as_uri(),
        "opened": phgs.shards(lake),
    }[how]
    table = phgs.as_table(frame())
    same(phgs.as_table(source), table)
    assert phgs.learn(source, threads=1).to_dict()["score"] == phgs.learn(table).to_dict()["score"]


def test_columns_names_and_categories_are_chosen_as_in_memory(lake):
    table = frame()
    same(phgs.as_table(lake, columns=["y", "late"]), phgs.as_table(table, columns=["y", "late"]))
    names = list("abcde")
    same(phgs.as_table(lake, names=names), phgs.as_table(table, names=names))
    with pytest.raises(phgs.ParameterError, match="z"):
        phgs.as_table(lake, columns=["z"])
    with pytest.raises(phgs.DataError, match="2 names for 5 columns"):
        phgs.as_table(lake, names=["a", "b"])


@pytest.mark.parametrize("missing", ["drop", "level", "testwise"])
def test_missing_values_are_treated_as_in_memory(tmp_path, missing):
    table = frame()
    gaps = pa.array([None if row % 97 == 0 else value for row, value in enumerate(table["y"].to_pylist())])
    table = table.set_column(1, "y", gaps)
    write(tmp_path, table)
    same(phgs.as_table(tmp_path, missing=missing), phgs.as_table(table, missing=missing))
    with pytest.raises(phgs.DataError, match="y"):
        phgs.as_table(tmp_path)


def test_numbers_that_are_not_whole_are_refused_by_column(tmp_path):
    table = frame().append_column("dose", pa.array(np.arange(MANY["rows"]) % 3 / 2))
    write(tmp_path, table)
    with pytest.raises(phgs.DataError, match="dose"):
        phgs.as_table(tmp_path)
    same(phgs.as_table(tmp_path, categories=["dose"]), phgs.as_table(table, categories=["dose"]))


def test_gaussian_data_are_read_from_files_too(tmp_path):
    generator = np.random.default_rng(1)
    x = generator.normal(size=500)
    table = pa.table({"x": x, "y": x + generator.normal(size=500)})
    write(tmp_path, table, group=100)
    assert phgs.as_gaussian(tmp_path).names == ("x", "y")
    found = phgs.PC(data_type="gaussian").learn(tmp_path)
    assert found.edges[0].log_p_value == phgs.PC(data_type="gaussian").learn(table).edges[0].log_p_value


def test_the_index_of_pandas_is_no_column(tmp_path):
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({"x": [0, 1] * 20, "y": [0, 1, 1, 1] * 10}, index=range(7, 47)).rename_axis("row")
    data.to_parquet(tmp_path / "a.parquet")
    assert phgs.shards(tmp_path).names == ("x", "y") == phgs.as_table(tmp_path).names


def test_a_sample_depends_on_the_seed_and_the_number_of_rows_alone(tmp_path):
    table = frame()
    samples = []
    for files, group in [(1, 5_000), (3, 400), (5, 77)]:
        folder = tmp_path / f"{files}"
        folder.mkdir()
        source = phgs.shards(write(folder, table, files, group))
        samples.append(source.sample(500, seed=7))
        assert source.n_rows == MANY["rows"]
    same(samples[0], samples[1])
    same(samples[0], samples[2])
    assert not np.array_equal(samples[0].codes[0], phgs.shards(folder).sample(500, seed=8).codes[0])
    # Rows without repetition, in their order.
    rows = np.arange(900)
    numbered = pa.table({"tens": pa.array(rows // 30), "ones": pa.array(rows % 30)})
    folder = tmp_path / "numbered"
    folder.mkdir()
    drawn = phgs.shards(write(folder, numbered)).sample(300, seed=1)
    tens, ones = (np.array(labels)[codes] for labels, codes in zip(drawn.levels, drawn.codes, strict=True))
    drawn = (30 * tens + ones).tolist()
    assert drawn == sorted(set(drawn))
    assert len(drawn) == 300
    assert drawn[-1] > 800
    same(phgs.shards(folder).sample(10_000), phgs.as_table(numbered))


def test_what_does_not_fit_together_is_refused_before_any_row_is_read(tmp_path, lake, monkeypatch):
    table = frame(100)
    monkeypatch.setattr(phgs.Shards, "_read", lambda *_: pytest.fail("read"))

    def refused(match, **files):
        folder = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        for name, rows in {"a.parquet": table, **files}.items():
            if isinstance(rows, str):
                (folder / name).write_text(rows)
            else:
                pq.write_table(rows, folder / name)
        for act in (phgs.shards, phgs.learn):
            with pytest.raises(phgs.DataError, match=match):
                act(folder)

    refused(r"b\.parquet has no rows; leave it out", **{"b.parquet": table.slice(0, 0)})
    refused(r"b\.parquet has no column 'y'", **{"b.parquet": table.drop_columns(["y"])})
    refused(r"b\.parquet has a column 'z'", **{"b.parquet": table.append_column("z", table["x"])})
    other = table.set_column(0, "x", table["x"].cast(pa.string()))
    refused("column 'x' has type string, in .*a.parquet int64; write all files", **{"b.parquet": other})
    refused(r"holds other files than Parquet .*notes\.txt.*/\*\.parquet'", **{"notes.txt": "x"})
    refused("cannot read .*b.parquet as Parquet", **{"b.parquet": "no"})
    partitioned = tmp_path / "partitioned"
    pq.write_to_dataset(table, partitioned, partition_cols=["truth"])
    with pytest.raises(phgs.DataError, match="partitioned by folders such as 'truth="):
        phgs.shards(partitioned)
    (tmp_path / "empty").mkdir()
    with pytest.raises(phgs.DataError, match="holds no Parquet file"):
        phgs.learn(tmp_path / "empty")
    with pytest.raises(phgs.DataError, match="no file is named like"):
        phgs.learn(str(lake / "*.pq"))
    with pytest.raises(FileNotFoundError):
        phgs.learn([str(lake / "part-0.parquet"), str(lake / "other.parquet")])
    with pytest.raises(phgs.ParameterError, match="expected paths"):
        phgs.shards(3)
    with pytest.raises(phgs.DataError, match="list of paths is empty"):
        phgs.shards([])
    with pytest.raises(phgs.ParameterError, match="nowhere://"):
        phgs.shards("nowhere://bucket/a.parquet")


def test_hidden_files_are_passed_over_and_folders_are_looked_into(lake):
    (lake / "_SUCCESS").write_text("")
    (lake / "later").mkdir()
    (lake / "part-2.parquet").rename(lake / "later" / "part-2.parquet")
    assert [re.sub(".*lake.", "", path) for path in phgs.shards(lake).paths] == [
        "later/part-2.parquet",
        "part-0.parquet",
        "part-1.parquet",
    ]
    assert repr(phgs.shards(lake)) == "<phgs.Shards: 3,000 rows × 5 columns in 3 files>"


def test_one_file_is_read_row_group_by_row_group_too(tmp_path, monkeypatch):
    table = frame()
    pq.write_table(table, tmp_path / "one.parquet", row_group_size=400)
    read = []
    whole = phgs.Shards._read
    monkeypatch.setattr(phgs.Shards, "_read", lambda *given: read.append(given[3]) or whole(*given))
    same(phgs.as_table(tmp_path / "one.parquet"), phgs.as_table(table))
    assert read == list(range(8))
    pq.write_table(table.slice(0, 0), tmp_path / "none.parquet")
    with pytest.raises(phgs.DataError, match="no rows"):
        phgs.as_table(tmp_path / "none.parquet")
    twice = pa.table([table["x"], table["y"]], names=["x", "x"])
    pq.write_table(twice, tmp_path / "twice.parquet")
    with pytest.raises(phgs.DataError, match="'x'"):
        phgs.as_table(tmp_path / "twice.parquet")


@pytest.mark.parametrize("at_once", [1, 6_000, 1 << 22])
def test_columns_are_read_from_files_when_they_are_looked_at(lake, monkeypatch, at_once):
    read = []
    groups = Shards.row_groups
    monkeypatch.setattr("phgs.data.stored._AT_ONCE", at_once)
    monkeypatch.setattr(Shards, "row_groups", lambda self, names: read.append(tuple(names)) or groups(self, names))
    found = as_data(lake, warn=False)
    names = ("x", "y", "late", "truth", "whole")
    batches = {1: [(name,) for name in names], 6_000: [names[:2], names[2:4], names[4:]], 1 << 22: [names]}
    assert read == batches[at_once]
    same(found, as_data(frame(), warn=False))


def test_a_file_of_many_types_is_the_frame_in_memory(tmp_path):
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]
    table = frame(400).append_column("day", pa.array(days * 200)).append_column("size", pa.array(np.arange(400) / 7))
    table = table.append_column("gaps", pa.array([None, "a", "b", "b"] * 100))
    pq.write_table(table, tmp_path / "all.parquet", row_group_size=90)
    found, known = (as_data(source, missing="auto", warn=False) for source in (tmp_path / "all.parquet", table))
    assert (found.names, found.levels, found.kinds, found.n_missing) == (
        known.names,
        known.levels,
        known.kinds,
        known.n_missing,
    )
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(found.arrays(), known.arrays(), strict=True))
    with_weights = phgs.as_table(tmp_path / "all.parquet", columns=["x", "y"], weights="whole", warn=False)
    expected = phgs.as_table(table, columns=["x", "y"], weights="whole", warn=False)
    same(with_weights, expected)
    assert np.array_equal(with_weights.weights, expected.weights)


def test_columns_that_cannot_be_read_name_the_file(tmp_path):
    pq.write_table(frame(), tmp_path / "torn.parquet", compression="none")
    torn = bytearray((tmp_path / "torn.parquet").read_bytes())
    torn[4:2000] = bytes(1996)
    (tmp_path / "torn.parquet").write_bytes(torn)
    with pytest.raises(phgs.DataError, match=r"cannot read .*torn\.parquet: "):
        as_data(tmp_path / "torn.parquet")


@pytest.mark.parametrize("read", [phgs.as_table, as_data])
def test_too_many_rows_are_refused_before_any_is_read(lake, monkeypatch, read):
    monkeypatch.setattr(sys.modules[Shards.__module__], "MOST_ROWS", 2_999)
    monkeypatch.setattr(Shards, "_read", lambda *_: pytest.fail("a row group was read"))
    with pytest.raises(phgs.DataError, match=r"data has 3,000 rows, and a table at most 2,999; learn from .*sample"):
        read(lake)


def test_the_command_line_takes_folders_and_patterns(lake, tmp_path, capsys):
    from phgs.cli.main import main

    pq.write_table(frame(), tmp_path / "whole.parquet")
    edges = []
    for data in (tmp_path / "whole.parquet", lake, f"{lake}/part-*.parquet"):
        out = tmp_path / "edges.csv"
        assert main(["learn", str(data), "--method", "pc", "--quiet", "--edges", str(out)]) == 0
        edges.append(out.read_text())
    assert edges[0] == edges[1] == edges[2]
    capsys.readouterr()
    assert main(["learn", f"{lake}/*.pq", "--quiet"]) == 2
    assert "no file is named like" in capsys.readouterr().err
    assert main(["learn", str(lake), "--quiet", "--delimiter", ";"]) == 2
    assert "delimiter" in capsys.readouterr().err
