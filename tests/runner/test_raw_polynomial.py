"""Errors on raw features with polynomial kernels, where single precision cannot tell the signs of scores."""

import json

import numpy as np
import pytest

from svmbench.cli.main import main
from svmbench.store import Store
from tests.told import output


def write(path, n, seed):
    """Write examples in the units of a clinic: years, mm Hg, mg/dl, a bit, beats a minute, mm."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], size=n)
    X = [rng.integers(30, 78, n), rng.normal(146, 25, n), rng.normal(347, 80, n), rng.integers(0, 2, n)]
    X = np.column_stack([*X, rng.normal(136, 25, n) - 5 * y, rng.uniform(0, 6, n)]).round()
    lines = (
        " ".join([str(label), *(f"{k}:{value:g}" for k, value in enumerate(x, 1))]) for label, x in zip(y, X)
    )
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("kernel", ["kernel.degree=3 kernel.gamma=0.1", "kernel.degree=2 kernel.gamma=1"])
@pytest.mark.parametrize("solver", ["decomposition", "smo_pair", "chunking"])
def test_the_error_of_a_run_is_that_of_its_model(solver, kernel, tmp_path, capsys):
    train, test = write(tmp_path / "train", 300, 1), write(tmp_path / "test", 150, 2)
    results = str(tmp_path / "results")
    main([
        "run", f"solver={solver}", "dataset=file", f"dataset.path={train}", f"dataset.test_path={test}",
        "kernel=polynomial", *kernel.split(), "kernel.coef0=1", "problem.C=1", "problem.bias=unregularised",
        "budget.kev=3e5", f"results={results}",
    ])  # fmt: skip
    run = Store(results).runs()[0]
    capsys.readouterr()
    assert main(["predict", run.id, str(test), "--scores", "--results", results, "--json"]) == 0
    scores = np.array(json.loads(capsys.readouterr().out)["scores"])
    y = np.array([float(line.split()[0]) for line in test.read_text().splitlines()])
    mistakes = int(np.count_nonzero(~(y * scores > 0.0)))
    assert mistakes == run.summary()["test_mistakes"]
    assert "not known" not in output(capsys, ["verify", "--recompute", run.id, "--results", results])
