"""Which seconds may be compared: of runs that ran alone, on one machine with one set of software."""

import json

import pytest

from svmbench.errors import UserError
from svmbench.files import digest
from svmbench.store import Store, StoredRun, documents
from svmbench.store.timing import comparable, disturbance, disturbed, for_seconds, machine, note, summary
from tests.figures.stored import ALONE, stored_run
from tests.told import answer, names


def run(root, seed=0, **more):
    return stored_run(root, seed=seed, costs=[1e3], errors=[10], wall_seconds=[1.0], **more)


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        (ALONE, ""),
        ({**ALONE, "others": 0.05}, ""),
        ({**ALONE, "others": 0.2}, "other processes used 0.20 cores"),
        ({**ALONE, "stolen": 0.03}, ""),
        ({**ALONE, "stolen": 0.1}, "the hypervisor took 10 % of a core"),
        ({**ALONE, "stolen": None}, ""),
        ({**ALONE, "others": None}, "the load of its machine was not recorded"),
        (None, "the load of its machine was not recorded"),
        # The system counts in ticks, of which a short run has few.
        ({**ALONE, "seconds": 0.1, "others": 0.2}, ""),
        ({**ALONE, "seconds": 0.1, "others": 0.5}, "other processes used 0.50 cores"),
    ],
)
def test_a_run_was_alone_where_neither_processes_nor_the_hypervisor_took_its_cores(load, reason):
    assert disturbance(load) == reason


def test_the_machine_of_most_runs_that_were_alone_is_kept(tmp_path):
    mine = [run(tmp_path, seed, machine="mine") for seed in range(3)]
    yours = [run(tmp_path, seed, machine="yours") for seed in (3, 4)]
    busy = [run(tmp_path, seed, machine="yours", load={**ALONE, "others": 1.0}) for seed in range(5, 9)]
    kept, left_out = comparable([*busy, *yours, *mine])
    assert {one.id for one in kept} == {one.id for one in mine}
    why = dict(left_out)
    assert set(why) == {one.id for one in [*busy, *yours]}
    assert all(why[one.id].endswith(": other processes used 1.00 cores") for one in busy)
    assert all("another machine" in why[one.id] for one in yours)
    assert names(summary(len(kept), left_out), "3 of 9 runs", "4 because", "2 because", "another machine")


def test_commit_threads_and_more_libraries_are_no_other_software_but_a_forced_kernel_is(tmp_path):
    blas = {"user_api": "blas", "num_threads": 1, "architecture": "Zen"}
    base = {"processor": "P", "libraries": [blas], "threads": 1}
    openmp = {"user_api": "openmp", "architecture": None}
    more = {"source": {"commit": "c"}, "libraries": [{**blas, "num_threads": 2}, openmp], "threads": 2}
    forced = {"libraries": [{**blas, "architecture": "Nehalem"}]}
    store, names = Store(tmp_path), []
    for seed, change in enumerate([{}, more, {"numpy": "2"}, forced]):
        one = run(tmp_path, seed)
        one.manifest["environment"] = store.put_environment({**base, **change})
        names.append(machine(one))
    assert names[0] == names[1]
    assert len(set(names)) == 3


def test_a_run_made_in_pieces_is_no_evidence_of_seconds(tmp_path):
    one = run(tmp_path)
    one.manifest["continued"] = {"run": "sbp-adult-0", "iterations": 3}
    assert disturbed(one) == "it was made in several pieces"


def test_counts_of_any_run_may_be_compared(tmp_path):
    runs = [run(tmp_path, 0, load=None), run(tmp_path, 1, machine="yours")]
    assert for_seconds(runs, "kev_ondemand", "test_error") == (runs, [])
    assert [one.seed for one in for_seconds(runs, "kev_ondemand", "cpu_seconds")[0]] == [1]


def test_a_first_look_takes_runs_of_one_machine_that_were_not_alone_and_says_so(tmp_path):
    busy = {**ALONE, "others": 1.0}
    runs = [run(tmp_path, 0, load=busy, machine="mine"), run(tmp_path, 1, machine="mine")]
    other = run(tmp_path, 2, machine="yours")
    kept, left_out = comparable([*runs, other], lenient=True)
    assert kept == runs
    assert [name for name, _ in left_out] == [other.id]
    assert note(kept).startswith("1 of 2 runs are not known to have had their machine to themselves: ")
    assert note(kept[1:]) == ""
    assert comparable(runs)[0] == kept[1:]


@pytest.mark.parametrize("name", ["x" * 5000, "../secret", "\0", {"a": 1}, None])
def test_a_run_that_names_no_environment_has_an_unknown_machine(tmp_path, name):
    (tmp_path / "secret.json").write_text("{}")
    one = run(tmp_path)
    assert machine(StoredRun(one.path, one.facts, {"environment": name})) == f"unknown {name}"


@pytest.mark.parametrize("libraries", [{}, "x", [1], [{"architecture": []}], [{"architecture": 1}, {}]])
def test_libraries_that_no_machine_has_make_an_environment_damaged(tmp_path, capsys, libraries):
    name = Store(tmp_path).put_environment({"processor": "P", "libraries": libraries})
    one = run(tmp_path)
    assert machine(StoredRun(one.path, one.facts, {"environment": name})) == f"unknown {name}"
    assert "its libraries are not described" in capsys.readouterr().err


@pytest.mark.parametrize(
    "load",
    [
        *("busy", [], {}, {"seconds": 1.0, "others": 0.0}),
        *({**ALONE, "seconds": value} for value in (None, "x", [1.0], 10**400)),
        *({**ALONE, "others": value} for value in ("\x1b[2J", True)),
        *({**ALONE, "stolen": {}}, {**ALONE, "queue": ["x"]}, {**ALONE, "mhz": [1] * 1000}),
    ],
)
def test_a_load_written_by_hand_is_damage_said_in_one_sentence(tmp_path, capsys, load):
    sound, odd = run(tmp_path), run(tmp_path, seed=1)
    end = json.loads((odd.path / "status.json").read_text()) | {"load": load}
    end.pop("check"), end.pop("schema")
    documents.write(odd.path / "status.json", {**end, "check": digest(end)})
    with pytest.raises(UserError, match=r"status\.json is damaged"):
        disturbed(odd)
    for command in (["list", "--columns", "run"], ["compare", "sbp-*", "sbp-*", "--cost", "wall_seconds"]):
        said = answer(capsys, [*command, "--results", str(tmp_path)])
        assert sound.id in said.out or command[0] == "compare"
        assert said.err.count("\n") == 1 and "status.json is damaged" in said.err
    said = answer(capsys, ["show", odd.id, "--results", str(tmp_path)], 2)
    assert all("status.json is damaged" in line for line in said.err.splitlines())
