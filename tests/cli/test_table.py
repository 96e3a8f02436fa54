"""`svmbench table`: cells, the best of a row, formats and what is refused."""

import csv
import io
import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from svmbench.analysis.cells import At, _ordered, cells
from svmbench.cli.main import main
from svmbench.errors import UserError
from svmbench.store import Store
from tests.figures.stored import ALONE, store_optimum, stored_run
from tests.told import answer, names, output, refusal

COSTS = [100.0, 200.0, 400.0]


def store(root, solver, ends, dataset="adult", **options):
    """Store a run for each of the last errors, in percent."""
    return [
        stored_run(root, solver, dataset, seed, costs=COSTS, errors=[40, 30, end], **options)
        for seed, end in enumerate(ends)
    ]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root, eight = tmp_path_factory.mktemp("made"), np.arange(8) / 10
    store(root, "sbp", 10.0 + eight)
    store(root, "pegasos", 12.0 + eight)
    store(root, "smo", [11.0])
    store(root, "sbp", 5.0 + eight, "mnist")
    store(root, "pegasos", 5.0 + eight[::-1], "mnist")
    return root


@pytest.fixture
def results(here, made):
    return shutil.copytree(made, here / "results")


def table(capsys, *arguments):
    return output(capsys, ["table", *arguments])


def test_rows_are_data_sets_and_columns_solvers_with_mean_and_deviation(results, capsys):
    head, _, adult, mnist, _, caption = table(capsys).splitlines()
    assert [cell.strip() for cell in head.split("|")[1:-1]] == ["data set", "SBP", "Pegasos", "SMO"]
    assert [cell.strip() for cell in adult.split("|")[1:-1]] == [
        "adult", "**10.35 ± 0.24**", "12.35 ± 0.24", "11.00",
    ]  # fmt: skip
    assert [cell.strip() for cell in mnist.split("|")[1:-1]] == ["mnist", "5.35 ± 0.24", "5.35 ± 0.24", "–"]
    assert names(caption, "Test error (%)", "mean ± standard deviation over 8 seeds")


def test_the_median_stands_with_its_quartiles(results, capsys):
    text = table(capsys, "sbp-adult-*", "--average", "median")
    assert "10.35 (10.17 to 10.53)" in text and "median (quartiles) over 8 seeds" in text


def test_values_are_those_of_the_same_cost(results, capsys):
    text = table(capsys, "sbp-adult-*", "--at", "kev_ondemand=250")
    assert "30.00 ± 0.00" in text and "Test error (%) at kev_ondemand = 250" in text
    words = ["--metric", "kev_ondemand", "--at", "test_error=0.1065", "--average", "median"]
    text = table(capsys, "*-adult-*", *words)
    assert "400 (400 to 400)" in text and "until test_error stays at or below 0.1065" in text
    assert text.count("not reached") == 3  # two cells and the caption
    words[3] = "test_error=0.1041"
    assert "400 (400 to not reached)" in table(capsys, "sbp-adult-*", *words)


def test_a_cost_of_a_target_is_that_from_which_a_run_stays_there(here, capsys):
    stored_run(here / "results", "pegasos", costs=COSTS, errors=[9, 30, 10], relative_gap=[0.9, 0.4, 0.3])
    words = ["--metric", "kev_ondemand", "--at", "test_error=0.1"]
    assert " 400 |" in table(capsys, *words).splitlines()[2]
    text = table(capsys, "--metric", "kev_ondemand", "--at", "relative_gap=0.5")
    assert "until relative_gap stays at or below 0.5" in text


def test_a_caption_says_over_how_many_seeds_nothing_differs(here, capsys):
    for solver in ("sbp", "pegasos"):
        store(here / "results", solver, [10.0, 10.1, 10.2])
    said = "Nothing is bold: no difference within a row is significant over 3 seeds."
    assert said in table(capsys, "--format", "tex") and said in table(capsys)


def test_a_run_that_does_not_get_to_the_cost_is_left_out(results, capsys):
    stored_run(results, "sbp", seed=9, costs=[100], errors=[40])
    out, error = answer(capsys, ["table", "sbp-adult-*", "--at", "kev_ondemand=400", "--json"])
    (cell,) = json.loads(out)["cells"]
    assert cell["seeds"] == 8 and "it is not known at kev_ondemand = 400" in error


def best(runs, **options):
    found = cells(runs, ["dataset"], ["solver"], ["test_error"], At(), "mean", **options)
    return {column[0] for (_, column, _), cell in found.cells.items() if cell.best}


def test_the_best_is_bold_with_what_the_test_does_not_tell_from_it(tmp_path):
    runs = store(tmp_path, "sbp", [10.0, 10.1, 10.2, 10.3, 10.4, 10.5, 10.6])
    runs += store(tmp_path, "pegasos", [12.0, 12.1, 12.2, 12.3, 12.4, 12.5, 12.6])
    assert best(runs) == {"SBP"}
    runs += store(tmp_path, "sdca", [10.6, 10.0, 10.3, 10.1, 10.5, 10.4, 10.2])
    assert best(runs) == {"SBP", "SDCA"}


def test_no_cell_is_bold_where_no_test_could_tell(tmp_path):
    runs = store(tmp_path, "sbp", [1.0, 1.1, 1.2, 1.3, 1.4]) + store(tmp_path, "pegasos", [40.0] * 5)
    assert best(runs) == set()  # five pairs cannot come below 0.0625
    assert best(store(tmp_path, "smo", [3.0]) + store(tmp_path, "gpdt", [30.0])) == set()


def test_one_run_of_a_solver_without_random_choices_stands_for_every_seed(tmp_path):
    runs = store(tmp_path, "pegasos", [12.0, 12.1, 12.2, 12.3, 12.4, 12.5]) + store(tmp_path, "smo", [10.0])
    assert best(runs) == set() and best(runs, seedless={"smo"}) == {"SMO"}
    assert best(runs[-1:] + store(tmp_path, "gpdt", [11.0]), seedless={"smo", "gpdt"}) == {"SMO"}


def test_holm_corrects_for_all_comparisons_of_a_row(tmp_path):
    noise = np.random.default_rng(0)
    runs = store(tmp_path, "sbp", [10.0] * 6)
    for k in range(6):  # each alone has p = 1/32, of the six together none is below 0.05
        config = {"solver": {"name": "sdca", "k": k}}
        runs += store(tmp_path, "sdca", 10.0 + noise.uniform(0.1, 1.0, 6), config=config)
    marked = []
    for some in (runs[:12], runs):
        found = cells(some, ["dataset"], ["solver", "solver.k"], ["test_error"], At(), "mean")
        marked.append(sum(cell.best for cell in found.cells.values()))
    assert marked == [1, 0]


def test_runs_of_a_cell_that_differ_in_more_than_the_seed_are_refused(results, capsys):
    store(results, "sbp", [9.0], config={"kernel": {"name": "gaussian", "gamma": 1.0}})
    error = refusal(capsys, ["table", "sbp-*"])
    assert "(dataset adult, solver SBP) differ in kernel.gamma: add it to --rows or --columns" in error
    text = table(capsys, "sbp-*", "--columns", "solver,kernel.gamma")
    assert "SBP, γ = 0.05" in text and "SBP, γ = 1" in text


def test_a_small_number_is_written_as_in_papers(results, capsys):
    store(results, "sbp", [9.0], config={"kernel": {"name": "gaussian", "gamma": 2.0**-15}})
    assert "| 2⁻¹⁵ " in table(capsys, "sbp-*", "--rows", "dataset,kernel.gamma")
    exact = table(capsys, "sbp-*", "--rows", "kernel.gamma,dataset", "--json")
    assert '"kernel.gamma": 3.0517578125e-05' in exact


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("abc", r"solver\.a, solver\.b, solver\.c: add"),
        ("abcde", r"solver\.a, solver\.b, solver\.c and 2 more: add"),
        ("abcdefgh", r"solver\.a, solver\.b, solver\.c and 5 more: add"),
    ],
)
def test_of_many_keys_that_differ_three_are_named(tmp_path, keys, said):
    runs = [
        store(tmp_path, "sdca", [10.0], config={"solver": {"name": "sdca", **dict.fromkeys(keys, value)}})[0]
        for value in (1, 2)
    ]
    with pytest.raises(UserError, match=f"differ in {said} these to --rows or --columns"):
        best(runs)


def test_of_one_seed_the_run_that_goes_further_is_taken(tmp_path):
    budget = {"name": "x", "counter": "kev_ondemand", "kev": 10.0, "memory": 64}
    short = stored_run(tmp_path, "sbp", costs=[10], errors=[50], config={"budget": budget})
    long = store(tmp_path, "sbp", [10.0])
    for runs in ([short, *long], [*long, short]):
        found = cells(runs, ["dataset"], ["solver"], ["test_error"], At(), "mean")
        (cell,) = found.cells.values()
        assert cell.runs == long
        assert (short.id, f"{long[0].id} is the same run with a larger budget") in found.left_out


def test_seeds_of_different_budgets_are_not_mixed_at_their_ends(tmp_path):
    budget = {"name": "x", "counter": "kev_ondemand", "kev": 10.0, "memory": 64}
    runs = store(tmp_path, "sbp", [10.0])
    runs.append(stored_run(tmp_path, "sbp", seed=1, costs=[150], errors=[50], config={"budget": budget}))
    words = r"differ in budget.kev: add it to --rows or --columns, .* at one cost by --at kev_ondemand=150$"
    with pytest.raises(UserError, match=words):
        cells(runs, ["dataset"], ["solver"], ["test_error"], At(), "mean")
    found = cells(runs, ["dataset"], ["solver"], ["test_error"], At("kev_ondemand", 150.0), "mean")
    (cell,) = found.cells.values()
    assert cell.values == {0: 40.0, 1: 50.0}


def test_the_cost_that_a_refusal_names_is_one_at_which_every_run_is_known(here, capsys):
    root, budget = here / "results", {"name": "x", "counter": "kev_ondemand", "kev": 1e3, "memory": 64}
    stored_run(root, "pegasos", costs=[100, 1200345.6], errors=[50, 20])
    stored_run(root, "pegasos", seed=1, costs=[100, 900], errors=[50, 30], config={"budget": budget})
    stored_run(root, "sbp", costs=[50, 800123.4], errors=[50, 20])
    stored_run(
        root, "smo", costs=[50, 100, 200], errors=[50, 30, 20], status="converged"
    )  # known beyond its end
    said = refusal(capsys, ["table", "*-adult-*"])
    assert "(dataset adult, solver Pegasos) differ in budget.kev: add it to" in said
    words = said.strip().rpartition("--at ")[2]
    assert words == "kev_ondemand=900"
    out, error = answer(capsys, ["table", "*-adult-*", "--at", words, "--json"])
    assert sum(cell["seeds"] for cell in json.loads(out)["cells"]) == 4 and not error
    assert main(["table", "*-adult-*", "--columns", "solver,budget.kev"]) == 0
    for kev in (1e3, 1e4):  # all have converged
        options = {"status": "converged", "config": {"budget": {**budget, "kev": kev}}}
        stored_run(root, "smo", seed=int(kev), costs=[50, 100, 150], errors=[50, 30, 20], **options)
    assert refusal(capsys, ["table", "smo-*"]).endswith("--at kev_ondemand=200\n")


def test_rows_of_numbers_are_in_their_order(tmp_path):
    for gamma in (10.0, 9.0, 0.5):
        store(tmp_path, "sbp", [10.0], config={"kernel": {"name": "gaussian", "gamma": gamma}})
    found = cells(Store(tmp_path).runs(), ["kernel.gamma"], ["solver"], ["test_error"], At(), "mean")
    assert found.rows == [(0.5,), (9.0,), (10.0,)]


def test_programs_get_every_cell_as_stored(results, capsys):
    rows = list(csv.DictReader(io.StringIO(table(capsys, "--format", "csv", "--average", "median"))))
    first = rows[0]
    assert (first["dataset"], first["solver"], first["metric"], first["seeds"]) == (
        "adult",
        "SBP",
        "test_error",
        "8",
    )
    assert float(first["median"]) == pytest.approx(0.1035) and first["best"] == "True"
    document = json.loads(table(capsys, "--json"))
    assert document["cells"][0]["mean"] == pytest.approx(0.1035) and len(document["cells"][0]["runs"]) == 8


def test_latex_has_rules_bold_and_groups_of_columns(results, capsys, tmp_path):
    words = ["--metric", "test_error,iterations", "--label", "tab:a_b", "--caption", "50 % & more"]
    text = table(capsys, "--format", "tex", *words)
    parts = (
        r"\caption{50 \% \& more}",
        r"\label{tab:a_b}",
        r"\multicolumn{2}{c}{SBP}",
        r"\cmidrule(lr){2-3}",
    )
    assert all(part in text for part in (*parts, r"\textbf{10.35 $\pm$ 0.24}"))
    body = [line for line in text.splitlines() if line.endswith(r"\\")]
    wider = [sum(int(n) - 1 for n in re.findall(r"multicolumn\{(\d)", line)) for line in body]
    assert {line.count(" & ") + more for line, more in zip(body, wider, strict=True)} == {6}
    if shutil.which("pdflatex") is not None:
        whole = r"\documentclass{article}\usepackage{booktabs}\begin{document}" + text + r"\end{document}"
        (tmp_path / "x.tex").write_text(whole)
        command = ["pdflatex", "-halt-on-error", "x.tex"]
        subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)


def test_files_are_written_in_every_format(results, here, capsys):
    assert main(["table", "--format", "md", "tex", "csv", "-o", "out/mine.tex"]) == 0
    assert capsys.readouterr().out.split() == ["out/mine.md", "out/mine.tex", "out/mine.csv"]
    assert "booktabs" in (here / "out" / "mine.tex").read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--metric", "eror"], "metric 'eror' cannot be drawn: give one of "),
        (["--rows", "kernel.gama"], "no run has a key 'kernel.gama'; did you mean 'kernel.gamma'?"),
        (["--rows", ","], "',' names nothing: give one or more names with commas between them"),
        (["--at", "kev=1"], "--at kev is unknown: give one of end, iterations, "),
        (["--at", "1e8"], "--at 1e8 is not allowed: give end, or NAME=NUMBER, such as kev_ondemand=1e8"),
        (["--at", "kev_ondemand=x"], "--at kev_ondemand=x is not allowed"),
        (["--at", "test_error=0.1"], "is a target, and test_error is not a cost: give"),
        (["--format", "md", "csv"], "--format md csv writes 2 files: give -o PATH, or one format"),
        (["--format", "tex", "--label", "a}b"], "--label a}b is not allowed: give letters, digits"),
        (["-o", "."], "-o . names no file: give a name, such as mine"),
        (["--average", "mode"], "invalid choice: 'mode' (choose from 'mean', 'median')"),
        (["--metric", "support_vectors"], "no cell of the table can be filled (sbp-adult-"),
    ],
)
def test_mistakes_are_told(results, arguments, sentence, capsys):
    assert sentence in refusal(capsys, ["table", *arguments])


def test_runs_left_out_are_told_once_for_each_reason(results, capsys):
    for seed in range(20, 24):
        stored_run(results, "sbp", seed=seed, costs=[100], errors=[40])
    words = ["--metric", "test_error,primal_objective", "--at", "kev_ondemand=400"]
    error = answer(capsys, ["table", "sbp-adult-*", *words]).err.splitlines()
    assert len(error) == 2 and all(re.match(r"left out: sbp-adult-\S+ and ", line) for line in error)
    assert "and 3 more: it is not known at kev_ondemand = 400" in error[0]
    assert "and 11 more: " in error[1] and "primal_objective" in error[1]


def test_numbers_of_a_column_have_the_same_number_of_digits(here, capsys):
    for dataset, seconds in (("adult", 0.16), ("mnist", 0.0714), ("usps", 123.4), ("w8a", 12.35)):
        stored_run(here / "results", "sbp", dataset, costs=[100], errors=[40], cpu_seconds=[seconds])
    lines = table(capsys, "--metric", "cpu_seconds").splitlines()[2:6]
    assert [line.split("|")[2].strip() for line in lines] == ["0.160", "0.0714", "123", "12.3"]
    lines = table(capsys, "sbp-adult-*", "sbp-usps-*", "--metric", "cpu_seconds").splitlines()[2:4]
    assert [line.split("|")[2].strip() for line in lines] == ["0.16", "123.4"]


def test_only_seconds_need_a_machine_of_their_own(tmp_path):
    busy = {**ALONE, "others": 0.9}
    runs = store(tmp_path, "sbp", [10.0], cpu_seconds=[1.0, 2.0, 3.0])
    runs += [
        stored_run(
            tmp_path, "sbp", seed=1, costs=COSTS, errors=[40, 30, 20], cpu_seconds=[1, 2, 3], load=busy
        )
    ]
    found = cells(runs, ["dataset"], ["solver"], ["test_error", "cpu_seconds"], At(), "mean")
    values = {metric: cell.values for (_, _, metric), cell in found.cells.items()}
    assert values == {"test_error": {0: 10.0, 1: 20.0}, "cpu_seconds": {0: 3.0}}
    assert [name for name, _ in found.left_out] == [runs[1].id]


def test_metrics_of_the_optimum_have_its_bound(tmp_path):
    store_optimum(tmp_path, primal=0.3, dual=0.3)
    runs = store(tmp_path, "sbp", [10.0], primal_objective=[0.9, 0.6, 0.45])
    found = cells(runs, ["dataset"], ["solver"], ["suboptimality"], At(), "mean")
    (cell,) = found.cells.values()
    assert cell.values == {0: pytest.approx(0.5)}


def test_values_at_seconds_are_those_of_the_checkpoint_before(tmp_path):
    budget = {"name": "x", "counter": "kev_ondemand", "kev": 10.0, "memory": 64}
    runs = store(tmp_path, "sbp", [10.0], cpu_seconds=[1.0, 2.0, 3.0])
    more = {"cpu_seconds": [1.0, 2.5, 4.0], "config": {"budget": budget}}
    runs.append(stored_run(tmp_path, "sbp", seed=1, costs=COSTS, errors=[50, 45, 5], **more))
    found = cells(runs, ["dataset"], ["solver"], ["test_error"], At("cpu_seconds", 2.2), "mean")
    (cell,) = found.cells.values()
    assert cell.values == {0: 30.0, 1: 50.0}


def test_an_end_is_known_of_a_run_whose_own_cost_was_not_observed(tmp_path):
    runs = store(tmp_path, "sbp", [10.0], kev_ondemand=[np.nan] * 3)
    found = cells(runs, ["dataset"], ["solver"], ["test_error"], At("".join("end")), "mean")
    assert [cell.values for cell in found.cells.values()] == [{0: 10.0}]


def test_a_refusal_names_three_runs_at_most(tmp_path):
    runs = store(tmp_path, "sbp", [10.0] * 5)
    with pytest.raises(UserError, match="no cell of the table can be filled") as refused:
        cells(runs, ["dataset"], ["solver"], ["support_vectors"], At(), "mean")
    assert str(refused.value).count("sbp-adult-") == 3


def test_of_two_runs_with_the_same_count_the_one_that_took_longer_is_taken(tmp_path):
    budget = {"name": "x", "counter": "kev_ondemand", "kev": 10.0, "memory": 64}
    (slow,) = store(tmp_path, "sbp", [10.0], wall_seconds=[1.0, 2.0, 3.0])
    (quick,) = store(tmp_path, "sbp", [20.0], wall_seconds=[0.1, 0.2, 0.3], config={"budget": budget})
    for runs in ([slow, quick], [quick, slow]):
        found = cells(runs, ["dataset"], ["solver"], ["test_error"], At(), "mean")
        assert [cell.runs for cell in found.cells.values()] == [[slow]]


@pytest.mark.parametrize("random", [{"features": {"name": "nystrom", "s": 64}}, {"subset": 100}])
def test_a_solver_on_a_random_part_of_the_data_has_random_choices(tmp_path, random):
    runs = store(tmp_path, "pegasos", [12.0, 12.1, 12.2, 12.3, 12.4, 12.5])
    runs += store(tmp_path, "smo", [10.0], config=random)
    assert best(runs, seedless={"smo"}) == set()


def test_labels_are_ordered_by_value_if_they_are_numbers_and_else_as_they_appear():
    labels = [("b",), (10.0,), ("a",), (9.0,), ("b",)]
    assert _ordered(labels) == [(9.0,), (10.0,), ("b",), ("a",)]
    assert _ordered([(True,), (False,)]) == [(True,), (False,)]
    assert _ordered([("x", 2.0), ("y", 1.0), ("x", 1.0)]) == [("x", 1.0), ("x", 2.0), ("y", 1.0)]
