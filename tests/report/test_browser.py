"""The page in a real browser: it loads without a word, its switches work, by keyboard too, light and dark."""

import csv
import io
import time

import numpy as np
import pytest

from svmbench.figures.selection import select
from svmbench.figures.style import PALETTE
from svmbench.report.build import LIMIT, page
from tests.figures.stored import store_optimum, stored_run
from tests.report.browser import CHROMIUM, Browser

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no Chromium here: install chromium")

COSTS = np.array([100.0, 1000.0, 10000.0])
POINTS = "return document.querySelector('.chart').dataset.points === arguments[0]"
FIGURE = "document.querySelector('.figure').figure"
HOSTILE = "<img src=x onerror=\"document.title='bad'\"></script>"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    root = tmp_path_factory.mktemp("page")
    runs = [
        stored_run(root, "sbp", seed=seed, costs=COSTS, errors=[30, 20, 10 + seed], title=HOSTILE,
                   primal_objective=[3.0, 2.0, 0.0], kev_iter=COSTS * 7)
        for seed in (0, 1)
    ] + [stored_run(root, "smo", seed=0, costs=COSTS * 2, errors=[40, 15, 9])]  # fmt: skip
    path = root / "page.html"
    path.write_text(page(runs, "A page"))
    assert 200_000 < path.stat().st_size < LIMIT
    return path


@pytest.fixture
def opened(browser, file):
    browser.view(1400, height=4000)  # all parts of the page are near the view
    browser.open(file)
    browser.wait("return document.querySelectorAll('#runs + div tbody tr').length === 3")
    browser.wait(POINTS, "6")  # medians
    browser.run("document.querySelector('[name=medians]').click()")
    browser.wait(POINTS, "9")
    yield browser
    assert browser.complaints() == []
    assert browser.run("return document.title") == "A page"


def points(browser):
    return int(browser.run("return document.querySelector('.chart').dataset.points"))


def choose(browser, name, value):
    script = """const box = document.querySelector(`[name=${arguments[0]}]`);
        box.value = arguments[1]; box.dispatchEvent(new Event("change", { bubbles: true }));"""
    browser.run(script, name, value)


def texts(browser):
    return browser.run("return [...document.querySelectorAll('.chart svg text')].map((t) => t.textContent)")


HAS = "return [...document.querySelectorAll('.chart svg text')].some((t) => t.textContent === arguments[0])"


def test_it_loads_with_every_point_and_names_its_axes(opened):
    assert points(opened) == 9
    assert {"test error (%)", "kernel evaluations, counted on demand (A)"} <= set(texts(opened))


def test_the_switches_change_convention_metric_and_scale(opened):
    choose(opened, "x", "kev_iter")
    opened.wait(HAS, "kernel evaluations, counted per iteration (C)")
    choose(opened, "y", "primal_objective")
    opened.wait(HAS, "primal objective")
    opened.wait(POINTS, "6")  # the other solver has none
    choose(opened, "yscale", "log")
    opened.wait(POINTS, "4")  # a logarithm of 0 there is not
    choose(opened, "xscale", "linear")
    opened.wait(HAS, "2000")


def test_a_logarithmic_axis_has_round_numbers(opened):
    ticks = """return [...document.querySelectorAll('.chart .role-axis-label')].slice(0, 1)
        .flatMap((axis) => [...axis.querySelectorAll('text')].map((t) => t.textContent))"""
    assert [float(text) for text in opened.run(ticks)] == [100, 1000, 10000]


def test_the_tabulator_reaches_every_control_in_order_and_shows_where_it_is(opened):
    opened.run("document.querySelector('details').open = true")
    control = "a, select, button, input, summary, [tabindex='0']"
    count = opened.run("return document.querySelectorAll(arguments[0]).length", control)
    places = []
    for _ in range(count):
        opened.keys("\t")
        place, outline = opened.run(
            """const now = document.activeElement, all = [...document.querySelectorAll(arguments[0])];
            return [all.indexOf(now), getComputedStyle(now).outlineStyle];""",
            control,
        )
        assert outline == "solid"
        places.append(place)
    assert places == list(range(count)) and count > 30


def test_a_curve_is_hidden_by_the_keyboard_and_comes_back(opened):
    opened.run("document.querySelectorAll('.figure fieldset input')[1].focus()")
    opened.keys(" ")
    opened.wait(POINTS, "6")
    opened.keys(" ")
    opened.wait(POINTS, "9")


def test_medians_over_seeds_take_the_place_of_the_runs(opened):
    opened.run("document.querySelector('[name=medians]').focus()")
    opened.keys(" ")
    count = """return document.querySelectorAll('.chart path[aria-roledescription="point"]').length"""
    opened.wait(f"{count} === arguments[0]", 6)
    assert any("10.5" in text for text in labels(opened))
    opened.keys(" ")
    opened.wait(f"{count} === arguments[0]", 9)


def test_medians_are_those_of_a_plot_of_the_same_runs(browser, tmp_path):
    """Seeds observed at costs of their own, one of them settled early, and a method with a single seed."""
    rng = np.random.default_rng(5)
    runs = []
    for solver, seeds in (("sbp", 5), ("pegasos", 4), ("smo", 1)):
        for seed in range(seeds):
            costs = np.unique(np.round(10 ** np.sort(rng.uniform(2, 6, 40))))
            errors = 10.0 + 30.0 * rng.random(costs.size)
            status = "converged" if solver == "pegasos" and seed != 2 else "budget"
            runs.append(stored_run(tmp_path, solver, seed=seed, costs=costs, errors=errors, status=status))
    path = tmp_path / "page.html"
    path.write_text(page(runs, "A page"))
    browser.open(path)
    shown = browser.run(
        f"const all = medians({FIGURE}, 'kev_iter', 'test_error', new Set([0, 1, 2]), {{ x: true }});"
        "return all.flat()"
    )
    assert browser.complaints() == []
    [panel] = select(runs, "kev_iter").panels
    assert {point["method"] for point in shown} == {curve.label for curve in panel.curves}
    for curve in panel.curves:
        found = [point for point in shown if point["method"] == curve.label]
        costs = curve.costs()
        low, middle, high = np.quantile(curve.values(costs), [0.25, 0.5, 0.75], axis=0)
        # The page holds five digits.
        np.testing.assert_allclose([point["x"] for point in found], costs, rtol=1e-4)
        np.testing.assert_allclose([point["y"] for point in found], middle, rtol=1e-4)
        np.testing.assert_allclose([point["low"] for point in found], low, rtol=1e-4)
        np.testing.assert_allclose([point["high"] for point in found], high, rtol=1e-4)
        assert {point["count"] for point in found} == {len(curve.steps)}


@pytest.mark.parametrize("beginning", ["=", "+", "-", "@"])
def test_no_cell_of_the_csv_is_a_formula_to_a_spreadsheet(browser, tmp_path, beginning):
    title = f'{beginning}HYPERLINK("a","b")'
    run = stored_run(tmp_path, "sbp", title=title, costs=[10, 20], errors=[30, 20])
    path = tmp_path / "page.html"
    path.write_text(page([run], "A page"))
    browser.open(path)
    header, *lines = csv.reader(io.StringIO(browser.run(f"return csv({FIGURE})")))
    assert browser.complaints() == []
    assert [line[header.index("method")] for line in lines] == [f"'{title}"] * 2
    assert float(lines[0][header.index("test_error")]) == 0.3


def labels(browser):
    """What a screen reader says of the points."""
    return browser.run("return [...document.querySelectorAll('.chart path')].map((p) => p.ariaLabel ?? '')")


def test_a_value_shows_under_the_mouse(opened):
    spot = opened.run("""document.querySelector('.chart').scrollIntoView();
        const box = document.querySelectorAll('.chart path[aria-roledescription="point"]')[2]
            .getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];""")
    for shift in (-30, 0):
        opened.command("Input.dispatchMouseEvent", type="mouseMoved", x=spot[0] + shift, y=spot[1])
        time.sleep(0.05)
    opened.wait(
        "return document.querySelector('#vg-tooltip-element.visible')?.textContent.includes('10,000')"
    )
    assert opened.run("return document.querySelector('#vg-tooltip-element img') === null")


def test_a_table_sorts_both_ways_by_the_keyboard_and_says_so(opened):
    head = "document.querySelectorAll('#runs + div th')[5]"
    column = (
        "return [...document.querySelectorAll('#runs + div tbody tr')].map((r) => r.cells[5].textContent)"
    )
    opened.run(f"{head}.querySelector('button').focus()")
    for way, errors in (("ascending", ["9", "10", "11"]), ("descending", ["11", "10", "9"])):
        opened.keys("\r")
        opened.wait(f"return {head}.getAttribute('aria-sort') === arguments[0]", way)
        assert opened.run(column) == errors


def test_the_data_of_a_figure_is_a_whole_table(opened):
    lines = opened.run(f"return csv({FIGURE})").splitlines()
    assert len(lines) == 10 and lines[0].startswith("run,method,seed,kev_ondemand")
    assert '"<img src=x onerror=""document' in lines[1]
    opened.run("""window.named = ""; HTMLAnchorElement.prototype.click = function () {
        window.named = this.download + this.href.slice(0, 5); };
        document.querySelector('.download').click();""")
    assert opened.run("return window.named") == "figure-1.csvblob:"


@pytest.mark.parametrize("width", [1400, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_width_and_scheme_fits_and_can_be_read(browser, file, tmp_path, width, scheme):
    browser.view(width, scheme)
    browser.open(file)
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    assert browser.run(
        "return document.querySelector('.chart svg').getBoundingClientRect().right <= innerWidth"
    )
    ink, paper = browser.run("return [css('--ink'), css('--paper')]")
    assert (int(ink[1:3], 16) < int(paper[1:2] * 2, 16)) == (scheme == "light")
    fill = browser.run("""return [...document.querySelectorAll('.chart svg text')]
        .find((t) => t.textContent === 'test error (%)').getAttribute('fill')""")
    assert fill == ink
    assert browser.run("""const table = document.querySelector('.summary');
        return table.scrollWidth <= table.clientWidth""")
    browser.picture(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 5000
    assert browser.complaints() == []


def test_every_control_has_a_name(opened):
    opened.command("Accessibility.enable")
    nodes = opened.command("Accessibility.getFullAXTree")["nodes"]
    wanted = {"combobox", "button", "checkbox", "region", "table", "columnheader", "graphics-document"}
    seen = [n for n in nodes if n.get("role", {}).get("value") in wanted]
    assert {"combobox", "button", "checkbox", "region", "table"} <= {n["role"]["value"] for n in seen}
    assert [n["role"]["value"] for n in seen if not n.get("name", {}).get("value")] == []


def open_problems(browser, folder, number):
    """Open a page of so many problems, with a run of each."""
    runs = [
        stored_run(folder, costs=COSTS, errors=[9, 8, 7], config={"kernel": {"name": "gaussian", "gamma": g}})
        for g in range(1, number + 1)
    ]
    path = folder / "page.html"
    path.write_text(page(runs, "Many"))
    browser.view(1400)
    browser.open(path)


def test_the_first_look_unpacks_what_is_near_and_no_more(browser, tmp_path):
    """Of a long page a few figures are there; the others, and the tables, when they come near the view."""
    open_problems(browser, tmp_path, 30)
    drawn, rows = (
        "document.querySelectorAll('.chart svg').length",
        "document.querySelectorAll('#runs + div tr').length",
    )
    assert browser.run(f"return {drawn}") < 4 and browser.run(f"return {rows}") == 0
    browser.run("document.querySelector('#figure-20').scrollIntoView()")
    browser.wait(
        "return document.querySelector('#figure-20').parentNode.querySelector('.chart svg') !== null"
    )
    assert browser.run(f"return {drawn}") < 9
    # What was filled above has not moved it away.
    assert abs(browser.run("return document.querySelector('#figure-20').getBoundingClientRect().top")) < 30
    browser.run("document.querySelector('#runs').scrollIntoView()")
    browser.wait(f"return {rows} === 31")
    assert browser.complaints() == []


def test_a_line_that_jumps_is_pale_until_it_is_down(browser, tmp_path):
    costs = np.geomspace(10, 1e6, 8)
    runs = [
        stored_run(tmp_path, "smo", costs=costs, errors=[50, 20, 60, 20, 70, 20, 11, 10]),
        stored_run(tmp_path, "sbp", costs=costs, errors=np.linspace(40, 12, 8)),
    ]
    path = tmp_path / "page.html"
    path.write_text(page(runs, "Spikes"))
    browser.open(path)
    jumping = f"return rows({FIGURE}, 'kev_iter', 'test_error', new Set([0, 1]), {{}}).map(calmed)"
    calm, spiked = sorted(browser.run(jumping), key=len)
    assert len(calm) == 8 and not any(point.get("pale") for point in calm)
    assert [point["y"] for point in spiked if not point.get("pale")] == [20, 11, 10]
    assert [point["y"] for point in spiked if point.get("pale")] == [50, 20, 60, 20, 70, 20]
    alone = f"return medians({FIGURE}, 'kev_iter', 'test_error', new Set([0, 1]), {{}}).map(calmed)"
    assert [[(point["y"], point.get("pale")) for point in line] for line in browser.run(alone)] == [
        [(point["y"], point.get("pale")) for point in line] for line in (calm, spiked)
    ]
    assert browser.complaints() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_line_differs_from_the_page(browser, file, scheme):
    """WCAG: graphics have a contrast of 3 to 1, but for two pale colours of the palette on white."""
    browser.view(1400, scheme)
    browser.open(file)
    names = ["--paper", *(f"--line-{place}" for place in range(len(PALETTE)))]
    paper, *lines = map(luminance, browser.run("return arguments[0].map(css)", names))
    low = [
        place
        for place, line in enumerate(lines)
        if (max(line, paper) + 0.05) / (min(line, paper) + 0.05) < (3.0 if scheme == "light" else 4.5)
    ]
    assert low == ([5, 6] if scheme == "light" else [])


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = np.array([int(digits[k : k + 2], 16) for k in (0, 2, 4)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


@pytest.fixture(scope="module")
def seeds(browser, tmp_path_factory):
    """A page of two problems with seeds, errors over a decade on the first, and a certified optimum."""
    root = tmp_path_factory.mktemp("seeds")
    store_optimum(root, test_error=2.0, primal=0.3)
    runs = [
        stored_run(root, solver, seed=seed, costs=COSTS, errors=[60, 20 + seed, end + seed / 10])
        for solver, end in (("sbp", 3.0), ("pegasos", 5.0)) for seed in range(6)
    ] + [stored_run(root, "smo", "mnist", costs=COSTS, errors=[9, 8, 7])]  # fmt: skip
    path = root / "page.html"
    path.write_text(page(runs, "Seeds", tags={runs[-1].id: ["mine"]}))
    browser.view(1400)
    browser.open(path)
    yield browser
    assert browser.complaints() == []


def test_the_richest_problem_is_first_and_its_heading_says_what_is_solved(seeds):
    heads = seeds.run("return [...document.querySelectorAll('.figure h3')].map((h) => h.textContent)")
    assert heads == ["1. adult: γ = 0.05, C = 1", "2. mnist: γ = 0.05, C = 1"]
    links = seeds.run("return [...document.querySelectorAll('nav ol a')].map((a) => a.hash)")
    assert links == ["#figure-1", "#figure-2"]


def test_errors_over_a_decade_are_logarithmic_at_first(seeds):
    scales = seeds.run("return [...document.querySelectorAll('[name=yscale]')].map((box) => box.value)")
    assert scales == ["log", "linear"]


def test_the_optimum_is_a_line_and_medians_have_bands(seeds):
    assert "test error of the optimum" in texts(seeds)  # which curves may fall below
    below = """const [rule, line] = ['rule', 'line']
        .map((mark) => document.querySelector(`.chart .mark-${mark}.role-mark`));
        return Boolean(rule.compareDocumentPosition(line) & Node.DOCUMENT_POSITION_FOLLOWING);"""
    assert seeds.run(below)  # so that it hides no line
    bands = "return document.querySelectorAll('.chart .mark-area path').length"
    assert seeds.run(bands) == 2
    seeds.run("document.querySelector('[name=medians]').click()")
    seeds.wait("return document.querySelectorAll('.chart .mark-area path').length === 0")
    seeds.run("document.querySelector('[name=medians]').click()")
    seeds.wait("return document.querySelectorAll('.chart .mark-area path').length === 2")


def test_the_table_says_who_is_best_at_what_cost(seeds):
    rows = seeds.run("""return [...document.querySelector('.summary').querySelectorAll('tbody tr')]
        .map((row) => [...row.cells].map((cell) => cell.textContent))""")
    assert [row[0] for row in rows] == ["SBP", "Pegasos"] and rows[0][2] == "3.25 (3.12 to 3.38)"
    assert seeds.run("return document.querySelectorAll('.summary strong').length") == 1
    assert rows[0][3] == "1.0e4" and rows[1][3] == "not reached (0 of 6)"


def test_no_word_of_the_summary_is_broken_on_a_phone(seeds):
    seeds.view(400)
    name = """const cell = document.querySelector('.summary tbody td'), word = document.createElement('span');
        word.style.whiteSpace = 'nowrap'; word.textContent = 'Decomposition'; cell.replaceChildren(word);
        const free = word.getBoundingClientRect().width; word.style.whiteSpace = '';
        const table = document.querySelector('.summary');
        return [word.getClientRects().length, free > 0, table.scrollHeight - table.clientHeight];"""
    assert seeds.run(name) == [1, True, 0]
    seeds.view(1400)


@pytest.mark.parametrize(
    ("words", "figures", "runs"),
    [("pegasos", 1, 6), ("mnist", 1, 1), ("mine", 1, 1), ("nothing", 0, 0), ("", 2, 13)],
)
def test_the_filter_shows_what_has_its_words(seeds, words, figures, runs):
    seeds.run(
        """const box = document.querySelector('[name=filter]'); box.value = arguments[0];
        box.dispatchEvent(new Event('input', { bubbles: true }));""",
        words,
    )
    left = "return document.querySelectorAll(`${arguments[0]}:not([hidden])`).length === arguments[1]"
    for kind, number in (("section.figure", figures), ("nav ol li", figures), ("#runs + div tbody tr", runs)):
        seeds.wait(left, kind, number)


@pytest.fixture
def long(browser, tmp_path):
    """A page of forty problems."""
    open_problems(browser, tmp_path, 40)
    yield browser
    assert browser.complaints() == []


LAID_OUT = """return [...document.querySelectorAll(arguments[0])]
    .filter((one) => one.checkVisibility({ contentVisibilityAuto: true })).length"""


def test_headings_are_laid_out_when_they_come_near(long):
    assert long.run(LAID_OUT, ".figure h3") == 16
    long.run("location.hash = '#figure-39'")
    long.wait("return document.querySelector('#figure-39').parentNode.querySelector('.chart svg') !== null")
    assert abs(long.run("return document.querySelector('#figure-39').getBoundingClientRect().top")) < 30
    assert 8 <= long.run(LAID_OUT, ".figure h3") < 40


def test_long_contents_are_whole_after_loading(long, tmp_path):
    text = (tmp_path / "page.html").read_text()
    assert text.partition("<template>")[0].count('<li><a href="#figure-') == 16
    long.wait("return document.querySelector('nav template') === null")
    links = long.run("return [...document.querySelectorAll('nav ol a')].map((a) => a.hash)")
    assert links == [f"#figure-{number}" for number in range(1, 41)]
    assert long.run("return document.querySelectorAll('nav ol')[1].start") == 17


def test_what_the_filter_hides_leaves_no_room(long):
    long.run("""const box = document.querySelector('[name=filter]'); box.value = '37,';
        box.dispatchEvent(new Event('input', { bubbles: true }));""")
    long.wait("return document.querySelectorAll('.figure:not([hidden])').length === 1")
    long.wait("return document.querySelectorAll('.figure:not([hidden]) .chart svg').length === 1")
    assert long.run("return document.querySelector('.figure:not([hidden]) h3').textContent").startswith("37.")
    assert long.run("return document.documentElement.scrollHeight") < 3000
    assert long.run(LAID_OUT, "nav ol li") == 1
