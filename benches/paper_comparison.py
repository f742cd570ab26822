"""Compare the installed package with the paper's averages, on data sets with known truth.

    python benches/paper_comparison.py FOLDER [--methods phgs ppc ...] [--alphas 0.05 ...] [--threads N]

FOLDER holds NETWORK-KAPPA-ROWS-SEED.parquet with NETWORK-KAPPA-ROWS-SEED.edges.csv (`phgs sample NETWORK --tiles KAPPA`
makes such files). Prints a Markdown table: the Jaccard index of CPDAGs and log10 of the statistical calls, ours and the
paper's. Methods for which the paper took the best of several significance levels are run at each of `--alphas`, and the
best is shown with the calls of all. Methods that share a skeleton (mmpc, mmhc, mmhc-hgi) learn it once; their seconds
hold its time all the same.
"""

from __future__ import annotations

import argparse
import math
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import phgs
from phgs.study import paper_values

ALPHAS = (0.1, 0.05, 0.01, 0.005, 0.001, 0.0005, 0.0001, 0.00005, 0.00001, 0.000005)

TIES = {"ties": "columns"}
"""As in the software that the paper used: most first moves from the empty graph are ties."""


@dataclass(frozen=True)
class Method:
    """How a method is run, and where the paper's values are.

    Attributes
    ----------
    name : str
        Of the method in this package.
    parameters : dict
        Its parameters.
    accuracy : tuple of str
        Table and column of the paper's JI.
    calls : tuple of str or None
        Detailed table and the method's name in it, for the paper's calls.
    best_of : bool
        Whether it runs at ten significance levels, of which the best counts.
    skeleton : str or None
        The method whose skeleton it uses (and whose calls count here too), or ``"truth"``.
    """

    name: str
    parameters: dict[str, Any]
    accuracy: tuple[str, str]
    calls: tuple[str, str] | None = None
    best_of: bool = False
    skeleton: str | None = None


def _hybrid(skeleton: str, init: str, size: int, column: str, name: str | None = None) -> Method:
    parameters = {"init": init, "max_conditioning_size": size, **TIES}
    calls = None if name is None else ("detail_established", name)
    return Method("gsc", parameters, ("hgi_ji", column), calls, best_of=True, skeleton=skeleton)


METHODS = {
    "phgs": Method("phgs", {}, ("hgi_ji", "phgs"), ("detail_established", "phgs")),
    "ppc": Method("ppc", {"alpha": 0.1}, ("ppc_vs_pc", "ji_ppc_a0.1_path10"), ("detail_constraint", "ppc")),
    "pc": Method("pc", {"alpha": 0.1}, ("ppc_vs_pc", "ji_pc_a0.1_path10"), ("detail_constraint", "pc")),
    "hc": Method("tabu", TIES, ("hgi_ji", "hc"), ("detail_established", "hc")),
    "mmpc": Method("mmpc", {}, ("ppc_vs_constraint", "ji_mmpc"), ("detail_constraint", "mmpc"), best_of=True),
    "hpc": Method("hpc", {}, ("ppc_vs_constraint", "ji_hpc"), ("detail_constraint", "hpc"), best_of=True),
    "fast-iamb": Method("fast-iamb", {}, ("ppc_vs_constraint", "ji_iamb"), ("ratio", "iamb"), best_of=True),
    "si-hiton-pc": Method("si-hiton-pc", {}, ("ppc_vs_constraint", "ji_hiton"), ("ratio", "hiton"), best_of=True),
    # Compositions, so that a skeleton is learned once for all that use it: the same results as mmhc, h2pc and so on.
    "mmhc": _hybrid("mmpc", "empty", 5, "mmhc", "mmhc"),
    "mmhc-hgi": _hybrid("mmpc", "hgi", 5, "mmpc_hgi"),
    "h2pc": _hybrid("hpc", "empty", 4, "h2pc", "h2pc"),
    "h2pc-hgi": _hybrid("hpc", "hgi", 4, "hpc_hgi"),
    "gsc*": Method("gsc", {"init": "empty", **TIES}, ("hgi_ji", "true_skeleton_eg"), skeleton="truth"),
    "gsc*-hgi": Method("gsc", {"init": "hgi", **TIES}, ("hgi_ji", "true_skeleton_hgi"), skeleton="truth"),
}


def paper_calls(network: str, method: Method) -> float | None:
    """Return log10 of the paper's calls, of all levels together."""
    if method.calls is None:
        return None
    table, name = method.calls
    if table == "ratio":
        ratio = paper_values.by_network("ppc_vs_constraint")[network][f"calls_ratio_{name}"]
        return paper_values.details("detail_constraint")[network, "ppc", "log10_calls"] + math.log10(ratio)
    value = paper_values.details(table)[network, name, "log10_calls"]
    # The table of established methods has the mean of the ten executions.
    return value + math.log10(len(ALPHAS)) if method.best_of and table == "detail_established" else value


class Runs:
    """Runs methods on one data set; skeletons are kept, for the methods that use them."""

    def __init__(self, path: Path, truth: Path, alphas: list[float], threads: int) -> None:
        self._table = phgs.as_table(str(path), warn=False)
        self._truth = phgs.dag_to_cpdag(phgs.as_dag(str(truth), self._table.names))
        self._alphas, self._threads = alphas, threads
        self._results: dict[tuple[str, float | None], phgs.Result] = {}

    def run(self, name: str) -> tuple[float, float | None, float, float]:
        """Return the (best) Jaccard index and its level, log10 of the calls of all runs, and their seconds."""
        method = METHODS[name]
        found, calls, seconds = [], 0, 0.0
        for level in self._alphas if method.best_of else [None]:
            result = self._learn(name, level)
            found.append((phgs.compare(self._truth, result, as_cpdags=False).jaccard, level))
            parts = [result, *([self._learn(method.skeleton, level)] if method.skeleton in METHODS else [])]
            calls += sum(part.calls["total"] for part in parts)
            seconds += sum(part.seconds["total"] - part.seconds["read"] for part in parts)
        best, level = max(found, key=lambda pair: (pair[0], pair[1] or 0.0))
        # Fewer levels than the paper's ten count as if there were ten.
        scale = len(ALPHAS) / len(found) if method.best_of else 1.0
        return best, level, math.log10(calls * scale), seconds

    def _learn(self, name: str, level: float | None) -> phgs.Result:
        if (name, level) not in self._results:
            method = METHODS[name]
            parameters = dict(method.parameters) if level is None else {**method.parameters, "alpha": level}
            if method.skeleton is not None:
                skeleton = self._truth if method.skeleton == "truth" else self._learn(method.skeleton, level).cpdag
                parameters["skeleton"] = skeleton
            result = phgs.learn(self._table, method.name, threads=self._threads, progress=False, **parameters)
            self._results[name, level] = result
        return self._results[name, level]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--methods", nargs="+", default=["phgs", "ppc"], choices=list(METHODS))
    parser.add_argument("--networks", nargs="+", help="only data sets of these")
    parser.add_argument("--alphas", nargs="+", type=float, default=list(ALPHAS))
    parser.add_argument("--threads", type=int, default=0)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", phgs.PhgsWarning)
    kappas = {network: int(values["kappa"]) for network, values in paper_values.networks().items()}
    print("| data | method | JI | paper's | difference | best α | log10 calls | paper's | difference | seconds |")
    print("|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|")
    differences: dict[str, list[float]] = {}
    for path in sorted(arguments.folder.glob("*-*-*-*.parquet")):
        network, kappa = path.stem.split("-")[:2]
        if kappas.get(network) != int(kappa) or (arguments.networks and network not in arguments.networks):
            continue
        runs = Runs(path, path.with_name(path.stem + ".edges.csv"), arguments.alphas, arguments.threads)
        for name in arguments.methods:
            found, level, cost, seconds = runs.run(name)
            table, column = METHODS[name].accuracy
            expected = paper_values.by_network(table)[network][column]
            of_paper = paper_calls(network, METHODS[name])
            shown, gap = ("–", "–") if of_paper is None else (f"{of_paper:.3f}", f"{cost - of_paper:+.3f}")
            differences.setdefault(name, []).append(found - expected)
            print(
                f"| {network} × {kappa} | {name} | {found:.3f} | {expected:.3f} | {found - expected:+.3f} "
                f"| {'' if level is None else f'{level:g}'} | {cost:.3f} | {shown} | {gap} | {seconds:.2f} |",
                flush=True,
            )
    print()
    for method, gaps in differences.items():
        print(f"{method}: mean difference of JI {sum(gaps) / len(gaps):+.3f} over {len(gaps)} data sets")


if __name__ == "__main__":
    main()
