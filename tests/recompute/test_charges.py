"""Counts that docs/counting.md does not allow, and those of honest runs, which it does."""

import pytest

from svmbench.cli.main import main
from svmbench.recompute.charges import charged
from svmbench.store import Store

from .test_consistency import SMALL

BIASED = ("smo_pair", "platt")
KERNEL = ("smo", "sbp", "pegasos", "sdca", "sgd_ball", "perceptron", "svm_light", "gpdt", "chunking", "lasvm")
LINEAR = ("asset", "snacks")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the run of a solver; each is made once."""
    folder, found = tmp_path_factory.mktemp("made"), {}

    def of(solver):
        if solver not in found:
            more = ["kernel=linear"] * (solver in LINEAR) + ["problem.bias=unregularised"] * (
                solver in BIASED
            )
            more += ["solver.q=20"] * (solver == "gpdt")  # all examples at once would be one checkpoint
            words = [f"solver={solver}", *more, *SMALL, "budget.kev=40000", f"results={folder}"]
            assert main(["run", *words]) == 0
            found[solver] = Store(folder).find(solver)
        return found[solver]

    return of


@pytest.mark.parametrize("solver", [*KERNEL, *BIASED, *LINEAR, "cvm", "bvm", "bsca", "bsgd", "projectron"])
def test_honest_counts_are_allowed(made, solver):
    run = made(solver)
    assert len(run.rows()) > 1 and list(charged(run.manifest, run.rows())) == []


@pytest.mark.parametrize(
    ("solver", "change", "sentence"),
    [
        ("pegasos", lambda row: {"kev_rowupdate": row["kev_rowupdate"] // 2 + 1}, "no multiple of n"),
        ("lasvm", lambda row: {"kev_rowupdate": 0}, "support vectors makes more"),
        ("bsgd", lambda row: {"kev_iter": row["kev_iter"] // 2}, "n each makes"),
        ("smo", lambda row: {"kev_iter": row["kev_iter"] + 1}, "n each makes"),
        ("asset", lambda row: {"inner_products": row["inner_products"] // 4}, "inner_products grow by"),
        ("pegasos", lambda row: {"support_vectors": min(row["support_vectors"], 5)}, "kev_ondemand grows by"),
    ],
)
def test_forged_counts_are_not(made, solver, change, sentence):
    run = made(solver)
    rows = [{**row, **change(row)} for row in run.rows()]
    if "support_vectors" in change(rows[-1]):
        rows[-1] = run.rows()[-1]
    assert any(sentence in said for said in charged(run.manifest, rows))


def test_a_coefficient_does_not_appear_without_a_charge(made):
    run = made("smo")
    rows = run.rows()
    rows[-1] = {**rows[-1], "kev_rowupdate": rows[-2]["kev_rowupdate"]}
    rows[-2] = {**rows[-2], "support_vectors": 0}
    assert any("kev_rowupdate is charged for fewer" in said for said in charged(run.manifest, rows))
