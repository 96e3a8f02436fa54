"""Profiles of methods with known costs."""

import csv
import io
import json

import numpy as np
import pytest
from matplotlib.figure import Figure

from svmbench.analysis import picture
from svmbench.analysis.profiles import profiles, share
from svmbench.cli.main import main
from svmbench.errors import UserError
from svmbench.figures.style import looks
from svmbench.store import Store
from tests.figures.stored import stored_run
from tests.told import output, refusal

COSTS = np.array([100.0, 200.0, 400.0, 800.0])
ERRORS = [50, 30, 20, 10]


def store(root, solver, factors, **options):
    """Store runs whose costs are a factor of `COSTS` on each data set; None for an error that stays."""
    return [
        stored_run(root, solver, dataset, costs=COSTS * (factor or 1), errors=ERRORS if factor else [50] * 4,
                   **options)
        for dataset, factor in factors.items()
    ]  # fmt: skip


def test_ratios_are_to_the_best_method_of_each_case(tmp_path):
    runs = store(tmp_path, "sbp", {"adult": 1, "mnist": 6}) + store(tmp_path, "smo", {"adult": 3, "mnist": 2})
    found = profiles(runs, "kev_ondemand", "test_error", [0.10, 0.30])
    assert found.methods == [("SBP", "sbp"), ("SMO", "smo")]
    assert found.cases == [("adult", 0.1), ("adult", 0.3), ("mnist", 0.1), ("mnist", 0.3)]
    np.testing.assert_allclose(found.costs, [[800, 200, 4800, 1200], [2400, 600, 1600, 400]])
    np.testing.assert_allclose(found.ratios, [[1, 1, 3, 3], [3, 3, 1, 1]])
    np.testing.assert_allclose(found.scaled_costs, found.costs / 1000)
    np.testing.assert_allclose(share(found.ratios[0], np.array([0.9, 1.0, 2.9, 3.0])), [0, 0.5, 0.5, 1])


@pytest.mark.parametrize(
    ("status", "least"),
    [("converged", 0.1), ("budget", 0.2)],  # of a run that could go on, over the last factor of two
)
def test_default_targets_lie_between_the_worst_start_and_the_best_end(tmp_path, status, least):
    runs = store(tmp_path, "sbp", {"adult": 1}, status=status) + store(tmp_path, "smo", {"adult": 2})
    found = profiles(runs, "kev_ondemand", "test_error", tolerances=[0.5, 0.25])
    expected = [least + tolerance * (0.5 - least) for tolerance in (0.5, 0.25)]
    assert [target for _, target in found.cases] == pytest.approx(expected)
    np.testing.assert_allclose(found.costs, [[200, 400], [400, 800]])


def test_the_best_dip_of_a_noisy_curve_sets_no_target(tmp_path):
    costs = 100.0 * 1.2 ** np.arange(30)
    noise = np.random.default_rng(0)
    for solver, end in (("sbp", 10.0), ("pegasos", 10.2)):
        for seed in range(5):
            errors = end + 40.0 / (1 + np.arange(30.0)) ** 2 + noise.normal(0.0, 0.3, 30)
            if (solver, seed) == ("pegasos", 3):
                errors[20] = 5.0
            stored_run(tmp_path, solver, seed=seed, costs=costs, errors=errors)
    found = profiles(Store(tmp_path).runs(), "kev_ondemand", "test_error")
    assert all(0.095 < target < 0.15 for _, target in found.cases)
    assert np.isfinite(found.costs).any(axis=0).all()


def test_a_case_is_solved_from_when_a_run_stays_at_its_target(tmp_path, capsys):
    runs = store(tmp_path, "sbp", {"adult": 1})
    runs += [stored_run(tmp_path, "pegasos", costs=COSTS, errors=[50, 8, 40, 9])]
    found = profiles(runs, "kev_ondemand", "test_error", [0.1])
    assert found.methods[0][0] == "Pegasos" and found.costs.tolist() == [[800.0], [800.0]]
    assert main(["profile", str(tmp_path), "-o", str(tmp_path / "x")]) == 0
    said = "from which a run stays at or below the target"
    assert said in capsys.readouterr().out and said in (tmp_path / "x.txt").read_text()


@pytest.mark.parametrize("seeds", [1, 2, 3, 4])
def test_a_method_reaches_every_default_target(tmp_path, seeds):
    noise = np.random.default_rng(seeds)
    for solver in ("sbp", "pegasos"):
        for seed in range(seeds):
            stored_run(tmp_path, solver, seed=seed, costs=COSTS, errors=noise.uniform(10, 50, 4))
    found = profiles(Store(tmp_path).runs(), "kev_ondemand", "test_error", tolerances=[1e-9])
    assert np.isfinite(found.costs).any()


def test_what_is_not_reached_is_never_solved(tmp_path):
    runs = store(tmp_path, "sbp", {"adult": 1}) + store(tmp_path, "smo", {"adult": None})
    found = profiles(runs, "kev_ondemand", "test_error", [0.10])
    assert found.ratios.tolist() == [[1.0], [np.inf]]
    assert share(found.ratios[1], np.array([1e300])) == 0.0
    nobody = profiles(runs, "kev_ondemand", "test_error", [0.01])
    assert np.isinf(nobody.ratios).all()
    with pytest.raises(UserError, match="no method reaches any of the targets"):
        picture.draw(nobody, tmp_path / "picture", ["png"])


def test_each_case_that_a_method_solves_has_a_marker(tmp_path):
    runs = store(tmp_path, "sbp", {"adult": 1, "mnist": 2})
    runs += store(tmp_path, "smo", {"adult": None, "mnist": None})
    found = profiles(runs, "kev_ondemand", "test_error", [0.10])
    axes, style = Figure().subplots(), looks(found.methods)
    picture._panel(axes, found, found.costs, style, "cost", "data profile")
    marked = [line for line in axes.lines if line.get_linestyle() == "None"]
    assert [line.get_xdata().tolist() for line in marked] == [[800.0, 1600.0]]
    assert marked[0].get_marker() == style[found.methods[0][0]].marker


def test_methods_are_compared_where_all_of_them_were_run(tmp_path):
    runs = store(tmp_path, "sbp", {"adult": 1, "mnist": 1, "reuters": 1})
    runs += store(tmp_path, "smo", {"adult": 2, "mnist": 2}) + store(tmp_path, "sdca", {"covtype": 1})
    found = profiles(runs, "kev_ondemand", "test_error", [0.10])
    assert [name for name, _ in found.methods] == ["SBP", "SMO"]
    assert [problem for problem, _ in found.cases] == ["adult", "mnist"]
    assert ("SDCA", "not run on adult") in found.left_out
    assert ("reuters", "not a problem of SMO") in found.left_out
    with pytest.raises(UserError, match="needs two methods"):
        profiles(runs[:1], "kev_ondemand", "test_error")


def test_two_methods_that_overlap_in_part_share_what_they_share(tmp_path):
    runs = store(tmp_path, "sbp", {"adult": 1, "mnist": 1})
    runs += store(tmp_path, "smo", {"adult": 1, "reuters": 1})
    assert profiles(runs, "kev_ondemand", "test_error", [0.1]).cases == [("adult", 0.1)]


def test_seconds_are_not_divided_by_the_number_of_examples(tmp_path):
    runs = store(tmp_path, "sbp", {"adult": 1}, wall_seconds=COSTS / 7)
    runs += store(tmp_path, "smo", {"adult": 1}, wall_seconds=COSTS / 5)
    found = profiles(runs, "wall_seconds", "test_error", [0.10])
    np.testing.assert_allclose(found.scaled_costs, [[800 / 7], [160]])


def test_the_picture_the_table_and_the_numbers(tmp_path, capsys):
    store(tmp_path, "sbp", {"adult": 1, "mnist": 6}), store(tmp_path, "smo", {"adult": 3, "mnist": 2})
    command = ["profile", str(tmp_path), "--to", "test_error=0.1,0.3", "-o", str(tmp_path / "out.png")]
    out = output(capsys, command)
    assert "4 cases: 2 problems" in out and "50 %" in out and str(tmp_path / "out.png") in out
    assert (tmp_path / "out.png").stat().st_size > 10_000
    assert "Dolan" in (tmp_path / "out.txt").read_text()
    rows = list(csv.DictReader(io.StringIO(output(capsys, [*command, "--csv"]))))
    cases = json.loads(output(capsys, [*command, "--json"]))["cases"]
    assert [float(row["cost"]) for row in rows] == [case["cost"] for case in cases]
    assert [case["ratio"] for case in cases] == [1, 3, 1, 3, 3, 1, 3, 1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--tau", "2"], "give numbers between 0 and 1"),
        (["--tau", "0.1", "--to", "test_error=0.1"], "give one of them"),
        (["--cost", "seconds"], "cost 'seconds' is unknown"),
    ],
)
def test_bad_options_get_one_sentence(tmp_path, capsys, options, words):
    store(tmp_path, "sbp", {"adult": 1}), store(tmp_path, "smo", {"adult": 3})
    assert words in refusal(capsys, ["profile", str(tmp_path), "-o", str(tmp_path / "x"), *options])


@pytest.mark.parametrize(
    ("run_on", "methods", "problems"),
    [
        # Two methods on two problems are more than three on one.
        ({"sdca": "a", "sbp": "am", "smo": "am"}, "SBP SMO", "adult mnist"),
        # Four on two are more than two on three, in either order.
        ({"sbp": "amr", "smo": "amr", "sdca": "am", "pegasos": "am"}, "Pegasos SBP SDCA SMO", "adult mnist"),
        ({"sdca": "am", "pegasos": "am", "sbp": "amr", "smo": "amr"}, "Pegasos SBP SDCA SMO", "adult mnist"),
        # One method alone is no comparison, however many problems it has.
        ({"sbp": "amr", "smo": "a"}, "SBP SMO", "adult"),
    ],
)
def test_as_many_methods_and_problems_as_possible_are_compared(tmp_path, run_on, methods, problems):
    names, runs = {"a": "adult", "m": "mnist", "r": "reuters"}, []
    for solver, on in run_on.items():
        runs += store(tmp_path, solver, {names[letter]: 1 for letter in on})
    found = profiles(runs, "kev_ondemand", "test_error", [0.10])
    assert [name for name, _ in found.methods] == methods.split()
    assert [problem for problem, _ in found.cases] == problems.split()
    if len(found.methods) == 4:  # the first method in the order of names that was not run there
        assert found.left_out == [("reuters", "not a problem of Pegasos")]


@pytest.mark.parametrize(
    ("ends", "target"), [((10,), 0.1), ((10, 20), 0.2), ((10, 20, 30), 0.2), ((10, 20, 30, 40), 0.3)]
)
def test_the_best_default_target_is_one_that_more_than_half_of_the_seeds_reach(tmp_path, ends, target):
    for seed, end in enumerate(ends):
        stored_run(tmp_path, "sbp", seed=seed, costs=COSTS, errors=[90, 80, 70, end], status="converged")
    stored_run(tmp_path, "smo", costs=COSTS, errors=[90, 90, 90, 85], status="converged")
    found = profiles(Store(tmp_path).runs(), "kev_ondemand", "test_error", tolerances=[0.0])
    assert found.cases == [("adult", pytest.approx(target))]


def test_a_method_that_solves_nothing_takes_no_marker_from_those_after_it(tmp_path):
    runs = store(tmp_path, "sbp", {"adult": None, "mnist": None}) + store(
        tmp_path, "smo", {"adult": 1, "mnist": 2}
    )
    found = profiles(runs, "kev_ondemand", "test_error", [0.10])
    for title, values, ends in (
        ("data profile", found.costs, (800 / 1.5, 1600 * 1.5)),
        ("performance profile", found.ratios, (1.0, 1.1)),
    ):
        axes = Figure().subplots()
        picture._panel(axes, found, values, looks(found.methods), "cost", title)
        assert sum(line.get_linestyle() == "None" for line in axes.lines) == 1
        assert axes.get_xlim() == pytest.approx(ends)


def test_a_caption_counts_one_case_and_several(tmp_path):
    runs = store(tmp_path, "sbp", {"adult": 1, "mnist": 1}) + store(tmp_path, "smo", {"adult": 1, "mnist": 1})
    said = picture.caption(profiles(runs, "kev_ondemand", "test_error", [0.1, 0.3]))
    assert said.startswith("Share of 4 cases solved") and " 2 problems; targets: adult: 0.1, adult" in said
    on_adult = [run for run in runs if run.dataset == "adult"]
    said = picture.caption(profiles(on_adult, "kev_ondemand", "test_error", [0.1]))
    assert said.startswith("Share of 1 case solved") and " 1 problem; targets: adult: 0.1." in said


def test_more_methods_than_a_picture_can_show_are_refused(tmp_path):
    runs = store(tmp_path, "sbp", {"adult": 1})
    found = profiles(runs + store(tmp_path, "smo", {"adult": 1}), "kev_ondemand", "test_error", [0.1])
    found.methods[:] = [("a", "sbp")] * 36
    with pytest.raises(UserError, match="36 methods cannot be told apart in one picture, 35 can; name fewer"):
        picture.draw(found, tmp_path / "picture", ["png"])
