import copy

import pytest
from omegaconf import OmegaConf

from svmbench.config.folder import conf_dir
from svmbench.errors import UserError
from svmbench.papers import ids, sbp
from svmbench.papers.commands import PUBLISHED
from svmbench.papers.paper import load, read


@pytest.fixture
def content():
    return copy.deepcopy(OmegaConf.to_container(OmegaConf.load(conf_dir() / "paper" / "sbp-f2.yaml")))


@pytest.mark.parametrize("name", ids())
def test_every_figure_and_table_composes(name):
    paper = load(name)
    runs = paper.runs()
    assert len(runs) == len(paper.panels) * sum(len(solver.seeds) for solver in paper.solvers)
    assert len({str(sorted(run.config.items())) for run in runs}) == len(runs)
    assert {run.config["seed"] for run in runs} == {seed for solver in paper.solvers for seed in solver.seeds}


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_is_known_belongs_to_the_figure(name):
    paper, published = load(name), PUBLISHED[name]
    panels, solvers = {panel.name for panel in paper.panels}, {solver.name for solver in paper.solvers}
    assert {anchor.panel for anchor in published.anchors} <= panels
    assert {anchor.solver for anchor in published.anchors} <= solvers
    assert {anchor.counter for anchor in published.anchors} <= set(paper.counters)
    assert {optimum.panel for optimum in published.optima} == panels
    assert all(0 < anchor.low <= anchor.high < 100 for anchor in published.anchors)
    assert {
        panel for claim in published.claims for part in claim.parts for panel in part.panels or ()
    } <= panels


def test_figure_2_is_what_the_paper_describes():
    runs = load("sbp-f2").runs()
    by_set = {run.panel: run.config for run in runs}
    assert {name: config["kernel"]["gamma"] for name, config in by_set.items()} == {
        "reuters": 1.0,
        "adult": 0.05,
        "mnist": 0.02,
    }
    assert all(run.config["problem"] == {"lam": None, "C": 1.0, "bias": "none"} for run in runs)
    assert {run.solver for run in runs} == {"sbp", "pegasos", "sdca", "smo", "perceptron"}
    assert len([run for run in runs if run.solver == "sbp"]) == 15
    assert [run.seed for run in runs if run.solver == "smo"] == [0, 0, 0]
    assert len(sbp.CLAIMS) == 3


def test_a_command_names_each_key_once_and_the_last_value_holds():
    run = next(run for run in load("sbp-f2").runs() if run.solver == "smo" and run.panel == "adult")
    keys = [text.partition("=")[0] for text in run.overrides]
    assert len(keys) == len(set(keys)) and run.overrides[-1] == "seed=0"
    assert run.config["budget"]["kev"] is None
    assert run.command == "svmbench run " + " ".join(run.overrides)


def test_an_unknown_figure_names_the_nearest():
    with pytest.raises(
        UserError, match=r"unknown paper 'sbp-f3'; did you mean 'sbp-f2'\? \(papers: .*sbp-f2"
    ):
        load("sbp-f3")


@pytest.fixture
def listing():
    return copy.deepcopy(OmegaConf.to_container(OmegaConf.load(conf_dir() / "paper" / "solvers-kernel.yaml")))


def test_a_file_without_counters_is_a_table(content, listing):
    assert read("x", listing, "FILE").is_table and not read("x", content, "FILE").is_table
    assert read("x", listing, "FILE").panels[1].known["mistakes"] == 2430


def test_a_line_of_a_table_may_be_called_otherwise_than_its_solver(listing):
    listing["solvers"]["loose"] = {
        "solver": "smo",
        "seeds": [0],
        "overrides": ["solver.eps=0.1"],
        "title": "Loose",
    }
    (run,) = [r for r in read("x", listing, "FILE").runs() if r.solver == "loose" and r.panel == "adult"]
    assert (run.config["solver"]["name"], run.config["solver"]["eps"]) == ("smo", 0.1)
    assert "solver=smo" in run.overrides


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("panels.adult.x", [1, 2], "FILE: panels.adult: unknown key 'x'"),
        ("panels.adult.known", {"error": 1}, "FILE: panels.adult.known: unknown key 'error'"),
        ("panels.adult.known", {"mistakes": "few"}, "FILE: panels.adult.known.mistakes=few .* give a number"),
        ("solvers.sbp.known", {"adlut": 1.0}, "unknown key 'adlut'; did you mean 'adult'"),
        ("peer", "svc", "FILE: peer=svc is not allowed: give one of the solvers, in a table"),
    ],
)
def test_a_wrong_table_is_told_where(listing, path, value, sentence):
    change(listing, path, value)
    with pytest.raises(UserError, match=sentence):
        read("x", listing, "FILE")


def change(content, path, value):
    *parents, last = path.split(".")
    for key in parents:
        content = content[key]
    if value is None:
        del content[last]
    else:
        content[last] = value


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("title", None, "FILE: the key 'title' is missing"),
        ("colour", "red", "FILE: unknown key 'colour'"),
        ("counters", ["kev_ondemandd"], "FILE: unknown counter 'kev_ondemandd'; did you mean 'kev_ondemand'"),
        ("panels", {}, "FILE: panels must be a section with keys"),
        ("panels.adult.z", [1, 2], "FILE: panels.adult: unknown key 'z'"),
        ("panels.adult.x", [1e9, 1e6], "FILE: panels.adult.x=.* two positive numbers, the smaller one first"),
        ("panels.adult.y", [0, 20], "FILE: panels.adult.y=.* two positive numbers"),
        (
            "solvers.sbp.seeds",
            [0, 0],
            "FILE: solvers.sbp.seeds must be different whole numbers of at least 0",
        ),
        ("solvers.sbp.seeds", [-1], "FILE: solvers.sbp.seeds must be"),
        ("solvers.sbp.seeds", [True], "FILE: solvers.sbp.seeds must be"),
        ("solvers.sbp.seeds", [], "FILE: solvers.sbp.seeds must be"),
    ],
)
def test_a_wrong_file_is_told_where(content, path, value, sentence):
    change(content, path, value)
    with pytest.raises(UserError, match=sentence):
        read("x", content, "FILE")


def test_a_wrong_override_is_told(content):
    content["overrides"].append("kernel.gama=1")
    with pytest.raises(UserError, match="gama"):
        read("x", content, "FILE").runs()
