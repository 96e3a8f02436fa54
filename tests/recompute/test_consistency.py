"""What a mistaken or changed run shows: checkpoints that contradict each other, or the model."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from svmbench.cli.main import main
from svmbench.cli.verify import load
from svmbench.figures.series import optimum_of
from svmbench.files import digest, sha256
from svmbench.recompute import compare, numbers
from svmbench.recompute.consistency import contradictions
from svmbench.recompute.numbers import BOUNDED
from svmbench.store import Store, bits, documents, shared, trace
from svmbench.store.identity import run_id
from svmbench.store.joint_model import load_model
from tests.told import output, refusal

SMALL = (
    *("dataset=twonorm", "dataset.n_train=60", "dataset.n_test=30", "budget=debug", "problem.C=1"),
    *("observe.points=10", "budget.kev=null"),
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """One run with its own dual point, and one measured against a stored optimum."""
    folder = tmp_path_factory.mktemp("forged")
    for solver in ("smo", "sbp"):
        assert main(["run", f"solver={solver}", "budget.iterations=200", *SMALL, f"results={folder}"]) == 0
    return folder


def seal(path):
    """Make the checksums of a run right."""
    end = json.loads((path / "status.json").read_text())
    schema = end.pop("schema")
    end.pop("check")
    end["files"] = {name: sha256(path / name) for name in end["files"]}
    (path / "status.json").write_text(json.dumps({"schema": schema, **end, "check": digest(end)}))


def edit(path, change):
    """Change run.json of a run, with right checksums."""
    about = json.loads((path / "run.json").read_text())
    change(about)
    (path / "run.json").write_text(json.dumps(about))
    seal(path)
    return path


def edit_config(path, group, **change):
    """Change the configuration of a run wherever it is held; return its new place."""

    def change_all(about):
        for config in (about["config"], about["identity"]["config"]):
            config[group].update(change)
        about["id"] = run_id(about["identity"])

    edit(path, change_all)
    return path.rename(path.with_name(json.loads((path / "run.json").read_text())["id"]))


def said(run, *, manifest=None, rows=None, optimum=...):
    best = optimum_of(run) if optimum is ... else optimum
    return contradictions(manifest or run.manifest, rows or run.rows(), best)


@pytest.fixture
def smo(results):
    return Store(results).find("smo")


@pytest.fixture
def sbp(results):
    return Store(results).find("sbp")


def test_honest_runs_contradict_themselves_nowhere(smo, sbp):
    for run in (smo, sbp):
        assert said(run) == []


@pytest.mark.parametrize(
    "change",
    [
        {"kev_iter": 1},
        {"kev_ondemand": 0},
        {"wall_seconds": 0.0},
        {"iterations": 1},
    ],
)
def test_an_edited_checkpoint_contradicts_the_others(smo, change):
    rows = smo.rows()
    assert len(rows) > 3 and said(smo, rows=[*rows[:2], {**rows[2], **change}, *rows[3:]])


@pytest.mark.parametrize("group", ["kernel", "budget", "observe", "dataset", "problem", "solver"])
def test_config_and_identity_agree_in_every_group(sbp, group):
    config = {**sbp.document, group: {**sbp.document[group], "edited": 1}}
    assert any(group in sentence for sentence in said(sbp, manifest={**sbp.manifest, "config": config}))


def test_fits_from_scratch_have_a_clock_each(smo):
    unknown = dict.fromkeys(("kev_ondemand", "kev_rowupdate", "kev_iter", "kev_computed", "inner_products"))
    last = smo.rows()[-1]["wall_seconds"]
    falling = [{**row, "wall_seconds": last / number} for number, row in enumerate(smo.rows(), 1)]
    assert said(smo, rows=[{**row, **unknown} for row in falling]) == []
    assert "wall_seconds falls" in said(smo, rows=falling)[0]


def test_checkpoints_stand_in_order(smo):
    rows = smo.rows()
    assert said(smo, rows=[rows[1], rows[0], *rows[2:]])


def test_coefficients_above_c_are_refused_and_what_cannot_be_recomputed_is_listed(smo, capsys):
    recomputed = ["verify", "--recompute", "--results", str(smo.path.parents[1]), smo.id]
    told = output(capsys, recomputed)  # of all runs at once, not of each
    assert told.splitlines()[-2].startswith("not checked: errors") and told.count("not checked") == 1
    *_, last = json.loads(output(capsys, [*recomputed, "--json"]))
    assert last["state"] == "not checked" and last["run"] is None and last["reason"].startswith("errors")
    kept = {name: (smo.path / name).read_bytes() for name in ("model.npz", "status.json", "trace.csv")}
    model = load_model(smo.path / "model.npz")
    model.coefficients[abs(model.coefficients).argmax()] *= 1.0 + 1e-9
    model.save(smo.path / "model.npz")
    seal(smo.path)
    assert main(["verify", *recomputed[2:]]) == 0
    assert "leaves the box [0, C]" in output(capsys, recomputed, 1)
    for name, content in kept.items():
        (smo.path / name).write_bytes(content)


@pytest.fixture
def bounded(tmp_path, monkeypatch):
    """A run whose last gap is a bound that holds in spite of rounding."""
    monkeypatch.setattr("svmbench.certify.certificate._FREE_BOUNDED", 0)
    monkeypatch.setattr("svmbench.certify.certificate._SHARE", 10**12)
    words = ["run", "solver=decomposition", "dataset=twonorm", "dataset.n_train=3000", "problem.C=10"]
    assert main([*words, "problem.bias=unregularised", f"results={tmp_path}"]) == 0
    run = Store(tmp_path).find("decomposition")
    assert run.rows()[-1]["precision"] in BOUNDED
    return run


def test_a_bound_in_spite_of_rounding_is_recomputed(bounded, capsys):
    assert said(bounded) == []
    assert main(["verify", "--recompute", "--results", str(bounded.path.parents[1]), bounded.id]) == 0
    assert "recomputed; the largest difference" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("factors", "named"),
    [
        ({"duality_gap": 0.1, "relative_gap": 0.1}, ["duality_gap", "relative_gap"]),
        ({"dual_objective": 1.01}, ["dual_objective"]),
        ({"primal_objective": 0.99}, ["primal_objective"]),
        ({"mean_hinge": 1.01}, ["mean_hinge"]),
        ({"norm": 0.99}, ["norm"]),
        ({"norm": 1.01}, ["norm"]),
        ({"duality_gap": 1.1, "relative_gap": 1.1}, []),
    ],
)
def test_only_the_side_on_which_a_bound_claims_too_much_is_wrong(bounded, factors, named):
    data = load(bounded, {})
    made = numbers(bounded.model(), bounded.manifest["problem"], data)
    row = bounded.rows()[-1]
    made["duality_gap"] = made["relative_gap"] = row["relative_gap"] = row["duality_gap"] = 1e-3
    edited = {**row, **{name: row[name] * factor for name, factor in factors.items()}}
    wrong, *_ = compare(edited, made)
    assert [sentence.split()[0] for sentence in wrong] == named


def test_edited_test_examples_are_seen(smo, capsys):
    results, path = str(smo.path.parents[1]), smo.path / "status.json"
    kept = path.read_bytes()
    wrong = smo.mistaken_tests()
    right, mistaken = np.flatnonzero(~wrong), np.flatnonzero(wrong)
    other, more = wrong.copy(), wrong.copy()
    other[[right[0], mistaken[0]]] = True, False
    more[right[0]] = True
    for edited, sentence in (
        (bits.packed(other), "2 test examples are wrongly listed as mistakes, or missing"),
        (bits.packed(more), "1 test examples are wrongly listed as mistakes, or missing"),
        (bits.packed(np.ones(10**6, dtype=bool)), "wrong_tests: not 30 values"),
        ("AAAA", "wrong_tests: "),
        (5, "wrong_tests: "),
    ):
        path.write_text(json.dumps({**json.loads(kept), "wrong_tests": edited}))
        seal(smo.path)
        assert sentence in output(capsys, ["verify", "--recompute", "--results", results, smo.id], 1)
    path.write_bytes(kept)


def test_a_bound_is_that_of_a_stored_optimum_and_not_above_it(sbp):
    rows = sbp.rows()
    last = rows[-1]
    zero = {"dual_objective": last["primal_objective"], "duality_gap": 0.0, "relative_gap": 0.0}
    assert "above the objective" in said(sbp, rows=[*rows[:-1], {**last, **zero, "dual_source": "solver"}])[0]
    assert "which is not stored" in said(sbp, optimum=None)[0]


@pytest.mark.parametrize(
    "change",
    [{"lam": 1.0}, {"bias": "unregularised"}, {"kernel": {"name": "linear"}}, {"dataset": {"checksum": "0"}}],
)
def test_the_optimum_is_that_of_the_problem(sbp, change):
    best = optimum_of(sbp)
    (sentence,) = said(sbp, optimum={**best, "key": {**best["key"], **change}})
    assert sentence == f"optimum {sbp.manifest['optimum']} is that of another problem"


def _with_a_line_more(path):
    lines = (path / "trace.csv").read_text().splitlines(keepends=True)
    (path / "trace.csv").write_text("".join([*lines[:2], "1,2,3\n", *lines[2:]]))
    return path


def _with_a_word_for_gamma(path):
    model = load_model(path / "model.npz")
    replace(model, kernel={**model.kernel, "gamma": "wide"}).save(path / "model.npz")
    return edit_config(path, "kernel", gamma="wide")


def _with_a_list_of_values(path):
    return edit(path, lambda about: about.update(optimum_values=[1.0]))


@pytest.mark.parametrize(
    ("solver", "forge", "state"),
    [
        ("smo", _with_a_line_more, "damaged"),
        ("smo", _with_a_word_for_gamma, "differs"),
        ("sbp", _with_a_list_of_values, "damaged"),
    ],
)
def test_a_run_of_any_content_hides_no_other_from_verify(results, tmp_path, capsys, solver, forge, state):
    copy = shutil.copytree(results, tmp_path / "results")
    path = forge(Store(copy).find(solver).path)
    seal(path)
    told = output(capsys, ["verify", "--recompute", "--results", str(copy)], 1)
    assert f"{state:<12} {path.name}: " in told and f"1 {state}" in told and "1 ok" in told


def test_no_objective_lies_below_a_bound_of_another_checkpoint(smo, sbp):
    for run in (smo, sbp):
        rows = run.rows()
        bound = rows[-1]["dual_objective"]
        primal = 0.1 * bound
        low = {"primal_objective": primal, "norm": 0.0, "mean_hinge": primal, "train_error": 0.0}
        low |= {"dual_objective": bound, "duality_gap": primal - bound, "relative_gap": -9.0}
        own = {"dual_objective": 0.9 * primal, "duality_gap": 0.1 * primal, "relative_gap": 0.1}
        for change in (low, low | own) if run is smo else (low,):
            found = said(run, rows=[rows[0], {**rows[1], **change, "objective_error": None}, *rows[2:]])
            assert any(f"the objective is {primal!r} " in one and "below the bound" in one for one in found)


def test_rounds_do_not_fall(smo):
    rows = [{**row, "rounds": -number} for number, row in enumerate(smo.rows(), -100)]
    assert "rounds falls from 100 to 99" in said(smo, rows=rows)[0]


def _forged(results, folder, solver, changes, **end):
    """Copy a run; change its last checkpoint, its model and its end; return its results folder."""
    copy = shutil.copytree(results, folder / "results")
    run = Store(copy).find(solver)
    rows = run.rows()
    rows[-1] |= changes
    (run.path / "trace.csv").write_text(trace.header() + "".join(map(trace.line, rows)))
    told = json.loads((run.path / "status.json").read_text())
    (run.path / "status.json").write_text(json.dumps({**told, **end}))
    seal(run.path)
    return copy


def test_a_gap_that_was_changed_is_another_number(results, tmp_path, capsys):
    primal = Store(results).find("smo").rows()[-1]["primal_objective"]
    far = {"dual_objective": 0.5 * primal, "duality_gap": 0.5 * primal, "relative_gap": 0.5}
    copy = _forged(results, tmp_path, "smo", far, status="converged", reason="the stopping rule holds")
    assert main(["verify", "--recompute", "--results", str(copy), "smo"]) == 1
    assert "dual_objective is stored as" in capsys.readouterr().out


def test_a_dual_point_that_does_not_balance_bounds_nothing(tmp_path, capsys):
    words = ["solver=smo_pair", "problem.bias=unregularised", *SMALL, f"results={tmp_path}"]
    assert main(["run", *words]) == 0
    run = Store(tmp_path).find("smo_pair")
    model = run.model()
    model.coefficients[abs(model.coefficients).argmin()] *= 1.0 - 1e-5
    model.save(run.path / "model.npz")
    seal(run.path)
    assert main(["verify", "--recompute", "--results", str(tmp_path)]) == 1
    assert "the dual point is out of balance by " in capsys.readouterr().out


def test_a_bound_in_spite_of_rounding_is_that_of_a_dual_point(bounded, capsys):
    replace(bounded.model(), dual="none").save(bounded.path / "model.npz")
    seal(bounded.path)
    assert main(["verify", "--recompute", "--results", str(bounded.path.parents[1]), bounded.id]) == 1
    assert "the last gap is that of a dual point, the model has none" in capsys.readouterr().out


def test_an_optimum_that_lacks_a_number_is_made_again(results, tmp_path, capsys):
    copy = shutil.copytree(results, tmp_path / "results")
    (path,) = (copy / "optima").glob("*.json")
    record = shared.optimum(path)
    kept = record.pop("dual")
    documents.write(path, shared.sealed(record))
    words = ["plot", "sbp-*", "--y", "suboptimality", "--results", str(copy), "-o", str(tmp_path / "curves")]
    assert "no bound of the optimum is certified" in refusal(capsys, words)
    assert main(["run", "solver=sbp", "budget.iterations=50", *SMALL, f"results={copy}"]) == 0
    assert shared.optimum(path)["dual"] == kept and main(words) == 0


def test_no_clock_is_unknown_in_between(smo):
    rows = smo.rows()
    (sentence, *_) = said(smo, rows=[rows[0], {**rows[1], "wall_seconds": float("nan")}, *rows[2:]])
    assert sentence.startswith("wall_seconds falls from ")
