"""Bayesian-network structure learning: which variables of a table depend directly on which.

>>> import phgs
>>> data = phgs.datasets.load_alarm()
>>> result = phgs.learn(data.table, progress=False)
>>> phgs.compare(data.truth, result).jaccard > 0.5
True

`learn` does it in one call; the classes `PHGS`, `PPC`, `PC`, `Tabu`, … are learners in scikit-learn's protocol, and
`Hybrid` composes any of them. The pieces are public too: `independence_test`, `score`, `cluster_variables`,
`dag_to_cpdag`, `cpdag_to_dag`, `d_separated`, `compare`.
"""

from phgs import datasets
from phgs._core import __version__
from phgs.confidence import EdgeConfidence, PairConfidence, bootstrap
from phgs.data import (
    GaussianTable,
    IncompleteGaussianTable,
    IncompleteTable,
    Shards,
    Table,
    as_gaussian,
    as_table,
    discretize,
    gaussian_from_correlation,
    read_csv,
    shards,
)
from phgs.describe import Description, describe
from phgs.errors import (
    DataError,
    DegenerateColumnWarning,
    DocumentError,
    FewRowsWarning,
    GraphError,
    InternalError,
    KnowledgeError,
    ManyStatesWarning,
    MissingValuesWarning,
    NotFittedError,
    ParameterError,
    ParseError,
    PhgsWarning,
)
from phgs.functional import cluster_variables, distances, independence_test, score
from phgs.gaussian import conditional_independence_graph, sample_gaussian
from phgs.graphs import (
    AdjustmentDistances,
    Comparison,
    Graph,
    adjustment_distances,
    all_dags,
    as_dag,
    as_graph,
    compare,
    cpdag_to_dag,
    d_separated,
    dag_to_cpdag,
)
from phgs.knowledge import Knowledge
from phgs.learn import METHODS, learn, learner, markov_blanket
from phgs.learners import *  # noqa: F403  (its __all__ is the list of learners)
from phgs.learners import __all__ as _learners
from phgs.missingness import make_missing
from phgs.mixed_network import MixedNetwork
from phgs.network import Network, NetworkInfo, Prepared, networks, random_dag
from phgs.result import Result, result_schema
from phgs.verification import Verification, verify

__all__ = [
    "METHODS",
    "AdjustmentDistances",
    "Comparison",
    "DataError",
    "DegenerateColumnWarning",
    "Description",
    "DocumentError",
    "EdgeConfidence",
    "FewRowsWarning",
    "GaussianTable",
    "Graph",
    "GraphError",
    "IncompleteGaussianTable",
    "IncompleteTable",
    "InternalError",
    "Knowledge",
    "KnowledgeError",
    "ManyStatesWarning",
    "MissingValuesWarning",
    "MixedNetwork",
    "Network",
    "NetworkInfo",
    "NotFittedError",
    "PairConfidence",
    "ParameterError",
    "ParseError",
    "PhgsWarning",
    "Prepared",
    "Result",
    "Shards",
    "Table",
    "Verification",
    "__version__",
    "adjustment_distances",
    "all_dags",
    "as_dag",
    "as_gaussian",
    "as_graph",
    "as_table",
    "bootstrap",
    "cluster_variables",
    "compare",
    "conditional_independence_graph",
    "cpdag_to_dag",
    "d_separated",
    "dag_to_cpdag",
    "datasets",
    "describe",
    "discretize",
    "distances",
    "gaussian_from_correlation",
    "independence_test",
    "learn",
    "learner",
    "make_missing",
    "markov_blanket",
    "networks",
    "random_dag",
    "read_csv",
    "result_schema",
    "sample_gaussian",
    "score",
    "shards",
    "verify",
]
__all__ += _learners
