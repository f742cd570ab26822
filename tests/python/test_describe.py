"""The report before learning, and what learners say of the same findings."""

import json
import logging
import time

import numpy as np
import pandas as pd
import pytest

import phgs
from phgs.cli import main
from phgs.data.relations import functions_of_two

N = 600


def messy():
    rng = np.random.default_rng(0)
    x, y, z = rng.integers(0, 4, N), rng.integers(0, 2, N), rng.integers(0, 3, N)
    return {
        "x": x,
        "coarse": x // 2,
        "y": y,
        "z": z,
        "sum": (y + z) % 3,
        "twin": np.array(["c", "a", "b", "d"])[x],
        "constant": ["same"] * N,
        "id": [f"u{i}" for i in range(N)],
        "street": [f"s{v}" for v in rng.integers(0, 110, N)],
        "rare": np.where(np.arange(N) < 3, 1, 0),
        "weight": rng.normal(size=N),
        "day": pd.date_range("2026-01-01", periods=N),
        "nested": [[0]] * N,
        "gaps": [None if i % 6 == 0 else int(v) for i, v in enumerate(rng.integers(0, 2, N))],
    }


def test_everything_that_stands_out_is_found_once():
    report = phgs.describe(pd.DataFrame(messy()))
    found = {}
    for finding in report.findings:
        found.setdefault(finding.code, []).append(set(finding.columns))
    assert found == {
        "unusable": [{"nested"}],
        "date": [{"day"}],
        "missing": [{"gaps"}],
        "constant": [{"constant"}],
        "identifier": [{"id"}],
        "many-states": [{"street"}],
        "rare-states": [{"street", "rare"}],
        "copies": [{"x", "twin"}],
        "function": [{"coarse", "x"}],
        "function-of-two": [{"sum", "y", "z"}],
    }
    assert (report.n_rows, report.n_complete) == (N, N - N // 6)
    assert "'coarse' by 'x'" in report["function"][0].text
    # The sum is a bijection of each of its parts given the other: each of the three is determined by the other two.
    assert {"'sum' by 'y' and 'z'", "'z' by 'y' and 'sum'"} <= set(
        report["function-of-two"][0].text.split(": ")[1].split(";")[0].split(", ")
    )
    rows = {row.name: row for row in report.columns}
    assert list(rows) == list(messy())
    assert rows["gaps"].missing == N // 6
    assert rows["gaps"].states == 2
    assert rows["rare"].rare_states == 1
    assert rows["rare"].share == 1 - 3 / N
    assert rows["weight"].states is None
    values = messy()["weight"]
    assert rows["weight"].quantiles == tuple(np.quantile(values, (0, 0.25, 0.5, 0.75, 1)))
    assert {name: row.kind for name, row in rows.items()} == dict.fromkeys(rows, "category") | {
        "constant": "constant",
        "id": "identifier",
        "weight": "number",
        "day": "date",
        "nested": None,
    }
    assert set(report.guesses) == {"x", "z", "sum", "day"}
    assert rows["id"].notes == ("identifier",)


def test_plain_data_have_nothing_to_report_and_asia_has_its_gate(alarm):
    assert phgs.describe(alarm.table).findings == ()
    asia = phgs.Network.load("asia").sample(5000, seed=1)
    (finding,) = phgs.describe(asia).findings
    assert (finding.code, finding.columns) == ("function-of-two", ("either", "tub", "lung"))


@pytest.mark.parametrize("rows", [1, 7, 1 << 18])
def test_functions_of_two_are_found_in_parts_of_the_rows(monkeypatch, rows):
    monkeypatch.setattr("phgs.data.relations._ROWS", rows)
    y, z = np.tile([0, 1, 2], 200), np.repeat([0, 1], 300)
    broken = (y + z) % 3
    broken[-1] = broken[2]
    table = phgs.as_table({"y": y, "z": z, "sum": (y + z) % 3, "broken": broken}, warn=False)
    # From the sum and one of the two follows the other; the last row says otherwise of the fourth column.
    assert functions_of_two(table, [], []) == [(0, 1, 2), (1, 0, 2), (2, 0, 1)]


def test_chance_is_no_relation():
    rng = np.random.default_rng(1)
    # Few rows, many states: every pair of columns "determines" others by chance.
    report = phgs.describe(rng.integers(0, 6, (40, 30)))
    assert {finding.code for finding in report.findings} <= {"rare-states"}
    # A nearly constant column is a function of much by chance.
    data = {"flag": np.arange(1000) < 2, "x": rng.integers(0, 5, 1000), "y": np.arange(1000) // 2}
    assert not phgs.describe(data)["function"]


def test_forms(tmp_path, capsys):
    report = phgs.describe(messy())
    text = str(report)
    assert text.startswith("600 rows (500 complete), 14 columns\n")
    assert "\n  copies " in text
    assert repr(report) == "<phgs.Description: 600 rows (500 complete), 14 columns, 10 findings>"
    html = phgs.describe({"<b>": [0, 1] * 30, "k": [1] * 60})._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>constant</b>" in html
    frame = report.to_pandas()
    assert frame.index.tolist() == list(messy())
    assert frame.loc["x", "states"] == 4
    path = tmp_path / "d.csv"
    pd.DataFrame(messy()).drop(columns=["weight", "day", "nested"]).to_csv(path, index=False)
    assert main(["describe", str(path), "--json", str(tmp_path / "r.json")]) == 0
    assert "identifier" in capsys.readouterr().out
    found = json.loads((tmp_path / "r.json").read_text())
    assert [f["code"] for f in found["findings"]][:2] == ["missing", "constant"]
    assert main(["describe", str(tmp_path / "none.csv")]) == 2


def test_what_is_no_table_is_refused():
    for bad, match in (({}, "no columns"), ({"x": []}, "no rows"), ({"x": [1, 2], "y": [1]}, "'y' has 1 rows")):
        with pytest.raises(phgs.DataError, match=match):
            phgs.describe(bad)
    with pytest.raises(phgs.DataError, match="no columns to report on"):
        phgs.describe(phgs.gaussian_from_correlation(np.eye(2), 100))


def test_a_table_and_an_incomplete_table_are_described_as_their_data():
    data = messy()
    del data["weight"], data["day"], data["nested"]
    direct = phgs.describe(data)
    table = phgs.as_table(data, missing="testwise", warn=False)
    assert phgs.describe(table).findings == direct.findings
    for given, found in zip(phgs.describe(table).columns, direct.columns, strict=True):
        assert given == found._replace(why="")


def test_learners_give_one_line_a_finding(caplog):
    data = messy()
    for name in ("weight", "day", "gaps", "nested"):
        del data[name]
    with caplog.at_level(logging.INFO, logger="phgs"), pytest.warns(phgs.PhgsWarning) as caught:
        phgs.learn(data, progress=False)
    report = phgs.describe(data)
    warned = {"constant", "identifier", "many-states", "copies", "function"}
    assert [str(w.message) for w in caught] == [f.text for f in report.findings if f.code in warned]
    with caplog.at_level(logging.INFO, logger="phgs"):
        phgs.as_table(np.random.default_rng(1).integers(0, 2, (20, 30)))
    assert "more columns (30) than rows (20)" in caplog.text


def test_wide_tables_take_seconds_and_say_what_was_not_searched():
    rng = np.random.default_rng(2)
    wide = rng.integers(0, 3, (400, 600))
    start = time.monotonic()
    report = phgs.describe(wide)
    assert time.monotonic() - start < 20
    assert "pairs" in report["not-searched"][0].text
