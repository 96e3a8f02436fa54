"""Kernels by name: those of plug-ins, and what is refused."""

from dataclasses import dataclass
from importlib.metadata import EntryPoint

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.kernels.functions import registry
from svmbench.kernels.functions.base import Kernel


@dataclass(frozen=True)
class Mine(Kernel):
    name = "mine"

    def row(self, X, x):
        return X @ x


class Half(Kernel):
    name = "half"


def plugin(monkeypatch, name, value):
    found = {"svmbench.kernels": {name: EntryPoint(name, value, "svmbench.kernels")}}
    monkeypatch.setattr(registry, "plugins", lambda group: found.get(group, {}))


def test_a_plug_in_is_found(monkeypatch):
    plugin(monkeypatch, "mine", f"{__name__}:Mine")
    assert "mine" in registry.names()
    assert registry.get.__wrapped__("mine") is Mine


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("half", f"{__name__}:Half", "must be a dataclass and define `row`"),
        *(("other", f"{__name__}:{one}", "is not a kernel named 'other'") for one in ("Mine", "plugin")),
        ("other", "no_such_module:Mine", "of kernel 'other' cannot be imported"),
        ("gaussian", f"{__name__}:Mine", "has the name of a built-in kernel, 'gaussian': rename it"),
    ],
)
def test_a_plug_in_that_is_no_kernel_of_its_name_is_refused(monkeypatch, name, value, sentence):
    plugin(monkeypatch, name, value)
    with pytest.raises(UserError, match=sentence):
        registry.get.__wrapped__(name)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (lambda X, x: X.__setitem__(0, 0.0), "read-only"),
        (lambda X, x: np.exp(1j * (X @ x)), "returned complex128 of shape"),
        (lambda X, x: X @ x[:, None], "must return float64 of shape"),
    ],
)
@pytest.mark.parametrize("asked", [lambda kernel, X: kernel.values(X, X), Kernel.self_values])
def test_a_row_cannot_change_examples_and_is_real_numbers(row, sentence, asked):
    wrong = type("Wrong", (Kernel,), {"row": staticmethod(row)})
    X = np.ones((3, 2))
    with pytest.raises(ValueError, match=sentence):
        asked(wrong(), X)
    assert (X == 1.0).all()
