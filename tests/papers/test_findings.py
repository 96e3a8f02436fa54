"""Every number of docs/findings.md is one that stored runs give, or one that its section says is given."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "findings.md"
SECTIONS = re.split(r"(?m)^## ", PAGE.read_text(encoding="utf-8"))[1:]
#: A comment at the end of a section: the artifacts that its numbers are from, and what is a setting.
SOURCE = re.compile(r"<!-- from: (?P<names>[^;>]*?)(?:; given: (?P<given>[^>]*?))? -->")
NUMBER = re.compile(r"(?<![\w.\-])\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?![\w-])")


def numbers(text):
    """The numbers of a text, apart from links, code and names."""
    text = re.sub(r"\]\([^)]*\)|`[^`]*`|<!--.*?-->|!\[[^\]]*\]|\([A-Z]+-[^)]*\)", " ", text, flags=re.DOTALL)
    return [token.rstrip(",") for token in NUMBER.findall(text)]


def value(token):
    return float(token.replace(",", ""))


def known(names):
    """All numbers that the verdicts on some artifacts show: estimates, their ends, texts, and counts."""
    found = []
    for claim in json.loads((ROOT / "results" / "reference" / "VERDICTS.json").read_text(encoding="utf-8")):
        if claim["artifact"] not in names:
            continue
        for part in claim["parts"]:
            for finding in part["findings"]:
                found += [finding.get(key) for key in ("value", "low", "high")]
                found += map(float, re.findall(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", finding["text"]))
            counted = Counter((finding["counter"], finding["verdict"]) for finding in part["findings"])
            found += counted.values()
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
