"""No module imports upwards, at the top of its file or within a function."""

import ast
import re
from pathlib import Path

import phgs

ROOT = Path(phgs.__file__).parent

FLOORS = [
    ["_core", "errors"],
    ["textfiles", "texts", "progress", "output", "sending", "workers"],
    ["delimited", "names", "parameters"],
    ["data"],
    ["choices", "documents", "own_test", "own_score", "linkage", "describe", "families"],
    ["clustering", "knowledge"],
    ["graphs"],
    ["network", "mixed_network", "functional"],
    ["result", "gaussian", "missingness"],
    ["learners"],
    ["learn", "verification"],
    ["confidence", "study"],
    ["datasets"],
    ["cli"],
    ["__main__"],
]
"""Modules and packages of `phgs`, from the ground up; on one floor they may use each other."""

EXCEPTIONS = {("graphs.convert", "result"), ("graphs.convert", "network")}
"""`as_graph` takes paths of files, whose formats belong to what stands above it."""

FLOOR = {name: floor for floor, names in enumerate(FLOORS) for name in names}


def imports(tree):
    """Yield the modules of phgs that are imported at run time, without the leading ``phgs.``."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and node.module == "phgs":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("phgs."):
            yield node.module.removeprefix("phgs.")
        elif isinstance(node, ast.Import):
            yield from (name.removeprefix("phgs.") for alias in node.names if (name := alias.name).startswith("phgs."))
        yield from imports(node)


def test_no_module_imports_upwards():
    upwards = []
    for path in sorted(ROOT.rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if module == "__init__":
            continue
        here = module.partition(".")[0]
        for imported in imports(ast.parse(path.read_text(encoding="utf-8"))):
            there = imported.partition(".")[0]
            if there not in FLOOR:
                # A name of the package itself, which stands above all of its modules.
                upwards.append((module, f"phgs, for {there}"))
            elif FLOOR[there] > FLOOR[here] and (module, there) not in EXCEPTIONS:
                upwards.append((module, there))
    assert upwards == []


def test_every_module_has_a_floor():
    modules = {path.stem for path in ROOT.glob("*.py")} - {"__init__"}
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert modules | packages | {"_core"} == set(FLOOR)


def test_the_page_on_architecture_tells_every_module():
    """The table of the facade has these floors, and the picture these and those of the core."""
    docs = Path(__file__).parents[2] / "docs"
    page = (docs / "developer" / "architecture.md").read_text(encoding="utf-8")
    facade = page.partition("## The facade")[2].partition("\n\nImports inside")[0]
    rows = [row.split("|")[1] for row in facade.splitlines() if row.startswith("| `")]
    assert sorted(FLOOR) == sorted([*(name for row in rows for name in re.findall(r"`(\w+)`", row)), "__main__"])
    order = [FLOOR[re.search(r"`(\w+)`", row)[1]] for row in rows]
    assert order == sorted(order)

    core = page.partition("## The core")[2].partition("\n\n`counts`")[0]
    told = set(re.findall(r"^\| `(\w+)`", core, re.MULTILINE))
    source = docs.parent / "src"
    assert told >= {path.name for path in source.iterdir() if path.is_dir() and path.name != "python"}

    drawing = ast.parse((docs / "tools" / "pictures.py").read_text(encoding="utf-8"))
    drawn = {
        node.targets[0].id: [name for names, _ in ast.literal_eval(node.value) for name in re.findall(r"\w+", names)]
        for node in drawing.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith("_FLOORS")
    }
    assert sorted([*drawn["FACADE_FLOORS"], "__main__"]) == sorted(FLOOR)
    modules = {path.stem for path in source.iterdir()} - {"lib"}
    assert sorted(drawn["CORE_FLOORS"]) == sorted(modules)
