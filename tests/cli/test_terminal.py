"""Runs, sweeps and `svmbench watch` in a terminal."""

import pytest

from svmbench.sweep.job_state import read
from tests.cli.screen import Command
from tests.cli.test_run import ENDLESS
from tests.told import names


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "encoding"), [(80, "utf-8"), (34, "ascii")])
def test_a_run_in_a_terminal_is_seen_and_leaves_its_end_alone(here, columns, encoding):
    with Command("run", *ENDLESS, columns=columns, encoding=encoding) as command:
        shown = command.until(lambda text: ": training," in text and "error" in text)
        assert shown.isascii()
        command.interrupt()
        assert command.end() == 130
    assert command.screen.text.startswith("pegasos on checkerboard, seed 0: interrupted by SIGINT")
    assert ": training," not in command.screen.text
    live = [part for part in command.raw.split("\x1b[K") if ": training," in part]
    assert live and all(len(line.strip("\r\n")) < columns for part in live for line in part.split("\n"))


@pytest.mark.slow
def test_a_sweep_in_a_terminal_is_a_live_table(here):
    with Command("run", "-m", *ENDLESS, "seed=1,2", "jobs=2", "oversubscribe=true") as command:
        shown = command.until(lambda text: text.count(" training ") == 2 and "age" in text)
        table = shown.splitlines()[-4:]
        assert table[0].startswith("0 of 2 done, 2 running, 0 failed, ")
        assert table[1].split()[:4] == ["job", "overrides", "phase", "time"] and table[1].endswith("age")
        assert [row.split()[:3] for row in table[2:]] == [
            ["1", "seed=1", "training"],
            ["2", "seed=2", "training"],
        ]
        with Command("watch", "2", columns=60) as watch:
            assert "0 of 2 done, 2 running" in watch.until(lambda text: text.count(" training ") == 2)
            command.interrupt()
            assert command.end() == 130
            assert watch.end() == 0
    assert "2 interrupted" in command.screen.text and "phase" not in command.screen.text
    assert names(watch.screen.text, "0 of 2 done", "2 interrupted", "svmbench resume 2")
    assert "phase" not in watch.screen.text


def test_the_log_of_a_job_has_a_note_beside_it(swept):
    note = read(swept / "1.now")
    assert note is not None and note.phase in ("loading", "training", "checkpoint", "certifying")
