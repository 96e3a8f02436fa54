"""How findings make the verdict on a claim: truth tables, tests that cannot fail, pages of verdicts."""

import json
import runpy
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from svmbench.errors import UserError
from svmbench.papers import artifact as artifacts
from svmbench.papers import checks, pages
from svmbench.papers.artifact import DOCUMENTS, Check, finished
from svmbench.papers.claims import Finding, answer, claim, combined, judge, of_panel
from svmbench.papers.drawing import draw
from svmbench.papers.estimate import (
    DEVIATES,
    DRAWS,
    HOLDS,
    INCONCLUSIVE,
    NOT_ATTEMPTED,
    REPRODUCED,
    VERDICTS,
    Estimate,
)
from svmbench.papers.material import Material
from svmbench.papers.predicates import Below, Exact, Near, Order, Ratio
from svmbench.papers.quantities import Evidence, Measured, Value, by_panel
from svmbench.store import shared

from .written import artifact, material, store

REFERENCE = Path(__file__).parents[2] / "results" / "reference"

R, H, D, U, N = REPRODUCED, HOLDS, DEVIATES, INCONCLUSIVE, NOT_ATTEMPTED

#: The verdict on a claim of two tests, whatever their order.
OF_TWO = {
    (R, R): R, (R, H): R, (R, D): D, (R, U): U, (R, N): U,
    (H, H): H, (H, D): D, (H, U): U, (H, N): N,
    (D, D): D, (D, U): D, (D, N): D,
    (U, U): U, (U, N): U,
    (N, N): N,
}  # fmt: skip


@pytest.mark.parametrize("pair", list(product(VERDICTS, repeat=2)))
def test_the_verdict_of_two_tests(pair):
    assert combined(pair) == OF_TWO.get(pair, OF_TWO.get(pair[::-1]))


@pytest.mark.parametrize(
    ("verdicts", "claim"),
    [((), N), ((R,), R), ((H,), H), ((D,), D), ((U,), U), ((N,), N), ((R, H, R), R), ((R, R, U, R), U)],
)
def test_the_verdict_of_none_one_and_many(verdicts, claim):
    assert combined(verdicts) == claim


def measured(test, value):
    evidence = Evidence("", [], measures={"m": {"value": value}})
    (finding,) = judge(test, {"": {"": evidence}})
    return finding


def resampled(below, seeds):
    """The finding on a median over seeds that must be at least 1, where some seeds are below."""
    values = [0.0] * below + [2.0] * (seeds - below)
    evidence = Evidence("", [], measures={"m": {"values": values}})
    part = Ratio("at least 1", Measured("m"), 1, (1, 3))
    (finding,) = judge(part, {"": {"": evidence}})
    return finding


@pytest.mark.parametrize(
    ("below", "seeds", "verdict", "undecided"),
    [
        (1, 9, REPRODUCED, False),  # the median of a resample is below with a probability of 0.0013
        (3, 13, REPRODUCED, False),  # 0.0157
        (2, 9, INCONCLUSIVE, False),  # 0.0304
        (3, 9, INCONCLUSIVE, False),  # 0.145
        # 0.02545, so near to 0.025 that no number of resamples in reach tells them apart.
        (4, 15, INCONCLUSIVE, True),
    ],
)
def test_a_verdict_does_not_hang_on_the_number_of_resamples(below, seeds, verdict, undecided):
    finding = resampled(below, seeds)
    assert finding.verdict == verdict
    assert finding.text.startswith("100,000 resamples cannot tell") == undecided


def test_more_is_drawn_only_where_the_verdict_takes_it(monkeypatch):
    drawn, original = [], Evidence.drawn
    monkeypatch.setattr(
        Evidence, "drawn", lambda self, draw: drawn.append(draw.number) or original(self, draw)
    )
    for below, seeds, draws in [(1, 9, 1), (3, 13, 2), (4, 15, len(DRAWS))]:
        drawn.clear()
        resampled(below, seeds)
        assert drawn == list(range(draws))


EQUALS = Exact("m is 5", Measured("m"), 5)
THEOREM = replace(EQUALS, by_construction="a theorem")


def test_a_test_that_cannot_fail_has_a_verdict_of_its_own_and_is_shown_if_it_fails():
    assert (measured(THEOREM, 5).verdict, measured(EQUALS, 5).verdict) == (HOLDS, REPRODUCED)
    finding = measured(THEOREM, 6)
    assert finding.verdict == DEVIATES
    assert finding.text == "FAILS, although it holds by construction (a theorem): 6, expected 5"


def test_what_a_claim_says_of_its_tests_holds_for_those_that_say_nothing_else():
    own = replace(EQUALS, by_construction="algebra", convention="kev_iter")
    made = claim("c", "p", "t", EQUALS, own, by_construction="a theorem", convention="kev_ondemand")
    assert [test.by_construction for test in made.tests] == ["a theorem", "algebra"]
    assert [test.convention for test in made.tests] == ["kev_ondemand", "kev_iter"]


COUNTERS = "kev_ondemand kev_rowupdate kev_iter"
BELOW = Below("below", "sbp", "sdca")


def conventions(**keys):
    """An artifact whose curves cross from one convention to the next: sbp is below under C alone."""
    crosses = claim("crosses", "p", "t", BELOW, **keys)
    return artifact(["sbp", "sdca"], seeds=3, counters=COUNTERS, claims=[crosses])


def pages_of(paper, root):
    for run in paper.runs.planned():
        rows = []
        for place in range(6):
            cost = 1000 * 2**place
            late = 4 * cost if run.solver == "sdca" else cost
            error = (50 if run.solver == "sbp" else 40) * 0.7**place
            rows.append({"test_error": error / 100, "kev_iter": late})
        store(root, run, rows)
    found = pages.judged([material(paper, root)])
    return pages.sections(found), pages.document(pages.entries(found))


def test_the_convention_of_the_document_decides_and_the_others_stand_beside(tmp_path):
    page, text = pages_of(conventions(convention="kev_iter"), tmp_path / "c")
    assert "**X-SMALL.1, crosses: reproduced.**" in page
    lines = [line for line in page.splitlines() if "| 0 to 1" in line]
    assert ["C" in lines[0], "A, beside" in lines[1], "B, beside" in lines[2]] == [True] * 3
    assert "**reproduced**" in lines[0] and "**deviates**" not in page and "deviates" in lines[1]
    assert text.count('"beside": true') == 2
    page, text = pages_of(conventions(), tmp_path / "all")
    assert "**X-SMALL.1, crosses: deviates.**" in page and "beside" not in page + text


@pytest.mark.parametrize(
    ("tests", "keys", "message"),
    [
        ([EQUALS], {"not_attempted": "why"}, "claim 'c' needs either tests, or not_attempted"),
        ([], {}, "claim 'c' needs either tests, or not_attempted"),
        ([EQUALS], {"sure": "maybe"}, "claim 'c': unknown 'maybe'"),
        ([BELOW], {"convention": "kev_computed"}, "unknown 'kev_computed'"),
    ],
)
def test_a_claim_that_is_none_is_refused(tests, keys, message):
    with pytest.raises(UserError, match=message):
        artifact(["sbp", "sdca"], counters=COUNTERS, claims=[claim("c", "p", "t", *tests, **keys)])


def test_the_page_counts_tests_that_cannot_fail_apart_and_names_those_that_do():
    claims = [
        claim("a", "p", "t", EQUALS, by_construction="a theorem"),
        claim("b", "p", "t", EQUALS),
    ]
    for value, row, fails in ((5, ["2", "1", "1", "0"], False), (6, ["2", "0", "0", "2"], True)):
        found = pages.judged([check_of(claims, value)])
        page = pages.overview(pages.entries(found))
        (line,) = [line for line in page.splitlines() if line.startswith("| beyond the documents")]
        assert [cell.strip() for cell in line.split("|")[2:6]] == row
        assert ("**Tests that hold by construction FAIL: X-C.1, m is 5.**" in page) == fails
        assert "Holds by construction: a theorem." in pages.sections(found)


def test_a_claim_is_counted_for_the_document_on_whose_page_it_is():
    text = pages.overview(pages.entries(pages.judged([check_of([replace(WHOLE, target="RUP-3")], 5)])))
    (row,) = [line for line in text.splitlines() if line.startswith(f"| {DOCUMENTS['X']} ")]
    assert f"[RUP-3.1]({pages.file_of('X')}#rup-3.1)" in text and row.split("|")[2].strip() == "1"
    assert f"| {DOCUMENTS['RUP']} " not in text


def check_of(claims, value, seconds=0.0):
    made = finished(Check("X-C", "T", "S", claims=claims, function="basin"), "small")
    outcome = {"measures": {"m": {"value": value}}, "seconds": seconds, "panels": [], "notes": []}
    return Material(made, [], {}, outcome)


WHOLE = claim("c", "p", "t", EQUALS)


def test_a_claim_keeps_what_is_said_of_it():
    made = claim("c", "p", "t", EQUALS, target="X-D", sure="ours")
    assert (made.target, made.sure, made.not_attempted) == ("X-D", "ours", "")
    assert made.tests == (EQUALS,) and EQUALS.definition == "M equals 5."
    together = replace(EQUALS, together=True)
    assert together.definition == "M equals 5, in the mean over the data sets."
    made = claim("c", "p", "t", not_attempted="why")
    assert (made.tests, made.not_attempted, made.sure, made.seen) == ((), "why", "read", "")


def test_a_part_is_judged_on_its_panels_and_counters_alone():
    evidence = Evidence("", [], measures={"m": {"value": 5}})
    by_counter = {counter: dict.fromkeys(("one", "two"), evidence) for counter in ("A", "B")}
    for keys, places in (
        ({}, [("A", "one"), ("A", "two"), ("B", "one"), ("B", "two")]),
        ({"panels": "two"}, [("A", "two"), ("B", "two")]),
        ({"counters": "B"}, [("B", "one"), ("B", "two")]),
        ({"together": True}, [("A", ""), ("B", "")]),
        ({"convention": "B"}, [("B", "one"), ("B", "two"), ("A", "one"), ("A", "two")]),
    ):
        found = judge(replace(EQUALS, **keys), by_counter)
        assert [(one.counter, one.panel) for one in found] == places
        assert [one.beside for one in found] == [
            ("convention" in keys and one.counter == "A") for one in found
        ]


def test_a_number_that_is_given_for_other_panels_is_not_attempted():
    given = Exact("c", Measured("m"), by_panel(one=5, two=6))
    evidence = Evidence("", [], measures={"m": {"value": 5}})
    by_counter = {"": dict.fromkeys(("one", "two", "three"), evidence)}
    found = judge(given, by_counter)
    assert [one.verdict for one in found] == [REPRODUCED, DEVIATES, NOT_ATTEMPTED]
    assert found[2].text == "no number is given for three" and (found[0].least, found[0].most) == (0.0, 0.0)


def test_arguments_without_numbers_for_panels_stay_as_they_are():
    value = Value("sbp", at=by_panel(one=5, two=6), where={"problem.C": by_panel(one=1.0), "solver.k": 3})
    given = Near("c", value + 1.0, by_panel(one=(1, 2)), 6)
    one = Value("sbp", at=5, where={"problem.C": 1.0, "solver.k": 3}) + 1.0
    assert of_panel(given, "one") == Near("c", one, (1, 2), 6)


def test_a_page_links_nothing_of_an_artifact_without_runs_or_a_check_that_was_not_made(tmp_path):
    page = pages.sections(pages.judged([material(conventions(), tmp_path)]))
    assert "](figures/" not in page and "\n0 of 6 runs are stored" in page
    assert "Not drawn yet: its runs are made by `svmbench paper run small`." in page
    made = check_of([WHOLE], 5)
    assert "](tables/small.md)" in pages.sections(pages.judged([made]))
    page = pages.sections(pages.judged([replace(made, outcome=None)]))
    assert "](" not in page
    assert "not measured. Not drawn yet: it is made by `svmbench paper run small`." in page


@pytest.mark.parametrize(
    ("seconds", "time"),
    [(99.0, "99.0 s"), (100.0, "1.7 minutes"), (150.0, "2.5 minutes"), (600.0, "10.0 minutes")],
)
def test_the_page_says_how_long_a_check_took_and_links_its_numbers(seconds, time):
    page = pages.sections(pages.judged([check_of([WHOLE], 5, seconds)]))
    assert f"Check `basin`, {time}. Table: [small](tables/small.md), by `make small`.\n" in page


def test_a_check_without_a_picture_is_a_table_of_its_numbers(tmp_path):
    assert draw(check_of([WHOLE], 5), tmp_path) == [tmp_path / "tables" / "small.md"]
    lines = (tmp_path / "tables" / "small.md").read_text(encoding="utf-8").splitlines()
    assert lines == ["# T", "", "| measured | value |", "| -------- | ----: |", "| m        |     5 |"]


@pytest.mark.parametrize("name", ["sbp-e1", "rs-k"])
def test_verdicts_on_what_is_committed_are_laid_out_as_they_are_committed(name):
    found = artifacts.load(name)
    judged = pages.judged([Material(found, [], {}, checks.stored(found, REFERENCE))])
    text = pages.document(pages.entries(judged))
    assert text.startswith("[\n") and text.endswith("\n]\n")
    assert text[1:-3] in (REFERENCE / "VERDICTS.json").read_text(encoding="utf-8")


M, DASH = Measured("m"), "\N{EN DASH}"


@pytest.mark.parametrize(
    ("test", "verdict", "cells"),
    [
        (Order("c", M, 10), R, ["-5", "below 0", "5 against 10"]),
        (Order("c", M, 10, margin=1.5), R, ["-5", "below -1.5", "5 against 10"]),
        (Ratio("c", M, 10, (None, 0.4)), D, ["0.5", "below 0.4", "5 over 10"]),
        (Ratio("c", M, 8, (0.6, None)), R, ["0.625", "at least 0.6", "5 over 8"]),
        (Near("c", M, 7, 1), D, ["-2", "-1 to 1", "5, printed 7"]),
        (Exact("c", M, 5), R, ["0", "0", "5, expected 5"]),
        (Exact("c", Measured("n"), 5), N, [DASH, DASH, "n is not measured"]),
    ],
)
def test_a_page_shows_a_number_and_where_the_test_holds(test, verdict, cells):
    found = pages.judged([check_of([claim("c", "p", "t", test)], 5)])
    *_, row = [line for line in pages.sections(found).splitlines() if line.startswith("|")]
    assert [cell.strip() for cell in row.split("|")[1:-1]] == [f"**{verdict}**", *cells]
    (entry,) = json.loads(pages.document(pages.entries(found)))
    ((part,), (one,)) = entry["parts"], entry["parts"][0]["findings"]
    assert (one["verdict"], one["text"]) == (verdict, cells[2])
    # A bound that is not there is left out, because JSON has no infinity.
    assert ("least" not in part) == (cells[1].startswith(("below", DASH)))
    assert ("most" not in part) == (cells[1].startswith(("at least", DASH)))
    *_, line = pages.claim_lines([entry]).splitlines()
    number, holds = cells[:2] if verdict != N else (cells[2], "")
    name = "[X-C.1](verdicts/beyond-the-documents.md#x-c.1)"
    assert line.split() == f"| {name} | c | {verdict} | {number} | {holds} |".split()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, "t (p)"),
        ({"sure": "unconfirmed"}, "t (p, unconfirmed)"),
        ({"sure": "inferred"}, "t (p, inferred)"),
        ({"sure": "ours"}, "t (p; our own question)"),
        ({"sure": "ours", "place": "our own question"}, "t (our own question)"),
        ({"target": "X-D"}, "t (p)"),
    ],
)
def test_a_page_says_how_sure_it_is_that_a_document_makes_a_claim(keys, words):
    page = pages.sections(pages.judged([check_of([replace(WHOLE, **keys)], 5)]))
    verdict = "in 1 of 1 test" if keys.get("sure") == "ours" else R
    name = f"{keys.get('target', 'X-C')}.1"
    assert f'\n<a id="{name.lower()}"></a>**{name}, c: {verdict}.** {words}\n' in page


def test_a_page_says_why_a_claim_is_not_attempted():
    found = pages.judged([check_of([claim("c", "p", "t", not_attempted="No data.")], 5)])
    assert f"**X-C.1, c: {N}.** t (p) Why: No data.\n" in pages.sections(found)
    (entry,) = json.loads(pages.document(pages.entries(found)))
    assert (entry["verdict"], entry["not_attempted"], entry["parts"]) == (N, "No data.", [])


def test_pages_mark_a_claim_that_was_defined_when_an_outcome_was_known():
    known = claim("a", "p", "t", EQUALS, seen="It was 5.")
    found = pages.judged([check_of([known, claim("b", "p", "t", EQUALS)], 5)])
    entries = pages.entries(found)
    assert [one.get("seen") for one in entries] == ["It was 5.", None]
    text = pages.overview(entries)
    assert f"| a | {R} † |" in text and f"| b | {R} |" in text
    assert "Of these 2 claims, 1 were defined or changed when an outcome was known (†)." in text
    assert f"**X-C.1, a: {R}.** t (p) † It was 5.\n" in pages.sections(found)


def test_pages_mark_a_document_s_claim_whose_data_or_parameters_are_ours():
    claims = [
        claim("a", "p", "t", EQUALS, supplied="γ"),
        claim("b", "p", "t", EQUALS, supplied="γ", seen="It was 5."),
        claim("c", "p", "t", EQUALS, supplied="γ", sure="ours"),
        claim("d", "p", "t", THEOREM, supplied="γ"),
    ]
    found = pages.judged([check_of(claims, 5)])
    entries = pages.entries(found)
    assert [one.get("supplied") for one in entries] == ["γ", "γ", None, None]
    assert [pages.marked(one) for one in entries] == [f"{R} ‡", f"{R} †‡", "in 1 of 1 test", H]
    assert "Data, parameters or budgets of 2 claims are ours (‡)" in pages.overview(entries)
    assert f"**X-C.1, a: {R}.** t (p) ‡ Ours: γ.\n" in pages.sections(found)


def test_a_claim_has_what_its_artifact_says_is_ours_unless_it_names_its_own():
    given = [WHOLE, replace(WHOLE, supplied="b")]
    found = finished(artifacts.Artifact("X-C", "T", "S", claims=given, supplied="a"), "x")
    assert [one.supplied for one in found.claims] == ["a", "b"]


def test_a_check_may_be_laid_out_as_the_document_prints_it(tmp_path):
    found = artifacts.load("as-t1")
    (path,) = draw(Material(found, [], {}, checks.stored(found, REFERENCE)), tmp_path)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in path.read_text().splitlines()[2:]]
    assert rows[0] == ["", "m (train)", "valid/test", "n (density)", "1/(λ m), 1/(2 σ²)"]
    assert rows[2:4] == [
        ["adult, printed", "32561", "8140/8141", "123 (11.2%)", "1000, 0.001"],
        ["adult, here", "32561", "8140/8141", "123 (11.3%)", "as printed"],
    ]
    assert [row[0] for row in rows[6:8]] == ["ccat, printed", "ijcnn1, printed"]


def test_together_may_be_a_single_data_set():
    evidence = Evidence("", [], measures={"m": {"value": 5}})
    (found,) = judge(Ratio("c", Measured("m"), 10, (0.4, 0.6), together=True), {"A": {"one": evidence}})
    assert (found.verdict, found.text, found.least, found.most) == (REPRODUCED, "one 0.5", 0.4, 0.6)


def test_our_own_questions_do_not_count_for_a_document():
    own = [claim("a", "p", "t", EQUALS, sure="ours"), claim("b", "p", "t", EQUALS)]
    text = pages.overview(pages.entries(pages.judged([check_of(own, 6)])))
    claims, questions = text.split("## Our own questions")
    assert "| X-C.1 | a |" not in claims and "| in 0 of 1 test |" in questions
    (line,) = [line for line in claims.splitlines() if line.startswith("| all")]
    assert [cell.strip() for cell in line.split("|")[2:-1]] == ["1", "0", "0", "1", "0", "0"]


@pytest.mark.parametrize(
    ("tests", "words"),
    [
        ([("a", R), ("b", D), ("c", R)], "in 2 of 3 data sets"),
        ([("a", R), ("a", U), ("b", N)], "in 1 of 3 tests, 2 open"),
        ([("", D)], "in 0 of 1 test"),
        ([("a", H)], "in 1 of 1 data set"),
    ],
)
def test_the_answer_to_a_question_counts_its_tests(tests, words):
    assert answer(tests) == words


def test_a_number_is_rounded_once():
    finding = pages._plain(Finding("adult", "", R, "", Estimate(0.12349996, 0.1, 0.2), 0.0, 1.0))
    assert finding["value"] == 0.1235
    entry = {"parts": [{"part": "", "definition": "", "findings": [finding]}]}
    assert pages._deciding(entry) == ("adult: 0.123 (0.1 to 0.2)", "0 to 1")


def test_the_committed_pages_are_those_of_the_committed_claims():
    found = shared.verdicts(REFERENCE / "VERDICTS.json")
    gallery = runpy.run_path(str(REFERENCE.parents[1] / "cmake" / "site_papers.py"))["gallery"]
    text = (REFERENCE / "VERDICTS.md").read_text(encoding="utf-8")
    assert text == pages.overview(found)
    assert len(text.splitlines()) <= 300
    assert max(len(one["claim"].split()) for one in found) <= 20
    page = (REFERENCE.parents[1] / "docs" / "papers.md").read_text(encoding="utf-8")
    assert page == gallery(found, REFERENCE, "../results/reference")
    assert len({(one["document"], one["claim"]) for one in found}) == len(found)
    names = [one["id"].lower() for one in found]
    anchors = "".join(path.read_text(encoding="utf-8") for path in (REFERENCE / "verdicts").glob("*.md"))
    assert len(set(names)) == len(names) and all(f'<a id="{name}"></a>' in anchors for name in names)
