"""Pictures of a run that has just ended, drawn by a process forked beside it.

Importing matplotlib and drawing take longer than a short run. The process is forked before anything is loaded
and imports matplotlib while the configuration is composed and the data are loaded; a new run trains when
that is done. The process is then idle until the run has ended, so that it does not disturb timings. A stored
run is found without waiting for the process.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from svmbench.errors import UserError
from svmbench.figures import FORMATS

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    import numpy as np
    from numpy.typing import NDArray

    from svmbench.figures.plane import Grid
    from svmbench.store import StoredRun

    #: A grid, the decision function on it, shape (k²,), and training points (n, 2) with labels (n,).
    Regions = tuple[Grid, NDArray[np.float64], NDArray[np.float32], NDArray[np.float64]]


class Painter:
    """Draws the pictures of one run; with ``ahead``, in a process started now, if that is faster."""

    def __init__(self, ahead: bool = True) -> None:
        self._pipe: Connection | None = None
        self._idle = False
        if ahead and _worthwhile():
            from multiprocessing import get_context

            context = get_context("fork")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs, self._pipe))
            self._process.start()
            theirs.close()

    def __enter__(self) -> Painter:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._pipe is not None:
            self._pipe.close()
            self._process.kill()
            self._process.join()

    def wait(self) -> None:
        """Return when the process is idle."""
        if self._pipe is not None and not self._idle:
            with suppress(EOFError, OSError):  # it was killed; `draw` then works without it
                self._pipe.recv()
            self._idle = True

    def draw(self, run: StoredRun, counter: str | None, regions: Regions | None) -> None:
        """Write ``curve.png`` and ``regions.png`` to the folder of the run.

        Parameters
        ----------
        run : StoredRun
            An ended run.
        counter : str or None
            The cost on the x axis of the curve, one of `svmbench.figures.series.COUNTERS`; None: no curve.
        regions : (Grid, values, X, y) or None
            Arguments of `svmbench.figures.decision.draw_regions`; None: no regions.

        Raises
        ------
        UserError
            If the run has nothing to draw.
        """
        self.wait()  # a run that was found has not waited
        if self._pipe is not None:
            with suppress(EOFError, OSError):
                self._pipe.send((run, counter, regions))
                error = self._pipe.recv()
                if error is not None:
                    raise UserError(error)
                return
        _draw(run, counter, regions)


def _worthwhile() -> bool:
    """Return whether there is a second processor, and no threads, such as numpy's, that a fork would lose."""
    alone = threading.active_count() == 1 and "numpy" not in sys.modules
    return alone and sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


def _serve(pipe: Connection, other_end: Connection) -> None:
    """Import matplotlib, report that, draw what is requested, report errors, and exit."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the run
    other_end.close()
    from multiprocessing import get_context

    import matplotlib.artist

    # A sixth of importing matplotlib is to write docstrings, which nobody reads here.
    matplotlib.artist.kwdoc = lambda artist: ""

    import svmbench.figures.curves
    import svmbench.figures.decision  # noqa: F401

    with suppress(EOFError, OSError):
        pipe.send(None)
        run, counter, regions = pipe.recv()
        second = None
        if counter and regions:  # both take equally long; there are no threads here that a fork would lose
            second = get_context("fork").Process(target=_draw, args=(run, None, regions))
            second.start()
        try:
            _draw(run, counter, None if second else regions)
            error = None
        except UserError as reason:
            error = str(reason)
        if second is not None:
            second.join()
        if second is None or second.exitcode == 0:
            pipe.send(error)


def _draw(run: StoredRun, counter: str | None, regions: Regions | None) -> None:
    from svmbench.figures.curves import draw
    from svmbench.figures.decision import draw_regions

    if counter is not None:
        draw([run], counter, run.path / "curve", formats=FORMATS[:1])
    if regions is not None:
        title = f"{run.title} on {run.dataset}"
        draw_regions(*regions, run.path / "regions", title=title, formats=FORMATS[:1])
