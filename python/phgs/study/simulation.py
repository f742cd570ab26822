"""The data sets of a study."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from phgs.graphs import Graph, as_dag
from phgs.network import Network
from phgs.study import paper_values
from phgs.study.entries import NetworkEntry

if TYPE_CHECKING:
    from phgs.data import Data


@dataclass(frozen=True, eq=False)
class DataSet:
    """Data and what they were drawn from.

    Attributes
    ----------
    table : Data
        The data.
    truth : Graph
        The true DAG.
    n_parameters, max_in_degree : int
        Of the network.
    """

    table: Data
    truth: Graph
    n_parameters: int
    max_in_degree: int


def paper_network(name: str, *, copies: int | None = None, seed: int = 0, threads: int = 0) -> Network:
    """Make one of the paper's simulated networks (section 5.1): prepared, tiled, its variables in random order.

    Parameters
    ----------
    name
        A name that `phgs.networks` lists, the path of a BIF file, or ``"mix"`` for the 14 simplest networks of the
        paper, tiled in random order.
    copies
        Number of copies; by default the paper's.
    seed
        Of merging, tiling and the order of variables.
    """
    if copies is None:
        copies = int(paper_values.networks().get(name, {"kappa": 1})["kappa"])
    if name == paper_values.MIX:
        parts = [Network.load(part).prepare(seed=seed, threads=threads).network for part in paper_values.simplest()]
        network = Network.tile_all(parts, seed=seed, threads=threads).renamed(name)
    else:
        network = Network.load(name).prepare(seed=seed, threads=threads).network
        network = network.tile(copies, seed=seed, threads=threads)
    return network.permuted(seed=seed)


def simulate(
    network: NetworkEntry, seed: int, n_rows: int, *, data_type: str = "discrete", threads: int = 0
) -> DataSet:
    """Draw one data set of a study; the seed fixes the network and the rows.

    With ``data_type="gaussian"`` the data are those of a random linear Gaussian network on the same structure
    (`phgs.sample_gaussian`), which has a weight for each arc and a variance for each variable.
    """
    return _simulate(network, seed, n_rows, data_type, threads)


# Tasks on one data set come one after another, so that the last one is worth keeping.
@lru_cache(maxsize=1)
def _simulate(network: NetworkEntry, seed: int, n_rows: int, data_type: str, threads: int) -> DataSet:
    from phgs.data import as_table

    if data_type == "gaussian":
        from phgs.gaussian import sample_gaussian

        truth, max_in_degree = _structure(network.name, network.copies, seed, threads)
        # Some networks have the same structure, which is to get other weights.
        own = zlib.crc32(f"{network.title} {seed}".encode())
        data = sample_gaussian(truth, n_rows, seed=own, threads=threads)
        return DataSet(data, truth, len(truth.directed) + truth.n_variables, max_in_degree)
    source = paper_network(network.name, copies=network.copies, seed=seed, threads=threads)
    table = as_table(source.sample(n_rows, seed=seed, threads=threads), warn=False)
    return DataSet(table, as_dag(source), source.n_parameters, source.max_in_degree)


# One structure has data sets of several sizes.
@lru_cache(maxsize=2)
def _structure(name: str, copies: int, seed: int, threads: int) -> tuple[Graph, int]:
    source = paper_network(name, copies=copies, seed=seed, threads=threads)
    return as_dag(source), source.max_in_degree
