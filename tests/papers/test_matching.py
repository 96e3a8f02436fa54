from dataclasses import replace
from functools import partial

import pytest

from svmbench.errors import UserError
from svmbench.features.nystrom import Nystrom
from svmbench.papers.matching import Index, _versions, estimate
from svmbench.papers.quantities import SAME, Value
from svmbench.papers.runs import Group, Panel, RunOf
from svmbench.store import Store
from svmbench.store.identity import identity

from .written import artifact, errors, material, store


@pytest.fixture
def paper():
    return artifact(["sbp", "smo"], groups=[Group(2, "sbp"), Group(1, "smo")])


def states(paper, root):
    return [(m.planned.solver, m.planned.seed, m.state) for m in material(paper, root).matches]


def test_what_is_stored_is_found_wherever_it_was_made(paper, tmp_path):
    first, second, _ = paper.runs.planned()
    stored = store(tmp_path, first, results="/elsewhere", force=True, data={"mirror": "/m", "dir": None})
    store(tmp_path, second, seed=7)
    assert states(paper, tmp_path) == [("sbp", 0, "stored"), ("sbp", 1, "missing"), ("smo", 0, "missing")]
    assert material(paper, tmp_path).matches[0].stored.id == stored.id


@pytest.mark.parametrize("key", ["kernel", "budget", "observe", "problem"])
def test_a_run_that_differs_in_what_matters_is_another(paper, tmp_path, key):
    run = paper.runs.planned()[0]
    number = {"kernel": "gamma", "budget": "kev", "observe": "points", "problem": "C"}[key]
    store(tmp_path, run, **{key: {**run.config.document()[key], number: 3}})
    assert states(paper, tmp_path)[0][2] == "missing"


def test_a_run_of_another_version_is_stale_and_not_drawn(paper, tmp_path):
    old = store(tmp_path, paper.runs.planned()[0], version=0)
    found = material(paper, tmp_path)
    assert found.matches[0].state.startswith("stale: made by version 0 of sbp, which is now ")
    assert old.id not in [run.id for run in found.stored]
    good = store(tmp_path, paper.runs.planned()[0])
    assert material(paper, tmp_path).matches[0].stored.id == good.id


def test_of_stale_runs_the_one_of_the_newest_version_is_named(paper, tmp_path):
    run = paper.runs.planned()[0]
    for version in ("9, 2.0", "1010, 1.0", "1009, 3.0"):
        store(tmp_path, run, version=version)
    state = material(paper, tmp_path).matches[0].state
    assert state.startswith("stale: made by version 1010, 1.0 of sbp, which is now ")


def test_a_failed_run_is_not_a_result_but_comes_before_a_stale_one(paper, tmp_path):
    run = paper.runs.planned()[0]
    store(tmp_path, run, status="failed")
    store(tmp_path, run, version=10**6)
    assert states(paper, tmp_path)[0][2] == "failed"


def test_a_run_of_a_baseline_that_is_not_installed_is_not_stale():
    made = {"solver_version": "1, 2.0", "config": {"solver": {"name": "no such"}}}
    assert list(_versions(made)) == []


def test_a_run_with_another_nu_than_the_optimum_gives_is_stale(paper, tmp_path):
    record = {"key": "a", "primal": 0.3, "dual": 0.3, "nu": 0.02, "norm": 1.0}
    hash = Store(tmp_path).put_optimum(record)
    run = paper.runs.planned()[0]
    store(tmp_path, run, problem=vars(run.config.problem), optimum=hash)
    found = Index(Store(tmp_path)).find(run)
    assert found.complete  # what it used is not recorded, so that nothing is known to have changed
    manifest = {"lam": 0.01, "C": 1.0, "nu": 0.021}
    assert "nu was 0.021, the certified optimum now gives 0.02" in stale_with(tmp_path, run, manifest)
    assert stale_with(tmp_path, run, {**manifest, "nu": 0.02}) == ""


def stale_with(root, run, terms):
    index = Index(Store(root))
    found = index.find(run).stored
    found.manifest["problem"] = terms
    return index.stale(found)


def test_a_run_on_data_that_have_changed_is_stale(paper, tmp_path):
    first, second, _ = paper.runs.planned()
    store(tmp_path, first, checksum="old")
    store(tmp_path, second, checksum="new")
    found = [state for _, _, state in states(paper, tmp_path)][:2]
    assert found == ["stale: the data have changed", "stored"]


def test_each_seed_of_a_subset_has_data_of_its_own(tmp_path):
    groups = [Group(2, over={"subset": [50, 100]})]
    made = artifact(["decomposition"], groups=groups)
    for planned in made.runs.planned():
        store(tmp_path, planned, errors(20), checksum=f"{planned.seed} of {dict(planned.over)['subset']}")
    assert [match.state for match in material(made, tmp_path).matches] == ["stored"] * 4


def test_time_is_estimated_from_runs_of_the_same_solver_and_data(paper, tmp_path):
    first, *_ = paper.runs.planned()
    store(tmp_path, first, errors(20, 15))  # 0.2 s for 2,000 evaluations; the budget allows 1e6
    index = Index(Store(tmp_path))
    missing = [m for m in material(paper, tmp_path).matches if not m.complete]
    assert estimate(missing[0], index) == (pytest.approx(100.0), 12.4)
    assert estimate(missing[1], index) == (None, None)


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [
        (["budget.kev=3000"], 0.3),
        (["budget.kev=null", "budget.iterations=50"], 0.5),
        (["budget.kev=null", "budget.gap=0.1"], None),
        (["budget.seconds=30"], 30.0),  # 100 s for a million evaluations
        (["budget.kev=3000", "budget.seconds=30"], 0.3),
    ],
)
def test_time_is_estimated_by_the_budget(limits, seconds, tmp_path):
    made = artifact(["sbp"], seeds=1)
    store(tmp_path, made.runs.planned()[0], errors(20, 15))  # 0.2 s for 2,000 evaluations in 20 iterations
    paper = artifact(["sbp"], groups=[Group([1], "", "", " ".join(limits))])
    (missing,) = material(paper, tmp_path).matches
    assert estimate(missing, Index(Store(tmp_path))) == (pytest.approx(seconds), 12.4)


def test_memory_is_the_most_that_a_comparable_run_took(tmp_path):
    paper = artifact(["sbp"], seeds=4)
    first, second, third, _ = paper.runs.planned()
    for run, memory in ((first, 20.0), (second, 30.0), (third, None)):
        store(tmp_path, run, errors(20), peak_memory=memory)
    (missing,) = [m for m in material(paper, tmp_path).matches if not m.complete]
    assert estimate(missing, Index(Store(tmp_path)))[1] == 30.0


def test_runs_on_other_data_or_without_a_result_tell_no_time(tmp_path):
    paper = artifact(["sbp"], seeds=2)
    first, second = paper.runs.planned()
    store(tmp_path, first, errors(20), status="failed")
    panels = [Panel("small", "S", "dataset=checkerboard dataset.n_test=7")]
    store(tmp_path, artifact(["sbp"], panels=panels).runs.planned()[0], errors(20))
    match = material(paper, tmp_path).matches[1]
    assert match.planned == second and estimate(match, Index(Store(tmp_path))) == (None, None)


def test_groups_go_over_values_without_their_exceptions():
    groups = [Group([3, 5], over={"problem.C": [1.0, 2.0]}, exceptions=[{"solver": "smo", "problem.C": 2.0}])]
    runs = artifact(["sdca", "smo"], groups=groups).runs.planned()
    found = [(run.solver, run.config.problem.C, run.seed) for run in runs]
    settings = (("sdca", 1.0), ("sdca", 2.0), ("smo", 1.0))
    assert found == [(*one, seed) for one in settings for seed in (3, 5)]
    words = "solver=sdca budget=debug dataset=checkerboard problem.C=2.0 seed=3"
    assert runs[2].command == f"svmbench run {words}"


def test_a_value_is_taken_from_another_run_when_that_is_stored(tmp_path):
    values = {"budget.test_error": 0.01 * Value("smo")}
    groups = [Group(1, "smo"), Group(1, "sdca", values=values)]
    paper = artifact(["smo", "sdca"], groups=groups)
    waiting = material(paper, tmp_path).matches[1]
    assert waiting.state.startswith("waits for smo: 0 of 1 runs are stored")
    assert waiting.planned.command.endswith(" seed=0 budget.test_error=...")
    store(tmp_path, paper.runs.planned()[0], errors(30, 12.5))
    known = material(paper, tmp_path).matches[1]
    assert known.state == "missing" and known.planned.config.budget.test_error == pytest.approx(0.125)
    assert "budget.test_error=0.125" in known.planned.command


def test_a_run_begins_at_the_run_of_another_line_with_its_seed_when_that_is_stored(tmp_path):
    start = {"start": RunOf("smo", {"problem.C": SAME})}
    groups = [
        Group(2, "smo", over={"problem.C": [1.0, 2.0]}),
        Group(2, "smo_pair", over={"problem.C": [1.0, 2.0]}, values=start),
    ]
    paper = artifact(["smo", "smo_pair"], groups=groups)
    assert material(paper, tmp_path).matches[-1].state.startswith("waits for smo: 0 of 2 runs are stored")
    made = {
        (run.seed, run.config.problem.C): store(tmp_path, run, errors(30))
        for run in paper.runs.planned()
        if run.solver == "smo"
    }
    known = [
        match.planned for match in material(paper, tmp_path).matches if match.planned.solver == "smo_pair"
    ]
    assert [run.config.start for run in known] == [made[run.seed, run.config.problem.C].id for run in known]
    assert len({run.config.start for run in known}) == 4


def test_a_start_that_names_several_runs_or_none_is_refused(tmp_path):
    over = Group(1, "smo", over={"problem.C": [1.0, 2.0]})
    later = Group([5], "smo_pair", values={"start": RunOf("smo")})
    paper = artifact(["smo", "smo_pair"], groups=[over, later])
    for run in paper.runs.planned()[:2]:
        store(tmp_path, run, errors(30))
    with pytest.raises(UserError, match="smo has 0 runs with seed 5; give where, or more seeds"):
        material(paper, tmp_path)
    paper = artifact(["smo", "smo_pair"], groups=[over, replace(later, seeds=[0])])
    with pytest.raises(UserError, match="smo has 2 runs with seed 0; give where, or more seeds"):
        material(paper, tmp_path)


def test_each_panel_has_its_own_known_values_and_runs(tmp_path):
    boards = [
        Panel(name, name, f"dataset=checkerboard dataset.seed={seed}", known)
        for seed, (name, known) in enumerate((("b", {"mistakes": 5}), ("c", {"mistakes": 7}), ("a", {})))
    ]
    found = material(artifact(["sbp", "smo"], panels=boards), tmp_path)
    pieces = {name: found.evidence(name, "kev_iter") for name in "bca"}
    assert [piece.known for piece in pieces.values()] == [{"mistakes": 5}, {"mistakes": 7}, {}]
    for seed, piece in enumerate(pieces.values()):
        assert [match.planned.config.dataset.document()["seed"] for match in piece.matches] == [seed] * 2


def test_the_reference_of_a_panel_is_the_certified_optimum_of_its_runs(paper, tmp_path):
    assert not material(paper, tmp_path).evidence("board", "").reference().record
    hash = Store(tmp_path).put_optimum({"key": "a", "primal": 0.3, "dual": 0.2})
    store(tmp_path, paper.runs.planned()[0], optimum=hash)
    record = material(paper, tmp_path).evidence("board", "").reference().record
    assert (record["primal"], record["dual"]) == (0.3, 0.2)


@pytest.mark.parametrize("newer", [0, 1])
def test_a_run_on_features_of_another_version_is_stale(tmp_path, monkeypatch, newer):
    now = int(Nystrom.version)
    versioned = partial(identity, features_version=now - newer)
    monkeypatch.setattr("tests.papers.written.identity", versioned)
    groups = [Group(1, "", "", "features=nystrom features.s=20")]
    paper = artifact(["dcd"], groups=groups)
    store(tmp_path, paper.runs.planned()[0])
    (match,) = material(paper, tmp_path).matches
    assert match.state == (f"stale: made by version {now - 1} of nystrom features" if newer else "stored")
