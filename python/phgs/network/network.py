"""Discrete Bayesian networks: files, samples, simulation, parameters."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from phgs import _core, parameters
from phgs.errors import DataError, ParameterError, ParseError
from phgs.graphs import as_dag
from phgs.names import unknown
from phgs.network import catalogue
from phgs.network.reading import limits, warn_of
from phgs.network.simulation import Prepared
from phgs.network.tables import check_texts, estimated, of_tables
from phgs.output import check_writable, write_whole
from phgs.textfiles import read_text
from phgs.texts import printable

if TYPE_CHECKING:
    from phgs.data.table import Missing


class Network:
    """A discrete Bayesian network: variables with named states, a DAG, and a conditional table for each variable.

    Networks come from `load`, `from_bif`, `fit`, `random` or `from_tables`, and never change. Inference is left to
    packages that are made for it: see `to_pgmpy` and `to_pyagrum`.

    Examples
    --------
    >>> import phgs
    >>> asia = phgs.Network.load("asia")
    >>> asia
    <phgs.Network 'asia': 8 variables, 8 arcs, 18 parameters>
    >>> asia.parents["dysp"], asia.states["dysp"]
    (('bronc', 'either'), ('yes', 'no'))
    >>> asia.table("dysp")[0, 0]
    array([0.9, 0.1])
    >>> rows = asia.sample(1000, seed=1)
    >>> rows.num_rows, rows.column_names[:3]
    (1000, ['asia', 'tub', 'smoke'])
    """

    _network: _core.Network

    def __init__(self) -> None:
        raise TypeError("use Network.load, from_bif, fit, random or from_tables")

    @classmethod
    def _wrap(cls, network: _core.Network) -> Network:
        made = object.__new__(cls)
        made._network = network
        return made

    @classmethod
    def load(
        cls,
        source: str | os.PathLike[str],
        *,
        encoding: str | None = None,
        tolerance: float | None = None,
        max_entries: int | None = None,
        max_bytes: int | None = None,
    ) -> Network:
        """Load a network by name or from a BIF file, which may be compressed by gzip, bzip2 or xz.

        Parameters
        ----------
        source
            A name that `phgs.networks` lists, or a path. Text with an ending (``.bif``, ``.bif.gz``) or a folder in it
            is a path.
        encoding
            The encoding of the file; by default UTF-8, or UTF-16 where the first bytes say so.
        tolerance
            With it rows whose sum differs from 1 by no more than this are divided by their sum, and rows of NaN, as
            bnlearn writes of configurations that were never seen, are read as uniform; a warning says of which
            variables. Without it rows must sum to 1 within 0.001, and are kept as they are.
        max_entries
            The most entries that all tables may have together, of eight bytes each; by default 33,554,432 (2**25).
        max_bytes
            The most bytes that a compressed file may unpack to; by default 256 MiB, or a hundred times its size.

        Raises
        ------
        ParameterError
            When no network has this name; near ones are suggested.
        DataError
            When the file is damaged, too large, or in another encoding.
        ParseError
            When the file is not a network; the message has the line and the column.
        """
        text = os.fspath(source)
        is_name = isinstance(source, str) and not Path(text).suffix and Path(text).name == text
        path = catalogue.find(text) if is_name else Path(text)
        network, repairs = cls._read(
            path, encoding=encoding, tolerance=tolerance, max_entries=max_entries, max_bytes=max_bytes
        )
        warn_of(repairs, network, stacklevel=3)
        return network

    @classmethod
    def _read(
        cls,
        path: Path,
        *,
        encoding: str | None = None,
        tolerance: float | None = None,
        max_entries: int | None = None,
        max_bytes: int | None = None,
    ) -> tuple[Network, list[tuple[int, int, int]]]:
        """Read a file; also return what was done to rows."""
        text = read_text(path, encoding=encoding, max_bytes=max_bytes)
        try:
            network, repairs = _core.Network.from_bif(text, *limits(tolerance, max_entries))
        except (ParseError, DataError) as error:
            raise type(error)(f"{path}: {error}") from None
        # Most files of the repository have no name.
        name = path.name
        for ending in (".gz", ".bz2", ".xz", ".bif"):
            name = name.removesuffix(ending)
        return cls._wrap(network if network.name else network.renamed(name.encode(errors="replace").decode())), repairs

    @classmethod
    def from_bif(cls, text: str, *, tolerance: float | None = None, max_entries: int | None = None) -> Network:
        """Read a network from the text of a BIF file (version 0.15).

        Rows are placed by their labels whatever their order; ``default`` and ``table`` entries, comments, exponents and
        quoted names are understood, ``property`` lines skipped. Rows must sum to 1 within 0.001; `tolerance` and
        `max_entries` are as in `load`.
        """
        check_texts("text", [text])
        network, repairs = _core.Network.from_bif(text, *limits(tolerance, max_entries))
        made = cls._wrap(network)
        warn_of(repairs, made, stacklevel=3)
        return made

    @classmethod
    def from_tables(
        cls,
        states: Mapping[str, Sequence[str]],
        parents: Mapping[str, Sequence[str]],
        tables: Mapping[str, Any],
        name: str = "",
    ) -> Network:
        """Make a network of tables.

        Parameters
        ----------
        states
            The states of each variable; its order is that of the variables.
        parents
            The parents of each variable; those without need not be listed.
        tables
            An array for each variable: one axis for each parent, in order, and a last one for the variable itself.

        Examples
        --------
        >>> import phgs
        >>> states = {"rain": ["no", "yes"], "wet": ["no", "yes"]}
        >>> tables = {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]}
        >>> phgs.Network.from_tables(states, {"wet": ["rain"]}, tables, name="garden").edges
        (('rain', 'wet'),)
        """
        return cls._wrap(of_tables(states, parents, tables, name))

    @classmethod
    def fit(
        cls,
        data: Any,
        graph: Any,
        *,
        equivalent_sample_size: float | None = None,
        missing: Missing = "auto",
        counts: Any = None,
        weights: Any = None,
        threads: int = 0,
    ) -> Network:
        """Estimate the tables of a DAG from data.

        Where values are missing, the tables are those that EM finds (expectation and maximisation in turn until no
        probability changes by more than 1e-8): they make the known values most probable, and assume that values are
        missing at random given what is seen. Expected counts are exact where the missing values of a row that depend on
        each other have at most 4,096 joint states, and by Gibbs sweeps beyond.

        Parameters
        ----------
        data
            Anything that `phgs.learn` takes. States are named by the text of their labels, in sorted order.
        graph
            A DAG over the columns; of a result, its DAG.
        equivalent_sample_size
            By default tables are relative frequencies (maximum likelihood), and uniform where the data never show a
            configuration of the parents. With a number, the mean of the posterior under a uniform Dirichlet prior that
            weighs as much as this many rows, as in the BDeu score.
        missing
            As in `phgs.as_table`; ``"auto"`` is EM.
        counts, weights
            As in `phgs.as_table`.

        Examples
        --------
        >>> import phgs
        >>> data = {"rain": ["no", "no", "no", "yes"], "wet": ["no", "no", "yes", "yes"]}
        >>> phgs.Network.fit(data, [("rain", "wet")]).table("rain")
        array([0.75, 0.25])
        """
        from phgs.data import IncompleteTable, as_table

        if equivalent_sample_size is not None:
            equivalent_sample_size = parameters.positive("equivalent_sample_size", equivalent_sample_size)
        table = as_table(data, missing=missing, counts=counts, weights=weights, stacklevel=3)
        if isinstance(table, IncompleteTable) and not table.to_fill:
            table.complete_core  # noqa: B018 - refuses missing values
        return cls._wrap(estimated(table, as_dag(graph, table.names), equivalent_sample_size, threads))

    @classmethod
    def random(
        cls,
        graph: Any,
        *,
        states: int | tuple[int, int] = 2,
        concentration: float = 1.0,
        seed: int = 0,
    ) -> Network:
        """Make a network with random tables on a DAG.

        Parameters
        ----------
        graph
            A DAG, for instance from `phgs.random_dag`.
        states
            Number of states of every variable, or the least and the most of them.
        concentration
            Rows of the tables are Dirichlet draws: uniform at 1, closer to certainty the smaller it is.
        """
        dag = as_dag(graph)
        least, most = (states, states) if isinstance(states, int) else states
        network = _core.Network.random(
            dag.n_variables,
            dag._directed_indices(),
            (parameters.whole("states", least, 1), parameters.whole("states", most, 1)),
            parameters.positive("concentration", concentration),
            parameters.seed(seed),
        )
        names = [str(name) for name in dag.variables]
        tables = [network.table(x).tolist() for x in range(len(names))]
        return cls._wrap(_core.Network("random", names, network.states, network.parents, tables))

    @property
    def name(self) -> str:
        """Name of the network."""
        return self._network.name

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Names of the variables."""
        return tuple(self._network.names)

    @cached_property
    def states(self) -> dict[str, tuple[str, ...]]:
        """The states of each variable, in the order of their codes."""
        return dict(zip(self.nodes, map(tuple, self._network.states), strict=True))

    @cached_property
    def parents(self) -> dict[str, tuple[str, ...]]:
        """The parents of each variable, in the order of the axes of its table."""
        names = self.nodes
        return {name: tuple(names[x] for x in above) for name, above in zip(names, self._network.parents, strict=True)}

    @cached_property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """All arcs (from, to), by child, then by parent in column order."""
        names = self.nodes
        lists = enumerate(self._network.parents)
        return tuple((names[parent], names[child]) for child, above in lists for parent in sorted(above))

    @property
    def n_parameters(self) -> int:
        """Number of free parameters."""
        return self._network.n_parameters

    @property
    def max_in_degree(self) -> int:
        """Largest number of parents."""
        return max(map(len, self._network.parents))

    def table(self, variable: str) -> NDArray[np.float64]:
        """Return the conditional table of a variable: one axis for each parent, in order, and a last one for itself."""
        if variable not in self.states:
            raise ParameterError(unknown("variable", variable, self.nodes))
        shape = [len(self.states[v]) for v in [*self.parents[variable], variable]]
        return self._network.table(self.nodes.index(variable)).reshape(shape)

    def marginals(self, *, threads: int = 0) -> dict[str, NDArray[np.float64]]:
        """Return the distribution of every variable over its states.

        Exact wherever the tables that this takes fit into memory, as for all networks of the repository; a warning
        says where it was estimated from a million rows instead.
        """
        found, exact = self._network.marginals(parameters.whole("threads", threads))
        if not all(exact):
            import warnings

            from phgs.errors import PhgsWarning

            count = len(exact) - sum(exact)
            warnings.warn(f"the marginals of {count:,} variables are estimated from samples", PhgsWarning, stacklevel=2)
        return dict(zip(self.nodes, found, strict=True))

    def sample(self, n_rows: int, *, seed: int = 0, threads: int = 0) -> Any:
        """Draw independent rows.

        Parameters
        ----------
        n_rows
            Number of rows.
        seed
            The rows depend on it alone: not on the number of threads, nor on the machine.

        Returns
        -------
        pyarrow.Table
            Dictionary-encoded columns with the names of the states; ``.to_pandas()`` gives categoricals.
        """
        import pyarrow as pa

        columns = self._network.sample(
            parameters.whole("n_rows", n_rows, 1), parameters.seed(seed), parameters.whole("threads", threads)
        )
        arrays = [
            pa.DictionaryArray.from_arrays(
                pa.array(codes, type=_index_type(pa, codes)), pa.array(states, type=pa.string())
            )
            for codes, states in zip(columns, self.states.values(), strict=True)
        ]
        return pa.table(arrays, names=list(self.nodes))

    def prepare(self, *, max_states: int = 8, seed: int = 0, threads: int = 0) -> Prepared:
        """Prepare the network as in the paper's simulations.

        States of probability 0 are dropped, variables with one remaining state are dropped, and states of variables
        with more than `max_states` are merged at random, their conditional distributions averaged by marginal weight.
        """
        network, variables, states, merged = self._network.prepare(
            parameters.whole("max_states", max_states, 2), parameters.seed(seed), parameters.whole("threads", threads)
        )
        return Prepared(Network._wrap(network), tuple(variables), states, tuple(merged))

    def tile(self, copies: int, *, seed: int = 0, threads: int = 0) -> Network:
        """Connect copies of the network to a large one, as in the paper.

        Every variable without parents of a later copy gets up to four parents from earlier copies, as many as variables
        have on average, and a random table that preserves its distribution: exactly, since parents whose joint
        distribution would take a table of more than 65,536 entries are drawn again. Variables further down may change
        their distribution a little. Variable ``NAME`` of copy i is ``NAME_i``.
        """
        network, _, _ = self._network.tile(
            parameters.whole("copies", copies, 1), parameters.seed(seed), parameters.whole("threads", threads)
        )
        return Network._wrap(network)

    @staticmethod
    def tile_all(networks: Iterable[Network], *, random_order: bool = True, seed: int = 0, threads: int = 0) -> Network:
        """Connect different networks to a large one; in random order, as the paper's MIX, or in the order given."""
        parts = [network._network for network in networks]
        if not parts:
            raise ParameterError("networks: at least one network is needed")
        network, _, _ = _core.Network.tile_all(
            parts, random_order, parameters.seed(seed), parameters.whole("threads", threads)
        )
        return Network._wrap(network)

    def permuted(self, *, seed: int = 0) -> Network:
        """Return the network with its variables in a random order, so that columns tell nothing of causal order."""
        return Network._wrap(self._network.permuted(parameters.seed(seed)))

    def renamed(self, name: str) -> Network:
        """Return the network with another name."""
        check_texts("name", [name])
        return Network._wrap(self._network.renamed(name))

    def to_bif(self) -> str:
        """Return the network as the text of a BIF file; reading it gives the same network, number for number."""
        return self._network.to_bif()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a BIF file, gzipped where the name ends in ``.gz``."""
        check_writable(path)
        content = self.to_bif().encode()
        write_whole(path, gzip.compress(content, mtime=0) if os.fspath(path).endswith(".gz") else content)

    def to_pgmpy(self) -> Any:
        """Return a pgmpy network, for inference."""
        from phgs.network.export import to_pgmpy

        return to_pgmpy(self)

    def to_pyagrum(self) -> Any:
        """Return a pyAgrum network, for inference."""
        from phgs.network.export import to_pyagrum

        return to_pyagrum(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        same = self.name == other.name and self.states == other.states and self.parents == other.parents
        return (
            same
            and list(self.states) == list(other.states)
            and all(np.array_equal(self.table(v), other.table(v)) for v in self.nodes)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return Network._restore, (self.name, self.to_bif())

    @staticmethod
    def _restore(name: str, text: str) -> Network:
        # What could be made can be unpickled, however large.
        return Network.from_bif(text, max_entries=1 << 62).renamed(name)

    def __repr__(self) -> str:
        sizes = f"{len(self.nodes):,} variables, {len(self.edges):,} arcs, {self.n_parameters:,} parameters"
        return printable(f"<phgs.Network {self.name!r}: {sizes}>")


def _index_type(pa: Any, codes: NDArray[Any]) -> Any:
    """Signed indices, which every reader of Arrow and Parquet takes."""
    return pa.int16() if codes.dtype == np.uint8 else pa.int32()
