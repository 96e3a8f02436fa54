"""Which of scikit-learn's tests run, and which of them are expected to fail."""

import pytest

_SUITE: pytest.StashKey[list[pytest.Item]] = pytest.StashKey()


def pytest_configure(config: pytest.Config) -> None:
    """Know the marks of scikit-learn's tests."""
    config.addinivalue_line("markers", "thread_unsafe: of scikit-learn: not to be run in several threads")


@pytest.fixture
def global_random_seed() -> int:
    """The seed that scikit-learn's tests ask for."""
    return 42


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that use neither `SVC` nor `SVR`, and mark those that fail."""
    suite = [item for item in items if item.path.stem == "test_scikit_learn_suite"]
    if not suite:
        return
    harness = suite[0].module
    suite = [item for item in suite if item.originalname not in harness.OWN]
    kept = [item for item in suite if harness.uses(item.function, _parameters(item))]
    for item in kept:
        reason = harness.expected_to_fail(item)
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=harness.IS_RELEASE))
    left_out = [item for item in suite if item not in kept]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
    config.stash[_SUITE] = kept


@pytest.fixture
def suite_of_svc(request: pytest.FixtureRequest) -> list[pytest.Item]:
    """The tests of scikit-learn that were collected and use `SVC` or `SVR`."""
    return request.config.stash[_SUITE]


def _parameters(item: pytest.Item) -> dict[str, object]:
    return dict(item.callspec.params) if hasattr(item, "callspec") else {}
