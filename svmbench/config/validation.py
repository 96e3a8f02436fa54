"""Validation of a composed configuration, and values that depend on the data set or the solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from svmbench.config.schema import LAUNCHERS, NoFeatures, Slurm, Suggested, Sweep
from svmbench.errors import UserError, nearest, nearest_file
from svmbench.option import check_section, check_values, show
from svmbench.run_config import (
    CHOICES,
    SECTIONS,
    TOP,
    BudgetConfig,
    Choice,
    DataConfig,
    ObserveConfig,
    Parameter,
    ProblemConfig,
    RunConfig,
    ValidateConfig,
)

#: Value of ``budget.kev=auto`` for methods that do not end by themselves.
_KEV = 1e8
_SMALLEST = 1e-100
#: Largest integer of a method. Counters have 64 bits, and some methods count examples times passes; no run
#: gets this far.
_MOST = 10**12
_SWEEP = tuple(item.name for item in fields(Sweep))
#: Keys at the top level of a composed configuration that are validated separately.
_ELSEWHERE = (*SECTIONS, *CHOICES, *_SWEEP, "launcher")


def sweep_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sweep options of a composed configuration; raise a `UserError` for an invalid value."""
    options = check_section("", {key: given[key] for key in _SWEEP if key in given}, Sweep)
    name, params = _named("launcher", given.get("launcher", {"name": "local"}))
    launcher = check_section("launcher.", params, schema_of("launcher", name))
    if launcher.get("solvers"):
        launcher["solvers"] = {
            solver: _of_a_solver(solver, own) for solver, own in launcher["solvers"].items()
        }
    options["launcher"] = {"name": name, **launcher}
    return options


def _of_a_solver(solver: str, given: Any) -> dict[str, Any]:
    """Return the keys of a launcher that differ for the runs of a solver."""
    from svmbench.solvers import registry

    registry.get(solver)
    prefix = f"launcher.solvers.{solver}."
    checked = check_section(prefix, given, Slurm)
    if "solvers" in given:
        raise UserError(f"{prefix}solvers is not allowed: give the keys of launcher=slurm")
    return {key: checked[key] for key in given}


def of_the_sweep(key: str) -> bool:
    """Return whether a key belongs to a sweep and is not part of a run."""
    return key in (*_SWEEP, "launcher") or key.startswith("launcher.")


def checked(given: Mapping[str, Any]) -> RunConfig:
    """Return the resolved configuration of one run, or raise a `UserError`.

    Parameters
    ----------
    given : mapping
        The composed configuration in plain types.
    """
    outside = {key: value for key, value in given.items() if key not in _ELSEWHERE}
    top = check_values("", outside, RunConfig, TOP)
    sections = {name: check_values(f"{name}.", given.get(name, {}), kind) for name, kind in SECTIONS.items()}
    problem = ProblemConfig(**sections["problem"])
    dataset, suggested = _dataset(given.get("dataset"), problem.multiclass, sections["data"]["mirror"])
    solver = _choice("solver", given.get("solver"))
    kernel = _kernel(given.get("kernel"), problem, suggested, dataset)
    features = _choice("features", given.get("features", {"name": "none"}))
    validate = sections["validate"]
    return _consistent(
        RunConfig(
            solver=solver,
            dataset=dataset,
            kernel=kernel,
            features=None if features.name == "none" else features,
            problem=_problem(problem, suggested, dataset),
            budget=BudgetConfig(**_budget(sections["budget"], solver.name)),
            observe=ObserveConfig(**sections["observe"]),
            validate=None if validate["folds"] is None else ValidateConfig(**validate),
            data=DataConfig(**sections["data"]),
            **top,
        )
    )


def _consistent(config: RunConfig) -> RunConfig:
    """Return a configuration; raise a `UserError` for keys that exclude each other."""
    budget, observe = config.budget, config.observe
    if observe.every is not None and observe.points != ObserveConfig.points:
        raise UserError(
            f"observe.every={observe.every} takes the place of observe.points={observe.points}: "
            "leave one of them out"
        )
    if budget.gap is not None and not observe.train:
        raise UserError(
            f"budget.gap={show(budget.gap)} needs the objective, which observe.train=false leaves out: "
            "give one of the two"
        )
    if budget.test_error is not None and config.validate is not None:
        raise UserError(
            f"budget.test_error={show(budget.test_error)} cannot end the fits of "
            f"validate.folds={config.validate.folds}, which see no test set: leave one of them out"
        )
    if config.problem.multiclass != "none":
        _check_multiclass(config)
    return config


def _check_multiclass(config: RunConfig) -> None:
    """Raise a `UserError` for a key that has no meaning in a run of several binary problems."""
    given, target = f"problem.multiclass={config.problem.multiclass}", config.budget.test_error
    if target is not None:
        raise UserError(
            f"budget.test_error={show(target)} cannot end the binary problems of {given}, whose test error "
            "is known when all have ended: leave it out, and limit each by budget.gap or budget.seconds"
        )
    if config.validate is not None and config.validate.warm:
        raise UserError(
            f"validate.warm=true begins each fold at the answer of one binary problem, and {given} has "
            "several: leave one of them out"
        )
    if config.start is not None:
        raise UserError(
            f"start={config.start} begins one binary problem, and {given} has several: leave one of them out"
        )


def _named(section: str, given: Any) -> tuple[str, dict[str, Any]]:
    """Split a section into its name and its other keys."""
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
        raise UserError(f"{section}={show(given)} is not allowed: choose one by {section}=NAME")
    return given["name"], {key: value for key, value in given.items() if key != "name"}


def kind_of(group: str, section: Mapping[str, Any]) -> str:
    """Return the name by which `schema_of` knows a section; the files of users have names of their own."""
    if group == "dataset":
        from svmbench.data import catalogue

        return catalogue.set_of(section)
    return str(section.get("name"))


def schema_of(group: str, name: str) -> type:
    """Return the schema of an option of a group; raise a `UserError` if there is no such option."""
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
        return BudgetConfig
    if group == "kernel":
        from svmbench.kernels.functions import registry as kernels

        return kernels.get(name)
    if name not in LAUNCHERS:
        hint = nearest(name, LAUNCHERS)
        raise UserError(f"unknown launcher.name={name}{hint} (launchers: {', '.join(LAUNCHERS)})")
    return LAUNCHERS[name]


def _choice(group: str, given: Any) -> Choice:
    """Return the solver or feature map with its parameters; refuse an integer above `_MOST`."""
    name, params = _named(group, given)
    params = check_section(f"{group}.", params, schema_of(group, name))
    for key, value in params.items():
        for number in value if isinstance(value, list | tuple) else [value]:
            if isinstance(number, int) and abs(number) > _MOST:
                raise UserError(
                    f"{group}.{key}={show(value)} is not allowed: give a whole number of at most {_MOST:g}"
                )
    return Choice(name, params)


def _budget(budget: dict[str, Any], solver: str) -> dict[str, Any]:
    """Return the budget with the defaults that depend on the solver filled in: counter and ``kev=auto``."""
    from svmbench.solvers import registry

    kind = registry.get(solver)
    if budget["counter"] is None:
        costs = {"kernel": "kev_ondemand", "linear": "inner_products", "data": "iterations"}
        budget = {**budget, "counter": costs[kind.access]}
    if budget["kev"] == "auto":
        budget = {**budget, "kev": None if kind.exact else _KEV}
    return budget


def _dataset(given: Any, multiclass: str, mirror: str | None) -> tuple[Choice, Suggested]:
    """Return the data set with its parameters (all classes if `multiclass`), and its suggested values."""
    from svmbench.data import catalogue
    from svmbench.data.parameters import EVERY

    name, params = _named("dataset", given)
    suggested = Suggested(**check_section("dataset.suggested.", params.pop("suggested", {}), Suggested))
    kind = kind_of("dataset", given)
    checked = check_section("dataset.", params, schema_of("dataset", kind))
    if kind == catalogue.OWN:
        name, checked = _of_openml(name, checked, mirror)
    called = catalogue.own_name(name, checked["path"]) if kind == catalogue.OWN else name
    if multiclass != "none":
        checked = _every_class(kind, checked, f"problem.multiclass={multiclass}")
    elif catalogue.multiclass(kind) and checked.get("task") == EVERY:
        raise UserError(
            f"dataset.task={EVERY} has more than two classes: give problem.multiclass=one_vs_one or "
            "one_vs_rest, or another task"
        )
    return Choice(called, checked), suggested


def _of_openml(
    name: str, params: dict[str, Parameter], mirror: str | None
) -> tuple[str, dict[str, Parameter]]:
    """Return the name and parameters of a file, if its path names a data set of OpenML."""
    from svmbench.data import catalogue, openml

    path = str(params["path"])
    if not path.startswith(openml.PREFIX):
        return name, params
    one = openml.found(path.removeprefix(openml.PREFIX), mirror)
    if name == catalogue.OWN:
        name = catalogue.own_name(name, one.name)
    params = {**params, "path": str(one.file)}
    if params["label_column"] == "last":
        params["label_column"] = one.target
    if one.ignored and params.get("drop") is None:
        params["drop"] = list(one.ignored)
    return name, params


def _every_class(kind: str, params: dict[str, Parameter], given: str) -> dict[str, Parameter]:
    """Return the parameters of a data set with all its classes; raise a `UserError` if it has only two."""
    from svmbench.data import catalogue
    from svmbench.data.parameters import EVERY

    if not catalogue.multiclass(kind):
        able = ", ".join(name for name in catalogue.names() if catalogue.multiclass(name))
        raise UserError(
            f"dataset={kind} has two classes, and {given} needs more: leave it out, or give one of {able}"
        )
    usual = {item.name: item.default for item in fields(schema_of("dataset", kind))}
    for key in ("task", "positive"):
        asked = params.get(key, usual.get(key))
        if asked not in (usual.get(key), EVERY):
            raise UserError(
                f"dataset.{key}={show(asked)} makes two classes of all, and {given} keeps all: leave one out"
            )
    return check_section("dataset.", {**params, "task": EVERY}, schema_of("dataset", kind))


def _kernel(given: Any, problem: ProblemConfig, suggested: Suggested, dataset: Choice) -> Choice:
    name, params = _named("kernel", given)
    params = check_section("kernel.", params, schema_of("kernel", name))
    if "gamma" in params and params["gamma"] is None:
        if suggested.gamma is None:
            neither = (problem.lam, problem.C, suggested.C) == (None, None, None)
            what, key = (" or C", " and problem.C=NUMBER") if neither else ("", "")
            _check_file(dataset)
            raise UserError(
                f"the data set '{dataset.name}' has no suggested gamma{what}: give kernel.gamma=NUMBER{key}, "
                "or choose γ and C by `svmbench tune` with this data set"
            )
        params["gamma"] = suggested.gamma
    return Choice(name, params)


def _check_file(dataset: Choice) -> None:
    """Raise a `UserError` if the user's file is not there or none, before what it needs is asked for."""
    path = dataset.parameters.get("path", "")
    if path is None:
        raise UserError("dataset=file needs a file: give dataset.path=FILE")
    if isinstance(path, str) and path and not Path(path).expanduser().exists():
        raise UserError(f"cannot read {path}: there is no such file{nearest_file(path)}")
    if isinstance(path, str) and path and Path(path).expanduser().is_dir():
        raise UserError(f"cannot read {path}: it is a folder; give the file in it, dataset.path={path}/FILE")


def _problem(problem: ProblemConfig, suggested: Suggested, dataset: Choice) -> ProblemConfig:
    lam, C = problem.lam, problem.C
    if lam is not None and C is not None:
        raise UserError(
            f"problem.lam={lam} and problem.C={C} are two values of one parameter: give one of them"
        )
    if lam is None and C is None:
        C = suggested.C
        if C is None:
            _check_file(dataset)
            raise UserError(
                f"the data set '{dataset.name}' has no suggested C: give problem.C=NUMBER or "
                "problem.lam=NUMBER"
            )
    for key, value in (("lam", lam), ("C", C)):
        if value is not None and not _SMALLEST <= value <= 1.0 / _SMALLEST:
            raise UserError(
                f"problem.{key}={value:g} is not allowed: give a number from {_SMALLEST:g} to "
                f"{1.0 / _SMALLEST:g}, which keeps its reciprocal within double precision"
            )
    return replace(problem, C=C)
