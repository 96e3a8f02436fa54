"""The build's own programs, the Makefile's help, and what tests on real data do where there are none."""

import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml

import svmbench

ROOT = Path(__file__).parent.parent


#: Targets that others make.
PARTS = ("checked", "sanitized", "lint-types", "lint-stubs", "lint-style")


def test_help_lists_every_target():
    makefile = (ROOT / "Makefile").read_text()
    (targets,) = re.findall(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    told = set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE))
    assert set(targets.split()) - {*PARTS, "$(PAPERS)"} == told  # one a paper
    ran = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert {line.split()[1] for line in ran.splitlines()} == told


def test_the_phases_of_a_build_are_those_of_its_log(tmp_path):
    log = tmp_path / ".ninja_log"
    lines = [
        "0\t9000\t1\tsvmbench/rng.c\tabc",
        "0\t9000\t1\tsvmbench/simd/passes.c\tabc",  # the same command
        "9000\t11000\t1\tCMakeFiles/x.dir/svmbench/rng.c.o\tabc",
        "9000\t12000\t1\tCMakeFiles/y.dir/svmbench/simd/passes.c.o\tabc",
        "11000\t12500\t1\tCMakeFiles/y.dir/home/svmbench/simd/csrc/passes.c.o\tabc",
        "12500\t13000\t1\tsvmbench/rng.cpython-311-x86_64-linux-gnu.so\tabc",
    ]
    log.write_text("\n".join(["# ninja log v6", *lines]) + "\n")
    steps = runpy.run_path(str(ROOT / "cmake" / "phases.py"))["steps"]
    assert steps(log) == [
        ("Cython", 9.0, 9.0),
        ("C from Cython", 3.0, 5.0),
        ("C of csrc/", 1.5, 1.5),
        ("linking", 0.5, 0.5),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("required", "outcome"), [("1", "1 failed"), ("", "1 skipped")])
def test_tests_on_real_data_may_not_be_skipped_where_they_are_required(required, outcome, tmp_path):
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = real_data\n")
    (tmp_path / "test_it.py").write_text(
        "import pytest\n\n\n@pytest.mark.real_data\ndef test_it():\n    pytest.skip('not at hand')\n"
    )
    environment = {**os.environ, "SVMBENCH_MIRROR": str(tmp_path), "SVMBENCH_REQUIRE_REAL_DATA": required}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert outcome in done.stdout


def test_there_is_one_version():
    assert metadata.version("svmbench") == svmbench.__version__
    cited = re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited == [svmbench.__version__], "set the version of the last release in CITATION.cff"


def test_reference_runs_name_no_folder_of_a_machine():
    for path in sorted((ROOT / "results" / "reference" / "runs").glob("*/run.json")):
        config = json.loads(path.read_text(encoding="utf-8"))["config"]
        assert (config["results"], config["data"]) == ("results", {"mirror": None, "dir": None}), path


def test_the_recipe_for_conda_needs_what_the_package_needs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    recipe = yaml.safe_load((ROOT / "packaging" / "recipe.yaml").read_text())
    names = {"matplotlib-base": "matplotlib"}  # without Qt
    parts = {"run": project["project"]["dependencies"], "host": project["build-system"]["requires"]}
    for theirs, ours in parts.items():
        needed = [
            line.partition(" ") for line in recipe["requirements"][theirs] if line not in ("python", "pip")
        ]
        assert {names.get(name, name) + least for name, _, least in needed} == {line.lower() for line in ours}
    assert recipe["context"]["version"] == svmbench.__version__
