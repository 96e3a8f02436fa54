"""A run of several binary problems that was stopped goes on with what it has kept of them."""

import os
import re
import signal

import numpy as np
import pytest

from svmbench.cli.main import main
from svmbench.errors import UserError
from svmbench.runner import loop
from svmbench.runner.execute import execute
from svmbench.solvers import registry
from svmbench.store import Store
from svmbench.store.timing import disturbed
from tests.told import output

from .test_joint import TEST, TRAIN, Quiet, asked, run, write

SBP = ("problem.multiclass=one_vs_one", "solver=sbp", "budget.iterations=300")
CLOCKS = {"wall_seconds", "cpu_seconds"}
#: Counts that differ when a problem continues from its stored state: its row cache is empty then.
CACHED = {"kev_computed", "kev_discarded", "inner_products"}


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """The folder of two files with four classes, and of the results."""
    monkeypatch.chdir(tmp_path)
    for name, part in (("train.npz", TRAIN), ("test.npz", TEST)):
        write(tmp_path / name, *part)
    return tmp_path


class Listening(Quiet):
    """Hears what is said and which binary problems train; may stop its process when one does."""

    def __init__(self, at: int = 0, number: int = signal.SIGKILL) -> None:
        super().__init__()
        self.said: list[str] = []
        self.trained: set[int] = set()
        self._stop = at, number

    def say(self, text: str) -> None:
        self.said.append(text)

    def doing(self, what: str, left: float | None = None) -> None:
        found = re.fullmatch(r"problem (\d) of \d: training", what)
        if found is not None:
            self.trained.add(int(found[1]))
            if int(found[1]) == self._stop[0]:
                os.kill(os.getpid(), self._stop[1])


def stop(given, at: int, number: int):
    """Begin a run in a process that gets a signal at a binary problem; return the names of what it kept."""
    process = os.fork()
    if not process:
        execute(given, progress=Listening(at, number))
        os._exit(0)
    os.waitpid(process, 0)
    id = Store(given.results).runs()[0].id
    folder = next(Store(given.results).root.glob(f"runs/{id}{'' if number == signal.SIGINT else '.running'}"))
    return sorted(path.name for path in folder.glob("problems/*"))


def go_on(given):
    listener = Listening()
    outcome = execute(given, progress=listener)
    assert outcome.state == "done" and [one.id for one in Store(".").runs()] == [outcome.run.id]
    assert not list(Store(".").root.glob("runs/*/problems"))
    return outcome.run, listener


def same(one, other, apart):
    assert (one.id, one.status, one.reason) == (other.id, other.status, other.reason)
    assert one.wrong_tests == other.wrong_tests
    rows = [[{k: v for k, v in row.items() if k not in apart} for row in own.rows()] for own in (one, other)]
    assert rows[0] == rows[1] and rows[0]
    models = one.model().models, other.model().models
    assert len(models[0]) == len(models[1])
    for a, b in zip(*models):
        (about, arrays), (own, others) = a.content(), b.content()
        assert about == own and arrays.keys() == others.keys()
        assert all(np.array_equal(arrays[name], others[name]) for name in arrays)


@pytest.mark.parametrize(
    ("number", "kind", "words"),
    [
        (signal.SIGINT, "one_vs_one", ("solver=sbp", "budget.iterations=300")),
        (signal.SIGKILL, "one_vs_rest", ("solver=smo", "observe.points=20")),
        (signal.SIGINT, "one_vs_rest", ("solver=sbp", "budget.kev=20000", "observe.every=1000")),
        (signal.SIGKILL, "one_vs_one", ("solver=decomposition", "solver.eps=1e-9", "budget.gap=1e-7")),
        (signal.SIGINT, "one_vs_rest", ("solver=randsvm", "budget.iterations=3")),
        (
            signal.SIGKILL,
            "one_vs_one",
            ("solver=pegasos", "budget.iterations=200", "budget.counter=kev_computed"),
        ),
        (signal.SIGINT, "one_vs_rest", ("solver=dcd", "kernel=linear")),
    ],
    ids=lambda words: words[0].partition("=")[2] if isinstance(words, tuple) else words,
)
def test_a_stopped_run_goes_on_and_ends_as_if_it_had_not_been(mine, kind, words, number):
    given, count = asked(f"problem.multiclass={kind}", *words), 6 if kind == "one_vs_one" else 4
    kept = stop(given, 3, number)
    (stopped,) = Store(mine).runs()
    assert stopped.status == ("interrupted" if number == signal.SIGINT else "killed")
    assert not stopped.complete and not stopped.rows() and not stopped.path.joinpath("model.npz").exists()
    assert kept[:2] == ["1.part", "2.part"]
    from_state = "3.part" in kept and given.budget.counter != "kev_computed"
    assert kept[2:] == ([] if number == signal.SIGKILL or given.solver.name == "randsvm" else ["3.part"])
    again, listener = go_on(given)
    assert listener.trained == set(range(3, count + 1))
    assert f"continuing {again.id}: 2 of {count} binary problems are solved" in listener.said
    about = again.manifest["continued"]
    assert (about["run"], about["problems"]) == (again.id, 2) and about["iterations"] > 0
    assert disturbed(again) == "it was made in several pieces"
    alone = run(f"problem.multiclass={kind}", *words, folder="alone")
    same(again, alone, CLOCKS | (CACHED if from_state else set()))


def test_a_problem_goes_on_from_a_state_with_checkpoints(mine, monkeypatch):
    class Late(Listening):
        """Kills its process at a checkpoint of the third problem, after the states of others."""

        looks = 0

        def doing(self, what: str, left: float | None = None) -> None:
            self.looks += what == "problem 3 of 4: checkpoint"
            if self.looks == 6:
                os.kill(os.getpid(), signal.SIGKILL)

    words = ("problem.multiclass=one_vs_rest", "solver=pegasos", "budget.iterations=5000", "observe.points=4")
    given = asked(*words)
    process = os.fork()
    if not process:
        monkeypatch.setattr(loop, "KEPT_EVERY", -1.0)
        monkeypatch.setattr(loop, "KEPT_COST", 0.0)
        execute(given, progress=Late())
        os._exit(0)
    os.waitpid(process, 0)
    again, listener = go_on(given)
    assert listener.trained == {3, 4}
    alone = run(*words, folder="alone")
    before = sum(model.iterations for model in alone.model().models[:2])
    assert again.manifest["continued"]["iterations"] > before  # not from the first iteration
    same(again, alone, CLOCKS | CACHED)


@pytest.mark.parametrize(
    ("first", "second"), [(signal.SIGINT, signal.SIGKILL), (signal.SIGKILL, signal.SIGINT)]
)
def test_what_was_kept_stays_however_often_a_run_is_stopped(mine, first, second):
    given = asked(*SBP)
    stop(given, 3, first)
    assert stop(given, 5, second)[:4] == ["1.part", "2.part", "3.part", "4.part"]
    again, listener = go_on(given)
    assert listener.trained == {5, 6}
    same(again, run(*SBP, folder="alone"), CLOCKS | CACHED)


DAMAGE = {
    "cut": lambda content: content[:-100],
    "one bit": lambda content: content[:300] + bytes([content[300] ^ 4]) + content[301:],
    "empty": lambda content: b"",
}


@pytest.mark.parametrize(
    ("how", "repaired"), [("cut", False), ("cut", True), ("one bit", False), ("empty", True)]
)
def test_a_damaged_problem_is_told_and_solved_again(mine, capsys, how, repaired):
    given = asked(*SBP)
    stop(given, 4, signal.SIGKILL)
    (path,) = mine.glob("runs/*.running/problems/2.part")
    path.write_bytes(DAMAGE[how](path.read_bytes()))
    told = output(capsys, ["verify", "--results", "."], 1)
    assert "2.part is damaged (checksum mismatch); svmbench verify --repair --results . sets it aside" in told
    assert "1.part" not in told and "1 killed, 1 damaged" in told
    if repaired:
        assert main(["verify", "--repair", "--results", "."]) == 0
        assert [one.name for one in mine.glob("damaged/*")] == [f"{path.parents[1].name}-2.part"]
        assert main(["verify", "--results", "."]) == 0
    again, listener = go_on(given)
    sentence = "binary problem 2 is solved again: "
    assert any(said.startswith(sentence) for said in listener.said) != repaired
    assert listener.trained == {2, 4, 5, 6}
    same(again, run(*SBP, folder="alone"), CLOCKS)


def test_a_run_that_is_forced_begins_again(mine):
    stop(asked(*SBP), 3, signal.SIGKILL)
    again, listener = go_on(asked(*SBP, "force=true"))
    assert listener.trained == set(range(1, 7)) and "continued" not in again.manifest


def test_bad_input_found_late_leaves_what_was_kept(mine):
    class Refusing(Listening):
        def doing(self, what: str, left: float | None = None) -> None:
            if what == "problem 3 of 6: training":
                raise UserError("not enough memory")

    with pytest.raises(UserError, match="not enough memory"):
        execute(asked(*SBP), progress=Refusing())
    assert Store(mine).runs()[0].status == "killed"
    again, listener = go_on(asked(*SBP))
    assert listener.trained == {3, 4, 5, 6}
    same(again, run(*SBP, folder="alone"), CLOCKS)


def test_which_solvers_above_keep_a_state():
    assert not registry.get("randsvm").resumable
    assert all(registry.get(name).resumable for name in ("sbp", "smo", "decomposition", "pegasos", "dcd"))
