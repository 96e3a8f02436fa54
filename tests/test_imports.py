"""Imports point one way, as the table in docs/architecture.md says; solvers see no clock."""

import ast
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from svmbench.cli.main import COMMANDS

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "svmbench"
TABLE = ROOT / "docs" / "architecture.md"
#: Imports that do close a circle, but at run time only: tiled layouts fall back on the dense one of them.
INWARD = {("svmbench.kernels.layouts._tiled", "svmbench.kernels.layouts._dense")}
CIMPORT = re.compile(
    r"^\s*(?:from|import|cimport)\s+(svmbench[\w.]*)(?:\s+c?import\s+(\([^)]*\)|.+))?", re.MULTILINE
)


OVERVIEW = runpy.run_path(str(ROOT / "cmake" / "site_overview.py"))
allowed = OVERVIEW["allowed"]

#: What each room may import beside itself and `errors`.
ALLOWED = allowed(TABLE.read_text())


def sources() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.p*")) if path.suffix in (".py", ".pyx", ".pxd")]


@cache
def imported(path: Path) -> set[str]:
    """Return the modules and packages of svmbench that a file imports or cimports, wherever in it.

    What is imported for types alone does not count; a name that is given to `import_module` does.
    """
    found = set()
    for module, names in _python(path) if path.suffix == ".py" else _cython(path):
        inner = {f"{module}.{name}" for name in names if is_module(f"{module}.{name}")}
        found |= inner or {module}
    return found


def _python(path: Path) -> Iterator[tuple[str, list[str]]]:
    waiting: list[ast.AST] = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: write the whole name of what is imported"
            modules = [(node.module or "", [name.name for name in node.names])]
        elif isinstance(node, ast.Import):
            modules = [(name.name, []) for name in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            modules = [(ast.unparse(node.args[0]).strip("'"), [])]
        else:
            continue
        yield from ((name, names) for name, names in modules if name.split(".")[0] == "svmbench")


def _cython(path: Path) -> Iterator[tuple[str, list[str]]]:
    for module, names in CIMPORT.findall(path.read_text()):
        yield module, [name.split("#")[0].split(" as ")[0].strip(" ()\\\n") for name in names.split(",")]


def is_module(name: str) -> bool:
    place = PACKAGE.parent.joinpath(*name.split("."))
    return place.is_dir() or any(place.with_suffix(suffix).is_file() for suffix in (".py", ".pyx"))


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """Return the room of a module: the longest name in the table that it lies in."""
    parts = module.split(".")[1:]
    if not parts:
        return "svmbench"
    whole = "/".join(parts)
    inner = [room for room in ALLOWED if "/" in room and f"{whole}/".startswith(f"{room}/")]
    return inner[0] if inner else parts[0]


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Return one circle of a graph, empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_the_picture_shows_every_room_and_the_lines_that_no_longer_way_replaces():
    graph = {"a": {"b", "c"}, "b": {"c"}, "c": set(), "d": {"c"}}
    assert OVERVIEW["reduced"](graph) == {"a": {"b"}, "b": {"c"}, "c": set(), "d": {"c"}}
    assert [set(level) for level in OVERVIEW["floors"](graph)] == [{"c"}, {"b", "d"}, {"a"}]
    rooms = OVERVIEW["rooms"](ALLOWED)
    drawn = OVERVIEW["picture"](rooms).decode()
    assert (
        set(rooms) <= set(re.findall(r">([a-z_]+)</text>", drawn))
        and OVERVIEW["picture"](rooms).decode() == drawn
    )


def test_the_table_has_every_room():
    assert {room_of(module_of(path)) for path in sources()} == set(ALLOWED)


def test_the_diagram_of_a_room_names_its_files():
    drawn = {
        init.parent: text
        for init in PACKAGE.glob("**/__init__.py")
        if "|-- " in (text := ast.get_docstring(ast.parse(init.read_text())) or "")
    }
    assert len(drawn) >= 15
    for room, text in drawn.items():
        files = {path.stem for path in room.glob("*.py*") if path in sources()} - {"__init__"}
        subcommands = set(COMMANDS) if room.name == "cli" else set()  # in their own table
        assert not {name for name in files - subcommands if not re.search(rf"\b{name}\b", text)}, room


def test_imports_point_one_way():
    wrong = {
        f"{path.relative_to(PACKAGE)} must not import {other}"
        for path in sources()
        for room in [room_of(module_of(path))]
        for other in {room_of(name) for name in imported(path)} - {room, "errors"} - ALLOWED.get(room, set())
    }
    assert not wrong


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
        room = room_of(module).partition("/")[0]
        rooms.setdefault(room, set()).update({room_of(name).partition("/")[0] for name in uses} - {room})
    assert cycle(rooms) == []


def test_solvers_see_no_clock():
    clock = re.compile(r"^\s*(?:from|import|cimport)\s+(?:time|datetime|logging)\b", re.MULTILINE)
    solvers = [path for path in sources() if path.is_relative_to(PACKAGE / "solvers")]
    assert solvers and not [path for path in solvers if clock.search(path.read_text())]


#: What programs do, and which libraries they have no use for, which take long to import or may be absent.
LIGHT = {
    "import svmbench": "numpy pandas hydra",
    "from svmbench.data import catalogue; catalogue.names()": "numpy scipy requests yaml",
    "from svmbench.solvers import registry; registry.names()": (
        "svmbench.solvers.kernel.sbp svmbench.solvers.linear.dcd svmbench.solvers.baselines.sklearn_svc"
    ),
    "from svmbench.solvers import registry; [registry.get(one).Params() for one in registry.names()]": (
        "sklearn sklearnex daal4py"
    ),
    "import svmbench.runner.execute, svmbench.data.sets.banana, svmbench.figures.curves": (
        "scipy.sparse pandas matplotlib.pyplot"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("program", LIGHT)
def test_what_is_not_needed_is_not_imported(program):
    text = f"import sys; {program}; print(*sorted(set({LIGHT[program].split()}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
