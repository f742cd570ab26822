"""The method and its settings in words, for the methods section of a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phgs.confidence import EdgeConfidence
    from phgs.result.result import Result

PAPER = (
    "Huang, J. and Zhou, Q. (2022). Partitioned hybrid learning of Bayesian network structures. Machine Learning 111."
)
_PC = (
    "Spirtes, P. and Glymour, C. (1991). An algorithm for fast recovery of sparse causal graphs. "
    "Social Science Computer Review 9."
)
_STABLE = (
    "Colombo, D. and Maathuis, M. H. (2014). Order-independent constraint-based causal structure learning. JMLR 15."
)
_GES = "Chickering, D. M. (2002). Optimal structure identification with greedy search. JMLR 3."
_MMHC = (
    "Tsamardinos, I., Brown, L. E. and Aliferis, C. F. (2006). The max-min hill-climbing Bayesian "
    "network structure learning algorithm. Machine Learning 65."
)
_HPC = (
    "Gasse, M., Aussem, A. and Elghazel, H. (2014). A hybrid algorithm for Bayesian network "
    "structure learning with application to multi-label learning. Expert Systems with Applications "
    "41."
)
_BOSS = (
    "Andrews, B. et al. (2023). Fast scalable and accurate discovery of DAGs using the best "
    "order score search and grow-shrink trees. NeurIPS."
)

_STRUCTURAL_EM = (
    "Friedman, N. (1997). Learning belief networks in the presence of missing values and hidden variables. ICML."
)

_METHODS: dict[str, tuple[str, tuple[str, ...]]] = {
    "auto": ("partitioned hybrid greedy search", (PAPER,)),
    "phgs": ("partitioned hybrid greedy search (pHGS)", (PAPER,)),
    "ppc": ("the partitioned PC algorithm (pPC) with PATH", (PAPER,)),
    "pc": ("the order-independent PC algorithm (PC-stable) with PATH", (_PC, _STABLE, PAPER)),
    "hc": ("hill-climbing", ()),
    "tabu": ("tabu search", ()),
    "mmpc": ("max-min parents and children (MMPC)", (_MMHC,)),
    "mmhc": ("max-min hill-climbing (MMHC)", (_MMHC,)),
    "mmhc-hgi": ("max-min hill-climbing (MMHC) from a hybrid greedy start (HGI)", (_MMHC, PAPER)),
    "hpc": ("hybrid parents and children (HPC)", (_HPC,)),
    "h2pc": ("the hybrid H2PC algorithm", (_HPC,)),
    "h2pc-hgi": ("the hybrid H2PC algorithm from a hybrid greedy start (HGI)", (_HPC, PAPER)),
    "fast-iamb": (
        "Fast-IAMB",
        (
            "Yaramakala, S. and Margaritis, D. (2005). Speculative Markov blanket discovery for optimal"
            " feature selection. ICDM.",
        ),
    ),
    "si-hiton-pc": (
        "semi-interleaved HITON-PC",
        (
            "Aliferis, C. F. et al. (2010). Local causal and Markov blanket induction for causal "
            "discovery and feature selection for classification. JMLR 11.",
        ),
    ),
    "pef": (
        "partition, estimation and fusion (PEF)",
        (
            "Gu, J. and Zhou, Q. (2020). Learning big Gaussian Bayesian networks: partition, estimation"
            " and fusion. JMLR 21.",
        ),
    ),
    "ges": ("greedy equivalence search (GES)", (_GES,)),
    "boss": ("best order score search (BOSS)", (_BOSS,)),
}
_IAMB = (
    "Tsamardinos, I., Aliferis, C. F. and Statnikov, A. (2003). Algorithms for large scale Markov blanket discovery."
    " FLAIRS."
)
_METHODS |= {
    "gs": (
        "Grow-Shrink (GS)",
        ("Margaritis, D. and Thrun, S. (2000). Bayesian network induction via local neighborhoods. NIPS 12.",),
    ),
    "iamb": ("incremental association Markov blankets (IAMB)", (_IAMB,)),
    "inter-iamb": ("interleaved incremental association Markov blankets (Inter-IAMB)", (_IAMB,)),
    "iamb-fdr": (
        "incremental association Markov blankets with control of the false discovery rate (IAMB-FDR)",
        (
            "Peña, J. M. (2008). Learning Gaussian graphical models of gene networks with false discovery rate control."
            " EvoBIO.",
        ),
    ),
    "hiton-pc": (
        "HITON-PC",
        (
            "Aliferis, C. F., Tsamardinos, I. and Statnikov, A. (2003). HITON: a novel Markov blanket algorithm for"
            " optimal variable selection. AMIA.",
        ),
    ),
    "getpc": (
        "GetPC",
        (
            "Peña, J. M., Nilsson, R., Björkegren, J. and Tegnér, J. (2007). Towards scalable and data efficient"
            " learning of Markov boundaries. International Journal of Approximate Reasoning 45.",
        ),
    ),
}
_ARGES = (
    "Nandy, P., Hauser, A. and Maathuis, M. H. (2018). High-dimensional consistency in score-based "
    "and hybrid structure learning. Annals of Statistics 46."
)
for _name in ("arges", "arges-hgi"):
    _METHODS[_name] = ("adaptively restricted greedy equivalence search (ARGES)", (_ARGES,))

_TESTS = {
    "g2": "the G² test",
    "x2": "Pearson's χ² test",
    "fisher-z": "Fisher's z-test of partial correlations",
    "mixed-lr": "the likelihood-ratio test of embedded numbers and categories",
}
_SCORES = {
    "bic": "the Bayesian information criterion (BIC)",
    "ebic": "the extended BIC",
    "qnml": "quotient normalized maximum likelihood",
    "sqnml": "quotient normalized maximum likelihood with the support coded",
    "aic": "Akaike's information criterion (AIC)",
    "loglik": "the log-likelihood",
    "bdeu": "the BDeu score",
    "k2": "the K2 score",
    "gaussian-bic": "the Gaussian BIC",
    "gaussian-ebic": "the Gaussian extended BIC",
    "mixed-bic": "the BIC of embedded numbers and categories",
    "mixed-ebic": "the extended BIC of embedded numbers and categories",
    "cg": "the conditional Gaussian score",
}
_RULES = {
    "conservative": "Colliders were oriented conservatively.",
    "majority": "Colliders were oriented by the majority rule.",
    "max-p": "Colliders were oriented by the separating set with the largest p-value.",
}


def references(result: Result) -> list[str]:
    """Return the papers behind a method, and the one whose methods the package implements."""
    found = [*_described(result)[1], PAPER]
    if result.missing is not None and result.missing.method == "em":
        found.append(_STRUCTURAL_EM)
    return list(dict.fromkeys(found))


def _searched_alone(result: Result) -> bool:
    """Whether the default method made no tests, as on mixed data whose numbers are embedded."""
    used = result.parameters
    return result.method == "auto" and used.get("data_type") == "mixed" and used.get("numbers") != "groups"


def _described(result: Result) -> tuple[str, tuple[str, ...]]:
    """Return the name of a method and the papers that describe it."""
    name, cited = _METHODS.get(result.method, (f"the method '{result.method}'", ()))
    used = result.parameters
    if result.method != "auto" or used.get("refine") is not None:
        return name, cited
    if _searched_alone(result):
        name, cited = "greedy equivalence search", (_GES,)
        if used.get("effort") == "quick":
            return name, cited
        again = " with random restarts" if used.get("effort") == "thorough" else ""
        return f"{name} followed by best order score search{again}", (*cited, _BOSS)
    if used.get("effort") == "quick":
        return f"{name} followed by greedy equivalence search", (*cited, _GES)
    again = " with random restarts" if used.get("effort") == "thorough" else ""
    return f"{name} followed by greedy equivalence search and best order score search{again}", (*cited, _GES, _BOSS)


def methods_paragraph(result: Result, confidence: EdgeConfidence | None = None) -> str:
    """Write the method and its settings as a paragraph of plain sentences."""
    used = result.parameters
    name, cited = _described(result)
    by = "; ".join(_short(reference) for reference in cited)
    kind = {"gaussian": "continuous", "mixed": "mixed"}.get(str(used.get("data_type")), "categorical")
    sentences = [
        f"The structure of a Bayesian network over {len(result.variables):,} {kind} variables was learned from"
        f" {_rows(result)} by {name}{f' ({by})' if by else ''}, as implemented in phgs {result.version}."
    ]
    if used.get("data_type") == "mixed" and "number" in result.kinds.values():
        from phgs.result.summary import counted_kinds

        sentences.append(f"They were taken for {counted_kinds(result.kinds)}.")
        if used.get("numbers") == "groups":
            sentences.append("The numbers were cut into groups by what these tell of the other variables.")
    if result.clusters is not None:
        of = len(set(result.clusters.values()))
        how = "given in advance" if used.get("clusters") is not None else f"of at most {used.get('max_clusters')}"
        sentences.append(
            f"The variables were partitioned into {of:,} clusters ({how})"
            + ("." if used.get("clusters") is not None else " by average linkage of their mutual information.")
        )
    if "alpha" in used and not _searched_alone(result):
        sentences.append(_testing(result))
    if result.path is not None and len(result.path) > 1:
        chosen = result.selected
        sentences.append(
            f"PATH compared the estimates at {len(result.path)} significance levels from {result.path[0].alpha:.3g}"
            f" down to {result.path[-1].alpha:.3g} by their score"
            + ("." if chosen is None else f" and chose {chosen.alpha:.3g}.")
        )
    if result.score is not None or "score" in used:
        sentences.append(_scoring(result))
    if used.get("max_parents") is not None:
        sentences.append(f"A variable had at most {used['max_parents']} parents.")
    if (rule := _RULES.get(str(used.get("collider_rule")))) is not None:
        sentences.append(rule)
    if result.weights is not None:
        sentences.append(
            "Rows had sampling weights; tests and scores used the weighted table scaled to Kish's effective number of"
            f" rows, {result.weights.effective_rows:,.1f}."
        )
    if result.knowledge is not None:
        from phgs.result.summary import _known

        sentences.append(f"Background knowledge was imposed: {_known(result.knowledge)}.")
    if result.isolated:
        sentences.append(f"{_several(len(result.isolated))} kept isolated, with fewer than five rows per state.")
    if result.identifiers:
        sentences.append(
            f"{_several(len(result.identifiers))} left out of all tests, with fewer than five rows per state; the score"
            " alone decided of their edges."
        )
    directed, undirected = len(result.cpdag.directed), len(result.cpdag.undirected)
    sentences.append(
        f"The learned CPDAG has {result.cpdag.n_edges:,} edges, {directed:,} directed and {undirected:,} undirected; an"
        " undirected edge is one whose direction the data cannot tell."
    )
    if not result.complete:
        limit = used.get("time_limit")
        sentences.append(f"The time limit{'' if limit is None else f' of {limit:g} s'} ended the search early.")
    if confidence is not None:
        sentences.append(
            f"The stability of edges was assessed on {confidence.n_replicates:,} bootstrap replicates of"
            f" {confidence.n_rows:,} rows learned by '{confidence.method}' (seed {confidence.seed})."
        )
    return " ".join(sentences)


def _several(n: int) -> str:
    return "One variable was" if n == 1 else f"{n:,} variables were"


def _short(reference: str) -> str:
    authors, _, rest = reference.partition(" (")
    names = [part for part in authors.replace(" and ", ", ").split(", ") if "." not in part]
    shown = f"{names[0]} et al." if len(names) > 2 or "et al" in authors else " and ".join(names)
    return f"{shown} {rest[:4]}"


def _rows(result: Result) -> str:
    from phgs.result.summary import counting

    counted = counting(result.parameters)
    return f"{_used_rows(result)}{counted}{',' if counted else ''}"


def _used_rows(result: Result) -> str:
    missing = result.parameters.get("missing")
    if result.n_rows_read > result.n_rows:
        return f"{result.n_rows:,} complete rows of {result.n_rows_read:,}"
    if missing == "testwise":
        return f"{result.n_rows:,} rows, of which each test used those complete in its own variables,"
    if missing == "level":
        return f"{result.n_rows:,} rows, a missing value being a state of its own,"
    if result.missing is not None and result.missing.method == "em":
        return (
            f"{result.n_rows:,} rows, of whose values {100 * result.missing.share:.2g} % were missing and were filled"
            f" in from the learned graph in {result.missing.rounds} rounds of structural EM (Friedman 1997), on the"
            " assumption that they are missing at random given what is seen,"
        )
    return f"{result.n_rows:,} rows"


def _testing(result: Result) -> str:
    used: dict[str, Any] = result.parameters
    # A test that a user wrote has its own name.
    test = _TESTS.get(str(used.get("test", "g2")), f"the test '{used.get('test')}'")
    degrees = ""
    if used.get("degrees_of_freedom") == "adjusted" and used.get("test") in ("g2", "x2"):
        degrees = " with degrees of freedom counted over the states that occur"
    size = used.get("max_conditioning_size")
    limit = "without a limit on conditioning sets" if size is None else f"given at most {size} variables"
    return f"Conditional independence was tested by {test}{degrees} at the level {used['alpha']:g}, {limit}."


def _scoring(result: Result) -> str:
    used = result.parameters
    name = result.score.name if result.score is not None else str(used.get("score"))
    score = _SCORES.get(name, f"the score '{name}'")
    details = []
    if name.endswith("bic") and used.get("penalty") not in (None, 0.5):
        details.append(f"penalty {used['penalty']:g}")
    if name.endswith("ebic") and used.get("gamma") is not None:
        details.append(f"γ = {used['gamma']:g}")
    if name == "bdeu" and used.get("equivalent_sample_size") is not None:
        details.append(f"equivalent sample size {used['equivalent_sample_size']:g}")
    text = f"Graphs were scored by {score}" + (f" ({', '.join(details)})" if details else "")
    if result.score is not None:
        text += f"; the learned DAG has {result.score.value:,.3f}"
    return text + "."
