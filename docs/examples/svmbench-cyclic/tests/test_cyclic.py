"""The solver on a small problem, beside the conformance suite of svmbench. A run has a limit of 60 s."""

import svmbench

SMALL = ("dataset.n_train=100", "dataset.n_test=50", "budget.seconds=60")


def test_it_reaches_the_optimum(tmp_path):
    """The run ends by its own rule, within its limit, at a small duality gap."""
    run = svmbench.run("solver=cyclic", "solver.eps=1e-6", *SMALL, results=tmp_path, quiet=True)
    assert run.status == "converged"
    assert run.summary()["relative_gap"] < 1e-3
