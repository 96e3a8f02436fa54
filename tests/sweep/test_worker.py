"""What a warm worker keeps between runs."""

from svmbench import data
from svmbench.sweep.worker import LastDataset

SMALL = {"name": "checkerboard", "n_train": 10, "n_test": 0, "seed": 0}


def test_the_same_data_are_loaded_once(monkeypatch):
    asked = []
    real = data.load
    monkeypatch.setattr(data, "load", lambda *given, **keys: asked.append(given) or real(*given, **keys))
    load = LastDataset()
    first = load(SMALL)
    assert load(dict(SMALL)) is first
    other = load({**SMALL, "seed": 1})
    assert other.checksum != first.checksum
    assert load({**SMALL, "seed": 1}, directory=None) is other
    assert len(asked) == 2
