"""The paper's result tables, our values beside the paper's.

Every table is a list of columns; a column knows its paper column and how to compute our value. Labels of methods are
those of the configurations that come with the package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from phgs.study import paper_values
from phgs.study.document import Table
from phgs.study.results import METRICS, Results, log10

Value = float | None
Compute = Callable[[Results, str], Value]


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, the paper's column, and our value for a network."""

    heading: str
    paper: str
    compute: Compute


@dataclass(frozen=True)
class Difference:
    """One value of ours beside the paper's."""

    table: str
    network: str
    method: str
    metric: str
    ours: Value
    paper: Value

    @property
    def difference(self) -> Value:
        """Ours minus the paper's."""
        return None if self.ours is None or self.paper is None else self.ours - self.paper


def _ji(label: str, alpha: float | None = None) -> Compute:
    return lambda results, network: results.ji(network, label, alpha)


def _ratio(label: str, base: str, alpha: float | None = None) -> Compute:
    return lambda results, network: results.calls_ratio(network, label, base, alpha)


PPC_VS_PC = (
    Column("pPC, α = 0.1", "ji_ppc_a0.1", _ji("ppc", 0.1)),
    Column("pPC, PATH", "ji_ppc_a0.1_path10", _ji("ppc-path")),
    Column("PC, α = 0.1", "ji_pc_a0.1", _ji("pc", 0.1)),
    Column("PC, PATH", "ji_pc_a0.1_path10", _ji("pc-path")),
    Column("pPC*", "ji_ppc_best_of_10_alphas", _ji("ppc")),
    Column("PC*", "ji_pc_best_of_10_alphas", _ji("pc")),
    Column("calls PC, PATH", "calls_ratio_pc_a0.1_path10", _ratio("pc-path", "ppc-path")),
    Column("calls pPC*", "calls_ratio_ppc_10_alphas", _ratio("ppc", "ppc-path")),
    Column("calls PC*", "calls_ratio_pc_10_alphas", _ratio("pc", "ppc-path")),
)
PPC_VS_CONSTRAINT = (
    Column("pPC, PATH", "ji_ppc_path10", _ji("ppc-path")),
    Column("MMPC", "ji_mmpc", _ji("mmpc")),
    Column("HPC", "ji_hpc", _ji("hpc")),
    Column("IAMB", "ji_iamb", _ji("iamb")),
    Column("HITON", "ji_hiton", _ji("hiton")),
    Column("calls MMPC", "calls_ratio_mmpc", _ratio("mmpc", "ppc-path")),
    Column("calls HPC", "calls_ratio_hpc", _ratio("hpc", "ppc-path")),
    Column("calls IAMB", "calls_ratio_iamb", _ratio("iamb", "ppc-path")),
    Column("calls HITON", "calls_ratio_hiton", _ratio("hiton", "ppc-path")),
)
HGI_JI = (
    Column("HC", "hc", _ji("hc")),
    Column("true skeleton, empty", "true_skeleton_eg", _ji("true-hc")),
    Column("true skeleton, HGI", "true_skeleton_hgi", _ji("true-hgi")),
    Column("pPC, empty", "ppc_eg", _ji("ppc-hc")),
    Column("pHGS", "phgs", _ji("phgs")),
    Column("MMHC", "mmhc", _ji("mmhc")),
    Column("MMPC, HGI", "mmpc_hgi", _ji("mmhc-hgi")),
    Column("H2PC", "h2pc", _ji("h2pc")),
    Column("HPC, HGI", "hpc_hgi", _ji("h2pc-hgi")),
)
SIDE_BY_SIDE = {
    "ppc_vs_pc": (
        PPC_VS_PC,
        "JI of pPC and PC without and with PATH, and calls in units of pPC with PATH; * is the best of all levels, "
        "with the calls of all.",
    ),
    "ppc_vs_constraint": (
        PPC_VS_CONSTRAINT,
        "JI of pPC with PATH and of other constraint-based methods (best of all levels), and calls in units of pPC's.",
    ),
    "hgi_ji": (
        HGI_JI,
        "JI without and with HGI, for several restrictions; all but HC and pHGS at the best of all levels.",
    ),
}

# The paper's name of a method in its detailed tables, and our label.
CONSTRAINT = {"ppc": "ppc-path", "pc": "pc-path", "mmpc": "mmpc", "hpc": "hpc"}
ESTABLISHED = {"phgs": "phgs", "hc": "hc", "mmhc": "mmhc", "h2pc": "h2pc"}
DETAILS = {
    "detail_constraint": (CONSTRAINT, "Constraint-based methods in detail; calls as decimal logarithms."),
    "detail_established": (ESTABLISHED, "pHGS and established methods in detail; calls as decimal logarithms."),
}


def side_by_side(name: str, results: Results) -> Table:
    """Make a table with one row for each network: ours, and the paper's in brackets."""
    columns, caption = SIDE_BY_SIDE[name]
    used = [
        column
        for column in columns
        if any(column.compute(results, network) is not None for network in results.networks)
    ]
    paper = paper_values.by_network(name)
    rows = []
    for network in results.networks:
        values = ((column.compute(results, network), paper.get(network, {}).get(column.paper)) for column in used)
        rows.append([network, *(_pair(ours, theirs) for ours, theirs in values)])
    summary = ["mean abs. difference"]
    for column in used:
        found = [d.difference for d in _of_column(name, column, results) if d.difference is not None]
        summary.append(f"{fmean(map(abs, found)):.3f}" if found else "")
    return Table(
        ["network", *(column.heading for column in used)], [*rows, summary], f"{caption} In brackets: the paper."
    )


def detailed(name: str, results: Results) -> Table:
    """Make a detailed table: one row for each network and metric."""
    methods, caption = DETAILS[name]
    paper = paper_values.details(name)
    used = [method for method, label in methods.items() if label in results.labels]
    rows = []
    for network in results.networks:
        for metric in (*METRICS, "log10_calls"):
            pairs = [
                (detail(name, results, network, methods[m], metric), paper.get((network, m, metric))) for m in used
            ]
            if any(ours is not None for ours, _ in pairs):
                rows.append(
                    [f"{network} {_METRIC_NAMES.get(metric, metric)}", *(_pair(*pair, metric) for pair in pairs)]
                )
    return Table(["", *(_METHOD_NAMES.get(m, m) for m in used)], rows, f"{caption} In brackets: the paper.")


def detail(name: str, results: Results, network: str, label: str, metric: str) -> Value:
    """Return one value of a detailed table."""
    summary = results.summary(network, label)
    if summary is None:
        return None
    if metric != "log10_calls":
        return summary.metrics[metric]
    # The paper counts all ten executions of constraint-based methods, and the mean execution of established ones.
    average = name == "detail_established" and summary.levels > 1
    return log10(fmean(summary.calls) / summary.levels if average else summary.mean_calls)


def calls_of_hgi(results: Results) -> Table | None:
    """Make the table of additional calls: median and 95 % interval, in per cent of the calls of the skeleton."""
    paper = {(row["skeleton"], row["column"]): row for row in paper_values.rows("hgi_calls")}
    rows = []
    for skeleton, plain, greedy in (
        ("ppc", "ppc-hc", "phgs"),
        ("mmpc", "mmhc", "mmhc-hgi"),
        ("hpc", "h2pc", "h2pc-hgi"),
    ):
        cells = [
            (results.additional_calls(plain), paper[skeleton, "gsc"]),
            (results.additional_calls(greedy, ("v_structures",)), paper[skeleton, "detect"]),
            (results.additional_calls(greedy, ("path",)), paper[skeleton, "hgi"]),
            (results.additional_calls(greedy, ("search",)), paper[skeleton, "search"]),
            (results.additional_calls(greedy), paper[skeleton, "total"]),
        ]
        if any(found for found, _ in cells):
            rows.append([_METHOD_NAMES.get(skeleton, skeleton), *(_interval(found, theirs) for found, theirs in cells)])
    if not rows:
        return None
    return Table(
        ["skeleton", "GSC: search", "HGI: detect", "HGI: initialise", "HGI: search", "HGI: total"],
        rows,
        "Calls beyond the skeleton's, in per cent of it: median (2.5 %, 97.5 %) of executions. In brackets: the paper.",
    )


def sizes(data_sets: Iterable[dict[str, Any]]) -> Table:
    """Make the table of simulated networks."""
    by_network: dict[str, list[dict[str, Any]]] = {}
    for facts in data_sets:
        by_network.setdefault(facts["network"], []).append(facts)
    paper = paper_values.networks()
    order = [*(name for name in paper if name in by_network), *sorted(set(by_network) - set(paper))]
    keys = {"p": 0, "edges": 0, "avg_neighbours": 3, "max_indegree": 0, "parameters": 0}
    rows = []
    for network in order:
        row = [network]
        for key, digits in keys.items():
            ours, theirs = fmean(facts[key] for facts in by_network[network]), paper.get(network, {}).get(key)
            row.append(f"{ours:,.{digits}f}" + ("" if theirs is None else f" ({theirs:,.{digits}f})"))
        rows.append(row)
    header = ["network", "variables", "edges", "neighbours", "max in-degree", "parameters"]
    return Table(header, rows, "Simulated networks, means over data sets. In brackets: the paper.")


def differences(results: Results) -> Iterator[Difference]:
    """Yield every value of ours that the paper has too."""
    for name, (columns, _) in SIDE_BY_SIDE.items():
        for column in columns:
            yield from _of_column(name, column, results)
    for name, (methods, _) in DETAILS.items():
        for (network, method, metric), theirs in paper_values.details(name).items():
            ours = detail(name, results, network, methods[method], metric)
            if ours is not None:
                yield Difference(name, network, methods[method], metric, ours, theirs)


def _of_column(table: str, column: Column, results: Results) -> Iterator[Difference]:
    for network, values in paper_values.by_network(table).items():
        ours = column.compute(results, network)
        if ours is not None:
            yield Difference(table, network, column.heading, column.paper, ours, values.get(column.paper))


_METHOD_NAMES = {
    "ppc": "pPC",
    "pc": "PC",
    "mmpc": "MMPC",
    "hpc": "HPC",
    "phgs": "pHGS",
    "hc": "HC",
    "mmhc": "MMHC",
    "h2pc": "H2PC",
}
_METRIC_NAMES = {"log10_calls": "calls"}


def _pair(ours: Value, theirs: Value, metric: str = "JI") -> str:
    digits = 3 if metric in ("JI", "log10_calls") else 1
    if ours is None:
        return ""
    return f"{ours:.{digits}f}" + ("" if theirs is None else f" ({theirs:.{digits}f})")


def _interval(found: list[float], theirs: dict[str, str]) -> str:
    if not found:
        return ""
    import numpy as np

    low, median, high = np.quantile(found, (0.025, 0.5, 0.975))
    return f"{median:.2f} ({low:.2f}, {high:.2f}) [{theirs['median']} ({theirs['low']}, {theirs['high']})]"
