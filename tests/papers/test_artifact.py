import copy

import pytest
import yaml
from omegaconf import OmegaConf

from svmbench.config.folder import conf_dir, papers
from svmbench.errors import UserError
from svmbench.papers.artifact import _loader, load, read
from svmbench.papers.checks import CHECKS, _function
from svmbench.papers.runs import compose_together

from .written import artifact, errors, material, store


@pytest.fixture
def content():
    return copy.deepcopy(OmegaConf.to_container(OmegaConf.load(conf_dir() / "paper" / "sbp-f2.yaml")))


@pytest.mark.parametrize("name", papers())
def test_every_file_is_read_and_its_claims_define_themselves(name):
    artifact = load(name)
    assert artifact.claims or artifact.is_listing
    assert artifact.target or not artifact.claims
    for claim in artifact.claims:
        assert all(part.definition.endswith(".") and "{" not in part.definition for part in claim.parts)
    if artifact.kind == "check":
        assert callable(_function(artifact.options["function"]))


@pytest.mark.parametrize("name", ["field", "peg-f5", "sbp-f2"])
def test_a_file_is_read_alike_by_both_loaders(name):
    text = (conf_dir() / "paper" / f"{name}.yaml").read_text(encoding="utf-8")
    assert yaml.load(text, Loader=_loader(True)) == yaml.load(text, Loader=_loader(False))


def test_every_check_belongs_to_an_artifact():
    used = {load(name).options.get("function") for name in papers()}
    assert set(CHECKS) <= used


def test_figure_2_is_what_the_paper_describes():
    runs = load("sbp-f2").runs.planned()
    by_set = {run.panel: run.config for run in runs}
    gammas = {name: config.kernel.parameters["gamma"] for name, config in by_set.items()}
    assert gammas == {"reuters": 1.0, "adult": 0.05, "mnist": 0.02}
    assert all(run.config.document()["problem"] == {"lam": None, "C": 1.0, "bias": "none"} for run in runs)
    assert {run.solver for run in runs} == {"sbp", "pegasos", "sdca", "smo", "perceptron"}
    assert [run.seed for run in runs if run.solver == "smo"] == [0, 0, 0]
    assert len(load("sbp-f2").claims) == 7


def test_a_command_names_each_key_once_and_the_last_value_holds():
    runs = load("sbp-f2").runs.planned()
    run = next(run for run in runs if run.solver == "perceptron" and run.panel == "adult")
    keys = [text.partition("=")[0] for text in run.overrides]
    assert len(keys) == len(set(keys)) and run.overrides[-1] == "seed=0"
    assert run.config.budget.kev == 1e10  # the group's value, not the panel's
    assert run.command == "svmbench run " + " ".join(run.overrides)


def test_runs_of_another_artifact_are_the_same_runs():
    mine, theirs = load("sbp-gap"), load("sbp-f2")
    assert mine.of == "sbp-f2" and {line.name for line in mine.runs.lines} == {"sdca", "smo", "pegasos"}
    assert {run.command for run in mine.runs.planned()} < {run.command for run in theirs.runs.planned()}


def test_an_unknown_figure_names_the_nearest():
    with pytest.raises(UserError, match=r"unknown paper 'sbp-f7'; did you mean '.*sbp-f"):
        load("sbp-f7")


def change(content, path, value):
    *parents, last = path.split(".")
    for key in parents:
        content = content[int(key) if key.isdecimal() else key]
    if value is None:
        del content[last]
    else:
        content[int(last) if last.isdecimal() else last] = value


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("title", None, "FILE: the key 'title' is missing"),
        ("colour", "red", "FILE: unknown key 'colour'"),
        ("kind", "curve", "FILE: kind=curve is not allowed; did you mean 'curves'"),
        ("baseline", "smo", "FILE: kind curves: unknown key 'baseline'"),
        ("target", "SPB-F2", "FILE: target=SPB-F2 is not allowed"),
        (
            "counters",
            ["kev_ondemandd"],
            "FILE: counters: unknown 'kev_ondemandd'; did you mean 'kev_ondemand'",
        ),
        ("metrics", ["test_eror"], "FILE: metrics: unknown 'test_eror'; did you mean 'test_error'"),
        ("ranges", {"x": [1e9, 1e6]}, "FILE: ranges.x=.* the smaller one first"),
        ("runs.panels", {}, "FILE: runs.panels must be a section with keys"),
        (
            "runs.panels.adult.overrides",
            "dataset=adult",
            "FILE: runs.panels.adult.overrides=dataset=adult is not allowed: give a list of words",
        ),
        ("runs.overrides", "budget=paper", "FILE: runs.overrides=budget=paper is not allowed: give a list"),
        (
            "runs.solvers.smo.overrides",
            "solver.eps=1",
            "FILE: runs.solvers.smo.overrides=solver.eps=1 is not",
        ),
        ("runs.panels.adult.known", {"error": 1}, "FILE: runs.panels.adult.known: unknown key 'error'"),
        ("runs.groups.1.seeds", [0, 0], "FILE: runs.groups.1..seeds must be different whole numbers"),
        ("runs.groups.1.seeds", 0, "FILE: runs.groups.1..seeds must be"),
        ("runs.groups.1.seeds", [True], "FILE: runs.groups.1..seeds must be"),
        (
            "runs.groups.0.solvers",
            ["smoo"],
            "FILE: runs.groups.0..solvers: unknown 'smoo'; did you mean 'smo'",
        ),
        ("runs.groups.0.over", {"solver.eps": 0.1}, "FILE: runs.groups.0..over.solver.eps must be a list"),
        ("runs", {"of": "sbp-l21"}, "FILE: runs.of=sbp-l21 is a check and has no runs"),
        ("claims.0.sure", "maybe", "FILE: claims.0..sure=maybe is not allowed"),
        (
            "claims.0.parts.0.panels",
            ["adlut"],
            "claim 'SBP does better .*unknown 'adlut'; did you mean 'adult'",
        ),
        (
            "claims.0.parts.0.below.curve",
            "sbpp",
            "claim 'SBP does better .*, part 'below Pegasos.*unknown 'sbpp'; did you mean 'sbp'",
        ),
        (
            "claims.5.parts.0.order.than.at",
            {"epoch": "perceptrom"},
            "claim 'SBP goes on .*unknown 'perceptrom'; did you mean 'perceptron'",
        ),
        (
            "claims.5.parts.0.order.less.at",
            {"shared": ["sbp", "perceptrom"]},
            "claim 'SBP goes on .*unknown 'perceptrom'; did you mean 'perceptron'",
        ),
        (
            "claims.1.parts.1.order.less.arrival",
            "test_eror",
            "claim 'SBP does better on .*unknown 'test_eror'; did you mean 'test_error'",
        ),
        ("points.0.solver", "sbpp", "FILE: unknown 'sbpp'; did you mean 'sbp'"),
        ("claims.0.parts.0", {"name": "x"}, "FILE: claims.0..parts.0. needs exactly one predicate of: order"),
        (
            "claims.0.parts.0.below",
            {"curve": "sbp"},
            "FILE: claims.0..parts.0..below: the key 'other' is missing",
        ),
    ],
)
def test_a_wrong_file_is_told_where(content, path, value, sentence):
    content["points"] = [{"panel": "adult", "solver": "sbp", "at": 1e6, "value": 20.0}]
    change(content, path, value)
    with pytest.raises(UserError, match=sentence):
        read("x", content, "FILE")


def test_a_wrong_override_is_told_with_its_file(content):
    change(content, "runs.panels.adult.overrides", ["dataset=adult", "bugdet.kev=1e6"])
    runs = read("x", content, "FILE").runs
    compose_together([runs])
    with pytest.raises(UserError, match=r"^FILE: runs: unknown key bugdet\.kev; did you mean 'budget\.kev'"):
        runs.planned()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "FILE: kind grid: the key 'cell' is missing; give cell and values, or layout: runs"),
        ({"cell": "{error}"}, "FILE: kind grid: the key 'values' is missing; give cell and values"),
        ({"layout": "rows"}, "FILE: layout=rows is not allowed: give one of .*runs"),
        (
            {"cell": "{eror:.2f}", "values": {"error": {"metric": "test_error"}}},
            r"FILE: cell='\{eror:.2f\}' cannot be filled \('eror'\): the values are error",
        ),
        (
            {"cell": "{error}", "values": {"error": {"metric": "tets_error"}}},
            "FILE: unknown 'tets_error'; did you mean 'test_error'",
        ),
    ],
)
def test_a_table_that_cannot_be_filled_is_told(options, sentence):
    with pytest.raises(UserError, match=sentence):
        artifact(["smo"], kind="grid", **options)


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ({"arrival": "test_error", "level": 15}, "at its own arrival at test error 15 is less than 3"),
        (
            {"arrival": "test_error", "within": 0.5},
            "at its own arrival within 0.5 of the optimum's test error",
        ),
    ],
)
def test_a_test_says_where_a_run_is_looked_at(at, words):
    part = {"order": {"less": {"solver": "smo", "metric": "norm", "at": at}, "than": 3}}
    claim = {"name": "c", "text": "t", "place": "p", "parts": [part]}
    assert words in artifact(["smo"], claims=[claim]).claims[0].parts[0].definition


def test_a_cost_of_no_kind_is_told(tmp_path):
    at = {"last": "smo"}
    part = {"order": {"less": {"solver": "smo", "at": at}, "than": 3}}
    claim = {"name": "c", "text": "t", "place": "p", "parts": [part]}
    made = artifact(["smo"], claims=[claim])
    store(tmp_path, made.runs.planned()[0], errors(20, 10))
    for use in (lambda: made.claims[0].parts[0].definition, material(made, tmp_path).judged):
        with pytest.raises(UserError, match=r"a cost .*needs .*epoch, shared"):
            use()


def test_a_wrong_override_is_told(content):
    content["runs"]["overrides"].append("kernel.gama=1")
    with pytest.raises(UserError, match="gama"):
        read("x", content, "FILE").runs.planned()
