"""Stored models of more than two classes: a model for each binary problem."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import Damage
from svmbench.multiclass import predicted, problems
from svmbench.run_config import MULTICLASS, KernelDocument
from svmbench.store.model import StoredModel, reading, write_model


@dataclass(frozen=True)
class JointModel:
    """The predictors of several binary problems.

    Attributes
    ----------
    kind : str
        ``one_vs_one`` or ``one_vs_rest`` (`svmbench.multiclass`).
    classes : int
        Number of classes.
    models : tuple of StoredModel
        In the order of `svmbench.multiclass.problems`; their ``indices`` are rows of the whole training part.
    """

    kind: str
    classes: int
    models: tuple[StoredModel, ...]

    @property
    def kernel(self) -> KernelDocument:
        """Name and parameters, the same for all."""
        return self.models[0].kernel

    @property
    def iterations(self) -> int:
        """Iterations of all problems."""
        return sum(model.iterations for model in self.models)

    def predicted(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class of each row from the scores of all problems, shape (m, problems)."""
        return predicted(self.kind, scores, self.classes)

    def check_fits(self, rows: int, features: int) -> None:
        """Raise a `UserError` unless the models fit a training part of this shape."""
        for model in self.models:
            model.check_fits(rows, features)

    def save(self, path: Path) -> None:
        """Write all models as one .npz, the arrays of each under its number."""
        contents = [model.content() for model in self.models]
        arrays = {f"{k}.{name}": one for k, (_, own) in enumerate(contents) for name, one in own.items()}
        about = {"kind": self.kind, "classes": self.classes, "models": [about for about, _ in contents]}
        write_model(path, about, arrays)


def load_model(path: Path) -> StoredModel | JointModel:
    """Read the model of a run; a `UserError` if it is missing or damaged."""
    with reading(path) as (about, arrays):
        if "models" not in about:
            return StoredModel.of(about, arrays)
        own: list[dict[str, NDArray[Any]]] = [{} for _ in about["models"]]
        for place, array in arrays.items():
            number, _, name = place.partition(".")
            own[int(number)][name] = array
        models = tuple(map(StoredModel.of, about["models"], own))
        known = about["kind"] in MULTICLASS[1:]
        if not known or len(models) != len(problems(about["kind"], about["classes"])):
            raise Damage(f"{len(models)} models of {about['classes']} classes, {about['kind']}")
        return JointModel(about["kind"], about["classes"], models)
