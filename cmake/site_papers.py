"""The page docs/papers.md: what the documents print beside what stored runs give.

``python cmake/site_papers.py RESULTS`` prints it; `make verdicts` writes it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from svmbench.papers.artifact import DOCUMENTS, Artifact, load
from svmbench.papers.catalogue import ours
from svmbench.papers.pages import MARKS, Entry, marked
from svmbench.store import shared

#: Most characters in a line of a table.
_LONGEST = 200

#: The documents that are shown; the others are known in part.
_SHOWN = ("SBP", "RUP", "PEG", "RS", "LEC", "AS")

_ABOUT = f"""\
# The papers, printed and reproduced

For each figure and table of the five documents: what stored runs give, beside the printed numbers where there
are any, and the verdict on each claim.
{MARKS}
`make verdicts` writes this page; `results/reference/VERDICTS.md` explains the verdicts, and the pages in
`results/reference/verdicts` have their tests and intervals by the same names. Pictures lead to their full
size."""


#: What has no claim of its own, and why.
_NOT_COVERED = {
    "SBP": (
        "Without a claim: ν with a bias in Table 2, whose printed values are missing in the text that was "
        "available; ours are shown."
    ),
    "RUP": (
        "Without a claim: 9.2 CPU seconds for 200 iterations against 4 hours of SVM-light on CCAT. Both "
        "depend on the machine, and SVM-light's time grows faster than the number of examples, of which a "
        "thirtieth is available. On that part, seconds of SVM-light are in RS-e, those of Pegasos in PEG-T1."
    ),
    "PEG": (
        "astro-ph and the whole of CCAT are not available; their printed rows stand above the RCV1 subset, "
        "which has a thirtieth of the rows of CCAT."
    ),
    "RS": (
        "Without a claim: that LIBSVM does not end within a day on a million examples, and takes 85,124 s "
        "on ringnorm, since only a run of a day decides it (*-* means that in the printed table, *–* that a "
        "run was not made); that RandSVM takes O(k log n) rounds on average, since section 2.1 says so with "
        "samples of 6 k² examples, 60,000 and more of our 80,000 at most (RS-it.1 asks how rounds grow with "
        "samples of 2 k); and the three statements of Theorem 3 on data that are almost separable. Its "
        "first is that of Theorem 1, which RS-Th1 checks, and its second that of Theorem 2, which RS-Th2 "
        "checks, after examples at the bound are left out; "
        "the third says that a subset exists, and not which."
    ),
    "AS": (
        "Without a claim: CCAT, because the whole of RCV1 is not available; that LASVM takes 1,504 s to "
        "test, because its pass over the million, which determines the number of its support vectors, takes "
        "days; and the testing times of Table 3, which are those of d inner products for each test example "
        "(AS-cls). The deviations of Table 3 are over ten checkpoints of a run and ours over runs, so they "
        "are shown but not compared."
    ),
}


def gallery(found: Sequence[Entry], reference: Path, home: str) -> str:
    """Return the page.

    Parameters
    ----------
    found : sequence of mapping
        The claims of VERDICTS.json.
    reference : Path
        The reference folder, with pictures and tables.
    home : str
        Its address relative to the page.
    """
    parts = [_ABOUT]
    artifacts = [artifact for artifact in map(load, ours()) if artifact.target]
    for key in _SHOWN:
        mine = sorted((a for a in artifacts if a.document == key), key=lambda a: a.target)
        about = [_NOT_COVERED[key]] if key in _NOT_COVERED else []
        parts += [f"## {DOCUMENTS[key]}", *about, *(_section(one, found, reference, home) for one in mine)]
    return "\n\n".join(parts) + "\n"


def _section(artifact: Artifact, found: Sequence[Entry], reference: Path, home: str) -> str:
    """Return the picture or table of an artifact, and a line for each of its claims."""
    title = artifact.title.partition(": ")[2] or artifact.title
    parts = [f"### {artifact.target}: {title}"]
    table = reference / "tables" / f"{artifact.id}.md"
    stems = ["-".join(filter(None, (artifact.id, counter))) for counter in artifact.conventions]
    named = [f"figures/{artifact.id}/{stem}.png" for stem in stems]
    # Each way of counting has a picture, because any of them may decide a claim.
    pictures = [one for one in named if (reference / one).is_file()]
    if pictures:
        parts += [f"[![{title}]({home}/{one})]({home}/{one})" for one in pictures]
    elif table.is_file():
        parts += _short(table.read_text(encoding="utf-8").strip().rpartition("\n\n")[2])
    lines = [
        f"- {one['id']}, {one['claim']}: *{marked(one)}*"
        + (" (our own question)" if one["sure"] == "ours" else "")
        for one in found
        if one["artifact"] == artifact.id
    ]
    return "\n\n".join([*parts, "\n".join(lines)] if lines else parts)


def _short(table: str) -> list[str]:
    """Return a table as tables whose lines are short: each has the first column, then those that fit."""
    rows = [line.strip("|").split("|") for line in table.splitlines()]
    names, *columns = zip(*rows, strict=True)
    groups: list[list[tuple[str, ...]]] = []
    left = 0
    for column in columns:
        left -= len(column[0]) + 1
        if left < 0:
            groups.append([names])
            left = _LONGEST - len(names[0]) - len(column[0]) - 3
        groups[-1].append(column)
    return ["\n".join(f"|{'|'.join(cells)}|" for cells in zip(*group, strict=True)) for group in groups]


if __name__ == "__main__":
    folder = Path(sys.argv[1]) / "reference"
    print(gallery(shared.verdicts(folder / "VERDICTS.json"), folder, "../results/reference"), end="")
