"""Compare the installed package with the paper's averages, on data sets with known truth.

    python benches/paper_comparison.py FOLDER [--methods phgs ppc ...] [--alphas 0.05 ...] [--threads N]

FOLDER holds NETWORK-KAPPA-ROWS-SEED.parquet with NETWORK-KAPPA-ROWS-SEED.edges.csv (`phgs sample NETWORK --tiles KAPPA`
makes such files). Prints a Markdown table: the Jaccard index of CPDAGs and log10 of the statistical calls, ours and the
paper's. Methods for which the paper took the best of several significance levels are run at each of `--alphas`, and the
best is shown with the calls of all.
"""

from __future__ import annotations

import argparse
import math
import warnings
from pathlib import Path
from typing import Any

import phgs
from phgs.study import paper_values

ALPHAS = (0.1, 0.05, 0.01, 0.005, 0.001, 0.0005, 0.0001, 0.00005, 0.00001, 0.000005)

# Method: how it is run, whether the paper shows the best of ten levels, and where the paper's values are.
METHODS: dict[str, tuple[str, dict[str, Any], bool, tuple[str, str]]] = {
    "phgs": ("phgs", {}, False, ("hgi_ji", "phgs")),
    "ppc": ("ppc", {"alpha": 0.1}, False, ("ppc_vs_pc", "ji_ppc_a0.1_path10")),
    "pc": ("pc", {"alpha": 0.1}, False, ("ppc_vs_pc", "ji_pc_a0.1_path10")),
    "hc": ("tabu", {}, False, ("hgi_ji", "hc")),
    "mmpc": ("mmpc", {}, True, ("ppc_vs_constraint", "ji_mmpc")),
    "hpc": ("hpc", {}, True, ("ppc_vs_constraint", "ji_hpc")),
    "fast-iamb": ("fast-iamb", {}, True, ("ppc_vs_constraint", "ji_iamb")),
    "si-hiton-pc": ("si-hiton-pc", {}, True, ("ppc_vs_constraint", "ji_hiton")),
    "mmhc": ("mmhc", {}, True, ("hgi_ji", "mmhc")),
    "mmhc-hgi": ("mmhc-hgi", {}, True, ("hgi_ji", "mmpc_hgi")),
    "h2pc": ("h2pc", {}, True, ("hgi_ji", "h2pc")),
    "h2pc-hgi": ("h2pc-hgi", {}, True, ("hgi_ji", "hpc_hgi")),
    "gsc*": ("gsc", {"init": "empty"}, False, ("hgi_ji", "true_skeleton_eg")),
    "gsc*-hgi": ("gsc", {"init": "hgi"}, False, ("hgi_ji", "true_skeleton_hgi")),
}


def paper_calls(network: str, method: str) -> float | None:
    """Return log10 of the paper's calls."""
    for table, alias in (("detail_established", method), ("detail_constraint", method)):
        value = paper_values.details(table).get((network, alias, "log10_calls"))
        if value is not None:
            return value
    return None


def run(path: Path, truth: Path, method: str, alphas: list[float], threads: int) -> tuple[float, int, float]:
    """Return the (best) Jaccard index, the calls of all runs and their seconds."""
    name, parameters, best_of, _ = METHODS[method]
    if name == "gsc":
        parameters = {**parameters, "skeleton": str(truth)}
    best, calls, seconds = -1.0, 0, 0.0
    for level in alphas if best_of else [None]:
        chosen = parameters if level is None else {**parameters, "alpha": level}
        result = phgs.learn(str(path), method=name, threads=threads, progress=False, **chosen)
        best = max(best, phgs.compare(str(truth), result).jaccard)
        calls += result.calls["total"]
        seconds += result.seconds["total"] - result.seconds["read"]
    return best, calls, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--methods", nargs="+", default=["phgs", "ppc"], choices=list(METHODS))
    parser.add_argument("--alphas", nargs="+", type=float, default=list(ALPHAS))
    parser.add_argument("--threads", type=int, default=0)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", phgs.PhgsWarning)
    kappas = {network: int(values["kappa"]) for network, values in paper_values.networks().items()}
    print("| data | method | JI | paper's JI | difference | log10 calls | paper's | difference | seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    differences: dict[str, list[float]] = {}
    for path in sorted(arguments.folder.glob("*-*-*-*.parquet")):
        network, kappa = path.stem.split("-")[:2]
        if kappas.get(network) != int(kappa):
            continue
        truth = path.with_name(path.stem + ".edges.csv")
        for method in arguments.methods:
            found, calls, seconds = run(path, truth, method, arguments.alphas, arguments.threads)
            table, column = METHODS[method][3]
            expected = float(paper_values.by_network(table)[network][column])
            cost, of_paper = math.log10(calls), paper_calls(network, method)
            shown = "–" if of_paper is None else f"{of_paper:.3f}"
            gap = "–" if of_paper is None else f"{cost - of_paper:+.3f}"
            differences.setdefault(method, []).append(found - expected)
            print(
                f"| {path.stem} | {method} | {found:.3f} | {expected:.3f} | {found - expected:+.3f} "
                f"| {cost:.3f} | {shown} | {gap} | {seconds:.2f} |",
                flush=True,
            )
    print()
    for method, gaps in differences.items():
        print(f"{method}: mean difference of JI {sum(gaps) / len(gaps):+.3f} over {len(gaps)} data sets")


if __name__ == "__main__":
    main()
