"""Imports point one way, long files say why, solvers see no clock. See docs/architecture.md."""

from __future__ import annotations

import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "svmbench"
IMPORT = re.compile(
    r"^\s*(?:from|import|cimport)\s+(svmbench[\w.]*)(?:\s+(?:c?import)\s+(.+))?", re.MULTILINE
)

# What each room may use beside itself and `errors`; '' is the package, with its version.
ALLOWED = {
    "errors": set(),
    "files": set(),
    "counters": set(),
    "problem": set(),
    "simd": set(),
    "rng": set(),
    "sparse": set(),
    "kernels": {"counters", "simd", "sparse"},
    "data": {"files", "rng", "sparse"},
    "solvers": {"counters", "kernels", "problem", "simd", "rng", "sparse"},
    "features": {"kernels", "simd", "rng", "sparse"},
    "config": {"counters", "solvers", "features", "data", "problem"},
    "store": {"counters", "files"},
    "recompute": {"store", "data", "rng", "files"},
    "runner": {"store", "solvers", "features", "kernels", "data", "simd", "rng", "files", "problem", ""},
    "sweep": {"config", "runner", "store", "solvers", "features", "data", "files"},
    "sklearn": {"runner", "solvers", "kernels", "problem", "rng"},
    "report": {"counters", "store", "files"},
    "api": {"cli", "config", "data", "files", "report", "runner", "store"},
    "analysis": {"report", "store"},
    "page": {"analysis", "report", "store", ""},
    "papers": {
        *(
            "analysis",
            "report",
            "store",
            "runner",
            "config",
            "files",
            "solvers",
            "features",
            "kernels",
            "data",
        ),
        *("problem", "rng", "sweep"),
    },
    "speed": {"runner", "store", "solvers", "kernels", "data", "simd", "rng", "config", "files", "problem"},
    "cli": {
        *(
            "analysis",
            "config",
            "counters",
            "data",
            "files",
            "page",
            "papers",
            "recompute",
            "report",
            "runner",
            "solvers",
            "speed",
            "store",
        ),
        *("sweep", ""),
    },
}
#: Imports that do close a circle, but at run time only: tiled layouts fall back on the dense one of them.
INWARD = {("svmbench.kernels.layouts._tiled", "svmbench.kernels.layouts._dense")}
#: Lines beyond which the header of a file says why it is so long, in these words.
LINES = 300
REASON = f"longer than {LINES} lines"


def sources() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.p*")) if path.suffix in (".py", ".pyx", ".pxd")]


def imported(path: Path) -> set[str]:
    """Return the modules and packages of svmbench that a file imports or cimports, wherever in it."""
    text = re.sub(r"^if TYPE_CHECKING:\n(?:    .*\n|\n)+", "", path.read_text(), flags=re.MULTILINE)
    found = set()
    for module, names in IMPORT.findall(text):
        parts = [name.split("#")[0].split(" as ")[0].strip(" ()\\") for name in names.split(",")]
        inner = {f"{module}.{name}" for name in parts if name and is_module(f"{module}.{name}")}
        found |= inner or {module}
    return found


def is_module(name: str) -> bool:
    place = PACKAGE.parent.joinpath(*name.split("."))
    return place.is_dir() or any(place.with_suffix(suffix).is_file() for suffix in (".py", ".pyx"))


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    return [*module.split("."), ""][1]


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Return one circle of a graph, empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_the_guard_sees_imports():
    assert {room_of(name) for name in imported(PACKAGE / "kernels" / "_cache.pyx")} == {"simd"}
    assert "svmbench.problem" in imported(PACKAGE / "solvers" / "base.py")
    assert "svmbench.solvers.registry" in imported(PACKAGE / "speed" / "solvers.py")
    assert cycle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert set(cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}})) == {"b", "c"}


def test_every_room_is_guarded():
    assert {room_of(module_of(path)) for path in sources()} - {""} == set(ALLOWED)


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    room = room_of(module_of(path))
    wrong = {room_of(name) for name in imported(path)} - {room, "errors"} - ALLOWED.get(room, set())
    assert not wrong, f"{path.name} in {room}/ must not import {', '.join(sorted(wrong))}"


def test_no_imports_go_round_in_a_circle():
    modules: dict[str, set[str]] = {}
    for path in sources():
        module = module_of(path)
        modules.setdefault(module, set()).update(imported(path) - {module})  # a .pyx uses its own .pxd
    for module, other in INWARD:
        modules[module].discard(other)
    assert cycle(modules) == []
    rooms: dict[str, set[str]] = {}
    for module, uses in modules.items():
        room = room_of(module)
        rooms.setdefault(room, set()).update({room_of(name) for name in uses} - {room, ""})
    assert cycle(rooms) == []


def header(text: str) -> str:
    """Return the words of a file's first docstring or C comment."""
    found = re.search(r'"""(.+?)"""|/\*(.+?)\*/', text, re.DOTALL)
    return " ".join(found.group(0).replace("*", " ").split()) if found else ""


def too_long(text: str) -> bool:
    return len(text.splitlines()) > LINES and REASON not in header(text)


def test_the_guard_sees_a_long_file():
    lines = "x = 1\n" * LINES
    assert too_long(f'"""A room."""\n{lines}') and too_long(lines + lines)
    assert not too_long(lines)
    assert not too_long(f'"""A table\n\n{REASON}, for it is one table."""\n{lines}')
    assert not too_long(f"/* A loop, longer than\n * {LINES} lines: all of it is inlined. */\n{lines}")


def test_a_long_file_says_in_its_header_why():
    files = [path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".pyx", ".pxd", ".c", ".h")]
    found = {str(path.relative_to(PACKAGE)) for path in files if too_long(path.read_text())}
    assert not found, f"split {', '.join(sorted(found))}, or say in the header '{REASON}: why'"


SOLVERS = [path for path in sources() if path.relative_to(PACKAGE).parts[0] == "solvers"]


@pytest.mark.parametrize("path", SOLVERS, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_solvers_see_no_clock(path):
    assert not re.search(r"^\s*(?:from|import|cimport)\s+(?:time|datetime|logging)\b", path.read_text(), re.M)


@pytest.mark.slow
def test_a_run_on_dense_data_imports_no_sparse_matrices():
    program = (
        "import sys, svmbench.runner.execute, svmbench.data.sets.banana, svmbench.report.curves\n"
        "print(sorted({'scipy.sparse', 'pandas', 'matplotlib.pyplot'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
