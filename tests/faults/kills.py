"""Kill runs and sweeps at random moments: python -m tests.faults.kills [--kills N] [--sweeps N].

A run is made undisturbed once. Then it is made again in a fresh results folder by a process that is ended by
SIGKILL after a random time, from the first thing it does until after its end. Held after each kill:

- every run of the folder is readable, and none is damaged (`svmbench.store.integrity`);
- its trace begins as the undisturbed one, and has every checkpoint that was told on standard error: what is
  told was stored before;
- the same run asked for again ends, with the very numbers of the undisturbed run.

A sweep is killed likewise: the process that leads it, one of its workers, or all. Those that are left must
end by themselves, every run of the folder is held as above, and the same sweep makes what is missing. The
same is done with `paper run` of an artifact made small. `tests/cluster` does it with sweeps on a cluster.

Other commands are killed likewise (`COMMANDS`): a run that goes on from a smaller budget, one that certifies
an optimum, one with cross-validation, `tune`, `report`, `export`. What was stored before must be whole, and
the command repeated makes what an undisturbed one makes, with nothing left over.

With `--damaged N` a file that a killed run left is damaged as well, or the clock of who makes the
run again goes back by hours. The other run of the folder must be found whole, and the run that is asked for
again ends with the numbers of the undisturbed one.

The process is a fork of this one, so that its imports, which store nothing, take none of the random moments.
"""

import argparse
import contextlib
import functools
import itertools
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from svmbench.cli.main import main
from svmbench.config import resolve
from svmbench.figures import curves, decision  # noqa: F401  what draws is loaded here, not in each fork
from svmbench.report.build import vega
from svmbench.run_config import RunConfig
from svmbench.runner.execute import execute
from svmbench.runner.progress import PlainLines
from svmbench.store import Store, StoredRun
from svmbench.store.integrity import check_store

#: Runs that differ in what they do beside training: a kernel solver, a linear one, one that makes the
#: certified optimum first.
RUNS = (
    ("solver=sdca", "budget.iterations=100000"),
    ("solver=pegasos_linear", "kernel=linear", "budget.iterations=200000"),
    ("solver=sbp", "budget.iterations=2000"),
)
_DATA = (
    *("dataset=twonorm", "dataset.n_train=200", "dataset.n_test=100", "budget=debug"),
    *("budget.kev=null", "observe.points=40"),
)
_SWEEP = ("solver=sdca,sbp", "seed=0,1", "budget.iterations=2000", "jobs=2", "oversubscribe=true")
#: The artifact of which `paper run` makes a small form.
_ARTIFACT = "sbp-f2"

#: Columns that two runs of one identity need not share.
_TIMES = ("wall_seconds", "cpu_seconds")
#: And if one of them knows a certified optimum, and the other none.
_FROM_THE_OPTIMUM = ("dual_source", "dual_objective", "duality_gap", "relative_gap")
#: And that one which went on from a stored state does not share either: its cache of kernel rows was cold.
_CACHED = ("kev_computed", "inner_products")


def start(step: Callable[[TextIO], bool], log: Path) -> int:
    """Take a step in a forked process, its output in a file; return its process id."""
    process = os.fork()
    if process:
        return process
    code = 70
    try:
        with log.open("w", encoding="utf-8") as stream:
            os.dup2(stream.fileno(), 1)
            os.dup2(stream.fileno(), 2)
            sys.stdout = sys.stderr = stream
            try:
                code = 0 if step(stream) else 1
            except BaseException:
                traceback.print_exc()  # while the log is open
    finally:
        os._exit(code)


def run(config: RunConfig, results: Path, log: Path, back: bool = False) -> int:
    """Make a run in a forked process, perhaps one whose clock goes back; return its process id."""

    def step(stream: TextIO) -> bool:
        if back:
            _set_clock_back()
        outcome = execute(replace(config, results=str(results)), progress=PlainLines(stream, checkpoints=0.0))
        print(outcome.state, outcome.reason, file=stream, flush=True)
        return outcome.state in ("done", "found")

    return start(step, log)


def ended(process: int) -> int:
    """Wait for a forked process and return its exit code, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def rows(found: StoredRun, without: tuple[str, ...] = _TIMES) -> list[dict[str, Any]]:
    """Return the checkpoints of a run without its times, or without some columns."""
    return [{key: value for key, value in row.items() if key not in without} for row in found.rows()]


def hold(results: Path, expected: list[dict[str, Any]], told: int) -> str:
    """Hold what a kill left against the undisturbed run; return ``none``, ``killed`` or ``whole``."""
    store = Store(results, warn=_fail)
    assert not [finding for finding in check_store(store) if finding.state == "damaged"]
    runs = store.runs()
    if not runs:
        assert told == 0
        return "none"
    (found,) = runs
    got = beginning(found, expected)
    assert len(got) >= told, f"{told} checkpoints were told, {len(got)} are stored"
    assert found.status == "killed" or found.complete, found.status
    return "whole" if found.complete else found.status


def beginning(
    found: StoredRun, expected: list[dict[str, Any]], without: tuple[str, ...] = _TIMES
) -> list[dict[str, Any]]:
    """Return the checkpoints of a run, held to be the first of those expected, and all if it is complete."""
    got = rows(found, without)
    # The last checkpoint of an interrupted run is where it was when the signal came.
    kept = got[:-1] if found.status == "interrupted" else got
    for row, wanted in zip(kept, expected, strict=False):
        # Whether a run of several knows the optimum depends on which of them certified it, and when.
        known = row["dual_source"] == wanted["dual_source"]
        shared = row.keys() - (set() if known else set(_FROM_THE_OPTIMUM))
        unlike = {key: (row[key], wanted[key]) for key in shared if row[key] != wanted[key]}
        assert not unlike, f"not the undisturbed run's at {row['iterations']} iterations: {unlike}"
    assert len(kept) <= len(expected)
    assert not found.complete or len(got) == len(expected)
    return got


def _fail(sentence: str) -> None:
    raise AssertionError(sentence)


def kill_runs(folder: Path, kills: int, seed: int = 0) -> Counter[str]:
    """Kill ``kills`` runs and hold what is left; return how many were left in which state."""
    chance, states = random.Random(seed), Counter[str]()
    log = folder / "log"
    undisturbed: list[tuple[dict[str, Any], list[dict[str, Any]], float]] = []
    for number, overrides in enumerate(RUNS):
        config, results = resolve([*overrides, *_DATA], []), folder / f"undisturbed{number}"
        begun = time.monotonic()
        assert ended(run(config, results, log)) == 0, log.read_text()
        seconds = time.monotonic() - begun
        (found,) = Store(results).runs()
        undisturbed.append((config, rows(found), seconds))
    for number in range(kills):
        config, expected, seconds = undisturbed[number % len(undisturbed)]
        results = folder / f"killed{number}"
        # Or a process killed before it opens its log would seem to have told what the last one told.
        log.unlink(missing_ok=True)
        process = run(config, results, log)
        time.sleep(chance.uniform(0.0, 1.1 * seconds))
        os.kill(process, signal.SIGKILL)
        ended(process)
        whole = log.read_text().split("\n")[:-1] if log.exists() else []
        told = sum(line.startswith("iterations ") for line in whole)
        states[hold(results, expected, told)] += 1
        assert ended(run(config, results, log)) == 0, log.read_text()
        assert hold(results, expected, len(expected)) == "whole"
    return states


def damage_killed_runs(folder: Path, kills: int, seed: int = 0) -> Counter[str]:
    """Kill ``kills`` runs, damage what is left or set the clock back; return how often which was done."""
    chance, done = random.Random(seed), Counter[str]()
    log, results = folder / "log", folder / "undisturbed"
    sound = resolve([*RUNS[0], *_DATA, "seed=7"], [])
    cases = []
    for overrides in RUNS:
        config = resolve([*overrides, *_DATA], [])
        begun = time.monotonic()
        assert ended(run(config, results, log)) == 0, log.read_text()
        seconds = time.monotonic() - begun
        expected = next(rows(one) for one in Store(results).runs() if one.solver == config.solver.name)
        cases.append((config, expected, seconds))
    for number in range(kills):
        config, expected, seconds = cases[number % len(cases)]
        results = folder / f"damaged{number}"
        assert ended(run(sound, results, log)) == 0, log.read_text()
        (kept,) = Store(results, warn=_fail).runs()
        process = run(config, results, log)
        time.sleep(chance.uniform(0.2, 1.1) * seconds)
        os.kill(process, signal.SIGKILL)
        ended(process)
        what = "clock" if number % 4 == 3 else _damage(results, kept, chance)
        done[what] += 1
        told: list[str] = []
        assert kept in Store(results, warn=told.append).runs(), "damage to one run hides another"
        assert all("\n" not in sentence for sentence in told)
        assert ended(run(config, results, log, back=what == "clock")) == 0, log.read_text()
        made = [one for one in Store(results, warn=_fail).runs() if one.id != kept.id]
        assert [rows(one, _TIMES + _CACHED) for one in made] == [
            [{key: row[key] for key in row if key not in _CACHED} for row in expected]
        ]
    return done


def _damage(results: Path, kept: StoredRun, chance: random.Random) -> str:
    """Change, cut or remove a file of any run but the given one; return its name, or ``nothing``."""
    files = [path for path in sorted((results / "runs").glob("*/*")) if path.parent != kept.path]
    files = [path for path in files if path.is_file() and path.name != "lock" and path.stat().st_size]
    if not files:
        return "nothing"
    path = chance.choice(files)
    content = bytearray(path.read_bytes())
    how = chance.choice(("flip", "cut", "remove", "garbage"))
    if how == "remove":
        path.unlink()
        return f"{path.name} {how}"
    place = chance.randrange(len(content))
    content[place] ^= 1 << chance.randrange(8)
    path.write_bytes({"flip": content, "cut": content[:place], "garbage": os.urandom(len(content))}[how])
    return f"{path.name} {how}"


def _set_clock_back() -> None:
    """Let the clock of this process go back by an hour each time that it is looked at."""
    from datetime import UTC, datetime, timedelta

    from svmbench.store import writer

    looks = itertools.count()
    writer.now = lambda: (datetime.now(UTC) - timedelta(hours=next(looks))).isoformat(timespec="microseconds")
    begun = time.time()
    time.time = lambda: begun - 3600.0 * next(looks)


def make_sweep(results: Path) -> bool:
    """Make a sweep; return whether all of it was made."""
    return main(["run", "-m", *_SWEEP, *_DATA, f"results={results}"]) == 0


def make_paper(results: Path) -> bool:
    """Make the runs of a small artifact as `svmbench paper run` does; return whether all were made."""
    from svmbench.cli import _papers
    from svmbench.papers import artifact as artifacts
    from tests.papers.test_small import small

    whole = small(artifacts.load(_ARTIFACT))
    artifacts.load = lambda *given, **more: whole
    results.mkdir(exist_ok=True)
    return _papers.run(_papers.Asked((_ARTIFACT,), True, str(results), jobs=2)) == 0


#: What makes several runs.
SWEEPS: dict[str, Callable[[Path], bool]] = {
    "sweeps": make_sweep,
    "paper run": make_paper,
}


def kill_sweeps(folder: Path, kills: int, seed: int = 0, what: str = "sweeps") -> Counter[str]:
    """Kill ``kills`` sweeps and hold what is left; return how many runs were left in which state."""
    chance, states = random.Random(seed), Counter[str]()
    log = folder / "log"

    def sweep(results: Path) -> int:
        return start(lambda _: SWEEPS[what](results), log)

    begun = time.monotonic()
    assert ended(sweep(folder / "undisturbed")) == 0, log.read_text()
    seconds = time.monotonic() - begun
    expected = {found.id: rows(found) for found in Store(folder / "undisturbed").runs()}
    for number in range(kills):
        results = folder / f"killed{number}"
        leader = sweep(results)
        time.sleep(chance.uniform(0.3, 1.0) * seconds)
        workers = children(leader)
        victims = ([leader], workers[:1], [leader, *workers])[number % 3]
        for process in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        ended(leader)
        _wait(workers)
        store = Store(results, warn=_fail)
        # A worker that was started after the children were looked up goes on until it notices.
        deadline = time.monotonic() + 60.0
        while store.running():
            assert time.monotonic() < deadline, "a worker does not end"
            time.sleep(0.05)
        assert not [finding for finding in check_store(store) if finding.state == "damaged"]
        if not store.runs():
            states["none"] += 1
        went_on = set()
        for found in store.runs():
            assert found.status in ("killed", "interrupted") or found.complete, found.status
            beginning(found, expected[found.id])
            states["whole" if found.complete else found.status] += 1
            if found.status == "interrupted":  # by its worker, whose sweep was gone
                went_on.add(found.id)
        code = ended(sweep(results))
        assert code == 0, f"ended with {code}: {log.read_text()}"
        assert {found.id for found in store.runs()} == set(expected)
        for found in store.runs():
            without = _TIMES + _CACHED if found.id in went_on else _TIMES
            wanted = [{key: row[key] for key in row if key not in without} for row in expected[found.id]]
            assert len(beginning(found, wanted, without)) == len(wanted), found.id
    return states


def _make(*overrides: str) -> Callable[[Path], bool]:
    """Return what makes a run in a results folder by the command."""
    return lambda results: main(["run", *_DATA, *overrides, f"results={results}"]) == 0


def _tell(command: str, name: str) -> Callable[[Path], bool]:
    """Return what makes a file of all runs of a results folder by a command."""

    def tell(results: Path) -> bool:
        path = results.parent / name
        path.unlink(missing_ok=True)  # of a command that had ended before it was killed
        return main([command, "-o", str(path), "--results", str(results), *_ALL[command]]) == 0

    return tell


_ALL = {"report": ["--all"], "export": ["*", "--zip"]}
_SHORT = _make("solver=sdca", "budget.iterations=20000")
_LONG = ("solver=sdca", "budget.iterations=100000")

_TUNED = ("solver=smo", "problem.C=1,10", "kernel.gamma=0.1,1", "jobs=2", "oversubscribe=true")

#: Commands that are killed: what is stored before, and the command.
COMMANDS: dict[str, tuple[Callable[[Path], bool], Callable[[Path], bool]]] = {
    "a larger budget": (_SHORT, _make(*_LONG)),
    "a certificate": (_SHORT, _make("solver=sbp", "budget.iterations=5", "dataset.n_train=900")),
    "validation": (_SHORT, _make("solver=smo", "validate.folds=5", "problem.C=100")),
    "tune": (
        _SHORT,
        lambda results: main(["tune", *_DATA, *_TUNED, f"results={results}", "--rounds", "1"]) == 0,
    ),
    "report": (make_sweep, _tell("report", "report.html")),
    "export": (make_sweep, _tell("export", "runs.zip")),
}


def kill_commands(folder: Path, kills: int, seed: int = 0) -> Counter[str]:
    """Kill ``kills`` commands and hold what is left; return how many runs which left in which state."""
    chance, states, log = random.Random(seed), Counter[str](), folder / "log"
    made: dict[Callable[[Path], bool], Path] = {}
    vega()  # which takes seconds in a process that has not called it
    for turn, (name, (prepare, command)) in enumerate(COMMANDS.items()):
        home = folder / name
        base = made.setdefault(prepare, home / "before" / "results")
        if not base.exists():
            assert ended(start(lambda _, base=base, make=prepare: make(base), log)) == 0, log.read_text()
        before = {found.id: rows(found) for found in Store(base).runs()}
        shutil.copytree(base.parent, home / "whole")
        begun = time.monotonic()
        step = functools.partial(command, home / "whole" / "results")
        assert ended(start(lambda _, step=step: step(), log)) == 0, log.read_text()
        seconds = time.monotonic() - begun
        expected = {found.id: rows(found) for found in Store(home / "whole" / "results").runs()}
        for number in range(turn, kills, len(COMMANDS)):
            killed = home / f"killed{number}"
            shutil.copytree(base.parent, killed)
            step = functools.partial(command, killed / "results")
            process = start(lambda _, step=step: step(), log)
            time.sleep(chance.uniform(0.02, 1.02) * seconds)
            workers = children(process)
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
            ended(process)
            _wait(workers)
            left = _held(killed / "results", before, expected)
            states.update(f"{name}: {state}" for state in left or ["nothing more"])
            assert ended(start(lambda _, step=step: step(), log)) == 0, log.read_text()
            _whole(killed, home / "whole", before, expected)
    return states


def _held(
    results: Path, before: dict[str, list[dict[str, Any]]], expected: dict[str, list[dict[str, Any]]]
) -> list[str]:
    """Hold that all runs of before are whole, and the beginnings of others; return the states of these."""
    store = Store(results, warn=_fail)
    assert not [finding for finding in check_store(store) if finding.state == "damaged"]
    found = {one.id: one for one in store.runs()}
    assert {name: rows(found[name]) for name in before} == before
    others = [one for name, one in found.items() if name not in before]
    for one in others:
        assert one.status in ("killed", "interrupted") or one.complete, one.status
        beginning(one, expected[one.id], _TIMES + _CACHED)
    return [one.status for one in others]


def _whole(
    home: Path, whole: Path, before: dict[str, Any], expected: dict[str, list[dict[str, Any]]]
) -> None:
    """Hold that the command, repeated, made what the undisturbed one made, and that nothing else is left."""
    _held(home / "results", before, expected)
    found = {one.id: one for one in Store(home / "results", warn=_fail).runs()}
    assert found.keys() == expected.keys()
    for name, one in found.items():
        assert one.complete
        without = _TIMES + _CACHED
        wanted = [{key: row[key] for key in row if key not in without} for row in expected[name]]
        assert len(beginning(one, wanted, without)) == len(wanted), name
    assert {path.name for path in home.iterdir()} == {path.name for path in whole.iterdir()}
    hidden = [path for path in (home / "results").rglob(".*") if "lock" not in path.name]
    assert not hidden, f"left over: {hidden}"


def _wait(workers: list[int]) -> None:
    """Hold that processes whose parent is gone end by themselves."""
    deadline = time.monotonic() + 60.0
    while any(alive(process) for process in workers):
        assert time.monotonic() < deadline, "a worker outlives its sweep"
        time.sleep(0.05)


def children(process: int) -> list[int]:
    """Return the processes that a process has started and that live."""
    try:
        return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def alive(process: int) -> bool:
    """Return whether a process, not of ours, is there and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=160, help="of single runs")
    parser.add_argument("--sweeps", type=int, default=40, help="kills of sweeps")
    parser.add_argument("--papers", type=int, default=20, help="kills of paper run")
    parser.add_argument("--commands", type=int, default=30, help="kills of other commands")
    parser.add_argument("--damaged", type=int, default=60, help="kills after which a file is damaged")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for what, kill, count in (
        ("runs", kill_runs, given.kills),
        *(
            (what, functools.partial(kill_sweeps, what=what), count)
            for what, count in zip(SWEEPS, (given.sweeps, given.papers), strict=True)
        ),
        ("commands", kill_commands, given.commands),
        ("runs with damage", damage_killed_runs, given.damaged),
    ):
        if not count:
            continue
        with tempfile.TemporaryDirectory() as folder:
            states = kill(Path(folder), count, given.seed)
        left = ", ".join(f"{number} {state}" for state, number in states.items())
        print(f"{count} kills of {what}; {left}", flush=True)


if __name__ == "__main__":
    _main()
