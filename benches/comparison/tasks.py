"""What is compared, with the settings that make it fair."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """A method that several packages have.

    Attributes
    ----------
    title, settings : str
        For the report: what it is, and what every package was asked for.
    data_type : str
        ``"discrete"``, ``"gaussian"`` or ``"mixed"``.
    packages : tuple of str
        Who has it; the first is phgs.
    searches : bool
        Whether it maximises a score, so that scores are compared; otherwise skeletons are.
    has_gaps : bool
        Whether it is for data with missing values.
    """

    title: str
    settings: str
    data_type: str
    packages: tuple[str, ...]
    searches: bool
    has_gaps: bool = False


_LOCAL = (
    "Neighbours of each variable by G² at α = 0.05 with classical df, conditioning sets of at most {}; an edge where"
    " both ends agree; v-structures by tests, then Meek's rules."
)

TASKS = {
    "pc": Task(
        "PC-stable, classical degrees of freedom",
        "G² at α = 0.05, conditioning sets of at most 3, df = (r − 1)(c − 1) ∏ q. PyBNesian has X² with the same df"
        " and no limit on conditioning sets. v-structures from separating sets (PyBNesian too).",
        "discrete",
        ("phgs", "bnlearn-port", "pybnesian"),
        searches=False,
    ),
    "pc-adjusted": Task(
        "PC-stable, adjusted degrees of freedom",
        "G² at α = 0.05, conditioning sets of at most 3, df counted over the states that occur in each stratum. pyAgrum"
        " has a rule of its own (one less for each empty cell). Tetrad's default rule.",
        "discrete",
        ("phgs", "bnlearn-port", "causal-learn", "pgmpy", "pyagrum", "tetrad"),
        searches=False,
    ),
    "hc": Task(
        "Hill-climbing, BIC",
        "From the empty graph: add, delete, reverse; no limit on parents. pgmpy's has a tabu list of 100 moves inside.",
        "discrete",
        ("phgs", "pybnesian", "bnlearn-port", "pgmpy", "pyagrum"),
        searches=True,
    ),
    "tabu": Task(
        "Tabu search, BIC",
        "From the empty graph; list of 100, 100 steps without a new best graph.",
        "discrete",
        ("phgs", "bnlearn-port", "pyagrum"),
        searches=True,
    ),
    "mmhc": Task(
        "MMHC, BIC",
        "MMPC at α = 0.05 with classical df (G²; PyBNesian X²), conditioning sets of at most 5 (PyBNesian: no limit),"
        " then plain hill-climbing.",
        "discrete",
        ("phgs", "pybnesian", "bnlearn-port"),
        searches=True,
    ),
    "h2pc": Task(
        "H2PC, BIC",
        "HPC at α = 0.05 with classical df (G²), conditioning sets of at most 4, then plain hill-climbing.",
        "discrete",
        ("phgs", "bnlearn-port"),
        searches=True,
    ),
    "mmpc": Task(
        "MMPC",
        _LOCAL.format(5) + " PyBNesian: X², no limit on conditioning sets.",
        "discrete",
        ("phgs", "pybnesian", "bnlearn-port"),
        searches=False,
    ),
    "si-hiton-pc": Task("SI-HITON-PC", _LOCAL.format(5), "discrete", ("phgs", "bnlearn-port"), searches=False),
    "fast-iamb": Task("Fast-IAMB", _LOCAL.format(5), "discrete", ("phgs", "bnlearn-port"), searches=False),
    "hpc": Task("HPC", _LOCAL.format(4), "discrete", ("phgs", "bnlearn-port"), searches=False),
    "boss": Task(
        "BOSS, BIC",
        "Best order score search with BIC (Tetrad: penalty discount 1).",
        "discrete",
        ("phgs", "tetrad"),
        searches=True,
    ),
    "best": Task(
        "The default of phgs, and the best that others offer",
        "phgs: the default method; phgs-refined: pHGS with adjusted df, then GES. bnlearn-port: H2PC (BIC), Tetrad:"
        " FGES (BIC). The other tables have more of theirs.",
        "discrete",
        ("phgs", "phgs-refined", "bnlearn-port", "tetrad"),
        searches=True,
    ),
    "gaussian-pc": Task(
        "PC-stable, Gaussian",
        "Fisher's z at α = 0.01, no limit on conditioning sets.",
        "gaussian",
        ("phgs", "causal-learn", "bnlearn-port", "pybnesian", "pgmpy"),
        searches=False,
    ),
    "gaussian-ges": Task(
        "GES, Gaussian BIC",
        "From the empty graph: insertions, deletions, turns (causal-learn: no turns). phgs-refined is tabu"
        " search, then BOSS, then GES; phgs-extended and xges are extended search. Penalty ½ log n for each parameter.",
        "gaussian",
        ("phgs", "phgs-refined", "phgs-extended", "ges", "causal-learn", "xges"),
        searches=True,
    ),
    "gaussian-hc": Task(
        "Hill-climbing, Gaussian BIC",
        "From the empty graph: add, delete, reverse; no limit on parents.",
        "gaussian",
        ("phgs", "pybnesian", "bnlearn-port"),
        searches=True,
    ),
    "gaussian-boss": Task(
        "BOSS, Gaussian BIC",
        "Best order score search with BIC (Tetrad: penalty discount 1; FLOP: a search of its own, λ = 1, 20 restarts).",
        "gaussian",
        ("phgs", "causal-learn", "tetrad", "flop"),
        searches=True,
    ),
    "gaussian-best": Task(
        "Linear models: the default of phgs beside the best of others",
        "phgs: the default method. flop: 20 restarts, λ = 2, as its authors recommend. xges: alpha = 2, its default."
        " tetrad: BOSS, tetrad-grasp: GRaSP, both with penalty discount 2, Tetrad's default. All these penalties, and"
        " that of phgs, are twice BIC's.",
        "gaussian",
        ("phgs", "flop", "xges", "tetrad", "tetrad-grasp"),
        searches=False,
    ),
    "mixed": Task(
        "Numbers beside categories",
        "phgs: the default method. phgs-cg: GES with the conditional Gaussian score. pybnesian: hill-climbing over"
        " conditional linear Gaussian networks by BIC, and bnlearn-port the same (bic-cg). tetrad-dg: FGES with the"
        " degenerate Gaussian score, tetrad-dg-boss: BOSS with it, tetrad-cg: FGES with the conditional Gaussian score,"
        " all with penalty discount 2, Tetrad's default, with which they are nearer to the truth than with 1."
        " causal-learn has no score and no quick test for such tables.",
        "mixed",
        ("phgs", "phgs-cg", "pybnesian", "bnlearn-port", "tetrad-dg", "tetrad-dg-boss", "tetrad-cg"),
        searches=False,
    ),
    "missing": Task(
        "Categories with values missing at random",
        "phgs: the default, which fills in from the graph. phgs-drop: the default on complete rows. bnlearn-port:"
        " structural EM (hill-climbing by BIC, imputation from parents, five rounds). pybnesian: hill-climbing by BIC,"
        " each local score from the rows that it has; pybnesian-pc: PC (X² at α = 0.05), each test likewise. tetrad: PC"
        " (G² at α = 0.05), likewise. causal-learn: PC (G² at α = 0.05) on complete rows.",
        "discrete",
        ("phgs", "phgs-drop", "bnlearn-port", "pybnesian", "pybnesian-pc", "tetrad", "causal-learn"),
        searches=False,
        has_gaps=True,
    ),
    "gaussian-missing": Task(
        "Gaussian data with values missing at random",
        "phgs: the default, which fills in from the graph. phgs-drop: the default on complete rows. bnlearn-port:"
        " structural EM (hill-climbing by BIC, imputation from parents, five rounds). pybnesian: hill-climbing by BIC,"
        " each local score from the rows that it has; pybnesian-pc: PC (Fisher's z at α = 0.01), each test likewise."
        " tetrad: PC (Fisher's z at α = 0.01), likewise. causal-learn: MVPC at α = 0.01. flop: λ = 2, 20 restarts, on"
        " complete rows.",
        "gaussian",
        ("phgs", "phgs-drop", "bnlearn-port", "pybnesian", "pybnesian-pc", "tetrad", "causal-learn", "flop"),
        searches=False,
        has_gaps=True,
    ),
}
