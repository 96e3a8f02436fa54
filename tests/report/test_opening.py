"""What the page of all runs opens with: the comparison of the field, where runs of it are present."""

import re
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from svmbench.cli.main import main
from svmbench.papers.runs import Panel
from svmbench.report import build
from svmbench.report.compressed import Packs
from svmbench.report.opening import Opening, Section, smaller
from svmbench.store import Store
from tests.figures.stored import stored_run
from tests.papers.written import artifact, errors, store
from tests.report.test_page import COSTS, filled, tags

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><text>100 % "#1" &amp; é</text></svg>'
ROWS = [["<b>SBP</b>", "1.0", "best", "9.50 (80)"], ["SMO", "2.0", "0.031", "–"]]
BOARDS = [
    Panel(name, f"Set {name}", f"dataset=checkerboard dataset.seed={seed}")
    for seed, name in enumerate(("one", "two"))
]


def opened():
    costs = [Section(cost, SVG, ["method", "mean rank", "p", "Set one"], ROWS) for cost in ("A", "B")]
    packs = Packs()
    text = Opening("The <field>", ["How to & what"], costs).html(packs)
    return filled(text, "".join(packs.scripts))


def test_each_cost_has_a_picture_and_a_table_and_the_first_is_open():
    found = tags(opened())
    assert [("open" in attributes) for tag, attributes in found if tag == "details"] == [True, False]
    sources = [attributes["src"] for tag, attributes in found if tag == "img"]
    assert len(sources) == 2
    kind, _, picture = sources[0].partition(",")
    assert kind == "data:image/svg+xml" and unquote(picture) == SVG
    assert [tag for tag, _ in found].count("table") == 2


def test_no_text_becomes_markup():
    text = opened()
    assert "<b>" not in text and "&lt;b&gt;SBP&lt;/b&gt;" in text
    assert ">The &lt;field&gt;</h2>" in text and "How to &amp; what" in text
    # A fragment would cut the picture off.
    assert "#" not in re.search(r'src="([^"]*)"', text)[1]


def test_a_slim_picture_is_the_same_with_fewer_points():
    stairs = "".join(f"{'L' if k else 'M'} {0.88316 * k:.6f} {-10.0 - k // 50:.6f} \n" for k in range(200))
    picture = f'<svg>\n <path d="{stairs}"/>\n <path d="M 0 0 \nQ 1 1 2 2 \n"/>\n</svg>'
    small = smaller(picture)
    line, curve = re.findall(r'd="([^"]*)"', small)
    steps = [(kind, float(step)) for kind, step in re.findall(r"([hv])(\S+?)(?=[hlv]|$)", line)]
    drops = sum(step for kind, step in steps if kind == "v")
    drops += sum(float(step.split()[1]) for step in re.findall(r"l(\S+ -?[\d.]+)", line))
    assert line.startswith("M0 -10h") and drops == -3 and len(line) < len(stairs) / 50
    assert curve == "M 0 0 \nQ 1 1 2 2 \n"  # what is no line stays


def test_cells_sort_by_their_first_number_and_unknown_ones_last():
    assert re.findall(r'data-value="([^"]*)">([^<]*)<', opened())[:6] == [
        ("1", "1.0"), ("9.5", "9.50 (80)"), ("2", "2.0"), ("0.031", "0.031"), ("", "–"), ("1", "1.0"),
    ]  # fmt: skip


@pytest.fixture
def field(tmp_path, monkeypatch):
    """A small comparison with all its runs but those of Pegasos; two runs of other problems beside them."""
    optimum = Store(tmp_path).put_optimum({"key": "small", "test_error": None, "empty_test_error": 0.45})
    made = artifact(
        ["sbp", "smo", "pegasos"], kind="front", panels=BOARDS, counters="cpu_seconds kev_ondemand"
    )
    for planned in made.runs.planned():
        if planned.solver != "pegasos":
            trace = errors(30, 10) if planned.solver == "sbp" else errors(40, 20)
            stamp = {"environment": "here", "started": "2026-01-01T00:00:00Z"}
            store(tmp_path, planned, trace, optimum=optimum, **stamp)
    for seed in (0, 1):
        stored_run(tmp_path, "sbp", "mnist", seed, costs=COSTS, errors=[3, 2, 1])
    monkeypatch.setattr("svmbench.papers.artifact.load", lambda name: made)
    monkeypatch.setattr(build, "vega", lambda: "/* charts */")
    return tmp_path


def written(root, *words):
    out = root / "page.html"
    assert main(["report", *words, "--results", str(root), "-o", str(out)]) == 0
    return filled(out.read_text())


def test_the_page_of_all_runs_opens_with_the_comparison(field):
    text = written(field, "--all")
    assert text == written(field)
    assert text.index('<h2 id="comparison"') < text.index('<h2 id="figures-title"')
    assert '<li><a href="#comparison">Small</a></li>' in text
    assert "4 of 6 runs are stored" in text
    # No run has recorded the load of its machine: no seconds are compared.
    (least,) = re.findall(r"<summary>(Least[^<]*)", text)
    assert least == "Least test error by kernel evaluations, counted on demand (A)"
    (source,) = [attributes["src"] for tag, attributes in tags(text) if tag == "img"]
    picture = ElementTree.fromstring(unquote(source.partition(",")[2]))
    drawn = [part.text for part in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Set one", "Set two", "SBP", "SMO"} <= set(drawn) and "Pegasos" not in drawn
    table = text[text.index("<details") : text.index("</details>")]
    methods = re.findall(r"<tr><td>([^<]*)</td>", table)
    assert methods == ["SBP", "SMO"]
    # The tables and figures of all runs follow, those of the other problem included.
    assert "mnist" in text and 'id="runs"' in text


def test_a_page_of_named_runs_or_without_runs_of_the_comparison_does_not(field, tmp_path_factory):
    name = next(run.id for run in Store(field).runs() if run.dataset == "mnist")
    assert "comparison" not in written(field, name)
    other = tmp_path_factory.mktemp("other")
    stored_run(other, costs=COSTS, errors=[3, 2, 1])
    assert "comparison" not in written(other, "--all")


def test_without_a_run_on_its_data_sets_the_comparison_is_not_composed(tmp_path, monkeypatch):
    def planned(self):
        raise AssertionError("composing all of its runs takes a second")

    monkeypatch.setattr("svmbench.papers.runs.Runs.planned", planned)
    monkeypatch.setattr(build, "vega", lambda: "/* charts */")
    stored_run(tmp_path, dataset="checkerboard", costs=COSTS, errors=[3, 2, 1])
    assert "comparison" not in written(tmp_path)
