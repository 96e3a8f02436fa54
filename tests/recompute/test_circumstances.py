"""Forgeries of what a run says of its making, with right checksums."""

import json
import lzma
import shutil

import pytest

from svmbench.cli.main import main
from svmbench.recompute.circumstances import _folds
from svmbench.store import Store, packs
from svmbench.store.identity import run_id

from .test_consistency import SMALL, machine_of, said, seal


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    assert main(["run", "solver=smo", "budget.iterations=200", *SMALL, f"results={folder}"]) == 0
    assert main(["run", "solver=sbp", "budget.iterations=200", *SMALL, f"results={folder}"]) == 0
    return folder


@pytest.fixture
def smo(made):
    return Store(made).find("smo")


@pytest.fixture
def results(made, tmp_path):
    """A copy that may be changed."""
    return shutil.copytree(made, tmp_path / "results")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"started": "2020-01-01T00:00:00+00:00"}, "it started at 2020-01-01"),
        ({"ended": "2020-01-01T00:00:00+00:00"}, "it ended at 2020-01-01T00:00:00+00:00, before it started"),
        ({"ended": "yesterday"}, "started 20"),
        ({"cross_validation": {"folds": 5, "seed": 0}}, "there are results of 5 folds, validate is None"),
    ],
)
def test_the_end_follows_the_start(smo, change, sentence):
    assert said(smo, **change)[0].startswith(sentence)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seconds": 1e6}, "the load is of 1000000.0 s, the run took "),
        ({"own": 1e3}, "the load is of 1000.0 cores by the run, there are "),
        ({"cores": 10**6}, "the load is of 1000000 cores, the environment has "),
    ],
)
def test_the_numbers_of_a_load_fit_each_other_and_the_machine(smo, change, sentence):
    found = said(smo, load={**smo.load, **change}, machine=machine_of(smo))
    assert found[0].startswith(sentence)


def test_the_processor_is_not_busier_than_its_cores(smo):
    rows = smo.rows()
    rows[-1] = {**rows[-1], "cpu_seconds": 3.0 + rows[-1]["wall_seconds"]}
    assert "cpu_seconds is 3." in said(smo, rows=rows, load={**smo.load, "seconds": 1e-9})[0]


def test_the_load_is_recorded_as_long_as_the_run_trains(smo):
    rows = smo.rows()
    rows[-1] = {**rows[-1], "wall_seconds": 50.0, "cpu_seconds": 50.0}
    for column, sentence in zip(("wall_seconds", "cpu_seconds"), said(smo, rows=rows), strict=True):
        assert sentence.startswith(f"{column} is 50.0 at the last checkpoint, the load is of ")
    assert said(smo, rows=rows, manifest={**smo.manifest, "continued": {"run": "another"}}) == []


def test_the_environment_is_that_of_a_run_with_as_many_threads(smo):
    (sentence,) = said(smo, machine={**machine_of(smo), "threads": 7})
    assert sentence == "threads are 1, the environment is that of a run with 7"


@pytest.mark.parametrize(
    ("change", "right"),
    [
        ({}, True),
        ({"mistakes": [1, 2], "examples": [20, 20]}, True),  # a fold was interrupted
        ({"folds": 4}, False),
        ({"mistakes": [1, 2, 21]}, False),
        ({"mistakes": [1, -2, 3]}, False),
        ({"mistakes": [1, 2]}, False),
        ({"examples": [20, 20, 21]}, False),
    ],
)
def test_folds_are_those_of_the_examples(change, right):
    found = {"folds": 3, "seed": 0, "mistakes": [1, 2, 3], "examples": [20, 20, 20], **change}
    assert (list(_folds({"folds": 3, "seed": 0}, found, 60)) == []) == right


def test_a_clock_that_is_set_back_lets_no_run_end_before_it_began(tmp_path, monkeypatch):
    times = iter(["2026-01-02T00:00:00.000000+00:00", "2026-01-01T00:00:00.000000+00:00"])
    monkeypatch.setattr("svmbench.store.writer.now", lambda: next(times))
    assert main(["run", "solver=smo", *SMALL, f"results={tmp_path}"]) == 0
    run = Store(tmp_path).find("smo")
    assert run.ended == run.started == "2026-01-02T00:00:00.000000+00:00" and said(run) == []


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"features": 99}, "dataset.features is 99, the data have 20"),
        ({"rows": {"train": 60, "test": 30, "validation": 5}}, "dataset.rows is "),
        ({"labels": ["cat", "dog"]}, "dataset.labels is ['cat', 'dog'], the data have None"),
    ],
)
def test_the_description_of_the_data_is_theirs(results, change, sentence, capsys):
    run = Store(results).find("smo")
    about = json.loads((run.path / "run.json").read_text())
    about["dataset"].update(change)
    (run.path / "run.json").write_text(json.dumps(about))
    seal(run.path)
    assert main(["verify", "--results", str(results), run.id]) == 0
    assert main(["verify", "--recompute", "--results", str(results), run.id]) == 1
    assert sentence in capsys.readouterr().out


def test_the_model_is_of_the_features_of_the_configuration(tmp_path, capsys):
    words = ["run", "solver=dcd", "features=fourier", "features.frequencies=20", *SMALL[:3]]
    assert main([*words, f"results={tmp_path}"]) == 0
    run = Store(tmp_path).find("dcd")
    about = json.loads((run.path / "run.json").read_text())
    for config in (about["config"], about["identity"]["config"]):
        config["features"]["frequencies"] = 21
    about["id"] = run_id(about["identity"])
    (run.path / "run.json").write_text(json.dumps(about))
    seal(run.path)
    run.path.rename(run.path.with_name(about["id"]))
    assert main(["verify", "--recompute", "--results", str(tmp_path)]) == 1
    assert "the model is of features " in capsys.readouterr().out


def test_what_the_checks_need_may_not_be_missing(results, capsys):
    run = Store(results).find("smo")
    about = json.loads((run.path / "run.json").read_text())
    del about["dataset"]["rows"]
    (run.path / "run.json").write_text(json.dumps(about))
    seal(run.path)
    assert main(["verify", "--recompute", "--results", str(results), run.id]) == 1
    assert "lacks what the checks need (KeyError: 'rows')" in capsys.readouterr().out


def test_an_environment_that_is_not_stored_is_named(results, capsys):
    run = Store(results).find("smo")
    shutil.rmtree(results / "environments")
    assert main(["verify", "--recompute", "--results", str(results), run.id]) == 0
    assert "its environment is not stored" in capsys.readouterr().out


def test_packed_runs_are_compared_as_far_as_they_need_no_model(results, tmp_path, capsys):
    clone = tmp_path / "clone"
    path = clone / "reference" / "packs" / "x.jsonl.xz"
    runs = [(run, [0, len(run.rows()) - 1]) for run in Store(results).runs()]
    packs.write(path, runs)
    for kind in ("optima", "environments"):
        shutil.copytree(results / kind, clone / "reference" / kind)
    for root in (clone, clone / "reference"):
        assert main(["verify", "--recompute", "--results", str(root)]) == 0
        assert "what is stored of them does not contradict itself" in capsys.readouterr().out
    assert not (clone / "reference" / "unpacked").exists()
    text = lzma.decompress(path.read_bytes()).decode()
    records = [json.loads(line) for line in text.splitlines()]
    records[0]["run"]["started"] = "2020-01-01T00:00:00+00:00"
    path.write_bytes(lzma.compress("".join(json.dumps(record) + "\n" for record in records).encode()))
    id = records[0]["run"]["id"]
    for name in ((), (id,)):
        assert main(["verify", "--recompute", "--results", str(clone), *name]) == 1
        assert f"{id}: it started at " in capsys.readouterr().out
    assert main(["verify", "--results", str(clone)]) == 0


def test_a_run_with_folds_has_their_results(smo):
    asked = {"folds": 3, "seed": 0}
    about = {**smo.manifest, "config": {**smo.document, "validate": asked}}
    rule = f"the solver's stopping rule holds after {smo.rows()[-1]['iterations']} iterations"
    ended = {"status": "converged", "reason": rule}
    assert any("there are no results of folds" in one for one in said(smo, manifest=about, **ended))
    about["config"]["validate"] = {**asked, "warm": True}
    assert not any("results of folds" in one for one in said(smo, manifest=about, **ended))
