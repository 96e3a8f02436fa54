"""Arrays in an ``.npz`` file: what is written is read, and every fault is a sentence."""

import io

import numpy as np
import scipy.sparse as sp

from svmbench.data.arrays import read_arrays, write_arrays
from svmbench.errors import UserError
from tests.told import names

from .conftest import CSV, LIBSVM, fault

X = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 4.0]])
y = np.array([1, -1, 1, -1])


def npz(**arrays) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def csr(matrix: sp.csr_array, **others) -> bytes:
    parts = {f"X_{name}": getattr(matrix, name) for name in ("data", "indices", "indptr")}
    return npz(**parts, X_shape=np.array(matrix.shape), y=y, **others)


def repeated() -> sp.csr_array:
    """A matrix with unsorted columns, one of them twice in a row, as CSR matrices may have them."""
    indices, indptr = np.array([2, 0, 0, 1, 1, 0, 2]), np.array([0, 3, 4, 6, 7])
    return sp.csr_array((np.array([2.0, 0.5, 0.5, 3.0, 1.0, 1.0, 4.0]), indices, indptr), shape=X.shape)


def test_the_values_of_an_entry_that_is_repeated_add_up():
    read = read_arrays(csr(repeated()), "mine.npz").X
    assert read.has_canonical_format and np.array_equal(read.toarray(), X)


def test_the_callers_matrix_stays_as_it_is():
    given = repeated()
    for part in (given.data, given.indices, given.indptr):
        part.flags.writeable = False
    assert np.array_equal(read_arrays(write_arrays(given, y), "mine.npz").X.toarray(), X)


def test_a_damaged_file_is_a_sentence_or_read_as_it_was():
    values = np.random.default_rng(0).standard_normal((40, 3)).round(1)
    whole = npz(X=values, y=np.arange(40) % 2)
    assert np.array_equal(read_arrays(whole, "mine.npz").X, values)
    refused = []
    places = range(30, len(whole) - 3)
    for place in places:
        content = bytearray(whole)
        content[place : place + 3] = b"\xff\x00\xff"
        try:
            assert np.array_equal(read_arrays(bytes(content), "mine.npz").X, values), place
        except UserError:
            refused.append(place)
    assert 0 < len(refused) < len(places)  # some bytes are time stamps, or as they were


def test_files_that_do_not_fit_together_are_refused(write):
    dense, wide = write(npz(X=X, y=y)), write(npz(X=np.hstack([X, X]), y=y), "wide")
    text, table = write(LIBSVM, "libsvm"), write(CSV, "csv")
    assert names(fault(text, test_path=dense), dense, "dense", text, "sparse")
    assert names(fault(dense, test_path=text), text, "sparse", dense, "dense")
    assert names(fault(dense, test_path=wide), wide, "6 feature columns", dense, 3)
    assert names(fault(table, test_path=dense, label_column="class"), dense, "3 feature columns")
    assert names(fault(dense, features=7), dense, "3 feature columns", "dataset.features=7", "give 3")
