"""Discrete Bayesian networks: files, samples, simulation, parameters; and the networks that have a name."""

from phgs.network.catalogue import NetworkInfo, networks
from phgs.network.network import Network
from phgs.network.simulation import Prepared, random_dag

__all__ = ["Network", "NetworkInfo", "Prepared", "networks", "random_dag"]
