"""Actions of ``svmbench paper``. Each returns an exit code; only `run` needs data."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

from svmbench.cli.report import claims_of
from svmbench.errors import UserError, command
from svmbench.figures.tables import table
from svmbench.files import write_whole
from svmbench.papers import artifact as artifacts
from svmbench.papers import pages
from svmbench.papers.artifact import Artifact
from svmbench.papers.matching import Index, estimate
from svmbench.papers.material import Material
from svmbench.papers.runs import compose_together
from svmbench.store import Store, lines


@dataclass(frozen=True)
class Asked:
    """Arguments of the command."""

    ids: tuple[str, ...]  # names of the artifacts, all valid
    named: bool  # whether they were given by name, or mean all
    results: str  # the results folder
    jobs: int = 1  # number of simultaneous runs
    launcher: Mapping[str, Any] = field(default_factory=lambda: {"name": "local"})  # what makes them
    json: bool = False  # whether `list_all` prints JSON
    folders: tuple[Path, ...] = ()  # the user's configuration folders
    seeds: int | None = None  # the first seeds, instead of all
    only: tuple[str, ...] = ()  # panels and lines, instead of all

    def loaded(self) -> list[Artifact]:
        """Return the artifacts."""
        whole = [artifacts.load(name, self.folders) for name in self.ids]
        if self.seeds is None and not self.only:
            return whole
        return [artifacts.few(artifact, self.seeds, self.only) for artifact in whole]

    @property
    def kept(self) -> bool:
        """Whether the reference folder holds runs or checks."""
        return any((Path(self.results) / "reference" / name).is_dir() for name in ("packs", "checks"))

    def materials(self, kept: bool = False) -> list[Material]:
        """Return the artifacts with their stored runs, or with those of the reference folder alone."""
        index = Index(Store(Path(self.results) / "reference" if kept else self.results))
        loaded = self.loaded()
        compose_together(found.runs for found in loaded)
        return [Material.of(found, index) for found in loaded]


def list_all(asked: Asked) -> int:
    """Print all artifacts, how much of each is stored, and the verdicts on their claims, if written."""
    rows = []
    for material in asked.materials():
        artifact = material.artifact
        rows.append((artifact.id, artifact.target or "–", artifact.kind, material.tally(), artifact.title))
    header = ("name", "target", "kind", "state", "title")
    if asked.json:
        print(json.dumps([dict(zip(header, row)) for row in rows], indent=2))
        return 0
    print(table(header, rows))
    try:
        claims = claims_of(Path(asked.results) / "reference")
    except UserError as error:  # the artifacts are listed anyway
        lines.tell(str(error))
        return 0
    judged = [one for one in claims if one.get("artifact") in asked.ids]
    if judged:
        print(f"\n{pages.claim_lines(judged, linked=False)}")
        print(f"\n{pages.MARKS}")
    return 0


def plan(asked: Asked) -> int:
    """Print which runs are stored, stale or missing, and the estimated time of the missing ones."""
    for material in asked.materials():
        artifact = material.artifact
        print(f"{artifact.title}\n{artifact.source}\n")
        if artifact.is_check:
            made = "measured" if material.outcome is not None else "not measured"
            print(f"a check: {made}; {command(artifact.command('run'), asked.results)}\n")
            continue
        index = Index(Store(asked.results))
        rows, seconds, unknown = [], 0.0, 0
        for match in material.matches:
            took, memory = (None, None) if match.complete else estimate(match, index)
            seconds, unknown = seconds + (took or 0.0), unknown + (took is None and not match.complete)
            planned = match.planned
            over = ", ".join(f"{key}={value}" for key, value in planned.over)
            guess = None if took is None else f"{took:.1f}"
            mib = None if memory is None else f"{memory:.0f}"
            id = None if match.stored is None else match.stored.id
            rows.append((planned.panel, planned.solver, over, planned.seed, match.state, id, guess, mib))
        header = ("data set", "solver", "values", "seed", "state", "run", "seconds", "MiB")
        print(table(header, rows))
        print(f"\n{material.tally()}")
        missing = sum(not match.complete for match in material.matches)
        if missing > unknown:
            print(f"{missing - unknown} missing runs take about {seconds / 60.0:.1f} minutes, by stored runs")
        if unknown:
            print(f"how long {unknown} missing runs take is unknown: no stored run is comparable")
        _print_missing(material, asked, sys.stdout)
    return 0


def run(asked: Asked) -> int:
    """Make the missing runs and checks; those shared by several artifacts are made once.

    Continue after a failed run; return 1 if any failed, 130 if interrupted.
    """
    from svmbench.papers import making

    return making.make(asked.loaded(), Path(asked.results), asked.jobs, asked.launcher)


def draw(asked: Asked) -> int:
    """Draw, write tables and judge, reading the runs of each artifact once and training nothing.

    What is missing is listed. If all artifacts are meant, those without runs are skipped with a message, and
    verdicts are written only if the reference folder holds runs.
    """
    from svmbench.papers import drawing

    materials = asked.materials()
    for material in materials:
        if asked.named:
            _print_missing(material, asked, sys.stderr)
        try:
            paths = drawing.draw(material, Path(asked.results))
        except UserError as nothing:
            if asked.named:
                raise
            print(f"{material.artifact.id}: not drawn, {nothing}", file=sys.stderr)
            continue
        print(*paths, sep="\n")
    if not any(found.artifact.claims for found in materials) or not (asked.named or asked.kept):
        return 0
    return _judge(asked, materials)


def verdict(asked: Asked) -> int:
    """Judge claims: print those of the named artifacts, or write the page of all by the reference alone."""
    return _judge(asked, asked.materials() if asked.named else [])


def _judge(asked: Asked, materials: Sequence[Material]) -> int:
    """Judge; what is written to the reference folder is judged by its own runs, as a copy of it would be."""
    if not asked.named:
        if not asked.kept:
            raise UserError(
                f"{asked.results}/reference holds no runs to judge: pack some by "
                f"{command('paper keep ID', asked.results)}, or name what to judge by all runs of the "
                f"folder: {command('paper verdict ID', asked.results)}"
            )
        materials = asked.materials(kept=True)
        if loose := len(Store(asked.results).own()):
            print(f"{loose} runs outside {asked.results}/reference do not count here", file=sys.stderr)
    judged = pages.judged([found for found in materials if found.artifact.claims])
    if not judged:
        raise UserError(f"no claims are recorded for {', '.join(asked.ids)}")
    if asked.named:
        print(pages.sections(judged), end="")
        return 0
    found, home = pages.entries(judged), Path(asked.results) / "reference"
    made = {"VERDICTS.md": pages.overview(found), "VERDICTS.json": pages.document(found)}
    for name, text in (made | pages.details(judged)).items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        write_whole(home / name, text)
        print(home / name)
    return 0


def keep(asked: Asked) -> int:
    """Pack the runs of artifacts into the reference folder of the results, to be committed."""
    from svmbench.papers.keeping import keep as kept

    for name in asked.ids:
        # Reloaded each time, since packing one artifact moves runs shared with others.
        (material,) = replace(asked, ids=(name,)).materials()
        missing = [match for match in material.matches if not match.complete]
        if missing or (material.artifact.is_check and material.outcome is None):
            _print_missing(material, asked, sys.stderr)
            message = f"{material.artifact.id}: {material.tally()}; nothing is packed until all are stored"
            if asked.named:
                raise UserError(message)
            print(message, file=sys.stderr)
            continue
        print(*kept(material, Path(asked.results)), sep="\n")
    return 0


#: Actions by name.
ACTIONS: dict[str, Callable[[Asked], int]] = {
    "list": list_all,
    "plan": plan,
    "run": run,
    "draw": draw,
    "verdict": verdict,
    "keep": keep,
}


def _print_missing(material: Material, asked: Asked, stream: TextIO) -> None:
    """Print the command of each run without a stored result."""
    missing = [m for m in material.matches if not m.complete]
    if not missing:
        return
    each = [f"{command(m.planned.words, asked.results)}    # {m.state}" for m in missing]
    artifact = material.artifact
    part = [] if asked.seeds is None else ["--seeds", str(asked.seeds)]
    part += ["--only", ",".join(asked.only)] if asked.only else []
    own = command(artifact.command("run", *part), asked.results)
    print(
        f"missing runs: {len(missing)}. Make all of them by `{own}`, or each by",
        *each,
        sep="\n",
        file=stream,
    )
