"""Checks on cases that hold, and on ones that do not."""

import numpy as np
import pytest

from svmbench.papers.checks import approximation, projection

NOWHERE = {"mirror": None, "dir": None}
FEW = {"d": 20, "columns": [100], "eps": [0.2, 0.5], "trials": 2000}


def test_distances_are_kept_by_entries_of_variance_1_alone():
    found = projection.distances_kept({**FEW, "entries": ["normal", "signs", "interval"]}, NOWHERE).measures
    assert found["least, normal"]["low"] > 0.0 and found["least, signs"]["low"] > 0.0
    assert found["least, interval"]["high"] < -0.5


def test_inner_products_are_kept_by_entries_of_variance_1_alone():
    given = {**FEW, "cosines": [-1.0, 0.0, 1.0], "entries": ["normal", "interval"], "eps": [0.5]}
    found = projection.products_kept(given, NOWHERE).measures
    assert found["least, normal"]["low"] > 0.0 and found["least, interval"]["high"] < -0.5


def test_vectors_are_at_the_angle_and_of_the_lengths_that_are_asked():
    u, v = projection._at_angle(np.random.default_rng(0), 9, -0.3)
    assert np.linalg.norm(u) == pytest.approx(1.0) and np.linalg.norm(v) == pytest.approx(2.0)
    assert u @ v == pytest.approx(-0.6)


def test_what_does_not_solve_the_problem_in_alpha_does_not_solve_that_in_w(monkeypatch):
    given = {"lam": 0.05, "trials": 2}
    solved = approximation._solved_in_alpha
    assert approximation.primal_with_kernel(given, NOWHERE).measures["suboptimality"]["value"] < 1e-8
    monkeypatch.setattr(approximation, "_solved_in_alpha", lambda *a: (1.1 * solved(*a)[0], solved(*a)[1]))
    assert approximation.primal_with_kernel(given, NOWHERE).measures["suboptimality"]["value"] > 1e-4


def test_a_sample_whose_coefficients_are_wrong_gives_other_scores(monkeypatch):
    given = {"s": 30, "trials": 2}
    assert approximation.sample_classifier(given, NOWHERE).measures["scores apart"]["value"] < 1e-5
    kind = approximation.features.get("nystrom")
    expansion = kind.expansion

    def one_percent_off(self, weights):
        rows, coefficients = expansion(self, weights)
        return rows, 1.01 * coefficients

    monkeypatch.setattr(kind, "expansion", one_percent_off)
    assert approximation.sample_classifier(given, NOWHERE).measures["scores apart"]["value"] > 5e-3


def test_fourier_features_near_the_kernel_like_one_over_the_root_of_their_number():
    board = {"name": "checkerboard", "n_train": 300, "n_test": 10, "seed": 0}
    given = {
        "sets": {"board": board},
        "gammas": {"board": 1.0},
        "frequencies": [4, 64, 1024],
        "examples": 200,
        "repetitions": 9,
    }
    outcome = approximation.fourier_quality(given, NOWHERE)
    errors = np.median(outcome.measures["board"]["series"], axis=1)
    assert np.log(errors[2] / errors[0]) / np.log(256.0) == pytest.approx(-0.5, abs=0.1)
    assert outcome.panels[0]["lines"][0]["y"] == list(errors)
