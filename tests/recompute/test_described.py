"""What a run says of its data and its model, and packed runs, which have no model."""

import json
import lzma
import shutil

import pytest

from svmbench.cli.main import main
from svmbench.store import Store, packs
from tests.told import output

from .test_consistency import SMALL, edit, edit_config


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    assert main(["run", "solver=smo", "budget.iterations=200", *SMALL, f"results={folder}"]) == 0
    assert main(["run", "solver=sbp", "budget.iterations=200", *SMALL, f"results={folder}"]) == 0
    return folder


@pytest.fixture
def results(made, tmp_path):
    """A copy that may be changed."""
    return shutil.copytree(made, tmp_path / "results")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"features": 99}, "dataset.features is 99, the data have 20"),
        ({"rows": {"train": 60, "test": 30, "validation": 5}}, "dataset.rows is "),
        ({"labels": ["cat", "dog"]}, "dataset.labels is ['cat', 'dog'], the data have None"),
        (None, "lacks what the checks need ('checksum' is missing or unknown)"),
    ],
)
def test_the_description_of_the_data_is_theirs(results, change, sentence, capsys):
    def changed(about):
        about["dataset"].update(change) if change else about["dataset"].pop("checksum")

    run = Store(results).find("smo")
    edit(run.path, changed)
    assert change is None or main(["verify", "--results", str(results), run.id]) == 0
    assert sentence in output(capsys, ["verify", "--recompute", "--results", str(results), run.id], 1)


def test_the_model_is_of_the_features_of_the_configuration(tmp_path, capsys):
    words = ["run", "solver=dcd", "features=fourier", "features.frequencies=20", *SMALL[:3]]
    assert main([*words, f"results={tmp_path}"]) == 0
    edit_config(Store(tmp_path).find("dcd").path, "features", frequencies=21)
    told = output(capsys, ["verify", "--recompute", "--results", str(tmp_path)], 1)
    assert "the model is of features " in told


def test_a_kernel_that_is_no_longer_installed_does_not_damage_its_runs(results, capsys):
    edit_config(Store(results).find("smo").path, "kernel", name="cauchy")
    told = output(capsys, ["verify", "--recompute", "--results", str(results)])
    assert "cannot be recomputed: unknown kernel 'cauchy'" in told and "1 ok, 1 unchecked" in told


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
    records[0]["run"]["config"]["problem"]["C"] = 2.0
    path.write_bytes(lzma.compress("".join(json.dumps(record) + "\n" for record in records).encode()))
    id = records[0]["run"]["id"]
    for name in ((), (id,)):
        assert main(["verify", "--recompute", "--results", str(clone), *name]) == 1
        assert f"{id}: config has problem" in capsys.readouterr().out
    assert main(["verify", "--results", str(clone)]) == 0


def test_a_clock_that_is_set_back_lets_no_run_end_before_it_began(tmp_path, monkeypatch):
    times = iter(["2026-01-02T00:00:00.000000+00:00", "2026-01-01T00:00:00.000000+00:00"])
    monkeypatch.setattr("svmbench.store.writer.now", lambda: next(times))
    assert main(["run", "solver=smo", *SMALL, f"results={tmp_path}"]) == 0
    run = Store(tmp_path).find("smo")
    assert run.ended == run.started == "2026-01-02T00:00:00.000000+00:00"
