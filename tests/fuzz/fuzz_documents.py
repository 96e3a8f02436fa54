"""Coverage-guided fuzzing of the JSON documents of a results folder.

    python -m tests.fuzz.fuzz_documents TARGET -runs=50000

Each input is a document as somebody may have written it by hand, sealed as if it were right: run.json,
status.json, an optimum, an environment, the notes, plan and events of a sweep, a pack, a row of the index,
the manifest of prepared data, a measurement of speed, the outcome of a check, verdicts. Mutations change
bytes or values in the JSON (infinities, texts that a terminal obeys, other types, deep nests). Held for each:

- every reader answers by a value or by one `UserError`;
- the other run of the folder is found;
- what `list`, `show`, `status`, `speed show` and curves make of what is read needs no other exception.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import atheris

from tests.fuzz import documents
from tests.fuzz.fuzz_readers import instrument

#: Values that documents should not have where they have others.
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1 << 80, 1e308, float("inf"), float("nan"), "", "\x1b[2J", "../../etc/passwd",
    "é\ud800", [], {}, [[]], {"name": 1}, "x" * 5000, -0.0, 4, "4", [1, 2, 3], {"": {"": {}}},
)  # fmt: skip


def mutate(data: bytes, size: int, seed: int) -> bytes:
    """Return another document: a value of its JSON replaced, removed, doubled or nested; or other bytes."""
    chance = random.Random(seed)
    if chance.random() < 0.15:
        return bytes(atheris.Mutate(data, size))
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return bytes(atheris.Mutate(data, size))
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        document = _changed(document, chance)
    try:
        return json.dumps(document).encode()[:size]
    except (ValueError, RecursionError):
        return data


def _changed(value: Any, chance: random.Random) -> Any:
    """Return a value with something in it changed, at a random depth."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        if chance.random() < 0.1:
            return {name: one for name, one in value.items() if name != key}
        if chance.random() < 0.05:
            return {**value, chance.choice(("\x1b[2J", "", "config", "schema")): value[key]}
        return {**value, key: _changed(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        place = chance.randrange(len(value))
        return [_changed(one, chance) if k == place else one for k, one in enumerate(value)]
    if isinstance(value, int | float) and chance.random() < 0.3:
        return value * chance.choice((-1, 0, 2, 1e300, 0.5))
    if chance.random() < 0.02:
        for _ in range(chance.choice((50, 900))):
            value = [value]
        return value
    return chance.choice(ODD)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in documents.TARGETS:
        sys.exit(f"give one of {', '.join(documents.TARGETS)}")
    target = sys.argv.pop(1)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        documents.begin(Path(folder))
        seeds = Path(folder) / "seeds"
        seeds.mkdir()
        (seeds / "0").write_bytes(documents.right(target))
        prefixes = ("svmbench.store", "svmbench.sweep", "svmbench.figures.series", "svmbench.data.cache")
        assert instrument((*prefixes, "svmbench.speed", "svmbench.papers", "svmbench.report")), "no guide"
        arguments = [*sys.argv, "-max_len=20000", "-timeout=600", str(seeds)]
        atheris.Setup(arguments, documents.TARGETS[target], custom_mutator=mutate)
        atheris.Fuzz()
