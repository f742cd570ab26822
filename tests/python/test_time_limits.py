"""Time limits and Ctrl-C within the decision of one triple: what is not decided is left open.

For all methods on data that keep them busy, see `test_interruption`.
"""

import sys
import time

import pytest

import clocks
import phgs

CHILDREN = [f"child{i}" for i in range(10)]


def independent(x, y, given):
    """Whether x and y are d-separated in a → e ← b, hub → child ← other for each child."""
    pair, given = {x, y}, set(given)
    if pair == {"a", "b"}:
        return "e" not in given
    if pair == {"hub", "other"}:
        return not given & set(CHILDREN)
    if pair <= set(CHILDREN):
        return {"hub", "other"} <= given
    return not (pair <= {"a", "b", "e"} or (pair & {"hub", "other"} and pair & set(CHILDREN)))


def learner(method, rule, *, slow, limit=None):
    """Return a learner whose tests of the hub and the other parent, given sets of children, are slow or not.

    These two are the ends of all triples around the children, and are to be tested given 175 sets of them: none of
    these triples is decided before the last.
    """

    def test(x, y, given):
        if slow and {x, y} == {"hub", "other"} and given:
            time.sleep(0.05)
        return (0.0, 1.0, 1.0) if independent(x, y, given) else (1e3, 1.0, 1e-30)

    options = {"collider_rule": rule, "max_conditioning_size": 3, "path_length": 1, "time_limit": limit}
    return phgs.learner(method, test=test, **options, progress=False)


NAMES = ["a", "b", "e", "hub", "other", *CHILDREN]
AT_ONCE = {("a", "e"), ("b", "e")}
LATE = {(parent, child) for parent in ("hub", "other") for child in CHILDREN}
RULES = ["conservative", "majority", "max-p"]


@pytest.mark.parametrize(("method", "rule"), [("pc", rule) for rule in RULES] + [("ppc", "majority")])
def test_what_is_not_decided_at_the_limit_is_left_undirected(method, rule):
    whole = learner(method, rule, slow=False).learn(NAMES)
    assert whole.complete
    assert (set(whole.cpdag.directed), whole.cpdag.undirected, whole.n_undecided) == (AT_ONCE | LATE, (), 0)
    result = learner(method, rule, slow=True, limit=1.5).learn(NAMES)
    assert not result.complete
    assert result.cpdag.skeleton() == whole.cpdag.skeleton()
    # A machine that is too busy to direct it within the half second leaves it undirected altogether, and says so.
    assert set(result.cpdag.directed) == (AT_ONCE if result.oriented else set())
    assert not result.extendable, "with no triple around the children a v-structure, cycles of four cannot be directed"
    undecided = {(t.x, t.centre, t.y) for t in result.undecided}
    assert undecided >= {("hub", child, "other") for child in CHILDREN} or not result.oriented


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("rule", RULES)
def test_ctrl_c_ends_the_decision_of_a_triple(rule):
    assert clocks.answer(learner("pc", rule, slow=True), NAMES, "v_structures", delay=0.1) < 1.0
