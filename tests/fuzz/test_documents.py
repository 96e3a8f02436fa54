"""Documents of a results folder, right and as somebody may have written them: read, or refused by a sentence.

`python -m tests.fuzz.test_documents 5000` tries that many changes of each document, other ones each time.
"""

import contextlib
import json
import random
import sys
import tempfile
from pathlib import Path

import pytest

from svmbench.report import tables
from tests.fuzz import documents

#: Values that documents should not have where they have others.
ODD = (
    None, True, 0, -1, 1 << 80, 1e308, float("inf"), float("nan"), "", "\x1b[2J", "../../etc/passwd",
    "é\ud800", [], {}, [[]], {"name": 1}, "x" * 5000, -0.0, 4, "4", [1, 2, 3], {"": {"": {}}},
)  # fmt: skip


def changed(value, chance):
    """Return a value with something in it replaced, removed, renamed or nested, at a random depth."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        if chance.random() < 0.1:
            return {name: one for name, one in value.items() if name != key}
        if chance.random() < 0.05:
            return {**value, chance.choice(("\x1b[2J", "", "config", "schema")): value[key]}
        return {**value, key: changed(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        place = chance.randrange(len(value))
        return [changed(one, chance) if k == place else one for k, one in enumerate(value)]
    if isinstance(value, int | float) and chance.random() < 0.3:
        return value * chance.choice((-1, 0, 2, 1e300, 0.5))
    if chance.random() < 0.02:
        for _ in range(chance.choice((50, 900))):
            value = [value]
        return value
    return chance.choice(ODD)


def try_changes(target, seeds):
    right = json.loads(documents.right(target))
    for seed in seeds:
        chance, document = random.Random(seed), right
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            document = changed(document, chance)
        try:
            documents.TARGETS[target](json.dumps(document).encode()[:20_000])
        except BaseException as error:
            error.add_note(f"{target}, seed {seed}: {document}")
            raise


@pytest.fixture(autouse=True)
def folder(tmp_path):
    documents.begin(tmp_path)


@pytest.mark.parametrize("target", documents.TARGETS)
def test_no_reader_refuses_a_right_document(target, monkeypatch):
    seed = documents.right(target)
    monkeypatch.setattr(documents, "refusing", contextlib.nullcontext)
    documents.TARGETS[target](seed)


@pytest.mark.parametrize("target", documents.TARGETS)
def test_a_wrong_document_is_refused_and_hides_nothing(target):
    try_changes(target, range(30))
    for data in (b"", b"[1", b"5", b'{"a": Infinity}', b'[["\\ud800"]]'):
        documents.TARGETS[target](data)


def test_verdicts_are_read_as_for_the_page(monkeypatch):
    shown = []
    monkeypatch.setattr(tables, "_table", lambda *parts: shown.append(list(parts[3])))
    documents.TARGETS["verdicts"](documents.right("verdicts"))
    assert [len(rows) for rows in shown] == [2]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        documents.begin(Path(place))
        first = random.SystemRandom().randrange(1 << 40)
        for name in documents.TARGETS:
            try_changes(name, range(first, first + int(sys.argv[1])))
