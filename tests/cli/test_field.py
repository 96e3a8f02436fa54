"""`svmbench field`: the comparison, a solver entered, and wrong use."""

import json
import lzma
import math
from pathlib import Path

import pytest

from svmbench.cli.main import main
from svmbench.papers import entered_solver, making
from svmbench.store import timing
from tests.told import answer, output

REFERENCE = Path(__file__).parents[2] / "results" / "reference"

WRONG = [
    (["nosuch"], "svmbench: unknown solver 'nosuch'"),
    (["perceptron", "solver.nosuch=1"], "nosuch"),
    (["perceptron", "x"], "x is not allowed: give each key once, as KEY=VALUE or KEY=VALUE,VALUE"),
    (["--sets", "adlut"], "--sets: unknown 'adlut'; did you mean 'adult'? (known: banana, "),
    (["perceptron", "--seeds", "0"], "--seeds 0 is not allowed: give at least 1"),
    (["--seeds", "5"], "--seeds is for an entered solver: name it, or leave --seeds out"),
    (["--draw"], "none of the "),
    (["sbp", "--draw"], "no run of sbp is stored: make them by the same command without --draw"),
    (["dcd"], "dcd cannot use kernel=gaussian: it needs kernel=linear; give that, features=nystrom, or"),
    (["sbp", "--sets", "banana"], "sbp cannot be compared: no run of another method is stored here; give"),
    (["sbp", "kernel.gamma=1"], "problem and budget are those of the comparison"),
    (["sbp", "--summary", "x"], "--summary is for the whole comparison"),
]


@pytest.mark.parametrize(("words", "message"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_wrong_use_is_one_sentence(words, message, tmp_path, capsys):
    out, err = answer(capsys, ["field", *words, "--results", str(tmp_path)], 2)
    assert message in err and err.count("\n") == 1 and not out
    assert not any(tmp_path.rglob("run.json"))


@pytest.mark.parametrize("code", [1, 130])
def test_an_entry_without_a_run_ends_with_the_code_of_its_runs(code, tmp_path, capsys, monkeypatch):
    # Interrupted while it waits for a quiet machine, or the solver raises: that was said already.
    monkeypatch.setattr(making, "make", lambda *given: code)
    monkeypatch.setattr(entered_solver, "without_others", lambda *given: [])
    assert main(["field", "sbp", "--sets", "banana", "--results", str(tmp_path)]) == code
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
def test_a_solver_is_entered_by_one_command(tmp_path, capfd, monkeypatch, one_format):
    # However busy this machine is: no wait for a quiet one, and no repetition of disturbed runs.
    monkeypatch.setattr(making, "QUIET", 0.1)
    monkeypatch.setattr(timing, "OTHERS", math.inf)
    monkeypatch.setattr(timing, "STOLEN", math.inf)
    # Among the stored runs of the others on this data set; without them it has nothing to be compared with.
    (tmp_path / "reference" / "packs").mkdir(parents=True)
    for name in ("environments", "optima"):
        (tmp_path / "reference" / name).symlink_to(REFERENCE / name)
    with lzma.open(REFERENCE / "packs" / "field.jsonl.xz", "rt") as every:
        others = [one for one in every if json.loads(one)["run"]["config"]["dataset"]["name"] == "banana"]
    pack = lzma.compress("".join(others).encode(), preset=0)
    (tmp_path / "reference" / "packs" / "field.jsonl.xz").write_bytes(pack)
    words = ["pegasos", "solver.average=true", "--sets", "banana", "--seeds", "1", "--results", str(tmp_path)]
    out = output(capfd, ["field", *words])
    assert "newcomer banana seed 0: done" in out
    assert (tmp_path / "figures" / "field-pegasos" / "field-pegasos-kev_ondemand.png").is_file()
    table = (tmp_path / "tables" / "field-pegasos.md").read_text()
    assert "| pegasos (entered) " in table
    # A second call finds all runs and makes none; the picture would be the same.
    monkeypatch.setattr("svmbench.papers.drawing.draw", lambda *given: [])
    assert "svmbench run" not in output(capfd, ["field", *words])
