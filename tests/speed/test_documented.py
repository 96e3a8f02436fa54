"""The tables of docs/speed.md are those of the stored measurements, with columns for each machine."""

import re
from pathlib import Path

import pytest

from svmbench.figures.tables import table
from svmbench.speed.record import stored
from svmbench.speed.record import table as lines_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
#: Machines by the instruction set that the environment of a measurement names.
MACHINES = {"v4i": "Zen 4", "avx512_icl": "Zen 5"}


def measured(kinds):
    """Every line of the stored measurements of some kinds: the machine, and its cells by their heads."""
    for document in stored(str(ROOT / "results" / "reference"), []):
        if document["kind"] in kinds:
            machine = MACHINES[document["environment"]["isa"]]
            header, lines = lines_of(document)
            # The oldest measurements call a baseline a rival.
            header = [head.replace("rival", "baseline") for head in header]
            for line in lines:
                yield machine, dict(zip(header, line, strict=True))


def digits(value):
    """A number with three digits."""
    return "–" if value is None else f"{value:,.0f}" if value >= 100.0 else f"{value:#.3g}".rstrip(".")


def rows():
    """Values a second of one thread, by data set and machine."""
    found = {}
    for machine, line in measured(("rows",)):
        if line["threads"] == 1 and line["block"] in (1, 64):
            key = line["data"], line["layout"], f"{line['rows']:,}"
            found.setdefault(key, {})[machine, line["block"]] = digits(line["million values/s"])
    heads = [(machine, block) for machine in MACHINES.values() for block in (1, 64)]
    titles = [f"{machine}, {'a row' if block == 1 else 'blocks of 64'}" for machine, block in heads]
    return table(
        ("data", "layout", "rows", *titles),
        [(*key, *(cells.get(head, "–") for head in heads)) for key, cells in found.items()],
    )


def baselines():
    """CPU seconds of a baseline and of ours to the same result, and their ratio, by job and machine."""
    found = {}
    for machine, line in measured(("rivals", "baselines")):
        key = line["job"], line["baseline"], line["reached"], line["ours"]
        seconds = f"{digits(line['baseline s'])} / {digits(line['ours s'])}"
        found.setdefault(key, {})[machine] = seconds, digits(line["ratio"])
    titles = [f"{machine}{head}" for machine in MACHINES.values() for head in (", s", ", ratio")]
    return table(
        ("job", "baseline", "result", "ours", *titles),
        [
            (*key, *(cell for machine in MACHINES.values() for cell in cells.get(machine, ("–", "–"))))
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


@pytest.mark.parametrize("make", [rows, baselines, paces, scaling])
def test_a_table_of_the_page_is_that_of_the_stored_measurements(make):
    block = re.search(rf"<!-- stored: {make.__name__} -->\n\n(.*?)\n\n", PAGE, re.DOTALL)
    assert block, f"docs/speed.md has no table <!-- stored: {make.__name__} -->"
    assert block[1] == make()
