"""``svmbench export``: runs as a folder or zip file, or the model of one in the form of another program."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from svmbench.cli._parser import Parser, file_path
from svmbench.errors import UserError
from svmbench.sweep.select import RUNS, chosen

#: Forms of a model (`svmbench.recompute.exchange`).
_FORMS = ("libsvm", "sklearn", "onnx", "npz")


def main(arguments: Sequence[str]) -> int:
    """Write the folder or file and print its path."""
    parser = Parser(
        "export",
        "Copy runs with their environments, optima, tags and notes, a table, and the commands that repeat "
        "them, into a new results folder, which every command reads with --results. With --model, write the "
        "model of one run with its support vectors, for another program. It scales rows as dataset.scaling "
        "says; for LIBSVM, a second file does, FILE.range for svm-scale -r.",
    )
    parser.add_argument("runs", nargs="+", metavar="RUNS", help=RUNS)
    parser.add_argument("--zip", action="store_true", help="write one zip file instead of a folder")
    parser.add_argument(
        "-o", "--output", metavar="PATH", help="path of the output; export or export.zip by default"
    )
    parser.add_argument(
        "--model",
        choices=_FORMS,
        help="write the model of the run: libsvm for svm-predict, sklearn by joblib, onnx, npz arrays",
    )
    given = parser.parse_with_results(arguments)
    if given.model is not None:
        return _write_model(given)

    from svmbench.report.command import command
    from svmbench.store.export import export

    path = Path(given.output or "export")
    if not path.name:
        raise UserError(f"-o {path} already exists: give the name of a new folder, such as {path / 'mine'}")
    if given.zip and path.suffix != ".zip":
        path = path.with_name(path.name + ".zip")
    found = {run.id: run for run in reversed(chosen(given.results, given.runs))}
    runs = list(reversed(found.values()))  # two folders may contain the same run
    export(runs, path, Path(given.results), [command(run.config) for run in runs])
    count = sum(
        one.stat().st_size for one in ([path] if path.is_file() else path.rglob("*")) if one.is_file()
    )
    if given.json:
        print(json.dumps({"path": str(path), "runs": [run.id for run in runs], "bytes": count}, indent=2))
    else:
        print(f"{path}  ({len(runs)} run{'s' * (len(runs) > 1)}, {count / 1e6:.2f} MB)")
    return 0


def _write_model(given: Namespace) -> int:
    """Write the model of one run and print its path, and how rows are to be prepared for it."""
    if len(given.runs) != 1 or given.zip or set(given.runs[0]) & set("*?["):
        raise UserError("--model writes the model of one run: name it, and leave out --zip and patterns")

    from svmbench.cli.verify import load
    from svmbench.data.rows import shifts_and_widths
    from svmbench.files import write_whole
    from svmbench.recompute.exchange import FORMS, libsvm_ranges
    from svmbench.recompute.expansion import expanded
    from svmbench.store import Store

    run = Store(given.results).find(given.runs[0])
    write, suffix = FORMS[given.model]
    about, dataset = run.manifest["dataset"], run.config.dataset.document()
    labels = tuple(about.get("labels") or ("+1", "-1"))
    path = file_path("-o", given.output or f"{run.id}.{suffix}")
    found = expanded(run.model(), load(run, {}).train, labels, run.config.precision)
    scaling, ranges = dataset.get("scaling", "none"), path.with_name(path.name + ".range")
    # What of the preparation of a file the model does not do itself.
    changed = {key: dataset.get(key, "none") for key in ("missing", "encode") if about.get("filling")}
    if about.get("columns") not in (None, about["features"]):
        changed["features"] = f"{about['features']} of {about['columns']}, those with values"
    changed = {key: value for key, value in changed.items() if value not in ("none", "refuse")}
    if changed or "path" not in dataset:
        changed |= {"scaling": scaling} if scaling != "none" else {}
    elif scaling in ("minmax", "standard"):
        found = replace(found, scaling=shifts_and_widths(dataset))
    elif scaling == "unit" and given.model in ("sklearn", "onnx"):
        found = replace(found, unit=True)
    elif scaling == "unit":
        changed["scaling"] = scaling
    content = write(found)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)
    written = [path]
    if given.model == "libsvm" and found.scaling is not None:
        write_whole(ranges, libsvm_ranges(*found.scaling))
        written.append(ranges)
    if given.json:
        files = {"path": str(path), "ranges": str(ranges)} if len(written) > 1 else {"path": str(path)}
        print(json.dumps({**files, "run": run.id, "bytes": len(content)}, indent=2))
        return 0
    if changed:
        told = ", ".join(f"dataset.{key}={value}" for key, value in changed.items())
        print(f"prepare rows as the data set was before this model: {told}", file=sys.stderr)
    for one in written:
        print(f"{one}  ({one.stat().st_size / 1e6:.2f} MB)")
    return 0
