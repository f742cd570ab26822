"""The explorable page and the report, without a browser; `test_browser.py` opens them in one."""

import base64
import hashlib
import itertools
import json
import math
import re
import zlib
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phgs
from phgs.graphs.layout import components, layered, springs
from phgs.graphs.view import separations
from phgs.graphs.view.page import as_json, part
from phgs.texts import p_value_text

HOSTILE = '</script><img src=x onerror=alert(1)>"&<b>'


def payload_of(html):
    found = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1])
    if "packed" in found:
        found = {**json.loads(zlib.decompress(base64.b64decode(found["packed"]))), "absent": found["absent"]}
    return found


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def numbers(text, many):
    planes = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8).reshape(-1, many or 1)
    return (256 ** np.arange(len(planes))[::-1] @ planes).tolist() if many else []


def unpacked(payload):
    """Read the separating sets as the viewer does."""
    packed, edges = payload["absent"], payload["edges"]
    n, pairs = packed["variables"], packed["pairs"]
    sizes = numbers(packed["columns"][4], pairs)
    per_row, gaps, digits, powers = (
        numbers(text, many) for text, many in zip(packed["columns"], (n, *[pairs] * 3), strict=False)
    )
    places = iter(numbers(packed["columns"][5], sum(sizes)))
    extra = edges.get("extra", [0] * len(edges["a"]))
    likely = [[] for _ in range(n)]
    for a, b in sorted((min(p), max(p)) for *p, e in zip(edges["a"], edges["b"], extra, strict=True) if not e):
        likely[a].append(b)
        likely[b].append(a)
    found, rows = {}, iter(zip(gaps, digits, powers, sizes, strict=True))
    for x in range(n):
        y = x
        for _ in range(per_row[x]):
            gap, digit, power, size = next(rows)
            y += gap + 1
            order = list(dict.fromkeys(z for two in itertools.zip_longest(likely[x], likely[y]) for z in two))
            order = [z for z in order if z is not None]
            members, code = [], -1
            for _ in range(size):
                code += next(places) + 1
                members.append(order[code] if code < len(order) else code - len(order))
            for end in (x, y):
                likely[end] = sorted(members) + [z for z in likely[end] if z not in members]
            found[x, y] = (float(f"{digit}e{-power - 2}") if digit else f"10^-{power}", sorted(members))
    return found


@pytest.fixture(scope="module")
def result(alarm):
    return phgs.learn(alarm.table, "phgs", progress=False)


@pytest.fixture(scope="module")
def confidence():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 2, 400)
    noise = rng.random((3, 400)) < 0.15
    data = {"a": x, "b": x ^ noise[0], "c": x ^ noise[1], "d": rng.integers(0, 3, 400)}
    return phgs.bootstrap("phgs", data, 20, progress=False)


@pytest.mark.parametrize("kind", ["explore", "report"])
def test_a_page_is_sealed_by_the_hashes_of_its_own_script_and_styles(result, kind):
    html = getattr(result, kind)().html
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)[1]
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert len(scripts) == 1
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src {digest(scripts[0])};" in policy
    assert f"style-src {' '.join(map(digest, styles))};" in policy
    assert "unsafe" not in policy
    # Nothing that could load something: no address but the name space of SVG, no attribute with one.
    assert set(re.findall(r"https?://[^\s\"'`<)]+", scripts[0])) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(link|img|iframe|object|embed)\b", html.split('<script type="application/json"')[0])
    assert not re.search(r"\sstyle=", html.split("<script")[0])


def test_the_payload_is_the_graph(result):
    payload = payload_of(result.explore().html)
    names, edges = payload["names"], payload["edges"]
    assert names == list(result.variables)
    learned = [e for e in range(len(edges["a"])) if not edges.get("extra", [0] * len(edges["a"]))[e]]
    found = {(names[edges["a"][e]], names[edges["b"][e]], bool(edges["d"][e])) for e in learned}
    assert found == {tuple(edge) for edge in result.cpdag.edges}
    by_pair = {(row.source, row.target): row for row in result.edges}
    measures = {measure["key"]: measure["values"] for measure in payload["measures"]}
    for e in learned:
        row = by_pair[names[edges["a"][e]], names[edges["b"][e]]]
        p = measures["p"][e]
        log_p = float(p[3:]) * math.log(10) if isinstance(p, str) else math.log(p)
        assert math.isclose(log_p, row.log_p_value, abs_tol=1.2)
        assert math.isclose(measures["gain"][e], row.score_gain, rel_tol=1e-5)
        assert [names[i] for i in edges["given"][e]] == list(row.weakest_set)
    assert dict(zip(names, payload["groups"]["of"], strict=True)) == result.clusters


def test_the_levels_of_the_slider_have_the_edges_that_path_counted(alarm):
    # More noise, so that levels differ.
    table = {name: np.asarray(column)[:1500] for name, column in zip(alarm.table.names, alarm.table.codes, strict=True)}
    result = phgs.learn(table, "phgs", progress=False, alpha=0.1)
    assert len(result.path) > 2
    payload = payload_of(result.explore().html)
    for number, point in enumerate(payload["path"], 1):
        assert sum(level >= number for level in payload["edges"]["levels"]) == point["edges"]


def test_columns_tell_shares_and_missing_values(tmp_path):
    data = {"x": ["a", "b", "b", None] * 50, "y": ["u", "v", "v", "u", "v"] * 40}
    result = phgs.learn(data, "mmpc", missing="testwise", progress=False)
    assert result.columns["x"] == phgs.result.ColumnFacts((50, 100), 50)
    result.save(tmp_path / "r.json")
    loaded = phgs.Result.load(tmp_path / "r.json")
    assert loaded.columns == result.columns
    for page in (result.explore().html, loaded.explore().html):
        columns = payload_of(page)["columns"]
        assert columns["sets"][columns["of"][0]] == ["a", "b"]
        assert columns["counts"][0] == [50, 100]
        assert columns["missing"] == {"0": 50}


def test_a_loaded_result_gives_the_same_page(result, tmp_path):
    result.save(tmp_path / "r.json")
    loaded = phgs.Result.load(tmp_path / "r.json")
    first, second = payload_of(result.explore().html), payload_of(loaded.explore().html)
    # Only what explain says of missing separating sets knows of the file.
    first["explain"].pop("none"), second["explain"].pop("none")
    assert first == second


def test_separating_sets_of_absent_pairs_are_embedded(result):
    payload = payload_of(result.explore().html)
    found = unpacked(payload)
    names = payload["names"]
    checked = 0
    for x in range(len(names)):
        for y in range(x + 1, len(names)):
            separation = result.separation(names[x], names[y])
            if separation is None or separation.log_p_value is None:
                assert (x, y) not in found
                continue
            checked += 1
            p, members = found[x, y]
            assert {names[i] for i in members} == set(separation.given)
            if isinstance(p, float) and p > 0:
                assert math.isclose(math.log(p), separation.log_p_value, abs_tol=0.01)
    assert checked > 100


def test_separating_sets_come_back():
    rng = np.random.default_rng(4)
    n, edges = 300, [(i, i + 1) for i in range(200)]
    pairs = []
    for x, y in sorted({tuple(sorted(pair)) for pair in rng.integers(0, n, (900, 2)).tolist() if pair[0] != pair[1]}):
        log_p = float(rng.choice([0.0, -1e-9, -0.5, -30.0, -689.0, -691.0, -12345.0]))
        pairs.append((x, y, log_p, sorted(rng.choice(n, rng.integers(0, 5), replace=False).tolist())))
    for kept in (pairs, []):
        a, b = zip(*edges, strict=True)
        found = unpacked({"absent": separations.packed(n, edges, kept), "edges": {"a": a, "b": b}})
        assert list(found) == [(x, y) for x, y, _, _ in kept]
        for (x, y, log_p, given_set), (p, members) in zip(kept, found.values(), strict=True):
            text = p_value_text(log_p)
            assert p == (text if text.startswith("10^") else float(text)), (x, y)
            assert members == given_set


def test_the_nearest_pairs_are_kept_when_there_are_many():
    n = 130
    chain = [(i, i + 1) for i in range(99)]
    pairs = [(x, y, -1.0, []) for x in range(n) for y in range(x + 1, n) if y - x > 1 or y >= 100]
    nearest = separations.nearest
    assert nearest(n, chain, pairs, len(pairs)) == (pairs, None)
    # 98 pairs are two edges apart, 97 three, 96 four.
    kept, steps = nearest(n, chain, pairs, 98 + 97 + 96 + 50)
    assert steps == 4
    assert kept == [pair for pair in pairs if pair[1] - pair[0] <= 4 and pair[1] < 100]
    assert nearest(n, chain, pairs, 97) == (None, None)
    # All that are joined by a path: no others can be nearer.
    kept, steps = nearest(n, chain, pairs, len(pairs) - 1)
    assert kept == [pair for pair in pairs if pair[1] < 100]
    assert steps == 99
    assert nearest(3, [], [(0, 1, -1.0, []), (1, 2, -1.0, [])], 1) == (None, None)


def test_a_large_page_is_sealed_too():
    html = phgs.random_dag(1000, degree=3, seed=1).explore().html
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)[1]
    embedded = json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])
    viewer = zlib.decompress(base64.b64decode(embedded["viewer"])).decode()
    (first,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert viewer == part("view.js")
    assert f"script-src {digest(first)} {digest(viewer)};" in policy


def test_bends_are_told_from_the_first_variable_on(result):
    payload = payload_of(result.explore().html)
    layout, edges = payload["layouts"][0], payload["edges"]
    assert layout["bends"]
    for edge, steps in layout["bends"].items():
        a, b = edges["a"][int(edge)], edges["b"][int(edge)]
        x = layout["x"][a] + np.cumsum(steps[::2])
        y = layout["y"][a] + np.cumsum(steps[1::2])
        # From layer to layer, within the picture.
        ys = [layout["y"][a], *y.tolist(), layout["y"][b]]
        assert ys in (sorted(ys), sorted(ys, reverse=True))
        assert len(set(ys)) == len(ys)
        assert min(layout["x"]) - 300 < x.min() <= x.max() < max(layout["x"]) + 300


def test_a_comparison_has_the_counts_of_compare(result, alarm):
    payload = payload_of(result.explore(truth=alarm.truth).html)
    comparison = phgs.compare(alarm.truth, result)
    expected = [getattr(comparison, k) for k in ("true_positives", "wrong_directions", "false_negatives")]
    expected.append(comparison.false_positives)
    assert payload["statusCounts"] == expected
    shown = [
        s
        for s, extra in zip(payload["edges"]["status"], payload["edges"].get("extra", [0] * 999), strict=False)
        if not extra
    ]
    assert [shown.count(kind) for kind in range(4)] == expected


def test_a_comparison_knows_every_kind_of_edge():
    learned = phgs.Graph("abcdef", [("a", "b"), ("c", "b"), ("d", "e")], [("e", "f")])
    truth = phgs.Graph("abcdefg", [("a", "b"), ("b", "c"), ("e", "d"), ("a", "g")])
    payload = payload_of(learned.explore(truth=truth).html)
    names, edges = payload["names"], payload["edges"]
    kinds = {
        frozenset((names[a], names[b])): s for a, b, s in zip(edges["a"], edges["b"], edges["status"], strict=True)
    }
    comparison = phgs.compare(truth, learned)
    assert names == list("abcdefg")
    assert kinds[frozenset("ef")] == 3
    assert kinds[frozenset("ag")] == 2
    counted = [list(kinds.values()).count(kind) for kind in range(4)]
    assert counted == payload["statusCounts"]
    assert counted[1] == comparison.wrong_directions


def test_confidence_begins_at_the_threshold(confidence):
    payload = payload_of(confidence.explore().html)
    shown = confidence.consensus()
    share = payload["measures"][payload["first"]["measure"]]["values"]
    least = sorted(share)[payload["first"]["least"]]
    names, edges = payload["names"], payload["edges"]
    visible = {
        frozenset((names[a], names[b])) for a, b, s in zip(edges["a"], edges["b"], share, strict=True) if s >= least
    }
    assert visible == {frozenset(edge[:2]) for edge in shown.edges}
    assert len(edges["a"]) == len(confidence.counts)
    for a, b, shares in zip(edges["a"], edges["b"], edges["shares"], strict=True):
        pair = confidence.pair(names[a], names[b])
        assert np.allclose(shares, [pair.x_to_y, pair.y_to_x, pair.undirected], atol=1e-4)


def test_bare_graphs_of_any_size_have_a_page():
    for graph in (
        phgs.Graph([]),
        phgs.Graph([1]),
        phgs.Graph([1, 2]),
        phgs.Graph([("a", 1), 2], undirected=[(("a", 1), 2)]),
    ):
        payload = payload_of(graph.explore().html)
        assert payload["names"] == [str(name) for name in graph.variables]
        assert all(len(layout["x"]) == graph.n_variables for layout in payload["layouts"])
    with pytest.raises(phgs.ParameterError, match="no cluster for 2"):
        phgs.Graph([1, 2]).explore(clusters={1: 0})


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


def hostile_result():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 300)
    states = np.array([HOSTILE, "<script>alert(2)</script>"])
    data = {
        HOSTILE: states[x],
        "<script>alert(3)</script>": states[x ^ (rng.random(300) < 0.1)],
        "$x_1$": rng.integers(0, 2, 300),
        "plain": rng.integers(0, 2, 300),
    }
    return phgs.learn(data, "phgs", progress=False)


@pytest.mark.parametrize("kind", ["explore", "report"])
def test_names_and_states_are_text_never_markup(kind):
    page = getattr(hostile_result(), kind)(title=HOSTILE)
    elements = Elements()
    elements.feed(page.html)
    assert [tag for tag, _ in elements.tags].count("script") == 2
    assert not any(tag in ("img", "b") or "onerror" in attributes for tag, attributes in elements.tags)
    assert payload_of(page.html)["names"][0] == HOSTILE
    framed = Elements()
    framed.feed(page._repr_html_())
    assert [tag for tag, _ in framed.tags] == ["iframe"]
    attributes = framed.tags[0][1]
    assert attributes["sandbox"] == "allow-scripts allow-downloads"
    assert attributes["srcdoc"] == page.html
    assert HOSTILE in unescape(attributes["title"])


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**53), 2**53)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_json_comes_back_and_has_no_markup(value):
    text = as_json(value)
    assert "<" not in text
    assert json.loads(text.encode().decode()) == value


def test_sizes_are_within_limits(result):
    assert len(part("view.js").encode()) <= 46_000
    graph = phgs.random_dag(1000, degree=3, seed=1)
    assert len(graph.explore().html.encode()) <= 65_000
    large = phgs.random_dag(5000, degree=6, seed=1)
    page = large.explore().html
    assert len(page.encode()) <= 160_000
    assert payload_of(page)["names"] == list(large.variables)


def test_a_map_fills_a_page():
    graph = phgs.random_dag(600, degree=2, seed=2)
    pairs = graph._pair_indices()
    layout = springs(600, pairs)
    low, high = layout.corners
    width, height = high - low
    assert 0.7 < width / height < 3
    assert np.isfinite(layout.places).all()
    assert len({tuple(place) for place in layout.places.round(6).tolist()}) == 600
    assert np.array_equal(layout.places, springs(600, pairs).places)
    chain = springs(2000, [(i, i + 1) for i in range(1999)])
    width, height = chain.corners[1] - chain.corners[0]
    assert width < 6 * height


def test_groups_of_a_large_part_stand_side_by_side():
    rng = np.random.default_rng(5)
    arcs = sorted({tuple(sorted(pair)) for pair in rng.integers(0, 400, (600, 2)).tolist() if pair[0] != pair[1]})
    groups = [node % 8 for node in range(400)]
    layout = layered(400, arcs, [], groups)
    assert len(components(400, arcs)[0]) > 150
    width, height = layout.corners[1] - layout.corners[0]
    assert 0.5 < width / height < 5
    assert len({tuple(place) for place in layout.places.round(6).tolist()}) == 400


def test_explore_writes_whole_or_not_at_all(result, tmp_path):
    page = result.explore(tmp_path / "graph.html")
    assert (tmp_path / "graph.html").read_text(encoding="utf-8") == page.html
    with pytest.raises(phgs.ParameterError, match="there is no folder"):
        result.explore(tmp_path / "no" / "graph.html")
    rng = np.random.default_rng(0)
    wrong = phgs.bootstrap("hc", {"u": rng.integers(0, 2, 50), "v": rng.integers(0, 2, 50)}, 2, progress=False)
    with pytest.raises(phgs.ParameterError, match="none of these variables"):
        result.explore(confidence=wrong)


def test_a_report_has_the_figures_of_the_result_file(result, alarm, tmp_path):
    page = result.report(tmp_path / "report.html", truth=alarm.truth)
    html = unescape(re.sub(r"<[^>]+>", " ", page.html.split("<script")[0]))
    found = result.to_dict()
    assert f"{found['n_rows']:,}" in html
    assert f"{found['score']['value']:,.3f}" in html
    after = unescape(re.sub(r"<[^>]+>", " ", page.html.rsplit("</script>", 1)[1]))
    for row in result.edges._cells(1000):
        for cell in row:
            assert cell in after
    for point in result.path:
        assert f"{point.score:,.3f}" in after
    for name, value in found["parameters"].items():
        assert name in after
        assert (value if isinstance(value, str) else json.dumps(value)) in after
    comparison = phgs.compare(alarm.truth, result)
    assert f"JI {comparison.jaccard:.3f}" in html
    assert "10.1007/s10994-022-06145-4" in after


def test_the_methods_paragraph_names_what_was_done(result, chain):
    text = result.report().methods
    for piece in (
        "37 categorical variables",
        "25,000 rows",
        "pHGS",
        "Huang and Zhou 2022",
        "the G² test at the level 0.05",
        "at most 3 variables",
        "BIC",
    ):
        assert piece in text, text
    hc = phgs.learn(chain, "hc", progress=False).report().methods
    assert "hill-climbing" in hc
    assert "independence was tested" not in hc
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    table = phgs.as_gaussian({"x": x, "y": x + rng.normal(size=200)})
    gaussian = phgs.learn(table, "pc", progress=False).report().methods
    assert "2 continuous variables" in gaussian
    assert "Fisher's z-test" in gaussian


def test_the_command_line_writes_pages(tmp_path, capsys):
    from phgs.cli import main

    data = tmp_path / "data.csv"
    data.write_text("a,b\n" + "0,0\n1,1\n0,1\n1,1\n0,0\n" * 40)
    edges = tmp_path / "edges.csv"
    edges.write_text("from,to\na,b\n")
    html, report = tmp_path / "graph.html", tmp_path / "report.html"
    call = ["learn", str(data), "--html", str(html), "--report", str(report), "--true-graph", str(edges), "--quiet"]
    assert main(call) == 0
    assert payload_of(html.read_text(encoding="utf-8"))["statusCounts"] == [1, 0, 0, 0]
    assert "How to cite" in report.read_text(encoding="utf-8")
    assert main(["compare", str(edges), str(edges), "--html", str(tmp_path / "compare.html")]) == 0
    assert payload_of((tmp_path / "compare.html").read_text(encoding="utf-8"))["kind"] == "graph"
    call = ["bootstrap", str(data), "-n", "5", "--html", str(tmp_path / "boot.html"), "--quiet"]
    assert main(call) == 0
    assert payload_of((tmp_path / "boot.html").read_text(encoding="utf-8"))["kind"] == "confidence"
    assert main(["learn", str(data), "--html", str(html), "--report", str(html)]) == 2
    assert "two outputs have the same name" in capsys.readouterr().err
