"""Every name goes through every file and comes back, or is refused by name before any work."""

import io
import json
import pickle
import xml.etree.ElementTree as ET

import networkx as nx
import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import phgs
from phgs.delimited import lines, written

# Words and marks of all grammars that names pass through, and what breaks lines or shows as nothing.
WORDS = [
    "property",
    "default",
    "table",
    "probability",
    "variable",
    "network",
    "type",
    "discrete",
    "unknown",
    "from",
    "to",
]
WORDS += [
    "kind",
    "sep=,",
    "digraph",
    "node",
    "edge",
    "<b>",
    "&amp;",
    "$x^2$",
    "$\\frac{1}$",
    "null",
    "NaN",
    "NA",
    "#N/A",
]
WORDS += [
    "[]",
    "{}",
    "{",
    "}",
    "(",
    ")",
    ";",
    ",",
    "|",
    "//",
    "/*",
    "*/",
    '"',
    '""',
    "''",
    "\\",
    "\\N",
    "a\\",
    'a"',
    '"a',
]
WORDS += ["a;b", "a,b", "#", "true"]
WORDS += [
    "",
    " ",
    " a",
    "a ",
    "\n",
    "a\nb",
    "\r",
    "a\r\nb",
    "\t",
    "\x00",
    "\x01",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x1f",
    "\x7f",
]
WORDS += ["\x85", "\u2028", "\u2029", "\ufeff", "\ufeffa", "\u202e", "\ufffe", "\U0001f600", "é", "e\u0301", "−", "→"]
WORDS = list(dict.fromkeys(WORDS))
HALF = ["\ud800", "a\udc80", "\udfff\ud800"]

names = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(HALF),
    st.text(max_size=6),
    st.lists(st.sampled_from(WORDS), min_size=2, max_size=3).map("".join),
)
three_names = st.lists(names, min_size=3, max_size=3, unique=True)
three_states = st.lists(names, min_size=3, max_size=3, unique=True)


def is_whole(text):
    """Whether a text has no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_refused(call, *texts):
    """Call; return True where it is refused as it should be: by one of the texts, in an error of ours."""
    try:
        call()
    except (phgs.DataError, phgs.GraphError) as error:
        problem = str(error)
    else:
        return False
    assert any(repr(text) in problem for text in texts), problem
    return True


def graph_of(three):
    """Return a → b, with c alone; or None where the names are refused."""
    if is_refused(lambda: phgs.Graph(three, [(three[0], three[1])]), *three):
        assert not all(map(is_whole, three))
        return None
    assert all(map(is_whole, three))
    return phgs.Graph(three, [(three[0], three[1])])


@given(fields=st.lists(st.lists(names, min_size=2, max_size=3), min_size=1, max_size=4))
def test_lines_of_fields_come_back(fields):
    text = "".join(map(written, fields))
    assert [line.fields for line in lines(text, "file")] == fields
    assert not any(any(line.empty) for line in lines(text, "file")), "an empty text is no empty field"


@given(three=three_names)
def test_edge_lists(three, tmp_path_factory):
    graph = graph_of(three)
    if graph is None:
        return
    path = tmp_path_factory.mktemp("edges") / "edges.csv"
    path.write_text(graph.to_csv(), encoding="utf-8", newline="")
    assert phgs.as_graph(path) == graph
    mixed = phgs.Graph(three, [], [(three[0], three[1])])
    path.write_text(mixed.to_csv(), encoding="utf-8", newline="")
    assert phgs.as_graph(path) == mixed


@given(three=three_names)
def test_graphml_and_networkx(three):
    graph = graph_of(three)
    if graph is None:
        return
    assert phgs.as_graph(graph.to_networkx()) == graph
    if is_refused(graph.to_graphml, *three):
        event("no XML")
        assert any((ord(c) < 32 and c not in "\t\n\r") or c in "\ufffe\uffff" for name in three for c in name)
        return
    text = graph.to_graphml()
    ET.fromstring(text.encode())
    read = nx.read_graphml(io.BytesIO(text.encode()))
    labels = nx.get_node_attributes(read, "label")
    assert list(labels.values()) == three
    assert [(labels[a], labels[b]) for a, b in read.edges] == [(three[0], three[1])]


@given(three=three_names)
def test_dot(three):
    graph = graph_of(three)
    if graph is None:
        return
    if is_refused(graph.to_dot, *three):
        assert any("\x00" in name for name in three)
        return
    assert quoted_words(graph.to_dot()) == [*three, three[0], three[1]]


def quoted_words(text):
    """Return what stands in quotes in DOT text, by its grammar: a backslash makes the next character plain."""
    found, word, plain = [], None, False
    for character in text:
        if word is None:
            word = "" if character == '"' else None
        elif plain:
            word, plain = word + character, False
        elif character == "\\":
            plain = True
        elif character == '"':
            found.append(word)
            word = None
        else:
            word += character
    return found


@given(three=three_names, states=three_states, name=names)
def test_bif_and_pickles(three, states, name, tmp_path_factory):
    a, b, c = three

    def make():
        half = [0.5, 0.25, 0.25]
        rows = [half, [0.125, 0.875, 0.0], [1.0, 0.0, 0.0]]
        return phgs.Network.from_tables(dict.fromkeys(three, states), {b: [a]}, {a: half, b: rows, c: half}, name)

    if is_refused(make, *three, *states, name):
        assert not all(map(is_whole, [*three, *states, name]))
        return
    network = make()
    assert phgs.Network.from_bif(network.to_bif()) == network
    assert pickle.loads(pickle.dumps(network)) == network
    path = tmp_path_factory.mktemp("bif") / "n.bif"
    network.save(path)
    assert phgs.Network.load(path).renamed(name) == network
    assert set(phgs.as_graph(path).directed) == {(a, b)}


@given(three=three_names, states=three_states)
def test_results_confidence_and_tables(three, states, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    draws = np.random.default_rng(1)
    first, noise = draws.integers(0, 3, (2, 300))
    second = np.where(draws.random(300) < 0.8, first, noise)
    column = np.array(states, dtype=object)
    data = {three[0]: column[first], three[1]: column[second], three[2]: column[noise[::-1]]}
    if is_refused(lambda: phgs.as_table(data), *three):
        assert not all(map(is_whole, three))
        return
    result = phgs.learn(data, "hc", progress=False)
    result.save(folder / "r.json")
    loaded = phgs.Result.load(folder / "r.json")
    assert loaded.cpdag == result.cpdag
    assert loaded.levels == result.levels
    assert loaded.variables == tuple(three)
    loaded.save(folder / "again.json")
    assert (folder / "again.json").read_bytes() == (folder / "r.json").read_bytes()
    assert list(result.edges.to_pandas()["from"]) == [row.source for row in result.edges]
    found = phgs.bootstrap("hc", data, n=2, folder=folder / "b", progress=False)
    found.save(folder / "c.json")
    assert phgs.EdgeConfidence.load(folder / "c.json") == found
    assert phgs.bootstrap("hc", data, n=2, folder=folder / "b", progress=False) == found
    assert [line.fields[:2] for line in lines(found.to_csv(), "c")][1:] == [[row.x, row.y] for row in found.pairs]
    if is_refused(lambda: phgs.Network.fit(data, result.dag), *states):
        assert not all(map(is_whole, states))
        return
    fitted = phgs.Network.fit(data, result.dag)
    assert phgs.Network.from_bif(fitted.to_bif()) == fitted


@given(three=three_names)
def test_knowledge(three, tmp_path_factory):
    folder = tmp_path_factory.mktemp("knowledge")
    known = {"required": [three[:2]], "forbidden_edges": [three[1:]], "tiers": [three[:1], three[1:]]}
    (folder / "k.json").write_text(json.dumps(known), encoding="utf-8")
    read = phgs.Knowledge.read(folder / "k.json")
    assert read == phgs.Knowledge(**known)
    if all(map(is_whole, three)):
        rows = [("from", "to", "kind"), (*three[:2], "required"), (*three[1:], "forbidden_edges")]
        rows += [(three[0], "1", "tier"), (three[1], "2", "tier"), (three[2], "2", "tier")]
        (folder / "k.csv").write_text("".join(map(written, rows)), encoding="utf-8", newline="")
        assert phgs.Knowledge.read(folder / "k.csv") == phgs.Knowledge(**known)


@given(three=three_names)
def test_samples_as_csv(three, tmp_path_factory):
    from phgs.cli import main

    folder = tmp_path_factory.mktemp("samples")
    if not all(map(is_whole, three)) or any("\x00" in name for name in three):
        return
    tables = {name: [0.25, 0.25, 0.5] for name in three}
    phgs.Network.from_tables(dict.fromkeys(three, three), {}, tables).save(folder / "n.bif")
    assert main(["sample", str(folder / "n.bif"), "-n", "50", "--out", str(folder / "d.csv"), "--quiet"]) == 0
    rows = phgs.read_csv(folder / "d.csv")
    assert rows.column_names == three
    assert {value for column in rows.columns for value in column.to_pylist()} <= set(three)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_names_are_text_in_pictures(tmp_path, ending):
    import warnings

    variables = [name for name in WORDS if name.strip()]
    graph = phgs.Graph(variables, [(variables[0], variables[1])])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for focus in ("$\\frac{1}$", "\ufeff", "property"):
            graph.plot(tmp_path / f"part.{ending}", focus=focus, title=f"around {focus}")
        graph.plot(tmp_path / f"whole.{ending}", title="$\\frac{1}$ \x01\ufeff")
    content = (tmp_path / f"whole.{ending}").read_bytes()
    assert content
    if ending == "svg":
        ET.fromstring(content)
    if ending == "png":
        from phgs.graphs.dendrogram import plot_dendrogram

        plot_dendrogram([0.5, 0.6, 0.7], ["$\\frac{1}$", "\ufeff", "b"], [0, 0, 1], tmp_path / "tree.pdf")
        ET.fromstring(graph.subgraph(variables[:40])._repr_html_().replace("<br>", "<br/>"))


def test_names_that_are_the_same_as_text_are_refused_by_exports():
    graph = phgs.Graph([1, "1", "b"], [(1, "b")])
    for export in (graph.to_csv, graph.to_dot, graph.to_graphml):
        with pytest.raises(phgs.GraphError, match="1 and '1' are the same as text"):
            export()
