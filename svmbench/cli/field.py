"""``svmbench field``: the comparison of all methods on fifteen data sets, and a user's own solver in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from svmbench.cli._output import tell
from svmbench.cli._parser import Parser, sweep_words
from svmbench.config import folder
from svmbench.errors import UserError

_PAPER = "field"

#: Seeds of an entered solver: those of the others.
_SEEDS = 3


def main(arguments: Sequence[str]) -> int:
    """Make missing runs of the comparison, or of one solver, and draw the fronts."""
    parser = Parser(
        "field",
        "Compare methods on fifteen data sets: the least test error reached by each cost. Makes what is "
        "missing of the comparison, or only the runs of the named solver, which is then drawn in colour and "
        "the others pale. An interrupted comparison continues from the stored runs.",
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="SOLVER [KEY=VALUE,VALUE]",
        help="a solver to enter, and its settings; several values of a key are tried, and the best counts; "
        "jobs=N for N runs at a time, launcher=slurm and its keys",
    )
    parser.add_argument("--sets", metavar="SET,SET", help="these data sets only")
    parser.add_argument(
        "--seeds", type=int, metavar="N", help=f"seeds of an entered solver: {_SEEDS} by default"
    )
    parser.add_argument("--draw", action="store_true", help="draw what is stored, without new runs")
    parser.add_argument(
        "--summary", type=Path, metavar="PATH", help="also write what svmbench advise needs, as it is shipped"
    )
    parser.add_argument("--config-dir", metavar="DIR", help="your own configuration folder, with DIR/solver/")
    parser.add_results(written=True)
    given = parser.parse_args(arguments)

    from svmbench.config.validation import of_the_sweep

    words = [word for word in given.words if of_the_sweep(word.partition("=")[0])]
    given.words = [word for word in given.words if word not in words]
    if given.summary is not None and (given.words or given.sets):
        parser.error("--summary is for the whole comparison: leave out the solver and --sets")
    if given.seeds is not None and not given.words:
        parser.error("--seeds is for an entered solver: name it, or leave --seeds out")
    jobs, launcher = sweep_words("svmbench field", words)
    seeds = _SEEDS if given.seeds is None else given.seeds
    if seeds < 1:
        raise UserError(f"--seeds {seeds} is not allowed: give at least 1")

    from svmbench.files import write_whole
    from svmbench.papers import artifact as artifacts
    from svmbench.papers import summary
    from svmbench.papers.drawing import draw
    from svmbench.papers.entered_solver import absent, entered, without_others
    from svmbench.papers.making import make
    from svmbench.papers.matching import Index
    from svmbench.papers.material import Material
    from svmbench.papers.runs import check_known
    from svmbench.store import Store

    shown = artifacts.load(_PAPER)
    assert isinstance(shown, artifacts.Front)
    if given.sets:
        chosen = given.sets.split(",")
        check_known(chosen, [panel.name for panel in shown.runs.panels], "--sets")
        shown = replace(shown, runs=shown.runs.only(chosen))
    made = shown
    if given.words:
        folders = tuple(folder.user_folders(given.config_dir))
        shown, made = entered(shown, given.words, seeds, folders)
    results = Path(given.results)
    if given.words and not given.draw:
        for _, why in without_others(Material.of(shown, Index(Store(results)))):  # before any training
            raise UserError(f"{given.words[0]} cannot be compared: {why}")
    code = 0 if given.draw else make([made], results, jobs, launcher)
    index = Index(Store(results))
    material = Material.of(shown, index)
    if given.words and not Material.of(made, index).stored:
        if code:
            return code  # it was said why no run was made
        raise UserError(f"no run of {given.words[0]} is stored: make them by the same command without --draw")
    if code != 130:
        if given.words:
            tell(absent(material))
        paths = draw(material, results)
        if given.summary is not None:
            write_whole(given.summary, summary.of(material).text())
            paths.append(given.summary)
        print(material.tally(), *paths, sep="\n")
    return code
