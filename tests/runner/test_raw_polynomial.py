"""Errors on raw features with polynomial kernels, where single precision cannot tell the signs of scores."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from svmbench.cli.main import main
from svmbench.store import Store

FOLDER = Path(__file__).parent / "raw_polynomial"


@pytest.mark.parametrize("kernel", ["kernel.degree=3 kernel.gamma=0.1", "kernel.degree=2 kernel.gamma=1"])
@pytest.mark.parametrize("solver", ["decomposition", "smo_pair", "chunking"])
def test_the_error_of_a_run_is_that_of_its_model(solver, kernel, tmp_path, capsys):
    train, test = FOLDER / "raw.train", FOLDER / "raw.test"
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
    assert main(["verify", "--recompute", run.id, "--results", results]) == 0
    assert "not known" not in capsys.readouterr().out
