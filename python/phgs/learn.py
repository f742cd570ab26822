"""One call from data to result, and the methods by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from phgs.errors import ParameterError
from phgs.learners import (
    ARGES,
    BOSS,
    GES,
    GSC,
    H2PC,
    HPC,
    MMHC,
    MMPC,
    PC,
    PEF,
    PHGS,
    PPC,
    Auto,
    FastIAMB,
    HillClimbing,
    SIHitonPC,
    Tabu,
)
from phgs.names import unknown

if TYPE_CHECKING:
    from phgs.learners.base import Learner
    from phgs.result import Result

_LEARNERS: dict[str, tuple[Callable[..., Learner], dict[str, Any]]] = {
    "auto": (Auto, {}),
    "phgs": (PHGS, {}),
    "ppc": (PPC, {}),
    "pc": (PC, {}),
    "hc": (HillClimbing, {}),
    "tabu": (Tabu, {}),
    "mmpc": (MMPC, {}),
    "hpc": (HPC, {}),
    "fast-iamb": (FastIAMB, {}),
    "si-hiton-pc": (SIHitonPC, {}),
    "mmhc": (MMHC, {}),
    "h2pc": (H2PC, {}),
    "mmhc-hgi": (MMHC, {"init": "hgi"}),
    "h2pc-hgi": (H2PC, {"init": "hgi"}),
    "gsc": (GSC, {}),
    "pef": (PEF, {}),
    "ges": (GES, {}),
    "arges": (ARGES, {}),
    "arges-hgi": (ARGES, {"init": "hgi"}),
    "boss": (BOSS, {}),
}

METHODS = tuple(_LEARNERS)
"""Names of the methods."""


def learner(method: str = "auto", **parameters: Any) -> Learner:
    """Make the learner of a method by its name.

    Parameters
    ----------
    method
        One of `phgs.METHODS`. ``"auto"`` is `phgs.Auto`, the most accurate that we have proven; ``"phgs"`` is the
        paper's own method.
    **parameters
        Parameters of the learner; an unknown one raises and names near ones.
    """
    if method not in _LEARNERS:
        raise ParameterError(f"method: {unknown('method', method, METHODS)}")
    make, preset = _LEARNERS[method]
    known = inspect.signature(make).parameters
    for name in parameters:
        if name not in known:
            raise ParameterError(f"{unknown('parameter', name, known)} (method {method!r})")
    return make(**{**preset, **parameters})


def learn(data: Any, method: str = "auto", **parameters: Any) -> Result:
    """Learn the structure of a Bayesian network.

    Parameters
    ----------
    data
        Any data that `phgs.as_table` reads: a pandas, polars or pyarrow frame, a numpy array, a mapping of columns, the
        path of a CSV, Parquet or Feather file, or a `Table`. All columns are categorical, unless
        ``data_type="gaussian"`` says that they are jointly normal.
    method
        One of `phgs.METHODS`. ``"auto"`` is `phgs.Auto`, the most accurate that we have proven; ``"phgs"`` is the
        paper's own method.
    **parameters
        Parameters of the method's learner, such as ``alpha=0.01``, ``threads=1``, ``missing="drop"`` or
        ``progress=False``.

    Returns
    -------
    Result
        The CPDAG, the DAG, and how they came about.

    Examples
    --------
    >>> import phgs
    >>> data = phgs.datasets.load_alarm()
    >>> result = phgs.learn(data.table, progress=False)
    >>> result.method, result.dag.is_dag
    ('auto', True)
    """
    return learner(method, **parameters)._learn(data, stacklevel=3)
