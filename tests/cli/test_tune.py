"""`svmbench tune`: one command from a grid to the command that won."""

import json
import shlex
from pathlib import Path

import pytest

from svmbench.cli.main import main
from svmbench.store import Store
from tests.cli.conftest import SMALL as FEW
from tests.told import answer, output, refusal

SMALL = ("dataset=checkerboard", *FEW)
GRID = ("problem.C=0.01,1", "kernel.gamma=0.001,1", "validate.folds=2", "--rounds", "1")


def test_the_winner_is_stored_and_its_command_finds_it(here, capfd):
    out, error = answer(capfd, ["tune", "solver=smo", *SMALL, *GRID])
    runs = {run.id: run.summary() for run in Store("results").runs()}
    assert len(runs) == 7  # 4 settings, then 3 between the best and its neighbours
    assert "round 2 of 2: " in error
    best = next(line for line in out.splitlines() if line.startswith("best "))
    command = shlex.split(best)[2:]
    assert "found, stored before" in output(capfd, command)
    asked = ["results", "--heat", "kernel.gamma,problem.C", "--y", "validation_error", "-o", "grid"]
    assert main(["plot", *asked]) == 0
    assert "7 cells" in Path("grid.txt").read_text()
    assert main(["plot", *asked[1:]]) == 0
    assert "4 cells" in Path("grid.txt").read_text()  # of the last round alone
    capfd.readouterr()
    assert main(["plot", "--y", "validation_error"]) == 2
    assert " and 4 more: its validation_error is one number from folds, not" in capfd.readouterr().err
    won = min(
        runs.values(),
        key=lambda run: (
            run["validation_error"],
            run["config"]["problem"]["C"],
            run["config"]["kernel"]["gamma"],
        ),
    )
    assert f"problem.C={won['config']['problem']['C']:g}" in command
    assert f"kernel.gamma={won['config']['kernel']['gamma']:g}" in command
    found = json.loads(output(capfd, ["tune", "solver=smo", *SMALL, *GRID, "--json"]))
    assert shlex.split(found["command"])[1:] == command
    assert found["settings"][0]["validation_error"] == won["validation_error"]
    assert len(Store("results").runs()) == 7  # all found


@pytest.mark.parametrize(
    ("words", "warm"),
    [
        (["solver=smo"], True),
        (["solver=smo", "validate.warm=false"], False),
        (["solver=pegasos"], False),  # cannot begin at a point
        ([], False),
    ],
)
def test_folds_begin_at_the_own_answer_where_the_solver_can(here, capfd, words, warm):
    assert main(["tune", *words, *SMALL, *GRID[:3], "--rounds", "0"]) == 0
    assert {run.config.validate.warm for run in Store("results").runs()} == {warm}
    assert ("validate.warm=true" in capfd.readouterr().out) == warm


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["problem.C=1", "kernel.gamma=1"], "there is nothing to tune"),
        (["problem.lam=1"], "problem.lam is not tuned"),
        (["seed=1,2"], "seed has several values"),
        (["kernel=linear", "kernel.gamma=1"], "kernel.gamma does not apply to this kernel"),
        (["problem.C=1,x"], "problem.C=x cannot be tuned"),
        (["problem.C=interval(1,2)"], "has no values to list"),
        (["--rounds", "-1"], "--rounds -1 is not allowed"),
        (["--search", "bayes"], "invalid choice: 'bayes'"),
        (["--search", "random", "--rounds", "1"], "--rounds does not apply to --search random"),
        (["--settings", "5"], "--settings does not apply to --search grid"),
        (["--search", "random", "--settings", "0"], "--settings 0 is not allowed: give a whole number from"),
        (["--search", "halving", "budget.kev=null"], "divides a budget: give one of budget.kev=NUMBER and"),
        (["--search", "halving", "budget.kev=-9"], "budget.kev=-9"),
        (["--search", "halving", "budget.iterations=9"], "divides a budget: give one of"),
        (["solver=dcd"], "combinations are impossible"),
    ],
)
def test_nonsense_is_refused_before_anything_is_made(here, capfd, arguments, sentence):
    assert sentence in refusal(capfd, ["tune", *SMALL, *arguments])
    assert not list(here.iterdir())


def test_a_round_is_announced_once_its_data_can_be_read(here, capfd):
    (here / "mine.csv").write_text("1,2,x\n3,4,x\n")
    refused = refusal(capfd, ["tune", "dataset=file", "dataset.path=mine.csv"])
    assert "all examples of mine.csv have the label 'x'" in refused and "round" not in refused


@pytest.mark.parametrize("search", ["random", "halving"])
def test_random_settings_are_tried_beside_the_grid(here, capfd, search):
    given = ["solver=smo", *SMALL, *GRID[:3], "budget.kev=90000", "--search", search, "--settings", "4"]
    found, told = answer(capfd, ["tune", *given, "--json"])
    document = json.loads(found)
    settings = document["settings"]
    budgets = [run.config.budget.kev for run in Store("results").runs()]
    if search == "random":
        assert len(settings) == 8 and budgets == [90000.0] * 8
    else:  # four at a ninth, two of these at a third, one at the full budget, which competes with the grid
        assert len(settings) == 5
        assert {part: budgets.count(part) for part in budgets} == {90000.0: 5, 10000.0: 4, 30000.0: 2}
        assert "round 2 of 4: 4 random settings with 1/9 of the budget" in told
    coarse = [one for one in settings if one["problem.C"] in (0.01, 1) and one["kernel.gamma"] in (0.001, 1)]
    errors = [one["validation_error"] for one in settings]
    assert len(coarse) == 4 and errors == sorted(errors)
    assert errors[0] <= min(one["validation_error"] for one in coarse)
    assert "budget.kev=90000" in document["command"]
    assert main(["tune", *given, "--json"]) == 0  # the same command finds all of it
    assert json.loads(capfd.readouterr().out) == document
    assert len(Store("results").runs()) == len(budgets)


@pytest.mark.parametrize("search", ["random", "halving"])
def test_best_ranks_the_choice_of_a_search(here, capfd, search):
    """`best` is of the last sweep, which has the best of the grid beside the random settings."""
    given = ["solver=smo", *SMALL, *GRID[:3], "--search", search, "--settings", "3", "--search-seed", "2"]
    chosen = json.loads(output(capfd, ["tune", *given, "--json"]))
    coarse = [one for one in chosen["settings"] if one["kernel.gamma"] in (0.001, 1)]
    assert chosen["settings"][0] in coarse  # no random setting is as good: otherwise this tests nothing
    ranked = json.loads(output(capfd, ["best", "--json"]))
    assert ranked["settings"][0]["median"] == chosen["settings"][0]["validation_error"]
    assert set(shlex.split(ranked["command"])) == set(shlex.split(chosen["command"]))


def test_printed_commands_name_the_folder_of_ones_own_options(here, capfd):
    folder = here / "my conf"
    (folder / "dataset").mkdir(parents=True)
    (folder / "dataset" / "board.yaml").write_text("name: checkerboard\nn_train: 60\nn_test: 40\n")
    own = ["solver=smo", "dataset=board", "budget=debug"]
    assert main(["tune", "--config-dir", "my conf", *own, *GRID[:3], "--rounds", "0"]) == 0
    assert main(["best"]) == 0
    printed = [shlex.split(line)[2:] for line in capfd.readouterr().out.splitlines() if "best  " in line]
    assert len(printed) == 2
    for command in printed:
        assert "found, stored before" in output(capfd, command)


def test_more_than_two_classes_are_tuned_by_their_joint_error(here, capfd):
    words = ["solver=smo", "problem.multiclass=one_vs_one", "dataset=waveform", "dataset.n_train=90"]
    assert main(["tune", *words, "dataset.n_test=30", *GRID[:3], "--rounds", "0"]) == 0
    runs = [run.summary() for run in Store("results").runs()]
    assert len(runs) == 4 and not any("warm" in run["config"]["validate"] for run in runs)
    best = next(line for line in capfd.readouterr().out.splitlines() if line.startswith("best "))
    assert "problem.multiclass=one_vs_one" in best
    found = json.loads(output(capfd, [*shlex.split(best)[2:], "--json"]))
    assert found["state"] == "found"
    assert found["validation_error"] == min(run["validation_error"] for run in runs) < 0.6


@pytest.mark.parametrize("command", [["tune"], ["run", "-m", "validate.folds=5", "seed=0,1"]])
def test_a_class_with_fewer_examples_than_folds_is_told_once_before_the_start(here, capfd, command):
    (here / "few.svm").write_text("".join(f"{1 if row < 3 else -1} 1:{row}\n" for row in range(30)))
    given = ["dataset=file", "dataset.path=few.svm", "problem.C=1,2", "kernel.gamma=1", "solver=smo"]
    said = refusal(capfd, [*command, *given])
    assert said.count("training examples of the smallest class: give at most") == 1
    assert not (here / "results" / "sweeps").exists()


@pytest.mark.parametrize("search", ["grid", "random"])
def test_data_without_a_validation_set_are_refused_before_the_start(here, capfd, search):
    said = refusal(capfd, ["tune", *SMALL, "validate.folds=null", "--search", search])
    assert "dataset=checkerboard has no validation set, which validate.folds=null needs: leave that" in said
    assert not list(here.iterdir())


def test_a_class_of_one_example_is_not_sent_to_a_search_without_folds(here, capfd):
    (here / "one.svm").write_text("".join(f"{1 if row < 1 else -1} 1:{row}\n" for row in range(30)))
    said = refusal(capfd, ["tune", "dataset=file", "dataset.path=one.svm", "solver=smo"])
    assert "the 1 training example of the smallest class: give data with at least 2 of each class, or" in said
