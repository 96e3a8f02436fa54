import copy
import math

import pytest
import yaml
from omegaconf import OmegaConf

from svmbench.config.folder import conf_dir, papers
from svmbench.errors import UserError
from svmbench.papers import fields
from svmbench.papers.artifact import _loader, load, read
from svmbench.papers.checks import CHECKS, _function
from svmbench.papers.runs import compose_together, read_runs

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


@pytest.mark.parametrize(
    ("value", "ends"),
    [
        ([1, 2], (1.0, 2.0)),
        ([3, 3], (3.0, 3.0)),
        ([None, 2.5], (-math.inf, 2.5)),
        ([0, None], (0.0, math.inf)),
    ],
)
def test_a_range_has_two_ends_of_which_each_may_be_open(value, ends):
    assert fields.interval(value, "within") == ends


@pytest.mark.parametrize("value", [[2, 1], [1], [1, 2, 3], (1, 2), 1, [True, 2], ["1", 2]])
def test_what_is_no_range_is_refused(value):
    with pytest.raises(UserError, match="is not allowed: give"):
        fields.interval(value, "within")


@pytest.mark.parametrize("value", [[0, 1], [1, 1], [-1, 1], [1, None], [None, 1]])
def test_an_axis_has_two_different_positive_ends(value):
    assert fields.positive_range(None, "x") is None
    assert fields.positive_range([1e-9, 1], "x") == (1e-9, 1.0)
    with pytest.raises(UserError, match="give two positive numbers"):
        fields.positive_range(value, "x")


@pytest.mark.parametrize("value", [True, False, "1", None])
def test_what_is_no_number_is_refused(value):
    assert [fields.number(number, "n") for number in (2, 0.5)] == [2.0, 0.5]
    with pytest.raises(UserError, match="give a number"):
        fields.number(value, "n")


OWN = """
title: Mine
source: Me
kind: curves
runs:
  overrides: [budget.kev=1e4]
  panels: {board: {title: Board, overrides: [dataset=checkerboard, problem.C=1e-4]}}
  solvers: {sbp: null}
  groups: [{seeds: 1, over: {kernel.gamma: [1e-2]}}]
"""


def test_a_paper_of_the_user_is_read_from_the_folder_which_its_commands_name(tmp_path):
    (tmp_path / "paper").mkdir()
    (tmp_path / "paper" / "mine.yaml").write_text(OWN, encoding="utf-8")
    mine = load("mine", (tmp_path,))
    (run,) = mine.runs.planned()
    assert run.over == (("kernel.gamma", 0.01),) and run.folders == (tmp_path,)
    assert run.command.startswith(f"svmbench run --config-dir {tmp_path} solver=sbp ")
    assert (mine.target, mine.document, mine.of, mine.claims) == ("", "", "mine", ())
    assert load("sbp-f2", (tmp_path,)).runs.folders == ()
    with pytest.raises(UserError, match="unknown paper 'mine'"):
        load("mine")


def test_a_paper_of_the_user_may_replace_one_of_ours(tmp_path):
    (tmp_path / "paper").mkdir()
    (tmp_path / "paper" / "sbp-f2.yaml").write_text(OWN, encoding="utf-8")
    assert load("sbp-f2", (tmp_path,)).title == "Mine" != load("sbp-f2").title
    assert load("sbp-f2", (tmp_path,)).runs.folders == (tmp_path,)


def test_a_file_that_is_not_yaml_is_told(tmp_path):
    (tmp_path / "paper").mkdir()
    file = tmp_path / "paper" / "broken.yaml"
    file.write_text("title: [1, 2\nkind: }", encoding="utf-8")
    with pytest.raises(UserError, match=r"broken\.yaml is not YAML: while parsing") as refused:
        load("broken", (tmp_path,))
    assert "\n" not in str(refused.value)


def test_part_of_the_runs_of_another_artifact_may_be_shown(content):
    content["runs"] = {"of": "sbp-f2", "panels": ["adult", "mnist"], "solvers": ["smo"]}
    content["claims"] = []
    part = read("x", content, "FILE")
    assert part.of == "sbp-f2"
    assert [panel.name for panel in part.runs.panels] == ["adult", "mnist"]
    assert [line.name for line in part.runs.lines] == ["smo"]
    whole = read("x", {**content, "runs": "sbp-f2"}, "FILE")
    assert whole.runs == load("sbp-f2").runs
    for key, known in (("panels", "adlut"), ("solvers", "smoo")):
        with pytest.raises(UserError, match=f"FILE: runs.{key}: unknown '{known}'; did you mean"):
            read("x", {**content, "runs": {"of": "sbp-f2", key: [known]}}, "FILE")


def test_an_artifact_knows_its_kind_and_how_it_counts():
    values = {"cell": "{e}", "values": {"e": {"metric": "test_error"}}}
    kinds = {
        "curves": artifact(["sbp"]),
        "counted": artifact(["sbp"], counters=["kev_iter", "iterations"]),
        "grid": artifact(["sbp"], kind="grid", **values),
        "listing": artifact(["sbp"], kind="grid", layout="runs"),
        "check": read("x", {"title": "T", "source": "S", "kind": "check", "function": "basin"}, "FILE"),
    }
    assert {name: one.counters for name, one in kinds.items()} == {
        "curves": ("kev_ondemand",),
        "counted": ("kev_iter", "iterations"),
        "grid": ("",),
        "listing": ("",),
        "check": ("",),
    }
    assert [name for name, one in kinds.items() if one.is_check] == ["check"]
    assert [name for name, one in kinds.items() if one.is_listing] == ["listing"]
    assert kinds["curves"].document == "X" and kinds["check"].of == "x"


@pytest.mark.parametrize(
    ("options", "timed"),
    [
        ({"metrics": ["test_error"]}, False),
        ({"metrics": ["test_error", "wall_seconds"]}, True),
        ({"counters": ["kev_iter", "cpu_seconds"]}, True),
        ({"ranges": {"x": [1, 2]}, "notes": ["cpu_seconds"]}, False),
    ],
)
def test_an_artifact_is_timed_if_it_shows_seconds(options, timed):
    assert artifact(["sbp"], **options).timed == timed


@pytest.mark.parametrize(("kind", "key"), [("grid", "baseline"), ("front", "highlight")])
def test_the_line_that_others_are_compared_with_is_one_of_the_solvers(kind, key):
    more = {"cell": "{e}", "values": {"e": {"metric": "test_error"}}} if kind == "grid" else {}
    assert artifact(["sbp", "smo"], kind=kind, **more, **{key: "smo"}).options[key] == "smo"
    with pytest.raises(UserError, match=f"FILE: {key}=sdca is not allowed: give one of the solvers"):
        artifact(["sbp", "smo"], kind=kind, **more, **{key: "sdca"})


def test_the_lines_of_a_window_are_solvers():
    assert artifact(["sbp", "smo"], kind="front", window=["smo"]).options["window"] == ["smo"]
    with pytest.raises(UserError, match="FILE: window: unknown 'sdca'"):
        artifact(["sbp", "smo"], kind="front", window=["sdca"])


@pytest.mark.parametrize("seeds", [[-1], [0, -1], [0.0], "2", -1, [], True, [1, 1], None])
def test_seeds_that_are_none_are_refused(seeds):
    with pytest.raises(UserError, match="must be different whole numbers of at least 0"):
        artifact(["sbp"], groups=[{"seeds": seeds}])


@pytest.mark.parametrize(("seeds", "known"), [(1, (0,)), (3, (0, 1, 2)), ([0], (0,)), ([7, 2], (7, 2))])
def test_seeds_are_listed_or_counted(seeds, known):
    assert artifact(["sbp"], groups=[{"seeds": seeds}]).runs.groups[0].seeds == known


@pytest.mark.parametrize(
    ("exceptions", "left"),
    [
        ([], [1.0, 2.0, 3.0]),
        ([{"problem.C": float("2")}], [1.0, 3.0]),
        ([{"problem.C": [1.0, 3.0]}], [2.0]),
        ([{"problem.C": 1.0}, {"problem.C": 3.0}], [2.0]),
        ([{"problem.C": 1.0, "solver": "smo"}, {"panel": "other", "problem.C": 2.0}], [1.0, 2.0, 3.0]),
        ([{"problem.C": 2.0, "solver": ["sbp", "smo"], "panel": "board"}], [1.0, 3.0]),
    ],
)
def test_what_agrees_with_an_exception_in_all_keys_is_left_out(exceptions, left):
    groups = [{"seeds": 1, "over": {"problem.C": [1.0, 2.0, 3.0]}, "except": exceptions}]
    runs = artifact(["sbp"], groups=groups).runs.planned()
    assert [run.config.problem.C for run in runs] == left


def test_the_data_sets_of_runs_are_those_that_the_overrides_name():
    panels = {
        "one": {"title": "1", "overrides": ["dataset=checkerboard", "dataset.n_test=10"]},
        "two": {"title": "2", "overrides": ["budget.kev=5", "dataset=adult"]},
        "three": {"title": "3", "overrides": ["kernel.gamma=2"]},
    }
    assert artifact(["sbp"], panels=panels).runs.datasets() == {"checkerboard", "adult"}


@pytest.mark.parametrize(
    ("solvers", "groups", "sentence"),
    [
        (["sbp"], {"seeds": 1}, "FILE: runs.groups must be a list of groups of runs"),
        (["sbp"], [{"seeds": 1, "over": {"problem.C": []}}], "over.problem.C must be a list of values"),
        (["sbp"], [{"seeds": 1, "except": [{"colour": 1}]}], "except: unknown key 'colour'"),
        (["sbp"], [{"seeds": 1, "panels": "board"}], "panels=board is not allowed: give a list of words"),
        (["sbp"], [{"seeds": 1, "panels": [1]}], "panels=.1. is not allowed: give a list of words"),
        ({"sbp": {"known": {"bord": 1}}}, None, "known: unknown key 'bord'; did you mean 'board'"),
        ({"sbp": {"known": {"board": "1"}}}, None, "known.board=1 is not allowed: give a number"),
    ],
)
def test_runs_that_cannot_be_planned_are_told(solvers, groups, sentence):
    with pytest.raises(UserError, match=sentence):
        artifact(solvers, groups=groups)


def test_runs_without_groups_are_told():
    runs = {"panels": {"a": {"title": "A", "overrides": []}}, "solvers": {"sbp": None}, "groups": []}
    with pytest.raises(UserError, match=r"runs\.groups must be a list of groups of runs"):
        read_runs(runs, "runs")


def test_a_line_and_a_panel_keep_what_is_known_of_them():
    panels = {"board": {"title": "B", "overrides": ["dataset=adult"], "known": {"mistakes": 5}}}
    line = {"solver": "sbp", "title": "T", "overrides": ["solver.k=5"], "known": {"board": 12}}
    runs = artifact({"mine": line, "smo": None}, panels=panels).runs
    (panel,), (mine, smo) = runs.panels, runs.lines
    assert (panel.name, panel.title, panel.known) == ("board", "B", {"mistakes": 5})
    assert (mine.name, mine.solver, mine.title) == ("mine", "sbp", "T")
    assert (mine.overrides, mine.known) == (("solver.k=5",), {"board": 12.0})
    assert (smo.name, smo.solver, smo.title, smo.overrides, smo.known) == ("smo", "smo", None, (), {})


def test_a_file_is_read_once():
    assert load("sbp-f2") is load("sbp-f2") and _loader(True) is _loader(True)
