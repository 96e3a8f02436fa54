"""`svmbench run -m`, `plan`, `status`, `resume` and `best`: sweeps from the command line to the table."""

import json
import os
import re
import signal

import pytest

from svmbench.cli import _sweep
from svmbench.cli.main import main
from svmbench.store import Store
from tests.cli.conftest import SMALL
from tests.cli.test_run import ENDLESS, running, start, wait_for
from tests.faults.kills import children
from tests.told import answer, names, output, refusal


def test_a_sweep_does_what_is_missing(here, capfd):
    assert main(["run", "solver=smo", *SMALL]) == 0
    lines = output(capfd, ["run", "-m", "solver=smo,pegasos", *SMALL]).splitlines()
    assert lines[0].startswith("[1/2] solver=smo: skipped, stored before")
    assert lines[1].startswith("[2/2] solver=pegasos: done, ")
    assert lines[-1] == "1 skipped, 1 done"
    runs = Store("results").runs()
    assert {run.solver for run in runs} == {"smo", "pegasos"}
    assert {path.name for path in here.iterdir()} == {"results"}
    row = next(line for line in lines if line.startswith("|   2 "))
    assert f"{100 * runs[-1].summary()['test_error']:.2f} %" in row
    assert runs[-1].id in row


def test_impossible_combinations_are_refused_or_left_out(here, capfd):
    combinations = ["run", "-m", "solver=smo,dcd", "seed=0,1", *SMALL]
    error = refusal(capfd, combinations)
    assert "2 of 4 combinations are impossible, the first is solver=dcd seed=0: dcd cannot use" in error
    assert "skip=impossible" in error
    assert not list(here.iterdir())
    out, error = answer(capfd, [*combinations, "skip=impossible"])
    assert "left out, impossible: solver=dcd seed=0 and 1 more: dcd cannot use" in error
    assert "left out, the same run as solver=smo seed=0: solver=smo seed=1" in error  # smo knows no chance
    assert out.endswith("1 done\n")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [(None, "wrong.csv"), ("1,2,1\n3,x,-1\n", "wrong.csv, line 2"), ("1,2,1\n3,4,1\n5,6,1\n", "label")],
)
@pytest.mark.parametrize("command", [["run", "-m", "problem.C=1", "kernel.gamma=1,2,3"], ["tune"]])
def test_data_that_cannot_be_read_end_a_sweep_before_its_first_job(here, capfd, command, text, sentence):
    if text is not None:
        (here / "wrong.csv").write_text(text)
    words = [*command, "solver=smo", "dataset=file", "dataset.path=wrong.csv"]
    out, error = answer(capfd, words, 2)
    assert out == "" and error.count("svmbench:") == 1 and sentence in error
    assert not (here / "results").exists()


def test_a_failure_is_told_with_its_reason_and_ends_a_sweep_on_request(here, capfd, tmp_path, monkeypatch):
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("1,2,1\n3,x,-1\n")
    monkeypatch.setattr(_sweep, "check_data", lambda plan: None)  # the file was damaged after it was read
    words = ["run", "-m", "solver=smo", "dataset=file", f"dataset.path={wrong}", "problem.C=1"]
    words.append("kernel.gamma=1,2,3")
    out = output(capfd, words, 1)
    assert out.count("wrong.csv") == 6  # a line when it happens and one below the table, for each
    assert out.endswith("3 failed\n")
    assert output(capfd, [*words, "fail_fast=true"], 1).endswith("1 failed, 2 not run\n")


def test_a_killed_worker_takes_its_run_only(here):
    process = start("run", "-m", *ENDLESS, "budget.kev=10000000000000,20000")
    wait_for(lambda: running(here / "results"))
    os.kill(children(process.pid)[0], signal.SIGKILL)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 1
    why = "its process was killed by SIGKILL, perhaps because memory ran out; see "
    assert f"[1/2] budget.kev=10000000000000: failed, {why}" in out
    assert "[2/2] budget.kev=20000: done" in out
    assert out.endswith("1 failed, 1 done\n")


@pytest.mark.parametrize(("number", "form"), [(signal.SIGINT, ()), (signal.SIGTERM, ("--json",))])
def test_a_signal_stores_what_runs_and_resume_goes_on(here, number, form, capfd):
    process = start("run", "-m", *ENDLESS, "seed=0,1,2", *form)
    wait_for(lambda: running(here / "results"))
    process.send_signal(number)
    out, error = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "[1/3] seed=0: interrupted by SIGINT after" in (error if form else out)
    if form:
        assert [job["state"] for job in json.loads(out)["jobs"]] == ["interrupted", None, None]
    else:
        assert out.endswith("1 interrupted, 2 not run\n")
    assert [run.status for run in Store("results").runs()] == ["interrupted"]
    out = output(capfd, ["status"])
    assert ": stopped\n0 of 3 done, 0 running, 0 failed, 1 interrupted\n" in out
    assert "seed=0: interrupted" in out
    assert "continue with: svmbench resume " in out


def test_resume_makes_what_has_no_result(swept, capfd):
    events = swept / "events.jsonl"
    lines = events.read_text().splitlines()
    assert [json.loads(line)["state"] for line in lines[1::2]] == ["done", "done"]
    events.write_text("\n".join(lines[:3]) + '\n{"job": 1, "ev')  # killed in the second run
    out = output(capfd, ["resume", swept.name[:12]])
    assert out.startswith("[2/2] solver=pegasos: skipped, stored before")
    assert out.endswith("1 done, 1 skipped\n")


def test_a_sweep_as_json_is_one_document_in_every_command(here, capfd):
    arguments = ["-m", "solver=smo,pegasos", *SMALL]
    out, error = answer(capfd, ["run", *arguments, "--json"])
    made = json.loads(out)
    assert "[2/2] solver=pegasos: done" in error  # what happens is told elsewhere
    assert [job["state"] for job in made["jobs"]] == ["done", "done"]
    assert {job["run"] for job in made["jobs"]} == {run.id for run in Store("results").runs()}
    assert made["jobs"][0]["numbers"]["test_error"] == Store("results").runs()[0].summary()["test_error"]
    for command in ("status", "resume"):
        assert json.loads(output(capfd, [command, "--json"])) == made


def test_status_and_show_say_which_runs_had_their_machine_to_themselves(swept, monkeypatch, capfd):
    smo, _ = (run.id for run in Store("results").runs())
    found = {"smo": "", "pegasos": "other processes used 0.50 cores"}
    monkeypatch.setattr("svmbench.store.timing.disturbed", lambda run: found[run.solver])
    said = "1 of 2 runs ran alone on their machine; the seconds of the others cannot be compared\n"
    assert said in output(capfd, ["status"])
    assert "seconds: it ran alone on its machine\n" in output(capfd, ["show", smo])
    said = "seconds: not comparable with others, other processes used 0.50 cores\n"
    assert said in output(capfd, ["show", "pegasos"])


def test_failed_runs_are_left_on_request(here, capfd):
    process = start("run", *ENDLESS)
    wait_for(lambda: running(here / "results"))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    kept = Store("results").runs()[0]
    assert "stored before: interrupted" in output(capfd, ["run", "-m", *ENDLESS, "seed=0", "retry=none"], 1)
    assert [run.started for run in Store("results").runs()] == [kept.started]


def test_plan_says_what_is_stored_and_what_the_rest_takes(here, capsys):
    assert main(["run", "solver=pegasos", *SMALL]) == 0
    arguments = ["solver=pegasos,smo", "seed=0,1", *SMALL]
    out = output(capsys, ["plan", *arguments])
    told = r"3 runs: 1 stored, 2 to be made; about \d+ s for 1 of them with jobs=1; unknown for 1: "
    assert re.search(told, out)
    jobs = json.loads(output(capsys, ["plan", "--json", *arguments]))["jobs"]
    assert [job["state"] for job in jobs] == ["stored", "missing", "missing"]
    assert jobs[1]["seconds"] > 0.0
    assert jobs[1]["memory"] > 10.0
    assert jobs[2]["seconds"] is None
    assert len(Store("results").runs()) == 1


def test_a_stored_run_tells_the_time_of_a_budget_in_another_counter(here, capsys):
    assert main(["run", "solver=pegasos", *SMALL]) == 0
    plan = ["plan", "--json", "solver=pegasos", "budget.counter=kev_iter", *SMALL]
    (job,) = json.loads(output(capsys, plan))["jobs"]
    assert job["seconds"] > 0.0


def test_a_value_that_is_given_twice_is_one_run(here, capsys):
    found = json.loads(output(capsys, ["plan", "--json", "solver=pegasos", "seed=0,0", *SMALL]))
    assert len(found["jobs"]) == len(found["duplicates"]) == 1


def test_best_names_the_setting_that_won_and_what_a_stopped_sweep_lacks(here, capsys):
    assert main(["run", "-m", "solver=pegasos", "seed=0,1", "kernel.gamma=0.001,10", *SMALL]) == 0
    best = ["best", "--by", "test_error"]
    found = json.loads(output(capsys, [*best, "--json"]))
    assert [one["setting"] for one in found["settings"]] == ["kernel.gamma=10", "kernel.gamma=0.001"]
    assert [one["runs"] for one in found["settings"]] == [2, 2]
    assert found["command"].startswith("svmbench run solver=pegasos kernel.gamma=10 ")
    refused = refusal(capsys, ["best"])
    assert "has a validation_error: repeat it with validate.folds=5" in refused
    assert "primal_objective" not in refused  # the objectives are those of different problems
    (sweep,) = (here / "results" / "sweeps").iterdir()
    events = sweep / "events.jsonl"
    lines = events.read_text().splitlines(keepends=True)
    events.write_text("".join(lines[:6]))  # three jobs ended
    out, error = answer(capsys, best)
    assert error == f"1 of 4 runs have no result yet; see: svmbench status {sweep.name}\n"
    assert "| kernel.gamma=10 " in out and "best     svmbench run solver=pegasos kernel.gamma=" in out
    events.write_text(lines[0])  # stopped in the first
    told = f"no run of sweep {sweep.name} has a result yet: svmbench status {sweep.name} says why"
    assert told in refusal(capsys, ["best"]) and told in refusal(capsys, best)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["solver=pegasos,smo"], True),
        (["solver=smo", "problem.C=1,2"], False),
        (["solver=pegasos", "subset=20", "seed=0,1"], False),
        (["solver=pegasos,smo", "dataset=waveform", "problem.multiclass=one_vs_one"], False),
    ],
)
def test_best_offers_the_objective_where_all_runs_have_one_of_the_same_problem(here, capsys, words, offered):
    assert main(["run", "-m", *words, *SMALL]) == 0
    refused = refusal(capsys, ["best"])
    (sweep,) = (here / "results" / "sweeps").iterdir()
    command = f"; svmbench best {sweep.name} --by primal_objective ranks what it has\n"
    assert refused.endswith(command if offered else "with data that have a validation set\n")
    by = ["best", sweep.name, "--by", "primal_objective"]
    if offered:
        assert "best " in output(capsys, by)
    else:
        which = "has a primal_objective" if "one_vs_one" in words[-1] else "of different problems"
        assert which in refusal(capsys, by)


def test_objectives_are_ranked_for_each_data_set(here, capsys):
    assert (
        main(["run", "-m", "solver=pegasos,smo", "dataset=checkerboard,twonorm", "problem.C=1", *SMALL]) == 0
    )
    assert output(capsys, ["best", "--by", "primal_objective"]).count("best on ") == 2


@pytest.mark.usefixtures("swept")
def test_resume_takes_no_overrides_and_says_what_does(capsys):
    for words in (["jobs=2"], ["2", "jobs=2"], ["2", "budget.kev=1e9", "--json"]):
        override = next(word for word in words if "=" in word)
        error = refusal(capsys, ["resume", *words])
        assert error.count("\n") == 1
        assert f"takes no {override}: repeat the command that started the sweep with {override}; " in error
    assert "svmbench resume: unrecognized arguments: 3" in refusal(capsys, ["resume", "2", "3"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("run -m seed=0,1 threads=20000", "threads=20000 exceeds the number of cores"),
        ("run -m seed=0,1 jobs=999", "jobs=999 times threads=1 is more than the"),
        ("run -m seed=0,1 jobs=999 oversubscribe=true budget.memory=4096", "times budget.memory=4096 MiB"),
        ("status", "there is no sweep in results; make one with: svmbench run -m"),
        ("resume 2026", "there is no sweep in results; make one with: svmbench run -m"),
        ("tune problem.C=1,10", "tune needs a data set: svmbench tune problem.C=1,10 dataset=NAME ("),
    ],
)
def test_more_than_there_is_is_one_sentence(words, sentence, here, capsys):
    assert sentence in refusal(capsys, words.split())
    assert not list(here.iterdir())


@pytest.mark.parametrize("command", ["best", "status", "resume", "watch", "cancel"])
def test_a_results_folder_given_as_for_run_is_sent_to_its_option(command, capsys):
    assert names(refusal(capsys, [command, "results=other"]), "results=other", "--results other")


def test_deleted_runs_of_a_sweep_are_gone_and_made_again(here, capsys):
    assert main(["run", "-m", "solver=smo", "problem.C=1,2,4", *SMALL]) == 0
    (gone,) = (run for run in Store("results").runs() if run.config.problem.C == 2.0)
    before = (gone.path / "model.npz").read_bytes()
    assert main(["delete", gone.id, "--yes"]) == 0
    said = output(capsys, ["status"])
    assert "2 of 3 done, 0 running, 0 failed, 1 gone" in said and "continue with: svmbench resume" in said
    assert "problem.C=2: gone, its run was deleted, or set aside as damaged" in said
    assert main(["status", "--json"]) == 0
    (end,) = (job for job in json.loads(capsys.readouterr().out)["jobs"] if job["state"] == "gone")
    assert end["run"] is None and end["numbers"] == {}
    assert "3 done" in output(capsys, ["resume"])
    assert (gone.path / "model.npz").read_bytes() == before
    assert "3 of 3 done" in output(capsys, ["status"])


def test_resume_reads_the_data_of_the_folder_in_which_a_sweep_began(here, capsys, monkeypatch):
    rows = [f"{k % 7},{k % 5},{1 if k % 3 else -1}\n" for k in range(40)]
    (here / "mine.csv").write_text("".join(rows))
    words = ["dataset=file", "dataset.path=mine.csv", "kernel.gamma=1", "problem.C=1", *SMALL[3:]]
    assert main(["run", "-m", "solver=smo,pegasos", *words]) == 0
    ids = {run.id for run in Store("results").runs()}
    assert main(["delete", next(iter(ids)), "--yes"]) == 0
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.csv").write_text("".join(rows[::-1]))
    monkeypatch.chdir(elsewhere)
    assert "2 done" in output(capsys, ["resume", "--results", "../results"])
    assert {run.id for run in Store(here / "results").runs()} == ids


def test_best_names_one_setting_for_each_data_set_and_why_a_set_has_none(here, capfd):
    words = ["solver=smo", "problem.C=1,10", "budget.seconds=5", "dataset=banana,checkerboard,twonorm"]
    words += ["dataset.n_train=60", "dataset.n_test=20"]
    assert main(["run", "-m", *words]) == 0
    out = output(capfd, ["best", "--by", "test_error"])
    assert all(f"best on {name} " in out for name in ("banana", "checkerboard", "twonorm"))
    assert main(["best"]) == 2 and "has a validation_error" in capfd.readouterr().err


def test_list_answers_names_and_table_knows_latex(here, capsys):
    (here / "results").mkdir()
    assert "give --where dataset=adult" in refusal(capsys, ["list", "adult"])
    assert main(["table", "--format", "latex"]) in (0, 2)
    assert "invalid choice" not in capsys.readouterr().err
