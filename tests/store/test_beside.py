"""What lies beside runs, none of it believed unread: optima, environments, unpacked runs, notes, events."""

import json
import os
import shutil
from pathlib import Path

import pytest

from svmbench.cli.main import main
from svmbench.errors import UserError
from svmbench.store import Store, packs
from svmbench.store.export import export
from svmbench.store.integrity import check_store, set_aside
from svmbench.store.lines import checked
from svmbench.store.notes import Notes
from svmbench.sweep.planning import Plan
from svmbench.sweep.record import Record
from tests.figures.stored import OPTIMUM, store_optimum, stored_run
from tests.store.conftest import CONFIG
from tests.told import answer, output, refusal

#: The only job of a sweep.
JOB = {"number": 0, "label": "seed=0", "overrides": ["seed=0"], "config": CONFIG}


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def damaged(store):
    return [finding for finding in check_store(store) if finding.state == "damaged"]


@pytest.fixture
def told(tmp_path):
    """A store that keeps its warnings."""
    sentences = []
    store = Store(tmp_path, warn=sentences.append)
    store.sentences = sentences
    return store


def test_an_optimum_under_the_name_of_another_problem_is_no_optimum_of_it(told, tmp_path):
    store_optimum(tmp_path)
    other = told.put_optimum({"key": "another", "primal": 0.1})
    shutil.copyfile(tmp_path / "optima" / f"{other}.json", tmp_path / "optima" / f"{OPTIMUM}.json")
    assert told.optimum(OPTIMUM) is None and "that of another problem" in told.sentences[0]


#: An optimum whose numbers fit each other.
WHOLE = {
    "key": {"lam": 0.1}, "primal": 0.3, "dual": 0.3 - 3e-8, "gap": 3e-8, "relative_gap": 1e-7, "norm": 1.0,
    "mean_hinge": 0.25, "nu": 0.25, "nu_interval": [0.2, 0.3], "derived": {"nu": 0.25, "R": 1.0},
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"primal": "0.3"}, "primal is not a number"),
        ({"dual": True}, "dual is not a number"),
        ({"dual": 0.4, "gap": -0.1}, "the bound is above the objective"),
        ({"gap": 0.0}, None),
        ({"gap": 0.1}, "the objectives make another gap"),
        ({"relative_gap": 0.1}, "the objectives make another relative gap"),
        ({"norm": 1.1}, "norm and mean hinge loss make another objective"),
        ({"primal": 0.03, "dual": 0.03, "gap": 0.0}, "norm and mean hinge loss make another objective"),
        ({"nu": 0.26}, "norm and mean hinge loss make another nu"),
        ({"nu_interval": [0.26, 0.3]}, "(nu is outside of its interval)"),
        ({"derived": {"nu": 0.35, "R": 1.0}}, "the derived nu is outside of its interval"),
        ({"nu_interval": [0.24999997, 0.25], "derived": {"nu": 0.249999, "R": 1.0}}, "derived nu is outside"),
        ({"derived": [1]}, "a value has a wrong type or form"),
        ({"nu_interval": [0.1]}, "a value has a wrong type or form"),
    ],
)
def test_an_optimum_whose_numbers_do_not_fit_each_other_is_damaged(told, change, sentence):
    hash = told.put_optimum({**WHOLE, **change})
    assert (told.optimum(hash) is None) == (sentence is not None)
    assert sentence is None or sentence in told.sentences[0]
    assert [finding.state for finding in check_store(told)] == ["ok" if sentence is None else "damaged"]


def test_a_derived_nu_of_six_digits_may_be_just_outside_of_its_interval(told):
    nu, primal = 0.13674549, 0.18674549
    numbers = {"primal": primal, "dual": primal - 3e-8, "mean_hinge": nu, "nu": nu}
    derived = {"nu_interval": [0.13674503, 0.13674596], "derived": {"nu": 0.136745, "R": 1.0}}
    assert told.optimum(told.put_optimum({**WHOLE, **numbers, **derived}))
    assert {finding.state for finding in check_store(told)} == {"ok"}


def test_an_intact_reference_optimum_stands_in_for_a_damaged_one(told, tmp_path):
    store_optimum(tmp_path)
    store_optimum(tmp_path / "reference")
    edit(tmp_path / "optima" / f"{OPTIMUM}.json", "0.3,", "0.2,")
    assert told.optimum(OPTIMUM)["primal"] == 0.3 and len(told.sentences) == 1


def test_a_damaged_optimum_is_not_exported(tmp_path):
    stored_run(tmp_path, costs=[10], errors=[10])
    store_optimum(tmp_path)
    edit(tmp_path / "optima" / f"{OPTIMUM}.json", "0.3,", "0.2,")
    target = tmp_path / "out.zip"
    assert main(["export", "-o", str(target), "--results", str(tmp_path)]) == 2
    assert not target.exists()


def test_a_forged_unpacked_run_differs_from_its_pack(told, tmp_path):
    run = stored_run(tmp_path / "made", costs=[10, 20], errors=[30, 10])
    packs.write(tmp_path / "reference" / "packs" / "x.jsonl.xz", [(run, [0, 1])])
    (found,) = told.runs()
    end = json.loads((found.path / "status.json").read_text())
    del end["files"], end["check"]
    (found.path / "status.json").write_text(json.dumps(end))
    edit(found.path / "trace.csv", ",0.1,", ",0.2,")
    assert [finding.kind for finding in damaged(told)] == ["unpacked"]


def test_tags_and_notes_are_kept_as_they_were_given(tmp_path):
    notes = Notes(tmp_path)
    notes.tag(["a", "b"], "good")
    notes.note("b", 'größer, "quoted"\nsecond line')
    assert json.loads((tmp_path / "notes.json").read_text())["b"]["tags"] == ["good"]
    assert Notes(tmp_path).of("b") == (["good"], 'größer, "quoted"\nsecond line')
    notes.tag(["a", "b"], "good", remove=True)
    notes.note("b", "")
    assert notes.all() == {} and notes.tags() == {}


@pytest.mark.parametrize("own", [{}, {"check": "0123456789abcdef"}])
def test_notes_of_older_versions_are_read_and_get_a_digest_when_changed(told, tmp_path, own):
    path = tmp_path / "notes.json"
    path.write_text(json.dumps({"a": {"tags": ["x"], **own}, "b": {"note": "n", **own}}, indent=1))
    assert Notes(tmp_path).of("a") == (["x"], "") and Notes(tmp_path).of("b") == ([], "n")
    (finding,) = check_store(told)
    assert finding.state == "unchecked" and "without a digest" in finding.sentence
    Notes(tmp_path).tag(["a"], "y")
    (finding,) = check_store(told)
    assert finding.state == "ok" and Notes(tmp_path).of("a") == (["x", "y"], "")


def test_damaged_notes_are_not_changed_and_set_aside_by_repair(told, tmp_path, capsys):
    notes, path = Notes(tmp_path), tmp_path / "notes.json"
    notes.note("a", "two")
    edit(path, "two", "twx")
    assert notes.all() == {} and "notes.json is damaged" in capsys.readouterr().err
    with pytest.raises(UserError, match="repair"):
        notes.note("a", "three")
    (finding,) = damaged(told)
    assert "twx" in set_aside(finding, told).read_text()
    assert notes.all() == {} and damaged(told) == []


def test_damaged_events_are_left_out_and_set_aside(told, tmp_path):
    record = Record.create(tmp_path, Plan(jobs=[], options={}))
    end = {"event": "ended", "state": "done", "reason": "", "seconds": 1.0, "numbers": {}, "run": None}
    for job in range(3):
        record.add({"job": job, **end})
    edit(record.folder / "events.jsonl", '"job": 1', '"job": 2')
    assert list(record.ends()) == [0, 2]
    (finding,) = damaged(told)
    assert "1 of 3 lines" in finding.sentence
    assert b'"job": 2' in set_aside(finding, told).read_bytes()
    assert damaged(told) == [] and list(record.ends()) == []
    edit(record.folder / "plan.json", '"jobs"', '"jabs"')
    (finding,) = damaged(told)
    assert set_aside(finding, told) == tmp_path / "damaged" / record.name


_ENDED = {
    "job": 0,
    "event": "ended",
    "time": 1.0,
    "state": "done",
    "reason": "",
    "run": "x",
    "seconds": 1.0,
    "numbers": {"test_error": 0.1},
}
#: A sweep of one job.
PLAN = {"jobs": [JOB], "options": {"jobs": 1}, "duplicates": [], "impossible": []}


def swept(root, **change):
    """The record of a sweep whose plan, with this change, is validly sealed."""
    record = Record.create(root, Plan([], {}))
    (record.folder / "plan.json").write_text(json.dumps(checked({**PLAN, **change})))
    return record


@pytest.mark.parametrize(
    "change",
    [
        *({"state": []}, {"reason": 5}, {"seconds": "x"}, {"seconds": 10**400}, {"numbers": []}),
        *({"job": "0"}, {"numbers": {"test_error": "much"}}, {"run": ["x"]}, {"time": None}),
        {"event": ["ended"]},
    ],
)
def test_events_by_hand_that_no_sweep_has_stop_no_command(tmp_path, capsys, change):
    record = swept(tmp_path)
    (record.folder / "events.jsonl").write_text(json.dumps(checked({**_ENDED, **change})) + "\n")
    shown = answer(capsys, ["status", "--results", str(tmp_path)])
    assert "0 of 1 done" in shown.out and "1 damaged line of" in shown.err
    (record.folder / "events.jsonl").write_text(json.dumps(checked(_ENDED)) + "\n")
    (tmp_path / "runs" / "x").mkdir(parents=True)
    assert "1 of 1 done" in output(capsys, ["status", "--results", str(tmp_path)])


@pytest.mark.parametrize(
    "change",
    [
        *({"options": {"jobs": "2"}}, {"options": {"jobs": 0}}, {"options": {"jobz": 1}}, {"options": []}),
        *({"duplicates": [5]}, {"impossible": [["a"]]}, {"jobs": {"a": 1}}, {"jobs": [{"number": 0}]}),
        *({"folders": [5]}, {"folders": "a"}, {"jobs": []}, {"jobs": [JOB | {"number": 1}]}),
        {"jobs": [JOB | {"config": {**CONFIG, "threads": "2"}}]},
    ],
)
def test_a_plan_by_hand_that_no_sweep_has_is_one_sentence(tmp_path, capsys, change):
    record = swept(tmp_path)
    results, said = ["--results", str(tmp_path)], "plan.json is damaged: start the sweep again"
    assert main(["status", *results]) == 0
    (record.folder / "plan.json").write_text(json.dumps(checked({**PLAN, **change})))
    for command in ("status", "resume"):
        assert answer(capsys, [command, *results], 2).err.endswith(f"{said}\n")
    assert said in output(capsys, ["verify", *results], 1)
    moved = output(capsys, ["verify", "--repair", *results])
    assert f"moved to {tmp_path / 'damaged' / record.name}; " in moved
    assert not record.folder.exists() and (tmp_path / "damaged" / record.name).is_dir()


def test_lines_of_another_file_are_no_events_cut_short(tmp_path):
    record = Record.create(tmp_path, Plan([], {}))
    (record.folder / "events.jsonl").write_text("root:x:0:0\n")
    assert record.events() == []
    (finding,) = [one for one in check_store(Store(tmp_path)) if one.kind == "events"]
    assert finding.state == "damaged"


def test_a_run_with_a_damaged_file_is_not_exported(tmp_path, capsys):
    run = stored_run(tmp_path, costs=[10], errors=[10])
    edit(run.path / "trace.csv", "0.1", "0.2")
    with pytest.raises(UserError, match=r"trace\.csv is damaged"):
        export([run], tmp_path / "x.zip", tmp_path, ["svmbench run"])
    assert not (tmp_path / "x.zip").exists()


def test_an_edited_environment_is_skipped_and_found_by_verify(told, tmp_path):
    name = told.put_environment({"processor": "A", "cores": 2})
    assert told.environment(name) == {"processor": "A", "cores": 2}
    edit(tmp_path / "environments" / f"{name}.json", '"A"', '"B"')
    assert told.environment(name) is None and len(told.sentences) == 1
    assert [finding.path.stem for finding in damaged(told)] == [name]


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.write_text("{")])
def test_runs_are_listed_beside_notes_of_which_nothing_can_be_read(tmp_path, capsys, make):
    run = stored_run(tmp_path, costs=[10], errors=[10])
    make(tmp_path / "notes.json")
    for command in (["list", "--json"], ["show", run.id]):
        assert run.id in output(capsys, [*command, "--results", str(tmp_path)])
    assert "notes.json is damaged" in refusal(capsys, ["tag", "good", run.id, "--results", str(tmp_path)])
    assert main(["verify", "--results", str(tmp_path)]) == 1
    assert main(["verify", "--repair", "--results", str(tmp_path)]) == 0
    assert main(["tag", "good", run.id, "--results", str(tmp_path)]) == 0


@pytest.mark.parametrize("name", ["plan.json", "events.jsonl"])
@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_no_command_waits_for_a_pipe_in_a_sweep(tmp_path, capsys, name, make):
    record = Record.create(tmp_path, Plan([], {}))
    record.add({"job": 0, "event": "began"})
    (record.folder / name).unlink()
    make(record.folder / name)
    with pytest.raises(UserError, match="is damaged"):
        record.plan(), record.events()
    assert main(["verify", "--results", str(tmp_path)]) == 1
    assert main(["verify", "--repair", "--results", str(tmp_path)]) == 0
    assert main(["verify", "--results", str(tmp_path)]) == 0


def test_a_file_among_the_sweeps_is_passed_over_and_a_link_that_leads_nowhere_is_damaged(tmp_path, capsys):
    record = swept(tmp_path)
    (tmp_path / "sweeps" / "notes.txt").write_text("mine")
    assert main(["verify", "--results", str(tmp_path)]) == 0
    (record.folder / "plan.json").unlink()
    (record.folder / "plan.json").symlink_to("nowhere")
    assert "is damaged" in refusal(capsys, ["status", record.name, "--results", str(tmp_path)])
    assert "plan.json is damaged" in output(capsys, ["verify", "--results", str(tmp_path)], 1)


def test_damaged_verdicts_are_written_again_and_hide_no_artifact(tmp_path, capsys):
    path, again = (
        tmp_path / "reference" / "VERDICTS.json",
        f"svmbench paper verdict --results {tmp_path} writes it again",
    )
    path.parent.mkdir()
    path.write_text('[{"claim": "a", "verdict": "reproduced", "check": "0"}]')
    out, err = answer(capsys, ["paper", "list", "--results", str(tmp_path), "sbp-f1"])
    assert "sbp-f1" in out and f"{path} is damaged (1 of 1 claims): {again}" in err
    told = output(capsys, ["verify", "--repair", "--results", str(tmp_path)], 1)
    assert f"{again}; it was not moved\n" in told


def test_an_edited_measurement_of_speed_is_not_shown_and_found_by_verify(tmp_path, capsys):
    from svmbench.speed import record

    path = record.save(str(tmp_path), "scaling", {"scaling": []})
    assert main(["verify", "--results", str(tmp_path)]) == 0
    assert "scaling, 20" in output(capsys, ["speed", "show", "--results", str(tmp_path)])
    edit(path, '"kind": "scaling"', '"kind": "rows"')
    shown = answer(capsys, ["speed", "show", "--results", str(tmp_path)])
    assert shown.out == "" and "it does not match its digest" in shown.err
    assert main(["speed", "show", str(path), "--results", str(tmp_path)]) == 2
    assert "it does not match its digest" in output(capsys, ["verify", "--results", str(tmp_path)], 1)
