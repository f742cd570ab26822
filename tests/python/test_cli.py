"""The command line, as others drive it."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import phgs
from phgs.cli import main


@pytest.fixture
def data(tmp_path, chain):
    path = tmp_path / "data.csv"
    pd.DataFrame(chain).to_csv(path, index=False)
    return str(path)


@pytest.fixture
def truth(tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("from,to\na,b\nb,c\n")
    return str(path)


def test_everything_is_written(tmp_path, data, truth, capsys):
    names = {kind: str(tmp_path / f"out.{kind}") for kind in ("json", "csv", "dot", "png")}
    status = main(
        ["learn", data, "--method", "phgs", "--alpha", "0.01", "--max-conditioning-size", "2", "--path-length", "5",
         "--min-alpha", "1e-4", "--max-clusters", "4", "--max-parents", "3", "--tabu-length", "20",
         "--tabu-patience", "10", "--score", "bic", "--threads", "1", "--seed", "3", "--missing", "drop",
         "--true-graph", truth,
         "--refine", "none", "--json", names["json"], "--edges", names["csv"],
         "--dot", names["dot"], "--plot", names["png"]]
    )  # fmt: skip
    shown = capsys.readouterr()
    assert status == 0, shown.err
    assert "JI 1.000" in shown.out
    assert "\x1b" not in shown.out
    found = json.loads(Path(names["json"]).read_text())
    assert found["parameters"]["tabu_length"] == 20
    assert found["comparison"]["jaccard"] == 1.0
    assert found["seconds"]["read"] > 0
    assert Path(names["csv"]).read_text() == "from,to\na,b\nb,a\nb,c\nc,b\nd,\n"
    assert Path(names["dot"]).read_text().startswith("digraph")
    assert Path(names["png"]).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("method", [method for method in phgs.METHODS if method != "gsc"])
def test_methods(tmp_path, data, method, capsys):
    path = tmp_path / "r.json"
    assert main(["learn", data, "--method", method, "--json", str(path), "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert phgs.Result.load(path).cpdag.n_variables == 4


def test_defaults_are_the_paper_s(tmp_path, data):
    path = tmp_path / "r.json"
    expected = {"phgs": 0.05, "ppc": 0.1, "pc": 0.1}
    for method, alpha in expected.items():
        assert main(["learn", data, "--method", method, "--json", str(path), "--quiet"]) == 0
        parameters = json.loads(path.read_text())["parameters"]
        assert parameters["alpha"] == alpha
        assert (parameters["max_conditioning_size"], parameters["path_length"], parameters["min_alpha"]) == (
            3,
            10,
            1e-5,
        )


def test_gsc_within_a_skeleton(tmp_path, data, truth):
    path = tmp_path / "r.json"
    assert (
        main(["learn", data, "--method", "gsc", "--skeleton", truth, "--init", "hgi", "--json", str(path), "--quiet"])
        == 0
    )
    assert phgs.Result.load(path).cpdag.n_edges == 2


def test_remedies_are_options_of_the_command(tmp_path, capsys):
    path = tmp_path / "gaps.csv"
    path.write_text("a,b\nx,1\ny,\nx,2\ny,1\n")
    assert main(["learn", str(path), "--missing", "error"]) == 2
    remedies = "pass --missing auto to fill them in from the learned graph, --missing drop to leave out incomplete rows"
    assert f"{remedies} or --missing level to make" in capsys.readouterr().err
    assert main(["learn", str(path), "--method", "pc", "--missing", "testwise"]) == 2
    assert "PC and PPC with --path-length 1" in capsys.readouterr().err


def test_knowledge(tmp_path, data):
    knowledge, path = tmp_path / "k.json", tmp_path / "r.json"
    knowledge.write_text('{"required": [["c", "b"]]}')
    assert main(["learn", data, "--knowledge", str(knowledge), "--json", str(path), "--quiet"]) == 0
    assert ("c", "b") in phgs.Result.load(path).dag.directed


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["--alpha", "0"], "alpha: 0.0 is not between 0 and 1"),
        (["--alpha", "1.5"], "alpha"),
        (["--alpha", "x"], "expected a number"),
        (["--min-alpha", "0.5"], "min_alpha"),
        (["--method", "phsg"], "did you mean phgs"),
        (["--alpa", "0.1"], "did you mean --alpha"),
        (["--method", "hc", "--alpha", "0.1"], "method hc has no --alpha"),
        (["--method", "gsc"], "--skeleton"),
        (["--threads", "-1"], "threads"),
        (["--score", "bicc"], "did you mean bic"),
        (["--missing", "impute"], "unknown value 'impute'"),
        (["--json", "/nowhere/r.json"], "there is no folder /nowhere"),
        (["--plot", "g.xyz"], r"end its name in \.png"),
        (["--true-graph", "nothing.csv"], "there is no file nothing.csv"),
        (["--knowledge", "nothing.json"], "there is no file nothing.json"),
    ],
)
def test_wrong_usage_is_one_line_and_writes_nothing(tmp_path, data, capsys, monkeypatch, arguments, match):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    out = [] if "--json" in arguments else ["--json", "r.json"]
    assert main(["learn", data, *out, *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("phgs: ")
    assert shown.err.count("\n") == 1
    assert re.search(match, shown.err)
    assert sorted(tmp_path.iterdir()) == before


BAD_FILES = {
    "empty": (b"", "is empty"),
    "header": (b"a,b\n", "no rows"),
    "one row": (b"a,b\n1,2\n", "one row"),
    "duplicates": (b"a,a\n1,2\n2,1\n", "repeated: 'a'"),
    "missing": (b"a,b\nNA,\nNA,NA\n,\n", "every value is missing"),
    "infinite": (b"a,b\n0.5,1\ninf,2\n", "'a' holds infinite numbers"),
    "ragged": (b"a,b\n1,2,3\n1,2\n", "cannot read"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_input_is_one_line_and_writes_nothing(tmp_path, capsys, kind):
    content, match = BAD_FILES[kind]
    path, out = tmp_path / "d.csv", tmp_path / "r.json"
    path.write_bytes(content)
    out.write_text("as it was")
    assert main(["learn", str(path), "--json", str(out)]) == 2
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert match in shown
    assert out.read_text() == "as it was"


def test_missing_file_and_unwritable_output(tmp_path, data, capsys):
    assert main(["learn", str(tmp_path / "none.csv")]) == 2
    assert "there is no file" in capsys.readouterr().err
    assert main(["learn", data, "--json", str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err


def test_compare(tmp_path, truth, capsys):
    learned, out = tmp_path / "l.csv", tmp_path / "c.json"
    learned.write_text("from,to\nb,a\na,b\nc,b\n")
    assert main(["compare", truth, str(learned), "--json", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "SHD" in shown
    found = json.loads(out.read_text())
    assert (found["true_positives"], found["wrong_directions"], found["shd"]) == (1, 1, 1)
    assert main(["compare", truth, str(tmp_path / "none.csv")]) == 2


def test_help_and_version(capsys):
    for arguments in (["--help"], ["learn", "--help"], ["compare", "--help"], ["--version"]):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 0
        assert capsys.readouterr().out
    assert main([]) == 2
    assert main(["lern"]) == 2
    assert "did you mean learn" in capsys.readouterr().err


def test_standard_input_and_module(data):
    content = Path(data).read_bytes()
    made = subprocess.run([sys.executable, "-m", "phgs", "learn", "-"], input=content, capture_output=True, check=True)
    assert b"variables" in made.stdout


# The command line, which says when it begins to learn.
BEGINS = """
import sys
from phgs import _core
from phgs.cli import main

def learn(*arguments, of_core=_core.learn, **options):
    print("begins", flush=True)
    return of_core(*arguments, **options)

_core.learn = learn
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_is_130_and_writes_nothing(tmp_path):
    # Noisy copies of one hidden variable: all pairs are dependent whatever is given, so PC without a limit never ends.
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 2, 20_000)
    copies = np.where(rng.random((150, 20_000)) < 0.9, hidden, rng.integers(0, 2, (150, 20_000)))
    data, out = tmp_path / "data.parquet", tmp_path / "r.json"
    pd.DataFrame(copies.T, columns=[f"x{i}" for i in range(150)]).to_parquet(data)
    options = ["--method", "pc", "--max-conditioning-size", "none", "--json", str(out)]
    command = [sys.executable, "-c", BEGINS, "learn", str(data), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"begins\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        sent = time.monotonic()
        _, shown = child.communicate()
        assert time.monotonic() - sent < 1.5
    assert child.returncode == 130
    assert shown.decode().endswith("phgs: interrupted\n")
    assert list(tmp_path.iterdir()) == [data]
