"""Numbers in the documentation that the code decides."""

import re

from svmbench import config
from tests.examples.test_greedy import ROOT


def test_the_first_run_of_the_tutorial_is_described_by_its_configuration():
    resolved = config.resolve(["solver=sbp"])
    page = (ROOT / "docs" / "first-hour.md").read_text()
    found = re.search(r"on a (\w+) of ([\d,]+) points for (\d+e\d+) kernel evaluations", page)
    assert found is not None
    assert found[1] == resolved.dataset.name
    assert int(found[2].replace(",", "")) == resolved.dataset.parameters["n_train"]
    assert float(found[3]) == resolved.budget.kev
