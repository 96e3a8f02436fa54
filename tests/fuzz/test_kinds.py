"""Documents with values of other types than any version writes, validly sealed: one plain sentence each."""

import contextlib
import io
import json
import random
import re
import shutil

import pytest

from svmbench.files import digest, sha256
from tests.fuzz.flips import make, told

#: What takes the place of a value.
VALUES = (None, True, -1, 0.5, 10**400, 1e308, "x", "", [], [None], [[1]], {}, {"x": {"y": None}})

#: Words of Python that no reader of a message should meet.
PYTHON = re.compile(
    r"Error\b|Traceback|NoneType|<class|\b(dict|float|int|str|tuple|None)\b|not subscriptable|unhashable|"
    r"could not convert|invalid literal|codec|to unpack|argument|object is not|instances? of|indices must"
)

#: Commands that read documents; of those that show content, only the errors are read.
COMMANDS = (
    *(["list"], ["show", "smo"], ["status"], ["best"], ["speed", "show"], ["compare", "smo", "sbp"], ["tag"]),
    *(["plot", "-o", "plot"], ["report", "-o", "page.html"], ["export", "smo", "-o", "out.zip"]),
    *(["paper", "list"], ["delete", "smo"], ["resume"], ["verify", "--recompute"]),
)

#: Documents by kind, below the results folder.
KINDS = {
    "run": "runs/smo-*[0-9a-f]/run.json",
    "status": "runs/smo-*[0-9a-f]/status.json",
    "optimum": "optima/*.json",
    "environment": "environments/*.json",
    "notes": "notes.json",
    "plan": "sweeps/*/plan.json",
    "events": "sweeps/*/events.jsonl",
    "speed": "speed/*",
    "check": "checks/*",
    "verdicts": "VERDICTS.json",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A results folder with documents of all kinds."""
    home = tmp_path_factory.mktemp("made")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        make(home)
    return home / "results"


def retyped(value, chance, inside=False):
    """Return a document with one value replaced, and which."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    if inside and (not keys or chance.random() < 0.3):
        new = chance.choice(VALUES)
        return new, f" = {json.dumps(new)[:20]}"
    key = chance.choice(keys)
    copy = value.copy()
    copy[key], what = retyped(value[key], chance, inside=True)
    return copy, f".{key}{what}"


def _sealed(document, name="check", also=()):
    """Return a document with the digest of its content, if it is still one."""
    if not isinstance(document, dict):
        return document
    bare = {key: value for key, value in document.items() if key not in (name, *also)}
    return {**document, name: digest(bare)}


def change(path, kind, chance):
    """Replace a value in a document, which keeps a right digest; return what was replaced."""
    text = path.read_text()
    rows = kind == "events"
    content, what = retyped([*map(json.loads, text.splitlines())] if rows else json.loads(text), chance)
    if rows:
        path.write_text("".join(json.dumps(_sealed(row)) + "\n" for row in content))
        return what
    if kind == "verdicts":
        content = [_sealed(claim) for claim in content]
    elif kind == "optimum":
        content = _sealed(content, "checksum", also=["schema"])
    elif kind in ("status", "plan", "speed", "check"):
        content = _sealed(content, also=["schema"])
    path.write_text(json.dumps(content))
    if kind == "environment":
        path.rename(path.with_stem(digest({key: content[key] for key in content if key != "schema"})))
    if kind == "run":
        end = path.with_name("status.json")
        about = json.loads(end.read_text())
        about["files"]["run.json"] = sha256(path)
        end.write_text(json.dumps(_sealed(about, also=["schema"])))
    return what


def wrong(made, home, kind, chance):
    """Change a document of a kind; return what was changed, and what commands say that none should."""
    shutil.rmtree(home / "results", ignore_errors=True)
    shutil.copytree(made, home / "results", symlinks=True)
    what = change(chance.choice(sorted((home / "results").glob(KINDS[kind]))), kind, chance)
    found = []
    for words in COMMANDS:
        code, out, errors = told([*words, "--results", str(home / "results")])
        said = errors + (out if words[0] == "verify" else "")
        if code not in (0, 1, 2) or (code == 2 and "svmbench: " not in errors) or PYTHON.search(said):
            found.append(f"{kind}{what}: {' '.join(words)}: {code}, {said}")
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_of_another_type_is_told_of_in_plain_words(made, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chance = random.Random(kind)
    assert not [line for _ in range(4) for line in wrong(made, tmp_path, kind, chance)]
