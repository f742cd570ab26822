"""Files: how they are read and written, and what is said where they cannot be."""

import bz2
import copy
import errno
import gzip
import json
import lzma
import os
import stat
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import phgs
from phgs import output
from phgs.cli import main

TABLE = "dose,place\n1,a\n2,b\n1,a\n2,b\n"


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# Reading tables


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("packed", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_encodings_and_packings_are_told(tmp_path, encoding, packed):
    path = write(tmp_path / "d.csv", packed("größe,b\nä,x\nö,y\n".encode(encoding)))
    assert phgs.read_csv(path).to_pydict() == {"größe": ["ä", "ö"], "b": ["x", "y"]}
    assert phgs.as_table(path, warn=False).names == ("größe", "b")


def test_a_named_encoding(tmp_path):
    for encoding in ("latin-1", "cp1252"):
        path = write(tmp_path / "d.csv", "größe,b\nä,x\nö,y\n".encode(encoding))
        with pytest.raises(phgs.DataError, match=r"d\.csv, line 1: the byte 0xf6 is not UTF-8; .*--encoding"):
            phgs.as_table(path)
        assert phgs.read_csv(path, encoding=encoding).column_names == ["größe", "b"]
    path = write(tmp_path / "d.csv", "性别,b\n男,x\n女,y\n".encode("gbk"))
    assert phgs.read_csv(path, encoding="gbk").to_pydict() == {"性别": ["男", "女"], "b": ["x", "y"]}
    with pytest.raises(phgs.DataError, match=r"line 3.*is not ASCII; give its own encoding"):
        phgs.read_csv(write(tmp_path / "d.csv", "a,b\n1,x\né,y\n"), encoding="ascii")


def test_a_bad_byte_far_down_names_its_line(tmp_path):
    content = b"a,b\n" + "é,x\n".encode() * 400_000 + b"\xe9,x\n"
    with pytest.raises(phgs.DataError, match="line 400002: the byte 0xe9"):
        phgs.read_csv(write(tmp_path / "d.csv", content))


def test_delimiters_and_decimals(tmp_path):
    path = write(tmp_path / "d.csv", "a;b\n1,5;x\n2,5;y\n")
    with pytest.raises(phgs.DataError, match=r"delimiter=';' \(--delimiter\) and decimal=',' \(--decimal\)"):
        phgs.as_table(path)
    expected = {"a": ["1.5", "2.5"], "b": ["x", "y"]}
    assert phgs.read_csv(path, delimiter=";", decimal=",").to_pydict() == expected
    write(path, "sep=;\r\na;b\r\n1,5;x\r\n2,5;y\r\n")
    assert phgs.read_csv(path, decimal=",").to_pydict() == expected
    write(path, "sep=,\na,b\n1,x\n2,y\n")
    assert phgs.as_table(path, warn=False).names == ("a", "b")
    # Text with a comma in it is no number, nor is the rest of its column.
    write(path, "a;b\n1,5;x\n1,5,2;y\n")
    assert phgs.read_csv(path, delimiter=";", decimal=",").to_pydict()["a"] == ["1,5", "1,5,2"]
    with pytest.raises(phgs.DataError, match="line 3: 3 fields, the header has 2"):
        phgs.read_csv(write(path, "a,b\n1,2\n1,2,3\n"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"delimiter": ";;"}, "delimiter: expected one character"),
        ({"delimiter": '"'}, "delimiter: expected one character"),
        ({"decimal": ";"}, "decimal: expected"),
        ({"decimal": ","}, "give another delimiter"),
        ({"encoding": "klingon"}, "encoding: 'klingon' is not an encoding"),
        ({"encoding": "base64"}, "encoding: 'base64' is not an encoding of text"),
    ],
)
def test_options_that_cannot_be(tmp_path, options, says):
    with pytest.raises(phgs.ParameterError, match=says):
        phgs.read_csv(write(tmp_path / "d.csv", TABLE), **options)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("d.xlsx", b"PK\x03\x04 \x00\xff", "Excel workbook; save the sheet as CSV"),
        ("d.csv", b"PK\x03\x04 \x00\xff", "Excel workbook"),
        ("d.csv.zst", b"\x28\xb5\x2f\xfd..", "compressed by zstd"),
        ("d.csv.gz", gzip.compress(TABLE.encode())[:-9], "damaged or truncated"),
        ("d.csv.bz2", bz2.compress(TABLE.encode())[:-9], "damaged or truncated"),
        ("d.csv.xz", lzma.compress(TABLE.encode())[:-9], "damaged or truncated"),
        ("d.json", b'{"a": [1, 2]}', "is JSON, not a table"),
        ("d.csv", b"a,b", "has no rows"),
        ("d.csv", b"\xef\xbb\xbf", "is empty"),
        ("d.csv", b'a,b\n"1,2\n', "line 2: a quotation is never closed"),
    ],
)
def test_what_is_no_table_is_named(tmp_path, capsys, name, content, says):
    path = write(tmp_path / name, content)
    with pytest.raises(phgs.DataError, match=says) as found:
        phgs.as_table(path)
    assert name in str(found.value)
    assert main(["learn", str(path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_small_files_that_unpack_to_gigabytes(tmp_path, monkeypatch):
    from phgs import textfiles

    monkeypatch.setattr(textfiles, "MOST_UNPACKED", 1 << 20)
    for compress in (gzip.compress, bz2.compress, lzma.compress):
        path = write(tmp_path / "d.bif.gz", compress(b" " * (3 << 20)))
        for read in (phgs.read_csv, phgs.Network.load, phgs.as_graph, phgs.Knowledge.read):
            with pytest.raises(phgs.DataError, match=r"unpack to more than 1,048,576; .* raise max_bytes"):
                read(path)
    with pytest.raises(phgs.ParseError, match="no variable is declared"):
        phgs.Network.load(path, max_bytes=4 << 20)


def test_options_on_the_command_line(tmp_path, capsys):
    rows = "".join(f"{i % 2};{i % 3},5;é\n" if i % 5 else f"{i % 2};{i % 3},5;b\n" for i in range(60))
    path = write(tmp_path / "d.csv", ("a;b;c\n" + rows).encode("latin-1"))
    options = ["--delimiter", ";", "--decimal", ",", "--encoding", "latin-1"]
    assert main(["describe", str(path), "--json", "-", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["columns"]) == 3
    assert main(["learn", str(path), *options[:2], *options[4:], "--method", "hc", "--quiet"]) == 0
    parquet = phgs.datasets.__path__[0] + "/alarm.parquet"
    assert main(["learn", parquet, "--delimiter", ";"]) == 2
    assert "delimiter: " in capsys.readouterr().err


# Edge lists


def test_edge_lists_of_any_make(tmp_path):
    path = tmp_path / "e.csv"
    expected = phgs.Graph(["a", "é", "c"], [("a", "é")])
    for text in ("from,to\na,é\nc,\n", "sep=;\nfrom;to\r\na;é\r\nc;\r\n", "\ufefffrom,to\na,é\n\nc,\n"):
        for encoding in ("utf-8", "utf-16"):
            assert phgs.as_graph(write(path, text.encode(encoding))) == expected, (text, encoding)
    with pytest.raises(phgs.DataError, match=r"e\.csv, line 2: the byte 0xe9"):
        phgs.as_graph(write(path, "from,to\na,é\n".encode("latin-1")))
    with pytest.raises(phgs.DataError, match="separated by ';': begin the file with a line sep=;"):
        phgs.as_graph(write(path, "from;to\na;b\n"))
    with pytest.raises(phgs.DataError, match=r"e\.csv, line 4: 3 fields"):
        phgs.as_graph(write(path, 'from,to\n"a\nb",c\nx,y,z\n'))
    long = "x" * 200_000
    assert phgs.as_graph(write(path, f"from,to\n{long},b\n")).directed == ((long, "b"),)


def test_isolated_variables_are_in_edge_lists(tmp_path, chain):
    result = phgs.learn(chain, "hc", progress=False)
    path = write(tmp_path / "e.csv", result.cpdag.to_csv())
    assert set(phgs.as_graph(path).variables) == {"a", "b", "c", "d"}
    assert "d,\n" in path.read_text()


# Documents


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_byte_order_mark_is_no_part_of_json(tmp_path, mark, chain):
    result = phgs.learn(chain, "hc", progress=False)
    result.save(tmp_path / "r.json")
    write(tmp_path / "m.json", mark + (tmp_path / "r.json").read_text())
    assert phgs.Result.load(tmp_path / "m.json").cpdag == result.cpdag
    write(tmp_path / "k.json", mark + '{"required": [["a", "b"]]}')
    assert phgs.Knowledge.read(tmp_path / "k.json").required == (("a", "b"),)


DEEP = "[" * 200_000
DIGITS = "1" * 5000


@pytest.mark.parametrize("read", [phgs.Result.load, phgs.EdgeConfidence.load, phgs.Knowledge.read, "study"])
@pytest.mark.parametrize(
    ("text", "says"),
    [
        (DEEP, "too deep|not "),
        ("[" * 2000 + "]" * 2000, "."),
        (f'{{"tiers": {DIGITS}}}', "line 1: a number of 5,000 digits"),
        ('{"a":\n 1e400}', "line 2: 1e400 is too large"),
        ('{"a": NaN}', "line 1: NaN"),
        ('{"a": 1, "a": 2}', "the key 'a' is there twice"),
        ('{"a": }', "line 1, column 7: not "),
        ("", "line 1, column 1: not "),
        ("[1]", "."),
        ('"text"', "."),
    ],
)
def test_documents_that_are_none(tmp_path, read, text, says):
    from phgs.study import Configuration

    path = write(tmp_path / "x.json", text)
    with pytest.raises(phgs.ParseError, match=says) as found:
        (Configuration.load if read == "study" else read)(path)
    assert "x.json" in str(found.value)
    assert "\n" not in str(found.value)
    assert len(str(found.value)) < 500 + len(str(path))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"required": [[["a"], "b"]]}', r"required\[0\]\[0\]: expected the name of a variable"),
        ('{"required": [["a", {}]]}', r"required\[0\]\[1\]: expected the name of a variable"),
        ('{"tiers": [["a"], "b"]}', r"tiers\[1\]: expected a list, found 'b'"),
        ('{"tiers": [["a"], ["a"]]}', "'a' is in two tiers"),
        ('{"required": [["a", "a"]]}', r"required\[0\]: 'a' cannot be joined to itself"),
        ('{"requird": []}', "unknown key 'requird'; did you mean"),
    ],
)
def test_knowledge_that_is_none(tmp_path, text, says):
    with pytest.raises(phgs.KnowledgeError, match=says) as found:
        phgs.Knowledge.read(write(tmp_path / "k.json", text))
    assert "k.json" in str(found.value)
    assert isinstance(found.value, phgs.ParseError)


def test_a_tier_of_many_digits(tmp_path):
    path = write(tmp_path / "k.csv", f"from,to,kind\na,{DIGITS},tier\n")
    with pytest.raises(phgs.KnowledgeError, match=r"k\.csv, line 2: the tier of 'a' must be a whole number"):
        phgs.Knowledge.read(path)
    with pytest.raises(phgs.KnowledgeError, match="expected the name of a variable"):
        phgs.Knowledge(required=[(["a"], "b")])


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """Return a result and a bootstrap as JSON, with their readers."""
    import numpy as np

    folder = tmp_path_factory.mktemp("documents")
    first, noise = np.random.default_rng(1).integers(0, 3, (2, 300))
    data = {"a": first, "b": np.where(noise, first, noise), "c": noise}
    known = {"forbidden": [("c", "a")]}
    phgs.learn(data, "ppc", path_length=3, knowledge=known, progress=False).save(folder / "r.json")
    phgs.bootstrap("hc", data, n=3, progress=False).save(folder / "c.json")
    return [
        (json.loads((folder / name).read_text()), read)
        for name, read in (("r.json", phgs.Result.load), ("c.json", phgs.EdgeConfidence.load))
    ]


def places(value, at=()):
    """Yield the paths of all values within a document."""
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*at, key))


ODD = [None, True, -1, 3, 1.5, 1e308, 10**40, "a", "zz", [], ["a"], [["a", "b"]], {}, {"a": 1}, [[[["a"]]]], -(10**30)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(choice=st.data())
def test_changed_documents_are_read_or_refused_in_one_line(documents, tmp_path, choice):
    document, read = choice.draw(st.sampled_from(documents))
    changed = json.loads(json.dumps(document))
    for _ in range(choice.draw(st.integers(1, 2))):
        at = choice.draw(st.sampled_from([place for place in places(changed) if place]))
        holder = changed
        for key in at[:-1]:
            holder = holder[key]
        if choice.draw(st.booleans()):
            holder[at[-1]] = copy.deepcopy(choice.draw(st.sampled_from(ODD)))
        else:
            del holder[at[-1]]
    path = write(tmp_path / "changed.json", json.dumps(changed))
    try:
        found = read(path)
    except phgs.DocumentError as error:
        problem = str(error)
    else:
        problem = ""
    if problem:
        assert "changed.json: " in problem
        assert "\n" not in problem
        assert len(problem) < 400 + len(str(path))
        return
    # What is taken works.
    assert str(found)
    assert repr(found)
    assert found._repr_html_()
    found.save(tmp_path / "again.json")
    if isinstance(found, phgs.Result):
        found.cpdag.to_csv()
        for x, y in (("a", "b"), ("a", "c")):
            if {x, y} <= set(found.variables):
                found.explain(x, y)


# Networks


def bif(row):
    states = "{ type discrete [ 2 ] { x, y }; }"
    head = f"network unknown {{ }}\nvariable a {states}\nvariable b {states}\n"
    return head + f"probability ( a ) {{ table 0.5, 0.5; }}\nprobability ( b | a ) {{ (x) {row}; (y) 0.25, 0.75; }}\n"


def test_rows_that_do_not_sum_to_one(tmp_path, capsys):
    path = write(tmp_path / "n.bif", bif("0.495, 0.495"))
    with pytest.raises(phgs.ParseError, match=r"n\.bif: line 5.*tolerance of 0\.01 or more"):
        phgs.Network.load(path)
    with pytest.warns(phgs.PhgsWarning, match="1 row was divided by its sum, in the tables of 'b'"):
        found = phgs.Network.load(path, tolerance=0.02)
    assert found.table("b").tolist() == [[0.5, 0.5], [0.25, 0.75]]
    with pytest.warns(phgs.PhgsWarning, match="1 row of NaN was made uniform, in the tables of 'b'"):
        assert phgs.Network.from_bif(bif("NaN, NaN"), tolerance=0.02) == found.renamed("")
    assert phgs.as_graph(write(path, bif("NaN, NaN"))).directed == (("a", "b"),)
    out = str(tmp_path / "d.csv")
    assert main(["sample", str(path), "-n", "5", "--out", out, "--quiet"]) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # The command line prints it.
        assert main(["sample", str(path), "-n", "5", "--out", out, "--quiet", "--tolerance", "0.02"]) == 0
    assert "1 row of NaN was made uniform" in capsys.readouterr().err


def test_encodings_of_networks(tmp_path):
    text = bif("0.5, 0.5").replace("x", "男").replace("b", "性").replace("pro性a性ility", "probability")
    text = text.replace("varia性le", "variable").replace("ta性le", "table")
    path = write(tmp_path / "n.bif", text.encode("gbk"))
    with pytest.raises(phgs.DataError, match=r"n\.bif, line 2: the byte 0xc4 is not UTF-8"):
        phgs.Network.load(path)
    assert phgs.Network.load(path, encoding="gbk").states["性"] == ("男", "y")
    assert phgs.Network.load(write(path, text.encode("utf-16"))).nodes == ("a", "性")


def test_a_fitted_network_is_what_its_file_says(chain):
    network = phgs.Network.fit(chain, [("a", "b")])
    assert phgs.Network.from_bif(network.to_bif()) == network
    assert phgs.Network.from_bif(network.renamed("unknown").to_bif()) == network.renamed("unknown")


def test_tables_by_default_entries_are_counted_before_memory_is_taken(tmp_path):
    variables = [f"v{i}" for i in range(29)]
    text = "network n { }\n" + "".join(f"variable {v} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for v in variables)
    for i, v in enumerate(variables):
        above = f" | {', '.join(variables[:i])}" if i else ""
        text += f"probability ( {v}{above} ) {{ default 0.5, 0.5; }}\n"
    start = time.monotonic()
    with pytest.raises(phgs.ParseError, match=r"n\.bif: line \d+.*raise max_entries"):
        phgs.Network.load(write(tmp_path / "n.bif", text))
    assert time.monotonic() - start < 20
    small = "\n".join(line for line in text.split("\n") if not any(f"v{i} " in line for i in range(12, 29)))
    with pytest.raises(phgs.ParseError, match="raise max_entries"):
        phgs.Network.from_bif(small, max_entries=1000)
    assert len(phgs.Network.from_bif(small).nodes) == 12


@pytest.mark.skipif(not hasattr(signal := __import__("signal"), "setitimer"), reason="needs setitimer")
def test_ctrl_c_stops_the_reading_of_a_network():
    row = ", ".join(["0.5, 0.5"] * 20)
    text = bif("0.5, 0.5") + "probability ( a ) { table " + ", ".join([row] * 400_000) + "; }"
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    start = time.monotonic()
    try:
        with pytest.raises((KeyboardInterrupt, phgs.ParseError)) as found:
            phgs.Network.from_bif(text)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert found.type is KeyboardInterrupt or time.monotonic() - start < 0.3


def test_very_long_names_are_answered_at_once(chain):
    long = "x" * 50_000
    start = time.monotonic()
    with pytest.raises(phgs.GraphError) as found:
        phgs.Graph([f"{long}y", "b"], [(long, "b")])
    assert len(str(found.value)) < 400
    with pytest.raises(phgs.ParseError) as parsed:
        phgs.Network.from_bif(bif("0.5, 0.5").replace("b | a", f"b | {long}").replace("able b", f"able {long}y"))
    assert len(str(parsed.value)) < 400
    assert time.monotonic() - start < 5


# Writing


def test_modes_are_kept_and_links_followed(tmp_path):
    target = write(tmp_path / "target.csv", "old")
    target.chmod(0o600)
    link = tmp_path / "link.csv"
    link.symlink_to("target.csv")
    output.write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    dangling = tmp_path / "dangling.csv"
    dangling.symlink_to("not-yet.csv")
    output.write_whole(dangling, "new")
    assert (tmp_path / "not-yet.csv").read_text() == "new"
    with pytest.raises(phgs.DataError, match="half of a surrogate pair"):
        output.write_whole(target, "\ud800")
    assert target.read_text() == "new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dangling.csv", "link.csv", "not-yet.csv", "target.csv"]


def test_a_full_disk_names_the_file(tmp_path, monkeypatch):
    if Path("/dev/full").exists():
        with pytest.raises(OSError, match="cannot be written: No space left on device: '/dev/full'"):
            output.write_whole("/dev/full", "x" * 100_000)
    target = write(tmp_path / "r.json", "old")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "chmod", full)
    with pytest.raises(OSError, match=r"cannot be written: No space left on device: '.*r\.json'"):
        output.write_whole(target, "new")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]


def test_standard_output_is_a_file_too(tmp_path, chain, capfdbinary):
    import pandas as pd

    path = tmp_path / "d.csv"
    pd.DataFrame(chain).to_csv(path, index=False)
    learn = ["learn", str(path), "--method", "hc"]
    assert main([*learn, "--json", "-"]) == 0
    said = capfdbinary.readouterr()
    assert json.loads(said.out)["method"] == "hc"
    assert b"score" in said.err
    assert main([*learn, "--edges", "-", "--dot", str(tmp_path / "g.dot")]) == 0
    said = capfdbinary.readouterr()
    assert said.out.startswith(b"from,to\n")
    assert b"g.dot" in said.err
    assert main([*learn, "--dot", "-", "--quiet"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"digraph {")
    assert main([*learn, "--dot", "-", "--json", "-"]) == 2
    assert main(["sample", "asia", "-n", "5", "--out", "-"]) == 0
    assert b'"asia"' in capfdbinary.readouterr().out.splitlines()[0]
    edges = write(tmp_path / "e.csv", "from,to\na,b\n")
    assert main(["compare", str(edges), str(edges), "--json", "-"]) == 0
    found = capfdbinary.readouterr()
    assert json.loads(found.out)["jaccard"] == 1.0
    assert not (tmp_path / "-").exists()


# What a terminal cannot show


def run(code, encoding, *arguments):
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    command = [sys.executable, *(["-c", code] if code else ["-m", "phgs"]), *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, timeout=300, check=False)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_what_a_terminal_cannot_show_is_replaced(tmp_path, encoding):
    import numpy as np
    import pandas as pd

    draws = np.random.default_rng(1)
    first, noise = draws.integers(0, 3, (2, 300))
    path = tmp_path / "d.csv"
    pd.DataFrame({"男": first, "b": np.where(noise, first, noise), "c→": noise}).to_csv(path, index=False)
    for arguments in (
        ["describe", path],
        ["learn", path, "--method", "hc"],
        ["bootstrap", path, "--method", "hc", "-n", "3"],
    ):
        found = run(None, encoding, *arguments)
        assert found.returncode == 0, found.stderr
        assert found.stdout.strip()
    code = """if True:
        import phgs, sys
        data = phgs.read_csv(sys.argv[1])
        result = phgs.learn(data, "hc", progress=False)
        print(result.cpdag, result, result.edges, phgs.describe(data), result.explain("b", "男"), result.dag.edges[0])
        print(phgs.bootstrap("hc", data, n=2, progress=False), phgs.independence_test(data, "b", "男"))
        print(phgs.Knowledge(required=[("男", "b")]))
    """
    found = run(code, encoding, path)
    assert found.returncode == 0, found.stderr
    assert b"\\u7537" in found.stdout
    assert b"->" in found.stdout or b"--" in found.stdout


# Folders


def test_a_bootstrap_that_was_killed_before_its_manifest_is_resumed(tmp_path, chain):
    for name in (".bootstrap.json.0a1b2c3d", ".phgs-0123456789abcdef"):
        (tmp_path / name).write_text("{")
    found = phgs.bootstrap("hc", chain, n=2, folder=tmp_path, progress=False)
    assert found.n_replicates == 2
    assert (tmp_path / "bootstrap.json").exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / ".private").write_text("")
    with pytest.raises(phgs.ParameterError, match="holds other files"):
        phgs.bootstrap("hc", chain, n=2, folder=other, progress=False)


def test_damaged_replicates_are_named(tmp_path, chain):
    phgs.bootstrap("hc", chain, n=2, folder=tmp_path, progress=False)
    path = tmp_path / "replicate-000001.json"
    for text in (
        "{",
        '{"directed": [[0, 99]], "undirected": [], "complete": true}',
        "[" * 5000,
        '{"directed": [[0, 1], [1, 0]]}',
    ):
        path.write_text(text)
        with pytest.raises(phgs.ParameterError, match=r"replicate-000001\.json.*damaged; delete it"):
            phgs.bootstrap("hc", chain, n=2, folder=tmp_path, progress=False)


STUDY = {"n_rows": 200, "seeds": [1], "networks": ["asia"], "methods": [{"method": "hc"}]}


def test_two_studies_that_start_in_a_new_folder_at_the_same_moment(tmp_path):
    from phgs.study import Configuration
    from phgs.study.store import Store

    configuration = Configuration.from_mapping(STUDY)
    problems = []
    for attempt in range(10):
        barrier = threading.Barrier(4)

        def start(folder=tmp_path / str(attempt), barrier=barrier):
            barrier.wait()
            try:
                Store(folder, configuration).close()
            except Exception as error:
                problems.append(error)

        threads = [threading.Thread(target=start) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not problems


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"methods": [{"method": "pc", "alphas": [0.05, 0.05]}]}, "level of pc '0.05' is there twice"),
        ({"methods": [{"method": "hc", "penalties": [1, 1.0]}]}, "level of hc '1.0' is there twice"),
        ({"networks": [{"name": {"a": 1}}]}, "a network is a name"),
        ({"name": {}}, "name must be text"),
        ({"methods": [{"method": "hc", "label": ["x"]}]}, "label of hc must be text"),
        ({"n_rows": float("inf")}, "n_rows: the number is too large"),
        ({"time_limit": 10**400}, "time_limit: the number is too large"),
        ({"methods": [{"method": "gsc", "skeleton": ["truth"]}]}, "skeleton of gsc must be text"),
        ({"methods": [{"method": "hc", "parameters": {"a": {"b": float("nan")}}}]}, r"methods\[0\].parameters.a.b"),
    ],
)
def test_study_configurations_that_cannot_be(change, says):
    from phgs.study import Configuration

    with pytest.raises(phgs.ParameterError, match=says):
        Configuration.from_mapping(STUDY | change)


def test_labels_are_text_in_reports():
    from phgs.study.document import Document, Heading, Paragraph, Table

    label = "<script>alert(1)</script> *a* _b_ `c` [d](e) | f\ng"
    document = Document([Heading(label, 1), Paragraph(label), Table([label], [[label]], label)])
    markdown = document.to_markdown()
    assert "<" not in markdown
    assert "\\*a\\* \\_b\\_ \\`c\\` \\[d\\](e) \\| f\\\\ng" in markdown
    page = document.to_html()
    assert "<script>" not in page
    assert page.count("&lt;script&gt;") == 6
