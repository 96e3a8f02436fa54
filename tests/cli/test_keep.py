"""Tags, notes, deleting and handing on of stored runs; sweeps and tags as names of their runs."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from svmbench.cli.main import main
from svmbench.store import Store
from tests.told import answer, output, refusal


@pytest.fixture
def kept(stored, here):
    """A results folder of its own with two runs."""
    shutil.copytree(stored, here / "results")
    return sorted(run.id for run in Store("results").runs())


def test_a_tag_finds_its_runs_wherever_runs_are_named(kept, capsys):
    pegasos, smo = kept
    assert output(capsys, ["tag", "camera-ready", pegasos]) == "camera-ready: 1 run\n"
    plot = ["plot", "tag:camera-ready"]
    assert json.loads(output(capsys, [*plot, "-o", "x", "--json"]))["files"] == ["x.png", "x.txt"]
    text = Path("x.txt").read_text()
    assert pegasos in text and smo not in text
    listed = output(capsys, ["list", "--where", "tags=camera-ready", "--columns", "run", "--csv"])
    assert listed.split() == ["run", pegasos]
    assert output(capsys, ["tag", "--remove", "camera-ready", pegasos]) == "no tags\n"
    assert "has the tag camera-ready; svmbench tag prints all tags" in refusal(capsys, plot)


def test_verify_takes_tags_and_patterns_and_reads_each_run_once(kept, capsys):
    pegasos, smo = kept
    assert main(["tag", "camera-ready", pegasos]) == 0
    out = output(capsys, ["verify", "tag:camera-ready"])
    assert pegasos in out and smo not in out and out.endswith("1 ok\n")
    assert main(["verify", "tag:camera-ready", "*", "--json"]) == 0
    assert sorted(one["run"] for one in json.loads(capsys.readouterr().out)) == kept
    assert "has the tag none; svmbench tag prints all tags" in refusal(capsys, ["verify", "tag:none"])


@pytest.mark.parametrize(
    "words", ["list", "show x", "plot x", "report", "verify", "compare x y", "tag", "status"]
)
def test_a_results_folder_that_is_missing_is_told(kept, words, capsys):
    out, error = answer(capsys, [*words.split(), "--results", "resluts"], 2)
    sentence = "--results resluts is not a folder: give the results folder of your runs, such as results"
    assert error == f"svmbench: {sentence}\n"
    assert out == "" and not Path("resluts").exists()


def test_a_note_is_shown_and_taken_away(kept, capsys):
    assert main(["note", kept[0], "γ by cross-validation"]) == 0
    assert "note  γ by cross-validation" in output(capsys, ["show", kept[0]])
    assert main(["note", kept[0], "", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"run": kept[0], "tags": [], "note": ""}


def test_nothing_is_deleted_without_yes(kept, capsys):
    assert main(["tag", "old", *kept]) == 0
    assert "nothing is removed yet; add --yes" in output(capsys, ["delete", "pegasos*"])
    assert len(Store("results").runs()) == 2
    assert main(["delete", "pegasos*", "--yes"]) == 0
    assert [run.id for run in Store("results").runs()] == kept[1:]
    assert "old: 1 run\n" in output(capsys, ["tag"])


def test_a_reference_run_and_one_that_is_being_made_are_not_deleted(kept, here, capsys):
    runs = here / "results" / "runs"
    (here / "results" / "reference" / "runs").mkdir(parents=True)
    shutil.move(runs / kept[0], here / "results" / "reference" / "runs" / kept[0])
    assert "which svmbench only reads: leave it out" in refusal(capsys, ["delete", kept[0], "--yes"])
    (run,) = (run for run in Store("results").runs() if run.id == kept[1])
    writer = Store("results").begin(run.manifest["identity"], {"config": run.document}, force=True)
    assert "is being made by" in refusal(capsys, ["delete", f"results/runs/{kept[1]}.running", "--yes"])
    writer.abandon()
    assert main(["delete", f"results/runs/{kept[1]}.running", "--yes"]) == 0
    assert [path.name for path in runs.iterdir()] == [kept[1]]


@pytest.mark.parametrize("packed", [True, False])
def test_what_is_exported_is_a_results_folder(kept, here, capsys, packed):
    assert main(["tag", "mine", kept[1]]) == 0
    export = ["export", "results", *(["--zip"] if packed else []), "-o", "out/mine"]
    assert "(2 runs, " in output(capsys, export)
    if packed:
        zipfile.ZipFile("out/mine.zip").extractall("out")
    copies = Store("out/mine").runs()
    assert sorted(run.id for run in copies) == kept
    assert all(run.trace().equals(Store("results").find(run.id).trace()) for run in copies)
    assert copies[0].model().iterations > 0
    assert Store("out/mine").environment(copies[0].manifest["environment"]) is not None
    words = ["list", "--results", "out/mine", "--where", "tags=mine", "--csv", "--columns", "run"]
    assert output(capsys, words).split() == ["run", kept[1]]
    assert "svmbench run solver=smo" in (here / "out" / "mine" / "README.txt").read_text()
    assert "already exists" in refusal(capsys, export)


def test_the_same_runs_give_the_same_zip_file(kept, here):
    for name in ("a/x", "b/x"):
        assert main(["export", *kept, "--zip", "-o", name]) == 0
    assert (here / "a/x.zip").read_bytes() == (here / "b/x.zip").read_bytes()


def test_a_run_that_two_folders_hold_is_exported_once(kept, here, capsys):
    shutil.copytree("results", "copy")
    assert main(["export", "results", "copy", "-o", "mine", "--json"]) == 0
    assert sorted(json.loads(capsys.readouterr().out)["runs"]) == kept


@pytest.mark.slow
def test_a_sweep_stands_for_its_runs(here, capsys):
    sweep = ["dataset.n_train=60", "dataset.n_test=60", "budget.iterations=40", "solver=pegasos,sdca"]
    assert main(["run", "-m", *sweep]) == 0
    assert main(["run", "solver=perceptron", *sweep[:3]]) == 0
    (name,) = (path.name for path in (here / "results" / "sweeps").iterdir())
    capsys.readouterr()
    assert main(["export", name[:8], "-o", "mine", "--json"]) == 0
    assert [run.split("-")[0] for run in json.loads(capsys.readouterr().out)["runs"]] == ["pegasos", "sdca"]
    assert main(["plot", f"results/sweeps/{name}", "-o", "x", "--x", "iterations", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left_out"] == []
    assert "perceptron" not in Path("x.txt").read_text()
