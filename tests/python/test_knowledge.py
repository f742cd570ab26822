"""Background knowledge holds in every method."""

import json

import numpy as np
import pytest

import phgs

METHODS = [method for method in phgs.METHODS if method != "gsc"]


def broken(graph, knowledge):
    """Return the constraints that a graph breaks."""
    arcs = set(graph.directed)
    edges = {frozenset(e) for e in graph.undirected}
    tier = {name: i for i, group in enumerate(knowledge.tiers) for name in group}
    wrong = [arc for arc in knowledge.required if arc not in arcs]
    wrong += [arc for arc in knowledge.forbidden if arc in arcs]
    wrong += [e for e in knowledge.forbidden_edges if frozenset(e) in edges or e in arcs or e[::-1] in arcs]
    wrong += [e for e in knowledge.required_edges if not (frozenset(e) in edges or e in arcs or e[::-1] in arcs)]
    wrong += [(a, b) for a, b in arcs if a in tier and b in tier and tier[a] > tier[b]]
    return wrong


@pytest.mark.parametrize("method", METHODS)
def test_no_output_breaks_random_knowledge(alarm, method):
    rng = np.random.default_rng(4)
    table = alarm.table
    for _ in range(6):
        chosen = rng.permutation(table.n_variables)[:10]
        data = {table.names[i]: table.codes[i][:2000] for i in chosen}
        names = list(data)
        order = rng.permutation(10)
        arcs = [(names[order[i]], names[order[j]]) for i in range(10) for j in range(i + 1, 10)]
        rng.shuffle(arcs)
        arcs = [tuple(arc) for arc in arcs]
        tiers = [[names[i] for i in order[:4]], [names[i] for i in order[4:8]]]
        knowledge = phgs.Knowledge(
            required=arcs[:2], forbidden=[arc[::-1] for arc in arcs[2:6]], forbidden_edges=arcs[6:9], tiers=tiers
        )
        result = phgs.learn(data, method, knowledge=knowledge, progress=False)
        assert broken(result.cpdag, knowledge) == []
        if result.dag is not None:
            assert broken(result.dag, knowledge) == []


@pytest.mark.parametrize("method", METHODS)
def test_a_forbidden_pair_invents_no_collider(chain, method):
    result = phgs.learn(chain, method, knowledge={"forbidden_edges": [("a", "c")]}, progress=False)
    assert result.cpdag.undirected == (("a", "b"), ("b", "c"))


def test_requiring_an_edge_that_is_there_changes_nothing_else(chain):
    free = phgs.learn(chain, progress=False)
    tied = phgs.learn(chain, knowledge={"required_edges": [("a", "b")]}, progress=False)
    assert tied.cpdag.skeleton() == free.cpdag.skeleton()


def test_files(tmp_path):
    expected = phgs.Knowledge(required=[("a", "b")], forbidden_edges=[("b", "d")])
    path = tmp_path / "k.json"
    path.write_text(json.dumps({"required": [["a", "b"]], "forbidden_edges": [["b", "d"]]}))
    assert phgs.Knowledge.read(path) == expected
    path = tmp_path / "k.csv"
    path.write_text("from,to,kind\na,b,required\nb,d,forbidden_edges\n")
    assert phgs.Knowledge.read(path) == expected
    for text, match in (
        ("from,to\na,b\n", "columns from, to and kind"),
        ("from,to,kind\na,b,need\n", "line 2: unknown kind"),
    ):
        path.write_text(text)
        with pytest.raises(phgs.KnowledgeError, match=match):
            phgs.Knowledge.read(path)


def test_files_hold_all_kinds_and_their_errors_name_the_line(tmp_path, chain):
    expected = phgs.Knowledge(
        required=[("a", "b")],
        required_edges=[("b", "c")],
        forbidden=[("c", "d")],
        forbidden_edges=[("a", "d")],
        tiers=[["a", "d"], ["b"]],
    )
    table = tmp_path / "k.csv"
    table.write_text(
        "kind,from,to\nrequired,a,b\nrequired_edges,b,c\nforbidden,c,d\nforbidden_edges,a,d\n"
        "tier,a,1\ntier,d,1\ntier,b,20\n"
    )
    assert phgs.Knowledge.read(table) == expected
    text = tmp_path / "k.json"
    text.write_text(json.dumps({f: getattr(expected, f) for f in (
        "required", "required_edges", "forbidden", "forbidden_edges", "tiers")}, indent=1))  # fmt: skip
    assert phgs.Knowledge.read(text) == expected
    for path in (table, text, str(text)):
        learned = phgs.learn(chain, knowledge=path, progress=False)
        assert broken(learned.cpdag, expected) == []

    def refused(path, content, match):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(phgs.KnowledgeError, match=match):
            phgs.learn(chain, knowledge=path, progress=False)

    header = "from,to,kind\n"
    refused(table, f"{header}a,b,required\nage,c,forbidden\n", r"k\.csv, line 3: unknown variable 'age'")
    refused(table, f"{header}a,b,required\n,c,forbidden\n", r"line 3: expected values for from, to and kind")
    refused(table, f"{header}a,b\n", r"line 2: expected values")
    refused(table, f"{header}a,b,c,d\n", r"line 2: expected values")
    refused(table, f"{header}a,a,required\n", r"line 2: 'a' cannot be joined to itself")
    refused(table, f"{header}a,first,tier\n", r"line 2: the tier of 'a' must be a whole number, got 'first'")
    refused(table, f"{header}a,1,tier\na,2,tier\n", r"line 3: 'a' is in two tiers, 1 and 2")
    refused(table, f"{header}a,b,requird\n", r"line 2: unknown kind 'requird'; did you mean 'required'")
    refused(table, b"from,to,kind\n\xff,b,required\n", "not UTF-8")
    refused(text, '{"required": [["a", "b"],\n ["b", "cc"]]}', r"k\.json, line 2: unknown variable 'cc'")
    refused(text, '{"required": [["a", "b"],\n ["b"]]}', r"k\.json: required\[1\]: expected a pair")
    refused(text, '{"required": 3}', r"k\.json: required: expected a list, found 3")
    refused(text, '{"tiers": 3}', r"k\.json: tiers: expected a list, found 3")
    refused(text, '{"requird": []}', r"k\.json: unknown key 'requird'; did you mean 'required'")
    refused(text, '{"required": [["a", "b"]', r"k\.json, line 1.*not JSON")
    refused(text, "[]", r"expected an object")


@pytest.mark.parametrize(
    ("bad", "match"),
    [
        ({"required": ["ab"]}, "expected pairs"),
        ({"required": [("a", "a")]}, "joined to itself"),
        ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, "cycle"),
        ({"tiers": ["ab"]}, "list of lists"),
        ({"required": [("b", "a")], "tiers": [["a"], ["b"]]}, "required and forbidden"),
    ],
)
def test_contradictions_are_refused_before_any_work(chain, bad, match):
    with pytest.raises(phgs.KnowledgeError, match=match):
        phgs.learn(chain, knowledge=bad, progress=False)


def test_a_required_edge_that_must_make_a_collider_is_taken_by_every_method(alarm):
    names = list(alarm.table.names[:4])
    data = {name: codes[:500] for name, codes in zip(names, alarm.table.codes[:4], strict=True)}
    a, b, c, d = names
    # Whichever way b − d goes, it meets an arc.
    knowledge = phgs.Knowledge(required=[(a, b), (c, d)], required_edges=[(b, d)])
    for method in METHODS:
        assert broken(phgs.learn(data, method, knowledge=knowledge, progress=False).cpdag, knowledge) == []


def test_a_required_edge_takes_the_room_of_another_parent():
    rng = np.random.default_rng(0)
    x, y, z, w = rng.integers(0, 2, (4, 1000))
    data = {"x": x, "y": y, "sum": (x + 2 * y + (rng.random(1000) < 0.1)) % 4, "z": z, "w": w}
    # In both directions there would be one parent too many: w is later than z, and x and y fill the room of the sum.
    knowledge = phgs.Knowledge(required=[("z", "w"), ("y", "w")], required_edges=[("sum", "w")])
    for method in ("phgs", "tabu", "mmhc-hgi", "ges", "boss"):
        result = phgs.learn(data, method, max_parents=2, knowledge=knowledge, progress=False)
        assert broken(result.dag, knowledge) == []
        assert max(len(result.dag.parents(name)) for name in data) <= 2
    with pytest.raises(phgs.ParameterError, match="max_parents: 1 is below the 2 required parents of 'w'"):
        phgs.learn(data, max_parents=1, knowledge=knowledge, progress=False)
