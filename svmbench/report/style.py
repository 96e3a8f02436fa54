"""The look shared by all pictures: colours that survive colour blindness and grey print, and files."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import matplotlib
from matplotlib.figure import Figure

#: A solid line, or the lengths of dashes and gaps.
Dashes = Literal["-"] | tuple[float, tuple[float, ...]]

#: The palette of Okabe and Ito (2008), darkest first, without its yellow, which vanishes on white paper.
PALETTE = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_LINES: tuple[Dashes, ...] = (
    "-",
    (0, (6, 2)),
    (0, (6, 2, 1.5, 2)),
    (0, (2, 1.2)),
)
_MARKERS = "osD^vPX"

_RC: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "figure.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "svmbench",
    "pdf.fonttype": 42,
    "path.simplify": False,
}

#: What each format would otherwise record of the moment and the machine; files must repeat byte for byte.
_METADATA: dict[str, dict[str, str | None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": "svmbench"},
    "pdf": {"CreationDate": None, "Creator": "svmbench", "Producer": None},
}


@dataclass(frozen=True)
class Look:
    """Colour, line style and marker of one solver: any one of the three tells it from the others."""

    colour: str
    line: Dashes
    marker: str


#: The same solver looks the same in every figure.
_LOOKS = {
    "sbp": Look("#0072B2", "-", "o"),
    "pegasos": Look("#D55E00", (0, (6, 2)), "s"),
    "sdca": Look("#009E73", (0, (6, 2, 1.5, 2)), "^"),
    "smo": Look("#000000", "-", "D"),
    "perceptron": Look("#CC79A7", (0, (2, 1.2)), "v"),
}


def looks(curves: Iterable[tuple[str, str]]) -> dict[str, Look]:
    """Give each label a look of its own.

    Parameters
    ----------
    curves : iterable of (label, solver)
        A known solver keeps its usual look as long as it is the only one of its name.
    """
    named = list(dict.fromkeys(curves))
    solvers = [solver for _, solver in named]
    chosen = {label: _LOOKS[s] for label, s in named if s in _LOOKS and solvers.count(s) == 1}
    free = (look for look in _every_look() if look not in chosen.values())
    return {label: chosen.get(label) or next(free) for label, _ in named}


def _every_look() -> Iterator[Look]:
    """Yield looks without end; neighbours differ in colour, line and marker."""
    count = 0
    while True:
        turn = count // len(PALETTE)
        yield Look(
            PALETTE[count % len(PALETTE)],
            _LINES[(count + turn) % len(_LINES)],
            _MARKERS[(count + 2 * turn) % len(_MARKERS)],
        )
        count += 1


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with the project's settings, whatever the user's own matplotlibrc says."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_RC)
        yield


def save(figure: Figure, stem: Path, caption: str) -> list[Path]:
    """Write the figure as PNG, SVG and PDF beside its caption.

    Each file is replaced whole, and the same figure gives the same bytes.

    Parameters
    ----------
    figure : Figure
        Made inside `drawing`.
    stem : Path
        Path without extension.
    caption : str
        Text of ``<stem>.txt``.

    Returns
    -------
    list of Path
        The PNG, SVG, PDF and text files.
    """
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = []
    for kind, metadata in _METADATA.items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, dpi=200, metadata=metadata)
        paths.append(_replace(stem.with_name(f"{stem.name}.{kind}"), buffer.getvalue()))
    paths.append(_replace(stem.with_name(f"{stem.name}.txt"), caption.encode()))
    return paths


def _replace(path: Path, content: bytes) -> Path:
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(content)
    os.replace(partial, path)
    return path
