"""The stored runs of Figure 2 of the SBP paper against an independent implementation of the solvers."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from svmbench.analysis.arrivals import stays_below
from svmbench.papers import artifact as artifacts
from svmbench.papers.material import Material

POINTS = yaml.safe_load(Path(__file__).with_name("independent_points.yaml").read_text())
#: The range over our seeds is widened by this factor, because theirs has one seed or two.
WITHIN = 1.25
#: SMO is compared from where it has come to stay so near to its end, in points: before that the error at a
#: cost is a matter of chance, 2.0 % here and 6.0 % there on MNIST after 3.2e7 evaluations.
ARRIVED = 0.1


@pytest.fixture(scope="module")
def material(index) -> Material:
    return Material.of(artifacts.load("sbp-f2"), index)


@pytest.mark.parametrize("panel", ["reuters", "adult", "mnist"])
@pytest.mark.parametrize("solver", ["sbp", "pegasos", "sdca", "smo", "perceptron"])
def test_errors_agree_with_those_of_another_implementation(panel, solver, material):
    curve = material.evidence(panel, "kev_ondemand").curve(solver, "test_error")
    tests = curve.steps[0].run.manifest["dataset"]["rows"]["test"]
    since = stays_below(curve.steps[0], curve.steps[0].value[-1] + ARRIVED)[1] if solver == "smo" else 0.0
    compared, apart = 0, []
    for point in POINTS:
        if (point["panel"], point["solver"]) == (panel, solver) and float(point["at"]) >= since:
            compared += 1
            # And by twice the standard error of a difference of two errors: 0.2 points at 0.5 % of 10,000.
            ours = curve.values(np.array([float(point["at"])]))[:, 0]
            theirs = np.atleast_1d(point["value"])
            margin = 2.0 * np.sqrt(2.0 * theirs.max() * (100.0 - theirs.max()) / tests)
            low = ours.min() - max(margin, ours.min() * (1.0 - 1.0 / WITHIN))
            high = ours.max() + max(margin, ours.max() * (WITHIN - 1.0))
            if high < theirs.min() or low > theirs.max():
                apart.append((point, ours.min(), ours.max()))
    assert apart == [] and compared > 0
