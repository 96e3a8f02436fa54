"""Help and version: present for every command, and instant because nothing heavy is imported."""

import json
import subprocess
import sys

import pytest

import svmbench
from svmbench.cli.main import COMMANDS
from tests.told import output

NAMES = [name for name in COMMANDS if name != "help"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["{} --help", "help {}", "{} -h"])
def test_every_command_has_help(name, form, capsys):
    assert f"usage: svmbench {name}" in output(capsys, form.format(name).split())


@pytest.mark.parametrize("form", ["", "help", "--help", "-h"])
def test_the_help_names_every_command(form, capsys):
    out = output(capsys, form.split())
    assert all(f"  {name} " in out for name in COMMANDS)


def test_version(capsys):
    assert output(capsys, ["--version"]) == f"svmbench {svmbench.__version__}\n"


def test_nothing_heavy_is_imported():
    # but the keys of a run, which are those of the classes of its options
    asked = [["--version"], ["--help"], *([name, "--help"] for name in NAMES if name != "run")]
    command = [sys.executable, "-S", "-c", LIGHT, json.dumps(asked)]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr


#: Each command in a fork of its own, which has the modules that all import.
LIGHT = """
import json, os, sys
from svmbench.cli.main import main

for arguments in json.loads(sys.argv[1]):
    if os.fork() == 0:
        code = main(arguments)
        names = {name.split(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
        os._exit(code or names != {"__main__", "svmbench"})
    assert os.wait()[1] == 0, arguments
"""
#: Without site-packages (-S): an import of anything but the standard library would fail.
ENVIRONMENT = {"PYTHONPATH": str(svmbench.__path__[0]).rpartition("svmbench")[0]}


def test_the_help_of_run_follows_the_options_given(capsys):
    out = output(capsys, ["run", "solver=smo", "kernel=polynomial", "--help"])
    assert "solver.selection=gain" in out
    assert "kernel.degree=3" in out
    assert "solver.nu" not in out
    assert "*smo" in out


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m svmbench.cli.main run --help | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: svmbench run")
    assert done.stderr == ""


def test_a_run_with_its_picture_imports_no_pandas(tmp_path):
    program = (
        "import sys; from svmbench.cli.main import main\n"
        "small = ['dataset.n_train=50', 'dataset.n_test=20', 'budget.kev=1e4']\n"
        f"main(['run', 'solver=pegasos', *small, 'results={tmp_path}'])\n"
        "print({'pandas', 'requests'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "curve.png" in done.stdout
    assert done.stdout.endswith("set()\n")


def test_a_plan_of_a_paper_neither_loads_what_draws_and_trains_nor_lets_hydra_compose(tmp_path):
    program = (
        "import sys, svmbench.config.compose as composing\n"
        "composing.compose = None\n"
        "from svmbench.cli.main import main\n"
        f"assert main(['paper', 'plan', 'sbp-f2', '--results', '{tmp_path}']) == 0\n"
        "print(sorted({'matplotlib', 'svmbench.runner.prepare', 'svmbench.sweep.pool'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n[]\n")
