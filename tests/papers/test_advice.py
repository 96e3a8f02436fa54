"""Advice from runs whose outcome is known."""

import json
import shlex
from dataclasses import replace

import numpy as np
import pytest

from svmbench.cli.main import main
from svmbench.errors import UserError
from svmbench.papers import summary
from svmbench.papers.advice import _overrides, _shown, advise, amount, nearness
from svmbench.papers.method_costs import OPTIMUM, WISHES
from svmbench.papers.runs import Group, Panel
from svmbench.solvers import registry
from svmbench.store import Store, StoredRun
from tests.papers.written import artifact, errors, material, store
from tests.told import answer, output, refusal

#: Shapes of the data sets: the nearest to (100, 2) are s0, s1 and s2.
SHAPES = {f"s{k}": (100 * 4**k, 2 + k * k) for k in range(7)}
PANELS = [
    Panel(name, f"Set {name}", f"dataset=checkerboard dataset.seed={seed}")
    for seed, name in enumerate(SHAPES)
]

#: Test errors at the two checkpoints; the optimum has 10 %.
ERRORS = {"decomposition": (30, 10), "smo": (40, 10.3), "sbp": (10.4, 10.4), "pegasos": (50, 20)}

#: Seconds at the end in units of 1e-4 times the rows, if not 1, and size of the model there, if not 100.
SECONDS, SIZES = {"smo": 3.0}, {"sbp": 20}

ALONE = {"seconds": 5.0, "others": 0.0, "stolen": 0.0, "cores": 2}


@pytest.fixture
def found(tmp_path):
    """SBP is soon good, decomposition and SMO end by their own rules; SMO takes three times as long."""
    return stored(tmp_path, ERRORS)


def stored(root, known, *, lines=None, stopped=(), peaks=None, error=0.1, loads=None, before=None, **options):
    """Runs with these errors; on the data sets in `stopped`, exact methods are stopped before their end."""
    counters = "cpu_seconds kev_ondemand prediction"
    made = artifact(lines or list(known), kind="front", panels=PANELS, counters=counters, **options)
    optima = {
        panel: Store(root).put_optimum(
            {"key": f"{k}", "primal": 0.3, "dual": 0.3, "test_error": one, "empty_test_error": 0.5}
        )
        for k, (panel, one) in enumerate(
            (error if isinstance(error, dict) else dict.fromkeys(SHAPES, error)).items()
        )
    }
    for planned in made.runs.planned():
        name, (rows, columns) = planned.solver, SHAPES[planned.panel]
        settings = dict(planned.over)
        exact = registry.get(planned.config.solver.name).exact
        took = 1e-4 * rows * SECONDS.get(name, 0.1 if settings.get("solver.early") else 1.0)
        size = settings.get("solver.budget", SIZES.get(name, 100))
        ends = known[name][planned.panel] if isinstance(known[name], dict) else known[name]
        trace = [
            {**row, "cpu_seconds": took * part, "support_vectors": round(size * part)}
            for row, part in zip(errors(*ends), (0.4, 1.0), strict=True)
        ]
        store(
            root,
            planned,
            trace,
            status="converged" if exact and planned.panel not in stopped else "budget",
            load=(loads or {}).get((name, planned.panel), ALONE),
            shape=(rows, columns),
            peak_memory=12.4 if peaks is None else peaks[planned.panel],
            optimum=optima[planned.panel],
            runs_before=(before or {}).get(name, 0),
        )
    return material(made, root)


def test_the_method_near_the_least_on_all_data_sets_is_recommended_for_each_wish(found):
    advice = {one.wish: one for one in advise(summary.of(found), 100, 2)}
    assert list(advice) == list(WISHES)
    assert advice[OPTIMUM].method == "Decomposition"
    assert advice[OPTIMUM].overrides == ("solver=decomposition",)
    assert [title for title, _, _ in advice[OPTIMUM].evidence[:3]] == ["Set s0", "Set s1", "Set s2"]
    assert advice[OPTIMUM].evidence[0][1] == "0.01 s"
    assert advice["a low test error early"].method == "SBP"
    assert advice["a small model"].method == "SBP"
    assert advice["a small model"].evidence[0][1] == "20 support vectors or features"
    choice = advice["a small model"].choice
    assert (choice.near, choice.problems, choice.right, choice.tried, choice.ahead) == (7, 7, 7, 7, True)
    # At random: one of four methods.
    assert choice.chance == pytest.approx(7 / 4)


def test_there_is_no_advice_where_each_data_set_has_another_best_method(tmp_path, capsys, monkeypatch):
    names = ("sbp", "sbp", "sbp", "pegasos", "pegasos", "perceptron", "perceptron")
    best = dict(zip(SHAPES, names, strict=True))
    known = {name: {s: (10, 10) if name == best[s] else (50, 50) for s in SHAPES} for name in names}
    made = stored(tmp_path, known)
    (small,) = (one for one in advise(summary.of(made), 100, 2) if one.wish == "a small model")
    assert (small.choice.near, small.choice.right, small.choice.ahead) == (3, 3, False)
    assert small.evidence[3][1] == "does not get there, the least 100 (Pegasos)"
    monkeypatch.setattr("svmbench.papers.summary.read", lambda: summary.of(made))
    out = output(capsys, ["advise", "dataset=banana"])
    assert (
        "a small model: no advice, because no method is clearly ahead; SBP ranks first\n  compared: " in out
    )
    sure = "such a choice is right on 3 of 7 data sets that it did not use; a method drawn at random, on 2.3"
    assert sure in out
    assert "svmbench run" not in out


@pytest.mark.parametrize(("clean_one", "noisy_one"), [("pegasos", "sbp"), ("sbp", "pegasos")])
def test_whichever_of_two_methods_is_ahead_on_noisy_data_is_shown(tmp_path, clean_one, noisy_one):
    clean = ("s0", "s1", "s2", "s3", "s4")
    known = {
        clean_one: {s: (2, 2) if s in clean else (50, 50) for s in SHAPES},
        noisy_one: {s: (50, 50) if s in clean else (20, 20) for s in SHAPES},
        "perceptron": dict.fromkeys(SHAPES, (50, 50)),
        "sdca": dict.fromkeys(SHAPES, (50, 50)),
    }
    made = stored(tmp_path, known, error={s: 0.02 if s in clean else 0.2 for s in SHAPES})
    (early,) = (one for one in advise(summary.of(made), 100, 2) if one.wish == "a low test error early")
    assert early.choice.method == clean_one
    assert [choice.method for _, _, choice in early.noise.values()] == [noisy_one]


def test_a_method_that_is_ahead_on_noisy_data_only_is_shown_beside_the_advice(tmp_path, capsys, monkeypatch):
    # The optimum has 2 % on s0 to s4 and 20 % on s5 and s6.
    clean = ("s0", "s1", "s2", "s3", "s4")
    known = {
        "sbp": {s: (2, 2) if s in clean else (50, 50) for s in SHAPES},
        "bsgd": {s: (50, 50) if s in clean else (20, 20) for s in SHAPES},
        "pegasos": dict.fromkeys(SHAPES, (50, 50)),
    }
    error = {s: 0.02 if s in clean else 0.2 for s in SHAPES}
    groups = [
        Group(1, "sbp pegasos"),
        Group(1, "bsgd", over={"solver.budget": [50, 100]}),
    ]
    made = stored(tmp_path, known, groups=groups, error=error)
    (small,) = (one for one in advise(summary.of(made), 100, 2) if one.wish == "a small model")
    assert (small.method, small.choice.ahead, small.never) == ("SBP", True, ["Set s5", "Set s6"])
    ((group, (title, overrides, choice)),) = small.noise.items()
    assert (group, title) == ("optimum's test error at least 5 %", "BSGD")
    assert overrides == ("solver=bsgd", "solver.budget=50,100")
    assert (choice.right, choice.tried) == (2, 2)
    # The first model of noisy data errs on at least 5 %, so SBP may not be ahead on them.
    for first, doubted in ((None, []), (4.9, []), (5.0, [f"data with an {group}"])):
        (told,) = (one for one in advise(summary.of(made), 100, 2, None, first) if one.wish == small.wish)
        assert list(told.doubt) == doubted
    monkeypatch.setattr("svmbench.papers.summary.read", lambda: summary.of(made))
    small = output(capsys, ["advise", "dataset=banana"]).split("a small model: SBP")[1].split("\n\n")[0]
    doubt = f"  not sure on data with an {group}: such a choice is right on 2 of 2 of them\n"
    assert small.startswith(f"\n{doubt}  svmbench run")
    assert "\n  does not get there with any of its settings on: Set s5; Set s6\n" in small
    instead = "\n  optimum's test error at least 5 %: BSGD, right on 2 of 2 such data sets\n"
    assert f"{instead}    svmbench run -m dataset=banana solver=bsgd solver.budget=50,100" in small


def test_an_interval_of_no_width_is_not_shown(tmp_path, capsys, monkeypatch):
    # Each run takes the same memory, so the least is known, but no interval.
    made = stored(tmp_path, ERRORS, peaks=dict.fromkeys(SHAPES, 50.0))
    monkeypatch.setattr("svmbench.papers.summary.read", lambda: summary.of(made))
    out = output(capsys, ["advise", "dataset=banana", "dataset.n_train=50"])
    assert "expected memory: about 50 MiB, the least of all runs\n" in out


def test_the_forecast_is_that_of_the_measured_power(found):
    (optimum, early, *_) = advise(summary.of(found), 1_000_000, 10)
    assert optimum.seconds.value == pytest.approx(100.0, rel=1e-3)
    # SBP stays near the optimum's 10 % from the first checkpoint.
    assert early.seconds.value == pytest.approx(40.0, rel=1e-3)
    assert optimum.memory.value == pytest.approx(12.4, rel=1e-3)


def test_no_less_memory_is_expected_than_was_ever_measured(tmp_path):
    # 50 MiB of the program, which no data set can do without, and the examples.
    peaks = {name: 50.0 + rows * columns / 1000.0 for name, (rows, columns) in SHAPES.items()}
    found = stored(tmp_path, ERRORS, peaks=peaks)
    (small, *_), (large, *_) = advise(summary.of(found), 10, 2), advise(summary.of(found), 100_000, 38)
    assert small.memory.low == min(peaks.values()) <= small.memory.value
    assert large.memory.low > min(peaks.values())


def test_data_sets_where_the_method_did_not_get_there_are_counted(tmp_path, capsys, monkeypatch):
    found = stored(tmp_path, ERRORS, stopped=("s6",))
    (optimum, *_) = advise(summary.of(found), 100, 2)
    assert (optimum.seconds.sets, optimum.missed) == (6, 1)
    monkeypatch.setattr("svmbench.papers.summary.read", lambda: summary.of(found))
    told = output(capsys, ["advise", "dataset=banana"])
    assert told.count("or more: on 1 other data set it did not get there in time, or was disturbed") == 1


def test_the_command_has_all_settings_that_were_compared(tmp_path, capsys, monkeypatch):
    groups = [
        Group(1, "bsgd", over={"solver.budget": [50, 100]}),
        Group(1, "pegasos"),
    ]
    found = stored(tmp_path, {"bsgd": (20, 10), "pegasos": (50, 20)}, groups=groups)
    assert {one.overrides for one in advise(summary.of(found), 100, 2)} == {
        ("solver=bsgd", "solver.budget=50,100")
    }
    monkeypatch.setattr("svmbench.papers.summary.read", lambda: summary.of(found))
    out = output(capsys, ["advise", "dataset=banana"])
    assert "  svmbench run -m dataset=banana solver=bsgd solver.budget=50,100\n" in out
    assert "extrapolated" not in out


def test_every_command_that_is_printed_can_be_planned(tmp_path, capsys, monkeypatch, found):
    monkeypatch.chdir(tmp_path)  # no runs are stored there; in this checkout there are thousands
    monkeypatch.setattr("svmbench.papers.summary.read", lambda: summary.of(found))
    assert main(["advise", "dataset=banana"]) == 0
    printed = [shlex.split(line) for line in capsys.readouterr().out.splitlines() if "svmbench run" in line]
    assert len(printed) == 5
    for words in printed:
        assert words[:2] == ["svmbench", "run"]
        assert main(["plan", *(word for word in words[2:] if word != "-m")]) == 0


def test_its_commands_name_the_folder_of_ones_own_options(tmp_path, capsys, monkeypatch, found):
    monkeypatch.chdir(tmp_path)  # no runs are stored there; in this checkout there are thousands
    monkeypatch.setattr("svmbench.papers.summary.read", lambda: summary.of(found))
    (tmp_path / "mine" / "dataset").mkdir(parents=True)
    (tmp_path / "mine" / "dataset" / "board.yaml").write_text(
        "name: checkerboard\nn_train: 100\nsuggested: {gamma: 1.0, C: 1.0}\n"
    )
    own = ["--config-dir", str(tmp_path / "mine")]
    out = output(capsys, ["advise", "dataset=board", *own])
    printed = [shlex.split(line) for line in out.splitlines() if "svmbench run" in line]
    assert len(printed) == 5
    for words in printed:
        assert main(["plan", *(word for word in words[2:] if word != "-m")]) == 0


def test_data_far_from_the_comparison_are_said_to_be(tmp_path, capsys, monkeypatch, found):
    monkeypatch.setattr("svmbench.papers.summary.read", lambda: summary.of(found))
    brief = summary.of(found)
    assert nearness(brief, 100, 2, 1.0).ratio == 0.0
    # s3 has 4 times the rows of s2, and 11 columns for 6; only one data set is farther from its nearest.
    near, far = nearness(brief, 409_600 * 4, 38, 1.0), nearness(brief, 409_600 * 5, 38, 1.0)
    assert (near.far, far.far, far.nearest["title"]) == (False, True, "Set s6")
    words = ["advise", "dataset=banana", "dataset.n_train=10"]
    out = output(capsys, words)
    assert "the nearest is Set s0: 100 examples, 2 columns\nfar from all of them, 1." in out
    assert "the optimum: not sure on data so far from those compared; there, it is Decomposition" in out
    assert "expected at its end: less than 0.01 s (up to 0.001, 80 % interval from 7 data sets)" in out
    told = json.loads(output(capsys, [*words, "--json"]))
    assert (told["far"], told["nearest"]) == (True, "Set s0") and told["distance"] > 1.0


def test_no_single_data_set_decides_what_is_far(found):
    brief = summary.of(found)
    before = nearness(brief, 409_600 * 5, 38, 1.0).ratio
    sets = {**brief.sets, "lonely": {**brief.sets["s0"], "columns": 10**6}}
    assert nearness(replace(brief, sets=sets), 409_600 * 5, 38, 1.0).ratio <= 1.1 * before


def test_data_as_noisy_are_nearer(found):
    brief = summary.of(found)
    sets = {name: {**one, "first": 20.0 if name == "s2" else 1.0} for name, one in brief.sets.items()}
    noisy = replace(brief, sets=sets)
    assert nearness(noisy, *SHAPES["s3"], 0.5).nearest["title"] == "Set s3"
    assert nearness(noisy, *SHAPES["s3"], 0.5, 20.0).nearest["title"] == "Set s2"


def test_evidence_is_in_the_order_of_the_distance_that_is_said(found):
    brief = summary.of(found)
    sets = {
        name: {**one, "first": 20.0 if name == "s2" else 1.0, "sparse": name in ("s0", "s1")}
        for name, one in brief.sets.items()
    }
    brief = replace(brief, sets=sets)
    for described in ((0.5,), (0.5, 20.0), (0.1, 1.0), (None, 1.0)):
        near = nearness(brief, *SHAPES["s3"], *described).nearest["title"]
        for one in advise(brief, *SHAPES["s3"], *described):
            assert one.evidence[0][0] == near
    # Beyond the two sparse ones, those as noisy are nearer than the one of the nearest shape.
    first = advise(brief, *SHAPES["s2"], 0.1, 1.0)[0]
    assert [title for title, *_ in first.evidence][:4] == ["Set s1", "Set s0", "Set s3", "Set s4"]


def test_the_noise_of_the_data_is_said(tmp_path, capsys, monkeypatch):
    # A cross: a line errs on half of it, the first model on almost none; labels turned at random are noise.
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (4000, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0.0, 1, -1)
    monkeypatch.chdir(tmp_path)
    told = {}
    for name, share in (("clean", 0.0), ("noisy", 0.2)):
        turned = np.where(rng.random(4000) < share, -y, y)
        np.savetxt(f"{name}.csv", np.column_stack([X, turned]), delimiter=",", fmt="%.6g")
        words = ["advise", "dataset=file", f"dataset.path={name}.csv", "kernel.gamma=4", "problem.C=1"]
        told[name] = json.loads(output(capsys, [*words, "--json"]))["first_error"]
        out = output(capsys, words)
        assert f"noise: a first model on at most 1,000 examples errs on {told[name]:.3g} %" in out
        # Which method is ahead may depend on the noise: where there is little, only that is shown.
        assert ("optimum's test error at least 5 %" in out) == (name == "noisy")
    assert told["clean"] < 4.0 and 17.0 < told["noisy"] < 27.0


def test_sparse_data_are_compared_with_sparse_ones(found):
    brief = summary.of(found)
    sets = {name: {**one, "sparse": name in ("s0", "s1")} for name, one in brief.sets.items()}
    sparse = replace(brief, sets=sets)
    assert nearness(sparse, *SHAPES["s3"], 0.1).nearest["title"] == "Set s1"
    assert nearness(sparse, *SHAPES["s3"], 0.5).nearest["title"] == "Set s3"
    assert nearness(sparse, *SHAPES["s1"], None).nearest["title"] == "Set s2"


def test_a_method_that_is_not_ahead_on_sparse_data_is_doubted_there(found):
    brief, wish = summary.of(found), "a small model"
    sets = {name: {**one, "sparse": name in ("s0", "s1", "s2")} for name, one in brief.sets.items()}
    costs = {panel: dict(one) for panel, one in brief.found[wish].items()}
    for panel, method in (("s0", "smo"), ("s1", "decomposition"), ("s2", "pegasos")):
        costs[panel][method] = (1.0, "run")
    sparse = replace(brief, sets=sets, found={**brief.found, wish: costs})
    for density, doubted in ((0.1, ["sparse data"]), (0.5, []), (None, [])):
        (told,) = (one for one in advise(sparse, 100, 2, density) if one.wish == wish)
        assert told.choice.ahead and list(told.doubt) == doubted


def test_the_summary_is_read_as_it_was_written(found, tmp_path, monkeypatch):
    brief = summary.of(found)
    (tmp_path / "summary.json").write_text(brief.text(), encoding="utf-8")
    monkeypatch.setattr(summary.resources, "files", lambda package: tmp_path)
    assert summary.read() == brief
    assert summary.read().found[OPTIMUM]["s0"]["smo"][0] == pytest.approx(0.03)


def test_no_subset_larger_than_the_data_is_recommended():
    brief = summary.read()
    sizes = [
        _overrides(brief, name, rows)[1:] for name in ("sample", "subset") for rows in (200, 2_000, 20_000)
    ]
    assert sizes[:3] == [(), (), ("subset=10000",)]
    assert sizes[3:] == [(), ("subset=250,1000",), ("subset=250,1000,3000",)]
    assert _overrides(brief, "nystrom", 200)[2:] == ("features.s=32,128",)
    budgets = [_overrides(brief, "bsgd", rows)[1:] for rows in (32, 200, 20_000)]
    assert budgets == [(), ("solver.budget=50,200",), ("solver.budget=50,200,800",)]


def test_advice_needs_no_stored_run_and_its_commands_are_whole(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = output(capsys, ["advise", "dataset=banana"])
    assert "compared: 15 data sets" in out and "the nearest is Banana" in out
    # The overrides of a line are words, not letters.
    overrides = summary.read().overrides
    assert overrides["lasvm"] == ("solver=lasvm", "solver.finishing=expansion")
    assert overrides["nystrom"] == ("solver=dcd", "features=nystrom", "features.s=32,128,512")
    assert not list(tmp_path.rglob("run.json"))


def test_a_number_is_shown_in_few_digits():
    assert [amount(value) for value in (0.01234, 999.4, 999.5, 658.0, 12_345.6, 999_999.2, 1e6, 1.25e7)] == [
        "0.0123",
        "999",
        "1,000",
        "658",
        "12,346",
        "999,999",
        "1.0e6",
        "1.2e7",
    ]


def test_a_method_that_costs_as_little_as_the_least_is_compared_with_none(found):
    there = {"sbp": (float("2"), "one"), "smo": (float("2"), "other"), "pegasos": (float("3"), "last")}
    brief = summary.of(found)
    assert _shown(brief, OPTIMUM, there, "smo") == (f"2 {WISHES[OPTIMUM].unit}", "other")
    assert ", the least 2 " in _shown(brief, OPTIMUM, there, "pegasos")[0]


def test_without_the_comparison_there_is_no_advice(tmp_path):
    made = artifact(list(ERRORS), kind="front", panels=PANELS, counters="cpu_seconds")
    with pytest.raises(UserError, match="advice needs 3 data sets with runs and certified optima, and has 0"):
        advise(summary.of(material(made, tmp_path)), 100, 2)
    with pytest.raises(UserError, match="advice needs 3 data sets with runs and certified optima, and has 0"):
        advise(summary.of(stored(tmp_path, ERRORS, error=None)), 100, 2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["dataset=nosuch"], "unknown dataset 'nosuch'"),
        (["dataset=file"], "dataset.path"),
        (["dataset=file", "dataset.path=/nosuch"], "/nosuch"),
        (["mine.svm"], "not allowed: describe the data, as by dataset=adult or dataset=file"),
        (["dataset=banana", "solver=sbp"], "solver=sbp is not allowed: describe the data"),
        (["dataset=banana", "kernel=linear"], "problem.C, problem.lam and problem.multiclass can be given"),
        ([], "KEY=VALUE"),
    ],
)
def test_wrong_use_is_one_sentence(words, message, tmp_path, capsys):
    out, err = answer(capsys, ["advise", *words], 2)
    assert message in err and err.count("\n") == 1 and not out


def test_advice_for_several_classes_is_for_one_of_their_problems(tmp_path, capsys, monkeypatch, found):
    path = tmp_path / "own.csv"
    path.write_text("".join(f"{k},{k * k % 7},{'aab'[k % 3] if k % 4 else 'c'}\n" for k in range(120)))
    monkeypatch.setattr("svmbench.papers.summary.read", lambda: summary.of(found))
    words = ["advise", "dataset=file", f"dataset.path={path}"]
    assert "or all of them by problem.multiclass=one_vs_one" in refusal(capsys, words)
    first, second, *_ = (out := output(capsys, [*words, "problem.multiclass=one_vs_one"])).splitlines()
    assert first == "own: 96 training examples, 2 columns"
    begin, end = (
        "3 classes, 3 binary problems of at most ",
        " examples: the estimates below are for one of them",
    )
    assert second.startswith(begin) and second.endswith(end)
    largest = int(second.removeprefix(begin).removesuffix(end))
    assert 48 < largest < 96
    assert f"svmbench run dataset=file dataset.path={path} problem.multiclass=one_vs_one solver=" in out
    for kind, count, rows in (("one_vs_one", 3, largest), ("one_vs_rest", 3, 96)):
        document = json.loads(output(capsys, [*words, f"problem.multiclass={kind}", "--json"]))
        assert (document["problems"], document["rows"]) == (count, rows)


def test_advice_for_a_file_of_ones_own_in_both_forms(tmp_path, capsys, monkeypatch, found):
    path = tmp_path / "own.csv"
    path.write_text("".join(f"{k},{k * k % 7},{(-1) ** k}\n" for k in range(40)))
    monkeypatch.setattr("svmbench.papers.summary.read", lambda: summary.of(found))
    words = ["advise", "dataset=file", f"dataset.path={path}"]
    out = output(capsys, words)
    assert out.startswith("own: 32 training examples, 2 columns\n")
    tuned = f"svmbench tune dataset=file dataset.path={path}"
    assert f"the commands need kernel.gamma=... and problem.C=..., which {tuned} chooses\n" in out
    command = f"svmbench run dataset=file dataset.path={path} solver=decomposition"
    assert f"the optimum: Decomposition\n  {command}\n" in out
    assert "expected at its end: " in out and "80 % interval from 7 data sets" in out
    document = json.loads(output(capsys, [*words, "--json"]))
    assert document["columns"] == 2
    assert document["advice"][0]["method"] == "Decomposition"
    assert document["advice"][0]["choice"]["ahead"] is True
    assert len(document["advice"][0]["evidence"]) == 7


def test_the_data_set_of_the_same_shape_is_the_most_similar_one(found):
    (optimum,) = (one for one in advise(summary.of(found), *SHAPES["s3"]) if one.wish == OPTIMUM)
    assert [title for title, _, _ in optimum.evidence[:3]] == ["Set s3", "Set s4", "Set s2"]


@pytest.mark.parametrize("sets", [2, 3])
def test_advice_rests_on_three_data_sets_at_least(tmp_path, sets):
    made = stored(
        tmp_path, ERRORS, error=dict.fromkeys(list(SHAPES)[:sets], 0.1) | dict.fromkeys(list(SHAPES)[sets:])
    )
    if sets == 3:
        assert [one.choice.problems for one in advise(summary.of(made), 100, 2)] == [3] * len(WISHES)
        return
    with pytest.raises(UserError, match="advice needs 3 data sets with runs and certified optima, and has 2"):
        advise(summary.of(made), 100, 2)


def test_the_memory_that_is_expected_is_the_most_of_the_method_itself(tmp_path, monkeypatch):
    groups = [
        Group(1, "bsgd", over={"solver.budget": [50, 800]}),
        Group(1, "sbp"),
    ]
    found = stored(tmp_path, {"bsgd": (20, 10), "sbp": (50, 20)}, groups=groups)
    peaks = {"sbp": lambda budget: 90.0, "bsgd": lambda budget: 30.0 if budget == 50 else 20.0}
    own = property(lambda run: peaks[run.solver](run.document["solver"].get("budget")))
    monkeypatch.setattr(StoredRun, "peak_memory", own)
    assert {round(one.memory.value, 9) for one in advise(summary.of(found), 100, 2)} == {30.0}


def test_memory_is_forecast_from_processes_that_made_one_run_only(tmp_path):
    known = {"sbp": (30, 10), "decomposition": (30, 10), "smo": (30, 10)}
    made = stored(tmp_path, known, before={"sbp": 3})
    assert {one.method: one.memory is not None for one in advise(summary.of(made), 100, 2)} == {
        "Decomposition": True,
        "SBP": False,
    }
