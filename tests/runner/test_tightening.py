"""Exact solvers on raw features: a small violation of the conditions may be far from the optimum."""

import numpy as np
import pytest

import svmbench
from svmbench.solvers import registry

EXACT = sorted(
    name for name in registry.built_in() if registry.get(name).exact and registry.get(name).access == "kernel"
)


def raw_features(n=200):
    """Return rows with columns of scales 1 to 1e4, and labels that depend on all of them."""
    draw = np.random.default_rng(4)
    Z = draw.standard_normal((n, 20))
    X = np.round(Z * 10.0 ** draw.uniform(0, 4, 20))
    return X, np.where(Z @ draw.standard_normal(20) / 4 + 0.7 * draw.standard_normal(n) > 0.4, 1, -1)


@pytest.mark.parametrize("bias", ["none", "unregularised"])
@pytest.mark.parametrize("name", EXACT)
def test_a_run_that_converged_is_near_the_optimum(name, bias, tmp_path):
    if bias not in registry.get(name).biases:
        pytest.skip("not supported")
    words = (f"solver={name}", "kernel.gamma=0.01", "problem.C=1e4", f"problem.bias={bias}")
    run = svmbench.run(*words, dataset=raw_features(), results=tmp_path, quiet=True)
    assert run.status == "converged"
    assert run.summary()["relative_gap"] <= 1e-3


def test_a_tolerance_that_is_tightened_leaves_the_checkpoints_before_unchanged(tmp_path):
    given = ("solver=smo_pair", "kernel.gamma=0.01", "problem.C=1e4", "problem.bias=unregularised")
    data = raw_features()
    tight = svmbench.run(*given, dataset=data, results=tmp_path, quiet=True).trace()
    loose = svmbench.run(*given, "solver.eps=1e-6", dataset=data, results=tmp_path, quiet=True).trace()
    both = tight.merge(loose, on="iterations")
    assert len(tight) > len(both) > 3
    assert both["primal_objective_x"].tolist() == both["primal_objective_y"].tolist()
