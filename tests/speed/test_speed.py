"""Limits and rates: positive, stored with their machine, printed as a table or JSON."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from svmbench.kernels.functions.registry import kernel_of
from svmbench.kernels.layouts.choice import choose
from svmbench.simd import isa
from svmbench.speed import _limits, machine, record, rows
from svmbench.speed.timing import LEAST_SECONDS, Timings, repeat
from tests.told import output, refusal


@pytest.fixture(scope="module")
def limits() -> machine.Limits:
    return machine.measure(budget=0.0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still but for what is added to it."""
    now = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    return now


def test_every_value_is_kept_after_one_call_that_warms_up(clock):
    spent = iter([8.0, 3.0, 1.0, 2.0])

    def work() -> None:
        clock[0] += next(spent)

    timings = repeat(work, budget=0.0, least=3)
    assert (timings.warm_up, timings.values, timings.calls) == ((8.0,), (3.0, 1.0, 2.0), 1)
    assert (timings.median, timings.least) == (2.0, 1.0)


def test_short_calls_are_timed_together(clock):
    def work() -> None:
        clock[0] += LEAST_SECONDS / 5

    timings = repeat(work, budget=LEAST_SECONDS * 20)
    assert timings.calls == 8 and len(timings.warm_up) == 4  # of 1, 1, 2 and 4 calls
    assert timings.values == pytest.approx([LEAST_SECONDS / 5] * len(timings.values))
    assert timings.spread == pytest.approx(0.0, abs=1e-9)


def test_the_spread_is_half_the_middle_range_over_the_median():
    timings = Timings((1.0, 2.0, 3.0, 4.0, 5.0), 1, (), "wall", "", 0.0)
    assert timings.spread == pytest.approx((4.5 - 1.5) / 2 / 3.0)


def test_every_limit_is_measured(limits):
    assert limits.isa == isa()
    assert {f"read {size}" for size in machine.SIZES} < set(limits.timings)
    assert all(rate > 0 for _, rate, _ in limits.lines())
    again = json.loads(json.dumps(asdict(limits), allow_nan=False))
    assert record.revived(machine.Limits, again) == limits


def test_memory_is_read_to_its_end():
    words = _limits.aligned(1 << 12)
    assert words.ctypes.data % 64 == 0
    assert _limits.read(words, isa()) == words.nbytes == 1 << 12
    assert _limits.read(words, isa(), 3) == 3 << 12


def test_reading_is_interpolated_between_sizes(limits):
    first, second, *_, large = machine.SIZES
    low, high = limits.rate(f"read {first}"), limits.rate(f"read {second}")
    assert limits.read_rate(1) == low
    assert limits.read_rate(10 * large) == limits.rate(f"read {large}")
    assert limits.read_rate(np.sqrt(first * second)) == pytest.approx((low + high) / 2)


@pytest.mark.parametrize("layout", ["bits", "bytes", "mixed", "dense", "sparse"])
def test_generated_examples_are_those_of_the_layout(layout):
    X = rows.generated(layout)
    assert choose(X, kernel_of({"name": "gaussian", "gamma": 0.1}))[0] == layout
    assert X.dtype == np.float32


@pytest.fixture
def small_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is at hand, and what is generated is small."""
    monkeypatch.delenv("SVMBENCH_MIRROR", raising=False)
    monkeypatch.setattr(rows, "generated", _small)
    monkeypatch.setattr(rows.catalogue, "list_sets", list)


def _small(layout: str):
    rng = np.random.default_rng(1)
    if layout == "sparse":
        return scipy.sparse.random_array((300, 500), density=0.05, format="csr", dtype=np.float32, rng=rng)
    if layout == "mixed":
        return np.hstack([rng.random((300, 3)), np.eye(6)[rng.integers(0, 6, 300)]]).astype(np.float32)
    if layout == "dense":
        return rng.random((300, 7), dtype=np.float32)
    return (rng.random((300, 40)) < 0.2).astype(np.float32)


@pytest.mark.usefixtures("small_sets")
def test_rows_of_every_layout_at_every_block_size(limits):
    said: list[str] = []
    rates = rows.measure(limits, said.append, budget=0.0, cores=1)
    assert {rate.layout for rate in rates} == {"bits", "bytes", "mixed", "dense", "sparse"}
    assert len(rates) == len(rows.CASES) * len(rows.BLOCKS)
    assert all(rate.values_per_second > 0 and rate.fraction > 0 and rate.threads == 1 for rate in rates)
    assert all(rate.data.startswith("like ") for rate in rates)
    assert len(said) == len(rows.CASES)
    with_blas = {(rate.layout, rate.block) for rate in rates if rate.sgemm}
    assert with_blas == {("dense", block) for block in rows.BLOCKS if block > 1}


@pytest.mark.usefixtures("small_sets")
def test_the_largest_block_is_shared_by_threads(limits):
    rates = rows.measure(limits, lambda _: None, budget=0.0, cores=3)
    for k, (_, layout, *_) in enumerate(rows.CASES):
        one, *more = rates[5 * k + 2 : 5 * k + 5]
        assert one.layout == layout
        assert [(rate.layout, rate.block, rate.threads) for rate in more] == [(layout, 64, n) for n in (2, 3)]
        assert all(rate.one_thread == one.values_per_second and rate.fraction is None for rate in more)
        assert all(len(rate.line()) == len(rows.HEADER) for rate in (one, *more))


def test_threads_double_up_to_the_cores():
    assert [rows.thread_counts(cores) for cores in (1, 2, 6, 8)] == [[], [2], [2, 4, 6], [2, 4, 8]]


@pytest.mark.usefixtures("small_sets")
def test_the_command_prints_and_stores(tmp_path, monkeypatch, capsys, limits):
    monkeypatch.setattr(machine, "measure", lambda: limits)
    monkeypatch.setattr(rows.measure, "__defaults__", (0.0, 1.0, 2))
    results = str(tmp_path / "results")
    assert "exp of float32" in output(capsys, ["speed", "machine", "--results", results])
    printed = json.loads(output(capsys, ["speed", "rows", "--json", "--results", results]))
    assert len(printed["rows"]) == len(rows.CASES) * (len(rows.BLOCKS) + 1)
    stored = sorted(Path(results, "speed").iterdir())
    assert len(stored) == 2
    document = json.loads(next(path for path in stored if "-rows-" in path.name).read_text())
    assert document["measured"] == printed
    assert document["environment"]["isa"] == isa()


def test_stored_measurements_are_printed_again(tmp_path, monkeypatch, capsys, limits):
    monkeypatch.setattr(machine, "measure", lambda: limits)
    results = ["--results", str(tmp_path / "results")]
    *table, last = output(capsys, ["speed", "machine", *results]).splitlines()
    for files in ([], [last.rsplit(" ", 1)[1]]):
        shown = output(capsys, ["speed", "show", *results, *files]).rstrip("\n")
        heading, _, *again = shown.splitlines()
        assert again == table
        assert heading.startswith("machine, 20") and isa() in heading


def test_measurements_of_medians_alone_are_still_printed(capsys):
    folder = Path(__file__).parent.parent.parent / "results" / "reference"
    printed = output(capsys, ["speed", "show", "--results", str(folder)])
    # Version 0.1 before 22 November 2026 called this instruction set v4i, and stored medians.
    assert printed.count(" UTC: AMD EPYC, v4i, load ") == 11
    assert printed.count(" UTC: ") == len(list((folder / "speed").iterdir()))
    assert "| job " in printed and "| sbp " in printed and "| read 16 KiB" in printed


def test_what_cannot_be_measured_is_refused_in_one_sentence(capsys):
    assert "invalid choice: 'row'" in refusal(capsys, ["speed", "row"])
