"""Sweeps on a real cluster of two nodes on this machine: python -m tests.cluster ENGINE [SCENARIO ...].

``slurm`` needs root and Debian's slurm-wlm and munge; ``accounted`` slurmdbd and mariadb-server as well;
``ray`` its package. Nothing is left running or written outside a temporary folder. `SCENARIOS` hold what
docs/cluster.md says of each case; each begins with an empty results folder. ``night --events N`` kills,
preempts and requeues at random while a sweep runs on SLURM, and holds that no run is lost or made twice.
"""

import argparse
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from svmbench.cli.main import main as svmbench
from svmbench.store import Store
from svmbench.store.integrity import check_store
from svmbench.sweep import cluster
from svmbench.sweep import slurm as engine
from svmbench.sweep import status as live
from tests.cluster.nodes import MEMORY, SLURM, Nodes, processes, ray, said, slurm, wait

#: Runs that take seconds, and runs that take milliseconds.
_DATA = ("solver=pegasos", "dataset=twonorm", "dataset.n_test=100", "budget.kev=null", "budget.memory=64")
_LARGE = (*_DATA, "dataset.n_train=20000", "kernel.gamma=0.02")
LONG = (*_LARGE, "budget.iterations=1500000")
SHORT = (*_DATA, "dataset.n_train=100", "budget.iterations=50")
ENDLESS = (*_DATA, "dataset.n_train=100", "budget.iterations=1000000000000")
#: Columns that two runs of one identity need not share: clocks, and what the cache of rows decides,
#: which is cold in a run that goes on from a stored state.
UNLIKE = ("wall_seconds", "cpu_seconds", "kev_computed", "inner_products", "kev_discarded")


#: SLURM serves nobody else here: questions, the wait for late reports and status lines come sooner.
engine._ASK, cluster._GRACE, live._EVERY = HASTE = 3.0, 2.0, 2.0
HASTY = f"""
import sys
from svmbench.cli.main import main
from svmbench.sweep import cluster, slurm as engine, status as live
engine._ASK, cluster._GRACE, live._EVERY = {HASTE}
sys.exit(main())
"""


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", HASTY, *arguments]


def say(text: str) -> None:
    print(f"--- {time.strftime('%H:%M:%S')} {text}", flush=True)


def runs(results: Path) -> dict[str, dict[str, Any]]:
    """Return the last checkpoint of each complete run, held to be whole."""
    store = Store(results)
    assert not [finding for finding in check_store(store) if finding.state == "damaged"]
    found = [run for run in store.runs() if run.complete]
    return {run.id: {k: v for k, v in run.rows()[-1].items() if k not in UNLIKE} for run in found}


def in_their_middle(results: Path, count: int = 1) -> bool:
    """Return whether so many runs are being made that have checkpoints."""
    found = 0
    for path in results.glob("runs/*.running/trace.csv"):
        with contextlib.suppress(FileNotFoundError):  # it has ended since
            found += len(path.read_bytes().splitlines()) > 2
    return found >= count


@contextlib.contextmanager
def sweep(results: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a sweep."""
    arguments = [*words, f"results={results}"]
    say(f"svmbench run -m {' '.join(arguments)}")
    with Path("printed").open("wb") as out:
        process = subprocess.Popen(command("run", "-m", *arguments), stdout=out, stderr=out)
    try:
        yield process
    finally:
        process.kill()


def ended(process: subprocess.Popen[bytes], *codes: int) -> str:
    """Wait for the last sweep; return what it printed."""
    wait(lambda: hurry() or process.poll() is not None, "end of the sweep", 600.0)
    out = Path("printed").read_text()
    assert process.returncode in codes and "Traceback" not in out, out
    return out


def hurry() -> None:
    """Start requeued jobs at once, which SLURM delays by two minutes."""
    if "SLURM_CONF" in os.environ:
        for job in said("squeue", "--noheader", "--array", "--format=%i %r").splitlines():
            if job.endswith("BeginTime"):
                said("scontrol", "update", f"JobId={job.split()[0]}", "StartTime=now")


def events(results: Path, kind: str) -> list[dict[str, Any]]:
    """Return the events of one kind of the only sweep."""
    (path,) = results.glob("sweeps/*/events.jsonl")
    return [event for event in map(json.loads, path.read_text().splitlines()) if event["event"] == kind]


def chunks(results: Path, nodes: Nodes) -> None:
    """More jobs than an array may have are several arrays; 1,200 start, and can be cancelled."""
    most = engine.most_of_an_array
    assert most() == 1000
    engine.most_of_an_array = lambda: 3
    try:
        assert (
            svmbench(
                ["run", "-m", *SHORT, "seed=range(0,8)", *SLURM, "launcher.bundle=1", f"results={results}"]
            )
            == 0
        )
    finally:
        engine.most_of_an_array = most
    assert len(runs(results)) == 8
    many = results / "many"
    with sweep(many, *SHORT, "seed=range(0,1200)", *SLURM, "launcher.bundle=1") as process:
        wait(lambda: len(list(many.glob("runs/*/status.json"))) >= 3, "third run")
        assert re.search(r"9\d\d queued \(", said(*command("status", "--results", str(many))))
        assert svmbench(["cancel", "--results", str(many)]) == 0
        assert "not run" in ended(process, 130)
    wait(lambda: not said("squeue", "--noheader"), "empty queue")
    assert svmbench(["run", "-m", *SHORT, "seed=range(0,60)", *SLURM, f"results={many}"]) == 0


def preempted(results: Path, nodes: Nodes) -> None:
    """Runs that a partition of higher priority preempts continue in the same sweep."""
    longer = (*_LARGE, "budget.iterations=6000000")  # SLURM takes seconds to preempt
    with sweep(results, *longer, "seed=0,1", *SLURM, "launcher.bundle=1") as process:
        wait(lambda: in_their_middle(results, 2), "two runs with checkpoints")
        say(said("sbatch", "--partition=urgent", "--nodes=2", "--output=/dev/null", "--wrap=sleep 5"))
        wait(lambda: "PD" in said("squeue", "--array", "--noheader", "--format=%t"), "job that was preempted")
        ended(process, 0)
    assert len(runs(results)) == 2
    assert all("continued" in run.manifest for run in Store(results).runs())


def attached(results: Path, nodes: Nodes) -> None:
    """The jobs of a process that was killed are found again, and none is submitted twice."""
    with sweep(results, *LONG, "seed=0,1,2", *SLURM, "launcher.bundle=1") as process:
        wait(lambda: in_their_middle(results, 2), "two runs with checkpoints")
        process.kill()
    before = set(said("squeue", "--noheader", "--array", "--format=%F").split())
    status = said(*command("status", "--results", str(results)))
    assert re.search(r"stopped, but SLURM still has \d of its jobs", status), status
    assert svmbench(["resume", "--results", str(results)]) == 0
    after = engine.asked(sorted(before))
    assert after is not None and {array for array, _ in after} == before and len(before) == 1
    assert len(runs(results)) == 3 and len(events(results, "ended")) == 3


def limits(results: Path, nodes: Nodes) -> None:
    """The limit of a partition is said before; that of a job stores the run; some jobs are refused."""
    assert svmbench(["run", "-m", *SHORT, *SLURM, "launcher.minutes=60", f"results={results}"]) == 2
    assert svmbench(["run", "-m", *SHORT, *SLURM, "launcher.constraint=sse9", f"results={results}"]) == 2
    with sweep(results, *ENDLESS, *SLURM, "launcher.minutes=1") as process:
        out = ended(process, 1)
    (run,) = Store(results).runs()
    assert run.status == "interrupted" and "interrupted, launcher.minutes=1 reached" in out
    seconds = float(run.rows()[-1]["wall_seconds"])
    assert 30.0 < seconds < 46.0, seconds
    said("scontrol", "update", "PartitionName=main", "MaxTime=1")
    try:  # a partition whose limit shrinks while a job waits
        (results / "later").mkdir()
        longest, engine.longest = engine.longest, lambda partition: 10.0
        words = ["run", "-m", *SHORT, *SLURM, "launcher.minutes=5", f"results={results / 'later'}"]
        assert svmbench(words) == 1
        assert "PartitionTimeLimit" in next(iter(events(results / "later", "ended")))["reason"]
    finally:
        engine.longest = longest
        said("scontrol", "update", "PartitionName=main", "MaxTime=10")


def cancelled(results: Path, nodes: Nodes) -> None:
    """A job that scancel ends is an interrupted run; one that waits, too."""
    with sweep(results, *ENDLESS, "seed=0,1,2", *SLURM, "launcher.bundle=1") as process:
        wait(lambda: in_their_middle(results, 2), "two runs with checkpoints")
        (array,) = {*said("squeue", "--noheader", "--array", "--format=%F").split()}
        say(said("scancel", array) or "cancelled")
        out = ended(process, 1)
    assert out.count(" was cancelled (") + out.count("as a cancelled job does (") == 3, out
    assert [run.status for run in Store(results).runs()] == ["interrupted"] * 2


def checked(results: Path, nodes: Nodes) -> None:
    """The check of a folder runs on both nodes; the plan warns of their features."""
    out = said(*command("cluster", "check", "launcher=slurm", f"results={results}"))
    assert "n1: a lock that this machine holds is respected" in out and "n2: its clock" in out, out
    plan = subprocess.run(command("plan", *SHORT, *SLURM), capture_output=True, text=True, check=True)
    assert "the nodes differ (n1: avx2; n2: avx512)" in plan.stderr


def lost(results: Path, nodes: Nodes) -> None:
    """The runs of a node that is lost are continued on the other one, and equal to those made here."""
    with sweep(results, *LONG, "seed=range(0,4)", *nodes.words, "jobs=2", "launcher.bundle=1") as process:
        wait(lambda: in_their_middle(results, 2), "two runs with checkpoints")
        say(f"the second node is lost: {nodes.lose()}")
        ended(process, 0)
    own = results / "own"
    subprocess.run(
        command("run", "-m", *LONG, "seed=range(0,4)", f"results={own}"),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    assert runs(results) == runs(own) and len(runs(own)) == 4


def crashed(results: Path, nodes: Nodes) -> None:
    """A process that dies fails one run; the others of its bundle are made."""
    with sweep(results, *LONG, "seed=range(0,4)", *nodes.words, "jobs=1", "launcher.bundle=4") as process:
        wait(lambda: in_their_middle(results), "run with checkpoints")
        (lock,) = results.glob("runs/*.running/lock")
        os.kill(int(lock.read_text().split()[1]), signal.SIGKILL)
        out = ended(process, 1)
    assert "failed, its process was killed by SIGKILL" in out and len(runs(results)) == 3
    assert svmbench(["resume", "--results", str(results)]) == 0 and len(runs(results)) == 4


def full(results: Path, nodes: Nodes) -> None:
    """A folder without room stops the sweep with a sentence; with room, resume makes what is missing."""
    results.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=500k", "tmpfs", results], check=True)
    try:
        with sweep(results, *SHORT, "seed=range(0,30)", *SLURM, "launcher.bundle=10") as process:
            # exit code 1 or 2: the first that notices it may be a run, or the record of the sweep
            assert "No space left on device" in ended(process, 1, 2)
        wait(lambda: not said("squeue", "--noheader"), "empty queue")
        stored = len(runs(results))
        subprocess.run(["mount", "-o", "remount,size=50M", results], check=True)
        assert 0 < stored < 30 and svmbench(["resume", "--results", str(results)]) == 0
        assert len(runs(results)) == 30
    finally:
        subprocess.run(["umount", "--lazy", results], check=True)


def limited(results: Path, nodes: Nodes) -> None:
    """Limits of an accounting database delay a sweep, and are said; what it never allows is refused."""
    words = (*SHORT, *SLURM, "launcher.bundle=1", "launcher.minutes=5")
    account("user", "root", "MaxSubmitJobs=3")
    with sweep(results, *words, "seed=range(0,6)") as process:
        ended(process, 0)
    account("user", "root", "MaxSubmitJobs=-1", "MaxJobs=1")
    with sweep(results, *words, "seed=range(6,10)") as process:
        assert re.search(r"\d queued \(AssocMaxJobsLimit\)", ended(process, 0))
    account("user", "root", "MaxJobs=-1")
    account("qos", "normal", "GrpSubmitJobs=3", "MaxJobsPerUser=1")
    with sweep(results, *words, "seed=range(10,15)") as process:
        assert re.search(r"\d queued \(QOSMaxJobsPerUserLimit\)", ended(process, 0))
    assert len(runs(results)) == 15
    account("qos", "normal", "GrpSubmitJobs=-1", "MaxJobsPerUser=-1", "MaxWall=2")
    with sweep(results, *words, "seed=24,25") as process:
        out = ended(process, 1)
        assert "would wait for ever (QOSMaxWallDurationPerJobLimit): a job may not ask for so much" in out
    account("qos", "normal", "Flags=DenyOnLimit")
    with sweep(results, *words, "seed=24,25") as process:
        assert "SLURM refuses the jobs: QOSMaxWallDurationPerJobLimit" in ended(process, 2)
    account("qos", "normal", "Flags=-1", "MaxWall=-1")


def account(*words: str) -> None:
    """Change a limit."""
    kind, name, *limits = words
    subprocess.run(
        ["sacctmgr", "--immediate", "--quiet", "modify", kind, name, "set", *limits],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def forgotten(results: Path, nodes: Nodes) -> None:
    """Jobs that ended while no process led the sweep are known to the database, and not repeated."""
    with sweep(results, *SHORT, "seed=range(0,4)", *SLURM, "launcher.bundle=2") as process:
        wait(lambda: said("squeue", "--noheader"), "job")
        process.kill()
    wait(lambda: not said("squeue", "--noheader", "--states=all"), "job that squeue has forgotten")
    (path,) = results.glob("sweeps/*/cluster/*.id")
    states = engine.asked([path.read_text()])
    assert states is not None and {state.name for state in states.values()} == {"COMPLETED"}, states
    assert svmbench(["resume", "--results", str(results)]) == 0
    assert len(runs(results)) == 4 and engine.asked([str(int(path.read_text()) + 2)]) == {}


def exhausted(results: Path, nodes: Nodes) -> None:
    """A run that needs more memory than its job has fails, and is named; the others of its job are made."""
    if not MEMORY.is_dir():
        say("skipped: this system has no memory controller of cgroup 1, which SLURM needs")
        return
    large = (*LONG, "seed=range(0,2)", *SLURM, "launcher.bundle=2")
    with sweep(results, *large, "launcher.memory=130") as process:
        assert ended(process, 1).count("was killed by SIGKILL, perhaps because memory ran out") == 4
    with sweep(results, *large, "launcher.memory=1000") as process:
        ended(process, 0)
    assert len(runs(results)) == 2


SCENARIOS: dict[str, list[Callable[[Path, Nodes], None]]] = {
    "slurm": [checked, attached, preempted, crashed, cancelled, full, limits, lost, chunks],
    "accounted": [limited, forgotten, exhausted],
    "ray": [crashed, lost],
}


def night(folder: Path, count: int, seed: int) -> None:
    """Disturb sweeps at random; hold that every run is stored once, as an undisturbed sweep stores it."""
    chance, done, results = random.Random(seed), Counter[str](), folder / "results"
    words = [*_DATA, "dataset.n_train=2000", "budget.iterations=40000", "seed=range(0,60)"]
    own = folder / "own"
    subprocess.run(command("run", "-m", *words, f"results={own}"), check=True, stdout=subprocess.DEVNULL)
    leader: subprocess.Popen[bytes] | None = None
    log = (folder / "log").open("ab")
    first = command(
        "run", "-m", *words, *SLURM, "launcher.bundle=6", "launcher.minutes=10", f"results={results}"
    )
    while sum(done.values()) < count:
        if leader is None or leader.poll() is not None:
            if len(runs(results)) == 60:
                assert runs(results) == runs(own)
                made = [event["job"] for event in events(results, "ended") if event["state"] == "done"]
                assert len(made) == len(set(made))
                results = folder / f"results{sum(done.values())}"
                say(f"60 runs are stored; {dict(done)}")
                first[-1] = f"results={results}"
            again = results.is_dir() and [*results.glob("sweeps/*/plan.json")]
            leader = subprocess.Popen(
                command("resume", "--results", str(results)) if again else first, stdout=log, stderr=log
            )
        time.sleep(chance.uniform(0.5, 3.0))
        hurry()
        if what := disturb(chance, leader):
            done[what] += 1
    deadline = time.monotonic() + 900
    while len(runs(results)) < 60 and time.monotonic() < deadline:
        assert leader is not None
        if leader.poll() is not None:
            leader = subprocess.Popen(command("resume", "--results", str(results)), stdout=log, stderr=log)
        hurry()
        time.sleep(2.0)
    assert runs(results) == runs(own)
    made = [event["job"] for event in events(results, "ended") if event["state"] == "done"]
    assert len(made) == len(set(made))
    say(f"{sum(done.values())} disturbances: {dict(done)}; all runs of each sweep are stored once and equal")


def disturb(chance: random.Random, leader: subprocess.Popen[bytes]) -> str:
    """Disturb a sweep in some way; return its name, empty if there was nothing to disturb."""
    running = said("squeue", "--noheader", "--states=R", "--partition=main", "--format=%i %A").splitlines()
    what = chance.choice(
        ["preempt", "requeue", "requeue", "kill job", "kill worker", "kill worker", "kill leader"]
    )
    if what == "kill leader":
        leader.kill()
        leader.wait()
        return what
    if not running:
        return ""
    if what == "preempt":
        said("sbatch", "--partition=urgent", "--output=/dev/null", "--wrap=sleep 1")
    elif what == "requeue":
        said("scontrol", "requeue", chance.choice(running).split()[0])
    else:
        module = "svmbench.sweep.bundle" if what == "kill job" else "svmbench.sweep.worker"
        found = processes(lambda words, _: module.encode() in words)
        if not found:
            return ""
        with contextlib.suppress(ProcessLookupError):
            os.kill(chance.choice(found), signal.SIGKILL)
    return what


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("engine", choices=(*SCENARIOS, "night"))
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO")
    parser.add_argument("--events", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="svmb") as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        os.environ["SVMBENCH_DATA"] = str(folder / "data")
        os.chdir(folder)
        started = ray(folder) if given.engine == "ray" else slurm(folder, given.engine == "accounted")
        nodes = stack.enter_context(started)
        if given.engine == "night":
            night(folder, given.events, given.seed)
            return
        some = [one for one in SCENARIOS[given.engine] if one.__name__ in (given.scenarios or [one.__name__])]
        for scenario in some:
            say(f"{scenario.__name__}: {scenario.__doc__}")
            begun = time.monotonic()
            scenario(folder / scenario.__name__, nodes)
            say(f"{scenario.__name__} took {time.monotonic() - begun:.0f} s")
        print(f"{len(some)} passed, 0 failed")


if __name__ == "__main__":
    main()
