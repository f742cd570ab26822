"""One call from data to result, and the methods by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phgs.errors import ParameterError
from phgs.learners.local_learner import LocalLearner
from phgs.learners.registry import METHODS, named
from phgs.names import unknown

if TYPE_CHECKING:
    from phgs.data.frames import Name
    from phgs.learners.base import Learner
    from phgs.learners.neighbourhood import MarkovBlanket
    from phgs.result import Result

__all__ = ["METHODS", "learn", "learner", "markov_blanket"]


def learner(method: str = "auto", **parameters: Any) -> Learner:
    """Make the learner of a method by its name.

    Parameters
    ----------
    method
        One of `phgs.METHODS`. ``"auto"`` is `phgs.Auto`, the most accurate that we have proven; ``"phgs"`` is the
        paper's own method.
    **parameters
        Parameters of the learner. An unknown name raises an error that suggests similar ones.
    """
    found = named(method)
    known = found.learner._parameter_names()
    for name in parameters:
        if name not in known:
            raise ParameterError(f"{unknown('parameter', name, known)} (method {method!r})")
    return found.learner(**{**found.preset, **parameters})


def learn(data: Any, method: str = "auto", **parameters: Any) -> Result:
    """Learn the structure of a Bayesian network.

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads: a pandas, polars or pyarrow frame, a numpy array, a mapping of columns, the
        path of a CSV, Parquet or Feather file, or a `Table`. Which columns are numbers and which categories is found
        out (`Result.kinds`), unless ``kinds={"zip": "category"}`` says so of some; ``data_type="discrete"`` takes all
        for categories, and ``data_type="gaussian"`` all for jointly normal numbers.
    method
        One of `phgs.METHODS`. ``"auto"`` is `phgs.Auto`, the most accurate that we have proven; ``"phgs"`` is the
        paper's own method.
    **parameters
        Parameters of the method's learner, such as ``alpha=0.01``, ``threads=1``, ``missing="drop"`` or
        ``progress=False``.

    Returns
    -------
    Result
        The CPDAG, the DAG, and how they were found.

    Notes
    -----
    What ``"auto"`` runs: partitioned PC with stricter tests than the paper's (α = 0.001, at most two conditioning
    variables, adjusted degrees of freedom), PATH, HGI and tabu search with quotient NML with the support coded (of
    Gaussian data the extended BIC), then greedy equivalence search over all pairs, so that an edge that a test has
    missed can come back, then a search among orders of the variables, as far as ``effort`` says. Why these stages: of
    the methods that take seconds they had the highest mean Jaccard index over the paper's 20 tiled networks of about
    1,000 variables, and again over nine other networks that had no part in the choice (in brackets); this was with the
    extended BIC and ``effort="quick"``. Seconds are of one thread, 25,000 rows.

    ========  =============  =============  =============  ===========
    method    1,000 rows     5,000 rows     25,000 rows    seconds
    ========  =============  =============  =============  ===========
    auto      0.402 (0.411)  0.638 (0.563)  0.782 (0.650)  10.5 (14.2)
    phgs      0.160 (0.180)  0.352 (0.364)  0.559 (0.441)  6.1 (48.5)
    phgs-ges  0.387 (0.332)  0.588 (0.480)  0.741 (0.575)  14.5 (80.9)
    auto-bic  0.402          0.617          0.751          10.8
    ges-ebic  0.382 (0.394)  0.600 (0.552)  0.742 (0.621)  11.3 (9.9)
    ========  =============  =============  =============  ===========

    *auto-bic* is the same with BIC, *phgs-ges* the paper's pHGS followed by GES with BIC, *ges-ebic* GES with the
    extended BIC from the empty graph. Both studies are in the documentation.

    Why this score and the search among orders: they lift the mean Jaccard index at every number of rows. Over nine
    single networks and, in brackets, over three tiled ones:

    ============  =============  =============  ===========
    effort        1,000 rows     5,000 rows     25,000 rows
    ============  =============  =============  ===========
    quick, ebic   0.349 (0.499)  0.567 (0.699)  0.717
    quick, sqnml  0.455 (0.601)  0.663 (0.775)  0.768
    normal        0.475 (0.608)  0.680 (0.779)  0.831
    ============  =============  =============  ===========

    Examples
    --------
    >>> import phgs
    >>> data = phgs.datasets.load_alarm()
    >>> result = phgs.learn(data.table, progress=False)
    >>> result.method, result.dag.is_dag
    ('auto', True)
    """
    return learner(method, **parameters)._learn(data, stacklevel=3)


def markov_blanket(data: Any, target: Name, method: str = "iamb", **parameters: Any) -> MarkovBlanket:
    """Learn the Markov blanket of one variable: the variables given which it is independent of all others.

    A prediction of it needs nothing else. In a causal graph they are its parents, its children and the other parents of
    its children.

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads.
    target
        Name of the variable.
    method
        A local learner: ``"gs"``, ``"iamb"``, ``"inter-iamb"``, ``"iamb-fdr"`` or ``"fast-iamb"``, which learn
        blankets; or ``"mmpc"``, ``"hpc"``, ``"si-hiton-pc"``, ``"hiton-pc"`` or ``"getpc"``, which learn neighbours,
        to which the other parents of children are added.
    **parameters
        Parameters of the learner, such as ``alpha=0.01`` or ``max_conditioning_size=None``. Blankets have at most
        ``max_conditioning_size + 1`` members.

    Returns
    -------
    MarkovBlanket
        The names of the members, the number of tests and the seconds.

    Examples
    --------
    >>> import phgs
    >>> data = phgs.datasets.load_alarm()
    >>> "HR" in phgs.markov_blanket(data.table, "HRBP").names
    True
    """
    made = learner(method, **parameters)
    if not isinstance(made, LocalLearner):
        local = ", ".join(name for name in METHODS if issubclass(named(name).learner, LocalLearner))
        raise ParameterError(f"method: {method!r} learns no Markov blanket of one variable; choose one of {local}")
    return made._blanket(data, target)
