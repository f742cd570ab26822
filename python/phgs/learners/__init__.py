"""Learners in scikit-learn's protocol, without scikit-learn.

A learner is a flat dataclass of its parameters: it holds them as they are given, checks them in `fit` by the functions
of `checks`, turns them into a composition of `stages` that the core runs, and leaves what it learned in attributes that
end in an underscore. `base` holds the protocol, `registry` the names of methods, and the other modules one family of
methods each.
"""

from phgs.learners.auto import Auto
from phgs.learners.blankets import IAMB, IAMBFDR, FastIAMB, GrowShrink, InterIAMB
from phgs.learners.composed import Hybrid
from phgs.learners.given import ARGES, GSC
from phgs.learners.hybrid import H2PC, MMHC
from phgs.learners.local import HPC, MMPC, GetPC, HitonPC, SIHitonPC
from phgs.learners.neighbourhood import MarkovBlanket, Neighbour, Neighbourhood
from phgs.learners.partitioned import PC, PEF, PPC
from phgs.learners.phgs import PHGS
from phgs.learners.search import BOSS, GES, HillClimbing, Tabu
from phgs.learners.stages import Path

__all__ = [
    "ARGES",
    "BOSS",
    "GES",
    "GSC",
    "H2PC",
    "HPC",
    "IAMB",
    "IAMBFDR",
    "MMHC",
    "MMPC",
    "PC",
    "PEF",
    "PHGS",
    "PPC",
    "Auto",
    "FastIAMB",
    "GetPC",
    "GrowShrink",
    "HillClimbing",
    "HitonPC",
    "Hybrid",
    "InterIAMB",
    "MarkovBlanket",
    "Neighbour",
    "Neighbourhood",
    "Path",
    "SIHitonPC",
    "Tabu",
]
