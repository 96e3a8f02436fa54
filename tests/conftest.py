"""Shared by all tests: which data they may use, and that Ctrl-C reaches them."""

import contextlib
import fcntl
import gc
import importlib.util
import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# There is a process of tests for each core: threads of linear algebra in each would wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Processes that make runs drop these, which change last digits.
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(name, None)

# Drawn examples are the same everywhere, and a busy machine fails none;
# `--hypothesis-profile=search` looks for new ones.
settings.register_profile("svmbench", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile("svmbench")


def pytest_configure() -> None:
    """Let signals reach the tests and what they start, also under ``nohup`` or in the background."""
    if importlib.util.find_spec("svmbench.rng") is None:
        pytest.exit(
            f"svmbench is not compiled for {sys.executable}: run `make env`, then use .venv/bin/python",
            2,
        )
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for garbage neither while thousands of tests are collected nor later among them: all stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests on real data where there is no mirror."""
    if item.get_closest_marker("real_data") is not None and not os.environ.get("SVMBENCH_MIRROR"):
        pytest.skip("set SVMBENCH_MIRROR to a folder that holds the data sets")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where SVMBENCH_REQUIRE_REAL_DATA is set, count a test on real data that is skipped as failed."""
    report = yield
    real = item.get_closest_marker("real_data") is not None
    if report.skipped and real and os.environ.get("SVMBENCH_REQUIRE_REAL_DATA"):
        report.outcome = "failed"
        report.longrepr = f"SVMBENCH_REQUIRE_REAL_DATA forbids to skip this test: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder of the committed runs, unpacked and indexed once for all processes; read it only."""
    from svmbench.store import Store

    root = tmp_path_factory.getbasetemp()
    root = (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "committed"
    root.mkdir(exist_ok=True)
    with (root / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / "index.sqlite").exists():
            with contextlib.suppress(FileExistsError):
                (root / "reference").symlink_to(Path(__file__).parents[1] / "results" / "reference")
            assert Store(root).runs()
    return root


@pytest.fixture(autouse=True)
def undrawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `svmbench run` in this process draw nothing, which takes ten times as long as a small run."""
    if request.node.get_closest_marker("pictures") is None:
        monkeypatch.setattr("svmbench.cli.run._pictures", lambda *given: [])


@pytest.fixture
def one_format(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw pictures in a single format; tests/figures draws all."""
    monkeypatch.setattr("svmbench.figures.style.FORMATS", ("png",))


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C raises, also where the tests run in the background of a shell that has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
