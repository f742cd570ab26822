"""The data of a result: those that were learned from or others, read as those were; and the network fitted to them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from phgs.data import Data, GaussianTable, IncompleteGaussianTable, Mixed, as_data
from phgs.data.counts import counted, given_again
from phgs.data.sharded import ShardedTable
from phgs.data.weights import weighted
from phgs.errors import ParameterError

if TYPE_CHECKING:
    from phgs.data.frames import Name
    from phgs.mixed_network import MixedNetwork
    from phgs.network import Network
    from phgs.result.result import Result


def data_of(result: Result, data: Any) -> Data | None:
    """Read data that a user gives, or take those that were learned from if they are still there."""
    if data is None:
        return result._table
    data = given_again(data, result.parameters, "counts", counted)
    data = given_again(data, result.parameters, "weights", weighted)
    table = data if isinstance(data, Data) else _read_again(result, data)
    if isinstance(table, Mixed):
        used = result.parameters
        table = table.entering(used.get("numbers", table.numbers), used.get("powers", table.powers))
    if table.names != result.variables and tuple(map(str, table.names)) == result.variables:
        # A result file has names as text.
        table = replace(table, names=result.variables)  # type: ignore[type-var]
    return table


def _read_again(result: Result, data: Any) -> Data:
    """Read a frame as the one that was learned from was read: what was found out is not found out again."""
    data_type = result.parameters.get("data_type", "discrete")
    kinds: dict[Name, Any] | None = None
    if data_type != "gaussian" and result.kinds:
        kinds = {name: kind for name, kind in result.kinds.items() if kind in ("number", "category")}
        data_type = "mixed" if data_type == "mixed" else "auto"
    return as_data(
        data,
        data_type,
        missing=result.parameters.get("missing", "auto"),
        categories=None if kinds is not None else result.parameters.get("categories"),
        kinds=kinds,
        warn=False,
    )


def network_of(result: Result, data: Any, equivalent_sample_size: float | None, threads: int) -> Network | MixedNetwork:
    """Estimate the tables of the DAG; see `Result.fit`."""
    from phgs.graphs.functions import cpdag_to_dag
    from phgs.network import Network

    table = result._gapped if data is None and result._gapped is not None else result._needed_data(data)
    if isinstance(table, ShardedTable):
        raise ParameterError(
            "data: the rows are on workers; fit the tables to a sample of them, as data=source.sample(rows)"
        )
    if not table.has_data:
        raise ParameterError("data: this result was learned from a test alone; pass data=")
    dag = cpdag_to_dag(result.cpdag) if result.dag is None else result.dag
    if isinstance(table, (Mixed, GaussianTable, IncompleteGaussianTable)):
        from phgs.mixed_network import MixedNetwork

        return MixedNetwork.fit(table, dag, equivalent_sample_size=equivalent_sample_size)
    return Network.fit(table, dag, equivalent_sample_size=equivalent_sample_size, threads=threads)
