import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.figures.selection import optimum_value, select
from svmbench.figures.series import calm_since, steps_of
from svmbench.figures.settings import shared

from .stored import CONFIG, store_optimum, stored_run


def only_curve(runs, counter="kev_ondemand"):
    (panel,) = select(runs, counter).panels
    (curve,) = panel.curves
    return curve


def test_a_run_shows_its_last_checkpoint(tmp_path):
    curve = only_curve([stored_run(tmp_path, costs=[100, 1000, 10_000], errors=[40, 20, 10])])
    at = curve.steps[0].at(np.array([99, 100, 998, 1000, 9_995, 10_000, 10_011, 20_000], dtype=float))
    # 9,995 is within the overshoot of one iteration of 10,000; past the end of the budget nothing is known
    np.testing.assert_array_equal(at, [np.nan, 40, 40, 20, 10, 10, np.nan, np.nan])


def test_the_least_error_so_far_never_rises(tmp_path):
    run = stored_run(tmp_path, costs=[100, 1000, 10_000, 100_000], errors=[40, 10, 20, 5])
    steps = steps_of(run, "kev_ondemand", "least_test_error")
    np.testing.assert_allclose(steps.value, [40, 10, 10, 5])


@pytest.mark.parametrize("metric", ["test_error", "least_test_error"])
def test_an_error_that_no_model_made_is_not_shown(tmp_path, metric):
    # Older runs store an error of 1 for a model without terms.
    costs, errors = [10, 100, 1000], [100, 100, 20]
    run = stored_run(tmp_path, "dcsvm", costs=costs, errors=errors, support_vectors=[0, 7, 9])
    steps = steps_of(run, "kev_ondemand", metric)
    assert (steps.cost.tolist(), steps.value.tolist()) == ([100, 1000], [100, 20])
    never = stored_run(tmp_path, "dcsvm", seed=1, costs=costs, errors=[100] * 3, support_vectors=[0] * 3)
    assert steps_of(never, "kev_ondemand", metric).value.tolist() == [100] * 3


@pytest.mark.parametrize("status", ["converged", "stalled"])
def test_a_settled_run_stays_where_it_is(tmp_path, status):
    curve = only_curve([stored_run(tmp_path, "smo", costs=[100, 1000], errors=[40, 20], status=status)])
    assert curve.median(np.array([1e9]))[0] == 20
    assert curve.settled and curve.end == 1000 and curve.known_until == np.inf


def test_the_median_needs_every_seed(tmp_path):
    traces = {
        0: ([100, 1000, 10_000], [30, 20, 10]),
        1: ([300, 1000], [50, 28]),
        2: ([100, 1000, 10_000], [35, 24, 6]),
    }
    curve = only_curve([stored_run(tmp_path, seed=s, costs=c, errors=e) for s, (c, e) in traces.items()])
    assert (curve.start, curve.end) == (300, 1000)
    np.testing.assert_array_equal(curve.median(np.array([100, 300, 1000, 10_000])), [np.nan, 35, 24, np.nan])
    np.testing.assert_array_equal(curve.costs(), [300, 1000])


def test_checkpoints_that_nearly_coincide_are_one_point(tmp_path):
    costs = [[1000 + 5 * seed, 2000 + 5 * seed] for seed in range(3)]
    runs = [stored_run(tmp_path, seed=s, costs=own, errors=[20, 10]) for s, own in enumerate(costs)]
    assert only_curve(runs).costs().tolist() == [1010, 2000]  # 2,010 lies past the first run's end


def test_runs_with_different_parameters_are_different_curves(tmp_path):
    kernels = [{"kernel": {"name": "gaussian", "gamma": gamma}} for gamma in (0.05, 0.1)]
    runs = [stored_run(tmp_path, costs=[100], errors=[20], config=kernel) for kernel in kernels]
    runs.append(stored_run(tmp_path, "smo", costs=[100], errors=[20]))
    (panel,) = select(runs, "kev_iter").panels
    assert [curve.label for curve in panel.curves] == ["SBP (γ = 0.05)", "SBP (γ = 0.1)", "SMO"]


def test_versions_of_a_data_set_are_different_panels(tmp_path):
    runs = [
        stored_run(tmp_path, costs=[100], errors=[20], config={"dataset": {"name": "mnist", "task": task}})
        for task in ("8", "0-4")
    ]
    labels = [panel.name for panel in select(runs, "kev_iter").panels]
    assert labels == ["mnist, task 0-4", "mnist, task 8"]


def test_runs_of_a_solver_that_was_renamed_form_one_curve(tmp_path):
    old, new = (
        stored_run(tmp_path, "decomposition", seed=seed, costs=[100], errors=[20], title=title)
        for seed, title in enumerate(("decomposition", "Decomposition"))
    )
    assert only_curve([old, new]).label == "Decomposition"


def test_a_title_names_no_task_that_is_all_classes(tmp_path):
    config = {"problem": {**CONFIG["problem"], "multiclass": "one_vs_one"}}
    config["dataset"] = {"name": "clouds", "task": "all"}
    (panel,) = select([stored_run(tmp_path, costs=[100], errors=[20], config=config)], "kev_iter").panels
    assert panel.name == "clouds" and shared(panel.runs) == "γ = 0.05, C = 1, one vs one"
    binary = stored_run(tmp_path, costs=[100], errors=[20], config={"dataset": {"name": "clouds"}})
    both = select([binary, *panel.runs], "kev_iter").panels
    assert [panel.name for panel in both] == ["clouds", "clouds (task = all)"]


def test_the_longer_of_two_equal_runs_is_kept(tmp_path):
    budgets = [
        {"budget": {"name": "x", "counter": "kev_ondemand", "kev": kev, "memory": 64}} for kev in (1e2, 1e3)
    ]
    long = stored_run(tmp_path, costs=[100, 1000], errors=[20, 10], config=budgets[1])
    short = stored_run(tmp_path, costs=[100], errors=[20], config=budgets[0])
    for order in ([long, short], [short, long]):
        chosen = select(order, "kev_ondemand")
        assert [run.id for run in chosen.runs] == [long.id]
        assert chosen.left_out == [(short.id, f"{long.id} is the same run with a larger budget")]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"costs": []}, "no checkpoint"),
        ({"errors": [np.nan]}, "test_error was never observed"),
        ({"kev_ondemand": [np.nan]}, "kev_ondemand cannot be observed for this solver"),
        ({"costs": [0]}, "no checkpoint lies at a positive kev_ondemand"),
    ],
)
def test_runs_without_a_curve_are_left_out_with_a_reason(tmp_path, changes, reason):
    given = {"costs": [100], "errors": [20], **changes}
    if not given["costs"]:
        given["errors"] = []
    run = stored_run(tmp_path, status="failed", **given)
    chosen = select([run], "kev_ondemand")
    ((name, why),) = chosen.left_out
    assert name == run.id and reason in why and not chosen.panels


def test_the_optimum_comes_from_the_store_of_the_run(tmp_path):
    run = stored_run(tmp_path, costs=[100], errors=[20])
    (panel,) = select([run], "kev_ondemand").panels
    assert optimum_value(panel, "test_error") is None
    store_optimum(tmp_path, test_error=12.5, primal=0.25)
    assert optimum_value(panel, "test_error") == 12.5
    assert optimum_value(panel, "primal_objective") == 0.25
    assert optimum_value(panel, "train_error") is None


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        (["kev_ondemnd"], r"cost 'kev_ondemnd' cannot be drawn: .*; did you mean 'kev_ondemand'\?"),
        (["iterations", "wall_second"], "metric 'wall_second' cannot be drawn: give one of test_error"),
    ],
)
def test_axes_that_do_not_exist(axes, sentence):
    with pytest.raises(UserError, match=sentence):
        select([], *axes)


def test_a_fit_that_cost_more_than_a_later_one_is_not_shown(tmp_path):
    curve = only_curve([stored_run(tmp_path, costs=[300, 900, 500, 1000], errors=[40, 30, 20, 10])])
    np.testing.assert_array_equal(curve.steps[0].cost, [300, 500, 1000])
    np.testing.assert_array_equal(curve.steps[0].value, [40, 20, 10])


def test_a_curve_is_called_what_its_run_says_else_by_its_name(tmp_path):
    titled = stored_run(tmp_path, "own", costs=[100], errors=[20], title="My Own")
    older = stored_run(tmp_path, "elsewhere", costs=[100], errors=[20])
    known = stored_run(tmp_path, "sdca", costs=[100], errors=[20])
    (panel,) = select([titled, older, known], "kev_iter").panels
    assert [curve.label for curve in panel.curves] == ["SDCA", "My Own", "elsewhere"]


def test_the_rate_of_a_cost_is_its_time_over_it_and_nothing_before_the_clock_ticks(tmp_path):
    run = stored_run(tmp_path, costs=[1e3, 1e4, 1e5], errors=[3, 2, 1], cpu_seconds=[0.0, 1e-4, 2e-3])
    steps = steps_of(run, "kev_ondemand", "nanoseconds")
    np.testing.assert_allclose(steps.cost, [1e4, 1e5])
    np.testing.assert_allclose(steps.value, [10.0, 20.0])


@pytest.mark.parametrize(
    ("solver", "config", "cost"),
    [
        ("sbp", {}, [10.0, 20.0]),
        ("sbp", {"features": {"name": "nystrom", "s": 64}}, [64.0]),
        ("sbp", {"features": {"name": "fourier", "frequencies": 64}}, [64.0]),
        ("dcsvm", {"solver": {"name": "dcsvm", "early": 0}}, [10.0, 20.0]),
        # What a prediction by its parts takes is unknown.
        ("dcsvm", {"solver": {"name": "dcsvm", "early": 2}}, "prediction cannot be observed for this solver"),
    ],
)
def test_a_prediction_takes_the_support_vectors_or_the_size_of_the_features(tmp_path, solver, config, cost):
    given = {"costs": [1e3, 1e4], "errors": [2, 1], "support_vectors": [10.0, 20.0]}
    found = steps_of(stored_run(tmp_path, solver, **given, config=config), "prediction")
    if isinstance(cost, str):
        assert found == cost
    else:
        assert list(found.cost) == cost and list(found.value) == [2.0, 1.0][-len(cost) :]


@pytest.mark.parametrize(
    ("values", "calm"),
    [
        ([80.6, 23.6, 46.9, 23.6, 71.1, 47.2, 23.6, 42.6, 23.6, 15, 15.2, 15], 8),  # SMO on Adult
        ([80, 22, 69, 22, 47, 22, 35, 27, 28, 27, 16], 10),  # with a small C
        ([80, 23, 71, 76], 0),  # one jump, which may be the end of it
        ([80, 23, 71, 23, 76], 4),  # the run ended in the midst of it
        ([80, 23, 40, 60, 71, 30, 23, 50, 76, 15], 9),  # slowly up and down
        ([60, 40, 30, 20, 10], 0),
        ([1, 2, 4, 8, 16, 32], 0),  # as support vectors do
        ([1, 4, 16, 64, 16, 4, 1], 0),  # one hump
        ([17, 19, 16, 20, 17, 21, 18, 20, 15, 20] * 9, 0),  # noise
        ([30, 2, 0, 1, 0, 1, 0, 0], 6),  # jumps from 0 are fourfold
        ([5], 0),
        ([0, 0, 0], 0),
    ],
)
def test_a_line_is_calm_from_where_it_no_longer_jumps_up_and_down(values, calm):
    assert calm_since(np.array(values, dtype=float)) == calm
