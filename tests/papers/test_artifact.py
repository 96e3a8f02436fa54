"""Artifacts: what they hold, the user's own, and what is said of wrong ones."""

import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from svmbench.errors import UserError
from svmbench.papers.artifact import Check, Curves, Grid, few, finished, load
from svmbench.papers.catalogue import names, ours, owned
from svmbench.papers.checks import CHECKS, _function
from svmbench.papers.claims import claim
from svmbench.papers.predicates import Below, Order, Ratio, ends_of
from svmbench.papers.quantities import EACH, Arrival, FirstEpoch, LastShared, Value
from svmbench.papers.runs import Group, Line, Panel, Runs, compose_together, shared
from tests.told import output, refusal

from .written import artifact


@pytest.mark.parametrize("name", ours())
def test_every_artifact_is_made_and_its_claims_define_themselves(name):
    found = load(name)
    assert found.id == name and (found.claims or found.kind == "grid")
    assert found.target or not found.claims
    for one in found.claims:
        assert all(test.definition.endswith(".") and "{" not in test.definition for test in one.tests)
    if isinstance(found, Check):
        assert callable(_function(found.function))


def test_tests_are_defined_by_the_sentences_of_the_stored_verdicts():
    reference = Path(__file__).parents[2] / "results" / "reference" / "VERDICTS.json"
    stored = defaultdict(list)
    for one in json.loads(reference.read_text(encoding="utf-8")):
        stored[one["artifact"]].append([part["definition"] for part in one["parts"]])
    for name, definitions in stored.items():
        assert [[test.definition for test in one.tests] for one in load(name).claims] == definitions, name


def test_every_check_belongs_to_an_artifact():
    assert set(CHECKS) == {getattr(load(name), "function", None) for name in ours()} - {None}


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


FIGURE = load("sbp-f2")
POINT = {"panel": "adult", "solver": "sbp", "at": 1e6, "value": 20.0}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"target": "SPB-F2"}, "target=SPB-F2 is not allowed"),
        ({"counters": "kev_ondemandd"}, "counters: unknown 'kev_ondemandd'; did you mean 'kev_ondemand'"),
        ({"metrics": "test_eror"}, "metrics: unknown 'test_eror'; did you mean 'test_error'"),
        ({"hidden": "sbpp"}, "hidden: unknown 'sbpp'; did you mean 'sbp'"),
        ({"points": [{**POINT, "solver": "sbpp"}]}, "points: unknown 'sbpp'; did you mean 'sbp'"),
        ({"runs": shared("sbp-l21")}, "its runs are those of sbp-l21, which is a check and has none"),
        ({"runs": shared("sbp-f2", "adlut")}, "unknown 'adlut'; did you mean 'adult'"),
        ({"runs": shared("sbp-f2", "adult smoo")}, "unknown 'smoo'; did you mean 'smo'"),
    ],
)
def test_a_wrong_artifact_is_told(change, sentence):
    with pytest.raises(UserError, match=sentence):
        finished(replace(FIGURE, **change), "x")


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        (Below("p", "sbp", "sdca", panels="adlut"), "unknown 'adlut'; did you mean 'adult'"),
        (Below("p", "sbp", "sdca", counters="iterations"), "unknown 'iterations'"),
        (Below("p", "sbp", "sdca", convention="kev_computed"), "unknown 'kev_computed'"),
        (Below("p", "sbpp", "sdca"), "unknown 'sbpp'; did you mean 'sbp'"),
        (Below("p", "sbp", "sdcaa"), "unknown 'sdcaa'; did you mean 'sdca'"),
        (Below("p", "sbp", "sdca", since=FirstEpoch("perceptrom")), "'perceptrom'; .* 'perceptron'"),
        (Order("p", Value("sbp", at=LastShared("sbp", "smoo")), 1), "unknown 'smoo'; did you mean 'smo'"),
        (Order("p", Arrival("sbp", "test_eror", within=1), 1), "unknown 'test_eror'; .* 'test_error'"),
        (Order("p", Value("sbp", where={"solver.k": 1}), 1), "where: unknown 'solver.k'"),
    ],
)
def test_a_wrong_test_is_told_with_its_claim(test, sentence):
    wrong = replace(FIGURE, claims=[claim("C", "p", "t", test)])
    with pytest.raises(UserError, match=f"claim 'C', test 'p': .*{sentence}"):
        finished(wrong, "x")


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Order("p", Value("sbp"), 1, margin="a"), "Order: margin='a' .* a number or"),
        (lambda: Order("p", Value("sbp"), 1, ratio="no"), "ratio='no' is not allowed: give True or False"),
        (lambda: Order("p", Value("sbp"), 1, ratio=True, margin=1.5), "margin=1.5 of a ratio is not allowed"),
        (lambda: Order("p", Value("sbp"), 1, ratio=True, margin=-3), "margin=-3 of a ratio is not allowed"),
        (lambda: Value("sbp", where="solver.k"), "Value: where='solver.k' .* a dict of any"),
        (lambda: Arrival("sbp", level="x"), "Arrival: level='x' is not allowed: give Quantity or a number"),
        (lambda: Ratio("p", 1, 1, (1,)), r"Ratio: within=\(1,\) .* a pair of a number or None"),
        (lambda: replace(FIGURE, points=[3]), r"points=\[3\] .* a list of a dict of any values"),
    ],
)
def test_a_value_of_another_type_is_told_where_it_is_given(make, sentence):
    with pytest.raises(UserError, match=sentence):
        make()


def test_a_wrong_override_is_told_with_its_file():
    runs = replace(FIGURE.runs, panels=[Panel("adult", "Adult", "dataset=adult bugdet.kev=1e6")])
    runs = replace(runs, groups=[Group(1)], of="")
    wrong = finished(replace(FIGURE, runs=runs, claims=()), "x", where="FILE").runs
    compose_together([wrong])
    with pytest.raises(UserError, match=r"^FILE: runs: unknown key bugdet\.kev; did you mean 'budget\.kev'"):
        wrong.planned()


def test_a_cell_that_cannot_be_filled_is_told():
    with pytest.raises(UserError, match=r"cell='\{eror:.2f\}' cannot be filled \('eror'\): the values are"):
        artifact(["smo"], kind="grid", cell="{eror:.2f}", values={"error": Value(EACH)})
    with pytest.raises(UserError, match="unknown 'tets_error'; did you mean 'test_error'"):
        artifact(["smo"], kind="grid", cell="{error}", values={"error": Value(EACH, "tets_error")})


@pytest.mark.parametrize(
    ("value", "ends"),
    [
        ((1, 2), (1.0, 2.0)),
        ((3, 3), (3.0, 3.0)),
        ((None, 2.5), (-float("inf"), 2.5)),
        ([0, None], (0.0, float("inf"))),
    ],
)
def test_a_range_has_two_ends_of_which_each_may_be_open(value, ends):
    assert ends_of(value) == ends


@pytest.mark.parametrize("value", [(2, 1), (1,), (1, 2, 3), 1, ("a", 2), (float("nan"), 1)])
def test_what_is_no_range_is_refused(value):
    with pytest.raises(UserError, match="is no range: give two numbers"):
        ends_of(value)


OWN = """
from svmbench.papers.artifact import Artifact, Curves
from svmbench.papers.runs import Group, Line, Panel, Runs


def _board():
    return Panel("board", "Board", "dataset=checkerboard problem.C=1e-4")


def mine() -> Artifact:
    runs = Runs("budget.kev=1e4", [_board()], [Line("sbp")], [Group(1, over={"kernel.gamma": [1e-2]})])
    return Curves("", "Mine", "Me", runs)


def other_one() -> Artifact:
    return mine()
"""


def write(folder, text, name="mine.py"):
    (folder / "paper").mkdir(exist_ok=True)
    file = folder / "paper" / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_paper_of_the_user_is_read_from_the_folder_which_its_commands_name(tmp_path):
    file = write(tmp_path, OWN)
    mine = load("mine", (tmp_path,))
    (run,) = mine.runs.planned()
    assert run.over == (("kernel.gamma", 0.01),) and run.folders == (tmp_path,)
    assert run.command.startswith(f"svmbench run --config-dir {tmp_path} solver=sbp ")
    assert (mine.target, mine.document, mine.of, list(mine.claims)) == ("", "", "mine", [])
    assert owned([tmp_path]) == {"mine": file, "other-one": file}
    assert load("other-one", (tmp_path,)).id == "other-one"
    assert load("sbp-f2", (tmp_path,)).runs.folders == ()
    with pytest.raises(UserError, match="unknown paper 'mine'"):
        load("mine")


def test_a_paper_of_the_user_with_the_name_of_one_of_ours_is_refused(tmp_path):
    file = write(tmp_path, OWN.replace("def mine()", "def sbp_f2()"))
    with pytest.raises(UserError, match=f"{file} has a figure with the name of one of svmbench, sbp-f2"):
        load("sbp-f2", (tmp_path,))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"Me", runs', '"Me", runs, colour="red"', r"line 12: TypeError: .*unexpected keyword .*'colour'"),
        ('Line("sbp")', "Line()", r"line 11: TypeError: .*missing 1 required positional argument: 'name'"),
        ('Runs("budget.kev=1e4"', 'Runs(["a=1"]', r"line 11: Runs: overrides=\['a=1'\] .* give a text"),
        ('"Me", runs', "runs", r"line 12: Curves: source=Runs.* is not allowed: give a text"),
        ("Group(1,", "Group(0,", r"line 11: seeds=0 must be different whole numbers"),
        ("return Curves", "return 5 #", r": TypeError: it returns int, not a figure"),
        ('"Me", runs)', '"Me", runs', r"line 12: SyntaxError: '\(' was never closed"),
        ("import Artifact,", "import Artefact,", r"line 2: ImportError: cannot import name 'Artefact'"),
        ('"", "Mine"', '"ABC-1", "Mine"', r": target=ABC-1 is not allowed"),
    ],
)
def test_a_wrong_file_of_the_user_is_told_with_its_line(tmp_path, old, new, sentence):
    assert old in OWN
    write(tmp_path, OWN.replace(old, new, 1))
    with pytest.raises(UserError, match=rf"mine\.py.*{sentence}") as refused:
        load("mine", (tmp_path,))
    assert "\n" not in str(refused.value)


def test_names_are_found_without_executing_a_file(tmp_path):
    write(tmp_path, "raise SystemExit\n" + OWN)
    assert list(names([tmp_path]))[:2] == ["mine", "other-one"]


def test_a_figure_of_the_older_form_is_told(tmp_path):
    file = write(tmp_path, "title: Mine", "mine.yaml")
    with pytest.raises(UserError, match=f"{file} is of an older form: figures are Python files now"):
        load("mine", (tmp_path,))


def test_a_figure_of_a_plug_in_is_found_by_its_entry_point(monkeypatch):
    made = Curves("", "Theirs", "T", Runs("", [Panel("a", "A")], [Line("sbp")], [Group(1)]))

    class Entry:
        name, value = "theirs", "package:theirs"

        def load(self):
            return lambda: made

    entries = {"theirs": Entry(), "sbp-f2": Entry()}
    for user in ("catalogue", "artifact"):
        monkeypatch.setattr(f"svmbench.papers.{user}.plugins", lambda group: entries)
    assert "theirs" in names() and load.__wrapped__("theirs").title == "Theirs"  # other tests fill the cache
    with pytest.raises(UserError, match=r"package:theirs .* sbp-f2"):
        load.__wrapped__("sbp-f2")


def test_part_of_the_runs_of_another_artifact_may_be_shown():
    part = finished(replace(FIGURE, runs=shared("sbp-f2", "adult mnist smo"), claims=()), "x")
    assert part.of == "sbp-f2"
    assert [panel.name for panel in part.runs.panels] == ["adult", "mnist"]
    assert [line.name for line in part.runs.lines] == ["smo"]
    whole = finished(replace(FIGURE, runs=shared("sbp-f2"), claims=()), "x")
    assert whole.runs == replace(FIGURE.runs, of="sbp-f2")


def test_an_artifact_knows_its_kind_and_how_it_counts():
    kinds = {
        "curves": artifact(["sbp"]),
        "counted": artifact(["sbp"], counters="kev_iter iterations"),
        "grid": artifact(["sbp"], kind="grid", cell="{e}", values={"e": Value(EACH)}),
        "listing": artifact(["sbp"], kind="listing"),
        "check": finished(Check("", "T", "S", function="basin"), "x"),
    }
    assert {name: one.conventions for name, one in kinds.items()} == {
        "curves": ("kev_ondemand",),
        "counted": ("kev_iter", "iterations"),
        "grid": ("",),
        "listing": ("",),
        "check": ("",),
    }
    assert [name for name, one in kinds.items() if one.is_check] == ["check"]
    assert [one.kind for one in kinds.values()] == ["curves", "curves", "grid", "grid", "check"]
    assert kinds["curves"].document == "X" and kinds["check"].of == "x"


SECONDS = Value(EACH, "cpu_seconds")


@pytest.mark.parametrize(
    ("made", "timed"),
    [
        (artifact(["sbp"], metrics="test_error"), False),
        (artifact(["sbp"], metrics="test_error wall_seconds"), True),
        (artifact(["sbp"], counters="kev_iter cpu_seconds"), True),
        (artifact(["sbp"], ranges={"x": (1, 2)}, notes=["cpu_seconds"]), False),
        (artifact(["sbp"], kind="grid", cell="{e}", values={"e": ("sd", SECONDS)}), True),
        (artifact(["sbp"], kind="sweep", x="problem.C", y={"a": Value(EACH), "b": SECONDS}), True),
        (
            artifact(["sbp"], claims=[claim("c", "p", "t", Order("o", 1.0, replace(SECONDS, solver="sbp")))]),
            True,
        ),
        (artifact(["sbp"], groups=[Group(1, values={"budget.seconds": SECONDS})]), False),
    ],
)
def test_an_artifact_is_timed_if_it_shows_or_judges_seconds(made, timed):
    assert made.timed == timed


@pytest.mark.parametrize(
    ("kind", "key"), [("listing", "baseline"), ("front", "highlight"), ("front", "window")]
)
def test_the_line_that_others_are_compared_with_is_one_of_the_lines(kind, key):
    assert getattr(artifact(["sbp", "smo"], kind=kind, **{key: "smo"}), key) == "smo"
    with pytest.raises(UserError, match=f"{key}: unknown 'sdca'"):
        artifact(["sbp", "smo"], kind=kind, **{key: "sdca"})


@pytest.mark.parametrize("seeds", [[-1], [0, -1], [0.0], "2", -1, [], True, [1, 1], None, 0])
def test_seeds_that_are_none_are_refused(seeds):
    with pytest.raises(UserError, match="must be different whole numbers of at least 0"):
        Group(seeds)


@pytest.mark.parametrize(("seeds", "known"), [(1, (0,)), (3, (0, 1, 2)), ([0], (0,)), ([7, 2], (7, 2))])
def test_seeds_are_listed_or_counted(seeds, known):
    assert Group(seeds).seeds == known


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
    group = Group(1, over={"problem.C": [1.0, 2.0, 3.0]}, exceptions=exceptions)
    runs = artifact(["sbp"], groups=[group]).runs.planned()
    assert [run.config.problem.C for run in runs] == left


def test_the_data_sets_of_runs_are_those_that_the_overrides_name():
    panels = [
        Panel("one", "1", "dataset=checkerboard dataset.n_test=10"),
        Panel("two", "2", "budget.kev=5 dataset=adult"),
        Panel("three", "3", "kernel.gamma=2"),
    ]
    assert artifact(["sbp"], panels=panels).runs.datasets() == {"checkerboard", "adult"}


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Group(1, exceptions=[{"colour": 1}]), "exceptions: unknown 'colour'"),
        (lambda: artifact(["sbp"], groups=[Group(1, "sbpp")]), "lines of a group: unknown 'sbpp'"),
        (lambda: artifact(["sbp"], groups=[Group(1, "", "bord")]), "panels of a group: unknown 'bord'"),
        (lambda: Panel("board", "B", known={"error": 1}), "panel board: unknown 'error'"),
        (lambda: artifact([Line("sbp", known={"bord": 1})]), "known of the line sbp: unknown 'bord'"),
    ],
)
def test_runs_that_cannot_be_planned_are_told(make, sentence):
    with pytest.raises(UserError, match=sentence):
        make()


def test_a_group_without_names_has_all_panels_and_lines_of_its_file_and_no_others():
    runs = artifact(["sbp", "smo"], groups=[Group(1)]).runs
    more = replace(runs, lines=[*runs.lines, Line("sdca")])
    assert [run.solver for run in more.planned()] == ["sbp", "smo"]


def test_a_line_and_a_panel_keep_what_is_known_of_them():
    panels = [Panel("board", "B", "dataset=adult", known={"mistakes": 5})]
    line = Line("mine", "solver.k=5", solver="sbp", title="T", known={"board": 12})
    runs = artifact([line, "smo"], panels=panels).runs
    (panel,), (mine, smo) = runs.panels, runs.lines
    assert (panel.name, panel.title, panel.known) == ("board", "B", {"mistakes": 5})
    assert (mine.name, mine.solver, mine.title) == ("mine", "sbp", "T")
    assert (mine.overrides, mine.known) == ("solver.k=5", {"board": 12.0})
    assert (smo.name, smo.solver, smo.title, smo.overrides, smo.known) == ("smo", "smo", None, "", {})


def test_an_artifact_is_made_once():
    assert load("sbp-f2") is load("sbp-f2")
    assert isinstance(load("as-t2"), Grid)


def test_a_part_of_a_figure_says_so_and_keeps_what_it_can_judge():
    whole = load("sbp-f2")
    part = few(whole, 2, ["adult", "sbp", "smo"])
    runs = part.runs.planned()
    assert [(run.solver, run.seed) for run in runs] == [("sbp", 0), ("sbp", 1), ("smo", 0)]
    assert {run.panel for run in runs} == {"adult"}
    assert {run.command for run in runs} < {run.command for run in whole.runs.planned()}
    assert part.part == "2 of 10 seeds; only adult, sbp, smo" and part.title == f"{whole.title} ({part.part})"
    # Claims keep their places; tests of a mean over data sets of which some are left out are not made.
    assert [claim.name for claim in part.claims] == [claim.name for claim in whole.claims]
    for one, before in zip(part.claims, whole.claims, strict=True):
        assert bool(one.tests) != bool(one.not_attempted)
        assert all("adult" in (test.panels or "adult") and not test.together for test in one.tests)
        assert before.tests
    assert few(whole, 30, []) == whole == few(whole, None, [])
    with pytest.raises(UserError, match=r"unknown 'adlt'; did you mean 'adult'"):
        few(whole, None, ["adlt"])
    with pytest.raises(UserError, match="is a check, which has no runs: leave out --seeds and --only"):
        few(load("as-t1"), 2, [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run --seeds 2", "are for a named figure"),
        ("keep sbp-f2 --seeds 2", "not for list and keep"),
        ("run sbp-f2 --seeds 0", "a number of at least 1"),
        ("plan sbp-f2 --only ,", "one or more names"),
    ],
)
def test_a_part_is_asked_of_one_figure(words, said, capsys, tmp_path):
    assert said in refusal(capsys, ["paper", *words.split(), "--results", str(tmp_path)])


def test_verdicts_by_a_part_say_so(committed, capsys):
    asked = ["--seeds", "2", "--only", "adult"]
    text = output(capsys, ["paper", "verdict", "sbp-f2", *asked, "--results", str(committed)])
    assert "(2 of 10 seeds; only adult)\n" in text and "9 of 9 runs are stored" in text
    assert text.count(", by 2 of 10 seeds; only adult.**") == 7
    assert "SBP-F2.1, SBP does better than Pegasos and SDCA: not attempted" in text
