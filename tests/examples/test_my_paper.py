"""The example of docs/add-a-paper-figure.md, files of the user's own: its commands are run, word for word."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from svmbench.cli.main import main
from tests.told import output, refusal

DOCS = Path(__file__).parent.parent.parent / "docs"
EXAMPLE = DOCS / "examples" / "my-paper"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SVMBENCH_CONF", raising=False)
    shutil.copytree(EXAMPLE, "my-paper")
    return tmp_path


def section():
    text = (DOCS / "add-a-paper-figure.md").read_text()
    return text.partition("## Your own figures and tables")[2].partition("\n## ")[0]


def commands():
    lines = [line.strip() for line in section().splitlines() if line.startswith("    svmbench ")]
    return [shlex.split(line, comments=True)[1:] for line in lines]


def test_the_page_shows_the_files_of_the_example():
    shown = re.findall(r"^```(?:yaml|python)\n(.*?)```$", section(), re.DOTALL | re.MULTILINE)
    files = [EXAMPLE / "dataset" / "board.yaml", *sorted((EXAMPLE / "paper").glob("*.py"))]
    assert shown == [file.read_text() for file in files]


def test_the_commands_make_figure_table_and_verdict_outside_the_repository(here, capsys):
    for command in commands():
        assert main(command) == 0, command
    out = capsys.readouterr().out
    assert "board-curves | –      | curves | 0 of 11 runs are stored" in out
    assert "SBP ends below Pegasos: " in out and "not attempted" not in out
    assert Path("results/figures/board-curves/board-curves-kev_ondemand.pdf").stat().st_size > 5_000
    table = Path("results/tables/board-table.tex").read_text()
    smo = table.splitlines()[4].split(" & ")[3]
    assert table.splitlines()[1] == r"\toprule" and r"$\pm$" in table and r"\pm" not in smo
    assert not Path("results/reference").exists()


def test_the_environment_names_the_folder_as_well(here, monkeypatch, capsys):
    monkeypatch.setenv("SVMBENCH_CONF", "my-paper")
    out = output(capsys, ["paper", "plan", "board-curves"])
    assert "svmbench paper run board-curves --config-dir " in out and "0 of 11 runs are stored" in out
    assert "sbp-f2" not in output(capsys, ["paper", "list"])  # ours are drawn by their names


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["list", "--config-dir", "my-papr"], "--config-dir=my-papr is not a folder: give the folder that"),
        (["draw", "board", "--config-dir", "my-paper"], "unknown paper 'board'"),
        (["draw", "board-curves"], "unknown paper 'board-curves'"),
    ],
)
def test_wrong_use_gets_one_sentence(here, words, sentence, capsys):
    assert sentence in refusal(capsys, ["paper", *words])
