"""Solvers are found, not listed."""

import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import svmbench.solvers.kernel
from svmbench.cli.main import main
from svmbench.errors import UserError
from svmbench.solvers import registry
from svmbench.solvers.base import Solver
from svmbench.solvers.kernel.pegasos import Pegasos
from svmbench.solvers.plain import ExpansionRun
from tests.told import output

ROOT = Path(svmbench.solvers.kernel.__file__).parent.parent


@pytest.fixture(autouse=True)
def fresh():
    registry._modules.cache_clear()
    yield
    registry._modules.cache_clear()


def test_every_source_is_found():
    sources = {
        path.stem
        for path in ROOT.glob("*/*.py*")
        if path.parent.name in ("kernel", "linear", "baselines")
        and not path.stem.startswith("_")
        and path.suffix != ".pxd"
    }
    assert sources
    assert registry.built_in() == sorted(sources)
    assert set(registry.built_in()) <= set(registry.names())


def test_get_returns_the_class_of_that_name():
    for name in registry.names():
        assert issubclass(registry.get(name), Solver)
        assert registry.get(name).name == name


def test_no_title_is_in_lower_case_beside_others_in_a_legend():
    assert [name for name in registry.built_in() if registry.get(name).title.islower()] == []


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UserError, match=r"solver 'pegasus' is unknown.*did you mean 'pegasos'\?"):
        registry.get("pegasus")


NEW = """
from svmbench.solvers.base import Solver

class New(Solver):
    name, title, citation, Params = "{name}", "New", "nobody", dict

    def start(self, problem, oracle, rng):
        raise NotImplementedError
"""


PLAIN = """
from svmbench.solvers.plain import ExpansionRun

class Run(ExpansionRun):
    'Nobody.'

    def improve(self):
        return True
"""


def test_a_new_file_is_a_new_solver(tmp_path, monkeypatch):
    monkeypatch.setattr(
        svmbench.solvers.kernel, "__path__", [*svmbench.solvers.kernel.__path__, str(tmp_path)]
    )
    (tmp_path / "fresh.py").write_text(NEW.format(name="fresh"))
    (tmp_path / "astray.py").write_text(NEW.format(name="another"))
    (tmp_path / "_hidden.py").write_text("")
    (tmp_path / "plain.py").write_text(PLAIN)
    assert {"fresh", "astray"} <= set(registry.names())
    assert "_hidden" not in registry.names()
    assert registry.get("fresh").name == "fresh"
    assert registry.get("plain").citation == "Nobody."
    with pytest.raises(UserError, match="defines no solver named 'astray'"):
        registry.get("astray")


class Mine(Solver):
    name, title, citation = "mine", "Mine", "nobody"

    @dataclass(frozen=True)
    class Params:
        pass

    def start(self, problem, oracle, rng):
        raise NotImplementedError


class Nothing(Solver):
    name = "nothing"


class Method(ExpansionRun):
    """Nobody. Nothing. 2026."""

    def improve(self):
        return True


class Half(ExpansionRun):
    pass


class Extended(Pegasos):
    name, title = "extended", "Extended"


def plugin(monkeypatch, name, value):
    found = {"svmbench.solvers": {name: EntryPoint(name, value, "svmbench.solvers")}}
    monkeypatch.setattr(registry, "plugins", lambda group: found.get(group, {}))


def test_a_plug_in_is_found(monkeypatch):
    plugin(monkeypatch, "mine", f"{__name__}:Mine")
    assert "mine" in registry.names()
    assert registry.get("mine") is Mine


def test_a_plug_in_that_extends_a_solver_cites_as_that_does(monkeypatch):
    monkeypatch.delattr(Pegasos, "citation", raising=False)  # as if no other test had asked for it
    plugin(monkeypatch, "extended", f"{__name__}:Extended")
    assert registry.get("extended").citation.startswith("S. Shalev-Shwartz, Y. Singer, ")


@pytest.mark.parametrize("name", registry.built_in())
def test_a_citation_is_plain_text_with_a_year(name):
    assert re.search(r"\b(19|20)\d\d\b", registry.get(name).citation)
    assert not re.search("`|:math|below|above", registry.get(name).citation)


def test_a_plug_in_may_be_the_class_of_its_runs(monkeypatch, capsys):
    plugin(monkeypatch, "my_own", f"{__name__}:Method")
    solver = registry.get("my_own")
    assert solver is registry.get("my_own") and issubclass(solver, Solver) and solver.name == "my_own"
    assert "Nobody. Nothing. 2026." in output(capsys, ["solvers", "my_own"])


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("half", f"{__name__}:Half", r"\.Half does not define citation, improve: add "),
        ("nothing", f"{__name__}:Nothing", r"\.Nothing does not define title, citation, Params, Run: add "),
        *(
            ("other", f"{__name__}:{one}", "is not a solver named 'other'")
            for one in ("Mine", "plugin", "Solver")
        ),
        ("other", "no_such_module:Mine", r"of solver 'other' cannot be imported \(\w+Error: .*"),
        ("other", f"{__name__}:NoSuchClass", r"of solver 'other' cannot be imported \(\w+Error: .*"),
        ("sbp", f"{__name__}:Mine", "has the name of a built-in solver, 'sbp'"),
    ],
)
def test_a_plug_in_that_is_no_solver_of_its_name_is_refused(monkeypatch, name, value, sentence):
    plugin(monkeypatch, name, value)
    with pytest.raises(UserError, match=sentence):
        registry.get(name)


def test_a_solver_that_cannot_be_used_does_not_hide_the_others(monkeypatch, capsys):
    plugin(monkeypatch, "nothing", f"{__name__}:Nothing")
    listed = output(capsys, ["solvers"])
    assert re.search(r"^nothing +cannot be used: .*Nothing does not define title, ", listed, re.MULTILINE)
    assert re.search(r"^sbp +SBP ", listed, re.MULTILINE)
    assert main(["solvers", "nothing"]) == 2


def test_solvers_need_no_docstrings():
    code = "from svmbench.solvers import registry; print(registry.get('sklearn_svc').citation)"
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("unknown: python -OO")
