"""The code blocks of the README and of all pages of docs/ run and print what the pages show."""

import ast
import importlib.util
import inspect
import re
import sys
from pathlib import Path

import pytest

import phgs

ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("docs_blocks", ROOT / "docs" / "tools" / "blocks.py")
docs_blocks = importlib.util.module_from_spec(_spec)
sys.modules["docs_blocks"] = docs_blocks
_spec.loader.exec_module(docs_blocks)


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


def test_reference_has_all_public_names():
    reference = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs/reference/python").glob("*.md"))
    documented = {
        line.split()[-1].removeprefix("phgs.") for line in reference.splitlines() if line.startswith(".. auto")
    }
    left_out = {"METHODS", "__version__", "datasets"}
    assert set(phgs.__all__) - left_out <= {name.rsplit(".", 1)[-1] for name in documented}


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda page: page.stem
)
def test_names_and_parameters_on_pages_exist(page):
    """In running text and tables too, such as those of calls side by side with other packages."""
    text = page.read_text(encoding="utf-8")
    for path in set(re.findall(r"(?<![\w./`-])phgs((?:\.[A-Za-z_]\w*)+)", text)):
        found = phgs
        for name in path[1:].split("."):
            found = getattr(found, name, None) or importlib.import_module(f"phgs{path}")
    for name, given in re.findall(r"phgs\.(\w+)\(([^()]*)\)", text):
        known = inspect.signature(getattr(phgs, name)).parameters
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
            assert set(re.findall(r"\b(\w+)=", given)) <= set(known), name


def test_the_docstring_of_learn_has_the_table_of_the_studies():
    found = importlib.util.spec_from_file_location("default_method", ROOT / "docs" / "tools" / "default_method.py")
    default_method = importlib.util.module_from_spec(found)
    found.loader.exec_module(default_method)
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
