"""Advice from runs whose outcome is known."""

import json
import shlex

import pytest

from svmbench.cli.main import main
from svmbench.errors import UserError
from svmbench.papers.advice import OPTIMUM, advise, outside
from tests.papers.written import artifact, errors, material, store

#: Shapes of the data sets: the nearest to (100, 2) are s0, s1 and s2.
SHAPES = {f"s{k}": (100 * 4**k, 2 + k * k) for k in range(7)}
PANELS = {
    name: {"title": f"Set {name}", "overrides": ["dataset=checkerboard", f"dataset.seed={seed}"]}
    for seed, name in enumerate(SHAPES)
}
ERRORS = {"decomposition": (30, 10), "smo": (40, 11), "sbp": (12, 12), "pegasos": (50, 20)}


@pytest.fixture
def found(tmp_path):
    """SBP is soon good, decomposition and SMO end by their own rules; SMO takes twice as long."""
    return stored(tmp_path, ERRORS)


def stored(root, known, *, stopped=(), peaks=None, **options):
    """Runs with these errors; on the data sets in `stopped`, exact methods are stopped before their end."""
    counters = ["cpu_seconds", "kev_ondemand", "prediction"]
    made = artifact(list(known), kind="front", panels=PANELS, counters=counters, **options)
    for planned in made.runs.planned():
        rows, columns = SHAPES[planned.panel]
        exact = planned.solver in ("decomposition", "smo")
        took = 1e-4 * rows * {"smo": 2.0}.get(planned.solver, 1.0)
        trace = [
            {**row, "cpu_seconds": took * part, "support_vectors": 10 * k}
            for k, (row, part) in enumerate(zip(errors(*known[planned.solver]), (0.5, 1.0)), start=1)
        ]
        store(
            root,
            planned,
            trace,
            status="converged" if exact and planned.panel not in stopped else "budget",
            load={"seconds": 5.0, "others": 0.0, "stolen": 0.0, "cores": 2},
            shape=(rows, columns),
            peak_memory=12.4 if peaks is None else peaks[planned.panel],
        )
    return material(made, root)


def test_advice_rests_on_the_nearest_data_sets(found):
    advice = {one.wish: one for one in advise(found, 100, 2)}
    assert advice[OPTIMUM].method == "Decomposition"
    assert advice[OPTIMUM].overrides == ("solver=decomposition",)
    assert [title for title, _, _ in advice[OPTIMUM].evidence] == ["Set s0", "Set s1", "Set s2"]
    assert advice[OPTIMUM].evidence[0][1] == "test error 10.00 %, ends by its own rule after 0.01 s"
    assert advice["a low test error early"].method == "SBP"


def test_the_forecast_is_that_of_the_measured_power(found):
    (optimum, early, *_) = advise(found, 1_000_000, 10)
    assert optimum.seconds.value == pytest.approx(100.0, rel=1e-3)
    # SBP never comes within a point of 10 %.
    assert early.seconds is None
    assert optimum.memory.value == pytest.approx(12.4, rel=1e-3)


def test_no_less_memory_is_expected_than_was_ever_measured(tmp_path):
    # 50 MiB of the program, which no data set can do without, and the examples.
    peaks = {name: 50.0 + rows * columns / 1000.0 for name, (rows, columns) in SHAPES.items()}
    found = stored(tmp_path, ERRORS, peaks=peaks)
    (small, *_), (large, *_) = advise(found, 10, 2), advise(found, 100_000, 38)
    assert small.memory.low == min(peaks.values()) <= small.memory.value
    assert large.memory.low > min(peaks.values())


def test_data_sets_where_the_method_did_not_get_there_are_counted(tmp_path, capsys, monkeypatch):
    found = stored(tmp_path, ERRORS, stopped=("s6",))
    (optimum, *_) = advise(found, 100, 2)
    assert (optimum.seconds.sets, optimum.missed) == (6, 1)
    monkeypatch.setattr("svmbench.papers.artifact.load", lambda name: found.artifact)
    assert main(["advise", "dataset=banana", "--results", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert told.count("or more: on 1 other data set it did not get there in time, or was disturbed") == 1


def test_the_command_has_all_settings_that_were_compared(tmp_path, capsys, monkeypatch):
    groups = [{"solvers": ["bsgd"], "seeds": 1, "over": {"solver.budget": [50, 800]}}]
    found = stored(tmp_path, {"bsgd": (20, 10)}, groups=groups)
    assert {one.overrides for one in advise(found, 100, 2)} == {("solver=bsgd", "solver.budget=50,800")}
    monkeypatch.setattr("svmbench.papers.artifact.load", lambda name: found.artifact)
    assert main(["advise", "dataset=banana", "--results", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "  svmbench run -m dataset=banana solver=bsgd solver.budget=50,800\n" in out
    assert "extrapolated" not in out


def test_every_command_that_is_printed_can_be_planned(tmp_path, capsys, monkeypatch, found):
    monkeypatch.setattr("svmbench.papers.artifact.load", lambda name: found.artifact)
    assert main(["advise", "dataset=banana", "--results", str(tmp_path)]) == 0
    printed = [shlex.split(line) for line in capsys.readouterr().out.splitlines() if "svmbench run" in line]
    assert len(printed) == 4
    for words in printed:
        assert words[:2] == ["svmbench", "run"]
        assert main(["plan", *(word for word in words[2:] if word != "-m")]) == 0


def test_data_beyond_the_comparison_are_said_to_be(tmp_path, capsys, monkeypatch, found):
    monkeypatch.setattr("svmbench.papers.artifact.load", lambda name: found.artifact)
    assert outside(found, 100, 2) is outside(found, 409_600, 38) is None
    assert outside(found, 99, 2) == "100 to 409,600 examples and 2 to 38 columns" == outside(found, 100, 39)
    words = ["advise", "dataset=banana", "dataset.n_train=50", "--results", str(tmp_path)]
    assert main(words) == 0
    told = "beyond the data sets of the comparison, which have 100 to 409,600 examples and 2 to 38 columns"
    out = capsys.readouterr().out
    assert told in out
    assert "expected at its end: less than 0.01 s (up to 0.005, 80 % interval from 7 data sets)" in out
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["extrapolated"] is True


def test_without_the_comparison_there_is_no_advice(tmp_path):
    made = artifact(list(ERRORS), kind="front", panels=PANELS, counters=["cpu_seconds"])
    with pytest.raises(UserError, match="of which 0 data sets are stored: make it by svmbench field"):
        advise(material(made, tmp_path), 100, 2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["dataset=nosuch"], "unknown dataset 'nosuch'"),
        (["dataset=file"], "dataset.path"),
        (["dataset=file", "dataset.path=/nosuch"], "/nosuch"),
        (["dataset=banana"], "advice rests on the comparison of the field, of which 0 data sets are stored"),
        (["mine.svm"], "mine.svm is not allowed: describe the data, as by dataset=file dataset.path=PATH"),
        (["dataset=banana", "solver=sbp"], "solver=sbp is not allowed: describe the data"),
        (["dataset=banana", "kernel=linear"], "kernel.gamma, problem.C and problem.lam can be given"),
        ([], "KEY=VALUE"),
    ],
)
def test_wrong_use_is_one_sentence(words, message, tmp_path, capsys):
    assert main(["advise", *words, "--results", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert message in err and err.count("\n") == 1 and not out


def test_advice_for_a_file_of_ones_own_in_both_forms(tmp_path, capsys, monkeypatch, found):
    path = tmp_path / "own.csv"
    path.write_text("".join(f"{k},{k * k % 7},{(-1) ** k}\n" for k in range(40)))
    monkeypatch.setattr("svmbench.papers.artifact.load", lambda name: found.artifact)
    words = ["advise", "dataset=file", f"dataset.path={path}", "--results", str(tmp_path)]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert out.startswith("own: 32 training examples, 2 columns\n")
    tuned = f"svmbench tune dataset=file dataset.path={path}"
    assert f"the commands need kernel.gamma=... and problem.C=..., which {tuned} chooses\n" in out
    command = f"svmbench run dataset=file dataset.path={path} solver=decomposition"
    assert f"the optimum: Decomposition\n  {command}\n" in out
    assert "expected at its end: " in out and "80 % interval from 7 data sets" in out
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["columns"] == 2
    assert document["advice"][0]["method"] == "Decomposition"
