"""Time ``make demo`` on a fresh clone of the last commit and print where the seconds go: ``make phases``.

The clone, its environment and its results lie in a temporary folder; no compiler cache is used. Wall
seconds are those of this machine with all that it does besides, so its load is printed too; CPU seconds
hardly depend on it.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent


class Phases:
    """The phases so far: name, wall and CPU seconds."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self.lines: list[tuple[str, float, float]] = []

    def run(self, name: str, *command: str) -> None:
        """Run one command as a phase; its failure ends the program with its output."""
        wall, cpu = time.perf_counter(), _children()
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{name} failed:\n{done.stdout}{done.stderr}")
        self.lines.append((name, time.perf_counter() - wall, _children() - cpu))

    def show(self) -> None:
        """Print the table."""
        lines = [*self.lines, ("total", *(sum(line[k] for line in self.lines) for k in (1, 2)))]
        print(f"{'phase':44} {'wall s':>7} {'CPU s':>7}")
        for name, wall, cpu in lines:
            print(f"{name:44} {wall:7.1f} {cpu:7.1f}")


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def steps(log: Path) -> list[tuple[str, float, float]]:
    """Return the steps of ninja's last build.

    Each is a name, the wall seconds from its first job's begin to its last one's end, and the sum of all.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    seen: set[tuple[int, int]] = set()
    for line in log.read_text().splitlines()[1:]:
        begin, end, _, output, *_ = line.split("\t")
        if not output.endswith((".c", ".o", ".so")):
            continue
        span = (int(begin), int(end))
        if output.endswith(".o"):
            kind = "C of csrc/" if "/csrc/" in output else "C from Cython"
        else:
            kind = "Cython" if output.endswith(".c") else "linking"
        if span not in seen or kind != "Cython":  # one command writes all C files
            found.setdefault(kind, []).append(span)
        seen.add(span)
    return [
        (kind, (max(end for _, end in spans) - min(begin for begin, _ in spans)) / 1e3, _sum(spans))
        for kind, spans in found.items()
    ]


def _sum(spans: list[tuple[int, int]]) -> float:
    return sum(end - begin for begin, end in spans) / 1e3


def main() -> None:
    """Clone, set up, run and print."""
    load = os.getloadavg()[0]
    # No compiler cache, and none of pip's built wheels.
    environment = {key: value for key, value in os.environ.items() if key != "CMAKE_C_COMPILER_LAUNCHER"}
    environment |= {"CCACHE_DISABLE": "1", "MPLBACKEND": "Agg"}
    with tempfile.TemporaryDirectory() as folder:
        clone, ready = Path(folder) / "svmbench", Path(folder) / "venv" / ".ready"
        phases = Phases(environment)
        phases.run("clone", "git", "clone", "--quiet", str(ROOT), str(clone))
        make = (
            "make",
            "-C",
            str(clone),
            f"PYTHON={sys.executable}",
            f"VENV={ready.parent}",
            f"RESULTS={folder}/results",
        )
        phases.run("venv; compile, and packages beside it", *make, str(ready))
        phases.run("demo", *make, "demo")
        phases.show()
        (log,) = clone.glob("build/*/.ninja_log")
        print(f"\n{'of the compilation':44} wall s   sum of its jobs, s")
        for name, wall, jobs in steps(log):
            print(f"{name:44} {wall:7.1f} {jobs:7.1f}")
    print(f"\n{os.cpu_count()} cores, load {load:.2f} at the start")


if __name__ == "__main__":
    main()
