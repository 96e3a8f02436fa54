"""``svmbench verify``: check that stored runs are intact and their numbers correct."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmbench.cli._output import print_array
from svmbench.cli._parser import Parser
from svmbench.errors import UserError, command, fault
from svmbench.sweep.select import RUNS, chosen

if TYPE_CHECKING:
    from svmbench.data import Dataset
    from svmbench.store import Store, StoredRun
    from svmbench.store.integrity import Finding
    from svmbench.store.joint_model import JointModel
    from svmbench.store.model import StoredModel


#: Names of other documents, by the kind of finding.
_KINDS = {
    "optimum": "optima",
    "environment": "environments",
    "notes": "notes",
    "plan": "plans of sweeps",
    "events": "events of sweeps",
    "speed": "measurements of speed",
    "check": "outcomes of checks",
    "verdicts": "verdicts",
}


_Judged = tuple["Finding", str, str]


@dataclass
class _Tally:
    """Numbers of findings by state: of runs and what is wrong, and of other documents by their kind."""

    states: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    without: Counter[str] = field(default_factory=Counter)

    def counted(self, judged: Iterable[_Judged]) -> Iterator[_Judged]:
        """Count findings as they pass."""
        for finding, state, sentence in judged:
            if finding.kind in ("run", "pack") or state in ("damaged", "aside", "unreadable"):
                self.states[state] += 1
            else:
                self.others[finding.kind] += 1
                self.without[finding.kind] += state == "unchecked"
            yield finding, state, sentence

    @property
    def right(self) -> bool:
        """Whether nothing is damaged, unreadable or different."""
        return not any(self.states[state] for state in ("damaged", "differs", "unreadable"))

    def lines(self, results: str) -> Iterator[str]:
        """Return the last lines of the output."""
        if not self.states and not self.others:
            yield f"no runs in {results}; make one with: {command('run', results)}"
            return
        if self.others:
            yield f"also read, beside the runs: {', '.join(map(self._beside, self.others))}"
        yield ", ".join(f"{count} {state}" for state, count in self.states.items()) or "no runs"

    def _beside(self, kind: str) -> str:
        without = self.without[kind]
        return f"{_KINDS[kind]} ({self.others[kind]}{f', {without} without a digest' if without else ''})"


def main(arguments: Sequence[str]) -> int:
    """Print the finding of each run; return 1 if anything is or stays damaged, or differs."""
    parser = Parser(
        "verify",
        "Check the files of stored runs, and the other documents beside them, against their checksums. With "
        "--recompute, recompute every number of each run's last checkpoint from its model and the data, in "
        "double precision, and report differences. With --again, make each run again and compare it bit for "
        "bit: 'same' or 'differs'. With --repair, move what is damaged to damaged/ in the results folder: "
        "'aside'. Nothing is removed. A run that was moved is repeated when it is next requested.",
    )
    parser.add_argument("runs", nargs="*", metavar="RUNS", help=f"{RUNS}; all, if none is given")
    parser.add_argument("--recompute", action="store_true", help="recompute the numbers; loads the data sets")
    parser.add_argument(
        "--again", action="store_true", help="repeat the runs, which takes as long as they took"
    )
    parser.add_argument("--repair", action="store_true", help="move what is damaged to damaged/")
    given = parser.parse_with_results(arguments)

    from svmbench.store import Store
    from svmbench.store.integrity import check_folder
    from svmbench.sweep.record import check_all

    store = Store(given.results, warn=lambda sentence: None)
    if given.runs:
        paths = dict.fromkeys(path for name in given.runs for path in _paths(store, name))
        findings: Iterator[Finding] = (one for path in paths for one in check_folder(path, store))
    else:
        findings = check_all(store)
    findings = _apart(_set_aside(findings, store) if given.repair else findings)
    tally = _Tally()
    judged = tally.counted(_repeated(_judged(findings, given.recompute, store), given.again, store))
    if given.json:
        print_array(_documents(judged, given.recompute, tally))
        return 0 if tally.right else 1
    for finding, state, sentence in judged:
        asked = given.runs or ((given.recompute or given.again) and finding.run is not None)
        quiet = state == "ok" or (state == "unchecked" and finding.kind in ("speed", "check", "verdicts"))
        if asked or not quiet:
            print(f"{state:<12} {finding.path.name}: {sentence}", flush=True)
    if given.recompute and tally.states["ok"]:
        print(f"not checked: {_UNSEEN}")
    print("\n".join(tally.lines(given.results)))
    return 0 if tally.right else 1


#: Begins the advice in a sentence about what is damaged, left out where it has just been done.
_ADVICE = "; svmbench verify --repair"


def _set_aside(findings: Iterable[Finding], store: Store) -> Iterator[Finding]:
    """Move what is damaged, after all has been checked, and return the findings."""
    from svmbench.store.integrity import set_aside

    for finding in list(findings):
        if finding.state != "damaged":
            yield finding
        elif os.path.lexists(finding.path):  # else it was moved with the folder of another finding
            target, why = set_aside(finding, store), finding.sentence.partition(_ADVICE)[0]
            if target is None:
                kept = store.root / "reference" in finding.path.parents
                way = ": restore it from version control" if kept else ": end its process, then repair it"
                way = "" if finding.kind == "verdicts" else way  # of which the sentence has one
                yield replace(finding, sentence=f"{why}; it was not moved{way}")
            else:
                yield replace(finding, state="aside", sentence=f"moved to {target}; {why}")


def _documents(judged: Iterable[_Judged], recompute: bool, tally: _Tally) -> Iterator[dict[str, str | None]]:
    """Return findings as JSON documents, and at last one of what no recomputation checks."""
    for finding, state, sentence in judged:
        yield {"run": finding.path.name, "kind": finding.kind, "state": state, "reason": sentence}
    if recompute and tally.states["ok"]:
        yield {"run": None, "kind": "run", "state": "not checked", "reason": _UNSEEN}


def _judged(findings: Iterable[Finding], recompute: bool, store: Store) -> Iterator[_Judged]:
    """Return findings with state and sentence, of intact runs those of the recomputation."""
    data: dict[str, Dataset] = {}
    for finding in findings:
        if recompute and finding.state == "ok" and finding.run is not None:
            yield finding, *_of_run(finding.run, data, store)
        elif recompute and finding.state == "packed":
            yield finding, *_packed(finding, store)
        else:
            yield finding, finding.state, finding.sentence


def _apart(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Return findings; a run whose checkpoints, clocks included, are those of another run is a copy of it."""
    known: dict[str, str] = {}
    for finding in findings:
        run = finding.run
        if finding.state == "ok" and run is not None and run.value("wall_seconds"):
            first = known.setdefault((run.files or {})["trace.csv"], run.id)
            if first != run.id:
                said = (
                    f"its checkpoints are those of {first}, to the byte and with their seconds: one is a copy"
                )
                finding = replace(finding, state="differs", sentence=said)
        yield finding


def _repeated(judged: Iterable[_Judged], asked: bool, store: Store) -> Iterator[_Judged]:
    """Return findings; if asked, those of whole runs after these have been made again."""
    from svmbench.cli._again import repeated

    for finding, state, sentence in judged:
        if asked and finding.run is not None and state in ("ok", "packed"):
            yield finding, *repeated(finding.run, store)
        else:
            yield finding, state, sentence


def _paths(store: Store, name: str) -> list[Path]:
    """Return the folders of the runs that a word refers to, including damaged runs."""
    for path in (Path(name), store.root / "runs" / name, store.root / "reference" / "runs" / name):
        if (path / "run.json").exists() or (path / "status.json").exists():
            return [path.absolute()]
    return [run.path.absolute() for run in chosen(str(store.root), [name])]


def _packed(finding: Finding, store: Store) -> tuple[str, str]:
    """Return state and message of a packed run, or of a pack, after checks that need no model."""
    from svmbench.store import packs

    try:
        alone, home = finding.run, store.home / "unpacked"
        runs: Iterable[StoredRun] = packs.runs(finding.path, home) if alone is None else [alone]
        found = {run.id: said for run in runs if (said := _contradictions(run, store))}
    except UserError as error:
        return "unchecked", str(error)
    if not found:
        return "packed", f"{finding.sentence}; what is stored of them does not contradict itself"
    if alone is not None:
        return "differs", _some(found[alone.id])
    return "differs", _some([f"{id}: {said[0]}" for id, said in found.items()])


def _contradictions(run: StoredRun, store: Store) -> list[str]:
    """Return a sentence for each contradiction between the checkpoints of a run, and its optimum."""
    from svmbench.recompute import contradictions

    about = run.manifest
    optimum = about.get("optimum")
    try:
        best = None if optimum is None else store.optimum(optimum)
        return contradictions(about, run.rows(), best)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return [f"run.json lacks what the checks need ({fault(error)})"]


def _some(sentences: list[str]) -> str:
    return "; ".join(sentences[:3]) + (f"; and {len(sentences) - 3} more" if len(sentences) > 3 else "")


#: What nothing can be recomputed from, in any run.
_UNSEEN = (
    "errors, objectives and support vectors of earlier checkpoints, counts, missing "
    "checkpoints, times, load, machine and memory, title, end and its reason, results of folds; whether "
    "these solvers made these models (--again makes them again)"
)


def _of_run(run: StoredRun, data: dict[str, Dataset], store: Store) -> tuple[str, str]:
    """Return state and message of an intact run, whatever its documents and its model hold."""
    try:
        return _recompute(run, data, store)
    except UserError as error:  # a line of the trace
        return "damaged", str(error)
    except MemoryError:
        return "unchecked", "cannot be recomputed: there is not enough memory"
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return "differs", f"its content is invalid ({fault(error)})"


def _recompute(run: StoredRun, data: dict[str, Dataset], store: Store) -> tuple[str, str]:
    """Return state and message of an intact run."""
    from svmbench.kernels.functions.registry import kernel_of
    from svmbench.recompute import compare, joint_numbers, numbers, unknown
    from svmbench.store.identity import run_id
    from svmbench.store.integrity import replaced_optimum
    from svmbench.store.joint_model import JointModel

    summary, about = run.summary(), run.manifest
    if {run.id, about["id"]} != {run_id(about["identity"])}:
        return "differs", "its id is not that of the identity in run.json"
    found = _contradictions(run, store)
    if found:
        return "differs", _some(found)
    if summary["iterations"] is None:
        return "ok", "it has no checkpoint, so there is nothing to recompute"
    try:
        model = run.model()
        set = load(run, data)
        model.check_fits(*set.train.X.shape)
        kernel_of(run.config.kernel_document())  # a plug-in's may be no longer installed
    except UserError as error:
        return "unchecked", f"cannot be recomputed: {error}"
    found = [*_other_data(about["dataset"], set), *_other_model(run, model)]
    if found:
        return "differs", _some(found)
    # Features in double precision are used as loaded, even if they are multiples of a unit.
    precision = run.config.precision if set.train.X.dtype.itemsize == 4 else "double"
    listed = None if summary["test_mistakes"] is None else run.mistaken_tests()
    posed = about["problem"], set, precision
    made = joint_numbers(model, *posed) if isinstance(model, JointModel) else numbers(model, *posed, listed)
    wrong, largest, left, vague = compare(summary, made, (about.get("optimum_values") or {}).get("dual"))
    if wrong:
        return "differs", "; ".join(wrong)
    without = f"; without {', '.join(left)}, which a model does not determine" if left else ""
    rounded = f"; {', '.join(vague)} are not known to 1e-6" if vague else ""
    open_signs = ", ".join(unknown(summary, made))
    if open_signs:
        rounded += f"; not known, for double precision leaves the signs of some scores open: {open_signs}"
    share = f"recomputed; the largest difference is {largest:.1e} times the allowed one"
    return "ok", f"{share}{without}{rounded}{replaced_optimum(run, store)}"


def _other_data(about: Mapping[str, Any], data: Dataset) -> list[str]:
    """Return a sentence for each part of run.json's description that does not match the data.

    Keys that older versions did not store are not compared.
    """
    from svmbench.files import canonical

    parts = {"train": data.train, "validation": data.validation, "test": data.test}
    made: dict[str, object] = {
        "rows": {name: part.n for name, part in parts.items() if part is not None},
        "features": data.train.X.shape[1],
        **{key: data.info.get(key) for key in ("columns", "labels", "filling")},
    }
    return [
        f"dataset.{key} is {about[key]}, the data have {value}"
        for key, value in made.items()
        if about.get(key) is not None and canonical(about[key]) != canonical(value)
    ]


def _other_model(run: StoredRun, model: StoredModel | JointModel) -> Iterator[str]:
    """Return a sentence for each part of the run that the model contradicts."""
    from svmbench.recompute.numbers import BOUNDED

    about, features = run.manifest, run.config.features
    if getattr(model, "dual", None) == "none" and run.value("precision") in BOUNDED:
        yield "the last gap is that of a dual point, the model has none"
    if model.iterations != run.value("iterations"):
        yield f"the model is of iteration {model.iterations}, the trace ends at another"
    kernel = run.config.kernel_document()
    if model.kernel != kernel or model.kernel != about["identity"]["config"]["kernel"]:
        yield f"the model is of kernel {model.kernel}, run.json says {kernel}"
    map_of = None if features is None else {**features.document(), "seed": about["seeds"]["features"]}
    for found in (own.features for own in getattr(model, "models", [model]) if own.features != map_of):
        yield f"the model is of features {found}, run.json says {map_of}"


def load(run: StoredRun, loaded: dict[str, Dataset], say: Callable[[str], None] | None = None) -> Dataset:
    """Return the data set of a run, one at a time in memory; a `UserError` if it has changed."""
    import sys

    from svmbench import data as datasets
    from svmbench.data.dataset import rounded
    from svmbench.data.subset import sampled

    config, checksum = run.config, run.manifest["dataset"]["checksum"]
    if checksum not in loaded:
        loaded.clear()
        found = datasets.load(
            **config.loading(),
            say=say or (lambda line: print(line, file=sys.stderr)),
            checksum=checksum,
        )
        if config.subset is not None:
            found = sampled(found, config.subset, config.seed)
        loaded[checksum] = found
    if loaded[checksum].checksum != checksum:
        raise UserError(
            f"data set {run.dataset} differs from the one that run {run.id} was made on (files, parameters "
            "or preparation have changed): repeat the run"
        )
    # Feature maps read single precision.
    return loaded[checksum] if config.features is None else rounded(loaded[checksum])
