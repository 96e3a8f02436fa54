"""``svmbench check``: the installed solvers against their slow specifications and independent optima."""

from __future__ import annotations

import io
import json
import os
import sys
from collections import defaultdict
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from svmbench.cli._parser import Parser
from svmbench.errors import UserError, nearest

#: Files of the conformance tests that are run for all solvers, and what each shows.
_QUICK = {
    "test_counts.py": "counts",
    "test_linear_optimum.py": "optimum",
    "test_optimum.py": "optimum",
}
#: Those that are run for solvers by name as well.
_MORE = ("test_continued.py", "test_runs.py", "test_kernels.py")
#: Beginnings of the names of their tests, in one storage layout and with one size of the row cache.
_TESTS = ("test_counts_and_iterates_equal", "test_products_and_iterates_equal")
#: Words of the variants of these that are left out: they repeat others with more rows, layouts or iterations.
_REPEATED = ("-csr", "all rows", "1000-", "-1000")


def main(arguments: Sequence[str]) -> int:
    """Run the tests and print how many of each solver pass."""
    parser = Parser(
        "check",
        "Check the installed solvers: that counts of kernel evaluations and iterates equal those of a second "
        "and slow implementation of each method, and that objectives reach an optimum found in another way. "
        "With names, such as that of your own solver, all conformance tests of these are run. Needs pytest "
        "and scikit-learn.",
    )
    parser.add_argument("solvers", nargs="*", metavar="SOLVER", help="solvers; all of svmbench by default")
    parser.add_json()
    given = parser.parse_args(arguments)

    from svmbench.config.overrides import hint_of
    from svmbench.solvers import registry

    for name in given.solvers:
        if name not in registry.names():
            known = registry.names()
            hint = hint_of("solver", name) or nearest(name, known)
            raise UserError(f"unknown solver '{name}'{hint}; see: svmbench solvers")
    try:
        import pytest
        import sklearn  # noqa: F401
    except ImportError as error:
        raise UserError(f"svmbench check needs {error.name}: pip install pytest scikit-learn") from error
    home = _home()
    folder = home / "tests" / "conformance"
    files = [str(folder / name) for name in (*_QUICK, *(_MORE if given.solvers else ()))]
    sys.path.insert(0, str(home))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    tally = _Tally(tuple(given.solvers))
    words = ["--noconftest", "-c", os.devnull, "--rootdir", str(home), "-p", "no:cacheprovider", "-q"]
    with redirect_stdout(io.StringIO()) as said:
        code = pytest.main([*words, "--disable-warnings", "--import-mode=importlib", *files], plugins=[tally])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) or not (tally.passed or tally.failed):
        print(said.getvalue(), file=sys.stderr)
        return 1
    tally.tell(given.json)
    return int(bool(tally.failed))


def _home() -> Path:
    """Return the folder that holds the tests: within an installed package, beside one in its repository."""
    package = Path(__file__).parent.parent
    found = [home for home in (package / "suite", package.parent) if (home / "tests/conformance").is_dir()]
    if not found:
        raise UserError("the conformance tests are not installed: install svmbench from its wheel")
    return found[0]


class _Tally:
    """A plug-in of pytest that chooses tests, and counts which of each solver pass."""

    def __init__(self, solvers: tuple[str, ...]) -> None:
        self._solvers = solvers
        self.passed: dict[tuple[str, str], int] = defaultdict(int)
        self.failed: dict[tuple[str, str], list[Any]] = defaultdict(list)

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        """Keep the tests of the solvers asked for, or the quick ones of all."""
        kept = [item for item in items if self._asked(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept

    def _asked(self, item: Any) -> bool:
        name = _solver_of(item)
        if self._solvers or not name:
            return name in self._solvers and "interruptible" not in item.fixturenames  # of a conftest.py
        if _QUICK[item.path.name] == "optimum":
            return not item.get_closest_marker("slow")
        return item.name.startswith(_TESTS) and not any(word in item.name for word in _REPEATED)

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Remember what each test belongs to."""
        item.user_properties = [("solver", _solver_of(item)), ("kind", _QUICK.get(item.path.name, "others"))]

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count a test that has passed or failed."""
        about = dict(report.user_properties)
        key = str(about.get("solver")), str(about.get("kind"))
        if report.failed:
            self.failed[key].append(report)
        elif report.passed and report.when == "call":
            self.passed[key] += 1

    def tell(self, as_json: bool) -> None:
        """Print a line for each solver, and the first case of each test that fails; as JSON, all in full."""
        from svmbench.figures.tables import table

        kinds = [
            kind
            for kind in ("counts", "optimum", "others")
            if any(k == kind for _, k in (*self.passed, *self.failed))
        ]
        names = sorted({name for name, _ in (*self.passed, *self.failed)})
        rows = []
        for name in names:
            counted = [(self.passed.get((name, k), 0), len(self.failed.get((name, k), ()))) for k in kinds]
            rows.append((name, *(f"{good} of {good + bad}" if good + bad else None for good, bad in counted)))
        failures = [report for reports in self.failed.values() for report in reports]
        if as_json:
            failed = [f"{report.nodeid}\n{report.longreprtext}" for report in failures]
            solvers = [dict(zip(("solver", *kinds), row)) for row in rows]
            print(json.dumps({"solvers": solvers, "failed": failed}, indent=2))
            return
        print(table(("solver", *kinds), rows))
        for cases in _by_test(failures).values():
            print(f"\n{_told(cases)}")
        total = sum(self.passed.values())
        shown = (
            "; all failures in full: --json"
            if failures
            else ": counts and iterates equal those of slow second implementations, "
            "objectives reach known optima"
        )
        print(f"\n{total} of {total + len(failures)} tests pass{shown}")


def _solver_of(item: Any) -> str:
    """Return the solver that a test is about, or nothing."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return str(parameters.get("name") or "")


def _by_test(failures: Sequence[Any]) -> dict[str, list[Any]]:
    """Return failures by solver and test, without the case."""
    found = defaultdict(list)
    for report in failures:
        found[f"{dict(report.user_properties)['solver']} {report.nodeid.partition('[')[0]}"].append(report)
    return found


def _told(cases: Sequence[Any]) -> str:
    """Return the name of a test, which is a sentence, and the message of the first of its failed cases."""
    test, _, case = cases[0].nodeid.rpartition("::")[2].partition("[")
    crash = getattr(cases[0].longrepr, "reprcrash", None)
    said = cases[0].longreprtext if crash is None else f"{crash.message}\n{crash.path}:{crash.lineno}"
    lines = [line for line in said.removeprefix("AssertionError: ").splitlines() if line.strip()]
    count = f"{len(cases)} cases, the first one" if len(cases) > 1 else "one case,"
    claim = test.removeprefix("test_").replace("_", " ")
    return "\n  ".join([f"not so: {claim}: {count} {case.rstrip(']')}", *lines])
