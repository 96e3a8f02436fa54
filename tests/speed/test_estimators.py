"""Fits of the estimators in turns with scikit-learn's: every case has a line, stored and printed again."""

import json
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench.cli.main import main
from svmbench.speed import estimators
from svmbench.speed.record import revived
from tests.told import output


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_case_has_a_line_that_is_stored(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(estimators, "ROWS", (60, 80))
    monkeypatch.setattr(estimators, "FEATURES", (2,))
    monkeypatch.setattr(estimators, "C", (1.0,))
    monkeypatch.setattr(estimators, "SECONDS", 0.0)
    assert main(["speed", "estimators", "--most", "60", "--json", "--results", str(tmp_path)]) == 0
    pairs = [revived(estimators.Pair, each) for each in json.loads(capsys.readouterr().out)["estimators"]]
    cases = {(pair.estimator, pair.features) for pair in pairs if pair.baseline == "sklearn"}
    assert cases == {(name, features) for name in estimators.KINDS for features in ("2", "sparse")}
    for pair in pairs:
        assert pair.n == 60 and pair.turns >= estimators.TURNS
        assert min(pair.theirs[0], pair.ours[0], pair.ratio[0]) > 0.0
        assert (pair.gaps is not None) == (pair.estimator == "LinearSVC")
        assert pair.gaps is None or -1e-9 <= pair.gaps[1] <= 2e-4
    assert output(capsys, ["speed", "show", "--results", str(tmp_path)]).count("| sklearn") == len(cases)


@pytest.mark.parametrize(
    ("theirs", "ours", "turns", "ratios", "medians"),
    [
        ((3.0, 0.4, 0.9, 0.1), (3.0, 0.2, 0.3, 0.1), 3, (1.5, 2.0, 2.5), (400.0, 200.0)),
        ((5.0, 3.0), (1.0, 2.0), 1, (1.5, 1.5, 1.5), (3000.0, 2000.0)),  # takes 11 seconds
        ((50.0,), (2.0,), 1, (25.0, 25.0, 25.0), (50000.0, 2000.0)),  # too long for a turn that warms up
    ],
)
def test_the_ratio_is_that_of_turns(monkeypatch, theirs, ours, turns, ratios, medians):
    class Fit:
        def __init__(self, *seconds):
            self.seconds = iter(seconds)

        def fit(self, X, y):
            clock.append(clock[-1] + next(self.seconds))

    clock = [0.0]
    monkeypatch.setattr(estimators.time, "process_time", lambda: clock[-1])
    pair = estimators.Pair(
        "SVC", "sklearn", 100, "2", 1.0, **estimators._turns(Fit(*theirs), Fit(*ours), None, None)
    )
    assert pair.turns == turns and pair.ratio == pytest.approx(ratios)
    assert pair.line()[5:8] == pytest.approx((*medians, ratios[1]))


def test_too_few_rows_are_refused(capsys):
    assert main(["speed", "estimators", "--most", "7"]) == 2
    assert "--most 7 is not allowed: give at least 100" in capsys.readouterr().err


@pytest.mark.parametrize("classes", [0, 2, 10])
def test_examples_have_the_classes_asked_for(classes):
    X, y = estimators.examples(300, "sparse", classes)
    assert sp.issparse(X) and X.shape == (300, estimators.SPARSE)
    assert np.unique(y).size == (classes or 300)


def test_without_scikit_learn_a_sentence_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.delitem(sys.modules, "svmbench.sklearn", raising=False)
    assert main(["speed", "estimators", "--most", "100", "--results", str(tmp_path)]) == 2
    assert "pip install scikit-learn" in capsys.readouterr().err
