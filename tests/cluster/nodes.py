"""SLURM and Ray with two nodes on this machine: started, with what ends the second node, and stopped."""

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


def wait(condition: Callable[[], Any], what: str, seconds: float = 300.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"no {what} within {seconds:g} s"
        time.sleep(0.2)
    return found


def said(*words: str) -> str:
    """Return what a command prints."""
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()


SLURM = ("launcher=slurm", "jobs=2")


@dataclass
class Nodes:
    """A cluster: the launcher that uses it, and what loses its second node."""

    words: tuple[str, ...]
    lose: Callable[[], str]


def processes(condition: Callable[[bytes, bytes], bool]) -> list[int]:
    """Return the processes of our jobs on the nodes whose command and environment fulfil a condition."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            environment = path.read_bytes()
            ours = (
                f"SLURM_CONF={os.environ['SLURM_CONF']}".encode() in environment
                and b"SLURM_JOB_ID=" in environment
            )
            if ours and condition((path.parent / "cmdline").read_bytes(), environment):
                found.append(int(path.parent.name))
    return sorted(found)


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
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
SlurmdTimeout=10
KillWait=10
MpiDefault=none
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port=16821 CPUs=1 RealMemory=2000 Feature=avx2
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port=16822 CPUs=1 RealMemory=2000 Feature=avx512
PartitionName=main Nodes=n[1-2] Default=YES MaxTime=10 PriorityTier=1 State=UP
PartitionName=urgent Nodes=n[1-2] MaxTime=10 PriorityTier=10 State=UP
"""
ACCOUNTED_CONF = """\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=16823
AccountingStoragePass={folder}/munge.socket
AccountingStorageEnforce=limits,qos
MinJobAge=5
"""
DATABASE_CONF = """\
AuthInfo=socket={folder}/munge.socket
DbdHost={host}
DbdAddr=127.0.0.1
DbdPort=16823
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=16824
StorageUser=slurm
StoragePass=none
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
"""
#: Where cgroup 1 limits memory.
MEMORY = Path("/sys/fs/cgroup/memory")
CGROUP_CONF = """\
CgroupPlugin=cgroup/v1
CgroupMountpoint=/sys/fs/cgroup
ConstrainRAMSpace=yes
"""


@contextlib.contextmanager
def slurm(folder: Path, accounted: bool) -> Iterator[Any]:
    """Start munge, a controller and two nodes, perhaps with a database; yield what loses the second node."""
    host = os.uname().nodename
    for name in ("state", "spool.n1", "spool.n2"):
        (folder / name).mkdir()
    (folder / "munge.key").write_bytes(os.urandom(128))
    (folder / "munge.key").chmod(0o400)
    conf = (SLURM_CONF + ACCOUNTED_CONF * accounted).format(host=host, folder=folder)
    if accounted and MEMORY.is_dir():
        (folder / "cgroup.conf").write_text(CGROUP_CONF)
        conf += "TaskPlugin=task/cgroup\n"
    (folder / "slurm.conf").write_text(conf)
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
            if accounted:
                (folder / "slurmdbd.conf").write_text(DATABASE_CONF.format(host=host, folder=folder))
                (folder / "slurmdbd.conf").chmod(0o600)
                start("mariadbd", *database(folder))
                wait(lambda: (folder / "db.socket").exists(), "database")
                start("slurmdbd", "slurmdbd", "-D")
                wait(known, "account of this user", 60.0)
            start("slurmctld", "slurmctld", "-D")
            for node in ("n1", "n2"):
                start(node, "slurmd", "-D", "-N", node)
            wait(lambda: said("sinfo", "-h", "-p", "main", "-o", "%D%t") == "2idle", "two idle nodes", 60.0)
            print(said("sinfo", "-N", "-o", "%N %P %t %c %f"), flush=True)
            yield Nodes(("launcher=slurm",), lambda: lose(daemons["n2"]))
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


def database(folder: Path) -> list[str]:
    """Make an empty database for slurmdbd; return the command that serves it."""
    common = ["--no-defaults", f"--datadir={folder}/db", "--user=root"]
    subprocess.run(
        ["mariadb-install-db", *common, "--auth-root-authentication-method=normal"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    user = "slurm@localhost"
    lines = f"CREATE USER {user} IDENTIFIED BY 'none';\nGRANT ALL ON slurm_acct_db.* TO {user};\n"
    (folder / "db.sql").write_text(lines)
    own = [f"--socket={folder}/db.socket", "--port=16824", "--bind-address=127.0.0.1"]
    return ["mariadbd", *common, *own, f"--pid-file={folder}/db.pid", f"--init-file={folder}/db.sql"]


def known() -> bool:
    """Enter this cluster and user into the database; return whether it was there."""
    for words in (["cluster", "svmbench"], ["account", "lab"], ["user", "root", "account=lab"]):
        said("sacctmgr", "--immediate", "add", *words)
    return "lab" in said("sacctmgr", "-n", "show", "assoc", "user=root", "format=account")


def descendants(node: str) -> list[int]:
    """Return the processes of the jobs on a node, and the steps that they belong to."""
    found = set(
        processes(lambda _, environment: f"SLURMD_NODENAME={node}".encode() in environment.split(b"\0"))
    )
    for process in list(found):
        with contextlib.suppress(OSError):
            parent = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
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


#: Ray's program.
RAY = (sys.executable, "-m", "ray.scripts.scripts")


@contextlib.contextmanager
def ray(folder: Path) -> Iterator[Any]:
    """Start a head and a second node of one core each; yield what loses the second node."""
    os.environ["RAY_AUTH_MODE"] = "disabled"
    # At Ray's niceness of 15 a busy machine gives its runs no time.
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112
    head = said("hostname", "-i").split()[0]
    common = ["--num-cpus=1", "--block", "--disable-usage-stats", "--object-store-memory=100000000"]
    nodes: list[subprocess.Popen[bytes]] = []
    with (folder / "ray.log").open("wb") as log:

        def start(*words: str) -> None:
            words = (*RAY, "start", *words, *common)
            nodes.append(subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True))

        try:
            start("--head", "--port=6399", f"--temp-dir={folder}/r", "--include-dashboard=false")
            wait(lambda: nodes[0].poll() is not None or cores(head) == 1, "head", 180.0)
            start(f"--address={head}:6399")
            wait(lambda: nodes[1].poll() is not None or cores(head) == 2, "second node", 180.0)
            assert [node.poll() for node in nodes] == [None, None], (folder / "ray.log").read_text()
            yield Nodes(
                ("launcher=ray", f"launcher.address={head}:6399"),
                lambda: f"process group {lose_group(nodes[1])} killed",
            )
        finally:
            for node in reversed(nodes):
                lose_group(node)


def cores(head: str) -> int:
    """Return how many cores the cluster has."""
    found = re.search(r"/(\d+)\.0 CPU", said(*RAY, "status", f"--address={head}:6399"))
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
