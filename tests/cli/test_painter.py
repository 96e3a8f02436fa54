"""The process beside a run that draws its pictures: they are the same without it, and none is left behind."""

import errno
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import pytest

from svmbench.cli import _painter
from svmbench.cli import run as module
from svmbench.cli._painter import Painter
from svmbench.cli.main import main
from svmbench.runner import guard
from svmbench.store import Store
from tests.cli.conftest import SMALL
from tests.told import answer

Ended = tuple[int | None, subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.pictures

linux = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2, reason="a process beside needs Linux, 2 CPUs"
)

# A run in a fresh process, with what is done before it, and between the painter's import and the drawing.
RUN = """
import os, signal, sys
from svmbench.cli import _painter, main
{before}
wait = _painter.Painter.wait
def watched(self):
    wait(self)
    print("painter", self._pipe is not None and self._process.pid, flush=True)
    {meanwhile}
_painter.Painter.wait = watched
sys.exit(main.main(["run", "solver=smo", *sys.argv[1:]]))
"""


def run(meanwhile: str, *overrides: str, before: str = "") -> Ended:
    """Run, and return the number of the painter's process, if there was one, and what the command said."""
    command = [sys.executable, "-c", RUN.format(meanwhile=meanwhile, before=before), *SMALL, *overrides]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
    words = [line.split()[1] for line in ended.stdout.splitlines() if line.startswith("painter ")]
    return (int(words[0]) if words and words[0] != "False" else None), ended


def run_on_one_processor(*overrides: str, before: str = "") -> Ended:
    """Run where a second process would gain nothing."""
    usual = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(usual)})
    try:
        return run("", *overrides, before=before)
    finally:
        os.sched_setaffinity(0, usual)


def drawn(results: Path) -> list[bytes]:
    path = Store(results).runs()[0].path
    assert not list(path.glob("*.txt"))  # text that no checksum covers
    return [(path / name).read_bytes() for name in ("curve.png", "regions.png")]


def gone(process: int) -> bool:
    """Wait for the end of a process that is no child of ours."""
    for _ in range(500):
        if not Path(f"/proc/{process}").exists() or " Z " in Path(f"/proc/{process}/stat").read_text():
            return True
        time.sleep(0.02)
    return False


@linux
def test_the_pictures_are_the_same_whoever_draws_them(here):
    painter, beside = run("", "results=beside")
    nobody, within = run_on_one_processor("results=within")
    killed, without = run("os.kill(self._process.pid, signal.SIGKILL)", "results=without")
    assert painter and killed and nobody is None
    assert gone(painter) and gone(killed)
    assert [beside.returncode, within.returncode, without.returncode] == [0, 0, 0]
    assert "Traceback" not in beside.stderr + within.stderr + without.stderr
    assert drawn(here / "beside") == drawn(here / "within") == drawn(here / "without")


@linux
def test_the_process_ends_with_a_run_that_is_killed(here):
    painter, ended = run("os.kill(os.getpid(), signal.SIGKILL)")
    assert ended.returncode == -signal.SIGKILL
    assert painter is not None and gone(painter)


@linux
def test_what_cannot_be_drawn_is_said_by_either(here):
    refuse = 'def refuse(*task): raise _painter.UserError("no checkpoint")\n_painter._draw = refuse'
    painter, beside = run("", "results=beside", before=refuse)
    nobody, within = run_on_one_processor("results=within", before=refuse)
    assert painter and nobody is None
    for ended in (beside, within):
        assert ended.returncode == 0
        assert ended.stderr.endswith("no picture: no checkpoint\n")
        assert "picture " not in ended.stdout and "run      " in ended.stdout


def test_nothing_is_forked_where_threads_may_run():
    assert numpy.__name__ in sys.modules  # which has threads, or may have
    with Painter() as painter:
        assert painter._pipe is None
        painter.wait()


@linux
def test_nothing_is_started_for_a_picture_that_nobody_asks_for(here):
    painter, ended = run("", "--json")
    assert ended.returncode == 0 and painter is None
    assert "painter False\n" in ended.stdout
    (stored,) = Store(here / "results").runs()
    assert not (stored.path / "curve.png").exists()


@linux
def test_a_stored_run_is_found_without_waiting_for_matplotlib(here):
    made, _ = run("")
    assert made
    waited, found = run("")
    assert found.returncode == 0 and "stored before" in found.stdout
    assert waited is None and "painter" not in found.stdout
    assert found.stdout.count("picture ") == 2


def test_nothing_is_started_where_another_process_makes_the_run(here, monkeypatch):
    asked = []

    class Asked(Painter):
        def __init__(self, ahead: bool = True) -> None:
            asked.append(ahead)
            super().__init__(ahead=False)

    monkeypatch.setattr(module, "Painter", Asked)
    monkeypatch.setattr(guard, "watched", lambda config, command, environment: (0, None))
    assert main(["run", "solver=sklearn_svc", *SMALL]) == 0
    assert main(["run", "solver=smo", *SMALL]) == 0
    assert asked == [False, True]


def test_a_picture_that_is_missing_is_drawn_when_the_run_is_found(here):
    run("")
    (stored,) = Store(here / "results").runs()
    curve = (stored.path / "curve.png").read_bytes()
    (stored.path / "curve.png").unlink()
    assert run("")[1].stdout.count("picture ") == 2
    assert (stored.path / "curve.png").read_bytes() == curve


def test_a_run_in_a_folder_that_is_only_read_is_found(here, monkeypatch, capsys):
    assert main(["run", "solver=smo", *SMALL]) == 0
    (stored,) = Store(here / "results").runs()
    (stored.path / "curve.png").unlink()
    before = {path.name: path.stat().st_mtime_ns for path in stored.path.iterdir()}

    def refuse(*task, **more):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    monkeypatch.setattr(_painter, "_draw", refuse)
    said = answer(capsys, ["run", "solver=smo", *SMALL])
    assert "stored before" in said.out and said.err == "no picture: Read-only file system\n"
    assert {path.name: path.stat().st_mtime_ns for path in stored.path.iterdir()} == before
    assert main(["run", "solver=smo", *SMALL, "seed=1"]) == 2
    assert "is not writable; give another results=DIR" in capsys.readouterr().err
