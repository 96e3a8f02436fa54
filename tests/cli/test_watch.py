"""`svmbench watch`: what is being made, seen from beside."""

import re
import signal

import pytest

from svmbench.cli import watch
from svmbench.cli.main import main
from svmbench.sweep.select import chosen
from tests.cli.conftest import SMALL
from tests.cli.screen import Command
from tests.cli.test_run import ENDLESS, running, start, wait_for
from tests.told import output, refusal


def test_a_sweep_that_is_over_is_said_in_a_line(swept, here, capfd):
    said = output(capfd, ["watch", swept.name[:10], "--html", "page.html"])
    assert said == "2 of 2 done, 0 running, 0 failed; ended\npage.html\n"
    assert 'http-equiv="refresh"' not in (here / "page.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "there is nothing to watch: folder results does not exist"),
        (["--every", "0"], "--every 0 is not allowed: give seconds from 0.1 to 3600"),
        (["2026", "--results", "."], "there is no sweep in ."),
        (["--evry", "2"], "unrecognized arguments"),
        (["--results", ".", "--html", "."], "--html . is a folder: give the name of a file, such as mine"),
    ],
)
def test_wrong_options_are_a_sentence(here, capfd, arguments, sentence):
    error = refusal(capfd, ["watch", *arguments])
    assert sentence in error and len(error.splitlines()) == 1


@pytest.mark.slow
def test_a_results_folder_shows_single_runs_and_a_report_that_reloads(here, monkeypatch):
    assert main(["run", "solver=smo", *SMALL]) == 0
    process = start("run", *ENDLESS)
    wait_for(lambda: running(here / "results"))
    page = here / "live" / "page.html"
    with Command("watch", "--html", "live/page.html", "--every", "0.2") as command:
        shown = command.until(lambda text: "pegasos checkerboard seed=0  training" in text).splitlines()
        assert shown[0] == "results: 2 runs, 1 being made now"
        assert shown[1].split()[:5] == ["job", "overrides", "phase", "time", "done"]
        assert "ended last:" in shown and "smo" in shown[-1]
        wait_for(page.exists)
        assert 'http-equiv="refresh" content="30"' in page.read_text()
        command.interrupt()
        assert command.end() == 0
    assert command.screen.text == "live/page.html"
    assert 'http-equiv="refresh"' not in page.read_text()
    assert process.poll() is None  # Ctrl-C ended the watching alone
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


def test_a_results_folder_where_nothing_is_made_says_so(stored):
    sentence, _, over = watch._store_view(stored)()
    assert sentence == f"{stored}: 2 runs, none being made now" and not over


@pytest.mark.slow
def test_without_a_terminal_there_is_a_line_now_and_then(here, capfd, monkeypatch):
    process = start("run", "-m", *ENDLESS, "seed=1,2", "jobs=1")
    wait_for(lambda: running(here / "results"))
    (sweep,) = (here / "results" / "sweeps").iterdir()
    assert [(run.status, run.seed) for run in chosen("results", [sweep.name])] == [("running", 1)]
    looks = []

    def wait(seconds):
        if seconds < 1.0:  # of `communicate`
            return
        looks.append(seconds)
        if len(looks) == 3:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)

    monkeypatch.setattr(watch.time, "sleep", wait)
    first, last = output(capfd, ["watch", sweep.name]).splitlines()
    assert re.fullmatch(r"0 of 2 done, 1 running, 0 failed, .* since the start", first)
    state = "0 of 2 done, 0 running, 0 failed, 1 interrupted"
    assert last == f"{state}; continue with: svmbench resume {sweep.name}"
    assert len(looks) == 3
