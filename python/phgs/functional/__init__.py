"""What learners are made of, as functions: single tests, scores of any graph, the partition of variables."""

from phgs.functional.independence import IndependenceTest, independence_test
from phgs.functional.partition import cluster_variables, distances
from phgs.functional.scores import GraphScore, score

__all__ = ["GraphScore", "IndependenceTest", "cluster_variables", "distances", "independence_test", "score"]
