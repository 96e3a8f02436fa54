"""Checks on cases that hold, and on ones that do not."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from svmbench.papers.checks import (
    _function,
    _is_outcome,
    approximation,
    costs,
    datasets,
    linear,
    projection,
    slack,
)

OUTCOMES = Path(__file__).parents[2] / "results" / "reference" / "checks"
FEW = {"d": 20, "columns": [100], "eps": [0.2, 0.5], "trials": 2000}

#: Checks that are quick, or are with these arguments: their outcomes are then a part of the committed ones.
QUICK = {
    "as-p1": {"trials": 2},
    "as-p2": {},
    "lec-e": {"trials": 300},
    "rs-c1": {"columns": [50], "cosines": [0.5]},
    "rs-jl": {},
    "rs-k": {},
    "rs-l2": {"columns": [50], "entries": ["normal"]},
    "rup-5": {},
    "sbp-e1": {},
    "sbp-f1": {},
    "sbp-f4": {},
    "sbp-l21": {},
    "sbp-l31": {},
    "sbp-wl": {"sizes": [1000, 10000]},
}


def leaves(document, path=()):
    """Return the texts and numbers of a document by their paths."""
    if not isinstance(document, dict | list):
        return {path: document}
    pairs = document.items() if isinstance(document, dict) else enumerate(document)
    return dict(itertools.chain(*(leaves(value, (*path, key)).items() for key, value in pairs)))


def same(value):
    """Return what equals a text or number, but for rounding."""
    return value if isinstance(value, str | bool) else pytest.approx(value, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("name", QUICK)
def test_a_check_measures_what_is_committed(name):
    stored = json.loads((OUTCOMES / f"{name}.json").read_text())
    outcome = _function(stored["function"])(stored["arguments"] | QUICK[name])
    parts = ("measures", "panels") if QUICK[name] else ("measures", "panels", "notes")
    found = {part: json.loads(json.dumps(getattr(outcome, part))) for part in parts}
    if QUICK[name]:  # the least of fewer
        found["measures"] = {
            key: one for key, one in found["measures"].items() if not key.startswith("least,")
        }
    found, committed = leaves(found), leaves(stored)
    assert found == {path: same(committed[path]) for path in found}


def test_margins_are_kept_by_as_many_columns_as_the_theorem_asks():
    given = {"n": 100, "d": 200, "margin": 0.5, "gamma": 0.5, "trials": 2}
    kept = projection.margin_kept({**given, "delta": 0.1})
    assert kept.measures["share"]["value"] == 1.0
    # k is proportional to log(4 n / delta), and 3495 for the last of the committed trials
    generator = np.random.default_rng([7101, 1])
    u = generator.standard_normal(200)
    u /= np.linalg.norm(u)
    X = generator.standard_normal((100, 200)) / np.sqrt(200.0)
    y = np.sign(X @ u)
    X += 0.5 * y[:, None] * u
    length, margin = np.linalg.norm(X, axis=1).max(), min(y * (X @ u))
    k = int(np.ceil(8.0 * (1.0 + (1.0 + length**2) / (2.0 * margin)) ** 2 * np.log(4000.0) / 0.25))
    assert kept.notes == [f"2 projections; the last one to {k} columns."]
    lost = projection.margin_kept({**given, "trials": 50, "delta": 399.999})
    assert lost.notes == ["50 projections; the last one to 1 columns."]
    assert lost.measures["share"]["value"] == 0.0


def test_a_share_has_the_interval_of_wilson():
    assert projection._share([True] * 8 + [False] * 2) == pytest.approx(
        {"value": 0.8, "low": 0.490162, "high": 0.943318}, abs=1e-6
    )
    assert projection._share([True] * 10) == pytest.approx(
        {"value": 1.0, "low": 0.722467, "high": 1.0}, abs=1e-6
    )


def test_a_gain_a_step_and_what_is_left_of_the_violation_are_those_of_the_pair():
    assert linear._gain(3.0, 2.0) == pytest.approx(9.0 / 4.0)
    assert linear._interval(0.3, 0.4, 1.0, 1.0) == pytest.approx((-0.3, 0.4))
    assert linear._interval(0.7, 0.8, 1.0, 1.0) == pytest.approx((-0.2, 0.3))
    assert linear._interval(0.3, 0.4, -1.0, 1.0) == pytest.approx((-0.3, 0.6))
    assert linear._interval(0.7, 0.4, -1.0, 1.0) == pytest.approx((-0.4, 0.3))
    K = np.array([[2.0, 0.5], [0.5, 3.0]])
    assert linear._after(np.array([1.0, -2.0]), K, 0, 1, 0.1) == pytest.approx(3.0 - 0.1 * (2.0 + 3.0 - 1.0))


def errata(monkeypatch, name, replacement=None):
    """The arguments of the calls that the check makes of a function, and what it measures."""
    calls, real = [], getattr(linear, name)
    monkeypatch.setattr(linear, name, lambda *a: calls.append(a) or (replacement or real)(*a))
    return calls, linear.lecture_errata({"trials": 20}).measures


def test_the_curvature_along_a_pair_is_the_squared_distance_of_the_examples(monkeypatch):
    kernels = [K for _, K, *_ in errata(monkeypatch, "_after")[0]]
    curvatures = [h for _, h in errata(monkeypatch, "_gain")[0]]
    distances = []
    for K in kernels:
        values, vectors = np.linalg.eigh(K)
        points = vectors * np.sqrt(np.maximum(values, 0.0))  # with these inner products
        distances += [np.sum((a - b) ** 2) for a, b in itertools.permutations(points, 2)]
    assert len(curvatures) > 100
    assert all(np.isclose(h, distances, rtol=1e-6).any() for h in curvatures)


def test_both_labels_occur_and_differ_from_the_responses_by_a_linear_predictor(monkeypatch):
    every = np.array(list(itertools.product((-1.0, 1.0), repeat=12)))
    seen = set()
    for F, K, *_ in errata(monkeypatch, "_after")[0]:
        apart = (np.eye(12) - K @ np.linalg.pinv(K, rcond=1e-10)) @ (every - F).T
        distances = np.linalg.norm(apart, axis=0)
        assert distances.min() < 1e-8
        seen |= set(every[distances.argmin()])
    assert seen == {-1.0, 1.0}
    assert {sign for _, _, sign, _ in errata(monkeypatch, "_interval")[0]} == {-1.0, 1.0}


@pytest.mark.parametrize(
    "one_outside", [lambda a, b, sign, C: (0.0, 1.5 - a), lambda a, b, sign, C: (-0.5 - a, 0.0)]
)
def test_a_step_that_leaves_the_box_is_noticed(monkeypatch, one_outside):
    _, measures = errata(monkeypatch, "_interval", one_outside)
    assert measures["steps inside the box"] == {"value": 0.5}


def test_a_random_point_of_the_ball_is_uniform():
    generator = np.random.default_rng(0)
    for d in (2, 5):
        points = np.array([slack._in_ball(generator, d) for _ in range(4000)])
        within = np.linalg.norm(points, axis=1) ** d  # the part of the ball that is nearer to its centre
        assert within.max() <= 1.0
        assert np.quantile(within, [0.25, 0.5, 0.75]) == pytest.approx([0.25, 0.5, 0.75], abs=0.03)
        assert points.mean(axis=0) == pytest.approx(np.zeros(d), abs=0.05)


def test_the_note_on_the_work_for_a_water_level_is_about_the_largest_size():
    outcome = slack.level_work({"sizes": [1000, 4000], "repetitions": 3})
    median = np.median(outcome.measures["comparisons"]["series"][1])
    assert outcome.notes == [f"Median of 3 draws: {median / 4000:.2f} n at n = 4,000."]
    assert 1.0 <= median / 4000 < 10.0
    lines = {line["label"]: line["y"] for line in outcome.panels[0]["lines"]}
    assert lines["water level"][1] == median and lines["n log2 n, to sort"][1] == 4000 * np.log2(4000)


def test_explicit_features_have_the_inner_products_of_the_quadratic_kernel():
    X = np.random.default_rng(0).standard_normal((8, 2))
    phi = approximation._quadratic(X)
    assert phi @ phi.T == pytest.approx((X @ X.T + 1.0) ** 2, rel=1e-5)


@pytest.fixture
def ticking(monkeypatch):
    """A clock that shows one second more each time it is read."""
    ticks = itertools.count()
    monkeypatch.setattr(costs.time, "process_time", lambda: float(next(ticks)))


def test_the_least_of_three_times_is_taken(monkeypatch):
    times, calls = iter([0.0, 3.0, 10.0, 11.5, 20.0, 22.0]), []
    monkeypatch.setattr(costs.time, "process_time", lambda: next(times))
    assert costs._least(lambda: calls.append(None)) == 1.5 and len(calls) == 3


def test_the_time_of_an_iteration_is_measured_over_both_numbers_of_features(ticking, monkeypatch):
    seen, start = [], costs.registry.get("pegasos_linear").start
    monkeypatch.setattr(
        costs.registry.get("pegasos_linear"), "start", lambda *a: seen.append(a[1:3]) or start(*a)
    )
    given = {"features": 400, "nonzeros": [3, 10], "widths": [20, 50], "repetitions": 2}
    outcome = costs.sparse_time(given)
    second = [1.0 / 20_000] * 2
    assert outcome.measures == {
        "time over nonzeros": {"x": [3, 10], "series": [second, second]},
        "time over features": {"x": [20, 50], "series": [second, second]},
    }
    assert [(data.n, data.d) for _, data in seen] == [(500, 400), (500, 400), (500, 20), (500, 50)]
    assert all(set(problem.y) == {-1.0, 1.0} for problem, _ in seen)
    assert [panel["lines"][0]["y"] for panel in outcome.panels] == [[second[0]] * 2] * 2
    assert [panel["title"] for panel in outcome.panels] == [
        "400 features",
        "3 nonzero features of an example",
    ]


def test_the_time_of_features_is_set_against_the_operations_of_the_bound(ticking):
    given = {"features": 7, "pairs": [[60, 20], [50, 10]], "repetitions": 2}
    outcome = costs.map_time(given)
    operations = [10.0**3 + 10.0 * 50 * (7 + 10), 20.0**3 + 20.0 * 60 * (7 + 20)]
    assert outcome.measures["time"] == {"x": operations, "series": [[1.0, 1.0], [1.0, 1.0]]}
    assert outcome.measures["greatest evaluations over s m"] == {"value": 1.0}
    assert outcome.panels[0]["lines"][0] == {
        "label": "Nyström features",
        "solver": "asset",
        "x": operations,
        "y": [1.0, 1.0],
    }


def test_an_example_is_classified_by_as_many_evaluations_as_the_sample_is_large():
    outcome = costs.classification_cost({"examples": 100, "samples": [8, 16]})
    assert outcome.measures == {"greatest cost over d": {"value": 1.0}}
    assert [line["y"] for line in outcome.panels[0]["lines"]] == [[8.0, 16.0], [100, 100]]
    assert outcome.panels[0]["title"] == "100 training examples"


def test_distances_are_kept_by_entries_of_variance_1_alone():
    found = projection.distances_kept({**FEW, "entries": ["normal", "signs", "interval"]}).measures
    assert found["least, normal"]["low"] > 0.0 and found["least, signs"]["low"] > 0.0
    assert found["least, interval"]["high"] < -0.5


def test_inner_products_are_kept_by_entries_of_variance_1_alone():
    given = {**FEW, "cosines": [-1.0, 0.0, 1.0], "entries": ["normal", "interval"], "eps": [0.5]}
    found = projection.products_kept(given).measures
    assert found["least, normal"]["low"] > 0.0 and found["least, interval"]["high"] < -0.5


def test_vectors_are_at_the_angle_and_of_the_lengths_that_are_asked():
    u, v = projection._at_angle(np.random.default_rng(0), 9, -0.3)
    assert np.linalg.norm(u) == pytest.approx(1.0) and np.linalg.norm(v) == pytest.approx(2.0)
    assert u @ v == pytest.approx(-0.6)


def test_what_does_not_solve_the_problem_in_alpha_does_not_solve_that_in_w(monkeypatch):
    given = {"lam": 0.05, "trials": 2}
    solved = approximation._solved_in_alpha
    assert approximation.primal_with_kernel(given).measures["suboptimality"]["value"] < 1e-8
    monkeypatch.setattr(approximation, "_solved_in_alpha", lambda *a: (1.1 * solved(*a)[0], solved(*a)[1]))
    assert approximation.primal_with_kernel(given).measures["suboptimality"]["value"] > 1e-4


def test_a_sample_whose_coefficients_are_wrong_gives_other_scores(monkeypatch):
    given = {"s": 30, "trials": 2}
    assert approximation.sample_classifier(given).measures["scores apart"]["value"] < 1e-5
    kind = approximation.features.get("nystrom")
    expansion = kind.expansion

    def one_percent_off(self, weights):
        rows, coefficients = expansion(self, weights)
        return rows, 1.01 * coefficients

    monkeypatch.setattr(kind, "expansion", one_percent_off)
    assert approximation.sample_classifier(given).measures["scores apart"]["value"] > 5e-3


def test_fourier_features_near_the_kernel_like_one_over_the_root_of_their_number():
    board = {"name": "checkerboard", "n_train": 300, "n_test": 10, "seed": 0}
    given = {
        "sets": {"board": board},
        "gammas": {"board": 1.0},
        "frequencies": [4, 64, 1024],
        "examples": 200,
        "repetitions": 9,
    }
    outcome = approximation.fourier_quality(given)
    errors = np.median(outcome.measures["board"]["series"], axis=1)
    assert np.log(errors[2] / errors[0]) / np.log(256.0) == pytest.approx(-0.5, abs=0.1)
    assert outcome.panels[0]["lines"][0]["y"] == list(errors)


def test_the_sizes_of_a_set_are_those_of_its_parts():
    board = {"name": "checkerboard", "n_train": 30, "n_test": 10, "seed": 0}
    measures = datasets.set_sizes({"sets": {"board": board}}).measures
    expected = {"board train": 30, "board test": 10, "board features": 2, "board density": 100.0}
    assert measures == {name: {"value": value} for name, value in expected.items()}


PANEL = {"title": "t", "x_label": "x", "y_label": "y", "lines": [{"label": "a", "x": [1, 2.5], "y": [0, 1]}]}
OUTCOME = {
    "seconds": 1.5,
    "measures": {"a": {"value": 1}, "b": {"values": [1.0]}, "c": {"x": [1], "series": [[1, 2]]}},
    "panels": [PANEL],
    "notes": ["n"],
}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"measures": {"a": {"value": 1.0, "low": 0.5, "high": 2}}},
        {"measures": {}, "panels": [], "notes": []},
        {"seconds": 0},
    ],
)
def test_what_a_check_measures_is_an_outcome(change):
    assert _is_outcome(OUTCOME | change)


@pytest.mark.parametrize(
    "change",
    [
        *({"seconds": value} for value in (None, True, "1", 1e300)),
        *({"measures": value} for value in (None, [], {"a": 1.0})),
        *(
            {"measures": {"a": value}}
            for value in (
                {"value": True},
                {"value": 1.0, "low": 0.5},
                {"value": 1.0, "low": None, "high": 1.0},
                {"values": []},
                {"values": 1.0},
                {"values": [1.0, "2"]},
                {"x": [1], "series": [[]]},
                {"x": [1], "series": [["1"]]},
                {"x": ["1"], "series": [[1]]},
                {"x": [1, 2], "series": [[1]]},
                {"x": [], "series": []},
                {"series": [[1]]},
                {"x": [1], "series": 1},
            )
        ),
        *({"panels": value} for value in (None, [[]], [PANEL | {"title": 1}], [PANEL | {"y_label": None}])),
        *(
            {"panels": [PANEL | {"lines": value}]}
            for value in (
                None,
                [1],
                [{"x": [1], "y": [1]}],
                [{"label": "a", "x": [1], "y": [1, 2]}],
                [{"label": "a", "x": [1], "y": ["1"]}],
                [{"label": "a", "x": 1, "y": [1]}],
            )
        ),
        {"notes": None},
        {"notes": ["n", 1]},
    ],
)
def test_what_no_check_measures_is_no_outcome(change):
    assert not _is_outcome(OUTCOME | change)
