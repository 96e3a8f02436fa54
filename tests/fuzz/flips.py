"""Change one byte or one value of a stored file, and ask every reader: python -m tests.fuzz.flips.

A results folder is made once: runs of several solvers, one of them killed, a sweep, a certified optimum, a
pack and what is unpacked of it, tags and notes, a measurement of speed, the outcome of a check, verdicts, and
beside it a prepared data set. Each time one file is changed, by one byte or one digit, with its time of
change kept in half of the cases; or, with `--replaced`, it becomes a pipe, a folder, a link to itself,
to a device that never ends or to a file of somebody else, or very large. Then a fork of this
process asks what the commands `list`, `show`, `status`, `report`, `export`, `speed show`, `verify` and
`verify --repair` ask. Held after each change:

- no command ends in a traceback;
- what is shown of a run, a sweep, an optimum, a model, a state, a note or a data set is what was shown
  before, or it is missing, and then a sentence says so;
- of everything that another file holds, nothing is missing;
- `verify` finds the change, or nothing that is shown depends on it;
- all answers are there within a minute.
"""

import argparse
import contextlib
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from svmbench.cli.main import main
from svmbench.data import cache
from svmbench.data.dataset import Dataset, Part
from svmbench.errors import UserError
from svmbench.figures.series import optimum_of
from svmbench.files import digest
from svmbench.report.build import vega
from svmbench.run_config import RunConfig
from svmbench.speed import record
from svmbench.store import Store, lines, packs, shared
from svmbench.store.identity import identity
from svmbench.store.notes import Notes
from svmbench.store.runs import LOCK, RUNNING
from svmbench.store.state import State

#: The kinds of files that are changed, by patterns below the folder.
KINDS = {
    "run.json": "results/runs/*/run.json",
    "status.json": "results/runs/*/status.json",
    "trace.csv": "results/runs/*/trace.csv",
    "model.npz": "results/runs/*/model.npz",
    "state.npz": "results/runs/*/state.npz",
    "pack": "results/reference/packs/*",
    "unpacked": "results/unpacked/*/runs/*/*",
    "optimum": "results/optima/*.json",
    "environment": "results/environments/*.json",
    "index": "results/index.sqlite",
    "notes": "results/notes.json",
    "plan": "results/sweeps/*/plan.json",
    "events": "results/sweeps/*/events.jsonl",
    "manifest": "prepared/manifest.json",
    "array": "prepared/*.npy",
    "killed": "results/runs/*.running/[rt]*",
    "speed": "results/speed/*",
    "check": "results/checks/*",
    "verdicts": "results/VERDICTS.json",
}

#: Ways in which a file becomes something else.
REPLACED: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a folder": Path.mkdir,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "a link to another's file": lambda path: path.symlink_to("/etc/passwd"),
    "64 GiB": lambda path: (path.touch(), os.truncate(path, 1 << 36)),
}
#: Seconds that all readers may take in all, on a machine that does other things.
_PATIENCE = 60
_DATA = (
    *("dataset=twonorm", "dataset.n_train=60", "dataset.n_test=30", "problem.C=1"),
    *("budget=debug", "budget.kev=null", "budget.iterations=100"),
)

Answers = dict[str, Any]


def make(home: Path) -> None:
    """Make the folder that is changed."""
    results = home / "results"
    for given in (["solver=smo"], ["-m", "solver=sbp", "seed=0,1"], ["solver=sdca"]):
        assert main(["run", *given, *_DATA, f"results={results}"]) == 0
    store = Store(results)
    packed = store.find("sdca")
    packs.write(results / "reference" / "packs" / "x.jsonl.xz", [(packed, range(len(packed.rows())))])
    shutil.rmtree(packed.path)
    for run in store.runs():
        Notes(results).tag([run.id], "kept")
        Notes(results).note(run.id, f"seed {run.seed}")
    _make_killed(results)
    record.save(str(results), "scaling", {"scaling": []})
    (results / "checks").mkdir()
    outcome = {"function": "level_work", "version": 1, "arguments": {}, "measures": {"a": {"value": 1.5}}}
    (results / "checks" / "x.json").write_text(json.dumps(lines.checked(outcome)))
    verdict = {"target": "X", "claim": "c", "verdict": "reproduced", "place": "p", "text": "of 12 %"}
    (results / "VERDICTS.json").write_text(json.dumps([lines.checked(verdict)]))
    chance = np.random.default_rng(0)
    part = Part(chance.random((4, 3), dtype=np.float32), np.array([1.0, -1.0, 1.0, -1.0]))
    info = {"rows": {"train": 4, "test": 4}, "features": 3}
    cache.save(home / "prepared", Dataset("small", part, None, part, digest("small", 64), info))


def _make_killed(results: Path) -> None:
    """Leave what a process leaves that was killed after some checkpoints."""
    about = Store(results).find("smo").manifest
    config = RunConfig.of({**about["config"], "seed": 9})
    manifest = {key: about[key] for key in ("dataset", "problem", "solver", "environment")}
    writer = Store(results).begin(
        identity(config, about["dataset"]["checksum"], about["solver"]["version"]),
        {**manifest, "config": config.document()},
    )
    for cost in (1, 2, 3):
        writer.checkpoint({"iterations": cost, "test_error": 0.5 / cost})
    writer.abandon()
    (writer.path / LOCK).unlink(missing_ok=True)


def told(arguments: list[str]) -> tuple[int, str, str]:
    """Return exit code, output and errors of a command."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = main(arguments)
    return code, out.getvalue(), err.getvalue()


def ask(home: Path) -> Answers:
    """Return what is shown, by what it is of, all sentences, whether verify notices, and the runs left."""
    where, shown, said = ["--results", str(home / "results")], {}, []
    for results in (where[1], f"{where[1]}/reference"):
        code, out, errors = told(["list", "--json", "--results", results])
        said.append(errors)
        for entry in json.loads(out) if code == 0 else []:
            shown[f"list {entry['run']}"] = entry
    names = [key.removeprefix("list ") for key in shown]
    for name in names:
        code, out, errors = told(["show", name, *where])
        said.append(errors)
        if code == 0:
            shown[f"show {name}"] = out
    code, out, errors = told(["status", "--json", *where])
    said.append(errors + (out if code else ""))
    if code == 0:
        for job in json.loads(out)["jobs"]:
            shown[f"status {job['job']}"] = job
    code, out, errors = told(["speed", "show", *where])
    said.append(errors)
    if code == 0 and out:
        shown["speed"] = out
    ended = [name for name in names if shown[f"list {name}"]["status"] != "killed"]
    for command in (["report"], ["export", *ended]):
        target = home / f"{command[0]}.{'html' if command[0] == 'report' else 'zip'}"
        code, _, errors = told([*command, "-o", str(target), *where])
        said.append(errors)
        if code == 0 and names:
            shown[command[0]] = digest(target.read_bytes().hex())
        target.unlink(missing_ok=True)
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        said += _read(home, shown)
    said.append(errors.getvalue())
    code, out, errors = told(["verify", "--json", *where])
    right, sentence = cache.verify(home / "prepared")
    noticed = code != 0 or not right or any(one["state"] == "unchecked" for one in json.loads(out))
    told(["verify", "--repair", *where])
    kept = [entry["run"] for entry in json.loads(told(["list", "--json", *where])[1] or "[]")]
    return {
        "shown": shown,
        "said": "\n".join([*said, "" if right else sentence]),
        "noticed": noticed,
        "kept": kept,
    }


def _read(home: Path, shown: Answers) -> list[str]:
    """Read what no command prints; return what is said of it."""
    said: list[str] = []
    store = Store(home / "results", warn=said.append)
    for run in store.runs():
        state = State.load(run)
        if state is not None:
            shown[f"state {run.id}"] = digest(
                [[name, one.tobytes().hex()] for name, one in state.arrays.items()]
            )
        try:
            model = run.model()
            shown[f"model {run.id}"] = repr((model.bias, model.kernel, model.indices, model.coefficients))
        except UserError as error:
            said.append(str(error))
        best = optimum_of(run)
        if best is not None:
            shown[f"optimum {run.id}"] = best
        record = store.environment(str(run.manifest.get("environment")))
        if record is not None:
            shown[f"environment {run.id}"] = record
    try:
        for name, known in Notes(home / "results").all().items():
            shown[f"notes {name}"] = known
    except UserError as error:
        said.append(str(error))
    try:
        shown["check"] = shared.record(home / "results" / "checks" / "x.json")
    except UserError as error:
        said.append(str(error))
    data = cache.load(home / "prepared")
    if data is not None:
        parts = [
            part and [part.X.tobytes().hex(), part.y.tobytes().hex()] for part in (data.train, data.test)
        ]
        shown["data"] = digest([data.name, data.checksum, data.info, parts])
    return said


def change(path: Path, chance: random.Random) -> str:
    """Change a byte of a file, or a character of one of its values; return what was done."""
    content, about = bytearray(path.read_bytes()), path.stat()
    place = chance.randrange(len(content))
    if path.suffix != ".npz" and chance.random() < 0.5:
        digits = [at for at, byte in enumerate(content) if chr(byte).isdigit()]
        place = chance.choice(digits or [place])
        new = ord(str((content[place] - ord("0") + chance.randrange(1, 10)) % 10)) if digits else 0
    else:
        new = content[place] ^ chance.randrange(1, 256)
    what = f"byte {place} from {bytes([content[place]])!r} to {bytes([new])!r}"
    content[place] = new
    path.write_bytes(content)
    if chance.random() < 0.5:
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
        what += ", its time kept"
    return what


def replace(path: Path, chance: random.Random) -> str:
    """Make something else of a file; return what."""
    how = chance.choice(list(REPLACED))
    path.unlink()
    REPLACED[how](path)
    return f"now {how}"


def forked(home: Path) -> Answers | str:
    """Return what a fork of this process is shown; a traceback where there is one."""
    answer = home.with_name("answer")
    answer.write_text("no answer")
    process = os.fork()
    if process == 0:
        code = 1
        signal.alarm(_PATIENCE)  # which ends the process
        try:
            answer.write_text(json.dumps(ask(home), default=repr))
            code = 0
        except BaseException:
            answer.write_text(traceback.format_exc())
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    text = answer.read_text()
    return json.loads(text) if code == 0 else text


def judge(now: Answers | str, before: Answers, name: str, kind: str) -> list[str]:
    """Return what is wrong after a change of the file of a run, or of another kind."""
    if isinstance(now, str):
        return [now]
    found = []
    # A page and a folder of all runs change with every run that is left out.
    whole = {"report", "export"}
    missing = before["shown"].keys() - now["shown"].keys()
    both = before["shown"].keys() & now["shown"].keys()
    changed = [key for key in both if before["shown"][key] != now["shown"][key]]
    other = [key for key in changed if not _less(before["shown"][key], now["shown"][key], key, kind)]
    found += [f"{key} is shown otherwise" for key in other if key not in whole]
    spoken = now["said"] != before["said"]
    # A state that is damaged is not gone on from, which changes no number.
    silent = [key for key in (*sorted(missing), *changed) if not key.startswith("state")]
    if silent and not spoken:
        found.append(f"without a word: {', '.join(silent)}")
    if not now["noticed"] and (missing or set(changed) - whole):
        found.append("verify does not find it")
    if kind in ("run.json", "status.json", "trace.csv", "model.npz", "state.npz", "killed"):
        lost = [
            key for key in missing if key not in whole and not key.startswith("status") and name not in key
        ]
    elif kind == "pack":
        lost = [key for key in missing if key not in whole and "sdca" not in key]
    else:
        own = {"notes": "notes", "optimum": "optimum", "environment": "environment", "manifest": "data"}
        own |= {"array": "data", "speed": "speed", "check": "check"}
        skipped = (own.get(kind, "status" if kind in ("plan", "events") else "-"), "show")
        lost = [key for key in missing if key not in whole and not key.startswith(skipped)]
        lost = [key for key in lost if kind != "unpacked" or "sdca" not in key]
    return found + ([f"lost: {', '.join(sorted(lost))}"] if lost else [])


def _less(old: Any, new: Any, key: str, kind: str) -> bool:
    """Return whether less is shown than was: nothing of what the damaged line of a file holds."""
    if kind == "notes" and key.startswith("list"):
        return all(new[name] in (old[name], "", []) for name in old)
    if kind == "notes" and key.startswith("show"):
        return set(new.splitlines()) <= set(old.splitlines())
    if kind == "events" and key.startswith("status"):
        return all(value is None or value == old[name] for name, value in new.items())
    return False


def flip(
    folder: Path,
    flips: int,
    seed: int = 0,
    damage: Callable[[Path, random.Random], str] = change,
) -> tuple[Counter[str], list[str]]:
    """Make the changes; return how often what became of them, and what is wrong."""
    base, home, chance = folder / "base", folder / "home", random.Random(seed)
    base.mkdir()
    vega()  # which takes seconds in a process that has not called it
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        make(base)
    shutil.copytree(base, folder / "warm")
    ask(folder / "warm")  # so that what commands import and compose is there in each fork
    shutil.copytree(base, home)
    before = forked(home)  # which also unpacks the pack and makes the index
    assert not isinstance(before, str), before
    shutil.rmtree(base)
    shutil.copytree(home, base)
    before = forked(home)
    assert not isinstance(before, str), before
    assert not before["noticed"] and len(before["kept"]) == 4
    ends, wrong = Counter[str](), []
    for number in range(flips):
        kind = list(KINDS)[number % len(KINDS)]
        shutil.rmtree(home)
        shutil.copytree(base, home)
        path = chance.choice(sorted(home.glob(KINDS[kind])))
        what = damage(path, chance)
        now = forked(home)
        faults = judge(now, before, path.parent.name.removesuffix(RUNNING), kind)
        wrong += [f"{path.relative_to(home)}, {what}: {fault}" for fault in faults]
        noticed = not isinstance(now, str) and now["noticed"]
        ends[f"{kind} {'wrong' if faults else 'found by verify' if noticed else 'harmless'}"] += 1
    return ends, wrong


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--flips", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--replaced", action="store_true", help="make something else of files")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ends, wrong = flip(Path(folder), given.flips, given.seed, replace if given.replaced else change)
    for end, count in sorted(ends.items()):
        print(f"{count:4} {end}")
    print("\n".join(wrong))
    sys.exit(f"{len(wrong)} things are wrong" if wrong else 0)


if __name__ == "__main__":
    _main()
