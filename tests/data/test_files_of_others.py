"""Files as other programs write them: read right, or refused with what to do."""

import bz2
import gzip
import io
import json
import lzma
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse
from sklearn.datasets import dump_svmlight_file

from svmbench.cli.main import main
from svmbench.errors import UserError
from tests.told import answer, output

from .conftest import get

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(24, 3)).round(3) + 0.5
Y = np.where(np.arange(24) % 2 == 0, 1, -1)
SPARSE = scipy.sparse.csr_array(np.where(RANDOM.random((24, 3)) < 0.6, X, 0.0))
FRAME = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": Y})


def written(write, *given, **options) -> bytes:
    stream = io.BytesIO()
    write(*given, stream, **options)
    return stream.getvalue()


def svmlight(zero_based: bool, **options) -> bytes:
    return written(lambda stream: dump_svmlight_file(SPARSE, Y, stream, zero_based=zero_based, **options))


def zipped(**files: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), content)
    return stream.getvalue()


def workbook() -> bytes:
    return zipped(xl__workbook__xml=b"<x/>", sheet=b"").replace(b"xl.workbook", b"xl/workbook")


def vowpal_wabbit() -> bytes:
    return b"".join(b"%d |f a:%.3f b:%.3f\n" % (y, *row[:2]) for y, row in zip(Y, X, strict=True))


def damaged(library: str, content: bytes) -> bytes:
    pytest.importorskip(library)
    return content


def csv(**options) -> bytes:
    return FRAME.to_csv(index=False, **options).encode()


def numbers(line: str, mark: str = ",") -> str:
    return mark.join(f"{value!r}" for value in map(float, line))


def arff(names=("a", "b", "c"), label="{1,-1}") -> bytes:
    pytest.importorskip("arff")
    head = "% by Weka\n@RELATION 'my data'\n\n" + "".join(f"@ATTRIBUTE {name} NUMERIC\n" for name in names)
    rows = "".join(f"{numbers(row)},{y}\n" for row, y in zip(X, Y, strict=True))
    return f"{head}@ATTRIBUTE class {label}\n\n@DATA\n{rows}".encode()


def sparse_arff() -> bytes:
    pytest.importorskip("arff")
    kinds = {"a": "numeric", "b": "real", "c": "integer", "y": "{1,-1}"}
    head = (
        "@relation s\n" + "".join(f"@attribute {name} {kind}\n" for name, kind in kinds.items()) + "@data\n"
    )
    rows = []
    for k, y in enumerate(Y):
        pairs = [f"{j} {value!r}" for j, value in zip(SPARSE[[k]].indices, map(float, SPARSE[[k]].data))]
        rows.append("{" + ", ".join([*pairs, *(["3 -1"] if y < 0 else [])]) + "}")
    return (head + "\n".join(rows) + "\n").encode()


def arrow(kind: str, frame: pd.DataFrame = FRAME, **options) -> bytes:
    pytest.importorskip("pyarrow")
    stream = io.BytesIO()
    getattr(frame, f"to_{kind}")(stream, **options)
    return stream.getvalue()


def polars(kind: str) -> bytes:
    pl = pytest.importorskip("polars")
    stream = io.BytesIO()
    getattr(pl.DataFrame({name: FRAME[name].to_numpy() for name in FRAME}), f"write_{kind}")(stream)
    return stream.getvalue()


def zstandard(content: bytes) -> bytes:
    return pytest.importorskip("pyarrow").compress(content, codec="zstd", asbytes=True)


#: Content by name: the same 24 examples. Names that begin with "sparse" hold SPARSE, the others X.
READ = {
    "sparse, dump_svmlight_file from 0": lambda: svmlight(True),
    "sparse, dump_svmlight_file from 1": lambda: svmlight(False),
    "sparse, dump_svmlight_file with a comment": lambda: svmlight(True, comment="by scikit-learn"),
    "sparse, LightGBM from 0": lambda: svmlight(True).replace(b" \n", b"\n"),
    "sparse, svm-scale of LIBSVM": lambda: svmlight(False).replace(b"\n", b" \n"),
    "sparse, SVMlight with comments": lambda: b"# by hand\n" + svmlight(False).replace(b"\n", b" # row\n"),
    "to_csv": csv,
    "JSON lines of pandas": lambda: FRAME.to_json(orient="records", lines=True).encode(),
    "JSON lines of polars": lambda: polars("ndjson"),
    "JSON list of objects": lambda: FRAME.to_json(orient="records", indent=1).encode(),
    "to_csv with CRLF": lambda: csv(lineterminator="\r\n"),
    "to_csv as UTF-8 of Excel": lambda: b"\xef\xbb\xbf" + csv(),
    "to_csv as UTF-16": lambda: csv().decode().encode("utf-16"),
    "to_csv with tabs": lambda: csv(sep="\t"),
    "to_csv with quotes": lambda: csv(quoting=1),
    "to_csv without header": lambda: csv(header=False),
    "R's write.csv without row names": lambda: csv().replace(b"a,b,c,y", b'"a","b","c","y"'),
    "savetxt": lambda: written(lambda stream: np.savetxt(stream, np.column_stack([X, Y]))),
    "polars' write_csv": lambda: polars("csv"),
    "polars' write_parquet": lambda: polars("parquet"),
    "polars' write_ipc": lambda: polars("ipc"),
    "to_parquet": lambda: arrow("parquet"),
    "to_parquet with an index": lambda: arrow("parquet", FRAME.set_index(FRAME.index + 7)),
    "to_parquet with categories": lambda: arrow("parquet", FRAME.astype({"y": "category"})),
    "to_feather": lambda: arrow("feather"),
    "ARFF": arff,
    "ARFF with CRLF": lambda: arff().replace(b"\n", b"\r\n"),
    "ARFF with a numeric class": lambda: arff(label="numeric"),
    "sparse, ARFF": sparse_arff,
    "npz": lambda: written(lambda stream: np.savez(stream, X=X, y=Y)),
    "npz, compressed": lambda: written(lambda stream: np.savez_compressed(stream, X=X, y=Y)),
    "gz": lambda: gzip.compress(csv()),
    "bz2": lambda: bz2.compress(csv()),
    "xz": lambda: lzma.compress(csv()),
    "zst": lambda: zstandard(csv()),
    "zip": lambda: zipped(mine__csv=csv()),
    "zip of ARFF": lambda: zipped(mine__arff=arff()),
    "sparse, gz of dump_svmlight_file": lambda: gzip.compress(svmlight(True)),
}  # fmt: skip

#: Content by name, and what is said.
REFUSED = {
    "MATLAB's v5": (lambda: written(lambda stream: scipy.io.savemat(stream, {"X": X})), "scipy.io.loadmat"),
    "MATLAB's v7.3": (lambda: b"\x89HDF\r\n\x1a\n" + bytes(64), "load it by h5py"),
    "one array": (lambda: written(lambda stream: np.save(stream, X)), "save X and y together"),
    "scipy's save_npz": (
        lambda: written(lambda stream: scipy.sparse.save_npz(stream, SPARSE)),
        "numpy.savez(FILE, X_data=X.data",
    ),
    "scipy's save_npz, COO": (
        lambda: written(lambda stream: scipy.sparse.save_npz(stream, SPARSE.tocoo())),
        "without labels",
    ),
    "nested JSON": (lambda: FRAME.to_json().encode(), "row 1 of the JSON is not an object"),
    "broken JSON": (lambda: FRAME.to_json(orient="records", lines=True).encode()[:-9], "lines that cannot"),
    "a pickle": (lambda: pickle.dumps((X, Y)), "which can run any program"),
    "VW": (vowpal_wabbit, "Vowpal Wabbit"),
    "SVMlight with qid": (lambda: svmlight(False, query_id=np.repeat([1, 2], 12)), "ranking file"),
    "Excel with decimal commas": (lambda: csv(sep=";", decimal=","), "has a decimal comma"),
    "an Excel workbook": (lambda: workbook(), "save its sheet as CSV"),
    "a zip archive of two": (lambda: zipped(a__csv=csv(), b__csv=csv()), "unpack it and name one"),
    "a picture": (lambda: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "89 50 4e 47"),
    "saveRDS": (lambda: gzip.compress(b"X\n\x00\x00\x00\x03"), "row.names = FALSE"),
    "a pointer of Git LFS": (lambda: b"version https://git-lfs.github.com/spec/v1\noid 1\n", "git lfs pull"),
    "an HTML page": (lambda: b"<!DOCTYPE html>\n<html><body>404</body></html>\n", "download the file itself"),
    "thousands": (lambda: b'a,b,y\n"1,260.00",2,1\n"990.00",3,-1\n', "'1,260.00' separates thousands"),
    "real targets": (lambda: b"a,b,y\n1,2,0.5\n2,3,1.25\n3,4,2.75\n", "svmbench.sklearn.KernelSVR"),
    "damaged Parquet": (lambda: damaged("pyarrow", b"PAR1" + bytes(40) + b"PAR1"), "cannot be read"),
    "ARFF with weights": (lambda: arff().replace(b",1\n", b",1,{2}\n"), "has the weight {2} of an example"),
    "sparse ARFF with weights": (lambda: sparse_arff().replace(b"}\n", b"}, {2}\n"), "are not read"),
    "damaged ARFF": (lambda: damaged("arff", b"@relation a\n@attribute\n@data\n1\n"), "cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_file_is_read_right(write, name):
    data = get(write(READ[name]()), test_fraction=0, positive=1)
    train = data.train.X.toarray() if scipy.sparse.issparse(data.train.X) else data.train.X
    expected = SPARSE.toarray() if name.startswith("sparse") else X
    np.testing.assert_allclose(train, expected, rtol=1e-6)
    assert np.array_equal(data.train.y > 0, Y > 0)


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_is_refused_with_what_to_do(write, name):
    content, words = REFUSED[name]
    with pytest.raises(UserError) as caught:
        get(write(content()), test_fraction=0, positive=None if name == "real targets" else 1)
    assert words in str(caught.value)


@pytest.mark.parametrize(("index", "column"), [(True, "1"), ("number", "number")])
@pytest.mark.parametrize("first", [0, 1])
def test_an_index_column_is_pointed_out_and_can_be_left_out(write, index, column, first, tmp_path):
    frame = FRAME.set_index(FRAME.index + first)
    path = write(frame.to_csv(index_label=index if isinstance(index, str) else None).encode())
    said: list[str] = []
    assert get(path, said, test_fraction=0).train.X.shape == (24, 4)
    assert any("numbers the rows" in line and f"dataset.drop={column}" in line for line in said)
    said.clear()
    np.testing.assert_allclose(get(path, said, test_fraction=0, drop=column).train.X, X, rtol=1e-6)
    assert not any("numbers the rows" in line for line in said)


def test_row_names_of_R_are_pointed_out_or_refused(write):
    """R's write.csv puts them in a column without a name, write.table in one more than the header has."""
    rows = [f'"{51 + k * k}",{a:g},{b:g},"{"yes" if k % 2 else "no"}"' for k, (a, b, *_) in enumerate(X)]
    said: list[str] = []
    content = "\n".join(['"","a","b","y"', *rows, ""])
    get(write(content.encode()), said, test_fraction=0, positive="yes")
    assert any("column 1 numbers the rows" in line and "dataset.drop=1" in line for line in said)
    table = "\n".join(['"a" "b" "y"', *(row.replace(",", " ") for row in rows), ""])
    with pytest.raises(UserError, match=r"has 3 names and the next lines 4 fields, as R's write.table puts"):
        get(write(table.encode()), test_fraction=0, positive="yes")


def test_columns_of_text_can_be_left_out_and_predict_leaves_them_out(write, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = FRAME.assign(y=Y)
    frame.insert(0, "id", [f"row{k}" for k in range(24)])
    path = write(frame.to_csv(index=False).encode())
    words = [f"dataset.path={path}", "dataset.drop=[id,c]", "kernel.gamma=1", "problem.C=10"]
    run = output(capsys, ["run", "solver=smo", "dataset=file", *words]).split()[-1]
    out, err = answer(capsys, ["predict", run, path])
    right = sum(label == str(y) for label, y in zip(out.split(), Y, strict=True))
    assert f"accuracy {100 * right / 24:.2f} %, {right} of 24 labels" in err
    (tmp_path / "bare.csv").write_text(frame.drop(columns="y").to_csv(index=False))
    assert "accuracy" not in answer(capsys, ["predict", run, "bare.csv"]).err
    assert json.loads(output(capsys, ["predict", run, path, "--json"]))["accuracy"] == right / 24


@pytest.mark.parametrize(
    ("drop", "words"),
    [("z", "not a column"), (9, "from 1 to 4"), ("y", "that of the labels"), ([1, 2, 3], "no column")],
)
def test_what_cannot_be_left_out(write, drop, words):
    with pytest.raises(UserError, match=words):
        get(write(csv()), drop=drop)


def test_rows_of_a_model_from_0_are_counted_from_0(write, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.svm").write_bytes(svmlight(True))
    words = ["dataset.path=train.svm", "dataset.test_fraction=0", "kernel.gamma=1", "problem.C=1000"]
    run = output(capsys, ["run", "solver=smo", "dataset=file", *words]).split()[-1]
    lines = svmlight(True).decode().splitlines()
    without = [line for line in lines if " 0:" not in line]
    assert without
    (tmp_path / "all.svm").write_text("\n".join(lines) + "\n")
    (tmp_path / "some.svm").write_text("\n".join(without) + "\n")
    main(["predict", run, "all.svm", "--scores"])
    scores = dict(zip(lines, map(float, capsys.readouterr().out.split()), strict=True))
    main(["predict", run, "some.svm", "--scores"])
    found = [float(word) for word in capsys.readouterr().out.split()]
    assert found == pytest.approx([scores[line] for line in without])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_of_polars_or_pandas_with_text_is_a_data_set(tmp_path, library):
    from svmbench import run

    columns = {"a": X[:, 0], "colour": ["red", "blue"] * 12}
    ids = set()
    for frame in (pd.DataFrame(columns), pytest.importorskip(library).DataFrame(columns)):
        data = {"train": (frame, Y), "encode": "onehot", "positive": 1, "test_fraction": 0}
        made = run("solver=smo", "kernel.gamma=1", "problem.C=1", dataset=data, results=tmp_path, quiet=True)
        ids.add(made.id)
    assert len(ids) == 1 and made.summary()["train_error"] == 0.0
