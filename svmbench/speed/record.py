"""Storing what was measured, with the machine it was measured on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from svmbench.run.environment import company, environment
from svmbench.store import documents
from svmbench.store.identity import digest


def save(results: str, kind: str, measured: dict[str, Any]) -> Path:
    """Write one measurement below ``results/speed/`` and return the file.

    Its name is the time and a hash of the environment, so that measurements of one machine and version can be
    told from those of others.

    Parameters
    ----------
    results : str
        The results folder.
    kind : str
        What was measured, such as ``rows``.
    measured : dict
        For JSON.
    """
    about = environment(1)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    path = Path(results) / "speed" / f"{stamp}-{kind}-{digest(about)[:12]}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    documents.write(path, {"kind": kind, "environment": about, "company": company(1), "measured": measured})
    return path
