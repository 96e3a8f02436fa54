"""Coverage-guided fuzzing of all that reads files: python -m tests.fuzz.fuzz_readers TARGET [options].

The parser of LIBSVM and delimited text must agree with `tests/specification/slow_readers.py`, whose lines
also guide the fuzzer, in every value and every refusal. All other readers may refuse by a sentence, or give a
matrix that is what it says; anything else (another exception, a crash, seconds without an answer) is a
finding. The options are libFuzzer's; see README.md here.
"""

from __future__ import annotations

import inspect
import io
import sys
import tempfile
import types
from collections.abc import Callable
from pathlib import Path

import atheris
import numpy as np
import scipy.sparse as sp

from svmbench.data.catalogue import label_key
from svmbench.data.dataset import storage
from svmbench.data.delimited import DELIMITERS
from svmbench.data.entries import Form
from svmbench.data.raw import Table, read_csv, read_libsvm
from svmbench.data.sets import file
from svmbench.data.sets.mnist import read_idx
from svmbench.data.sets.reuters_text import mod_apte
from svmbench.data.unpack import Corrupt, read
from svmbench.errors import UserError
from svmbench.store import documents
from svmbench.store.joint_model import load_model
from svmbench.store.model import StoredModel
from svmbench.store.runs import StoredRun
from svmbench.store.state import State
from svmbench.store.trace import TraceWriter
from tests.specification import slow_readers


def instrument(prefixes: tuple[str, ...]) -> int:
    """Let every Python function of some modules guide the fuzzer; return how many there are.

    `atheris.instrument_imports` would do nothing: it does not see through the finder of an editable install.
    """
    functions = set()
    for name, module in list(sys.modules.items()):
        if name.startswith(prefixes):
            members = list(vars(module).values())
            classes = [member for member in members if inspect.isclass(member) and member.__module__ == name]
            members += [member for owner in classes for member in vars(owner).values()]
            members = [getattr(member, "__func__", member) for member in members]
            functions |= {f for f in members if inspect.isfunction(f) and f.__module__ == name}
    for function in functions:
        atheris.instrument_func(function)
    return len(functions)


def agree(table: Table | None, expected: slow_readers.Examples | None, first: int) -> None:
    """Hold a table against the slow reader's examples; ``first`` is the number of the first column."""
    if table is None or expected is None:
        assert table is None and expected is None, (table, expected)
        return
    labels = [label_key(label.decode("utf-8", "backslashreplace")) for label, _ in expected]
    assert [table.labels[code] for code in table.codes] == labels
    X = table.X if sp.issparse(table.X) else sp.csr_array(table.X)
    for row, (_, values) in enumerate(expected):
        span = slice(X.indptr[row], X.indptr[row + 1])
        got = dict(zip((X.indices[span] + first).tolist(), X.data[span].tolist()))
        wanted = values if sp.issparse(table.X) else {k: v for k, v in values.items() if v != 0.0}
        assert got == wanted, (row, got, wanted)


def libsvm(data: bytes) -> None:
    """The first byte says how many features are allowed."""
    features, text = (data[0] % 8 if data else 0), data[1:]
    try:
        table = read_libsvm(text, "fuzz", features or None)
    except UserError:
        table = None
    agree(table, slow_readers.libsvm(text, features), 1)


def csv(data: bytes) -> None:
    """The first byte says which columns, delimiter and header."""
    kind, text = (data[0] if data else 0), data[1:]
    columns, mark, header = 2 + kind % 3, list(DELIMITERS.values())[kind // 4 % 5], kind >= 128
    label = kind // 32 % columns
    try:
        table = read_csv(text, "fuzz", columns=columns, label=label, delimiter=mark, header=header)
    except UserError:
        table = None
    agree(table, slow_readers.csv(text, columns, label, mark.encode(), header), 0)


def own(data: bytes) -> None:
    """A whole file of a user's, in any encoding: what is read is finite and has labels -1 and 1."""
    raw = types.SimpleNamespace(say=lambda line: None, users_file=lambda role, path: data)
    scaling = ("none", "minmax", "standard", "unit")[len(data) % 4]
    params = file.Params(path="fuzz", test_fraction=0, scaling=scaling)
    try:
        part = storage(file.prepare(params, raw)).parts["train"]
    except UserError:
        return
    assert set(part.y) == {-1.0, 1.0} and part.X.shape[0] == part.y.size
    assert np.isfinite(part.X.data if sp.issparse(part.X) else part.X).all()


def idx(data: bytes) -> None:
    """Images or labels of MNIST."""
    for axes in (1, 3):
        try:
            array = read_idx(data, "fuzz", axes)
        except UserError:
            continue
        assert (
            array.ndim == axes and data.endswith(array.tobytes()) and len(data) == 4 + 4 * axes + array.size
        )


def sgml(data: bytes) -> None:
    """A file of Reuters-21578."""
    for split, stories in mod_apte([data]).items():
        assert all(f'LEWISSPLIT="{split}"'.encode() in data for _ in stories)


def packed(data: bytes) -> None:
    """A compressed file or an archive; an archive's member is what it holds."""
    name = "file.tar" if data[:1] == b"T" else "file"
    (SCRATCH / name).write_bytes(data[1:])
    try:
        contents = read(SCRATCH / name, Form(name, {"member" if name.endswith("tar") else name: None}))
    except Corrupt:
        return
    assert all(isinstance(content, bytes) for content in contents.values())


def stored(data: bytes) -> None:
    """A file of a run that has no end yet, so that no checksum stands before its readers."""
    name = FILES[data[0] % len(FILES)] if data else FILES[0]
    path = SCRATCH / "runs" / "pegasos-fuzz-0123456789ab.running"
    kept = (path / name).read_bytes() if (path / name).exists() else None
    try:
        (path / name).write_bytes(data[1:])
        run = StoredRun.read(path)
        assert len(run.rows()) == len(run.trace()) and len(run.summary()) > 20
        load_model(path / "model.npz")
    except UserError:
        return
    finally:
        state = State.load(types.SimpleNamespace(path=path, files=None))
        (path / name).unlink() if kept is None else (path / name).write_bytes(kept)
    assert state is None or state.iterations == int(state.spent["iterations"])


def archive_seed() -> bytes:
    """A small archive to begin with."""
    import tarfile

    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        item = tarfile.TarInfo("dir/member")
        item.size = 3
        archive.addfile(item, io.BytesIO(b"abc"))
    return b"T" + stream.getvalue()


def store_seeds() -> list[bytes]:
    """The files of a small run, each after the byte that names it; they are put where `stored` reads them."""
    path = SCRATCH / "runs" / "pegasos-fuzz-0123456789ab.running"
    path.mkdir(parents=True)
    config = {"solver": {"name": "pegasos"}, "dataset": {"name": "fuzz"}, "seed": 0}
    about = {"schema": 1, "identity": {"config": config}, "config": config, "started": "2026-01-01T00:00:00"}
    documents.write(path / "run.json", about)
    writer = TraceWriter(path / "trace.csv")
    for t in (1, 2):
        writer.checkpoint({"iterations": t, "primal_objective": 1.0 / t, "dual_source": "solver"})
    writer.close()
    kernel = {"name": "gaussian", "gamma": 1.0}
    one = np.ones(1)
    StoredModel(kernel, "0", 0.0, 2, indices=np.zeros(1, dtype=np.int64), coefficients=one).save(
        path / "model.npz"
    )
    State(2, 0.5, 0.5, {"iterations": 2}, {"a": one}).save(path)
    documents.write(path / "status.json", {"status": "budget", "reason": "reached", "ended": "2026-01-01"})
    seeds = [bytes([number]) + (path / name).read_bytes() for number, name in enumerate(FILES)]
    (path / "status.json").unlink()
    return seeds


FILES = ("run.json", "trace.csv", "model.npz", "state.npz", "status.json")
TARGETS: dict[str, Callable[[bytes], None]] = {
    f.__name__: f for f in (libsvm, csv, own, idx, sgml, packed, stored)
}
STORY = (
    b'<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" X="1">\n<TOPICS><D>a</D></TOPICS><TITLE>t</TITLE></REUTERS>'
)
SEEDS: dict[str, list[bytes]] = {
    "libsvm": [b"\0+1 1:0.5 3:-2e1 # x\n-1 2:.5\n", b"\0\xef\xbb\xbf1 2147483648:1\n"],
    "csv": [b"\x011,2,yes\n3,4,no\n", b'\x81a,"b,c",d\n"1",2,"x ""y"""\n', b"\x0d1\t2\t3\n", b"\x111 2 3\n"],
    "own": [b"1 1:0.5\n-1 2:1\n", b"a,b\n1,yes\n2,yes\n", "1,1\n2,0\n".encode("utf-16"), b'"1";2\n3;4\n'],
    "idx": [b"\0\0\x08\x01\0\0\0\x02ab", b"\0\0\x08\x03\0\0\0\x01\0\0\0\x01\0\0\0\x02ab"],
    "sgml": [STORY, STORY.replace(b"TRAIN", b"TEST") + STORY],
    "packed": [
        archive_seed(),
        b"F\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0",
        b"FBZh9\x17rE8P\x90\0\0\0\0",
    ],
}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"give one of {', '.join(TARGETS)}")
    target = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as folder:
        SCRATCH = Path(folder)
        (SCRATCH / "seeds").mkdir()
        for number, seed in enumerate(SEEDS[target] if target in SEEDS else store_seeds()):
            (SCRATCH / "seeds" / str(number)).write_bytes(seed)
        assert instrument(("svmbench.data", "svmbench.store", "tests.specification.slow_readers")), (
            "nothing guides it"
        )
        atheris.Setup([*sys.argv, str(SCRATCH / "seeds")], TARGETS[target])
        atheris.Fuzz()
