"""How sure one can be of a learned edge: the bootstrap.

`bootstrap` learns from rows drawn again, `running` does so in this process or over an executor, `store` keeps
replicates in a folder, `confidence` holds the table that comes out, `threshold` and `consensus` make one graph of it.
"""

from phgs.confidence.confidence import EdgeConfidence, PairConfidence
from phgs.confidence.running import bootstrap

__all__ = ["EdgeConfidence", "PairConfidence", "bootstrap"]
