"""The resolved configuration of a run: made by `svmbench.config`, read by everything else.

Every property of a key is metadata of its field, defined only here:

``role``
    What the value determines: ``problem``, what is solved; ``method``, how (the default); ``end``, only where
    the run ends; ``place``, nothing about the numbers, so that it is not part of the run's identity.
``later``
    The key was added after runs had been stored; at its default it is omitted from the document.
``given``
    The type of the user's value, if it differs from that of the resolved value; None if the key is omitted.
``min``, ``above``, ``max``, ``choices``
    Smallest value, an exclusive lower bound, largest value, and the words allowed. Limits hold for each
    number of a list, and a list with a lower limit is not empty.

``help``
    Meaning, unit and reason for the default, as ``svmbench run --help`` shows them.
"""

from __future__ import annotations

import os
import re
import typing
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, Literal, TypeAlias, TypeVar

from svmbench.counters import COUNTERS
from svmbench.errors import Damage, kind_of

#: Conventions of the bias; see `svmbench.problem`.
BIASES = ("none", "unregularised")

#: Weights of the losses; see `svmbench.problem.class_weights`.
WEIGHTS = ("none", "balanced")

#: Ways to tell more than two classes apart; see `svmbench.multiclass`.
MULTICLASS = ("none", "one_vs_one", "one_vs_rest")

#: A value of a configuration.
Parameter: TypeAlias = bool | int | float | str | Sequence["Parameter"] | Mapping[str, "Parameter"] | None
#: A JSON document, such as a configuration or a part of it: plain values, lists and dictionaries.
Document: TypeAlias = dict[str, Any]
#: Name and parameters of a kernel.
KernelDocument: TypeAlias = Document

Role = Literal["problem", "method", "end", "place"]
_Section = TypeVar("_Section")


def _key(default: Any, meaning: str, role: Role = "method", **more: Any) -> Any:
    return field(default=default, metadata={"help": meaning, "role": role, **more})


@dataclass(frozen=True)
class Choice:
    """An option of a group, as in ``kernel=gaussian``, and its parameters.

    Attributes
    ----------
    name : str
        The name of the option.
    parameters : mapping
        Parameters, validated by the schema of the option: ``Solver.Params``, `svmbench.data.schema`, ...
    """

    name: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def document(self) -> Document:
        """Return the name and the parameters as one section."""
        return {"name": self.name, **self.parameters}


@dataclass(frozen=True)
class ProblemConfig:
    """What is minimised; one of lam and C is None and follows from the other."""

    lam: float | None = _key(
        None, "Regularisation of lam/2 |w|² + mean hinge loss. null: given by problem.C.", above=0
    )
    C: float | None = _key(
        None,
        "Regularisation of 1/2 |w|² + C sum of hinge losses; C = 1/(lam n). null: given by problem.lam; if "
        "both are null, by dataset.suggested.C.",
        above=0,
    )
    bias: str = _key(
        "none",
        "Whether the predictor has a bias, which is never regularised. The papers' main experiments have "
        "none.",
        choices=BIASES,
    )
    weights: str = _key(
        "none",
        "Weights of the losses. none: all 1. balanced: n / (2 m) for each example of a class with m of the "
        "n training examples, so that both classes have the same total weight, as with "
        "class_weight='balanced' in scikit-learn.",
        later=True,
        choices=WEIGHTS,
    )
    multiclass: str = _key(
        "none",
        "How to handle more than two classes, by several binary problems in one run. one_vs_one: a problem "
        "for each pair, most votes win. one_vs_rest: a problem for each class, the largest score wins. "
        "none: the two classes of dataset.task.",
        later=True,
        choices=MULTICLASS,
    )


@dataclass(frozen=True)
class BudgetConfig:
    """Limits of a run; None: no limit.

    A user may leave the counter None, meaning that of the solver's cost, and give ``kev=auto``, meaning no
    limit for solvers that converge to the optimum (``Solver.exact``) and 1e8 for others.
    """

    name: str = _key("quick", "Name of the budget; does not change a result.", "place")
    counter: str = _key(
        "kev_ondemand",
        "Counter that kev limits and by which checkpoints are spaced. null: kev_ondemand, the convention of"
        " the Pegasos paper, or inner_products for linear solvers, which evaluate no kernel.",
        given=str | None,
        choices=COUNTERS,
    )
    kev: float | None = _key(
        None,
        "Most evaluations, by budget.counter; null: no limit. auto: no limit for an exact solver, which "
        "ends at the optimum (`svmbench solvers`), else 1e8, where most curves of the papers have become "
        "flat.",
        "end",
        given=float | str | None,
        above=0,
        choices=("auto",),
    )
    iterations: int | None = _key(
        None,
        "Most iterations; null: no limit. Off, because iterations of different methods have different costs.",
        "end",
        min=1,
    )
    seconds: float | None = _key(
        None,
        "Most training time in wall seconds; null: no limit. Off, because it would make results depend on "
        "the machine. It also limits, separately, the computation of the optimum for nu=auto or R=auto.",
        "end",
        above=0,
    )
    memory: float | None = _key(
        None,
        "Cache of kernel rows in MiB; null: no limit. A run also ends when it takes more memory, in "
        "addition to its data, than the sum of this, eight times the size of the data, the size of its "
        "features, and 256 MiB. Leaves room for other programs on a small machine.",
        above=0,
    )
    gap: float | None = _key(
        None,
        "Stop at this relative duality gap; null: no limit. Off, because only some methods have a dual "
        "bound.",
        "end",
        above=0,
    )
    test_error: float | None = _key(
        None,
        "Stop at this test error, a fraction; null: no limit. Off, because stopping by the test set biases "
        "the test error.",
        "end",
        min=0,
        max=1,
    )
    quiet: float | None = _key(
        None,
        "Most seconds to wait, before training, for other processes to leave the machine idle; null: start "
        "at once. It affects only how reliable the times of the run are.",
        "place",
        later=True,
        above=0,
    )

    def limits(self) -> list[tuple[str, str, float]]:
        """Return the limits of what may be spent that are set: key, column of the trace, value."""
        every = (
            ("kev", self.counter, self.kev),
            ("iterations", "iterations", self.iterations),
            ("seconds", "wall_seconds", self.seconds),
        )
        return [(key, column, limit) for key, column, limit in every if limit is not None]

    def targets(self) -> list[tuple[str, str, float]]:
        """Return the targets that are set, in the same form."""
        every = (("gap", "relative_gap", self.gap), ("test_error", "test_error", self.test_error))
        return [(key, column, target) for key, column, target in every if target is not None]

    def ended(self, spent: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return the key of the first limit that was reached, and the reason as a run states it, or None."""
        for key, column, limit in self.limits():
            if spent[column] >= limit:
                by = f" by {column}" if key == "kev" else ""
                return key, f"budget.{key}={limit if key == 'iterations' else f'{limit:g}'} reached{by}"
        return None

    def reached(self, row: Mapping[str, Any]) -> str | None:
        """Return the reason by which a checkpoint that reached a target ends a run, or None."""
        for key, column, target in self.targets():
            seen = row.get(column)
            if seen is not None and seen <= target:
                return f"budget.{key}={target:g} reached: {column} {seen:.6g}"
        return None

    def left(self, spent: Mapping[str, Any]) -> float | None:
        """Return the seconds until a limit is reached at the pace so far; None if that is unknown."""
        seconds = spent["wall_seconds"]
        left = [
            seconds * (limit / spent[column] - 1.0) for _, column, limit in self.limits() if spent[column]
        ]
        return min(left, default=None)


@dataclass(frozen=True)
class ObserveConfig:
    """Checkpoints per factor of ten, or how far apart, and whether they evaluate the training examples."""

    points: int = _key(
        10,
        "Checkpoints per factor of ten of budget.counter. Ten give a smooth curve on a logarithmic axis.",
        min=1,
        max=1000,
    )
    every: int | None = _key(
        None,
        "Distance of checkpoints by budget.counter, at multiples of it, in place of points; the papers that"
        " check an error ten times per epoch need it. null: by points.",
        later=True,
        min=1,
    )
    train: bool = _key(
        True,
        "Whether checkpoints have the objective, the training error and the gap. false: test and validation"
        " errors only, for one pass over millions of examples, where evaluating all of them takes longer "
        "than training.",
        later=True,
    )


@dataclass(frozen=True)
class ValidateConfig:
    """k-fold cross-validation over the training examples."""

    folds: int = field(
        metadata={
            "help": "Number of stratified folds of the training examples for cross-validation: each fold is "
            "predicted by an additional fit on the others, with the same budget. The fraction of "
            "mistakes is the validation_error of the run. null: no folds.",
            "given": int | None,
            "min": 2,
        }
    )
    seed: int = _key(
        0,
        "Seed of the folds. The folds are the same for all settings, so that their errors can be compared.",
        min=0,
    )
    warm: bool = _key(
        False,
        "Train on all examples first, and begin the fit of each fold at that answer instead of at 0. This "
        "takes fewer evaluations to the same optima. Only for solvers that can begin at a given point; "
        "svmbench tune turns it on for them.",
        later=True,
    )


@dataclass(frozen=True)
class DataConfig:
    """Where data are downloaded from and stored."""

    mirror: str | None = _key(
        None,
        "Folder with copies of the published files, tried before the network. null: $SVMBENCH_MIRROR, if "
        "that is set.",
    )
    dir: str | None = _key(
        None,
        "Folder of the downloaded and prepared data. null: $SVMBENCH_DATA, else datasets/ of a source "
        "checkout, else the user's cache folder.",
    )


@dataclass(frozen=True)
class RunConfig:
    """Configuration of one run, with values of their final types.

    Attributes
    ----------
    solver, dataset, kernel : Choice
        The method, the examples, the kernel.
    features : Choice or None
        The feature map. None: a kernel solver uses the kernel, a linear solver the data.
    problem, budget, observe, data
        The sections of these names.
    validate : ValidateConfig or None
        The cross-validation, if any.

    The other keys are explained by the help of their fields.
    """

    solver: Choice
    dataset: Choice = field(metadata={"role": "problem"})
    kernel: Choice = field(metadata={"role": "problem"})
    features: Choice | None = field(default=None, metadata={"role": "problem", "later": True})
    problem: ProblemConfig = field(default=ProblemConfig(), metadata={"role": "problem"})
    budget: BudgetConfig = BudgetConfig()
    observe: ObserveConfig = ObserveConfig()
    validate: ValidateConfig | None = field(default=None, metadata={"later": True})
    subset: int | None = _key(
        None,
        "Train on this number of training examples, drawn at random by the seed; validation and test sets "
        "are unchanged. n, lam and C are those of the subset. null: train on all.",
        "problem",
        later=True,
        min=2,
    )
    start: str | None = _key(
        None,
        "Begin at the coefficients of a stored run (its name) on the same examples, clipped to the bounds "
        "of this problem, instead of at 0; only for dcd, decomposition, smo and smo_pair. The stored run "
        "may have another C, gamma or solver.",
        later=True,
    )
    seed: int = _key(
        0, "Seed of the solver's random choices. Repetitions of an experiment use 0, 1, 2, ...", min=0
    )
    threads: int = _key(
        1,
        "Threads of a run, for kernel values and in numerical libraries. One, as in the papers, so that "
        "times can be compared.",
        min=1,
    )
    prefetch: bool = _key(
        True,
        "Compute kernel rows that a solver will probably need in blocks, if this is faster. It changes "
        "neither results nor the counts under A, B and C, only the evaluations actually made (kev_computed,"
        " inner_products). It is off if the budget counts one of these two.",
        "place",
    )
    results: str = _key(
        "results", "Folder of the stored runs, relative to the current one; any writable path.", "place"
    )
    precision: str = _key(
        "auto",
        "Precision in which kernel values are computed before they are rounded to single precision. auto: "
        "double if single precision would cause errors above 1e-6.",
        "problem",
        later=True,
        choices=("auto", "single", "double"),
    )
    data: DataConfig = field(default=DataConfig(), metadata={"role": "place"})
    force: bool = _key(
        False,
        "Run again although an identical run is stored, and replace it. Off, so that no work is done twice.",
        "place",
    )

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> RunConfig:
        """Return the configuration of a document, which may be by an older or newer version.

        Raises
        ------
        KeyError, TypeError
            For a key that is missing or has a value of another type.
        """
        return _read(cls, document)

    def document(self) -> Document:
        """Return the configuration as in JSON and run.json; the format is stable across versions."""
        return _document(self)

    def kernel_document(self) -> KernelDocument:
        """Return the name and the parameters of the kernel."""
        return self.kernel.document()

    def loading(self) -> dict[str, Any]:
        """Return the data set and its places, as `svmbench.data.load` and `check` receive them."""
        return {"dataset": self.dataset.document(), "mirror": self.data.mirror, "directory": self.data.dir}

    def identity(self) -> Document:
        """Return the part of the document that can affect a result."""
        return relevant(self.document())


def role(key: str) -> Role:
    """Return the role of a dotted key; an unknown key has the role of its section."""
    return _ROLES.get(key) or _ROLES.get(key.partition(".")[0], "method")


def relevant(document: Mapping[str, Any], unimportant: Role = "place") -> Document:
    """Return a document, possibly of another version, without the keys of a role."""
    found = {key: dict(value) if isinstance(value, Mapping) else value for key, value in document.items()}
    for key in (key for key, role in _ROLES.items() if role == unimportant):
        section, _, last = key.rpartition(".")
        (found.get(section, {}) if section else found).pop(last, None)
    return found


def flatten(document: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return a nested document as one level with dotted keys."""
    flat: dict[str, Any] = {}
    for key, value in document.items():
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat


def _types(kind: type) -> list[tuple[Field[Any], tuple[type, ...]]]:
    """Return the fields of a section, each with the types allowed for its value."""
    hints = typing.get_type_hints(kind)
    return [(item, typing.get_args(hints[item.name]) or (hints[item.name],)) for item in fields(kind)]


_FIELDS: dict[type, list[tuple[Field[Any], tuple[type, ...]]]] = {
    kind: _types(kind)
    for kind in (RunConfig, ProblemConfig, BudgetConfig, ObserveConfig, ValidateConfig, DataConfig)
}
#: Sections of group options, sections with fixed keys, and keys outside any section.
CHOICES = tuple(item.name for item, kinds in _FIELDS[RunConfig] if kinds[0] is Choice)
SECTIONS = {item.name: kinds[0] for item, kinds in _FIELDS[RunConfig] if kinds[0] in _FIELDS}
TOP = tuple(item.name for item, _ in _FIELDS[RunConfig] if item.name not in (*CHOICES, *SECTIONS))

_ROLES: dict[str, Role] = {item.name: item.metadata.get("role", "method") for item in fields(RunConfig)}
_ROLES |= {
    f"{section}.{item.name}": item.metadata.get("role", "method")
    for section, kind in SECTIONS.items()
    for item in fields(kind)
    if _ROLES[section] == "method"
}
_ROLES["dataset.suggested"] = "place"  # in runs stored by older versions


def _read(kind: type[_Section], document: Mapping[str, Any]) -> _Section:
    given = {item.name: kinds for item, kinds in _FIELDS[kind] if item.name in document}
    return kind(**{name: _value(name, document[name], kinds) for name, kinds in given.items()})


def _value(name: str, value: Any, kinds: tuple[type, ...]) -> Any:
    """Return a value of a document if it has one of the types, or raise a TypeError."""
    if isinstance(value, Mapping) and kinds[0] is Choice:
        called = value["name"]
        if isinstance(called, str):
            return Choice(called, {key: inner for key, inner in value.items() if key != "name"})
    elif isinstance(value, Mapping) and kinds[0] in _FIELDS:
        return _read(kinds[0], value)
    elif type(value) in kinds or (type(value) is int and float in kinds):
        return value
    raise Damage(f"{kind_of(value)} in place of {name}")


def _document(section: Any) -> Document:
    found = {}
    for item in fields(section):
        value = getattr(section, item.name)
        if not (item.metadata.get("later") and value == item.default):
            inner = _document(value) if type(value) in _FIELDS else value
            found[item.name] = value.document() if isinstance(value, Choice) else inner
    return found


#: Words that Hydra's grammar of overrides does not read as text.
_OTHER_WORDS = ("null", "true", "false", "nan", "inf")


def quoted(text: str) -> str:
    """Return text in quotes, as Hydra's grammar of overrides reads it."""
    # Backslashes before a quote would escape it, so they are doubled.
    doubled = re.sub(r"(\\+)(?='|\Z)", r"\1\1", text)
    return "'" + doubled.replace("'", r"\'") + "'"


def written(value: Any) -> str:
    """Return a value in Hydra's grammar of overrides."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | os.PathLike):
        text = os.fspath(value)
        bare = text.isascii() and text.isidentifier()
        return text if bare and text.lower() not in _OTHER_WORDS else quoted(text)
    if isinstance(value, list | tuple):
        return f"[{','.join(map(written, value))}]"
    return repr(value.item() if hasattr(value, "item") else value)
