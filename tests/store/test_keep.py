import pytest

from svmbench.errors import UserError
from svmbench.store import Store
from svmbench.store.keep import export


@pytest.fixture
def run(store, begin):
    store.put_optimum("abc", {"dual": 0.5})
    environment = store.put_environment({"python": "3.11"})
    writer = begin(environment=environment, optimum="abc")
    writer.checkpoint({"iterations": 1, "primal_objective": 0.1})
    run = writer.finish("budget", "enough")
    (run.path / "curve.png").write_bytes(b"picture")
    return run


def test_a_copy_is_whole_small_and_names_no_folder(store, run, tmp_path):
    (path,) = export([run], tmp_path / "kept")
    kept = Store(tmp_path / "kept")
    (copy,) = kept.runs()
    assert copy.path == path
    assert sorted(file.name for file in path.iterdir()) == ["run.json", "status.json", "trace.csv"]
    assert copy.trace().equals(run.trace()) and copy.started == run.started and copy.ended == run.ended
    assert kept.optimum("abc") == {"dual": 0.5}
    assert kept.environment(run.manifest["environment"]) == {"python": "3.11"}
    assert copy.config["results"] == "results" and copy.config["data"] == {"mirror": None, "dir": None}
    assert copy.manifest["identity"] == run.manifest["identity"]


def test_a_copy_serves_as_reference(store, run, tmp_path):
    export([run], store.root / "reference")
    for name in ("runs", "optima", "environments"):
        (store.root / name).rename(tmp_path / name)
    assert store.get(run.manifest["identity"]).reason == "enough"
    assert store.optimum("abc") == {"dual": 0.5}
    # Exporting from the reference to another place, and onto itself.
    (reference,) = store.runs()
    assert export([reference], tmp_path / "again")[0].exists()
    assert export([reference], store.root / "reference") == [reference.path]
    assert store.runs()[0].trace()["iterations"].tolist() == [1]


def test_a_run_without_end_is_not_copied(run, begin, store, tmp_path):
    writer = begin(seed=1)
    with pytest.raises(UserError, match="is running; only runs that have ended"):
        export([run, store.find(writer.path.name)], tmp_path / "kept")
    assert not (tmp_path / "kept").exists()
    writer.discard()
