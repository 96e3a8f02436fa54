"""What tests of artifacts share."""

from pathlib import Path

import pytest

from svmbench.papers.matching import Index
from svmbench.store import Store


@pytest.fixture(scope="session")
def index(committed: Path) -> Index:
    """The committed runs by their configuration."""
    return Index(Store(committed))
