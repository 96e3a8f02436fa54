"""Completion: what is offered, and that a real bash takes it."""

import re
import shutil
import subprocess
import sys

import pytest

from svmbench.cli._candidates import complete
from svmbench.cli.main import COMMANDS
from svmbench.config import folder
from tests.told import output


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("svmbench ", sorted(COMMANDS)),
        ("svmbench d", ["datasets", "delete"]),
        ("svmbench run sol", ["solver.nu=", "solver="]),
        ("svmbench run solver=sm", ["solver=smo", "solver=smo_pair"]),
        ("svmbench run -m solver=sbp,perc", ["solver=sbp,perceptron"]),
        ("svmbench run solver=pegasos solver.", ["solver.average=", "solver.exact=", "solver.suffix="]),
        ("svmbench run solver=pegasos solver.exact=", ["solver.exact=false", "solver.exact=true"]),
        ("svmbench run solver=smo solver.selection=u", ["solver.selection=unclipped"]),
        ("svmbench run kernel=polynomial kernel.d", ["kernel.degree="]),
        ("svmbench run dataset=mnist dataset.t", ["dataset.task="]),
        ("svmbench run ++ker", ["++kernel.gamma="]),
        ("svmbench run problem.bias=", ["problem.bias=none", "problem.bias=unregularised"]),
        ("svmbench run budget.counter=kev_i", ["budget.counter=kev_iter"]),
        ("svmbench run seed=", []),
        ("svmbench run --c", ["--cfg", "--config-dir"]),
        ("svmbench run --cfg ", ["job"]),
        ("svmbench datasets ", ["describe", "fetch", "list", "verify"]),
        ("svmbench datasets fetch rcv", ["rcv1", "rcv1_subset"]),
        ("svmbench datasets list ", []),
        ("svmbench plot --x it", ["iterations"]),
        ("svmbench plot --x iterations --xscale l", ["linear", "log"]),
        ("svmbench tune --search h", ["halving"]),
        ("svmbench tune --search halving jo", ["jobs="]),
        ("svmbench run --config-dir ", []),
        ("svmbench plot -o ", []),
        ("svmbench plot --y least", ["least_test_error"]),
        ("svmbench table --metric test_error,cpu", ["test_error,cpu_seconds"]),
        ("svmbench table --rows ", []),
        ("svmbench compare --cost it", ["iterations"]),
        ("svmbench completion ", ["bash", "zsh"]),
        ("svmbench speed baselines adult-c10", ["adult-c100", "adult-c1000"]),
        ("svmbench speed rows ", []),
        ("svmbench nothing ", []),
    ],
)
def test_offers(line, expected):
    assert complete(line) == sorted(expected)


def test_every_option_of_every_group_is_offered():
    for group in folder.GROUPS:
        offered = complete(f"svmbench run {group}=")
        assert offered == [f"{group}={name}" for name in folder.options(group)]


@pytest.mark.parametrize("command", [command for command in COMMANDS if command != "help"])
def test_every_option_and_action_of_a_command_is_offered(command, capsys):
    def told(words):
        text = output(capsys, [*words.split(), "--help"])
        found = set(re.findall(r"--[a-z][a-z-]*(?=[ ,\n\]])", text.partition("\n\n")[2]))
        assert sorted(found) == complete(f"svmbench {words} --")
        return text

    text, listed = told(command), complete(f"svmbench {command} ")
    actions = re.search(r"^  \{(.*?)\}", text, re.MULTILINE)
    if actions is not None:
        assert sorted(actions[1].split(",")) == listed
    if command == "speed":
        assert all(told(f"speed {action}") for action in listed)
    for option, values in re.findall(r"(--[a-z-]+) \{(.*?)\}", text):
        assert sorted(values.split(",")) == complete(f"svmbench {command} {option} ")


def test_runs_are_offered(tmp_path):
    for name in ("runs/sbp-a", "runs/smo-b.running", "reference/runs/sbp-c"):
        (tmp_path / name).mkdir(parents=True)
    assert complete(f"svmbench show --results {tmp_path} s") == ["sbp-a", "sbp-c", "smo-b"]
    assert complete(f"svmbench plot --results {tmp_path} sbp-a sm") == ["smo-b"]
    assert complete(f"svmbench compare --results {tmp_path} sbp-a sm") == ["smo-b"]
    assert complete(f"svmbench tag --results {tmp_path} best sm") == ["smo-b"]
    assert complete("svmbench tag ") == []


def test_a_users_folder_is_offered(tmp_path):
    (tmp_path / "dataset").mkdir()
    (tmp_path / "dataset" / "mine.yaml").write_text("name: file\n# Where it is.\npath: x.csv\n")
    (tmp_path / "experiment").mkdir()
    (tmp_path / "experiment" / "first.yaml").write_text("# @package _global_\nseed: 1\n")
    run = f"svmbench run --config-dir {tmp_path} "
    assert complete(run + "dataset=mi") == ["dataset=mine"]
    assert "dataset.path=" in complete(run + "dataset=mine dataset.")
    assert complete(run + "+exp") == ["+experiment="]
    assert complete(run + "+experiment=") == ["+experiment=first"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("line", "replies"),
    [
        ("svmbench run solver=perc", ["perceptron"]),  # bash replaces only what follows =
        ("svmbench run solver=pegasos solver.", ["solver.average=", "solver.exact=", "solver.suffix="]),
        ("svmbench plo", ["plot"]),
    ],
)
def test_bash(line, replies, capsys, tmp_path):
    script = output(capsys, ["completion", "bash"])
    (tmp_path / "svmbench").write_text(f'#!/bin/sh\nexec {sys.executable} -m svmbench.cli.main "$@"\n')
    (tmp_path / "svmbench").chmod(0o755)
    ask = f"COMP_LINE='{line}'; COMP_POINT={len(line)}; _svmbench; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    command, paths = ["bash", "--norc", "-c", f"{script}\n{ask}"], {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, env=paths, check=True)
    assert done.stdout.split() == replies


def test_zsh_script_calls_the_completion(capsys):
    out = output(capsys, ["completion", "zsh"])
    assert "svmbench __complete" in out
    assert out.endswith("compdef _svmbench svmbench\n")
