"""scikit-learn's own tests of `SVC` and `SVR`, run with `KernelSVC` and `KernelSVR` in their place.

They are read from the installed package. Those that use neither are left out; those in `EXPECTED` fail, each
for the reason that stands beside it, and the suite fails if one of them passes.
"""

import importlib.util
import inspect
import re
import types
from typing import Any

import pytest
import sklearn
import sklearn.svm
from sklearn.base import BaseEstimator

from svmbench.sklearn import KernelSVC, KernelSVR

#: Tests in one of these files of scikit-learn.
FILES = ("test_svm", "test_sparse")

#: Reasons for which a test fails here.
DEPRECATION = "it wants the deprecation of a parameter or an attribute that scikit-learn is about to remove"
FINITE = "C must be finite: with an infinite one, the objective of nearly all predictors is infinite"
MATRIX = "a kernel given by its values is solved in other arithmetic, to the same gap but not to six digits"
ROUNDS = "max_iter counts rounds over a working set, and one is enough for six rows"

#: Tests that fail, by name, or by name and parameters, and why.
EXPECTED: dict[str, str] = {
    "test_svm_libsvm_convergence_warnings": ROUNDS,
    "test_sparse_timeout": ROUNDS,
    "test_svm_precomputed": MATRIX,
    "test_svm_svc_clone_with_callable_kernel": MATRIX,
    "test_svm_probability_raises_futurewarning[False-SVC-SVC]": DEPRECATION,
    "test_svm_svc_nusvc_probA_probB_deprecated[SVC]": DEPRECATION,
    "test_svm_svr_errors": "a kernel matrix that is too small is refused in `fit` already",
    "test_svm_svm_with_infinite_C[inf0-SVR-make_regression]": FINITE,
    "test_svm_svm_with_infinite_C[inf1-SVR-make_regression]": FINITE,
    "test_svm_svc_nonfinite_params": "features beyond single precision have a sentence of their own",
}

#: Part of the tests that have to pass.
LEAST = 0.9

#: Whether scikit-learn is of the release whose tests `EXPECTED` was made from; others have other tests.
IS_RELEASE = sklearn.__version__.startswith("1.9.")

#: Tests of this file that are not scikit-learn's.
OWN = ("test_nine_tenths_pass",)


class SVC(KernelSVC):
    """`KernelSVC` under the name that messages are looked at for."""


class SVR(KernelSVR):
    """`KernelSVR` likewise."""


def replaced() -> types.ModuleType:
    """Return `sklearn.svm` with both replaced."""
    module = types.ModuleType("sklearn.svm")
    module.__dict__.update(sklearn.svm.__dict__)
    module.__dict__.update(SVC=SVC, SVR=SVR)
    return module


def loaded(name: str) -> types.ModuleType:
    """Return a file of scikit-learn's tests, executed with both replaced."""
    spec = importlib.util.find_spec(f"sklearn.svm.tests.{name}")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    kept = sklearn.svm
    try:
        sklearn.svm = replaced()
        spec.loader.exec_module(module)
    finally:
        sklearn.svm = kept
    return module


def uses(function: Any, parameters: dict[str, Any]) -> bool:
    """Return whether a test uses them: its parameters decide if they hold an estimator, else its text."""
    classes = [value if isinstance(value, type) else type(value) for value in parameters.values()]
    estimators = [one for one in classes if issubclass(one, BaseEstimator)]
    if estimators:
        return any(issubclass(one, SVC | SVR) for one in estimators)
    body = inspect.getsource(function).split("def ", 1)[1]
    return re.search(r"\bsvm\.SV[CR]\b", body) is not None


def expected_to_fail(item: Any) -> str | None:
    """Return why a test fails, or None."""
    return EXPECTED.get(item.name) or EXPECTED.get(item.originalname)


def test_nine_tenths_pass(suite_of_svc: list[pytest.Item]) -> None:
    failing = [item.name for item in suite_of_svc if expected_to_fail(item)]
    assert len(suite_of_svc) > 100
    assert len(failing) <= (1.0 - LEAST) * len(suite_of_svc)
    names = {name for item in suite_of_svc for name in (item.name, item.originalname)}
    assert not IS_RELEASE or set(EXPECTED) <= names


def with_lists(function: Any) -> Any:
    """Return a test whose parameters are lists: pytest warns of iterators, and warnings are errors here."""
    function.pytestmark = [
        pytest.Mark(
            mark.name, (mark.args[0], list(mark.args[1]), *mark.args[2:]), mark.kwargs, _ispytest=True
        )
        if mark.name == "parametrize"
        else mark
        for mark in getattr(function, "pytestmark", [])
    ]
    return function


def collected() -> dict[str, Any]:
    """Return the tests under names of their own."""
    return {
        f"test_{file[5:]}_{name[5:]}": with_lists(function)
        for file in FILES
        for name, function in vars(loaded(file)).items()
        if name.startswith("test_") and inspect.isfunction(function)
    }


pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    # Of scikit-learn's own `SVC`, which some tests compare with.
    pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning"),
]
globals().update(collected())
