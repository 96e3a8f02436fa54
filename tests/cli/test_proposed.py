"""Commands that messages propose work when they are copied, whatever the results folder is called."""

import re
import shlex
import shutil

import pytest

from svmbench.cli.main import main
from svmbench.errors import command
from tests.told import output, refusal

OTHER = "my runs"
THERE = ["--results", OTHER]


def words(text):
    """The words after svmbench of the command that a text is."""
    return shlex.split(text.removeprefix("svmbench "))


def test_the_default_folder_is_not_named_and_keys_come_to_commands_that_take_them(here):
    assert command("status 2", "results") == command("status 2", here / "results") == "svmbench status 2"
    assert command("status 2", here / OTHER) == command("status 2", OTHER)
    assert command("run seed=1", OTHER) == "svmbench run seed=1 'results=my runs'"
    assert command("list", here.parent / "else") == f"svmbench list --results {here.parent / 'else'}"


def test_a_stopped_sweep_is_followed_and_continued(here, swept, capsys):
    shutil.move("results", OTHER)
    events = here / OTHER / "sweeps" / swept.name / "events.jsonl"
    events.write_text(events.read_text().splitlines(keepends=True)[0])  # stopped in the first
    status = f"svmbench status {swept.name} --results 'my runs'"
    assert f": {status} says why, and how to continue" in refusal(capsys, ["best", *THERE])
    told = output(capsys, words(status))
    (resume,) = re.findall("continue with: (.*)\n", told)
    assert output(capsys, words(resume)).endswith("2 skipped\n")
    refused = refusal(capsys, ["best", *THERE])
    (best,) = re.findall("; (svmbench best .*) ranks what it has", refused)
    (run,) = re.findall("best     (.*)\n", output(capsys, words(best)))
    assert main(words(run)) == 0
    assert not (here / "results").exists()


def test_damage_is_set_aside(here, stored, capsys):
    shutil.copytree(stored, OTHER)
    (run,) = (here / OTHER / "runs").glob("smo-*")
    (run / "run.json").write_text("{}")
    assert main(["show", run.name, *THERE]) == 2
    repair = re.findall("; (.*) sets it aside", capsys.readouterr().err)[-1]
    main(words(repair))
    assert (here / OTHER / "damaged" / run.name).is_dir() and not run.exists()


def test_an_empty_folder_gets_its_first_run(here, capsys):
    (here / OTHER).mkdir()
    (make,) = re.findall("make one with: (.*)\n", output(capsys, ["list", *THERE]))
    assert make == "svmbench run 'results=my runs'"
    assert f"make one with: {make}\n" in refusal(capsys, ["show", "smo", *THERE])
    assert "make one with: svmbench run -m KEY=A,B 'results=my runs'\n" in refusal(capsys, ["best", *THERE])


def test_the_runs_of_a_figure_are_made(here, capsys):
    own = ["--config-dir", "my conf"]
    assert main(["new", "figure", "small", *own]) == 0
    assert main(["paper", "plan", "small", *own, *THERE]) == 0
    out = capsys.readouterr().out
    (make,) = re.findall("Make all of them by `(.*)`", out)
    each = [line.partition("    # missing")[0] for line in out.splitlines() if "    # missing" in line]
    assert make in refusal(capsys, ["paper", "draw", "small", *own, *THERE])
    assert main(words(each[0])) == 0
    assert main(words(make)) == 0
    assert main(["paper", "draw", "small", *own, *THERE]) == 0
    assert not (here / "results").exists()


@pytest.mark.parametrize("given", [["solver=smo"], ["--config-dir", "my conf", "solver=smo"]])
def test_a_search_without_data_is_asked_for_again(given, here, capsys):
    (here / "my conf").mkdir()
    (again,) = re.findall(r": (svmbench tune .*) \(svmbench datasets", refusal(capsys, ["tune", *given]))
    own = [str(here / word) if word == "my conf" else word for word in given]
    assert words(again) == ["tune", *own, "dataset=NAME"]
