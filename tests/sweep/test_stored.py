"""Stored runs are found by identity alone: no array is read, and nothing else is taken for them."""

import json

import pytest

from svmbench import config, data
from svmbench.data import loading
from svmbench.runner.execute import execute
from svmbench.runner.progress import PlainLines
from svmbench.store import Store
from svmbench.sweep import planning
from svmbench.sweep.stored import stored

SMALL = ("dataset=twonorm", "dataset.n_train=60", "dataset.n_test=0", "budget.iterations=50")


def make(tmp_path, *overrides):
    made = planning.make([*overrides, f"results={tmp_path / 'results'}"])
    with (tmp_path / "log").open("w") as log:
        for job in made.jobs:
            assert execute(job.config, progress=PlainLines(log)).run is not None
    return made


def names(tmp_path, *overrides):
    """Return for each job whether its run is stored, or cannot be known."""
    made = planning.make([*overrides, f"results={tmp_path / 'results'}"])
    found, unknown = stored(made, Store(tmp_path / "results"))
    assert all(found[job.number].seed == job.config.seed for job in made.jobs if job.number in found)
    return [
        "stored" if job.number in found else "unknown" if job in unknown else "missing" for job in made.jobs
    ]


def test_what_was_run_is_found_without_its_arrays(tmp_path, monkeypatch):
    make(tmp_path, "solver=pegasos,sbp,smo", *SMALL)
    monkeypatch.setattr(loading, "storage", lambda prepared: pytest.fail("an array was made"))
    assert names(tmp_path, "solver=pegasos,sbp,smo", *SMALL) == ["stored"] * 3
    assert names(tmp_path, "solver=pegasos,sdca", "seed=1", *SMALL) == ["missing"] * 2
    assert names(tmp_path, "solver=sbp", "solver.nu=0.1", *SMALL) == ["missing"]


def test_a_derived_parameter_must_be_that_of_the_optimum_as_it_is_now(tmp_path):
    make(tmp_path, "solver=sbp", *SMALL)
    (path,) = (tmp_path / "results" / "optima").glob("*.json")
    kept = json.loads(path.read_text())
    path.write_text(json.dumps({**kept, "nu": kept["nu"] * 1.01}))
    assert names(tmp_path, "solver=sbp", *SMALL) == ["unknown"]
    path.unlink()
    assert names(tmp_path, "solver=sbp", *SMALL) == ["unknown"]


def test_a_run_that_begins_at_another_one_is_found(tmp_path):
    make(tmp_path, "solver=smo", *SMALL)
    (first,) = Store(tmp_path / "results").runs()
    given = ("solver=decomposition", *SMALL)
    make(tmp_path, *given, f"start={first.id}")
    assert names(tmp_path, *given, f"start={first.id}") == ["stored"]
    assert names(tmp_path, *given, f"start={first.id[:-2]}") == ["stored"]
    assert names(tmp_path, *given, f"start={first.id}", "problem.C=7") == ["unknown"]
    assert names(tmp_path, *given, "start=nosuch") == ["unknown"]  # the run says why
    make(tmp_path, "solver=smo", *SMALL, "force=true")  # perhaps by another build
    assert names(tmp_path, *given, f"start={first.id}") == ["unknown"]


def test_another_content_of_a_file_is_another_run(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("".join(f"{k % 7},{k % 5},{1 if k % 3 else -1}\n" for k in range(40)))
    given = (
        "solver=pegasos",
        "dataset=file",
        "dataset.name=mine",
        "kernel.gamma=1",
        "problem.C=1",
        *SMALL[3:],
    )
    make(tmp_path, *given, f"dataset.path={file}")
    assert names(tmp_path, *given, f"dataset.path={file}") == ["stored"]
    file.write_text(file.read_text() + "1,2,1\n")
    assert names(tmp_path, *given, f"dataset.path={file}") == ["missing"]
    file.unlink()
    assert names(tmp_path, *given, f"dataset.path={file}") == ["unknown"]  # the run says why


@pytest.mark.parametrize(
    "given",
    [
        ["dataset=twonorm"],
        ["dataset=checkerboard", "dataset.n_train=30"],
        ["dataset=file", "dataset.path={file}", "dataset.test_path={file}", "problem.C=1", "kernel.gamma=1"],
    ],
)
def test_the_checksum_without_arrays_is_that_of_the_data(tmp_path, given):
    file = tmp_path / "mine.svm"
    file.write_text("1 1:2 2:3\n-1 1:1\n")
    dataset = config.resolve([text.format(file=file) for text in given]).dataset.document()
    assert data.known_checksum(dataset) == data.load(dataset).checksum
