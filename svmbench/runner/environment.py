"""The machine and software of a run, as far as they can affect its timings or last digits."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import platform
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from threadpoolctl import threadpool_info

from svmbench import simd
from svmbench.runner import _build
from svmbench.version import __version__

#: Fields of threadpoolctl, without those that contain paths.
_LIBRARY = ("user_api", "internal_api", "version", "num_threads", "architecture", "threading_layer")


def environment(threads: int) -> dict[str, Any]:
    """Describe this process; call it while the limits on library threads hold.

    Parameters
    ----------
    threads : int
        Threads of the run.
    """
    libraries = [{key: library.get(key) for key in _LIBRARY} for library in threadpool_info()]
    return {
        "svmbench": __version__,
        "source": source(Path(__file__).parents[2]),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "cython": _build.cython(),
        "compiler": _build.compiler(),
        "platform": platform.platform(),
        "processor": processor(),
        "caches": caches(),
        "cores": os.cpu_count(),
        "isa": simd.isa(),
        "threads": threads,
        "libraries": sorted(libraries, key=str),
    }


@functools.cache
def source(root: Path) -> dict[str, str | bool] | None:
    """Return the commit at ``root`` and whether files differ from it; None if it is not a git checkout."""
    if not (root / ".git").exists():
        return None
    commit = _git(root, "rev-parse", "HEAD")
    changes = _git(root, "status", "--porcelain", "--untracked-files=no")
    if commit is None or changes is None:
        return None
    return {"commit": commit, "dirty": changes != ""}


def _git(root: Path, *arguments: str) -> str | None:
    # Without optional locks, so that a run never blocks the user's git commands.
    command = ["git", "--no-optional-locks", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def fields(path: str) -> dict[str, str]:
    """Return the first value of each name in a file of ``/proc``; none where the system has no such file."""
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    found = (line.partition(":") for line in reversed(lines))
    return {name.strip(): value.strip() for name, _, value in found}


def processor() -> str:
    """Return the model name of the processor."""
    return fields("/proc/cpuinfo").get("model name") or platform.processor() or platform.machine()


def caches() -> list[str] | None:
    """Return the caches of the first core, such as ``L1 Data 32K``; None where the system does not tell."""
    found = []
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        with contextlib.suppress(OSError):
            level, kind, size = (
                (folder / name).read_text(encoding="ascii").strip() for name in ("level", "type", "size")
            )
            found.append(f"L{level} {kind} {size}")
    return found or None


def concurrent_load(running: int) -> dict[str, int | list[float]]:
    """Return the current load: other runs of the same store, and the load averages."""
    return {"running": running, "load": [round(load, 2) for load in os.getloadavg()]}


def peak_memory() -> float:
    """Return the peak resident memory of this process in MiB."""
    # Not ru_maxrss: on Linux a process inherits it from its parent.
    if "VmHWM" in (known := fields("/proc/self/status")):
        return int(known["VmHWM"].split()[0]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def reset_peak_memory() -> None:
    """Return freed memory and reset `peak_memory` for the next run of this process, if the system can."""
    with contextlib.suppress(AttributeError, OSError):  # only the GNU C library has it
        ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def available_bytes() -> int:
    """Return the bytes of memory available without swapping."""
    if "MemAvailable" in (known := fields("/proc/meminfo")):
        return int(known["MemAvailable"].split()[0]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
