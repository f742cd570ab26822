"""Learners in scikit-learn's protocol, without scikit-learn.

A learner holds its parameters as they are given, checks them in `fit`, and leaves what it learned in attributes that
end in an underscore. `base` holds the protocol, `pieces` the groups of parameters that learners share, and the other
modules one family of methods each. A learner turns its parameters into a *composition*, a dictionary of stages that the
core runs; no learner has code of its own beyond that.
"""

from phgs.learners.auto import Auto
from phgs.learners.hybrid import ARGES, GSC, H2PC, MMHC, PHGS, Hybrid, Path
from phgs.learners.local import HPC, MMPC, FastIAMB, Neighbour, Neighbourhood, SIHitonPC
from phgs.learners.partitioned import PC, PEF, PPC
from phgs.learners.search import BOSS, GES, HillClimbing, Tabu

__all__ = [
    "ARGES",
    "BOSS",
    "GES",
    "GSC",
    "H2PC",
    "HPC",
    "MMHC",
    "MMPC",
    "PC",
    "PEF",
    "PHGS",
    "PPC",
    "Auto",
    "FastIAMB",
    "HillClimbing",
    "Hybrid",
    "Neighbour",
    "Neighbourhood",
    "Path",
    "SIHitonPC",
    "Tabu",
]
