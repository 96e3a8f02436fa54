"""Paces of the kernel solvers and costs against size: what is measured adds up, whatever the clock says."""

import json
from types import SimpleNamespace

import pytest

from svmbench import config
from svmbench.cli.main import main
from svmbench.errors import UserError
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers import registry
from svmbench.speed import machine, scaling, solvers
from tests.told import output, refusal


@pytest.fixture(scope="module")
def limits() -> machine.Limits:
    return machine.measure(budget=0.0)


def test_every_kernel_solver_is_timed_with_every_bias(limits):
    X, y = scaling.twonorm(300)
    resolved = config.resolve(["dataset=twonorm"])
    said: list[str] = []
    paces = solvers.measure(resolved, X, y, limits, said.append, seconds=0.01)
    kernel = [registry.get(name) for name in registry.names() if registry.get(name).access == "kernel"]
    assert [(pace.solver, pace.bias) for pace in paces] == [
        (solver.name, bias) for solver in kernel for bias in solver.biases
    ]
    assert len(said) == len(paces)
    for pace in paces:
        assert len(pace.line()) == len(solvers.HEADER)
        assert pace.iterations >= 1 and pace.iterations_per_second > 0.0
        assert pace.fraction == pytest.approx(pace.values_per_second / pace.limit)


def test_with_a_cache_the_same_iterations_are_timed_with_their_rows_cached(limits, monkeypatch):
    X, y = scaling.twonorm(300)
    monkeypatch.setattr(registry, "names", lambda: ["pegasos", "sbp", "smo_pair"])
    paces = solvers.measure(config.resolve(["dataset=twonorm"]), X, y, limits, str, 1 << 20, seconds=0.01)
    names = [("pegasos", "none"), ("sbp", "none"), ("sbp", "unregularised"), ("smo_pair", "unregularised")]
    assert [(pace.solver, pace.bias, pace.rows) for pace in paces] == [
        (*name, rows) for name in names for rows in ("made", "cached")
    ]
    for made, at_hand in zip(paces[::2], paces[1::2], strict=True):
        assert made.values_per_second > 0.0 == at_hand.values_per_second
        assert at_hand.iterations >= 1
        # The same iterations every time, as many as before the clock ran.
        assert {iterations for iterations, _ in at_hand.pieces} == {at_hand.warm_up[0][0]}


def test_a_layout_that_keeps_no_rows_has_none_at_hand(limits, monkeypatch):
    X, y = scaling.twonorm(300)
    monkeypatch.setattr(registry, "names", lambda: ["sbp"])
    bits = (X > 0.0).astype("float32")
    paces = solvers.measure(config.resolve(["dataset=twonorm"]), bits, y, limits, str, 1 << 20, seconds=0.01)
    assert [pace.rows for pace in paces] == ["made", "made"]


def test_values_are_those_that_were_computed(monkeypatch):
    X, y = scaling.twonorm(50)
    oracle = Oracle(X, scaling.KERNEL)
    monkeypatch.setattr(
        solvers, "timed", lambda run, seconds: run.advance("iterations", 110) or ((60, 3.0), (40, 1.0))
    )
    pace = solvers._pace(registry.get("sbp"), Problem.build(y, C=1.0, nu=0.1), oracle, 100.0, 1.0)
    assert pace.iterations == 100 and pace.iterations_per_second == 25.0
    assert [iterations for iterations, _ in pace.warm_up] == [solvers.WARM_UP]
    # one row each; the same one twice in a row is still there
    assert 0.0 < pace.values_per_second * 4.0 <= 100 * 50
    assert pace.fraction == pace.values_per_second / 100.0


@pytest.mark.parametrize("end", [{"converged": True}, {"stalled": True}], ids=str)
def test_a_solver_at_its_end_ends_the_timing(end):
    run = SimpleNamespace(**{"converged": False, "stalled": False, **end})
    assert solvers.timed(run, 10.0) == ()


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (10_000, [10_000]),
        (1_000_000, [10_000, 100_000, 1_000_000]),
        (8_000, None),
        (30_000, [10_000, 30_000]),
    ],
)
def test_sizes_grow_tenfold_to_the_most(most, expected):
    if expected is None:
        with pytest.raises(UserError, match=r"--most 8000 is not allowed: give at least 10000 rows"):
            scaling.sizes(most)
    else:
        assert scaling.sizes(most) == expected


def test_costs_are_of_growing_sizes_then_threads(monkeypatch):
    monkeypatch.setattr(scaling, "LEAST", 100)
    costs = scaling.measure("sbp", 2000, lambda line: None, seconds=0.01, cores=2)
    assert [(cost.n, cost.threads) for cost in costs] == [(100, 1), (1000, 1), (2000, 1), (2000, 2)]
    assert costs[0].growth == pytest.approx(1.0)
    for cost in costs:
        assert cost.growth == pytest.approx(cost.seconds / cost.n / (costs[0].seconds / 100))
        assert cost.data == cost.n * 20 * 4 < cost.peak
        assert cost.timings.clock == ("cpu" if cost.threads == 1 else "wall") and cost.timings.warm_up
        assert cost.iterations >= 1 and len(cost.line()) == len(scaling.HEADER)


@pytest.mark.parametrize("name", [name for name in registry.names() if registry.get(name).access == "kernel"])
def test_every_kernel_solver_has_a_cost_against_size(name, monkeypatch):
    monkeypatch.setattr(scaling, "LEAST", 4000)
    (cost,) = scaling.measure(name, 4000, lambda line: None, seconds=0.001, cores=1)
    assert cost.n == 4000 and cost.iterations >= 1 and cost.growth == 1.0


def test_generated_examples_are_two_classes_apart():
    X, y = scaling.twonorm(20_000)
    assert X.dtype.name == "float32" and X.shape == (20_000, 20)
    assert (X * y[:, None]).mean() == pytest.approx(2.0 / 20**0.5, abs=0.01)
    assert X.var() == pytest.approx(1.0 + 4.0 / 20, abs=0.02)
    assert set(scaling.twonorm(2)[1]) == {-1.0, 1.0}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["scaling", "--solver", "dcd"], "--solver dcd makes no kernel rows: give one of "),
        (["scaling", "--solver", "sbq"], "solver 'sbq' is unknown"),
        (["scaling", "--most", "10"], "--most 10 is not allowed: give at least 10000 rows"),
        (["scaling", "--most", "x"], "argument --most: invalid int value: 'x'"),
        (["solvers", "--dataset", "adlut"], "adlut"),
        (["solvers", "--cache", "-1"], "--cache -1 is not allowed: give the MiB of rows to keep, or 0"),
        (["machine", "--most", "10"], "unrecognized arguments: --most 10"),
        ([], "the following arguments are required: ACTION"),
    ],
)
def test_one_wrong_option_gives_one_sentence(arguments, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert sentence in refusal(capsys, ["speed", *arguments])
    assert list(tmp_path.iterdir()) == []


def test_the_commands_print_and_store(tmp_path, monkeypatch, capsys, limits):
    monkeypatch.setattr(machine, "measure", lambda: limits)
    monkeypatch.setattr(scaling, "LEAST", 100)
    monkeypatch.setattr(scaling.measure, "__defaults__", (0.01, 1))
    monkeypatch.setattr(solvers.measure, "__defaults__", (0, 0.01))
    results = str(tmp_path / "results")
    assert "| ns/row |" in output(capsys, ["speed", "scaling", "--most", "200", "--results", results])
    assert main(["speed", "solvers", "--dataset", "checkerboard", "--json", "--results", results]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert {line["solver"] for line in printed["solvers"]} >= {"sbp", "smo"}
    stored = sorted(path.name.split("-")[1] for path in (tmp_path / "results" / "speed").iterdir())
    assert stored == ["scaling", "solvers"]


@pytest.mark.parametrize("each", [1e-5, 3e-3, 0.7])
def test_few_pieces_are_short(each, monkeypatch):
    """A clock that is looked at after every iteration would be a part of what it measures."""

    class Steady:
        converged = stalled = False
        iterations = 0

        def advance(self, counter, goal, most):
            self.iterations += most

    run = Steady()
    monkeypatch.setattr(solvers.time, "process_time", lambda: each * run.iterations)
    pieces = solvers.timed(run, 2.0)
    assert sum(iterations for iterations, _ in pieces) == run.iterations
    assert 2.0 <= each * run.iterations <= 2.0 + 2.0 * each
    assert len(pieces) <= 40 and sum(iterations == 1 for iterations, _ in pieces) <= 6
