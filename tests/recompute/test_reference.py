"""The stored runs of the papers contradict themselves nowhere."""

from pathlib import Path

import pytest

from svmbench.cli.verify import _contradictions
from svmbench.store import Store

REFERENCE = Path(__file__).parents[2] / "results" / "reference"


@pytest.mark.slow
def test_no_reference_run_contradicts_itself():
    store = Store(REFERENCE, warn=pytest.fail)
    runs = store.runs()
    assert len(runs) > 2500
    assert {run.id: said for run in runs if (said := _contradictions(run, store))} == {}
