"""Coverage-guided fuzzing of the JSON documents of a results folder.

    python -m tests.fuzz.fuzz_documents TARGET -runs=50000

Each input is a document as somebody may have written it by hand, sealed as if it were right: run.json,
status.json, an optimum, an environment, the notes, plan and events of a sweep, a pack. Mutations change bytes
or values in the JSON (infinities, texts that a terminal obeys, other types, deep nests). Held for each:

- every reader answers by a value or by one `UserError`;
- the other run of the folder is found;
- what `list`, `show`, `status` and curves make of a run that is read needs no other exception.
"""

from __future__ import annotations

import contextlib
import json
import random
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import atheris

from svmbench.analysis.costs import method_of, problem_of
from svmbench.errors import UserError
from svmbench.files import digest, sha256
from svmbench.report.series import optimum_of, steps_of
from svmbench.run_config import RunConfig
from svmbench.store import Store, StoredRun, documents, packs, shared
from svmbench.store.identity import identity
from svmbench.store.notes import Notes
from svmbench.store.store import opened
from svmbench.sweep.record import Record
from tests.fuzz.fuzz_readers import instrument
from tests.store.conftest import CONFIG

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


def _sealed(path: Path) -> None:
    """Make status.json right for the files of a run as they are."""
    end = json.loads((path / "status.json").read_bytes())
    end["files"] = {name: sha256(path / name) for name in ("run.json", "trace.csv")}
    end.pop("check", None)
    end.pop("schema", None)
    documents.write(path / "status.json", {**end, "check": digest(end)})


def _use(run: StoredRun) -> None:
    """Ask of a run what commands ask."""
    json.dumps(run.summary(), allow_nan=False)
    for key in ("validation_error", "test_error", "dual_source"):
        run.value(key)
    with contextlib.suppress(UserError):
        steps_of(run, "kev_ondemand"), optimum_of(run), problem_of(run), method_of(run)


def _whole() -> None:
    """Hold that the other run is found, with the index and by its name."""
    store = Store(ROOT, warn=lambda sentence: None)
    runs = store.runs()
    assert any(run.id == SOUND for run in runs), "a document hides another run"
    for one in runs:
        if one.id != SOUND:
            _use(one)
    assert store.find(SOUND).id == SOUND


def run(data: bytes) -> None:
    """The run.json of a run, sealed."""
    (FUZZED / "run.json").write_bytes(data)
    _sealed(FUZZED)
    with contextlib.suppress(UserError):
        _use(StoredRun.read(FUZZED))
    _whole()


def status(data: bytes) -> None:
    """The status.json of a run; its check is made right where the document has one."""
    try:
        end = json.loads(data)
        end.pop("check", None)
        schema = end.pop("schema", documents.SCHEMA)
        data = json.dumps({"schema": schema, **end, "check": digest(end)}).encode()
    except (ValueError, TypeError, AttributeError, RecursionError):
        pass
    (FUZZED / "status.json").write_bytes(data)
    with contextlib.suppress(UserError):
        _use(StoredRun.read(FUZZED))
    _whole()


def optimum(data: bytes) -> None:
    """A certified optimum, under a right checksum."""
    path = ROOT / "optima" / f"{digest(1)}.json"
    path.parent.mkdir(exist_ok=True)
    try:
        record = json.loads(data)
        record["key"] = 1
        record.pop("checksum", None)
        schema = record.pop("schema", documents.SCHEMA)
        data = json.dumps({"schema": schema, **record, "checksum": digest(record)}).encode()
    except (ValueError, TypeError, AttributeError, RecursionError):
        pass
    path.write_bytes(data)
    with contextlib.suppress(UserError):
        shared.optimum(path)
    Store(ROOT, warn=lambda sentence: None).optimum(path.stem)


def environment(data: bytes) -> None:
    """A description of a machine."""
    path = ROOT / "environments" / "0123456789abcdef.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    with contextlib.suppress(UserError):
        shared.environment(path)
    Store(ROOT, warn=lambda sentence: None).environment(path.stem)


def notes(data: bytes) -> None:
    """notes.json."""
    (ROOT / "notes.json").write_bytes(data)
    kept = Notes(ROOT)
    with contextlib.suppress(UserError):
        kept.of(SOUND), kept.tags(), kept.tagged("a")


def plan(data: bytes) -> None:
    """plan.json of a sweep."""
    _sweep().joinpath("plan.json").write_bytes(data)
    with contextlib.suppress(UserError):
        Record(_sweep()).plan()


def events(data: bytes) -> None:
    """events.jsonl of a sweep."""
    _sweep().joinpath("events.jsonl").write_bytes(data)
    with contextlib.suppress(UserError):
        record = Record(_sweep())
        record.events(), record.ends()


def pack(data: bytes) -> None:
    """A pack of runs."""
    import lzma

    path = ROOT / "fuzz.jsonl.xz"
    path.write_bytes(lzma.compress(data, preset=0))
    with contextlib.suppress(UserError):
        packs.check(path)


def _sweep() -> Path:
    folder = ROOT / "sweeps" / "20260101-000000-1"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _make(seed: int) -> Path:
    """Make a run of a known configuration, and return its folder."""
    config = {**CONFIG, "seed": seed}
    about = {
        "config": config, "dataset": {"name": "twonorm", "checksum": "sum", "rows": {"train": 20}},
        "problem": {"lam": 0.05, "C": 1.0, "nu": None, "bias": "none"}, "optimum": digest(1),
        "solver": {"name": "sbp", "title": "SBP"}, "environment": "0123456789abcdef",
    }  # fmt: skip
    writer = Store(ROOT).begin(identity(RunConfig.of(config), "sum", 1, derived={"nu": 0.1}), about)
    for t in (1, 2):
        writer.checkpoint(
            {"iterations": t, "kev_ondemand": 20 * t, "test_error": 0.5 / t, "dual_source": "solver"}
        )
    folds = {"folds": 2, "mistakes": [1, 2], "examples": [10, 10]}
    return writer.finish("budget", "enough", peak_memory=10.0, cross_validation=folds).path


def _seed(target: str) -> bytes:
    """Return a right document of a target."""
    match target:
        case "run" | "status":
            return (FUZZED / f"{target}.json").read_bytes()
        case "optimum":
            return json.dumps(
                {"schema": 4, "primal": 1.0, "dual": 0.9, "norm": 1.0, "nu": 0.1, "bias": 0.0}
            ).encode()
        case "environment":
            return json.dumps(
                {"schema": 4, "python": "3.11", "cores": 2, "libraries": [{"version": "1"}]}
            ).encode()
        case "notes":
            Notes(ROOT).tag([SOUND], "a")
            Notes(ROOT).note(SOUND, "b")
            return (ROOT / "notes.json").read_bytes()
        case "plan":
            job = {"number": 0, "label": "seed=0", "overrides": ["seed=0"], "config": CONFIG}
            return json.dumps(
                {"jobs": [job], "options": {"jobs": 1}, "duplicates": [], "impossible": []}
            ).encode()
        case "events":
            record = Record(_sweep())
            record.add(job=0, event="began")
            record.add(
                job=0, event="ended", state="done", reason="", run=SOUND, seconds=1.0, numbers={"a": 1}
            )
            return (_sweep() / "events.jsonl").read_bytes()
        case _:
            files = {name: json.loads((FUZZED / f"{name}.json").read_bytes()) for name in ("run", "status")}
            record = {"schema": 4, **files, "trace": (FUZZED / "trace.csv").read_text()}
    return json.dumps(record).encode()


TARGETS: dict[str, Callable[[bytes], None]] = {
    f.__name__: f for f in (run, status, optimum, environment, notes, plan, events, pack)
}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"give one of {', '.join(TARGETS)}")
    target = sys.argv.pop(1)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        ROOT = Path(folder) / "results"
        SOUND, FUZZED = _make(0).name, _make(1)
        opened(ROOT)._warn = lambda sentence: None
        seeds = Path(folder) / "seeds"
        seeds.mkdir()
        (seeds / "0").write_bytes(_seed(target))
        assert instrument(("svmbench.store", "svmbench.sweep.record", "svmbench.report.series")), (
            "nothing guides it"
        )
        arguments = [*sys.argv, "-max_len=20000", "-timeout=600", str(seeds)]
        atheris.Setup(arguments, TARGETS[target], custom_mutator=mutate)
        atheris.Fuzz()
