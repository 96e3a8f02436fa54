"""The tables of docs/speed.md and of the README are those of the stored measurements."""

import re
from pathlib import Path

import pytest

from svmbench.figures.tables import table
from svmbench.speed.jobs import JOBS
from svmbench.speed.record import stored
from svmbench.speed.record import table as lines_of

ROOT = Path(__file__).parents[2]
MACHINES = ("Zen 3", "Zen 4", "Zen 5")
#: Jobs of the README's table, against LIBSVM and oneDAL in double precision.
SUMMARY = ("adult-c1", "adult-c1000", "mnist8-c10", "mnist04-c100", "covtype50k", "ijcnn1")


def machine_of(environment):
    """The machine of a measurement: Zen 3 has no AVX-512, Zen 5 48 KiB of first-level data cache, Zen 4 32.

    The oldest measurements name no caches; they have another name of the instruction set for each machine.
    """
    if environment["isa"] == "avx2":
        return "Zen 3"
    if caches := environment.get("caches"):
        return "Zen 5" if "L1 Data 48K" in caches else "Zen 4"
    return {"v4i": "Zen 4", "avx512_icl": "Zen 5"}[environment["isa"]]


def documents():
    """All stored measurements."""
    return stored(str(ROOT / "results" / "reference"), [])


def measured(kinds):
    """Every line of the stored measurements of some kinds: the machine, and its cells by their heads."""
    for document in documents():
        if document["kind"] in kinds:
            machine = machine_of(document["environment"])
            header, lines = lines_of(document)
            # The oldest measurements call a baseline a rival.
            header = [head.replace("rival", "baseline") for head in header]
            for line in lines:
                yield machine, dict(zip(header, line, strict=True))


def digits(value):
    """A number with three digits."""
    return "–" if value is None else f"{value:,.0f}" if value >= 100.0 else f"{value:#.3g}".rstrip(".")


def machines(found):
    """The machines of some cells, by line and by machine and block, in the order of the page."""
    have = {machine for cells in found.values() for machine, _ in cells}
    return [machine for machine in MACHINES if machine in have]


def rows():
    """Values a second of one thread, by data set and machine."""
    found = {}
    for machine, line in measured(("rows",)):
        if line["threads"] == 1 and line["block"] in (1, 64):
            key = line["data"], line["layout"], f"{line['rows']:,}"
            found.setdefault(key, {})[machine, line["block"]] = digits(line["million values/s"])
    heads = [(machine, block) for machine in machines(found) for block in (1, 64)]
    titles = [f"{machine}, {'a row' if block == 1 else 'blocks of 64'}" for machine, block in heads]
    return table(
        ("data", "layout", "rows", *titles),
        [(*key, *(cells.get(head, "–") for head in heads)) for key, cells in found.items()],
    )


def baselines():
    """CPU seconds of a baseline and of ours to the same result, and their ratio, by job and machine."""
    found = {}
    for machine, line in newest():
        key = line["job"], line["baseline"], line["reached"], line["ours"]
        seconds = f"{digits(line['baseline s'])} / {digits(line['ours s'])}"
        found.setdefault(key, {})[machine] = seconds, digits(line["ratio"])
    titles = [f"{machine}{head}" for machine in MACHINES for head in (", s", ", ratio")]
    return table(
        ("job", "baseline", "result", "ours", *titles),
        [
            (*key, *(cell for machine in MACHINES for cell in cells.get(machine, ("–", "–"))))
            for key, cells in found.items()
        ],
    )


def paces():
    """Iterations and kernel values a second of the solvers on Adult without a cache."""
    found = [
        (
            machine,
            line["solver"],
            line["bias"],
            digits(line["iterations/s"]),
            digits(line["million values/s"]),
        )
        for machine, line in measured(("solvers",))
    ]
    return table(("machine", "solver", "bias", "iterations/s", "million values/s"), found)


def scaling():
    """The cost of an iteration of SBP by the number of rows."""
    found = [
        (machine, f"{line['rows']:,}", line["threads"], digits(line["µs/iteration"]), digits(line["ns/row"]))
        for machine, line in measured(("scaling",))
    ]
    return table(("machine", "rows", "threads", "µs/iteration", "ns/row"), found)


def fits():
    """What the fits of scikit-learn take times ours, for the three values of C."""
    found = {}
    (document,) = (one for one in documents() if one["kind"] == "estimators")
    header, lines = lines_of(document)
    for line in (dict(zip(header, cells, strict=True)) for cells in lines):
        if line["baseline"] == "sklearn":
            row = found.setdefault((line["estimator"], line["features"]), {})
            row.setdefault(line["rows"], []).append(f"{line['ratio']:.1f}")
    sizes = sorted({n for row in found.values() for n in row})
    return table(
        ("estimator", "features", *(f"{n:,}" for n in sizes)),
        [(*key, *(" / ".join(row[n]) for n in sizes)) for key, row in found.items()],
    )


def newest():
    """The last measurement of each job and baseline on each machine."""
    found = {
        (machine, line["job"], line["baseline"]): (machine, line)
        for machine, line in measured(("rivals", "baselines"))
    }
    return found.values()


def summary():
    """CPU seconds to the accuracy of LIBSVM, and what LIBSVM and oneDAL take times ours."""
    found = {(machine, line["job"], line["baseline"]): line for machine, line in newest()}
    lines = []
    for job in SUMMARY:
        libsvm, onedal = (found["Zen 3", job, baseline] for baseline in ("sklearn_svc", "sklearnex_svc"))
        seconds = digits(libsvm["baseline s"]), digits(onedal["baseline s"]), digits(libsvm["ours s"])
        lines.append((JOBS[job].title, *seconds, digits(libsvm["ratio"]), digits(onedal["ratio"])))
    heads = ("problem", "LIBSVM, s", "oneDAL, s", "svmbench, s", "LIBSVM / svmbench", "oneDAL / svmbench")
    return table(heads, lines)


@pytest.mark.parametrize("make", [summary, rows, baselines, fits, paces, scaling])
def test_a_table_of_the_page_is_that_of_the_stored_measurements(make):
    page = "README.md" if make is summary else "docs/speed.md"
    text = (ROOT / page).read_text(encoding="utf-8")
    block = re.search(rf"<!-- stored: {make.__name__} -->\n\n(.*?)\n\n", text, re.DOTALL)
    assert block, f"{page} has no table <!-- stored: {make.__name__} -->"
    assert block[1] == make()
