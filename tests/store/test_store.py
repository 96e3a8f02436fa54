import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from svmbench.errors import UserError
from svmbench.run_config import RunConfig
from svmbench.store import END_STATES, SUMMARY_KEYS, AlreadyStored, Store
from svmbench.store.identity import identity, run_id

ROW = {"iterations": 3, "kev_ondemand": 60, "test_error": 0.5, "primal_objective": 0.75}

CHILD = """
import json, sys, time
from svmbench.run_config import RunConfig
from svmbench.store import Store
from svmbench.store.identity import identity
config = json.loads(sys.argv[2])
writer = Store(sys.argv[1]).begin(identity(RunConfig.of(config), "sum", 1), {"config": config})
for k in range(3):
    writer.checkpoint({"iterations": k, "primal_objective": 1 / (k + 1)})
writer._trace._stream.write("3,44")  # killed in the middle of a line
writer._trace._stream.flush()
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture
def child(store, config):
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(store.root), json.dumps(config)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.wait(10)
    process.stdout.close()


def key(config):
    return identity(RunConfig.of(config), "sum", 1)


def test_a_whole_run(store, begin, config):
    writer = begin(dataset={"checksum": "sum"}, optimum="abc")
    assert writer.path.name == run_id(key(config)) + ".running"
    assert not (writer.path / "status.json").exists()
    writer.checkpoint({**ROW, "iterations": 1})
    assert store.runs()[0].trace()["iterations"].tolist() == [1]
    writer.checkpoint(ROW)
    run = writer.finish("budget", "enough", concurrent_load={"running": 0})
    assert sorted(path.name for path in run.path.iterdir()) == ["run.json", "status.json", "trace.csv"]
    assert [path.name for path in (store.root / "runs").iterdir()] == [run_id(key(config))]
    assert (
        run.id == run_id(key(config)) and run.status == "budget" and run.reason == "enough" and run.complete
    )
    assert run.manifest["optimum"] == "abc" and run.manifest["dataset"] == {"checksum": "sum"}
    assert run.trace()["iterations"].tolist() == [1, 3]
    assert store.get(key(config)) == run == store.find(run.id) == store.runs()[0]


def test_summary_has_the_promised_keys(begin):
    run = begin().finish("refused", "cannot")
    summary = run.summary()
    assert tuple(summary) == SUMMARY_KEYS
    asked = (
        *("test_error", "train_error", "primal_objective", "dual_objective", "duality_gap", "kev_ondemand"),
        *("kev_rowupdate", "kev_iter", "kev_computed", "inner_products", "iterations", "support_vectors"),
        *("wall_seconds", "cpu_seconds"),
    )
    assert all(summary[name] is None for name in asked)
    assert summary["status"] == "refused" and summary["config"]["kernel"]["gamma"] == 0.05
    named = [summary[name] for name in ("run", "solver", "dataset", "seed")]
    assert named == [run.id, "sbp", "twonorm", 0]


def test_summary_is_json_even_of_a_diverged_run(begin):
    writer = begin()
    writer.checkpoint({"iterations": 1, "primal_objective": float("nan"), "norm": float("inf")})
    summary = writer.finish("diverged", "nan").summary()
    assert json.loads(json.dumps(summary, allow_nan=False))["primal_objective"] is None


def test_oldest_first(store, begin):
    ids = [begin(seed).finish("budget", "enough").id for seed in (2, 0, 1)]
    assert [run.id for run in store.runs()] == ids
    assert [run.seed for run in store.runs()] == [2, 0, 1]


def test_a_running_run_is_seen_and_not_begun_twice(store, begin):
    writer = begin()
    (run,) = store.runs()
    assert run.status == "running" and f"process {os.getpid()} " in run.reason
    assert store.running() == 1
    with pytest.raises(UserError, match=f"is being made by process {os.getpid()} on"):
        begin(force=True)
    writer.finish("budget", "enough")
    assert store.running() == 0


def test_another_process_that_runs_it_is_named(begin, child):
    with pytest.raises(UserError, match=f"is being made by process {child.pid} on .*; wait for it") as caught:
        begin()
    assert "\n" not in str(caught.value)


def test_who_waits_begins_when_the_other_is_gone(begin, child):
    told = []

    def waiting(who):
        told.append(who)
        child.kill()

    writer = begin(waiting=waiting)
    assert len(told) == 1 and told[0].startswith(f"process {child.pid} on ")
    assert writer.finish("budget", "enough").complete


def test_who_waits_finds_what_the_other_made(store, begin):
    writer = begin()

    def waiting(who):
        writer.finish("budget", "enough")

    with pytest.raises(AlreadyStored) as caught:
        begin(waiting=waiting)
    assert caught.value.run == store.runs()[0]
    assert [path.name for path in (store.root / "runs").iterdir()] == [caught.value.run.id]


def test_a_killed_run_keeps_its_checkpoints_and_is_superseded(store, begin, child, config):
    assert store.runs()[0].status == "running"
    child.send_signal(signal.SIGKILL)
    child.wait(10)
    (run,) = store.runs()
    assert run.status == "killed" and not run.complete
    assert run.trace()["iterations"].tolist() == [0, 1, 2]
    assert store.find(run.id).summary()["primal_objective"] == 1 / 3
    assert store.get(key(config)) is None and store.running() == 0
    again = begin()
    assert again.path == run.path
    again.checkpoint(ROW)
    done = again.finish("budget", "enough")
    assert done.trace()["iterations"].tolist() == [3]
    assert [run.status for run in store.runs()] == ["budget"]


@pytest.mark.parametrize("status", END_STATES)
def test_only_results_are_kept_from_repetition(begin, status):
    first = begin().finish(status, "first")
    if status in ("converged", "stalled", "budget", "timeout", "diverged"):
        with pytest.raises(UserError, match="give force=true"):
            begin()
        assert first.path.exists() and not list(first.path.parent.glob("*.running"))
    else:
        assert begin().finish("budget", "second").reason == "second"


def test_force_replaces_the_old_run_at_the_end_and_killed_between_the_renames_too(store, begin, config):
    begin().finish("budget", "first")
    writer = begin(force=True)
    assert store.get(key(config)).reason == "first"
    assert [run.reason for run in store.runs()] == ["first"]
    run = writer.finish("budget", "second")
    assert store.get(key(config)).reason == "second"
    assert len(list((store.root / "runs").iterdir())) == 1
    os.rename(run.path, run.path.with_name(run.id + ".running"))
    assert store.get(key(config)).reason == "second"
    assert [run.reason for run in store.runs()] == ["second"]
    assert begin(force=True).finish("budget", "third").reason == "third"


def test_discard_leaves_nothing(store, begin):
    begin().discard()
    assert store.runs() == [] and list((store.root / "runs").iterdir()) == []


def test_an_end_that_is_none_is_an_error(begin):
    writer = begin()
    with pytest.raises(ValueError, match="no such end state: done"):
        writer.finish("done", "")
    writer.discard()


def test_reference_runs_are_read_and_never_written(store, begin, config):
    kept = begin(into=Store(store.root / "reference")).finish("budget", "reference")
    assert [run.path for run in store.runs()] == [kept.path]
    assert store.get(key(config)) == kept
    with pytest.raises(UserError, match="reference/runs"):
        begin()
    begin(force=True).finish("budget", "own")
    assert [run.reason for run in store.runs()] == ["own"] and store.get(key(config)).reason == "own"
    assert kept.path.exists()


def test_find(store, begin, monkeypatch):
    first, second = (begin(seed).finish("budget", "enough") for seed in (0, 1))
    assert store.find(first.id[:-2]) == first
    assert store.find(str(second.path)) == second
    monkeypatch.chdir(second.path.parent)
    assert store.find(second.id + os.sep) == second
    with pytest.raises(UserError, match=r"sbp-t is the beginning of 2 runs \(sbp-twonorm-"):
        store.find("sbp-t")
    with pytest.raises(UserError, match=f"no run spb{first.id[3:]} .*did you mean '{first.id}'"):
        store.find("spb" + first.id[3:])
    with pytest.raises(UserError, match="holds no runs"):
        Store(store.root / "empty").find("sbp")


def test_files_beside_the_runs_are_passed_over(store, begin):
    run = begin().finish("budget", "enough")
    (run.path.parent / "notes.txt").write_text("mine")
    (run.path.parent / "empty").mkdir()
    assert store.runs() == [run]


def test_a_folder_that_cannot_be_written_is_refused_at_once(tmp_path, begin):
    (tmp_path / "file").write_text("")
    bad = Store(tmp_path / "file" / "results")
    with pytest.raises(UserError, match=r"results=.*file is not a folder; give another results=DIR"):
        bad.check_writable()
    with pytest.raises(UserError, match="is not a folder"):
        begin(into=bad)


def test_a_folder_without_permission_is_refused_at_once(tmp_path, monkeypatch):
    # Not by taking away the permission: root has it all the same.
    def refuse(path, *mode):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "mkdir", refuse)
    with pytest.raises(UserError, match="is not writable; give another results=DIR"):
        Store(tmp_path / "results").check_writable()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a file system that takes no folders")
def test_a_file_system_without_folders_of_ours_is_refused_at_once():
    # root may write to /proc by its permission bits, and mkdir fails all the same.
    with pytest.raises(UserError, match="/proc is not writable"):
        Store("/proc/results").check_writable()


def test_checking_creates_nothing(store):
    store.check_writable()
    assert not store.root.exists()


def test_checking_removes_what_a_killed_check_left_but_nothing_of_the_user(store, monkeypatch):
    store.root.mkdir()
    with monkeypatch.context() as context:
        context.setattr(os, "rmdir", lambda path: sys.exit("killed"))
        with pytest.raises(SystemExit):
            store.check_writable()
    assert len(list(store.root.iterdir())) == 1
    (mine := store.root / ".svmbench-trial-notes").mkdir()
    (mine / "notes.txt").write_text("mine")
    store.check_writable()
    assert list(store.root.iterdir()) == [mine]


def test_an_environment_is_stored_once(store):
    first = store.put_environment({"python": "3.11", "cores": 2})
    stamp = (store.root / "environments" / f"{first}.json").stat().st_mtime_ns
    assert store.put_environment({"cores": 2, "python": "3.11"}) == first
    assert store.put_environment({"python": "3.12", "cores": 2}) != first
    assert (store.root / "environments" / f"{first}.json").stat().st_mtime_ns == stamp
    assert store.environment(first) == {"python": "3.11", "cores": 2}
    assert store.environment("0") is None
