"""Types of the compiled core; private."""

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypedDict, final, type_check_only

import numpy as np
from numpy.typing import NDArray

MAX_PLANE_ARITY: int
__version__: str

class ParameterError(ValueError): ...
class DataError(ValueError): ...
class GraphError(ValueError): ...
class KnowledgeError(ValueError): ...
class ParseError(ValueError): ...
class InternalError(RuntimeError): ...

@final
class CategoricalDataset:
    def __new__(cls, columns: Sequence[_StateCodes], arities: Sequence[int]) -> CategoricalDataset: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_variables(self) -> int: ...
    @property
    def arities(self) -> list[int]: ...
    def codes(self) -> list[NDArray[np.uint8] | NDArray[np.uint16]]: ...

def available_threads() -> int: ...
def encode_integers(array: NDArray[np.integer[Any]], /) -> tuple[NDArray[np.uint8] | NDArray[np.uint16], list[int]]: ...

_Pairs = list[tuple[int, int]]
_Edges = tuple[_Pairs, _Pairs]
_EdgeArray = NDArray[np.uint32]
_Progress = Callable[[str, int, int], object]

@final
class PackedColumn:
    def __new__(cls, planes: bytes, n_rows: int, arity: int) -> PackedColumn: ...
    @classmethod
    def mapped(cls, file: MappedFile, start: int, n_rows: int, arity: int) -> PackedColumn: ...
    def __len__(self) -> int: ...
    @property
    def n_states(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def unpacked(self) -> NDArray[np.uint8]: ...
    def counts(self) -> list[int]: ...
    def renumbered(self, new: Sequence[int], arity: int) -> PackedColumn: ...
    def planes(self) -> list[bytes]: ...

@final
class ColumnPacker:
    def __new__(cls, n_rows: int) -> ColumnPacker: ...
    def add(self, codes: NDArray[np.uint8]) -> None: ...
    def whole(self) -> PackedColumn: ...

@final
class MappedFile:
    def __new__(cls, path: str | os.PathLike[str]) -> MappedFile: ...

_StateCodes = NDArray[np.uint8] | NDArray[np.uint16] | PackedColumn

@final
class WeightedDataset:
    def __new__(
        cls,
        columns: Sequence[NDArray[np.uint8] | NDArray[np.uint16]],
        arities: Sequence[int],
        weights: NDArray[np.float64],
    ) -> WeightedDataset: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_variables(self) -> int: ...
    @property
    def effective_rows(self) -> float: ...

@final
class IncompleteDataset:
    def __new__(
        cls, columns: Sequence[NDArray[np.uint8] | NDArray[np.uint16]], arities: Sequence[int]
    ) -> IncompleteDataset: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_variables(self) -> int: ...

@final
class GaussianDataset:
    @staticmethod
    def from_columns(
        columns: Sequence[NDArray[np.float64]],
        threads: int,
        isolate: bool = False,
        weights: NDArray[np.float64] | None = None,
    ) -> GaussianDataset: ...
    @property
    def effective_rows(self) -> float: ...
    def degenerate(self) -> list[int]: ...
    @staticmethod
    def from_correlation(matrix: NDArray[np.float64], n_rows: int) -> GaussianDataset: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_variables(self) -> int: ...
    def correlations(self) -> NDArray[np.float64]: ...
    def log_variances(self) -> list[float]: ...
    @staticmethod
    def from_moments(
        correlations: NDArray[np.float64], log_variances: Sequence[float], n_rows: int
    ) -> GaussianDataset: ...
    def collinear(self) -> list[tuple[int, list[int]]]: ...

_Column = NDArray[np.float64] | NDArray[np.uint8] | NDArray[np.uint16]

@final
class MixedDataset:
    def __new__(
        cls,
        columns: Sequence[_Column],
        arities: Sequence[int],
        ranks: bool,
        powers: int,
        keep_rows: bool,
        weights: NDArray[np.float64] | None,
        threads: int,
    ) -> MixedDataset: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def effective_rows(self) -> float: ...
    @property
    def n_variables(self) -> int: ...
    @property
    def widths(self) -> list[int]: ...
    def groups(
        self,
        columns: Sequence[_Column],
        arities: Sequence[int],
        numbers: Sequence[int],
        apart: Sequence[int],
        threads: int,
    ) -> tuple[list[NDArray[np.uint8]], list[list[tuple[float, float]]], float]: ...
    def copies(self) -> list[tuple[int, int]]: ...
    def correlations(self) -> NDArray[np.float64]: ...

@final
class SourceDataset:
    def __new__(
        cls, n_rows: int, arities: Sequence[int], ask: Ask, known: Sequence[int] | None = None
    ) -> SourceDataset: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_variables(self) -> int: ...

@final
class PartCounter:
    def __new__(cls, columns: Sequence[_StateCodes], arities: Sequence[int]) -> PartCounter: ...
    def tables(self, members: NDArray[np.uint32], starts: NDArray[np.uint64], threads: int) -> NDArray[np.uint32]: ...
    def cells(
        self, variables: NDArray[np.uint32]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint32]]: ...

@final
class NumberPart:
    def __new__(cls) -> NumberPart: ...
    def push(self, column: NDArray[np.float64]) -> None: ...
    def ranges(self) -> tuple[list[float], list[float]]: ...
    def sums(self, centrings: NDArray[np.float64]) -> NDArray[np.uint64]: ...
    def multiply(self, centrings: NDArray[np.float64], seconds: float, threads: int) -> int: ...
    def products(self) -> NDArray[np.uint64]: ...

@final
class NumberSums:
    CHUNK: int
    def __new__(cls, n_rows: int, ranges: Sequence[tuple[list[float], list[float]]]) -> NumberSums: ...
    @property
    def centrings(self) -> NDArray[np.float64]: ...
    def centre(self, sums: Sequence[NDArray[np.uint64]]) -> None: ...
    def means(self) -> list[float]: ...
    def dataset(self, products: Sequence[NDArray[np.uint64]]) -> GaussianDataset: ...

@type_check_only
class Ask(Protocol):
    def tables(
        self, members: NDArray[np.uint32], starts: NDArray[np.uint64], cancelled: Callable[[], bool], /
    ) -> NDArray[np.uint32]: ...
    def cells(
        self, variables: NDArray[np.uint32], cancelled: Callable[[], bool], /
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint32]]: ...

Dataset = CategoricalDataset | WeightedDataset | IncompleteDataset | GaussianDataset | MixedDataset | SourceDataset
_Data = Dataset

# What is learned, and how: made by phgs.choices, phgs.learners.stages and phgs.knowledge.

@type_check_only
class MinimumSample(TypedDict):
    rows: float
    per: str
    verdict: str

@type_check_only
class ContingencyTest(TypedDict):
    name: str
    degrees_of_freedom: str
    minimum_sample: MinimumSample | None

@type_check_only
class NumericTest(TypedDict):
    name: Literal["fisher-z", "mixed-lr"]

@type_check_only
class OwnTest(TypedDict):
    name: Literal["own"]
    function: Callable[[int, int, list[int]], tuple[float, float, float]]

Test = ContingencyTest | NumericTest | OwnTest

@type_check_only
class Score(TypedDict):
    name: str

@type_check_only
class PenalisedScore(Score):
    penalty: float

@type_check_only
class ExtendedScore(PenalisedScore):
    gamma: float

@type_check_only
class MixedScore(PenalisedScore):
    gamma: float | None
    exact: Literal["none", "bic", "sqnml"]

@type_check_only
class QuotientNML(Score):
    gamma: float

@type_check_only
class BDeu(Score):
    equivalent_sample_size: float

@type_check_only
class OwnScore(Score):
    function: Callable[[int, list[int]], float]
    equivalent: bool

AnyScore = Score | PenalisedScore | ExtendedScore | MixedScore | QuotientNML | BDeu | OwnScore

@type_check_only
class NoRestriction(TypedDict):
    kind: Literal["none"]

@type_check_only
class PartitionedPC(TypedDict):
    kind: Literal["ppc", "pef"]
    max_tests: int | None
    alpha: float
    max_conditioning_size: int | None
    clustered: bool
    labels: list[int] | None

@type_check_only
class Neighbourhoods(TypedDict):
    kind: Literal["neighbourhoods"]
    learner: str
    alpha: float
    max_conditioning_size: int | None

@type_check_only
class GivenSkeleton(TypedDict):
    kind: Literal["given"]
    edges: NDArray[np.int64]

Restriction = NoRestriction | PartitionedPC | Neighbourhoods | GivenSkeleton

@type_check_only
class Path(TypedDict):
    path_length: int
    min_alpha: float

@type_check_only
class SeparatingSets(TypedDict):
    kind: Literal["separating-sets"]

@type_check_only
class DecidedColliders(TypedDict):
    kind: Literal["decided"]
    rule: str
    max_conditioning_size: int | None

@type_check_only
class TestedColliders(TypedDict):
    kind: Literal["tested"]
    alpha: float
    max_conditioning_size: int | None

Colliders = SeparatingSets | DecidedColliders | TestedColliders

@type_check_only
class EmptyStart(TypedDict):
    kind: Literal["empty"]

@type_check_only
class GivenStart(TypedDict):
    kind: Literal["given"]
    arcs: _Pairs

@type_check_only
class CollidersStart(TypedDict):
    kind: Literal["oriented", "hgi"]
    colliders: Colliders

Initialisation = EmptyStart | GivenStart | CollidersStart

@type_check_only
class TabuList(TypedDict):
    length: int
    patience: int

@type_check_only
class Restarts(TypedDict):
    count: int
    perturbations: int
    seed: int

@type_check_only
class DagSearch(TypedDict):
    kind: Literal["hill-climbing"]
    tabu: TabuList | None
    restarts: Restarts | None
    ties: str
    max_parents: int | None
    max_iterations: int | None

@type_check_only
class EquivalenceSearch(TypedDict):
    kind: Literal["ges"]
    forward: bool
    backward: bool
    turning: bool
    schedule: str
    adaptive: str
    screen: float | None
    max_parents: int | None
    budget: int | None

@type_check_only
class OrderSearch(TypedDict):
    kind: Literal["boss"]
    growing: bool
    narrowing: bool
    incremental: bool
    order_from_data: bool
    backward: bool
    restarts: Restarts | None
    restart_share: int | None
    budget: int | None
    screen: float | None
    max_parents: int | None

Search = DagSearch | EquivalenceSearch | OrderSearch

@type_check_only
class DagRefinement(TypedDict):
    kind: Literal["free", "growing"]
    search: DagSearch

Refinement = DagRefinement | EquivalenceSearch | OrderSearch

@type_check_only
class Composition(TypedDict):
    restrict: Restriction
    select: Path
    initialise: Initialisation
    maximise: Search | None
    refine: list[Refinement]
    max_parents: int | None

@type_check_only
class Knowledge(TypedDict):
    required: _Pairs
    required_edges: _Pairs
    forbidden: _Pairs
    tiers: list[int | None]

# What comes back.

@type_check_only
class PathPoint(TypedDict):
    alpha: float
    edges: int
    score: float
    extendable: bool
    selected: bool

@type_check_only
class Triple(TypedDict):
    x: int
    centre: int
    y: int

@type_check_only
class Stage(TypedDict):
    name: str
    edges: int
    score: float | None
    seconds: float

@type_check_only
class Separations(TypedDict):
    x: NDArray[np.uint32]
    y: NDArray[np.uint32]
    log_p: NDArray[np.float64]
    starts: NDArray[np.uint64]
    members: NDArray[np.uint32]

@type_check_only
class Outcome(TypedDict):
    dag: _EdgeArray | None
    cpdag: tuple[_EdgeArray, _EdgeArray]
    extendable: bool
    directed: bool
    score: float | None
    local_scores: list[float]
    path: list[PathPoint] | None
    conflicts: list[Triple]
    n_conflicts: int
    undecided: list[Triple]
    n_undecided: int
    clusters: list[int] | None
    complete: bool
    stages: list[Stage]
    calls: dict[str, int]
    seconds: dict[str, float]
    separations: Separations | None
    test: str
    decided_by_minimum_sample: int

@type_check_only
class InformativeRows(TypedDict):
    used: int
    strata: int
    informative_strata: int
    informative: int

@type_check_only
class Tested(TypedDict):
    statistic: float
    degrees_of_freedom: float
    log_p_value: float
    test: str
    too_sparse: bool
    rows: InformativeRows | None

@type_check_only
class Neighbour(TypedDict):
    variable: int
    log_p_value: float
    weakest_set: list[int]

@type_check_only
class Neighbourhood(TypedDict):
    neighbours: list[Neighbour]
    calls: int
    test: str

@type_check_only
class Blanket(TypedDict):
    variables: list[int]
    calls: int
    test: str

@type_check_only
class ScoredDag(TypedDict):
    value: float
    local: list[float]
    name: str
    n_parameters: float | None

@type_check_only
class Compared(TypedDict):
    learned_edges: int
    true_edges: int
    true_positives: int
    wrong_directions: int
    reversed: int
    direction_lost: int
    direction_invented: int
    false_positives: int
    false_negatives: int
    shd: int
    jaccard: float
    precision: float | None
    recall: float | None
    skeleton_precision: float | None
    skeleton_recall: float | None
    directed: tuple[int, int, int]
    undirected: tuple[int, int, int]

def copies(dataset: _Data) -> list[list[int]]: ...
def determined(dataset: _Data, variables: Sequence[int]) -> list[tuple[int, int]]: ...
def learn(
    dataset: _Data,
    *,
    test: Test,
    score: AnyScore | None,
    composition: Composition,
    knowledge: Knowledge | None,
    isolated: Sequence[int],
    untested: Sequence[int],
    cluster: Callable[[NDArray[np.float64]], NDArray[np.uint32]],
    threads: int,
    time_limit: float | None,
    progress: _Progress | None,
) -> Outcome: ...
def neighbourhood(
    dataset: _Data,
    target: int,
    *,
    test: Test,
    local: Neighbourhoods,
    knowledge: Knowledge | None,
    isolated: Sequence[int],
    threads: int,
    progress: _Progress | None,
) -> Neighbourhood: ...
def markov_blanket(
    dataset: _Data,
    target: int,
    *,
    test: Test,
    local: Neighbourhoods,
    knowledge: Knowledge | None,
    isolated: Sequence[int],
    threads: int,
    progress: _Progress | None,
) -> Blanket: ...
def fill_categories(
    dataset: IncompleteDataset,
    completed: CategoricalDataset | None,
    arcs: _Pairs,
    *,
    sweeps: int,
    seed: int,
    threads: int,
    time_limit: float | None,
    weights: NDArray[np.float64] | None = None,
) -> CategoricalDataset: ...
def fill_numbers(
    columns: Sequence[NDArray[np.float64]],
    completed: Sequence[NDArray[np.float64]] | None,
    arcs: _Pairs,
    *,
    sweeps: int,
    seed: int,
    threads: int,
    time_limit: float | None,
    weights: NDArray[np.float64] | None = None,
) -> list[NDArray[np.float64]]: ...
def fill_mixed(
    columns: Sequence[_Column],
    arities: Sequence[int],
    completed: Sequence[_Column] | None,
    arcs: _Pairs,
    *,
    ranks: bool,
    powers: int,
    sweeps: int,
    seed: int,
    threads: int,
    time_limit: float | None,
    weights: NDArray[np.float64] | None = None,
) -> list[NDArray[Any]]: ...
def sample_gaussian(
    n_variables: int, arcs: _Pairs, n_rows: int, seed: int, threads: int
) -> list[NDArray[np.float64]]: ...
def independence_test(dataset: _Data, x: int, y: int, given: list[int], test: Test) -> Tested: ...
def tables(
    dataset: CategoricalDataset, members: NDArray[np.uint32], starts: NDArray[np.uint64], threads: int
) -> NDArray[np.uint64]: ...
def effects(
    counts: NDArray[np.uint64],
    members: NDArray[np.uint32],
    starts: NDArray[np.uint64],
    arities: list[int],
    adjusted: bool,
) -> list[NDArray[np.float64]]: ...
def distances(dataset: _Data, threads: int) -> NDArray[np.float64]: ...
def distances_of_incomplete(
    columns: Sequence[_Column],
    arities: Sequence[int],
    ranks: bool,
    powers: int,
    threads: int,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]: ...
def score(dataset: _Data, arcs: _Pairs, score: AnyScore, threads: int) -> ScoredDag: ...
def score_gains(dataset: _Data, arcs: _Pairs, score: AnyScore, threads: int) -> list[float]: ...
def compare(n: int, truth: _Edges, learned: _Edges) -> Compared: ...
def dag_to_cpdag(arcs: _Pairs, names: list[str]) -> _Edges: ...
def dag_to_cpdag_under(arcs: _Pairs, names: list[str], knowledge: Knowledge) -> _Edges: ...
def cpdag_to_dag(graph: _Edges, names: list[str]) -> _Pairs: ...
def forced_dag(n: int, graph: _Edges) -> _Pairs: ...
def members(n: int, graph: _Edges, limit: int) -> list[_Pairs]: ...
def check_acyclic(arcs: _Pairs, names: list[str]) -> None: ...
def layered(
    widths: list[float], arcs: _Pairs, edges: _Pairs
) -> tuple[NDArray[np.float64], tuple[NDArray[np.float64], NDArray[np.uint32]]]: ...
def force(n: int, pairs: _Pairs) -> NDArray[np.float64]: ...
def downward_order(n: int, arcs: _Pairs, edges: _Pairs) -> list[int]: ...
def separate(places: NDArray[np.float64], halves: NDArray[np.float64]) -> NDArray[np.float64]: ...
def d_separated(arcs: _Pairs, names: list[str], x: int, y: int, given: list[int]) -> bool: ...

_Codes = NDArray[np.uint8] | NDArray[np.uint16]

@final
class Network:
    def __new__(
        cls,
        name: str,
        names: Sequence[str],
        states: Sequence[Sequence[str]],
        parents: Sequence[Sequence[int]],
        tables: Sequence[Sequence[float]],
    ) -> Network: ...
    @staticmethod
    def from_bif(
        text: str, tolerance: float | None = None, max_entries: int | None = None
    ) -> tuple[Network, list[tuple[int, int, int]]]: ...
    def to_bif(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def states(self) -> list[list[str]]: ...
    @property
    def parents(self) -> list[list[int]]: ...
    @property
    def n_parameters(self) -> int: ...
    def table(self, x: int) -> NDArray[np.float64]: ...
    def renamed(self, name: str) -> Network: ...
    def reordered(self, order: Sequence[int]) -> Network: ...
    def permuted(self, seed: int) -> Network: ...
    def sample(self, n_rows: int, seed: int, threads: int) -> list[_Codes]: ...
    def marginals(self, threads: int) -> tuple[list[NDArray[np.float64]], list[bool]]: ...
    def prepare(self, max_states: int, seed: int, threads: int) -> tuple[Network, list[str], int, list[str]]: ...
    def tile(self, copies: int, seed: int, threads: int) -> tuple[Network, int, int]: ...
    @staticmethod
    def tile_all(
        networks: Sequence[Network], random_order: bool, seed: int, threads: int
    ) -> tuple[Network, int, int]: ...
    @staticmethod
    def learn_parameters(
        dataset: CategoricalDataset | WeightedDataset,
        arcs: _Pairs,
        names: Sequence[str],
        states: Sequence[Sequence[str]],
        equivalent_sample_size: float | None,
        threads: int,
    ) -> Network: ...
    @staticmethod
    def learn_parameters_em(
        dataset: IncompleteDataset,
        arcs: _Pairs,
        names: list[str],
        states: list[list[str]],
        equivalent_sample_size: float | None,
        threads: int,
        weights: NDArray[np.float64] | None = None,
    ) -> Network: ...
    @staticmethod
    def random(n_variables: int, arcs: _Pairs, states: tuple[int, int], concentration: float, seed: int) -> Network: ...

def random_dag(n_variables: int, degree: float | None, parents: int, seed: int) -> _Pairs: ...
