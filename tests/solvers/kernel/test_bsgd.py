"""What is particular to BSGD: its merges, and what a budget leaves as it is."""

from functools import partial

import numpy as np
import pytest

from svmbench import config
from svmbench.data import load
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry
from svmbench.solvers.merging import MergeTable, merge_table, searched
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.test_bsca import two_classes
from tests.solvers.kernel.working_sets import scores
from tests.specification.bsgd import loss_at, merged

GAUSSIAN = {"name": "gaussian", "gamma": 0.7}


started = partial(working_sets.started, kernel=GAUSSIAN, C=5.0, bias="none")


@pytest.mark.parametrize("maintenance", ["merging", "removal"])
def test_before_its_budget_is_reached_it_is_pegasos(maintenance):
    X, y = two_classes(60)
    run, oracle, _ = started("bsgd", X, y, budget=60, maintenance=maintenance)
    other, plain, _ = started("pegasos", X, y)
    for goal in (1, 50, 3000):
        run.advance("iterations", goal)
        other.advance("iterations", goal)
        np.testing.assert_allclose(scores(run, oracle), scores(other, plain), rtol=1e-5, atol=1e-6)
        for counter in ("kev_ondemand", "kev_rowupdate", "kev_iter"):
            assert oracle.ledger.as_dict()[counter] == plain.ledger.as_dict()[counter]


@pytest.mark.parametrize(
    ("places", "given"),
    [
        # One place in each class, so that partners, which have the same sign, are equal points.
        (2, {"budget": 2}),
        (2, {"budget": 2, "search": "golden"}),
        (2, {"budget": 5, "together": 3}),
        (8, {"budget": 8, "maintenance": "projection"}),
    ],
)
def test_what_equal_points_become_is_what_they_were(places, given):
    points, labels = two_classes(8, seed=1)
    if places == 2:
        points, labels = points[[0, np.argmax(labels != labels[0])]], np.array([labels[0], -labels[0]])
    X, y = np.repeat(points, 30, axis=0), np.repeat(labels, 30)
    run, oracle, _ = started("bsgd", X, y, **given)
    other, plain, _ = started("pegasos", X, y)
    run.advance("iterations", 2000)
    other.advance("iterations", 2000)
    assert run.snapshot().model.support_vectors <= given["budget"]
    np.testing.assert_allclose(scores(run, oracle), scores(other, plain), rtol=1e-4, atol=1e-5)


def test_the_larger_maximum_lies_on_the_side_of_the_larger_coefficient():
    rng = np.random.default_rng(2)
    everywhere = np.linspace(0.0, 1.0, 20_001)
    for m, kappa in zip(rng.uniform(0.5, 1.0, 200), rng.uniform(0.0, 1.0, 200) ** 3, strict=True):
        h, loss = searched(m, kappa, 1e-9)
        best = merged(m, kappa, everywhere).max()
        assert 0.5 <= h <= 1.0
        assert merged(m, kappa, h) >= best - 1e-12
        assert loss == pytest.approx(max(loss_at(m, kappa, h), 0.0), abs=1e-13)


def test_two_maxima_exist_below_the_published_kernel_value():
    """For equal coefficients there are two maxima exactly where κ < exp(-2) (Glasmachers, Qaadan 2018)."""
    scan = np.linspace(0.0, 1.0, 200_001)
    for factor, count in ((0.98, 2), (1.02, 1)):
        values = merged(0.5, factor * np.exp(-2.0), scan)
        inner = (values[1:-1] > values[:-2]) & (values[1:-1] >= values[2:])
        assert inner.sum() == count


def test_the_table_is_as_exact_as_it_is_fine():
    rng = np.random.default_rng(3)
    pairs = list(zip(rng.uniform(0.5, 1.0, 2000), rng.uniform(0.0, 1.0, 2000), strict=True))

    def errors(table):
        exact = np.array([searched(m, kappa, 1e-9)[1] for m, kappa in pairs])
        found = np.array([table.looked_up(m, kappa)[1] for m, kappa in pairs])
        return np.abs(found - exact)

    fine, coarse = errors(merge_table()), errors(MergeTable(100))
    assert np.median(fine) < 1e-6 and fine.max() < 2e-4
    assert np.median(fine) < np.median(coarse) / 8.0  # bilinear: the square of the step


def test_corners_of_the_table():
    table = merge_table()
    for m in (0.5, 0.7, 1.0):
        assert table.looked_up(m, 1.0)[1] == 0.0
        h, loss = table.looked_up(m, 0.0)
        assert h == 1.0 and loss == pytest.approx((1.0 - m) ** 2, abs=1e-5)
    assert searched(0.5, 0.0, 0.01) == (1.0, 0.25)


def test_merging_costs_less_than_removal():
    X, y = two_classes(600, d=2, seed=4)
    found = {}
    for maintenance in ("merging", "removal", "projection"):
        for seed in range(5):
            run, oracle, _ = started("bsgd", X, y, seed=seed, budget=15, maintenance=maintenance)
            run.advance("iterations", 6000)
            model = run.snapshot().model
            hinge = np.maximum(0.0, 1.0 - y * model.training_scores(oracle)).mean()
            objective = 0.5 * 0.2 / 600 * model.squared_norm(oracle, y, y) + hinge
            found.setdefault(maintenance, []).append(objective)
    medians = {key: np.median(values) for key, values in found.items()}
    assert medians["merging"] < medians["removal"] and medians["projection"] < medians["removal"]


@pytest.mark.parametrize("together", [2, 5])
def test_several_points_at_once_need_maintenance_less_often(together):
    X, y = two_classes(300, seed=5)
    run, _, _ = started("bsgd", X, y, budget=20, together=together)
    sizes = []
    for goal in range(1, 2000):
        run.advance("iterations", goal)
        sizes.append(run.snapshot().model.support_vectors)
    assert max(sizes) == 20
    assert min(sizes[200:]) == 20 + 2 - together


def test_distances_far_from_the_origin_are_those_of_differences():
    X, y = two_classes(80, seed=6)
    near, oracle, _ = started("bsgd", X, y, budget=10)
    far, moved, _ = started("bsgd", X + 65536.0, y, budget=10)
    near.advance("iterations", 400)
    far.advance("iterations", 400)
    np.testing.assert_allclose(
        far.snapshot().model.points - 65536.0, near.snapshot().model.points, rtol=0.0, atol=1e-8
    )
    assert moved.ledger.as_dict() == oracle.ledger.as_dict()


@pytest.mark.real_data
def test_adult_has_the_error_that_its_authors_print(tmp_path):
    """BudgetedSVM's README: a9a, budget 200, five epochs, λ 1e-4, "around 15%"."""
    resolved = config.resolve(["dataset=adult", "solver=bsgd", "kernel.gamma=0.01"])
    data = load(resolved.dataset.document(), directory=str(tmp_path))
    solver, errors = registry.get("bsgd"), []
    for seed in range(3):
        oracle = Oracle(data.train.X, {"name": "gaussian", "gamma": 0.01})
        problem = Problem.build(data.train.y, lam=1e-4)
        run = solver(solver.Params(budget=200)).start(problem, oracle, Generator(seed))
        run.advance("iterations", 5 * data.train.n)
        model = run.snapshot().model
        errors.append(np.mean(model.scores(oracle, data.test.X) * data.test.y <= 0.0))
    assert np.median(errors) == pytest.approx(0.15, abs=0.01)
