"""The example of docs/add-a-solver.md: a package of its own, found, run, and held against the suite."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "docs" / "examples" / "svmbench-greedy"
RIGHT, WRONG = "self.change(i, best[i])", "self.change(i, best[i]); self.change(i, best[i])"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    return installed_from(EXAMPLE, tmp_path / "installed")


def installed_from(package: Path, folder: Path) -> Path:
    """Install a package into a folder as its pyproject.toml says, without a build, and return the folder."""
    project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    module = project["name"].replace("-", "_")
    shutil.copytree(package / module, folder / module)
    about = folder / f"{module}-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    groups = [
        "\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())])
        for group, entries in project["entry-points"].items()
    ]
    (about / "entry_points.txt").write_text("\n".join(groups) + "\n")
    return folder


def python(installed: Path, *arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{installed}{os.pathsep}{ROOT}"}
    return subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=cwd, env=environment
    )


def conformance(installed: Path, part: str, name: str) -> subprocess.CompletedProcess[str]:
    options = ("-k", name, "-x", "-q", "-p", "no:cacheprovider")
    return python(installed, "pytest", f"tests/conformance/{part}", *options)


def test_it_is_listed_and_runs(installed, tmp_path):
    """By the commands of the page, on fewer examples."""
    page = (ROOT / "docs" / "add-a-solver.md").read_text()
    listing, running = (
        line.split()[1:]
        for line in re.findall(
            "^    (svmbench (?!check).* ?greedy .*|svmbench (?!check).*greedy)$", page, re.M
        )
    )
    listed = python(installed, "svmbench.cli.main", *listing, cwd=tmp_path)
    assert "greedy  Greedy" in listed.stdout, listed.stderr
    small = ("dataset.n_train=60", "dataset.n_test=40", f"results={tmp_path}", f"data.dir={tmp_path}")
    done = python(installed, "svmbench.cli.main", *running, *small, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "done, the solver's stopping rule holds" in done.stdout


def test_the_page_shows_its_files():
    """And the first solver of the page is short."""
    page = (ROOT / "docs" / "add-a-solver.md").read_text()
    solver, specification = re.findall("^```python\n(.*?)^```$", page, re.M | re.S)[:2]
    assert (EXAMPLE / "svmbench_greedy" / "solver.py").read_text().endswith(solver)
    assert (EXAMPLE / "svmbench_greedy" / "specification.py").read_text().endswith(specification)
    assert len(solver.splitlines()) <= 40


def test_it_passes_the_conformance_suite_and_a_wrong_count_is_found_by_the_command(
    installed, tmp_path, monkeypatch
):
    checked = ("svmbench.cli.main", "check", "greedy")
    done = python(installed, *checked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    passed = re.search(r"\| greedy +\| (\d+) of \1 ", done.stdout)
    assert passed and int(passed[1]) > 20 and "tests pass" in done.stdout
    file = installed / "svmbench_greedy" / "solver.py"
    right = file.read_text()
    assert RIGHT in right
    file.write_text(right.replace(RIGHT, WRONG))  # a change too many, charged as one
    monkeypatch.setenv("PYTEST_ADDOPTS", "-x")  # one that fails is enough
    done = python(installed, *checked, cwd=tmp_path)
    assert done.returncode == 1 and len(done.stdout.splitlines()) < 30
    assert re.search(r"^\| solver \| counts +\|\n.*\n\| greedy \| 0 of 1 +\|$", done.stdout, re.M)
    assert "not so: counts and iterates equal the slow oracle: one case, greedy-" in done.stdout
    assert "kev_ondemand is not what the specification evaluates" in done.stdout
