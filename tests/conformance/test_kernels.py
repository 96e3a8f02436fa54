"""Every kernel, ours and those of plug-ins: its class, and the rows that the oracle makes of it."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse
from sklearn.svm import SVC

from svmbench import config
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.functions import registry
from svmbench.kernels.functions.base import Kernel
from svmbench.option import check_section, defaults_of
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry as solvers

RNG = np.random.default_rng(0)
#: Features of at least 0, which every kernel takes; numbers of rows, for the one that is given by its values.
EXAMPLES = RNG.random((23, 5)).astype(np.float32)
LABELS = np.where(RNG.random(23) < 0.5, -1.0, 1.0)


def made(name: str) -> tuple[Kernel, np.ndarray]:
    """Return a kernel with its defaults, and examples."""
    if name == "precomputed":
        K = registry.get("laplacian")().values(EXAMPLES, EXAMPLES)
        return registry.get(name).of(K), np.arange(23.0)[:, None]
    given = defaults_of(registry.get(name))
    return registry.kernel_of(
        {"name": name, **given, **({"gamma": 0.7} if "gamma" in given else {})}
    ), EXAMPLES


pytestmark = pytest.mark.parametrize("name", registry.names())


def test_its_parameters_have_a_help_and_allowed_defaults(name):
    kind = registry.get(name)
    assert all(len(item.metadata["help"]) > 15 for item in dataclasses.fields(kind))
    if name != "precomputed":  # it needs a file
        assert check_section("kernel.", {}, kind) == defaults_of(kind)


def test_a_value_depends_on_its_examples_alone(name):
    kernel, X = made(name)
    K = kernel.values(X, X)
    assert K.dtype == np.float64 and np.array_equal(K, K.T)
    for some in ([4], [7, 2, 4], np.arange(5, 20)):
        assert np.array_equal(kernel.values(X[some], X[2:]), K[some, 2:])
    assert np.allclose(kernel.self_values(X), np.diagonal(K), rtol=1e-14)
    assert np.array_equal(kernel.values(scipy.sparse.csr_array(X), scipy.sparse.csr_array(X)), K)


def test_it_is_what_its_attributes_say(name):
    kernel, X = made(name)
    K, L = kernel.values(X, X), kernel.lengths(X)
    assert (np.abs(K) <= np.outer(L, L) * (1.0 + 1e-12)).all()
    if kernel.normalised:
        assert np.allclose(np.diagonal(K), 1.0)
    if kernel.invariant:
        assert np.allclose(kernel.values(X + 0.5, X + 0.5), K, rtol=1e-6)
    assert registry.kernel_of(kernel) is kernel
    assert kernel.document()["name"] == name


@pytest.mark.parametrize("form", ["dense", "csr"])
def test_rows_are_its_values(name, form):
    kernel, X = made(name)
    K, rows = kernel.values(X, X), np.array([3, 0, 11])
    given = scipy.sparse.csr_array(X) if form == "csr" else X
    oracle = Oracle(given, kernel)
    far = 1e-6 * np.outer(kernel.lengths(X), kernel.lengths(X))
    assert (np.abs(oracle.row(3) - K[3]) <= far[3]).all()
    assert np.array_equal(oracle.block(rows)[0], oracle.row(3))
    assert np.array_equal(oracle.block(rows, [5, 3])[0], oracle.row(3)[[5, 3]])
    assert np.array_equal(oracle.subset(rows).row(0), oracle.row(3)[rows])
    assert np.array_equal(oracle.values(given[rows]), oracle.block(rows))
    assert np.allclose(oracle.diagonal(), np.diagonal(K), rtol=1e-6)
    beta = np.array([0.5, -2.0, 1.0])
    assert np.allclose(oracle.exact_responses(rows, beta), beta @ K[rows], rtol=1e-12, atol=1e-12)
    assert np.allclose(oracle.training_scores(rows, beta), beta @ K[rows], atol=1e-5)
    assert np.allclose(oracle.decision_function(rows, beta, 0.5, given), beta @ K[rows] + 0.5, atol=1e-5)
    assert oracle.ledger.kev_computed > 0


def test_a_solver_finds_the_optimum_of_the_matrix(name):
    kernel, X = made(name)
    K = kernel.values(X, X)
    if np.linalg.eigvalsh(K).min() < -1e-10:
        pytest.skip("not positive semidefinite: its problem has no single optimum")
    problem = Problem.build(LABELS, C=1.0, bias="unregularised")
    kind = solvers.get("smo_pair")
    run = kind(kind.Params(eps=1e-6)).start(problem, Oracle(X, kernel), Generator(0))
    run.advance("iterations", 100_000)
    assert run.converged
    peer = SVC(C=1.0, kernel="precomputed", tol=1e-8).fit(K, LABELS)
    alpha = np.zeros(23)
    alpha[peer.support_] = peer.dual_coef_[0]
    found = run.snapshot().alpha * LABELS
    value = [b @ LABELS - 0.5 * b @ K @ b for b in (found, alpha)]
    assert value[0] == pytest.approx(value[1], rel=1e-5)


def test_it_is_chosen_by_its_name(name, tmp_path):
    given = []
    if name == "precomputed":
        np.save(tmp_path / "K.npy", np.eye(3))
        given = [f"kernel.path={tmp_path / 'K.npy'}"]
    resolved = config.resolve([f"kernel={name}", *given])
    assert resolved.kernel.name == name
    assert list(resolved.kernel.parameters) == [item.name for item in dataclasses.fields(registry.get(name))]
