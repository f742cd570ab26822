"""The explorable page in a real browser: Debian's chromium, driven by playwright; skipped where there is none."""

import os
import shutil

import numpy as np
import pytest

import phgs
from test_view import HOSTILE, hostile_result

pytestmark = pytest.mark.extras

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("PHGS_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    with api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Open a page from disk; it must ask for nothing and say nothing."""
    heard, asked, contexts = [], [], []

    def open_page(html, **options):
        file = tmp_path / f"page{len(contexts)}.html"
        file.write_text(html, encoding="utf-8")
        context = browser.new_context(viewport={"width": 1280, "height": 857}, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("dialog", lambda dialog: (heard.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(file.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert heard == []
    assert [url for url in asked if not url.startswith(("file:", "blob:"))] == []
    assert len([url for url in asked if url.startswith("file:")]) == len(contexts)


@pytest.fixture(scope="module")
def result(alarm):
    return phgs.learn(alarm.table, "phgs", progress=False)


def ready(page):
    page.wait_for_selector("html[data-ready]")
    return page


def find(page, name):
    page.fill("#find", name)
    page.keyboard.press("Enter")
    return page.locator("#details")


def values(details):
    return dict(zip(details.locator("dt").all_inner_texts(), details.locator("dd").all_inner_texts(), strict=True))


def test_search_finds_and_shows_the_variable(opened, result):
    page = ready(opened(result.explore().html))
    page.fill("#find", "lvf")
    assert page.locator("#found button").all_inner_texts() == ["LVFAILURE"]
    details = find(page, "HRBP")
    assert details.locator("h2").inner_text() == "HRBP"
    graph = result.cpdag
    for name in ("HRBP", "CATECHOL", "LVFAILURE"):
        shown = values(find(page, name))
        for title, expected in (
            ("Parents", graph.parents(name)),
            ("Children", graph.children(name)),
            ("Neighbours", graph.neighbours(name)),
            ("Markov blanket", graph.markov_blanket(name)),
        ):
            assert shown[title] == (", ".join(expected) or "none")
        assert shown["States"] == str(len(result.levels[name]))
        counts = result.columns[name].counts
        cells = page.locator(".states td:nth-child(2)").all_inner_texts()
        assert cells == [f"{100 * count / sum(counts):.1f} %" for count in counts]
    assert "Neighbours" in page.locator("#details").aria_snapshot() or page.locator("#status").inner_text()


def test_a_click_shows_what_is_under_it(opened, result):
    page = ready(opened(result.explore().html))
    find(page, "HRBP")
    # The found variable is in the middle of the picture.
    page.keyboard.press("Escape")
    stage = page.locator("#picture").bounding_box()
    page.mouse.click(stage["x"] + 5, stage["y"] + stage["height"] - 5)
    assert "Click a variable" in page.locator("#details").inner_text()
    page.mouse.click(stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2)
    assert page.locator("#details h2").inner_text() == "HRBP"


def test_an_edge_tells_its_tests_and_its_gain(opened, result):
    page = ready(opened(result.explore().html))
    page.click("#table summary")
    row = result.edges[0]
    page.fill("#filter", row.source)
    text = f"{row.source} {'→' if row.directed else '−'} {row.target}"
    page.locator("#rows button", has_text=text).first.click()
    shown = values(page.locator("#details"))
    from phgs.texts import p_value_text

    assert page.locator("#details h2").inner_text() == text
    assert shown["Largest p-value"] == p_value_text(row.log_p_value)
    assert shown["given by the set"] == (", ".join(row.weakest_set) or "the empty set")
    assert float(shown["Adds to the score"].replace(",", "")) == pytest.approx(row.score_gain, rel=1e-3)


def test_pairs_without_an_edge_are_explained_as_in_python(opened, result, tmp_path):
    result.save(tmp_path / "r.json")
    loaded = phgs.Result.load(tmp_path / "r.json")
    page = ready(opened(result.explore().html))
    names = result.variables
    pairs = [(a, b) for a in names[:12] for b in names[20:24] if (a, b) not in result.cpdag]
    assert len(pairs) > 30
    for a, b in pairs[::4]:
        find(page, a)
        page.fill("#second", b)
        page.keyboard.press("Enter")
        # A condition in words of JavaScript would be evaluated by the page, whose policy forbids it.
        page.locator(".why", has_text=b).first.wait_for()
        assert page.locator(".why").inner_text() == loaded.explain(a, b)


def test_sliders_hide_and_levels_count(opened, alarm):
    table = {name: np.asarray(column)[:1500] for name, column in zip(alarm.table.names, alarm.table.codes, strict=True)}
    result = phgs.learn(table, "phgs", progress=False, alpha=0.1)
    page = ready(opened(result.explore().html))
    before = result.cpdag.n_edges
    assert page.locator("#passing").inner_text() == f"{before} edges shown"
    page.focus("#least")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    strong = sorted(row.log_p_value for row in result.edges if row.log_p_value is not None)
    assert page.locator("#passing").inner_text() == f"{len(strong) - 5} edges of {before} edges shown".replace(
        " edges of", " edges of"
    )
    page.keyboard.press("Home")
    page.focus("#level")
    for point in result.path:
        page.keyboard.press("ArrowRight")
        assert page.locator("#passing").inner_text() == f"{point.edges} edges shown"
        assert f"skeleton of {point.edges} edges" in page.locator("#at-level").inner_text()


def test_groups_fold_and_a_neighbourhood_stands_alone(opened, result):
    page = ready(opened(result.explore().html))
    page.click("#groups summary")
    page.click("#fold-all")
    assert page.locator("#group-list input:checked").count() == len(set(result.clusters.values()))
    find(page, "HRBP")
    assert page.locator("#details h2").inner_text() == "HRBP"
    page.click("#unfold-all")
    find(page, "HRBP")
    page.click("text=Show its neighbourhood alone")
    assert page.locator("#whole").is_visible()
    page.click("#whole")
    assert not page.locator("#whole").is_visible()


def test_what_is_seen_can_be_saved(opened, result, tmp_path):
    page = ready(opened(result.explore().html))
    for button, beginning in (("#svg", b"<svg"), ("#png", b"\x89PNG")):
        with page.expect_download() as download:
            page.click(button)
        download.value.save_as(tmp_path / "picture")
        assert (tmp_path / "picture").read_bytes().startswith(beginning)
        if button == "#svg":
            import xml.etree.ElementTree as ET

            texts = {e.text for e in ET.parse(tmp_path / "picture").iter("{http://www.w3.org/2000/svg}text")}
            assert len(texts & set(result.variables)) > 25


def test_hostile_names_are_text_everywhere(opened):
    result = hostile_result()
    for page in (ready(opened(result.explore(title=HOSTILE).html)), ready(opened(result.report(title=HOSTILE).html))):
        details = find(page, HOSTILE)
        assert details.locator("h2").inner_text() == HOSTILE
        assert details.locator(".states th").all_inner_texts() != []
        page.click("#table summary")
        page.fill("#second", "plain")
        page.keyboard.press("Enter")
        assert page.locator("img").count() == 0
        assert page.locator("h1").first.inner_text() == HOSTILE
        page.click("#svg")


def test_a_notebook_frame_works(opened, result):
    html = f"<!doctype html><title>notebook</title>{result.explore()._repr_html_()}"
    page = opened(html)
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for()
    frame.locator("#find").fill("HRBP")
    frame.locator("#find").press("Enter")
    assert frame.locator("#details h2").inner_text() == "HRBP"
    with page.expect_download():
        frame.locator("#svg").click()


def test_a_comparison_and_bootstrap_shares_open(opened, result, alarm):
    page = ready(opened(result.explore(truth=alarm.truth).html))
    comparison = phgs.compare(alarm.truth, result)
    legend = page.locator("#legend").inner_text()
    assert f"right: {comparison.true_positives}" in legend
    assert f"missing: {comparison.false_negatives}" in legend
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, 300)
    data = {"a": x, "b": x ^ (rng.random(300) < 0.1), "c": rng.integers(0, 2, 300), "d": rng.integers(0, 2, 300)}
    confidence = phgs.bootstrap("hc", data, 20, progress=False)
    page = ready(opened(confidence.explore().html, color_scheme="dark"))
    assert page.locator("#passing").inner_text().startswith(f"{confidence.consensus().n_edges} edge")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    ready(opened(phgs.Graph([]).explore().html))


def test_keys_move_through_the_graph(opened, result):
    page = ready(opened(result.explore().html))
    find(page, "HR")
    page.focus("#picture")
    page.keyboard.press("n")
    neighbour = page.locator("#status").inner_text()
    assert neighbour in result.cpdag.adjacent("HR")
    page.keyboard.press("Enter")
    assert page.locator("#details h2").inner_text() == neighbour
    for key in ("ArrowLeft", "+", "-", "0", "Escape"):
        page.keyboard.press(key)
    assert "Click a variable" in page.locator("#details").inner_text()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "find"


def test_a_large_graph_is_unpacked(opened):
    graph = phgs.random_dag(1000, degree=3, seed=1)
    html = graph.explore().html
    assert '"packed":"' in html
    page = ready(opened(html))
    assert page.locator("#passing").inner_text() == f"{graph.n_edges:,} edges shown"
    name = graph.variables[500]
    assert values(find(page, name))["Parents"] == (", ".join(graph.parents(name)) or "none")


def test_a_large_page_tells_the_tests_of_near_pairs(opened, result, monkeypatch):
    from phgs.graphs.view import page as pages
    from phgs.graphs.view import payload

    # As if it were large, so that the viewer is unpacked and far pairs are left out.
    monkeypatch.setattr(pages, "_LONGEST_PLAIN", 100)
    monkeypatch.setattr(payload, "MOST_ABSENT_PAIRS", 120)
    page = ready(opened(result.explore().html))
    seen = set()
    for a, b in (("HR", "BP"), ("HR", "PAP"), ("CO", "TPR"), ("HRBP", "HRSAT"), ("PAP", "HISTORY")):
        find(page, a)
        page.fill("#second", b)
        page.keyboard.press("Enter")
        page.locator(".why", has_text=b).first.wait_for()
        shown, said = page.locator(".why").inner_text(), result.explain(a, b).split("\n")
        far = "edges apart. This page has the tests of nearer pairs" in shown
        assert far or shown.split("\n") == said[:2]
        seen.add(far)
    assert seen == {True, False}


def test_a_narrow_page_keeps_the_picture_in_sight(opened, result):
    for html in (result.explore().html, result.report().html):
        page = ready(opened(html))
        page.set_viewport_size({"width": 390, "height": 844})
        # Nothing is wider than the window, and the viewer ends before what follows.
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        boxes = [page.locator(part).bounding_box() for part in (".viewer", ".stage", "#details", "#panel")]
        viewer, stage, details, panel = boxes
        assert panel["y"] + panel["height"] <= viewer["y"] + viewer["height"] + 1
        before = page.evaluate("scrollY")
        picture = page.locator("#picture")
        picture.evaluate("e => e.focus({ preventScroll: true })")
        page.keyboard.press("n")
        page.keyboard.press("Enter")
        assert page.locator("#details h2").inner_text() in result.variables
        assert page.evaluate("scrollY") == before
        assert 0 < details["y"] - (stage["y"] + stage["height"]) < 200
