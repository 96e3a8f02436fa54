"""Every number of docs/findings.md is one that stored runs give, or one that its section says is given.

So is every number of a section of docs/which-solver.md and docs/newer-methods.md that names artifacts.
"""

import csv
import json
import lzma
import re
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "results" / "reference"
PAGE = ROOT / "docs" / "findings.md"
INTRODUCTION, *SECTIONS = re.split(r"(?m)^## ", PAGE.read_text(encoding="utf-8"))
#: A comment at the end of a section: the artifacts that its numbers are from, and what is a setting.
SOURCE = re.compile(r"<!-- from: (?P<names>[^;>]*?)(?:; given: (?P<given>[^>]*?))? -->")
for name in ("which-solver.md", "newer-methods.md"):
    others = re.split(r"(?m)^## ", (ROOT / "docs" / name).read_text(encoding="utf-8"))
    SECTIONS += [section for section in others if SOURCE.search(section)]
NUMBER = re.compile(r"(?<![\w.\-])\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?![\w-])")


def numbers(text):
    """The numbers of a text, apart from links, code and names."""
    text = re.sub(r"\]\([^)]*\)|`[^`]*`|<!--.*?-->|!\[[^\]]*\]|\([A-Z]+-[^)]*\)", " ", text, flags=re.DOTALL)
    return [token.rstrip(",") for token in NUMBER.findall(text)]


def value(token):
    return float(token.replace(",", ""))


def known(names):
    """All numbers that the verdicts on some artifacts show: estimates, their ends, texts, counts of tests."""
    found, totals = [], Counter()
    for claim in json.loads((REFERENCE / "VERDICTS.json").read_text(encoding="utf-8")):
        if claim["artifact"] not in names:
            continue
        for part in claim["parts"]:
            shared = {key: value for key, value in part.items() if key != "findings"}
            part["findings"] = [
                {"data_set": None, "counter": None, **shared, **one} for one in part["findings"]
            ]
            for finding in part["findings"]:
                found += [finding.get(key) for key in ("value", "low", "high")]
                found += map(float, re.findall(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", finding["text"]))
            counted = Counter((finding["counter"], finding["verdict"]) for finding in part["findings"])
            found += counted.values()
        findings = [finding for part in claim["parts"] for finding in part["findings"]]
        totals["all"] += len(findings)
        totals.update(finding["verdict"] for finding in findings)
        # Of a run that ended before it arrived the text has a bound only.
        totals.update(
            (finding["verdict"], ">" in finding["text"], finding["data_set"] if of_set else "")
            for finding in findings
            for of_set in (False, True)
        )
    found += totals.values()
    return [abs(number) for number in found if number is not None]


def shown(token, number):
    """Whether a token is a number, or that number in percent, rounded to the digits that it shows."""
    plain = token.replace(",", "")
    digits, _, exponent = plain.partition("e")
    whole, _, decimals = digits.partition(".")
    zeros = len(whole) - len(whole.rstrip("0")) if not decimals and not exponent else 0
    half = 0.5 * 10.0 ** (int(exponent or 0) - len(decimals) + zeros)
    return any(abs(value(token) - factor * number) <= half * 1.0001 for factor in (1.0, 100.0))


@pytest.mark.parametrize("section", SECTIONS, ids=[text.split("\n")[0][:40] for text in SECTIONS])
def test_every_number_is_stored_or_given(section):
    source = SOURCE.search(section)
    heading, _, body = section.partition("\n")
    assert source, f"'{heading}' ends with no comment <!-- from: artifacts; given: settings -->"
    given = {value(token) for token in (source["given"] or "").split()}
    stored = known({name.strip() for name in source["names"].split(",")})
    assert stored, f"nothing is judged of {source['names']}"
    stale = [t for t in numbers(body) if value(t) not in given and not any(shown(t, n) for n in stored)]
    assert not stale, f"'{heading}': {', '.join(stale)} are in no verdict on {source['names']}"


def stored_runs():
    """Manifest, status and last checkpoint of every reference run that has one, by its name."""
    found = {}
    for path in sorted((REFERENCE / "packs").glob("*.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as pack:
            for record in map(json.loads, pack):
                found[record["run"]["id"]] = record["run"], record["status"], record["trace"]
    for folder in (REFERENCE / "runs").glob("*/"):
        run, status, trace = (
            (folder / name).read_text() for name in ("run.json", "status.json", "trace.csv")
        )
        found[folder.name] = json.loads(run), json.loads(status), trace
    return {
        name: (run, status, rows[-1])
        for name, (run, status, trace) in found.items()
        if (rows := list(csv.DictReader(trace.splitlines())))
    }


def test_the_cost_of_the_stored_runs_is_theirs():
    runs = stored_runs().values()
    spent = Counter()
    for run, status, last in runs:
        ended, started = (datetime.fromisoformat(moment) for moment in (status["ended"], run["started"]))
        spent["all"] += (ended - started).total_seconds()
        spent["cpu"] += float(last["cpu_seconds"])
        spent["wall"] += float(last["wall_seconds"])
    optima = [json.loads(path.read_text())["cost"]["cpu_seconds"] for path in REFERENCE.glob("optima/*.json")]
    hours = {name: f"{seconds / 3600.0:.1f} hours" for name, seconds in spent.items()}
    for words in (
        f"rest on {len(runs):,} stored runs",
        f"Training took {hours['cpu']} of CPU time, or {hours['wall']} by the clock",
        f"with observation, the runs took {hours['all']}",
        f"The {len(optima)} certified optima took another {sum(optima) / 3600.0:.1f} hours of CPU time",
    ):
        assert words in " ".join(INTRODUCTION.split())


@pytest.mark.parametrize(
    ("token", "number", "same"),
    [
        *[
            ("3,400", 2760.0, False),
            ("2,760", 2760.0, True),
            ("1.0e6", 1.02e6, True),
            ("1.0e6", 1.2e6, False),
        ],
        *[("5", 0.0502, True), ("6.1", 0.0502, False), ("13,000", 1.3e4, True), ("0.91", 0.9066, True)],
    ],
)
def test_a_number_is_compared_by_the_digits_that_it_shows(token, number, same):
    assert shown(token, number) == same
