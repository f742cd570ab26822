"""The code blocks of the README and of all pages of docs/ run and print what the pages show."""

import ast
import base64
import importlib.util
import inspect
import json
import re
import sys
from pathlib import Path

import pytest

import phgs

ROOT = Path(__file__).parents[2]


# Where tools find each other.
sys.path.append(str(ROOT / "docs" / "tools"))


def tool(name):
    """Import a module of docs/tools."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / "docs" / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


docs_blocks = tool("blocks")


@pytest.mark.parametrize("page", docs_blocks.pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_of_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    docs_blocks.run_page(page)


def page(tmp_path, text):
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_other_output_is_found(tmp_path):
    shown = page(tmp_path, "```python\nprint(6 * 7)\n```\n\n```text\n41\n```\n")
    with pytest.raises(docs_blocks.MismatchError, match="42"):
        docs_blocks.run_page(shown)
    docs_blocks.run_page(shown, write=True)
    docs_blocks.run_page(shown)
    assert "42" in shown.read_text(encoding="utf-8")


def test_blocks_share_names_and_commands_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "```python\nx = 1\n```\n\n```python\nx + 1\n```\n\n```text\n2\n```\n\n"
    text += "```console\n$ phgs learn nothing.csv\nphgs: there is no file nothing.csv\n```\n"
    assert [block.kind for block in docs_blocks.blocks(page(tmp_path, text))] == ["python", "python", "console"]
    docs_blocks.run_page(page(tmp_path, text))


def test_errors_count_unless_shown(tmp_path):
    text = "```python\n1 / 0\n```\n"
    with pytest.raises(ZeroDivisionError):
        docs_blocks.run_page(page(tmp_path, text))
    docs_blocks.run_page(page(tmp_path, text + "\n```text\nZeroDivisionError: division by zero\n```\n"))


def test_pages_are_found():
    found = {str(path.relative_to(ROOT)) for path in docs_blocks.pages()}
    assert "README.md" in found
    assert any(name.startswith("docs/tutorials/") for name in found)


def in_reference():
    """Return what the reference documents: short name to the lines of its directive's options."""
    pages = sorted((ROOT / "docs/reference/python").glob("*.md"))
    reference = "\n".join(path.read_text(encoding="utf-8") for path in pages)
    found = re.findall(r"^\.\. auto\w+:: (\S+)\n((?:   :.*\n)*)", reference, flags=re.MULTILINE)
    return {name.rsplit(".", 1)[-1]: options for name, options in found}


@pytest.mark.parametrize("module", ["phgs", "phgs.study", "phgs.datasets", "phgs.graphs", "phgs.result", "phgs.errors"])
def test_reference_has_all_public_names(module):
    assert set(importlib.import_module(module).__all__) - {"__version__"} <= set(in_reference())


@pytest.mark.parametrize("name", [name for name in phgs.__all__ if inspect.isclass(getattr(phgs, name))])
def test_reference_has_all_public_methods(name):
    """A class is documented with all members, unless the page of a base class or a table has them."""
    kind = getattr(phgs, name)
    if issubclass(kind, (phgs.learners.base.Learner, Exception, Warning)):
        return
    methods = [
        attribute
        for attribute, value in vars(kind).items()
        if inspect.isfunction(value)
        and attribute[0] != "_"
        and not attribute.endswith("_core")  # the border to the core
    ]
    assert not methods or ":members:\n" in in_reference()[name], methods


EXAMPLES = sorted(path for path in (ROOT / "docs" / "examples").glob("*.md") if path.stem != "index")


def test_index_of_examples_has_all():
    index = (ROOT / "docs" / "examples" / "index.md").read_text(encoding="utf-8")
    assert len(EXAMPLES) >= 6
    for example in EXAMPLES:
        assert f"]({example.name})" in index
        assert f"\n{example.stem}\n" in index


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run_always_and_say_what_their_picture_means(example):
    text = example.read_text(encoding="utf-8")
    for heading in ("The table", "The picture", "What it means", "What it does not mean"):
        assert f"\n## {heading}\n" in text
    assert docs_blocks.blocks(example)
    assert all(block.needs is None for block in docs_blocks.blocks(example))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_notebooks_of_examples_have_the_code_that_is_tested(example, tmp_path):
    notebooks = tool("notebooks")
    paths = notebooks.write_notebooks(tmp_path)
    assert [path.stem for path in paths] == [path.stem for path in EXAMPLES]
    read = json.loads((tmp_path / f"{example.stem}.ipynb").read_text(encoding="utf-8"))
    assert (read["nbformat"], read["nbformat_minor"]) == (4, 5)
    cells = read["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    blocks = docs_blocks.blocks(example)
    assert [cell["source"] for cell in code] == [block.code.rstrip("\n") for block in blocks]
    assert [cell["outputs"] == [] for cell in code] == [block.shown is None for block in blocks]
    text = [cell for cell in cells if cell["cell_type"] == "markdown"]
    for cell in text:
        assert ".md)" not in cell["source"]
        assert "{download}" not in cell["source"]
        for name in re.findall(r"\(attachment:(.*?)\)", cell["source"]):
            picture = base64.b64decode(cell["attachments"][name]["image/png"])
            assert picture.startswith(b"\x89PNG")


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def without_code(page):
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page):
    text = without_code(page)
    assert "[](" not in text, "a link needs a text: pages are read in the repository, too"
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        made_by_sphinx = path.endswith("command-line-options.md")
        found = page.parent / path if path else page
        assert made_by_sphinx or found.exists(), target
        if anchor and found.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", found.read_text(encoding="utf-8"), flags=re.MULTILINE)
            anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in anchors, target


def test_broken_links_of_a_site_are_found(tmp_path, capsys):
    links = tool("links")
    (tmp_path / "a.html").write_text('<h1 id="top">A</h1><a href="b.html#here">b</a><a href="https://x.org">x</a>')
    (tmp_path / "b.html").write_text(
        '<p id="here"></p><a href="#there">t</a><img src="no.png"><a href="a.html#top">a</a>'
    )
    assert links.main([str(tmp_path), "--external"]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown == [
        "b.html: #there leads to no anchor",
        "b.html: no.png leads to no file",
        "https://x.org",
        "2 broken links, 1 links that leave the site",
    ]
    (tmp_path / "b.html").write_text('<p id="here"></p>')
    assert links.main([str(tmp_path)]) == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_of_prose_are_short(page):
    """Lines that one can read in an editor and in a diff; tables, code and the reports of studies aside."""
    if page.relative_to(ROOT).parts[1:2] in (("studies",), ("benchmarks",)):
        return
    lines = without_code(page).splitlines()
    assert not [line for line in lines if len(line) > 130 and not line.lstrip().startswith("|")]


_NOT_TERMS = """
    ABI AISTATS ASCII ASIA BP CHILD CO CONTRIBUTING CPU CSV GB HDL HR IEEE JSON LDL MB MIT NA NaN PGM PNG SVG TPR
    LVH PyBNesian UCI UTF macOS
"""
NOT_TERMS = set(_NOT_TERMS.split())
"""No entry is needed: names of files, formats, units, packages, journals, licences, and columns of examples."""


def test_glossary_has_the_abbreviations_of_the_pages():
    glossary = (ROOT / "docs" / "guides" / "glossary.md").read_text(encoding="utf-8")
    listed = re.search(r"```\{glossary\}\n(.*?)```", glossary, flags=re.DOTALL)[1]
    terms = re.findall(r"^\S.*$", listed, flags=re.MULTILINE)
    assert terms == sorted(terms, key=str.casefold)
    words = {word for term in terms for word in re.findall(r"\w+", term)}
    for page in PAGES:
        folder = page.relative_to(ROOT).parts[1:2]
        if folder in (("benchmarks",), ("studies",), ("developer",), ("reference",), ("migration",)):
            continue
        text = re.sub(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->", "", without_code(page), flags=re.DOTALL)
        found = re.findall(r"\b[A-Za-z]*[A-Z][A-Za-z]*[A-Z]\w*\b", text)
        missing = {word.removesuffix("s") for word in found} - words.union(NOT_TERMS)
        assert not missing, f"{page.name}: {missing} should be in the glossary"


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda page: page.stem
)
def test_names_and_parameters_on_pages_exist(page):
    """In running text and tables too, such as those of calls side by side with other packages."""
    text = page.read_text(encoding="utf-8")
    for path in set(re.findall(r"(?<![\w./`-])phgs((?:\.[A-Za-z_]\w*)+)", text)):
        found, so_far = phgs, "phgs"
        for name in path[1:].split("."):
            so_far = f"{so_far}.{name}"
            found = getattr(found, name, None) or importlib.import_module(so_far)
    for name, given in re.findall(r"phgs\.(\w+)\(([^()]*)\)", text):
        known = inspect.signature(getattr(phgs, name)).parameters
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
            assert set(re.findall(r"\b(\w+)=", given)) <= set(known), name


def test_readme_has_the_figures_of_the_benchmarks():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text == tool("comparison_in_readme").with_table(text), "run python docs/tools/comparison_in_readme.py"


def test_the_docstring_of_learn_has_the_table_of_the_studies():
    default_method = tool("default_method")
    text = default_method.LEARN.read_text(encoding="utf-8")
    assert text == default_method.docstring(text), "run python docs/tools/default_method.py"


LEARNERS = sorted(phgs.learners.__all__, key=str.lower)
LEARNERS = [name for name in LEARNERS if hasattr(getattr(phgs, name), "get_params")]


@pytest.mark.parametrize("name", LEARNERS)
def test_docstrings_of_learners_have_all_parameters_with_their_defaults(name):
    make = getattr(phgs, name)
    section = inspect.cleandoc(make.__doc__).split("Parameters\n----------\n")[1].split("\n\n")[0]
    heads = [line for line in section.split("\n") if not line.startswith(" ")]
    names = [name.strip() for head in heads for name in head.split(" : ")[0].split(",")]
    signature = inspect.signature(make).parameters
    assert sorted(names) == sorted(signature)
    for name, _, kind in (head.partition(" : ") for head in heads if " : " in head):
        shown = kind.partition(", default ")[2]
        default = signature[name].default
        assert (default is None and kind.endswith(", optional")) or ast.literal_eval(shown or "None") == default, name


def test_tests_and_scores_of_the_page_for_bnlearn_run():
    """What the rows of its tables name is what functions and learners take."""
    text = (ROOT / "docs" / "migration" / "bnlearn.md").read_text(encoding="utf-8")
    table = text.split("## Tests and scores")[1].split("## Graphs")[0]
    data = {name: [0.1, 0.7, 0.2, 0.9, 0.4, 0.35, 0.8, 0.15] for name in "xyzw"}
    data |= {"y": data["x"][::-1], "z": data["x"][3:] + data["x"][:3], "w": data["x"][5:] + data["x"][:5]}
    categories = phgs.Network.load("asia").sample(500, seed=1).rename_columns([*"xyzw", *"abcd"])
    dag = phgs.Graph("xyzw", [("x", "y")])
    ours = [cell for row in table.splitlines()[4:] if row.startswith("|") for cell in [row.split("|")[2]]]
    found = [piece for cell in ours for piece in re.findall(r"`([^`]*=[^`]*|phgs[^`]*)`", cell)]
    assert any("fisher-z" in piece for piece in found)
    assert any("gaussian-bic" in piece for piece in found)
    for piece in found:
        if piece.startswith("phgs."):
            x = data if "fisher" in piece or "gaussian" in piece else categories
            full = phgs.Graph(x.column_names, [("x", "y")]) if x is categories else dag
            assert eval(piece, {"phgs": phgs, "x": x, "dag": full}) is not None
            continue
        options = eval(f"dict({piece})")
        method = "hc" if "score" in options else "pc"
        assert phgs.learner(method, **options) is not None
