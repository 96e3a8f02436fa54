"""Validate a composed configuration and fill in what depends on the data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from svmbench.config.schema import KERNELS, LAUNCHERS, SECTIONS, NoFeatures, Suggested, Sweep, Top
from svmbench.config.values import check_section, show
from svmbench.errors import UserError, nearest

#: Groups, whose sections hold the name of what was chosen and its parameters.
_NAMED = ("solver", "dataset", "kernel", "features")
#: What ``budget.kev=auto`` stands for where a method does not end by itself.
_KEV = 1e8
_SMALLEST = 1e-100
#: Methods count in 64 bits, some of them examples times passes; nothing gets as far as this.
_MOST = 10**12
_SWEEP = tuple(item.name for item in fields(Sweep))
#: Keys at the top of a configuration that are checked apart from `Top`.
_ELSEWHERE = (*SECTIONS, *_NAMED, *_SWEEP, "launcher")


def sweep_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a composed configuration says about its sweep; a `UserError` for a value out of range."""
    options = check_section("", {key: given[key] for key in _SWEEP if key in given}, Sweep)
    name, params = _named("launcher", given.get("launcher", {"name": "local"}))
    options["launcher"] = {"name": name, **check_section("launcher.", params, schema_of("launcher", name))}
    return options


def of_the_sweep(key: str) -> bool:
    """Return whether a key belongs to a sweep and is part of no run."""
    return key in (*_SWEEP, "launcher") or key.startswith("launcher.")


def checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the resolved configuration of one run (docs/architecture.md), or raise a `UserError`.

    Parameters
    ----------
    given : mapping
        The plain composed configuration: sections of plain values.

    Returns
    -------
    dict
        Every key present and of its type; ``kernel.gamma`` and ``budget.counter`` set, and exactly one of
        ``problem.lam`` and ``problem.C``. ``features`` is there only where there are any.
    """
    top = {key: value for key, value in given.items() if key not in _ELSEWHERE}
    plain = check_section("", top, Top)
    dataset, suggested = _dataset(given.get("dataset"))
    config: dict[str, Any] = {"solver": _solver(given.get("solver")), "dataset": dataset}
    config["kernel"] = _kernel(given.get("kernel"), suggested, dataset["name"])
    features, params = _named("features", given.get("features", {"name": "none"}))
    params = _countable("features.", check_section("features.", params, schema_of("features", features)))
    if features != "none":  # runs stored before there were any are those without
        config["features"] = {"name": features, **params}
    for name in ("problem", "budget", "observe"):
        config[name] = check_section(f"{name}.", given.get(name, {}), SECTIONS[name])
    if config["observe"]["train"]:  # runs stored before there was a choice are those with it
        del config["observe"]["train"]
    elif config["budget"]["gap"] is not None:
        raise UserError(
            f"budget.gap={show(config['budget']['gap'])} needs the objective, which observe.train=false "
            "leaves out: give one of the two"
        )
    config["problem"] = _problem(config["problem"], suggested, dataset["name"])
    config["budget"] = _budget(config["budget"], config["solver"]["name"])
    validate = check_section("validate.", given.get("validate", {}), SECTIONS["validate"])
    if validate["folds"] is not None:  # runs stored before there were any are those without
        config["validate"] = validate
        if config["budget"]["test_error"] is not None:
            raise UserError(
                f"budget.test_error={show(config['budget']['test_error'])} cannot end the fits of "
                f"validate.folds={validate['folds']}, which see no test set: leave one of them out"
            )
    for name in ("seed", "threads", "prefetch", "results"):
        config[name] = plain[name]
    if plain["precision"] != "auto":  # runs stored before there was a choice are those without
        config["precision"] = plain["precision"]
    config["data"] = check_section("data.", given.get("data", {}), SECTIONS["data"])
    config["force"] = plain["force"]
    return config


def _named(section: str, given: Any) -> tuple[str, dict[str, Any]]:
    """Split a section into its name and the other keys."""
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
        raise UserError(f"{section}={show(given)} is not allowed: choose one by {section}=NAME")
    return given["name"], {key: value for key, value in given.items() if key != "name"}


def schema_of(group: str, name: str) -> type:
    """Return the schema of what a group's file names; a `UserError` if there is nothing of that name."""
    if group == "solver":
        from svmbench.solvers import registry

        return registry.get(name).Params
    if group == "dataset":
        from svmbench import data

        return data.schema(name)
    if group == "features":
        from svmbench import features

        return NoFeatures if name == "none" else features.get(name).Params
    if group == "budget":
        return SECTIONS["budget"]
    known = LAUNCHERS if group == "launcher" else KERNELS
    if name not in known:
        raise UserError(f"unknown {group}.name={name}{nearest(name, known)} ({group}s: {', '.join(known)})")
    return known[name]


def _solver(given: Any) -> dict[str, Any]:
    name, params = _named("solver", given)
    params = _countable("solver.", check_section("solver.", params, schema_of("solver", name)))
    return {"name": name, **params}


def _countable(prefix: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a method; a `UserError` for a whole number that it cannot count to."""
    for key, value in params.items():
        for number in value if isinstance(value, list | tuple) else [value]:
            if isinstance(number, int) and abs(number) > _MOST:
                raise UserError(
                    f"{prefix}{key}={show(value)} is not allowed: give a whole number of at most {_MOST:g}"
                )
    return params


def _budget(budget: dict[str, Any], solver: str) -> dict[str, Any]:
    """Return the budget with what depends on the solver: the counter of its cost, and ``kev=auto``."""
    from svmbench.solvers import registry

    kind = registry.get(solver)
    if budget["counter"] is None:
        costs = {"kernel": "kev_ondemand", "linear": "inner_products", "data": "iterations"}
        budget = {**budget, "counter": costs[kind.access]}
    if budget["kev"] == "auto":
        budget = {**budget, "kev": None if kind.exact else _KEV}
    return budget


def _dataset(given: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the data set's name and parameters, and the values suggested for it."""
    from svmbench.data import catalogue

    name, params = _named("dataset", given)
    suggested = check_section("dataset.suggested.", params.pop("suggested", {}), Suggested)
    kind = catalogue.set_of({"name": name, **params})
    checked = check_section("dataset.", params, schema_of("dataset", kind))
    called = catalogue.own_name(name, checked["path"]) if kind == catalogue.OWN else name
    return {"name": called, **checked}, suggested


def _kernel(given: Any, suggested: dict[str, Any], dataset: str) -> dict[str, Any]:
    name, params = _named("kernel", given)
    kernel = {"name": name, **check_section("kernel.", params, schema_of("kernel", name))}
    if "gamma" in kernel and kernel["gamma"] is None:
        kernel["gamma"] = suggested["gamma"]
        if kernel["gamma"] is None:
            raise UserError(f"dataset={dataset} has no default width: give kernel.gamma=NUMBER")
    return kernel


def _problem(problem: dict[str, Any], suggested: dict[str, Any], dataset: str) -> dict[str, Any]:
    lam, C = problem["lam"], problem["C"]
    if lam is not None and C is not None:
        raise UserError(
            f"problem.lam={lam} and problem.C={C} are two values of one parameter: give one of them"
        )
    if lam is None and C is None:
        C = suggested["C"]
        if C is None:
            raise UserError(
                f"dataset={dataset} has no default C: give problem.C=NUMBER or problem.lam=NUMBER"
            )
    for key, value in (("lam", lam), ("C", C)):
        if value is not None and not _SMALLEST <= value <= 1.0 / _SMALLEST:
            raise UserError(
                f"problem.{key}={value:g} is not allowed: give a number from {_SMALLEST:g} to "
                f"{1.0 / _SMALLEST:g}, which keeps its reciprocal within double precision"
            )
    return {**problem, "C": C}
