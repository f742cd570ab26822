"""Networks of numbers beside categories: parameters, densities, samples."""

from __future__ import annotations

import os
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from phgs import families, parameters
from phgs.data import Data, as_data
from phgs.data.gaussian import GaussianTable, IncompleteGaussianTable
from phgs.data.missing import filled_from
from phgs.data.mixed import Mixed, MixedTable
from phgs.errors import ParameterError
from phgs.families import Family, Rows
from phgs.graphs import as_dag
from phgs.graphs.graph import Graph
from phgs.names import unknown
from phgs.texts import printable


class MixedNetwork:
    """A network of numbers and categories: a DAG, and the distribution of each variable given its parents.

    They come from `fit`, or from `Result.fit` of mixed data, and never change.

    * A category given categories has a table.
    * A number has, in each configuration of its parents that are categories, a line over its parents that are numbers,
      and a normal disturbance: the conditional linear Gaussian distribution of Lauritzen and Wermuth (1989), which
      bnlearn and PyBNesian fit too.
    * A category with a number among its parents has a multinomial logistic regression on all of its parents. bnlearn
      forbids such arcs; but which way an edge points is often not for the data to say, and graphs that are learned
      have them.

    Lines are over the numbers as they are: a curve that the learned score has seen is met by the straight line that is
    nearest to it.

    Examples
    --------
    >>> import numpy as np
    >>> import phgs
    >>> from phgs.data import MixedTable
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(0, 2, 500).astype(np.uint8)
    >>> height = 170 + 10 * group + 5 * rng.normal(size=500)
    >>> table = MixedTable(("sex", "height"), 500, 500, (("f", "m"), ()), (group, height))
    >>> network = phgs.MixedNetwork.fit(table, [("sex", "height")])
    >>> network
    <phgs.MixedNetwork: 2 variables (1 numbers, 1 categories), 1 arcs, 5 parameters>
    >>> network.family("height").coefficients.round(0).ravel().tolist()
    [170.0, 179.0]
    >>> network.sample(3, seed=1).column_names
    ['sex', 'height']
    """

    _graph: Graph
    _states: dict[Any, tuple[Any, ...]]
    _families: dict[Any, Family]

    def __init__(self) -> None:
        raise TypeError("use MixedNetwork.fit")

    @classmethod
    def fit(
        cls,
        data: Any,
        graph: Any,
        *,
        equivalent_sample_size: float | None = None,
    ) -> MixedNetwork:
        """Estimate the distributions of a DAG from data, by maximum likelihood.

        Parameters
        ----------
        data
            Numbers beside categories, or numbers alone: a `phgs.data.MixedTable`, a `phgs.GaussianTable`, or any data
            that `phgs.as_table` reads, of which it is found out what columns are. Missing values are filled in from the
            DAG, by draws that are always the same.
        graph
            A DAG over the columns; of a result, its DAG.
        equivalent_sample_size : float, optional
            For tables of categories, the weight of a uniform prior in rows, as in `Network.fit`. By default they are
            relative frequencies.

        Raises
        ------
        ParameterError
            When the data are of another type.
        """
        if not isinstance(data, Data):
            data = as_data(data, "mixed", missing="auto", warn=False)
        if not isinstance(data, (Mixed, GaussianTable, IncompleteGaussianTable)):
            raise ParameterError("data: a MixedNetwork is fitted to a MixedTable; Network.fit takes categories")
        prior = None
        if equivalent_sample_size is not None:
            prior = parameters.positive("equivalent_sample_size", equivalent_sample_size)
        dag = as_dag(graph, data.names)
        complete = filled_from(data, dag._directed_indices()) if data.to_fill else data
        if isinstance(complete, GaussianTable):
            complete = _of_numbers(complete)
        assert isinstance(complete, MixedTable)
        data, weights = complete, complete.weights
        made = object.__new__(cls)
        made._graph = dag
        made._states = {
            name: levels
            for i, (name, levels) in enumerate(zip(data.names, data.levels, strict=True))
            if not data.is_number(i)
        }
        rows: Rows = {
            name: column if data.is_number(i) else column.astype(np.intp)
            for i, (name, column) in enumerate(zip(data.names, data.columns, strict=True))
        }
        made._families = {name: made._family_of(name, dag, rows, prior, weights) for name in data.names}
        return made

    def _family_of(
        self, name: Any, dag: Graph, rows: Rows, prior: float | None, weights: NDArray[np.float64] | None
    ) -> Family:
        parents = [a for a, b in dag.directed if b == name]
        categories = {parent: len(self._states[parent]) for parent in parents if parent in self._states}
        numbers = tuple(parent for parent in parents if parent not in self._states)
        own = rows[name]
        if name not in self._states:
            return families.fit_lines(own, categories, numbers, rows, weights)
        arity = len(self._states[name])
        # A state that is alone depends on nothing.
        if numbers and own.min() < own.max():
            return families.fit_logistic(name, own, arity, categories, numbers, rows, weights)
        return families.fit_table(own, arity, categories, rows, prior, weights)

    @property
    def nodes(self) -> tuple[Any, ...]:
        """Names of the variables."""
        return tuple(self._graph.variables)

    @property
    def kinds(self) -> dict[Any, str]:
        """What each variable is: ``"number"`` or ``"category"``."""
        return {name: "category" if name in self._states else "number" for name in self.nodes}

    @property
    def states(self) -> dict[Any, tuple[Any, ...]]:
        """The states of each category, in the order of the axes of tables."""
        return dict(self._states)

    @property
    def edges(self) -> tuple[tuple[Any, Any], ...]:
        """All arcs (from, to)."""
        return tuple(self._graph.directed)

    @property
    def parents(self) -> dict[Any, tuple[Any, ...]]:
        """The parents of each variable."""
        return {name: tuple(a for a, b in self._graph.directed if b == name) for name in self.nodes}

    @property
    def n_parameters(self) -> int:
        """Number of free parameters."""
        return sum(family.n_parameters for family in self._families.values())

    def family(self, variable: Any) -> Family:
        """Return the distribution of a variable: a `Table`, `Lines` or `Logistic` of `phgs.families`."""
        if variable not in self._families:
            raise ParameterError(unknown("variable", variable, self.nodes))
        return self._families[variable]

    def log_likelihood(self, data: Any) -> float:
        """Return the logarithm of the density of data with the same columns; −∞ where a row cannot be.

        Raises
        ------
        ParameterError
            When a column is missing or of another kind, or a state is not known.
        """
        if not isinstance(data, Data):
            kinds: dict[Any, Any] = self.kinds
            data = as_data(data, "mixed", columns=self.nodes, kinds=kinds, warn=False)
        if isinstance(data, GaussianTable):
            data = _of_numbers(data)
        if not isinstance(data, MixedTable):
            raise ParameterError("data: densities are those of complete rows of numbers and categories: a MixedTable")
        rows = self._rows(data)
        return float(sum(family.log_densities(rows[name], rows).sum() for name, family in self._families.items()))

    def _rows(self, data: MixedTable) -> Rows:
        rows: Rows = {}
        for name in self.nodes:
            index = data.index(name)
            if data.is_number(index) == (name in self._states):
                kind = self.kinds[name]
                raise ParameterError(f"data: {name!r} was a {kind} in the data of the network, and is none here")
            column = data.columns[index]
            if name in self._states:
                place = {label: code for code, label in enumerate(self._states[name])}
                strange = [label for label in data.levels[index] if label not in place]
                if strange:
                    raise ParameterError(f"data: {strange[0]!r} is no state of {name!r} in the network")
                column = np.array([place[label] for label in data.levels[index]], np.intp)[column]
            rows[name] = column
        return rows

    def sample(self, n_rows: int, *, seed: int = 0) -> Any:
        """Draw independent rows.

        Parameters
        ----------
        n_rows : int
            Number of rows.
        seed : int
            The rows depend on it alone.

        Returns
        -------
        pyarrow.Table
            Numbers, and dictionary-encoded columns with the states of categories.
        """
        import pyarrow as pa

        count, checked = parameters.whole("n_rows", n_rows, 1), parameters.whole("seed", seed)
        assert count is not None
        assert checked is not None
        rng = np.random.default_rng(checked)
        rows: Rows = {}
        for name in self._order():
            rows[name] = self._families[name].draw(rows, count, rng)
        arrays = [
            pa.DictionaryArray.from_arrays(pa.array(rows[name].astype(np.int16)), pa.array(list(self._states[name])))
            if name in self._states
            else pa.array(rows[name])
            for name in self.nodes
        ]
        return pa.table(arrays, names=[str(name) for name in self.nodes])

    def _order(self) -> list[Any]:
        """Return the variables, parents first, as they stand otherwise."""
        above = {name: set(parents) for name, parents in self.parents.items()}
        found: dict[Any, None] = {}
        while len(found) < len(above):
            found |= dict.fromkeys(name for name in above if name not in found and above[name] <= found.keys())
        return list(found)

    def to_bif(self) -> NoReturn:
        """Refuse: BIF holds categories alone."""
        self._refuse("BIF")

    def save(self, path: str | os.PathLike[str]) -> NoReturn:
        """Refuse: BIF holds categories alone."""
        del path
        self._refuse("BIF")

    def to_pgmpy(self) -> NoReturn:
        """Refuse: pgmpy's networks hold categories alone, or numbers alone."""
        self._refuse("pgmpy's network of categories")

    def to_pyagrum(self) -> NoReturn:
        """Refuse: pyAgrum's networks hold categories alone."""
        self._refuse("pyAgrum's network")

    def _refuse(self, target: str) -> NoReturn:
        name = next((name for name in self.nodes if name not in self._states), None)
        why = "this network is of mixed data" if name is None else f"{name!r} is a number"
        raise ParameterError(
            f"{target} holds categories alone, and {why}; cut numbers into categories with phgs.discretize and learn"
            " from these, or pickle the network"
        )

    def __repr__(self) -> str:
        kinds = f"{len(self.nodes) - len(self._states):,} numbers, {len(self._states):,} categories"
        sizes = f"{len(self.nodes):,} variables ({kinds}), {len(self.edges):,} arcs, {self.n_parameters:,} parameters"
        return printable(f"<phgs.MixedNetwork: {sizes}>")


def _of_numbers(table: GaussianTable) -> MixedTable:
    """Return Gaussian columns as mixed data without categories."""
    if table.moments is not None:
        table.take(np.empty(0, np.intp))  # Says where the rows are.
    if table.values is None:
        raise ParameterError("data: a correlation matrix has no rows; give the columns")
    levels = ((),) * table.n_variables
    return MixedTable(
        table.names, table.n_rows, table.n_rows_read, levels, table.values, "values", 1, weights=table.weights
    )
