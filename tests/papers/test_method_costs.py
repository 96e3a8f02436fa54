"""What methods cost for each wish, from runs whose outcome is known; the optimum has a test error of 10 %."""

from types import SimpleNamespace

import numpy as np
import pytest

from svmbench.papers.method_costs import (
    EARLY,
    OPTIMUM,
    _arrival,
    _end,
    _memory,
    _size,
    by_noise,
    costs,
    measured,
)
from svmbench.papers.runs import Group, Line
from svmbench.store import Store
from tests.papers.test_advice import ALONE, ERRORS, PANELS, SHAPES, found, stored  # noqa: F401  # a fixture
from tests.papers.written import artifact, errors, material, store

SMALL, MEMORY = "a small model", "little memory"


def on(material, wish, panel="s0"):
    return costs(measured(material, wish))[panel]


def test_only_methods_that_end_by_their_own_rule_reach_the_optimum(found):  # noqa: F811
    assert on(found, OPTIMUM) == {"decomposition": pytest.approx(0.01), "smo": pytest.approx(0.03)}


@pytest.mark.parametrize("status", ["budget", "diverged", "stalled", "timeout"])
def test_a_run_that_ended_otherwise_does_not_reach_the_optimum(tmp_path, status):
    config = artifact(["smo"]).runs.planned()[0].config
    steps = SimpleNamespace(run=SimpleNamespace(status=status, config=config), cost=np.array([1.0, 2.0, 3.0]))
    assert _end(steps, 10.5) == np.inf
    steps.run.status = "converged"
    assert _end(steps, 10.5) == 3.0


def test_early_prediction_does_not_reach_the_optimum(tmp_path):
    # Its early settings end ten times as soon, by a rule of their own.
    groups = [Group(1, "dcsvm", over={"solver.early": [0, 1]})]
    made = stored(tmp_path, {"dcsvm": (30, 10)}, groups=groups)
    assert on(made, OPTIMUM) == {"dcsvm": pytest.approx(0.01)}
    assert on(made, EARLY) == {"dcsvm": pytest.approx(0.001)}


def test_a_subset_does_not_reach_the_optimum(tmp_path):
    groups = [Group(1, "smo"), Group(1, "part", over={"subset": [50]})]
    lines = [Line("smo"), Line("part", solver="smo")]
    made = stored(tmp_path, {"smo": (30, 10), "part": (30, 10)}, lines=lines, groups=groups)
    assert list(on(made, OPTIMUM)) == ["smo"]


def test_a_run_that_leaves_the_neighbourhood_again_is_not_there(tmp_path):
    made = stored(tmp_path, {"pegasos": (10, 20), "sbp": (20, 10.4), "perceptron": (10.4, 10.4)})
    for wish, cost in ((EARLY, 0.01), (SMALL, 20.0), (MEMORY, 12.4)):
        there = on(made, wish)
        assert there["pegasos"] == np.inf
        assert there["sbp"] == pytest.approx(cost)
    assert on(made, EARLY)["perceptron"] == pytest.approx(0.004)


def test_half_a_point_is_near_and_more_is_not(tmp_path):
    made = stored(tmp_path, {"pegasos": (30, 10.6), "sbp": (30, 10.5)})
    assert on(made, EARLY) == {"pegasos": np.inf, "sbp": pytest.approx(0.01)}


def test_a_model_is_as_small_as_its_run_leaves_it(tmp_path):
    # Near the optimum from the first checkpoint, when it has 8 support vectors; 20 at the end.
    assert on(stored(tmp_path, ERRORS), SMALL)["sbp"] == 20.0


@pytest.mark.parametrize(("errors", "near"), [((30, 20, 10.5), True), ((30, 10, 20), False)])
def test_memory_and_size_are_those_of_a_run_that_is_near_the_optimum_at_its_end(errors, near):
    run = SimpleNamespace(peak_memory=12.4, manifest={})
    steps = SimpleNamespace(value=np.array(errors), cost=np.array([1.0, 2.0, 3.0]), run=run)
    assert (_memory(steps, 10.5), _size(steps, 10.5)) == ((12.4, 3.0) if near else (np.inf, np.inf))
    assert _arrival(steps, 10.5) == (3.0 if near else np.inf)
    run.peak_memory = None  # unknown, and not the least
    assert np.isnan(_memory(steps, 10.5)) == near


def test_the_memory_of_a_run_is_known_if_its_process_made_no_other_before(tmp_path):
    made = stored(tmp_path, {"pegasos": (30, 10), "sbp": (30, 10), "smo": (30, 10)}, before={"sbp": 1})
    assert on(made, MEMORY) == {"pegasos": 12.4, "smo": 12.4}
    unmeasured = stored(tmp_path / "all", {"sbp": (30, 10)}, before={"sbp": 1})
    assert measured(unmeasured, MEMORY) == {}


def test_the_best_setting_counts_that_gets_there(tmp_path):
    groups = [Group(3, "bsgd", over={"solver.budget": [50, 800]})]
    known = {"bsgd": (20, 10)}
    assert on(stored(tmp_path, known, groups=groups), SMALL) == {"bsgd": 50.0}


def test_seconds_of_disturbed_runs_are_unknown_and_half_of_the_methods_must_be_known(tmp_path):
    ends = {"sbp": (10, 10), "pegasos": (10, 10), "perceptron": (10, 10), "sdca": (10, 10)}
    busy = {"seconds": 5.0, "others": 1.0, "stolen": 0.0, "cores": 2}
    made = stored(tmp_path, ends, loads={("sbp", "s0"): busy, ("pegasos", "s1"): busy, ("sdca", "s1"): busy,
                                         ("perceptron", "s1"): busy})  # fmt: skip
    there = measured(made, EARLY)
    assert list(there["s0"]) == ["pegasos", "perceptron", "sdca"]
    assert list(there) == [name for name in SHAPES if name != "s1"]
    assert len(measured(made, SMALL)["s1"]) == 4


def test_less_than_half_of_many_methods_is_too_few(tmp_path):
    names = ["sbp", "pegasos", "sdca", "perceptron", "smo", "decomposition", "svm_light"]
    busy = {**ALONE, "others": 0.9}
    for known, there in ((3, False), (4, True)):
        loads = {(name, panel): busy for name in names[known:] for panel in SHAPES}
        made = stored(tmp_path / str(known), dict.fromkeys(names, (30, 10)), loads=loads)
        assert ("s0" in measured(made, EARLY)) == there


def test_features_do_not_reach_the_optimum():
    groups = [Group(1, "", "", "features=nystrom features.s=20")]
    (featured,), (plain,) = (artifact(["dcd"], groups=one).runs.planned() for one in (groups, None))
    steps = [
        SimpleNamespace(run=SimpleNamespace(status="converged", config=one.config), cost=np.array([1.0]))
        for one in (featured, plain)
    ]
    assert [_end(one, 10.5) for one in steps] == [np.inf, 1.0]


def test_five_percent_of_errors_at_the_optimum_are_noise():
    assert by_noise({"s3": None, "s0": 4.99, "s2": 5.01, "s1": 5.0}) == {
        "optimum's test error at least 5 %": ["s2", "s1"],
        "optimum's test error below 5 %": ["s0"],
    }


@pytest.mark.parametrize(("rounds", "credited"), [((0, 0), "sample"), ((0, 1), "randsvm")])
def test_what_randsvm_answers_in_its_first_round_is_that_of_smo_on_a_sample(tmp_path, rounds, credited):
    lines = ["randsvm", "sbp", Line("sample", solver="smo")]
    made = artifact(
        lines, kind="front", panels=PANELS[:1], groups=[Group(3, "randsvm sbp")],
        counters="cpu_seconds kev_ondemand prediction",
    )  # fmt: skip
    optimum = Store(tmp_path).put_optimum({"key": "one", "test_error": 0.1})
    for planned in made.runs.planned():
        rows = [
            {**row, "cpu_seconds": 0.1 * k, "support_vectors": 10 * k, "rounds": rounds[k - 1]}
            for k, row in enumerate(errors(30, 10), start=1)
        ]
        store(tmp_path, planned, rows, load=ALONE, optimum=optimum)
    there = material(made, tmp_path)
    for wish in (EARLY, "few kernel evaluations", SMALL, MEMORY):
        known = {name for name, cost in on(there, wish).items() if cost < np.inf}
        assert known == {credited, "sbp"}, wish
    if credited == "randsvm":
        # The first round does not get there; what its models and memory would be is unknown.
        assert on(there, EARLY)["sample"] == np.inf and "sample" not in on(there, SMALL)


def test_a_data_set_is_compared_if_half_of_the_methods_are_known_and_its_optimum_is(tmp_path):
    busy = {**ALONE, "others": 0.9}
    names, error = ["sbp", "pegasos", "sdca", "perceptron"], dict.fromkeys(SHAPES, 0.1) | {"s0": None}
    loads = {(name, "s1"): busy for name in names[:2]} | {(name, "s2"): busy for name in names[:3]}
    made = stored(tmp_path, dict.fromkeys(names, (30, 10)), loads=loads, error=error)
    assert list(measured(made, EARLY)) == ["s1", *list(SHAPES)[3:]]


def test_the_run_that_is_shown_is_that_of_the_first_seed_with_the_best_setting(tmp_path):
    groups = [Group(3, "bsgd", over={"solver.budget": [800, 50]})]
    made = stored(tmp_path, {"bsgd": (20, 10)}, groups=groups)
    shown = next(
        match.result.id
        for match in made.matches
        if (match.planned.panel, dict(match.planned.over)["solver.budget"], match.planned.seed)
        == ("s0", 50, 0)
    )
    assert measured(made, SMALL)["s0"]["bsgd"] == (50.0, shown)
