"""Artifacts of every kind at a small size: runs in this process, plan to reference, and in a fresh clone."""

import dataclasses
import io
import json
import re
import shutil

import pytest

from svmbench.cli import _papers as commands
from svmbench.papers import artifact as artifacts
from svmbench.papers import checks, making
from svmbench.papers.catalogue import ours
from svmbench.papers.runs import Runs
from svmbench.runner.execute import execute
from svmbench.runner.progress import PlainLines

LOADED = {name: artifacts.load(name) for name in ours()}


def covering(names):
    """Those names, in their order, whose artifacts have a kind, test or quantity that none before has."""
    seen, chosen = set(), []
    for name in names:
        if fresh := {LOADED[name].kind, *map(type, LOADED[name].judged_and_shown())} - seen:
            chosen.append(name)
            seen |= fresh
    return chosen


# A front has subsets that are larger than the small data of this test, see tests/cli/test_field.py.
OWN = covering(
    name
    for name, found in LOADED.items()
    if not found.is_check and found.of == name and found.kind != "front"
)
#: One artifact of each kind.
FIRST = {LOADED[name].kind: name for name in OWN}
CHECKS = [name for name, found in LOADED.items() if found.kind == "check"]
#: Those whose pictures are written: others are drawn by the same code, and here laid out only.
WRITTEN = {*FIRST.values(), "sbp-f2", "as-t1"}

#: What makes a check quick; one that is not here is quick, or needs data that a test has not.
FEW = {
    "trials": 5,
    "sizes": [1000, 3000],
    "nonzeros": [3, 9],
    "widths": [100, 200],
    "pairs": [[200, 10], [400, 10]],
    "samples": [10, 20],
    "examples": 100,
    "repetitions": 2,
    "columns": [50],
    "frequencies": [8, 16],
    "gammas": {"board": 10.0},
    "sets": {"board": {"name": "checkerboard", "n_train": 50, "n_test": 20, "seed": 0}},
}

#: Checks of what is proved or counted, which hold at any size.
THEOREMS = (
    *("sbp-l21", "sbp-l31", "sbp-e1", "sbp-f1", "sbp-f4"),
    *("rup-5", "lec-e", "as-cls", "as-p1", "as-p2"),
)


def fitting(key, values):
    """The values of a key that a hundred training points allow: a sample is one of them."""
    if key == "dataset.n_train" and min(values) >= 100_000:
        return [60, 100]
    return [value for value in values if key != "features.s" or value <= 100]


def small(artifact):
    """The first panel, one seed and at most two values of each key, on a hundred points in the plane."""
    runs = artifact.runs
    board = ("dataset=checkerboard", "dataset.n_train=100", "dataset.n_test=100")
    given = " ".join(one.overrides for one in (runs, runs.panels[0], *runs.groups))
    # What is to end at a gap has to get there.
    kev = "null" if "budget.gap=" in given else "20000"
    limits = (f"budget.kev={kev}", "budget.memory=1", "budget.seconds=null")
    sample = ("features.s=20",) if "features=nystrom" in given else ()
    others = ("dataset", "features.s", "budget", "problem.multiclass")  # the points have two classes
    kernel = tuple(o for o in runs.panels[0].overrides.split() if not o.startswith(others))
    panel = dataclasses.replace(runs.panels[0], overrides=" ".join((*kernel, *board, *limits, *sample)))
    groups = tuple(
        dataclasses.replace(
            group,
            panels=panel.name,
            seeds=group.seeds[:1],
            overrides=" ".join(o for o in group.overrides.split() if not o.startswith("budget.kev")),
            over={key: fitting(key, values)[:2] for key, values in group.over.items()},
        )
        for group in runs.groups
        if panel.name in group.panels.split()
        and all(fitting(key, values) for key, values in group.over.items())
    )
    # A batch and a sample are at most the training set.
    fewer = {"solver.k": "solver.k=50", "features.s": "features.s=20", "budget.kev": "budget.kev=20000"}
    fewer["subset"] = "subset=50"
    lines = tuple(
        dataclasses.replace(
            line, overrides=" ".join(fewer.get(o.partition("=")[0], o) for o in line.overrides.split())
        )
        for line in runs.lines
    )
    small_runs = Runs(runs.overrides, (panel,), lines, groups)
    return dataclasses.replace(artifact, runs=small_runs, counters=artifact.conventions[0])


@pytest.fixture
def here(one_format, monkeypatch):
    """Make runs in this process, as if it were alone: a process for each takes longer than the run."""
    monkeypatch.setattr("svmbench.store.timing.disturbance", lambda load: "")
    monkeypatch.setattr("svmbench.runner.execute.wait_until_quiet", lambda limit, say: True)

    class Here:
        def __init__(self, folder, size, threads, *, pin, reuse):
            assert not pin and folder.is_dir()

        def run(self, jobs, listener):
            for job in jobs:
                listener.began(job)
                outcome = execute(job.config, progress=PlainLines(io.StringIO()))
                listener.ended(job, {"state": outcome.state, "reason": outcome.reason})
            return False

    monkeypatch.setattr(making, "Pool", Here)


def asked(name, results, **more):
    return commands.Asked((name,), True, str(results), **more)


@pytest.mark.parametrize("name", OWN)
def test_an_artifact_runs_small_from_plan_to_reference(name, here, tmp_path, monkeypatch, capfd):
    whole = small(LOADED[name])
    monkeypatch.setattr(artifacts, "load", lambda paper_id, folders=(): whole)
    if name not in WRITTEN:
        monkeypatch.setattr("svmbench.figures.style.FORMATS", ())
    assert commands.plan(asked(name, tmp_path)) == 0
    assert commands.run(asked(name, tmp_path)) == 0
    out, err = capfd.readouterr()
    count = len(list((tmp_path / "runs").iterdir()))
    assert count > 0 and out.count(": done, ") == count, err

    assert commands.run(asked(name, tmp_path)) == 0  # nothing is missing, nothing is run
    assert ": done, " not in capfd.readouterr().out
    if whole.claims:
        assert commands.verdict(asked(name, tmp_path)) == 0
        page = capfd.readouterr().out
        assert re.search(r"\b(\d+) of \1 runs are stored", page)
    assert commands.keep(asked(name, tmp_path)) == 0  # draws, too
    assert (tmp_path / "reference" / "packs" / f"{name}.jsonl.xz").stat().st_size < 12_000 * count

    fresh = tmp_path / "fresh"
    shutil.copytree(tmp_path / "reference", fresh / "reference")
    capfd.readouterr()
    assert commands.run(asked(name, fresh)) == 0
    assert ": done, " not in capfd.readouterr().out
    if name in WRITTEN:
        assert commands.draw(asked(name, fresh)) == 0
    if whole.claims:
        capfd.readouterr()
        commands.verdict(asked(name, fresh))
        assert capfd.readouterr().out == page


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_is_made_small_stored_judged_and_drawn(name, one_format, tmp_path, monkeypatch, capfd):
    arguments = {key: FEW.get(key, value) for key, value in LOADED[name].arguments.items()}
    quick = dataclasses.replace(LOADED[name], arguments=arguments)
    monkeypatch.setattr(artifacts, "load", lambda paper_id, folders=(): quick)
    if name not in WRITTEN:
        monkeypatch.setattr("svmbench.figures.style.FORMATS", ())
    with pytest.raises(commands.UserError, match=f"{name} is not measured: svmbench paper run {name}"):
        commands.draw(asked(name, tmp_path))
    assert commands.run(asked(name, tmp_path)) == 0
    assert json.loads((tmp_path / "checks" / f"{name}.json").read_text())["measures"]
    capfd.readouterr()
    assert commands.verdict(asked(name, tmp_path)) == 0
    page = capfd.readouterr().out
    assert "Check `" in page
    if "sets" not in arguments and arguments.get("sizes") != FEW["sizes"]:
        assert "not attempted" not in page
    if name in THEOREMS:
        assert "**holds by construction**" in page and "deviates" not in page and "inconclusive" not in page
    assert commands.draw(asked(name, tmp_path)) == 0
    assert commands.keep(asked(name, tmp_path)) == 0
    assert (tmp_path / "reference" / "checks" / f"{name}.json").is_file()


def test_a_check_of_another_version_is_none(tmp_path, monkeypatch):
    checks.make(LOADED["rs-k"], tmp_path)
    assert checks.stored(LOADED["rs-k"], tmp_path)
    monkeypatch.setitem(checks.CHECKS, "sample_size", ("projection", 99))
    assert checks.stored(LOADED["rs-k"], tmp_path) is None


def test_a_failed_run_does_not_stop_the_others(tmp_path, monkeypatch, capfd):
    figure = small(LOADED["sbp-f2"])
    lines = tuple(
        dataclasses.replace(line, overrides="budget.memory=1e12") if line.name == "sbp" else line
        for line in figure.runs.lines
        if line.name in ("sbp", "smo")
    )
    figure = dataclasses.replace(figure, runs=dataclasses.replace(figure.runs, lines=lines))
    monkeypatch.setattr(artifacts, "load", lambda paper_id, folders=(): figure)
    assert commands.run(asked("sbp-f2", tmp_path, jobs=2)) == 1
    out, err = capfd.readouterr()
    assert "smo reuters seed 0: done" in out
    assert err.startswith("1 run failed:\n") and "not enough memory" in err


def test_verdicts_are_written_by_what_is_kept_and_printed_by_all_runs(here, tmp_path, monkeypatch, capfd):
    figure = small(LOADED["sbp-t1"])
    monkeypatch.setattr(artifacts, "load", lambda id, folders=(): figure if id == "sbp-t1" else LOADED[id])
    everything = commands.Asked(("sbp-t1", "sbp-f1"), False, str(tmp_path))
    assert commands.run(everything) == 0
    with pytest.raises(commands.UserError, match="reference holds no runs to judge: pack some by svmbench"):
        commands.verdict(everything)
    assert not (tmp_path / "reference").exists()
    page = tmp_path / "reference" / "verdicts" / "stochastic-batch-perceptron.md"
    assert commands.keep(asked("sbp-f1", tmp_path)) == 0
    capfd.readouterr()
    assert commands.verdict(everything) == 0
    assert "runs outside" in capfd.readouterr().err
    assert re.search(r"\b0 of \d+ runs are stored", page.read_text())
    commands.verdict(asked("sbp-t1", tmp_path))
    assert re.search(r"\b(\d+) of \1 runs are stored", capfd.readouterr().out)
    assert commands.keep(asked("sbp-t1", tmp_path)) == 0
    assert commands.verdict(everything) == 0
    kept = page.read_text()
    assert re.search(r"\b(\d+) of \1 runs are stored", kept)

    shutil.copytree(tmp_path / "reference", tmp_path / "clone" / "reference")
    assert commands.verdict(dataclasses.replace(everything, results=str(tmp_path / "clone"))) == 0
    assert (tmp_path / "clone" / page.relative_to(tmp_path)).read_text() == kept


def test_artifacts_are_drawn_and_judged_at_once_the_same_twice(tmp_path):
    some = ("rs-k", "sbp-f1", "sbp-f2", "sbp-gap", "solvers-linear", "x-screen")
    everything = commands.Asked(some, False, str(tmp_path))
    checks.make(LOADED["sbp-f1"], tmp_path)
    assert commands.draw(everything) == 0 and not (tmp_path / "reference").exists()
    assert commands.keep(asked("sbp-f1", tmp_path)) == 0
    assert commands.draw(everything) == 0
    first = {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()}
    assert tmp_path / "figures" / "sbp-f1" / "sbp-f1.png" in first
    assert commands.draw(everything) == 0
    assert first == {path: path.read_bytes() for path in first}
    home = tmp_path / "reference"
    page = (home / "VERDICTS.md").read_text()
    assert page.startswith("# Verdicts") and "not attempted" in page
    text = "".join(path.read_text() for path in (home / "verdicts").glob("*.md"))
    assert "Check `sample_size`, not measured." in text
    assert "(Figure 2; our own question)" in text and "(our own question)" in text
    for name in some:
        assert (f"## {LOADED[name].target}: {LOADED[name].title}" in text) == bool(LOADED[name].claims)
