"""A run that takes more memory than it may ends with what it has, whoever notices."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from svmbench import config
from svmbench.data import Dataset, Part
from svmbench.run_config import ObserveConfig
from svmbench.runner.loop import Loop, LoopSpec, Surroundings
from svmbench.runner.memory import Allowance, held
from svmbench.runner.signals import Interrupt
from svmbench.solvers.base import Solver
from svmbench.store import Store
from tests.plugin import install

from .fakes import BUDGET, ScriptedRun, Silent, two_clouds

pytestmark = pytest.mark.skipif(held() is None, reason="the system does not say what a process holds")

HOARD = '''
import time
from dataclasses import dataclass

import numpy as np

from svmbench.solvers.base import KernelExpansion, Snapshot, Solver


@dataclass(frozen=True)
class Params:
    """Parameters of solver=hoard."""

    deaf: bool = False


class Hoard(Solver):
    """Takes 4 MiB in each iteration; a deaf one never returns from its thirtieth."""

    name = "hoard"
    title = "Hoard"
    citation = "No paper."
    Params = Params

    def start(self, problem, oracle, rng):
        return Run(problem, oracle, self.params.deaf)


class Run:
    converged = stalled = False

    def __init__(self, problem, oracle, deaf):
        self.problem, self.oracle, self.deaf, self.iterations, self.taken = problem, oracle, deaf, 0, []

    def advance(self, counter, until, most=10**9):
        last = self.iterations + most
        while self.oracle.ledger.as_dict()[counter] < until and self.iterations < last:
            self.taken.append(b"!" * (4 << 20))
            time.sleep(0.01)
            if self.deaf and len(self.taken) >= 30:
                continue
            self.iterations += 1
            self.oracle.ledger.charge(iterations=1)

    def snapshot(self):
        return Snapshot(KernelExpansion.from_alpha(np.zeros(self.problem.n), self.problem.y))
'''


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A folder that is installed like a distribution with the solver above."""
    return install(tmp_path, "hoarding", HOARD, "hoard = hoarding:Hoard")


@pytest.mark.parametrize(("several", "deaf"), [((), "false"), ((), "true"), (("-m",), "true")])
def test_a_solver_of_others_is_ended_as_a_row_with_its_curve(plugin, several, deaf):
    small = ("dataset.n_train=60", "dataset.n_test=20", "budget=debug", "budget.memory=1")
    words = (*several, "solver=hoard", f"solver.deaf={deaf}", *small, "budget.counter=iterations")
    command = [sys.executable, "-m", "svmbench.cli.main", "run", *words, "budget.kev=1e5"]
    environment = {"PYTHONPATH": str(plugin)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=plugin, env=environment)
    assert done.returncode == 0, done.stderr
    (run,) = Store(plugin / "results").runs()
    assert (run.status, run.complete) == ("budget", True)
    assert run.reason.startswith("budget.memory=1 reached ("), run.reason
    assert run.reason.endswith("ended from outside") == (deaf == "true")
    beside = run.manifest["memory"]["beside"]
    assert 257.0 <= beside < 258.0
    assert f" {beside:.0f} allowed)" in run.reason
    last = run.summary()["iterations"]
    assert last == 25 if deaf == "true" else 60 <= last < 300


class Takes(ScriptedRun):
    """Takes a MiB in each iteration."""

    def advance(self, counter, until, most=10**9):
        self.taken = [*getattr(self, "taken", ()), *(b"!" * (1 << 20) for _ in range(min(most, 20)))]
        super().advance(counter, until, min(most, 20))


def test_the_loop_looks_between_slices():
    rows: list[dict[str, object]] = []
    before = held()
    assert before is not None
    run = Takes({"kev_iter": 1}, pause=0.001)
    allowance = Allowance(3.0, before, 40.0)
    around = Surroundings(lambda seen, last: {}, rows.append, Interrupt(), Silent(), allowance=allowance)
    spec = LoopSpec(replace(BUDGET, counter="iterations"), 1, ObserveConfig(points=1), Solver)
    loop = Loop(run, run.as_dict, spec, around)
    end = loop.drive()
    assert end.status == "budget"
    assert end.reason.startswith("budget.memory=3 reached (")
    assert rows


def test_what_is_allowed_grows_with_the_data_and_their_features():
    small, large = two_clouds(n=30), two_clouds(n=30000, d=20)
    allowed = {}
    for name, data in (("small", small), ("large", large)):
        for features in ("none", "fourier"):
            given = [
                "solver=dcd",
                f"features={features}",
                "kernel=gaussian" if features != "none" else "kernel=linear",
            ]
            found = Allowance.of(config.resolve([*given, "budget.memory=10"]), data)
            assert found is not None and found.memory == 10.0
            allowed[name, features] = found.beside
    parts = (large.train, large.validation, large.test)
    size = sum(part.X.nbytes + part.y.nbytes for part in parts if part is not None) / 2**20
    assert allowed["small", "none"] == pytest.approx(266.0, abs=0.1)
    assert allowed["large", "none"] == pytest.approx(266.0 + 8.0 * size, rel=1e-6)
    assert allowed["large", "fourier"] > allowed["large", "none"] + 1.0
    assert Allowance.of(config.resolve(["solver=smo", "budget.memory=null"]), small) is None


def test_sparse_examples_count_with_their_indices():
    scipy = pytest.importorskip("scipy.sparse")
    X = scipy.random(1000, 500, density=0.5, format="csr", dtype=np.float32, rng=0)
    train = Part(scipy.csr_array(X), np.ones(1000))
    found = Allowance.of(
        config.resolve(["solver=smo", "budget.memory=1"]), Dataset("x", train, None, None, "", {})
    )
    assert found is not None
    assert found.beside == pytest.approx(257.0 + 8 * (8 * X.nnz + 4 * 1001 + 8 * 1000) / 2**20, rel=1e-6)


def test_what_is_held_is_what_has_been_written():
    before = held()
    taken = np.empty(64 << 17)  # 64 MiB, of which nothing is held yet
    assert before is not None
    asked = held()
    assert asked is not None and asked - before < 32.0
    taken[:] = 1.0
    full = held()
    assert full is not None and full - before > 60.0
    assert held(10**9) is None
