"""Simulation studies: networks × data sets × methods × significance levels, and the paper's tables of them.

`configuration` says what to run, `simulation` makes data, `solving` runs methods on them, `store` keeps what is done,
`running` brings these together on any executor; `paper_values` are those of the paper, `results` puts outcomes
together, `tables` and `figures` set them beside the paper's, `gaussian` has the experiment on Gaussian data, `report`
writes them down.

>>> from phgs.study import Configuration
>>> quick = Configuration.load("paper-quick")
>>> len(quick.networks), quick.n_rows
(20, 25000)
"""

from phgs.study.configuration import Configuration, configurations
from phgs.study.entries import MethodEntry, NetworkEntry
from phgs.study.report import write_report
from phgs.study.running import run_study
from phgs.study.simulation import DataSet, paper_network, simulate
from phgs.study.store import Store

__all__ = [
    "Configuration",
    "DataSet",
    "MethodEntry",
    "NetworkEntry",
    "Store",
    "configurations",
    "paper_network",
    "run_study",
    "simulate",
    "write_report",
]
