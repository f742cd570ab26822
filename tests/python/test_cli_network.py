"""The commands sample, networks and study."""

import csv
import json

import pyarrow.parquet
import pytest

import phgs
from phgs.cli.main import main


def test_sample_writes_data_and_truth(tmp_path, capsys):
    out, edges, bif = tmp_path / "d.csv", tmp_path / "e.csv", tmp_path / "n.bif"
    arguments = [
        "sample",
        "asia",
        "-n",
        "500",
        "--seed",
        "3",
        "--out",
        str(out),
        "--edges",
        str(edges),
        "--bif",
        str(bif),
    ]
    assert main(arguments) == 0
    assert "500 rows × 8 variables" in capsys.readouterr().out
    with out.open() as file:
        rows = list(csv.reader(file))
    assert len(rows) == 501
    assert rows[0] == list(phgs.Network.load("asia").nodes)
    assert set(rows[1]) <= {"yes", "no"}
    assert edges.read_text().splitlines()[0] == "from,to"
    assert len(edges.read_text().splitlines()) == 9
    assert phgs.Network.load(bif) == phgs.Network.load("asia")
    assert main(["compare", str(edges), str(bif)]) == 0
    assert "1.0000" in capsys.readouterr().out


def test_tiles_are_prepared_and_connected(tmp_path, capsys):
    out = tmp_path / "d.parquet"
    assert main(["sample", "water", "-n", "50", "--tiles", "3", "--permute", "--out", str(out), "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    table = pyarrow.parquet.read_table(out)
    assert (table.num_rows, table.num_columns) == (50, 78)
    first = out.read_bytes()
    assert main(["sample", "water", "-n", "50", "--tiles", "3", "--permute", "--out", str(out), "--quiet"]) == 0
    assert out.read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["asai", "-n", "5", "--out", "d.csv"], "did you mean 'asia'"),
        (["asia", "-n", "0", "--out", "d.csv"], "at least 1"),
        (["asia", "-n", "5", "--out", "d.xyz"], "cannot tell the kind"),
        (["asia", "-n", "5", "--tiles", "0", "--out", "d.csv"], "at least 1"),
        (["asia", "-n", "5", "--out", "nowhere/d.csv"], "no folder"),
        (["none.bif", "-n", "5", "--out", "d.csv"], "none.bif"),
    ],
)
def test_wrong_usage_writes_nothing(arguments, says, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["sample", *arguments]) == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert len(captured.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_networks_are_listed(capsys):
    assert main(["networks"]) == 0
    assert "hailfinder" in capsys.readouterr().out
    assert main(["networks", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"name": "asia", "variables": 8, "arcs": 8, "parameters": 18}.items() <= listed[2].items()


def test_a_study_from_the_command_line(tmp_path, capsys):
    path = tmp_path / "tiny.json"
    path.write_text(
        json.dumps(
            {"n_rows": 300, "seeds": [1], "networks": ["asia"], "methods": [{"method": "pc", "alpha": 0.1}]}
        ).replace('"asia"', '{"name": "asia", "copies": 1}')
    )
    folder = str(tmp_path / "s")
    assert main(["study", "run", str(path), "--out", folder, "--workers", "1"]) == 0
    assert "1 tasks are done" in capsys.readouterr().out
    assert main(["study", "report", folder]) == 0
    assert "report.html" in capsys.readouterr().out
    assert main(["study", "run", "paper-quik", "--out", folder]) == 2
    assert "paper-quick" in capsys.readouterr().err
