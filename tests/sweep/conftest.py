"""A cluster that is looked at often."""

import pytest

from svmbench.sweep import cluster


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cluster, "_LOOK", 0.02)
    monkeypatch.setattr(cluster, "_GRACE", 0.2)
    monkeypatch.setattr(cluster, "_PATIENCE", 20.0)
    return tmp_path
