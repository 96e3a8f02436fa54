"""Every target of `tests.fuzz.fuzz_documents` reads a right document, and says what is wrong of others."""

import contextlib

import pytest

from svmbench.report import tables
from tests.fuzz import documents


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
    documents.right(target)  # which makes what is there beside it
    for data in (b"", b"[1", b"5", b'{"a": Infinity}', b'[["\\ud800"]]'):
        documents.TARGETS[target](data)


def test_verdicts_are_read_as_for_the_page(monkeypatch):
    shown = []
    monkeypatch.setattr(tables, "_table", lambda *parts: shown.append(list(parts[3])))
    documents.TARGETS["verdicts"](documents.right("verdicts"))
    assert [len(rows) for rows in shown] == [2]
