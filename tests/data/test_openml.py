"""Data sets of OpenML as scikit-learn and openml-python store them; scikit-learn has answers of its API."""

import gzip
import hashlib
import importlib.resources
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from svmbench.config import resolve
from svmbench.data import load
from svmbench.errors import UserError

pytest.importorskip("arff")


def answers(number: int) -> Path:
    return Path(str(importlib.resources.files("sklearn.datasets.tests.data.openml") / f"id_{number}"))


def described(number: int) -> dict[str, object]:
    content = gzip.decompress((answers(number) / f"api-v1-jd-{number}.json.gz").read_bytes())
    return json.loads(content)["data_set_description"]


def arff_of(number: int) -> bytes:
    return gzip.decompress(next(answers(number).glob("data-v1-dl-*.arff.gz")).read_bytes())


def cached(home: Path, number: int, arff: bytes | None = None, **changes) -> None:
    """Store a data set as `fetch_openml` does. Its files here are cut: the MD5 is that of what is stored."""
    arff = arff_of(number) if arff is None else arff
    told = {**described(number), "md5_checksum": hashlib.md5(arff).hexdigest(), **changes}
    folder = home / "openml" / "openml.org"
    path = folder / "data" / "v1" / "download" / str(told["url"]).partition("download/")[2]
    (folder / "api/v1/json/data").mkdir(parents=True, exist_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = gzip.compress(json.dumps({"data_set_description": told}).encode())
    (folder / "api/v1/json/data" / f"{told['id']}.gz").write_bytes(content)
    path.with_name(path.name + ".gz").write_bytes(gzip.compress(arff))


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("SVMBENCH_MIRROR", raising=False)
    return tmp_path / "data"


def dataset(path: str, *words: str):
    config = resolve([f"dataset.path={path}", "dataset=file", "kernel.gamma=1", "problem.C=1", *words])
    return config.dataset, load(config.dataset.document())


@pytest.mark.parametrize("path", ["openml:61", "openml:iris", "openml:Iris/1"])
def test_a_data_set_is_named_by_its_number_or_name(home, path):
    cached(home, 61)
    cached(home, 292)
    choice, data = dataset(path, "dataset.positive=Iris-virginica", "dataset.test_fraction=0")
    assert choice.name == "iris"
    assert data.train.X.shape == (150, 4)
    assert (data.train.y > 0).sum() == 50


def test_scikit_learn_reads_the_same(home):
    pytest.importorskip("sklearn", "1.7")  # with this cache 1.6 asks the network
    from sklearn.datasets import fetch_openml

    cached(home, 61)
    arff = answers(61)
    folder = home / "openml/openml.org/api/v1/json/data"
    for kind, name in (("features", "jdf"), ("qualities", "jdq")):
        (folder / kind).mkdir()
        content = next(arff.glob(f"api-v1-{name}-*.json.gz")).read_bytes()
        (folder / kind / "61.gz").write_bytes(content)
    theirs = fetch_openml(data_id=61, as_frame=False, parser="liac-arff")  # from the cache: no network
    _, data = dataset("openml:61", "dataset.positive=Iris-setosa", "dataset.test_fraction=0")
    np.testing.assert_allclose(data.train.X, theirs.data, rtol=1e-6)
    assert np.array_equal(data.train.y > 0, theirs.target == "Iris-setosa")


def test_the_target_and_the_columns_that_are_no_features(home):
    arff = b"@relation r\n@attribute id numeric\n@attribute y {a,b}\n@attribute 'x 1' numeric\n@data\n"
    arff += b"1,a,0.5\n2,b,1.5\n3,a,2.5\n"
    told = {"default_target_attribute": "y", "row_id_attribute": "id", "name": "adult", "id": "7"}
    cached(home, 61, arff, **told)
    choice, data = dataset("openml:7", "dataset.test_fraction=0", "dataset.positive=a")
    assert choice.name == "adult-file"  # adult is a name of the catalogue
    assert data.train.X.tolist() == [[0.5], [1.5], [2.5]] and data.train.y.tolist() == [1, -1, 1]


def test_sparse_rows(home):
    cached(home, 292)
    choice, data = dataset("openml:292", "dataset.test_fraction=0")
    assert choice.name == "Australian" and data.train.X.shape[1] == 14
    assert choice.parameters["label_column"] == "Y"  # the first attribute
    with pytest.raises(UserError, match="label_column=Z is not an attribute"):
        dataset("openml:292", "dataset.label_column=Z")


def test_a_folder_of_openml_python(home):
    folder = home.parent / ".cache/openml/org/openml/www/datasets/61"
    folder.mkdir(parents=True)
    arff = arff_of(61)
    told = {**described(61), "md5_checksum": hashlib.md5(arff).hexdigest()}
    words = "".join(
        f"<oml:{key}>{told[key]}</oml:{key}>" for key in told if key not in ("tag", "description")
    )
    (folder / "description.xml").write_text(
        f'<oml:data_set_description xmlns:oml="http://openml.org/openml">{words}'
        "<oml:tag>a</oml:tag><oml:tag>b</oml:tag></oml:data_set_description>"
    )
    (folder / "dataset.arff").write_bytes(arff)
    words = ("openml:61", "dataset.positive=Iris-setosa", "dataset.test_fraction=0")
    _, data = dataset(*words)
    assert data.train.X.shape == (150, 4)
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pytest.importorskip("arff").loads(arff.decode())
    names, columns = [name for name, _ in table["attributes"]], zip(*table["data"], strict=True)
    frame = pd.DataFrame(dict(zip(names, columns, strict=True))).astype({names[-1]: "category"})
    (folder / "dataset.arff").unlink()
    parquet.write_table(pytest.importorskip("pyarrow").Table.from_pandas(frame), folder / "dataset_61.pq")
    assert np.array_equal(dataset(*words)[1].train.X, data.train.X)


def test_a_mirror_is_a_copy_of_a_cache(home, tmp_path):
    cached(tmp_path / "copy", 61)
    words = ("dataset.positive=Iris-setosa", f"data.mirror={tmp_path / 'copy' / 'openml'}")
    assert dataset("openml:61", *words)[0].name == "iris"


def test_what_is_refused(home):
    with pytest.raises(UserError, match=r"openml:61 is not on this machine .*fetch_openml\(data_id=61\)"):
        dataset("openml:61")
    with pytest.raises(UserError, match=r'found: none.*fetch_openml\(name="credit-g"\)'):
        dataset("openml:credit-g")
    cached(home, 61, md5_checksum="0" * 32)
    with pytest.raises(UserError, match="another MD5 than its description says: fetch it again"):
        dataset("openml:61")
    cached(home, 61, default_target_attribute="a,b")
    with pytest.raises(UserError, match="has the labels a,b"):
        dataset("openml:61")
    cached(home, 61)
    cached(home, 61, id="62", version="2")
    with pytest.raises(UserError, match=r"2 data sets: give one of openml:61 \(version 1\), openml:62"):
        dataset("openml:iris")
    next((home / "openml/openml.org/data").rglob("*.gz")).unlink()
    with pytest.raises(UserError, match="is missing: fetch it again"):
        dataset("openml:61")


@pytest.mark.parametrize("given", ["openml:61", "openml"])
def test_a_data_set_given_by_its_name_alone_is_answered_with_the_command(given):
    with pytest.raises(UserError, match=r"did you mean 'dataset=file dataset\.path=openml:(61|NUMBER)'"):
        resolve([f"dataset={given}"])
