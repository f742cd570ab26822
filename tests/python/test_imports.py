"""No module imports upwards, at the top of its file or within a function."""

import ast
from pathlib import Path

import phgs

ROOT = Path(phgs.__file__).parent

FLOORS = [
    ["_core", "errors"],
    ["textfiles", "texts", "progress", "output", "sending", "workers"],
    ["delimited", "names", "parameters"],
    ["data"],
    ["choices", "documents", "own_test", "own_score", "network_export", "catalogue", "linkage", "describe", "families"],
    ["clustering", "knowledge"],
    ["graphs"],
    ["network", "mixed_network", "pieces"],
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
