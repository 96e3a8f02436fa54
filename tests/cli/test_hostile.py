"""What hand-made files and impatient users may do to a terminal, and to a command."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from svmbench.cli.main import interrupt, main, raised_later
from svmbench.files import digest, sha256
from svmbench.store import Store, documents
from tests.cli.conftest import SMALL
from tests.told import refusal

_COMMAND = [sys.executable, "-P", "-m", "svmbench.cli.main"]


@pytest.fixture
def forged(here, stored):
    """A run whose documents hold escape sequences and formulas, validly sealed."""
    (run,) = (run for run in Store(stored).runs() if run.solver == "pegasos")
    shutil.copytree(run.path, here / "results" / "runs" / run.id)
    run = Store("results").find(run.id)
    about = json.loads((run.path / "run.json").read_text())
    about["config"]["kernel"]["\x1b]0;owned\x07"] = "\x1b[2J\u202egone"
    about["config"]["solver"]["note"] = "=HYPERLINK(1)"
    (run.path / "run.json").write_text(json.dumps(about))
    end = json.loads((run.path / "status.json").read_text())
    end["files"]["run.json"] = sha256(run.path / "run.json")
    end["reason"] = "\x1b[31mred\r\x9b2J"
    end.pop("check"), end.pop("schema")
    documents.write(run.path / "status.json", {**end, "check": digest(end)})
    return run.id


@pytest.mark.parametrize(
    "words",
    [
        ("list",), ("list", "--csv"), ("list", "--json"), ("show", "{}"), ("show", "{}", "--json"),
        ("list", "--columns", "run,reason,kernel.\x1b]0;owned\x07"), ("list", "--where", "\x1b[2J=1"),
        ("list", "--csv", "--columns", "run,reason,kernel.\x1b]0;owned\x07,solver.note"), ("delete", "{}"),
        ("export", "{}"), ("plot", "{}"), ("report", "\x1b[2J"), ("note", "{}"), ("verify", "{}"),
    ],
)  # fmt: skip
def test_no_escape_sequence_of_a_file_reaches_the_terminal(forged, words, capsys):
    main([word.replace("{}", forged) for word in words])
    told = "".join(capsys.readouterr())
    assert told and not set(told) & {"\x1b", "\x07", "\r", "\x9b", "\u202e"}


@pytest.mark.parametrize("forced", [{"PYTHONIOENCODING": "ascii:strict"}, {"PYTHONCOERCECLOCALE": "0"}])
def test_a_terminal_of_ascii_is_no_reason_to_fail(here, stored, forced):
    shutil.copytree(stored, "results")
    name = Store("results").runs()[0].id
    assert main(["note", name, "γ – as in Table 2"]) == 0
    environment = {**os.environ, **forced, "LC_ALL": "C", "PYTHONUTF8": "0"}
    new = ["note", name, "γ – as in Table 2".encode()]  # which come as halves of characters
    for words in (["list", "--columns", "run,note"], ["show", name], ["note", name], new):
        done = subprocess.run([*_COMMAND, *words], capture_output=True, env=environment)
        assert done.returncode == 0 and b"Traceback" not in done.stderr, done.stderr
        assert rb"\u03b3 \u2013 as" in done.stdout


def _spent(pid):
    """The processor time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(("after", "pause"), [(0.4, 0.0), (0.8, 0.02), (1.2, 0.005)])
def test_three_interrupts_in_a_moment_leave_no_traceback(here, pause, after):
    command = [*_COMMAND, "run", "solver=sdca", *SMALL[:2], "budget=debug", "budget.kev=null"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # By its own processor time: on a busy machine the interpreter would still be starting.
    while process.poll() is None and _spent(process.pid) < after:
        time.sleep(0.01)
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        time.sleep(pause)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT, 0) and b"Traceback" not in err, err


def test_an_interrupt_within_the_import_system_is_raised_after_it(monkeypatch):
    monkeypatch.setattr("svmbench.cli.main._interrupts", [])
    before = signal.signal(signal.SIGINT, interrupt)
    done = []
    step = "os.kill(os.getpid(), signal.SIGINT)\ndone.append(1)"
    try:
        exec(compile(step, "<frozen importlib._bootstrap>", "exec"), {**globals(), "done": done})
        assert done == [1]
        with pytest.raises(KeyboardInterrupt):
            time.sleep(60)
    finally:
        signal.signal(signal.SIGINT, before)


#: A command with an interrupt in a finaliser, where Python drops exceptions.
_DROPPED = """
import os, signal, sys, time
from svmbench.cli import list, main

class Finalised:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

def listed(arguments):
    Finalised()
    time.sleep(60)

list.main = listed
signal.signal(signal.SIGINT, main.interrupt)
sys.argv = ["svmbench", "list"]
sys.exit(main.main())
"""


def test_an_interrupt_in_a_finaliser_is_one_sentence(here):
    done = subprocess.run([sys.executable, "-c", _DROPPED], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "svmbench: interrupted\n")


def test_an_interrupt_while_a_dropped_exception_is_told_of_is_raised_after_it(monkeypatch):
    told = []

    def tell(dropped):
        os.kill(os.getpid(), signal.SIGINT)
        told.append(dropped.exc_type)

    monkeypatch.setattr("svmbench.cli.main._interrupts", [])
    monkeypatch.setattr(sys, "__unraisablehook__", tell)
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        raised_later(SimpleNamespace(exc_type=ValueError))
        assert told == [ValueError]
        with pytest.raises(KeyboardInterrupt):
            time.sleep(60)
    finally:
        signal.signal(signal.SIGINT, before)


#: Runs the installed script, which gets an interrupt when it begins to import a module.
_INTERRUPTED = """
import os, signal, sys
from importlib.metadata import entry_points

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[0]:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

(script,) = entry_points(group="console_scripts", name="svmbench")
sys.argv = sys.argv[1:]
sys.meta_path.insert(0, Finder())
sys.exit(script.load()())
"""


@pytest.mark.parametrize(
    "module",
    ["svmbench.cli.main", "svmbench.cli._streams", "svmbench.errors", "svmbench.cli.list", "sqlite3"],
)
def test_an_interrupt_during_imports_is_one_sentence(here, module):
    command = [sys.executable, "-c", _INTERRUPTED, module, "list"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "svmbench: interrupted\n")


def test_an_interrupt_of_which_a_library_makes_another_error_is_one_sentence(here):
    kill = "os.kill(os.getpid(), signal.SIGINT)"
    indent = 12 * " "
    swallowed = f"try: {kill}\n{indent}except KeyboardInterrupt: pass\n{indent}raise ImportError"
    command = [sys.executable, "-c", _INTERRUPTED.replace(kill, swallowed), "svmbench.cli.list", "list"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "svmbench: interrupted\n")


def test_aliases_that_stand_for_millions_of_values_are_one_sentence(here, capsys):
    (here / "mine" / "budget").mkdir(parents=True)
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 9)]
    (here / "mine" / "budget" / "bomb.yaml").write_text("\n".join(lines))
    begun = time.monotonic()
    assert main(["run", "--config-dir", "mine", "budget=bomb"]) == 2
    assert time.monotonic() - begun < 30.0
    (line,) = capsys.readouterr().err.splitlines()
    assert "the aliases in" in line and "write them out" in line


def test_a_few_aliases_are_welcome(here):
    (here / "mine" / "budget").mkdir(parents=True)
    keys = ("name: few", "kev: &k 2.0e+4", "counter: kev_ondemand", "iterations: null", "seconds: null")
    text = "\n".join((*keys, "memory: 64", "gap: *k", "test_error: null", ""))
    (here / "mine" / "budget" / "few.yaml").write_text(text)
    assert main(["run", "--config-dir", "mine", "budget=few", "--cfg", "job"]) == 0


def test_a_file_with_a_dollar_in_its_name_is_read_as_the_sentence_says(here, capsys):
    rows = "".join(f"{(-1) ** k} 1:{k} 2:{k % 3}\n" for k in range(20))
    (here / "a${b}.svm").write_text(rows)
    words = ["run", "solver=pegasos", "dataset=file", "dataset.test_fraction=0", "budget=debug"]
    words += ["kernel.gamma=1", "problem.C=1", "budget.iterations=10"]
    (line,) = refusal(capsys, [*words, 'dataset.path="a${b}.svm"']).splitlines()
    assert r"\${...} stands for these characters themselves" in line
    assert main([*words, r'dataset.path="a\${b}.svm"']) == 0


def test_a_foreign_folder_of_locks_stops_no_sweep(here, monkeypatch, tmp_path, capfd):
    (tmp_path / "tmp").mkdir()
    victim = tmp_path / "victim"
    victim.write_text("precious")
    foreign = tmp_path / "elsewhere"
    foreign.mkdir()
    for core in range(64):
        (foreign / f"core-{core}.lock").symlink_to(victim)
    (tmp_path / "tmp" / f"svmbench-{os.getuid()}").symlink_to(foreign)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "tmp"))
    assert main(["run", "-m", "solver=pegasos,smo", *SMALL]) == 0
    assert victim.read_text() == "precious"
    assert "is not a folder of yours and is not used for locks: remove it" in capfd.readouterr().err
