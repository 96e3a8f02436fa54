"""The JSON documents of a results folder as somebody may have written them, and all that reads them.

`begin` makes a folder with two runs. Each function of `TARGETS` writes a document there, sealed as if it were
right, and lets its readers read it; `right` returns one that none of them refuses.
"""

import contextlib
import io
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from svmbench.analysis.costs import method_of, problem_of
from svmbench.cli import report
from svmbench.cli.main import main
from svmbench.data import cache
from svmbench.data.dataset import Dataset, Part
from svmbench.errors import UserError
from svmbench.figures.series import optimum_of, steps_of
from svmbench.files import digest, sha256
from svmbench.report.compressed import Packs
from svmbench.report.tables import verdict_table
from svmbench.run_config import RunConfig
from svmbench.speed import record
from svmbench.store import Store, StoredRun, documents, index, lines, packs, shared
from svmbench.store.identity import identity
from svmbench.store.notes import Notes
from svmbench.store.store import opened
from svmbench.store.timing import comparable, machine
from svmbench.sweep.record import Record
from tests.store.conftest import CONFIG

ROOT = FUZZED = PREPARED = Path()
SOUND, SIGNATURE = "", b""


def begin(folder: Path) -> None:
    """Make the results folder: a run that stays as it is, and one whose documents change."""
    global ROOT, FUZZED, PREPARED, SOUND, SIGNATURE
    ROOT, PREPARED = folder / "results", folder / "prepared"
    SOUND, FUZZED = _make(0).name, _make(1)
    SIGNATURE = index.Index(ROOT).signature("runs", FUZZED.name)
    opened(ROOT)._warn = lambda sentence: None


def refusing() -> contextlib.AbstractContextManager[object]:
    """Allow one sentence in place of an answer."""
    return contextlib.suppress(UserError)


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
    with refusing():
        steps_of(run, "kev_ondemand"), optimum_of(run), problem_of(run), method_of(run)
    with refusing():
        comparable([run])


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
    with refusing():
        _use(StoredRun.read(FUZZED))
    _whole()
    if len(data) % 16 == 0:
        _tell("list", "--json")
        _tell("list", "--columns", "run,solver,kernel,error")
        _tell("show", FUZZED.name)


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
    with refusing():
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
    with refusing():
        shared.optimum(path)
    Store(ROOT, warn=lambda sentence: None).optimum(path.stem)


def environment(data: bytes) -> None:
    """A description of a machine."""
    name = "0123456789abcdef"
    with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):
        name = digest({key: value for key, value in json.loads(data).items() if key != "schema"})
    path = ROOT / "environments" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    with refusing():
        shared.environment(path)
    Store(ROOT, warn=lambda sentence: None).environment(path.stem)
    with refusing():
        about = {"environment": path.stem}
        machine(StoredRun(FUZZED, StoredRun.read(FUZZED).facts, about))
    path.unlink()


def notes(data: bytes) -> None:
    """notes.json, with a right digest."""
    with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):
        data = json.dumps(_checked(json.loads(data))).encode()
    (ROOT / "notes.json").write_bytes(data)
    kept = Notes(ROOT)
    with contextlib.redirect_stderr(io.StringIO()), refusing():
        kept.of(SOUND), kept.tags(), kept.tagged("a")
    lines._told.clear()
    if len(data) % 16 == 0:
        _tell("show", SOUND)


def plan(data: bytes) -> None:
    """plan.json of a sweep, with a right digest."""
    with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):
        data = json.dumps(_checked(json.loads(data))).encode()
    _sweep().joinpath("plan.json").write_bytes(data)
    with refusing():
        Record(_sweep()).plan()
    _tell("status")
    _tell("status", "--json")


def events(data: bytes) -> None:
    """events.jsonl of a sweep, each line with a right digest; the input is a list of them."""
    with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):
        data = "\n".join(json.dumps(_checked(one)) for one in json.loads(data)).encode()
    _sweep().joinpath("events.jsonl").write_bytes(data)
    with refusing():
        record = Record(_sweep())
        record.events(), record.ends()
    _tell("status")
    _tell("status", "--json")


def pack(data: bytes) -> None:
    """A pack of runs."""
    import lzma

    path = ROOT / "fuzz.jsonl.xz"
    path.write_bytes(lzma.compress(data, preset=0))
    with refusing():
        packs.check(path)


def manifest(data: bytes) -> None:
    """manifest.json of prepared data, with a right digest."""
    with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):
        record = json.loads(data)
        record.pop("check", None)
        data = json.dumps({**record, "check": digest(record, 64)}).encode()
    (PREPARED / "manifest.json").write_bytes(data)
    found = cache.load(PREPARED)
    assert found is None or found.train.X.shape == (4, 3)
    cache.verify(PREPARED), cache.checksum(PREPARED)


def speed(data: bytes) -> None:
    """A measurement of speed, with a right digest."""
    path = ROOT / "speed" / "20260101T000000Z-scaling-0.json"
    path.parent.mkdir(exist_ok=True)
    with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):
        about = json.loads(data)
        schema = about.pop("schema", documents.SCHEMA)
        data = json.dumps({"schema": schema, **_checked(about)}).encode()
    path.write_bytes(data)
    with contextlib.redirect_stderr(io.StringIO()), refusing():
        for document in record.stored(str(ROOT), []):
            record.heading(document), record.table(document), json.dumps(document, allow_nan=False)
    lines._told.clear()


def check(data: bytes) -> None:
    """The outcome of a check of a paper, with a right digest."""
    path = ROOT / "checks" / "rs-k.json"
    path.parent.mkdir(exist_ok=True)
    with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):
        data = json.dumps(_checked(json.loads(data))).encode()
    path.write_bytes(data)
    _tell("paper", "verdict", "rs-k")


def verdicts(data: bytes) -> None:
    """VERDICTS.json, each claim with a right digest."""
    with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):
        data = json.dumps([_checked(claim) for claim in json.loads(data)]).encode()
    (ROOT / "VERDICTS.json").write_bytes(data)
    with contextlib.redirect_stderr(io.StringIO()), refusing():
        verdict_table(report.claims_of(ROOT), Packs())
    lines._told.clear()


def row(data: bytes) -> None:
    """A row of the index, with a right check."""
    try:
        name, beginning, config, about, facts = values = json.loads(data)
        texts = [(index.digest(text), text) for text in (config, about)]
        named = (name, beginning, *(key for key, _ in texts), facts, SIGNATURE)
        line = ("runs", *named, index._crc("runs", (*values, SIGNATURE)))
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return
    _whole()  # which makes the index
    with contextlib.closing(sqlite3.connect(ROOT / "index.sqlite")) as database, database:
        places = ", ".join("?" * len(line))
        with contextlib.suppress(sqlite3.Error, OverflowError, UnicodeError):
            database.executemany("INSERT OR REPLACE INTO texts VALUES (?, ?)", texts)
            database.execute(f"INSERT OR REPLACE INTO runs VALUES ({places})", line)
    _whole()
    _tell("list")


def _checked(record: Any) -> dict[str, Any]:
    """Return a record with a right digest."""
    return lines.checked({key: value for key, value in dict(record).items() if key != lines.CHECK})


def _tell(*arguments: str) -> None:
    """Run a command, which may say no, without its output."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as told:
        main([*arguments, "--results", str(ROOT)])
    lines._told.clear()
    assert "Traceback" not in told.getvalue()


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
    load = {"seconds": 1.0, "own": 1.0, "others": 0.0, "others_most": 0.0, "stolen": 0.0, "queue": [1, 2]}
    return writer.finish("budget", "enough", peak_memory=10.0, cross_validation=folds, load=load).path


def _make_plan() -> None:
    """Make the plan of a sweep of two jobs."""
    jobs = [
        {"number": k, "label": f"seed={k}", "overrides": [f"seed={k}"], "config": {**CONFIG, "seed": k}}
        for k in (0, 1)
    ]
    plan = {"jobs": jobs, "options": {"jobs": 1}, "duplicates": [], "impossible": []}
    _sweep().joinpath("plan.json").write_text(json.dumps(lines.checked(plan)))


def right(target: str) -> bytes:
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
            _make_plan()
            return (_sweep() / "plan.json").read_bytes()
        case "events":
            _make_plan()
            end = {"state": "done", "reason": "", "run": SOUND, "seconds": 1.0, "numbers": {"a": 1}}
            failed = {**end, "state": "failed", "reason": "no memory", "run": None}
            about = {"job": 0, "time": 1.0}
            record = [
                {**about, "event": "began"},
                {**about, "event": "ended", **end},
                {**about, "event": "ended", **failed, "job": 1},
            ]
            return json.dumps(record).encode()
        case "manifest":
            part = Part(np.eye(4, 3, dtype=np.float32), np.array([1.0, -1.0, 1.0, -1.0]))
            info = {"rows": {"train": 4, "test": 4}, "features": 3}
            cache.save(PREPARED, Dataset("small", part, None, part, digest("small", 64), info))
            return (PREPARED / "manifest.json").read_bytes()
        case "speed":
            source = Path(__file__).parents[2] / "results" / "reference" / "speed"
            return min(source.glob("*-scaling-*.json"), key=lambda path: path.stat().st_size).read_bytes()
        case "check":
            source = Path(__file__).parents[2] / "results" / "reference" / "checks" / "rs-k.json"
            return source.read_bytes()
        case "verdicts":
            claim = {
                "target": "X",
                "claim": "c",
                "verdict": "deviates",
                "place": "p",
                "text": "t",
                "parts": [],
            }
            return json.dumps([claim, {**claim, "claim": "d"}]).encode()
        case "row":
            _whole()
            with contextlib.closing(sqlite3.connect(ROOT / "index.sqlite")) as database:
                ((*texts, _, _),) = database.execute(f"{index.SELECT} WHERE name = ?", (FUZZED.name,))
            return json.dumps(texts).encode()
        case _:
            files = {name: json.loads((FUZZED / f"{name}.json").read_bytes()) for name in ("run", "status")}
            record = {"schema": 4, **files, "trace": (FUZZED / "trace.csv").read_text()}
    return json.dumps(record).encode()


TARGETS: dict[str, Callable[[bytes], None]] = {
    f.__name__: f
    for f in (
        *(run, status, optimum, environment, notes, plan, events, pack),
        *(manifest, speed, check, verdicts, row),
    )
}
