"""The page as text: names escaped, nothing loaded, commands that repeat a run, a size that is kept."""

import base64
import gzip
import json
import re
import shlex
import weakref
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from svmbench import config
from svmbench.data.catalogue import OWN, names, schema
from svmbench.errors import UserError
from svmbench.report import build
from svmbench.report.build import page
from svmbench.report.command import command
from svmbench.report.figures import figures, problems
from svmbench.run_config import RunConfig, written
from svmbench.store import Store
from tests.figures.stored import CONFIG, stored_run
from tests.told import output, refusal

COSTS = np.array([100.0, 1000.0, 10000.0])
HOSTILE = "</script><script>bad()</script><img src=x onerror=bad()>\"'&<!--"


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Leave the library out: the page is only read here."""
    monkeypatch.setattr(build, "vega", lambda: "/* charts */")


def tags(text):
    found = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            found.append((tag, dict(attributes)))

    Reader().feed(text)
    return found


def unpacked(text, name):
    packed = re.search(rf'<script type="text/plain" id="{name}">(.*?)</script>', text, re.S)[1]
    return gzip.decompress(base64.b64decode(packed)).decode()


def filled(text, packs=None):
    """The page with all its parts, as its script shows them."""

    def part(found):
        html = json.loads(unpacked(packs or text, found[2]))["html"][int(found[3])]
        return f"{found[1]}{html}</{'section' if found[1].startswith('<section') else 'div'}>"

    tag = r'<(?:section|div) class="[^"]*later"[^>]*data-pack="([^"]*)" data-place="(\d+)">'
    return re.sub(rf"({tag}(?:<h3.*?</h3>)?)</(?:section|div)>", part, text)


def data(text):
    """What the script knows of the figures."""
    names = re.findall(r'<script type="text/plain" id="(pack-\d+)">', text)
    return [figure for name in names for figure in json.loads(unpacked(text, name))["data"]]


def shown(*arguments):
    return filled(page(*arguments))


def test_figures_hold_the_checkpoints_of_each_problem(tmp_path):
    runs = [
        stored_run(tmp_path, solver, dataset, seed, costs=COSTS, errors=[30, 20, 10])
        for solver in ("sbp", "smo")
        for dataset in ("adult", "mnist")
        for seed in (0, 1)
    ]
    found = list(figures(problems(runs)))
    assert [one["title"] for one in found] == ["adult: γ = 0.05, C = 1", "mnist: γ = 0.05, C = 1"]
    assert [method["name"] for method in found[0]["methods"]] == ["SBP", "SMO"]
    assert found[0]["runs"][0]["values"]["kev_rowupdate"] == [100, 1000, 10000]
    assert found[0]["runs"][0]["values"]["test_error"] == [0.3, 0.2, 0.1]
    assert "wall_seconds" not in found[0]["columns"]


def test_a_single_method_is_compared_with_none(tmp_path):
    alone = stored_run(tmp_path, "sbp", costs=COSTS, errors=[30, 20, 10])
    other = stored_run(tmp_path, "smo", costs=COSTS, errors=[30, 20, 10])
    text, both = shown([alone], "Runs"), shown([alone, other], "Runs")
    assert "(1 method, 1 run)" in text and "Median (quartiles). " in text
    assert "(2 methods, 2 runs)" in both and "Median (quartiles); no test over these seeds" in both


def test_problems_are_named_by_what_a_reader_knows_and_stand_in_order(tmp_path):
    runs = [
        stored_run(
            tmp_path, costs=COSTS, errors=[3, 2, 1], rows=rows,
            config={"dataset": {"name": "twonorm", "n_train": rows}, "kernel": kernel},
        )
        for rows in (16000, 2000) for kernel in ({"name": "linear"}, {"name": "gaussian", "gamma": 0.05})
    ]  # fmt: skip
    titles = [one["title"] for one in figures(problems(runs))]
    assert titles == [
        f"twonorm: {kernel}, C = 1 (n_train = {rows}, λ = {lam})"
        for kernel in ("linear kernel", "γ = 0.05")
        for rows, lam in ((2000, "0.0005"), (16000, "6.25e-5"))
    ]


def test_numbers_in_headings_have_three_digits_if_these_distinguish_them(tmp_path):
    for dataset, values in (("adult", [1 / 3000]), ("mnist", [1 / 3000, 0.0003334])):
        for lam in values:
            problem = {"problem": {**CONFIG["problem"], "C": None, "lam": lam}}
            stored_run(tmp_path, dataset=dataset, costs=COSTS, errors=[3, 2, 1], config=problem)
    assert [title for title, _ in problems(Store(tmp_path).runs())] == [
        "adult: γ = 0.05, λ = 0.000333",
        "mnist: γ = 0.05, λ = 0.000333333",
        "mnist: γ = 0.05, λ = 0.0003334",
    ]


def test_the_head_says_in_words_how_runs_ended(tmp_path):
    states = ("budget", "budget", "timeout", "converged")
    runs = [
        stored_run(tmp_path, seed=seed, costs=COSTS, errors=[3, 2, 1], status=status)
        for seed, status in enumerate(states)
    ]
    assert "2 ended at the budget, 1 ended at the time limit, 1 converged." in page(runs, "Four")


def test_thinned_checkpoints_keep_the_first_and_the_last(tmp_path):
    costs = np.geomspace(1, 1e6, 400)
    run = stored_run(tmp_path, costs=costs, errors=np.linspace(50, 10, 400))
    values = next(figures(problems([run]), 30))["runs"][0]["values"]["kev_iter"]
    assert len(values) == 30 and (values[0], values[-1]) == (1, 1e6)


def test_where_a_column_no_longer_jumps_is_found_in_all_checkpoints(tmp_path):
    errors = np.where(np.arange(60) % 2 == 0, 24.0, 76.0)
    errors[40:] = 15.0
    given = {"costs": np.geomspace(10, 1e6, 60), "support_vectors": np.arange(1.0, 61.0)}
    run = stored_run(tmp_path, "smo", errors=errors, **given)
    for kept, calm in ((None, 40), (20, 13), (5, 3)):
        (shown,) = next(figures(problems([run]), kept))["runs"]
        assert shown["calm"] == {"test_error": calm}
        assert shown["values"]["test_error"][calm] == 0.15 != shown["values"]["test_error"][0]
    plain = stored_run(tmp_path, costs=COSTS, errors=[30, 20, 10])
    assert next(figures(problems([plain])))["runs"][0]["calm"] == {}


def test_hostile_names_stay_text(tmp_path):
    run = stored_run(
        tmp_path, "sbp", costs=COSTS, errors=[3, 2, 1], title=HOSTILE,
        config={"dataset": {"name": "file", "path": HOSTILE}, "kernel": {"name": "linear", "x": HOSTILE}},
    )  # fmt: skip
    text = shown([run], HOSTILE)
    found = tags(text)
    plain = tags(shown([run], "A page"))
    scripts = [tag for tag, _ in plain].count("script")
    assert [tag for tag, _ in found].count("script") == scripts and "img" not in [tag for tag, _ in found]
    assert not any("onerror" in attributes for _, attributes in found)
    assert data(text)[0]["methods"][0]["name"] == HOSTILE


def test_nothing_is_loaded_and_everything_is_named(tmp_path):
    found = tags(shown([stored_run(tmp_path, costs=COSTS, errors=[3, 2, 1])], "Mine"))
    for tag, attributes in found:
        assert not {"src", "srcset"} & attributes.keys()
        assert not attributes.get("href", "#").startswith("http") and tag not in ("iframe", "object", "form")
    names = [attributes["id"] for _, attributes in found if "id" in attributes]
    assert len(names) == len(set(names))
    labels = [attributes["aria-labelledby"] for _, attributes in found if "aria-labelledby" in attributes]
    assert len(labels) == 4 and set(labels) <= set(names)
    assert ("html", {"lang": "en"}) in found


def test_a_run_without_checkpoints_is_in_the_table_alone(tmp_path):
    run = stored_run(tmp_path, costs=COSTS, errors=[3, 2, 1])
    failed = stored_run(tmp_path, seed=1, status="failed")
    text = shown([run, failed], "Mine")
    assert len(data(text)[0]["runs"]) == 1 and text.count(failed.id) == 1
    assert data(page([failed], "Mine")) == []


@pytest.mark.parametrize(
    "value", ["a", "my file.csv", "it's", "1e5", "true", "x,y", "a\\", "a\\'b", "ü=1", HOSTILE]
)
def test_text_survives_the_grammar_of_overrides(value):
    overrides = ["dataset=file", f"dataset.path={written(value)}", "kernel.gamma=1", "problem.C=1"]
    assert config.resolve(overrides).dataset.parameters["path"] == value


@pytest.mark.parametrize(
    "overrides",
    [
        ["solver=sbp", "dataset=adult", "solver.nu=0.01", "seed=3", "budget=paper"],
        ["solver=smo", "dataset=mnist", "dataset.task=0-4", "problem.lam=1e-5", "problem.bias=unregularised"],
        ["solver=asset", "dataset=covtype", "features=nystrom", "features.s=64", "budget.kev=1e5"],
        ["dataset=checkerboard", "kernel=polynomial", "kernel.degree=3", "kernel.gamma=1", "problem.C=2"],
        ["dataset=file", "dataset.path=mine.csv", "kernel.gamma=1", "problem.C=2"],
        ["dataset=file", "dataset.path=adult.svm", "dataset.scaling=unit", "kernel.gamma=1", "problem.C=2"],
        ["dataset=file", "dataset.path=mine.csv", "dataset.name=2x", "kernel.gamma=1", "problem.C=2"],
        ["dataset=file", "dataset.path=file.csv", "dataset.positive=1", "kernel.gamma=1", "problem.C=2"],
    ],
)
def test_the_command_composes_to_the_configuration_of_the_run(overrides, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine.csv", "file.csv"):
        Path(name).write_text("1,0.5\n2,0.25\n" * 4)
    Path("adult.svm").write_text("1 1:2\n-1 2:1\n" * 4)
    resolved = config.resolve(overrides)
    words = shlex.split(command(resolved))
    assert words[:2] == ["svmbench", "run"]
    assert config.resolve(words[2:]) == resolved


def test_the_data_set_with_a_path_is_the_users_own():
    """By its path the command tells it from the others, whatever it is called."""
    assert [name for name in names() if "path" in schema(name).__dataclass_fields__] == [OWN]


def test_commands_of_the_page_are_quoted_for_a_shell():
    line = command(RunConfig.of({**CONFIG, "dataset": {"name": "file", "path": "my $(rm) 'x'.csv"}}))
    assert r"dataset.path='my $(rm) \'x\'.csv'" in shlex.split(line)


def test_a_page_keeps_its_limit_by_fewer_checkpoints(tmp_path, monkeypatch):
    costs, errors = np.geomspace(1, 1e9, 60), np.linspace(50, 10, 60)
    runs = [stored_run(tmp_path, seed=seed, costs=costs, errors=errors) for seed in range(4)]
    whole = page(runs, "Four")
    assert "checkpoints at most" not in whole
    monkeypatch.setattr(build, "LIMIT", len(whole.encode()) - 1)
    text = page(runs, "Four")
    assert len(text.encode()) < len(whole.encode()) and "checkpoints at most of each run" in text


def test_a_page_that_cannot_keep_its_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "LIMIT", 2_000)
    with pytest.raises(UserError, match=r"are allowed: name fewer runs"):
        page([stored_run(tmp_path, costs=COSTS, errors=[3, 2, 1])], "Mine")


def test_the_command_line_writes_the_page(tmp_path, capsys, monkeypatch):
    stored_run(tmp_path, costs=COSTS, errors=[3, 2, 1])
    out = tmp_path / "deep" / "page.html"
    titled = ["report", "--results", str(tmp_path), "-o", str(out), "--title", "A & B"]
    assert output(capsys, [*titled, "--all"]).startswith(f"{out}  (1 run, ")
    before = out.read_text()
    assert "<title>A &amp; B</title>" in before
    assert "(1 run, " in output(capsys, titled) and out.read_text() == before
    assert "give runs, or --all" in refusal(capsys, ["report", "--all", "sbp-*", "--results", str(tmp_path)])
    missing = ["report", "--all", "--results", str(tmp_path / "no")]
    assert "give the results folder of your runs" in refusal(capsys, missing)
    monkeypatch.chdir(tmp_path)
    assert "make a run with: svmbench run" in refusal(capsys, ["report"])
    assert len(Store(tmp_path).runs()) == 1


@pytest.mark.parametrize("content", ["5", "[{", '[{"claim": "a", "verdict": "reproduced", "check": "0"}]'])
def test_edited_verdicts_are_refused(tmp_path, capsys, content):
    stored_run(tmp_path, costs=COSTS, errors=[3, 2, 1])
    (tmp_path / "VERDICTS.json").write_text(content)
    words = ["report", "--all", "--results", str(tmp_path), "-o", str(tmp_path / "x.html")]
    assert "VERDICTS.json is damaged" in refusal(capsys, words)


def test_the_first_axis_is_what_the_budgets_count_and_medians_are_offered_for_seeds(tmp_path):
    counting = {"budget": {"name": "x", "counter": "iterations", "kev": 1e3, "memory": 64}}
    runs = [stored_run(tmp_path, seed=s, costs=COSTS, errors=[3, 2, 1], config=counting) for s in range(13)]
    text = shown(runs, "A page")
    assert re.search(r'<select name="x"><option value="(\w+)"', text)[1] == "iterations"
    assert 'name="medians" checked' in text
    assert 'name="medians"' not in shown(runs[:1], "A page")


def test_verdicts_are_a_table(tmp_path):
    run = stored_run(tmp_path, costs=COSTS, errors=[3, 2, 1])
    claim = {"id": "SBP-F2.1", "claim": "<b>wins</b>", "place": "5", "text": "It wins."}
    claims = [{**claim, "verdict": verdict} for verdict in ("reproduced", "not reproduced")]
    text = shown([run], "A page", claims)
    assert "&lt;b&gt;wins&lt;/b&gt;" in text and "1 reproduced, 1 not reproduced" in text
    assert "Verdicts" not in shown([run], "A page")


def test_no_character_of_a_name_reorders_or_hides_the_page(tmp_path):
    run = stored_run(tmp_path, costs=COSTS, errors=[3, 2, 1])
    title = "<b>&\"x_1%$'\x1b[2J\u202e</title><script>alert(1)</script>"
    text = page([run], title)
    assert "\x1b" not in text and "\u202e" not in text and "<script>alert" not in text
    assert "<title>&lt;b&gt;&amp;&quot;x_1%$&#x27;\\x1b[2J\\u202e&lt;/title&gt;" in text


def test_a_page_keeps_few_figures_and_no_run_json_in_memory(tmp_path, monkeypatch):
    for number in range(8):
        kernel = {"kernel": {"name": "gaussian", "gamma": 0.5**number}}
        stored_run(tmp_path, costs=COSTS, errors=[3, 2, 1], config=kernel)
    Store(tmp_path).runs()
    runs = Store(tmp_path).runs()  # by the index
    monkeypatch.setattr(build, "TOGETHER", 2)
    made, alive = [], []

    class Figure(dict):
        """A figure with weak references."""

    def watched(*arguments):
        for figure in figures(*arguments):
            alive.append(sum(one() is not None for one in made))
            figure = Figure(figure)
            made.append(weakref.ref(figure))
            yield figure

    monkeypatch.setattr(build, "figures", watched)
    assert len(data(page(runs, "Eight"))) == len(made) == 8
    assert max(alive) <= 4
    assert [run._manifest for run in runs] == [None] * 8


def test_a_page_is_ascii(tmp_path):
    # No reference stands for a character in a script or in CSS.
    assert all(
        resources.files("svmbench.report").joinpath(name).read_text().isascii()
        for name in ("page.js", "page.css")
    )
    run = stored_run(tmp_path, costs=[100, 1000], errors=[30, 10], title="Müller–SVM γ")
    text = page([run], "Läufe mit γ")
    assert text.isascii() and "<h1>L&#228;ufe mit &#947;</h1>" in text and "&#947; = 0.05" in text
