"""The result file is as its JSON schema says, for every method."""

import json

import pytest

import phgs

jsonschema = pytest.importorskip("jsonschema")

SCHEMA = phgs.result_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_the_schema_is_one_and_has_every_key(chain):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    keys = set(phgs.learn(chain, progress=False).to_dict())
    assert set(SCHEMA["required"]) == keys
    assert set(SCHEMA["properties"]) == keys | {"comparison"}
    assert set(SCHEMA["properties"]["comparison"]["required"]) <= set(
        phgs.compare([("a", "b")], [("a", "b")]).to_dict()
    )


@pytest.mark.parametrize("method", sorted(set(phgs.METHODS) - {"gsc"}))
def test_results_of_every_method(alarm, tmp_path, method):
    path = tmp_path / "r.json"
    phgs.learn(alarm.table, method, progress=False).save(path)
    found = json.loads(path.read_text(encoding="utf-8"))
    VALIDATOR.validate(found)
    assert phgs.Result.load(path).to_dict() == found


@pytest.mark.parametrize(
    "learner",
    [
        phgs.GSC(skeleton=[("a", "b"), ("b", "c")], init="hgi"),
        phgs.PC(collider_rule="conservative"),
        phgs.PHGS(refine=["free", phgs.GES()], knowledge={"required": [("a", "b")]}),
        phgs.HillClimbing(restarts=10**6, time_limit=0.05),
        phgs.Hybrid(restrict=phgs.HPC(), maximize=phgs.Tabu()),
        phgs.PC(test="x2", minimum_sample=5),
    ],
)
def test_results_of_learners_with_options(chain, learner):
    learner.set_params(progress=False)
    result = learner.learn(chain)
    comparison = phgs.compare([("a", "b"), ("b", "c")], result).to_dict()
    VALIDATOR.validate(json.loads(json.dumps(result.to_dict() | {"comparison": comparison})))


def test_gaussian_results_and_the_command_line(tmp_path, chain):
    from phgs.cli import main

    data = phgs.sample_gaussian([("a", "b"), ("c", "b")], 500, seed=1)
    VALIDATOR.validate(json.loads(json.dumps(phgs.PHGS(progress=False).learn(data).to_dict())))
    rows, truth, out = (tmp_path / name for name in ("d.csv", "t.csv", "r.json"))
    lines = [",".join(map(str, row)) for row in zip(*chain.values(), strict=True)]
    rows.write_text("\n".join([",".join(chain), *lines]))
    truth.write_text("from,to\na,b\nb,c\n")
    assert main(["learn", str(rows), "--quiet", "--json", str(out), "--true-graph", str(truth)]) == 0
    found = json.loads(out.read_text())
    VALIDATOR.validate(found)
    assert "comparison" in found


def test_other_files_are_refused(chain):
    found = phgs.learn(chain, progress=False).to_dict()
    for change in ({"n_rows": -1}, {"dag": [["a"]]}, {"extra": 1}, {"calls": {"total": 1, "seraching": 1}}):
        assert not VALIDATOR.is_valid(json.loads(json.dumps(found | change)))
