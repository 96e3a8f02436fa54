"""Which runs the words of a command select."""

from svmbench.cli.main import main
from svmbench.store import Store
from svmbench.store.store import Index
from svmbench.sweep.select import chosen, chosen_groups
from tests.store import large


def test_a_store_is_read_once_for_all_groups_of_words(tmp_path, monkeypatch):
    large.make(tmp_path, 200)
    words = [["sbp-*"], ["pegasos-*", "smo-adult-*"], ["sbp-adult-*"]]
    apart = [chosen(str(tmp_path), names) for names in words]
    listings = []
    own = Store.own
    monkeypatch.setattr(Store, "own", lambda self: listings.append(self) or own(self))
    assert chosen_groups(str(tmp_path), words) == apart
    assert list(map(len, apart)) == [50, 60, 10]
    assert len(listings) == 1


def test_compare_opens_the_index_once(tmp_path, monkeypatch, capsys):
    large.make(tmp_path, 200)
    opened = []
    enter = Index.__enter__
    monkeypatch.setattr(Index, "__enter__", lambda self: opened.append(self) or enter(self))
    assert main(["compare", "sbp-*", "pegasos-*", "--results", str(tmp_path)]) == 0
    assert len(opened) == 1
    assert "adult" in capsys.readouterr().out
