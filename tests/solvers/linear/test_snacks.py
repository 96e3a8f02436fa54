"""What is particular to Snacks: its stages and balls, and what its authors' program prints."""

import numpy as np
import pytest

from svmbench import config, features
from svmbench.data import load
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry
from tests.conformance.cases import data
from tests.solvers.linear.small import started

SNACKS = registry.get("snacks")


def test_a_stage_begins_at_the_mean_of_the_last_and_stays_in_its_ball():
    X, y = data(n=60)
    radius, stage = 0.25, 50
    run, *_ = started("snacks", X, y, lam=0.01, seed=0, stage=stage, stages=3, radius=radius, step=3.0)
    centre = np.zeros(X.shape[1])
    for k in range(3):
        for t in range(1, stage + 1):
            run.advance("iterations", k * stage + t)
            w = run.snapshot().model.weights
            assert np.linalg.norm(w - centre) <= radius / 2**k * (1.0 + 1e-12)
        assert np.linalg.norm(w - centre) > 0.1 * radius / 2**k  # steps of 1 reach its boundary
        centre = w
    assert run.converged and run.iterations == 3 * stage
    assert np.linalg.norm(centre) > radius


def test_halving_removes_the_noise_that_equal_steps_keep():
    X, y = data(n=200)
    lam, objectives = 1.0 / 200, {}
    for stages in (1, 6):
        for seed in range(7):
            given = {"stage": 24_000 // stages, "stages": stages, "radius": 10.0, "step": 1.0}
            run, examples, _ = started("snacks", X, y, lam=lam, seed=seed, **given)
            run.advance("iterations", 24_000)
            w = run.snapshot().model.weights
            hinge = np.maximum(0.0, 1.0 - y * examples.products(w)).mean()
            objectives.setdefault(stages, []).append(0.5 * lam * (w @ w) + hinge)
    assert max(objectives[6]) < min(objectives[1])


@pytest.mark.real_data
def test_adult_has_the_error_that_the_authors_program_prints(tmp_path):
    """Their repository's output.txt: 15.26% on a9a; theirs are m, γ, λ and the stages, not the split."""
    resolved = config.resolve(
        ["dataset=adult", "solver=snacks", "features=nystrom", "features.s=500", "kernel.gamma=0.01"]
    )
    loaded = load(resolved.dataset.document(), directory=str(tmp_path))
    errors = []
    for seed in range(3):
        chosen = features.get("nystrom")
        mapped = chosen(loaded.train.X, resolved.kernel.document(), chosen.Params(s=500), Generator(seed))
        problem = Problem.build(loaded.train.y, lam=1e-5)
        run = SNACKS(SNACKS.Params()).start(problem, mapped.examples(), Generator(seed))
        run.advance("iterations", 10**9)
        assert run.converged
        scores, _ = mapped.scores(run.snapshot().model.weights, 0.0, loaded.test.X)
        errors.append(np.mean(scores * loaded.test.y <= 0.0))
    assert np.median(errors) == pytest.approx(0.1526, abs=0.005)
