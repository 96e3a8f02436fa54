"""Warm starts: the coefficients of a stored run as the first point of another one on the same examples.

An exact solver can so improve an approximate answer (T. Glasmachers, Recipe for Fast Large-scale SVM
Training: Polishing, Parallelism, and more RAM!, 2022), and a path over C or kernel parameters can reuse
solutions.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.problem import Problem, most_coefficients, moved
from svmbench.run_config import RunConfig
from svmbench.runner import prepare
from svmbench.solvers import registry
from svmbench.store import Store
from svmbench.store.joint_model import JointModel
from svmbench.store.model import StoredModel

Floats = NDArray[np.float64]

#: Number of features that any model fits: only its coefficients are used.
_ANY = 2**63 - 1


def named(config: RunConfig, store: Store) -> RunConfig:
    """Return a configuration whose start is the full id of a run, which is part of its identity.

    Raises
    ------
    UserError
        If there is no such run, it has no result, or the configuration cannot begin at a point.
    """
    if config.start is None:
        return config
    refuse_unless_startable(config, f"start={config.start}")
    if config.validate is not None and not config.validate.warm:
        raise UserError(
            f"start={config.start} cannot be combined with validate.folds: a fold has fewer examples; leave "
            "one out, or let the folds begin at the run's own answer by validate.warm=true"
        )
    run = store.find(config.start)
    if not run.complete:
        raise UserError(f"start={config.start} is a run without a result ({run.status}): give one that ended")
    return replace(config, start=run.id)


def refuse_unless_startable(config: RunConfig, key: str) -> None:
    """Raise a `UserError` if a key requires the solver to begin at a point and it cannot."""
    solver = registry.get(config.solver.name)
    if not solver.startable:
        able = ", ".join(name for name in registry.names() if registry.get(name).startable)
        raise UserError(f"{solver.name} cannot begin at {key}: leave it out, or use {able}")


def first_point(config: RunConfig, checksum: str, problem: Problem, store: Store) -> Floats:
    """Return the first point, float64 (n,), feasible for the dual of the problem.

    It is the dual point of the run, or α = yβ from its signed coefficients β, as `moved` to this problem.

    Parameters
    ----------
    config : RunConfig
        With a start, see `named`.
    checksum : str
        Of the training examples.
    problem : Problem
        The problem.
    store : Store
        The store that has the run.

    Raises
    ------
    UserError
        If the run was trained on other examples or with another kernel or loss, or its model has no
        coefficients of examples.
    """
    run = store.find(str(config.start))
    model = run.model()
    if isinstance(model, JointModel):
        raise UserError(f"start={run.id} is a run of several binary problems: give a run of one")
    if model.checksum != checksum:
        raise UserError(
            f"start={run.id} was trained on other examples: give a run on the same data set, subset and seed "
            "of the subset"
        )
    loss = str(config.solver.parameters.get("loss", "hinge"))
    for key, own, asked in (("kernel", model.kernel["name"], config.kernel.name), ("loss", model.loss, loss)):
        if own != asked:
            raise UserError(
                f"start={run.id} has {key}={own}, whose coefficients do not fit {key}={asked}: give a run "
                f"with the same {key}"
            )
    alpha = _coefficients(run.id, model, problem)
    return moved(alpha, most_coefficients(prepare.problem(run.config, problem.y), loss), problem, loss)


def _coefficients(name: str, model: StoredModel, problem: Problem) -> Floats:
    """Return the dual point of a model or, without one, its signed coefficients times the labels, (n,)."""
    alpha = np.zeros(problem.n)
    if model.dual == "own" and model.dual_indices is not None and model.dual_values is not None:
        model.check_fits(problem.n, _ANY)
        alpha[model.dual_indices] = model.dual_values
        return alpha
    # Those of features are of the examples that the features are made of.
    if model.indices is None or model.coefficients is None or model.features is not None:
        raise UserError(
            f"start={name} stores weights or points instead of coefficients of training examples: give a run "
            "of dcd, or of a kernel solver whose support vectors are training examples"
        )
    model.check_fits(problem.n, _ANY)
    alpha[model.indices] = model.coefficients * problem.y[model.indices]
    return alpha


def fingerprint(alpha: Floats) -> str:
    """Return a fingerprint of a first point, for the identity of a run that begins there."""
    return hashlib.sha256(alpha.tobytes()).hexdigest()[:16]
