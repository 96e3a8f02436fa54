"""`svmbench verify --again`: a run is made again and compared bit for bit."""

import io
import json
import shutil

import pytest

from svmbench.cli.main import main
from svmbench.files import digest, sha256
from svmbench.runner.execute import execute
from svmbench.runner.progress import PlainLines
from svmbench.store import Store, lines
from svmbench.store.trace import header, line
from svmbench.sweep.stored import end_of
from tests.told import output

from .conftest import SMALL


@pytest.fixture
def made(here, capsys):
    def of(*words):
        assert main(["run", *SMALL, *words, "--json"]) == 0
        return Store("results").find(json.loads(capsys.readouterr().out)["run"])

    return of


@pytest.fixture
def within(monkeypatch):
    """Make runs again in this process, which takes a tenth of the time of one of their own."""

    def made(config, folder):
        return end_of(config, execute(config, progress=PlainLines(io.StringIO())))

    monkeypatch.setattr("svmbench.cli._again.alone", made)


def seal(run, **changes):
    """Write status.json of a run again, with changes and the right checksums."""
    path = run.path / "status.json"
    end = {key: value for key, value in json.loads(path.read_text()).items() if key != "check"}
    end |= changes | {"files": {name: sha256(run.path / name) for name in end["files"]}}
    schema = end.pop("schema")
    path.write_text(json.dumps({"schema": schema, **end, "check": digest(end)}))


def change_manifest(run, change):
    """Change run.json of a run and seal it again."""
    path = run.path / "run.json"
    document = json.loads(path.read_text())
    schema = document.pop("schema")
    about = lines.unchecked(document)
    change(about)
    path.write_text(json.dumps({"schema": schema, **lines.checked(about)}))
    seal(run)


def verdict(capsys, *runs):
    capsys.readouterr()
    code = main(["verify", "--again", *runs])
    return code, capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["solver=smo"],
        ["solver=sbp"],
        ["solver=pegasos", "budget.seconds=0.02", "budget.kev=null"],
        ["solver=dcd", "features=fourier", "features.frequencies=20"],
        ["solver=smo", "validate.folds=3", "validate.warm=true"],
        ["solver=bsgd", "solver.budget=7", "seed=3"],
    ],
)
def test_an_honest_run_is_the_same(made, within, capsys, words):
    run = made(*words)
    before = sorted((path, path.stat().st_mtime_ns) for path in run.path.rglob("*"))
    code, out = verdict(capsys, run.id)
    assert code == 0 and out.startswith(f"same         {run.id}: made again, all checkpoints, the model and")
    assert sorted((path, path.stat().st_mtime_ns) for path in run.path.rglob("*")) == before
    assert [run.id for run in Store("results").runs()] == [run.id]


def test_a_continued_run_and_one_that_starts_from_another_are_the_same(made, capsys):
    made("solver=smo", "budget.iterations=50")
    run = made("solver=smo", "budget.iterations=300")
    assert "continued" in run.manifest
    after = made("solver=decomposition", f"start={run.id}", "problem.C=20")
    code, out = verdict(capsys)
    assert code == 0 and out.count("same  ") == 3 and after.id in out


def test_forged_checkpoints_seeds_and_ends_differ(made, within, capsys):
    run = made("solver=pegasos", "seed=1")
    rows = run.rows()
    rows[0]["test_error"], rows[0]["test_mistakes"] = rows[-1]["test_error"], rows[-1]["test_mistakes"]
    honest = (run.path / "trace.csv").read_text()
    (run.path / "trace.csv").write_text(header() + "".join(map(line, rows)))
    seal(run)
    code, out = verdict(capsys, run.id)
    assert code == 1 and out.startswith("differs ") and "test_error at " in out
    (run.path / "trace.csv").write_text(honest)
    change_manifest(run, lambda about: about["seeds"].update(generator=5))
    code, out = verdict(capsys, run.id)
    assert code == 1 and "seeds in run.json is " in out


def test_the_model_of_another_solver_differs(made, within, capsys):
    run, other = made("solver=sdca", "budget.kev=200000"), made("solver=smo", "budget.kev=200000")
    shutil.copyfile(other.path / "model.npz", run.path / "model.npz")
    seal(run)
    code, out = verdict(capsys, run.id)
    assert code == 1 and "model.npz is another" in out


def test_a_run_of_another_version_cannot_be_made_again(made, capsys):
    run = made("solver=smo")
    change_manifest(run, lambda about: about["identity"].update(solver_version=0))
    code, out = verdict(capsys, run.id)
    assert code == 0 and out.startswith("unchecked ") and "solver_version was 0 and is " in out


def test_a_run_copied_as_another_seed_is_told(made, capsys):
    one, other = made("solver=pegasos"), made("solver=pegasos", "seed=1")
    for name in ("trace.csv", "model.npz"):
        shutil.copyfile(one.path / name, other.path / name)
    seal(other)
    assert "to the byte and with their seconds: one is a copy" in output(capsys, ["verify"], 1)
