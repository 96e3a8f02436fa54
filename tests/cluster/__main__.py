"""Start a cluster of two nodes here, lose a node in the middle of a sweep, resume, and stop it all.

``python -m tests.cluster slurm`` needs root and Debian's slurmctld, slurmd, slurm-client and munge, with the
extra ``slurm``; ``python -m tests.cluster ray`` the extra ``ray``. Nothing is left running or written
outside a temporary folder. Held at the end:

- the sweep ended with code 1, and named the runs of the node that was lost as failed;
- their folders hold checkpoints that can be read;
- ``svmbench resume`` made them on the node that was left, and ended with code 0;
- every run is stored once, complete, and equal to that of a sweep by this machine's own processes.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from svmbench.store import Store

#: Runs that take seconds, so that some are in their middle when the node goes.
RUNS = (
    *("solver=pegasos", "seed=range(0,6)", "dataset=twonorm", "dataset.n_train=20000", "dataset.n_test=100"),
    *("budget.kev=null", "budget.iterations=120000", "budget.memory=64", "kernel.gamma=0.02"),
)
#: Columns that two runs of one identity need not share: clocks, and what the cache of rows decides,
#: which is cold in a run that goes on from a stored state.
UNLIKE = ("wall_seconds", "cpu_seconds", "kev_computed", "inner_products", "kev_discarded")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "svmbench.cli.main", *arguments]


def wait(condition: Any, what: str, seconds: float = 600.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"no {what} within {seconds:g} s"
        time.sleep(0.2)


def say(text: str) -> None:
    print(f"--- {time.strftime('%H:%M:%S')} {text}", flush=True)


def last_rows(results: Path) -> dict[str, dict[str, Any]]:
    return {
        run.id: {key: value for key, value in run.rows()[-1].items() if key not in UNLIKE}
        for run in Store(results).runs()
    }


def in_their_middle(results: Path) -> int:
    """Return how many runs are being made that have checkpoints."""
    found = 0
    for path in results.glob("runs/*.running/trace.csv"):
        with contextlib.suppress(FileNotFoundError):  # it has ended since
            found += len(path.read_bytes().splitlines()) > 2
    return found


def drive(folder: Path, launcher: list[str], lose_node: Any) -> None:
    """Run a sweep on a cluster, lose a node, resume, and hold what is stored."""
    results = folder / "results"
    arguments = [*RUNS, *launcher, "jobs=2", f"results={results}"]
    say(f"svmbench run -m {' '.join(arguments)}")
    sweep = subprocess.Popen(command("run", "-m", *arguments))
    try:
        wait(lambda: len(list(results.glob("runs/*/status.json"))) >= 1, "run that has ended")
        wait(lambda: in_their_middle(results) >= 2, "two runs at a time with checkpoints")
        say(f"the second node is lost: {lose_node()}")
        code = sweep.wait(600)
    finally:
        sweep.kill()
    say(f"the sweep ended with code {code}")
    assert code == 1
    for run in Store(results).runs():
        print(f"{run.id}: {run.status}, {len(run.rows())} checkpoints")
    assert any(run.status in ("killed", "interrupted") and run.rows() for run in Store(results).runs())
    say("svmbench resume")
    assert subprocess.run(command("resume", "--results", str(results)), check=False).returncode == 0
    runs = Store(results).runs()
    assert len(runs) == 6 and all(run.complete for run in runs)
    say("the same sweep by processes of this machine")
    own = folder / "own"
    subprocess.run(command("run", "-m", *RUNS, f"results={own}"), check=True, stdout=subprocess.DEVNULL)
    assert last_rows(results) == last_rows(own)
    say("all six runs are stored and equal to those made here")


SLURM_CONF = """\
ClusterName=svmbench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=16820
SlurmUser=root
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
ReturnToService=2
SlurmdTimeout=10
KillWait=10
MpiDefault=none
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port=16821 CPUs=1 RealMemory=2000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port=16822 CPUs=1 RealMemory=2000
PartitionName=debug Nodes=n[1-2] Default=YES State=UP
"""


@contextlib.contextmanager
def slurm(folder: Path) -> Iterator[Any]:
    """Start munge, a controller and two nodes; yield what loses the second node."""
    host = os.uname().nodename
    for name in ("state", "spool.n1", "spool.n2"):
        (folder / name).mkdir()
    (folder / "munge.key").write_bytes(os.urandom(128))
    (folder / "munge.key").chmod(0o400)
    (folder / "slurm.conf").write_text(SLURM_CONF.format(host=host, folder=folder))
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    munged = [
        *("munged", "--foreground", "--force", f"--socket={folder}/munge.socket"),
        *(
            f"--key-file={folder}/munge.key",
            f"--pid-file={folder}/munge.pid",
            f"--log-file={folder}/munge.log",
        ),
        f"--seed-file={folder}/munge.seed",
    ]
    daemons: dict[str, subprocess.Popen[bytes]] = {}
    with (folder / "daemons.log").open("wb") as log:

        def start(name: str, *words: str) -> None:
            daemons[name] = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)

        try:
            start("munged", *munged)
            wait((folder / "munge.socket").exists, "munge")
            start("slurmctld", "slurmctld", "-D")
            for node in ("n1", "n2"):
                start(node, "slurmd", "-D", "-N", node)
            wait(lambda: said("sinfo", "-h", "-o", "%D%t") == "2idle", "two idle nodes", 60.0)
            print(said("sinfo", "-N", "-o", "%N %t %c"), flush=True)
            yield lambda: lose(daemons["n2"])
            print(said("sinfo", "-N", "-o", "%N %t"), flush=True)
        finally:
            subprocess.run(["scancel", "--user=root"], check=False, stderr=subprocess.DEVNULL)
            for process in [*descendants("n1"), *descendants("n2")]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, 9)
            for daemon in reversed(daemons.values()):
                daemon.terminate()
            for daemon in daemons.values():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    daemon.wait(15)
                daemon.kill()


def said(*words: str) -> str:
    """Return what a command prints."""
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()


def descendants(node: str) -> list[int]:
    """Return the processes of the jobs on a node, and the steps that they belong to."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if f"SLURMD_NODENAME={node}".encode() in path.read_bytes().split(b"\0"):
                found.add(int(path.parent.name))
                parent = int((path.parent / "stat").read_text().rpartition(")")[2].split()[1])
                if "slurmstepd" in Path(f"/proc/{parent}/comm").read_text():
                    found.add(parent)
    return sorted(found)


def lose(daemon: subprocess.Popen[bytes]) -> str:
    """End the daemon of a node and all that runs on it, so that nobody tells the controller."""
    processes = descendants("n2")
    for process in [daemon.pid, *processes]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, 9)
    return f"slurmd and {len(processes)} processes killed"


@contextlib.contextmanager
def ray(folder: Path) -> Iterator[Any]:
    """Start a head and a second node of one core each; yield what loses the second node."""
    os.environ["RAY_AUTH_MODE"] = "disabled"
    # At Ray's niceness of 15 a busy machine gives its runs no time.
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112
    head = said("hostname", "-i").split()[0]
    program = str(Path(sys.executable).with_name("ray"))
    common = ["--num-cpus=1", "--block", "--disable-usage-stats", "--object-store-memory=100000000"]
    nodes: list[subprocess.Popen[bytes]] = []
    with (folder / "ray.log").open("wb") as log:

        def start(*words: str) -> None:
            words = (program, "start", *words, *common)
            nodes.append(subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True))

        try:
            start("--head", "--port=6399", f"--temp-dir={folder}/r", "--include-dashboard=false")
            wait(lambda: nodes[0].poll() is not None or cores(program, head) == 1, "head", 180.0)
            start(f"--address={head}:6399")
            wait(lambda: nodes[1].poll() is not None or cores(program, head) == 2, "second node", 180.0)
            assert [node.poll() for node in nodes] == [None, None], (folder / "ray.log").read_text()
            yield lambda: f"process group {lose_group(nodes[1])} killed"
        finally:
            for node in reversed(nodes):
                lose_group(node)


def cores(program: str, head: str) -> int:
    """Return how many cores the cluster has."""
    found = re.search(r"/(\d+)\.0 CPU", said(program, "status", f"--address={head}:6399"))
    return int(found[1]) if found else 0


def lose_group(node: subprocess.Popen[bytes]) -> int:
    """Kill a node with all that it has started, whatever sessions these made."""
    for process in reversed(tree(node.pid)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, 9)
    node.wait()
    return node.pid


def tree(process: int) -> list[int]:
    """Return a process and all below it."""
    found = [process]
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
            found += tree(int(child))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("engine", choices=("slurm", "ray"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="svmb") as name:
        folder = Path(name)
        os.environ["SVMBENCH_DATA"] = str(folder / "data")
        if given.engine == "slurm":
            launcher = ["launcher=slurm", "launcher.minutes=10", "launcher.requeue=false"]
            with slurm(folder) as lose_node:
                drive(folder, launcher, lose_node)
        else:
            head = said("hostname", "-i").split()[0]
            with ray(folder) as lose_node:
                drive(folder, ["launcher=ray", f"launcher.address={head}:6399"], lose_node)
    say("stopped")


if __name__ == "__main__":
    main()
