"""Export of runs, with all that belongs to them, as a results folder or a zip file of one."""

from __future__ import annotations

import io
import os
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from svmbench.errors import UserError, printable, write_csv
from svmbench.files import scratch, sha256
from svmbench.store import documents, shared
from svmbench.store.documents import storing
from svmbench.store.notes import Notes
from svmbench.store.runs import LOCK, RUNNING, StoredRun

#: Time of every entry of a zip file, so that the same runs give the same bytes.
_TIME = (1980, 1, 1, 0, 0, 0)

_COLUMNS = (
    *("run", "solver", "dataset", "seed", "status", "test_error", "train_error", "primal_objective"),
    *("relative_gap", "support_vectors", "iterations", "kev_ondemand", "kev_rowupdate", "kev_iter"),
    *("inner_products", "wall_seconds", "cpu_seconds"),
)


def export(runs: Sequence[StoredRun], target: Path, root: Path, commands: Sequence[str]) -> None:
    """Write ended runs with environments, optima, tags, notes, a table, and commands to repeat them.

    Parameters
    ----------
    runs : sequence of StoredRun
        At least one.
    target : Path
        A new folder, or a file ``*.zip``; it appears when it is complete.
    root : Path
        The results folder that holds the tags and notes.
    commands : sequence of str
        Command of each run.

    Raises
    ------
    UserError
        If the target exists, a run has not ended, or a run, environment or optimum is damaged.
    """
    if target.exists():
        raise UserError(f"{target} already exists: give another -o PATH, or remove it")
    open_ones = [run.id for run in runs if run.path.name.endswith(RUNNING)]
    if open_ones:
        raise UserError(f"run {open_ones[0]} has not ended: wait for its end, make it again, or leave it out")
    with storing(str(target), target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        with scratch(target.parent, ".export-") as made:
            folder = made / "results"
            _fill(folder, runs, root, commands)
            if target.suffix == ".zip":
                packed = made / "results.zip"
                _pack(folder, packed, target.stem)
                os.replace(packed, target)
            else:
                os.rename(folder, target)


def _check_whole(run: StoredRun) -> None:
    """Raise a `UserError` if a file of the run has changed since the run's end."""
    for name, expected in (run.files or {}).items():
        path = run.path / name
        if path.exists() and sha256(path) != expected:
            raise documents.damaged(path, "checksum mismatch")


def _check_plain(run: StoredRun) -> None:
    """Raise a `UserError` if a run's folder contains anything but regular files, such as links."""
    for path in sorted(run.path.rglob("*")):
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            raise UserError(
                f"{path} is a link or not a regular file, and is not exported: remove it, or "
                "leave the run out"
            )


def _fill(folder: Path, runs: Sequence[StoredRun], root: Path, commands: Sequence[str]) -> None:
    for run in runs:
        _check_plain(run)
        _check_whole(run)
        _copy(run.path, folder / "runs" / run.id)
        for kind, name in (
            ("environments", run.manifest.get("environment")),
            ("optima", run.manifest.get("optimum")),
        ):
            if name is None:
                continue
            if not documents.is_name(name):
                raise UserError(
                    f"run {run.id} names {name} in {kind}/, which is not a valid name: leave it out"
                )
            files = (home / kind / f"{name}.json" for home in run.homes)
            found = next((file for file in files if os.path.lexists(file)), None)
            if found is not None:
                if found.is_symlink():
                    raise UserError(f"{found} is a link, and is not exported: put the file in its place")
                shared.READERS[kind](found)  # refuses a damaged one
                (folder / kind).mkdir(exist_ok=True)
                shutil.copyfile(found, folder / kind / found.name)
    kept, notes = Notes(folder), Notes(root)
    for run in runs:
        tags, note = notes.of(run.id)
        for tag in tags:
            kept.tag([run.id], tag)
        if note:
            kept.note(run.id, note)
    (folder / "runs.csv").write_text(_table([run.summary() for run in runs]), encoding="utf-8")
    lines = "\n".join(map(printable, dict.fromkeys(commands)))
    (folder / "README.txt").write_text(
        f"{len(runs)} run{'s' * (len(runs) > 1)} of svmbench. runs.csv: the last checkpoints; "
        "runs/NAME/trace.csv: all of them.\n"
        "Errors are fractions, times seconds, objectives those of lambda/2 |w|^2 + mean hinge loss; what is\n"
        "unknown is empty. With svmbench installed, from the folder beside this one:\n\n"
        "  svmbench list --results FOLDER\n  svmbench plot FOLDER\n  svmbench report FOLDER\n\n"
        f"The runs again:\n\n{lines}\n",
        encoding="utf-8",
    )


def _copy(source: Path, target: Path) -> None:
    """Copy the folder of a run without its lock. `shutil.copytree` would hide why it failed."""
    target.mkdir(parents=True)
    for path in source.iterdir():
        if path.is_dir():
            _copy(path, target / path.name)
        elif path.name != LOCK:
            shutil.copy2(path, target / path.name)


def _table(summaries: Sequence[Mapping[str, Any]]) -> str:
    stream = io.StringIO()
    write_csv(stream, _COLUMNS, ([row[key] for key in _COLUMNS] for row in summaries))
    return stream.getvalue()


def _pack(folder: Path, target: Path, name: str) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(f"{name}/{path.relative_to(folder).as_posix()}", _TIME)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes())
