"""Look of all pictures: colour, line and marker of each solver, settings, and files."""

from __future__ import annotations

import io
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator
from PIL import Image

from svmbench.errors import UserError
from svmbench.figures import FORMATS
from svmbench.files import write_whole

#: A solid line, or lengths of dashes and gaps.
Dashes = Literal["-"] | tuple[float, tuple[float, ...]]

#: The palette of Okabe and Ito (2008), which most colour-blind readers can distinguish, without yellow, which
#: is too pale on white paper; then four darker colours for pictures with more lines.
PALETTE = (
    *("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"),
    *("#882255", "#8A8A1F", "#6A4FB3", "#8B5A2B"),
)
LINES: tuple[Dashes, ...] = (
    "-",
    (0, (6, 2)),
    (0, (6, 2, 1.5, 2)),
    (0, (2, 1.2)),
    (0, (6, 2, 1.5, 2, 1.5, 2)),
)
MARKERS = "osD^vPX<>hp"
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
    "text.parse_math": False,  # names and titles of users are no formulas, even if they contain dollar signs
}

#: Additional settings of each style. ``paper``: a serif font like Times, in the sizes that journals ask for.
#: STIX lacks raised digits; they come from the second font.
STYLES: dict[str, dict[Any, Any]] = {
    "screen": {},
    "paper": {
        "font.family": ["STIXGeneral", "DejaVu Serif"],
        "mathtext.fontset": "stix",
        "font.size": 8.0,
        "axes.titlesize": 8.0,
        "axes.labelsize": 8.0,
        "xtick.labelsize": 7.0,
        "ytick.labelsize": 7.0,
        "legend.fontsize": 7.5,
        "lines.markersize": 3.5,
    },
}

#: Metadata that would depend on time or machine are left out: files must be reproducible byte for byte.
_METADATA: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": "svmbench"},
    "pdf": {"CreationDate": None, "Creator": "svmbench", "Producer": None},
}


#: Pixels per inch of PNG files for screens, and for the columns of a journal.
DPI, PRINTED_DPI = 200, 300


@dataclass(frozen=True)
class Look:
    """Colour, line style and marker of one solver; each of the three distinguishes it from the others."""

    colour: str
    line: Dashes
    marker: str


#: Solvers with a look that was chosen for them; those compared most often come first. Any 11 in a row differ
#: in colour. The look of any other solver follows from its name.
_SOLVERS = (
    *("smo", "sbp", "pegasos", "sdca", "perceptron", "lasvm"),
    *("sgd_ball", "decomposition", "svm_light", "chunking", "gpdt"),
    *("smo_pair", "randsvm", "pegasos_linear", "dcd", "svm_perf", "cpsp"),
    *("asset", "cpny", "ocas", "platt", "simba"),
    *("svm_light_linear", "l2svm_mfn", "sklearn_svc", "sklearn_linearsvc", "sklearn_sgd", "sklearn_nystroem"),
    *("sklearn_rbfsampler", "sklearnex_svc", "snapml_svm", "bsgd", "cvm", "bvm", "projectron", "snacks"),
    *("dcsvm", "doubly_sgd"),
)


def look(number: int) -> Look:
    """Return the look with this number: 55 in a row differ in colour or line, 121 in colour or marker."""
    colours, lines = len(PALETTE), len(LINES)
    turn = number // colours
    return Look(
        PALETTE[number % colours],
        LINES[(number % colours + turn) % lines],
        MARKERS[(number + 5 * turn) % len(MARKERS)],
    )


def looks(curves: Iterable[tuple[str, str]]) -> dict[str, Look]:
    """Assign a look to each label.

    Parameters
    ----------
    curves : iterable of (label, solver)
        A solver has the same look in all pictures, except one that is not in `_SOLVERS` beside a line that it
        would be mistaken for. If several labels share a solver, the first gets its look.
    """
    named = list(dict.fromkeys(curves))
    chosen: dict[str, Look] = {}
    for label, solver in sorted(named, key=lambda curve: curve[1] not in _SOLVERS):
        usual = look(_number(solver))
        same_colour = [one for one in chosen.values() if one.colour == usual.colour]
        if all(one.line != usual.line and one.marker != usual.marker for one in same_colour):
            chosen[label] = usual
    for label, _ in named:
        if label not in chosen:
            chosen[label] = _free(list(chosen.values()))
    return {label: chosen[label] for label, _ in named}


def _number(solver: str) -> int:
    """Return the number of the look of a solver."""
    if solver in _SOLVERS:
        return _SOLVERS.index(solver)
    others = len(PALETTE) * len(MARKERS) - len(_SOLVERS)
    return len(_SOLVERS) + crc32(solver.encode()) % others


#: Colours and markers reserved for solvers.
_OWNED = {(one.colour, one.marker) for one in map(look, range(len(_SOLVERS)))}


def _free(taken: Sequence[Look]) -> Look:
    """Return a look with a colour and marker not reserved for a solver, each used as rarely as possible."""
    colours, markers, lines = (
        Counter(getattr(one, part) for one in taken) for part in ("colour", "marker", "line")
    )
    avoided = _OWNED | {(one.colour, one.marker) for one in taken}
    pairs = [pair for pair in itertools.product(PALETTE, MARKERS) if pair not in avoided]
    colour, marker = min(pairs, key=lambda pair: (colours[pair[0]], markers[pair[1]]))
    dashes = {one.line for one in taken if one.colour == colour}
    line = min(LINES, key=lambda one: (one in dashes, lines[one]))
    return Look(colour, line, marker)


class Picture(Figure):
    """A figure that notebooks show without pyplot."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=110)
        return buffer.getvalue()


@contextmanager
def drawing(style: str = "screen") -> Iterator[None]:
    """In this context, use our settings instead of the user's matplotlibrc."""
    if style not in STYLES:
        raise UserError(f"style={style} is not allowed: give {' or '.join(STYLES)}")
    with matplotlib.rc_context():
        # `rcdefaults` would first read all styles of matplotlib. The backend is the user's.
        matplotlib.rcParams.update(
            {key: value for key, value in matplotlib.rcParamsDefault.items() if key != "backend"}
        )
        matplotlib.rcParams.update(_RC | STYLES[style])
        yield


def save(
    figure: Figure, stem: Path, caption: str | None, formats: Sequence[str] = FORMATS, dpi: int = DPI
) -> list[Path]:
    """Write the figure in some formats, with its caption if there is one.

    Files are replaced atomically, and the same figure gives the same bytes.

    Parameters
    ----------
    figure : Figure
        Made within `drawing`.
    stem : Path
        Path without extension.
    caption : str or None
        Text of ``<stem>.txt``; None: no such file.
    formats : sequence of str
        Formats in `svmbench.figures.FORMATS`; files of other formats, perhaps of the user, stay.
    dpi : int
        Pixels per inch of the PNG file.

    Returns
    -------
    list of Path
        A file per format, and the text if there is one.
    """
    engine = figure.get_layout_engine()
    if engine is not None:
        with _without_minor_ticks(figure):
            engine.execute(figure)
        figure.set_layout_engine(None)  # layout once for all formats; "none" would draw each twice
    contents: dict[str, bytes | str] = {}
    for kind in (kind for kind in FORMATS if kind in formats):
        if kind == "png":
            contents[kind] = _in_a_palette(_pixels(figure, dpi))
            continue
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, dpi=DPI, metadata=_METADATA[kind])
        contents[kind] = buffer.getvalue()
    return write_all(stem, contents if caption is None else {**contents, "txt": caption})


def write_all(stem: Path, contents: Mapping[str, bytes | str]) -> list[Path]:
    """Write files that differ in their suffixes, each atomically."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = []
    for ending, content in contents.items():
        path = stem.with_name(f"{stem.name}.{ending}")
        write_whole(path, content)
        paths.append(path)
    return paths


@contextmanager
def _without_minor_ticks(figure: Figure) -> Iterator[None]:
    """In this context, leave out minor ticks without labels: they take no room, but half of the time."""
    axes = [axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)]
    bare = [axis for axis in axes if isinstance(axis.get_minor_formatter(), NullFormatter)]
    locators = [axis.get_minor_locator() for axis in bare]
    for axis in bare:
        axis.set_minor_locator(NullLocator())
    yield
    for axis, locator in zip(bare, locators, strict=True):
        axis.set_minor_locator(locator)


def _pixels(figure: Figure, dpi: int) -> Image.Image:
    canvas = FigureCanvasAgg(figure)
    figure.savefig(io.BytesIO(), format="raw", dpi=dpi)
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def _in_a_palette(full: Image.Image) -> bytes:
    """Return pixels as a PNG with its own palette of 256 colours: a third of the bytes, visually the same.

    Curves, text and their edges have few colours, most of them in one pixel of a thousand. Other methods tint
    the pale colours of bands like their neighbours; an octree preserves them. It makes the background a shade
    darker, which is corrected.
    """
    few = full.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    palette, ground = few.getpalette(), few.getpixel((0, 0))
    assert palette is not None and isinstance(ground, int)
    colours = np.reshape(palette, (-1, 3))
    colours[ground] = full.getpixel((0, 0))
    few.putpalette(colours.ravel().tolist())
    buffer = io.BytesIO()
    few.save(buffer, format="png", optimize=True)
    return buffer.getvalue()
