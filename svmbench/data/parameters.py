"""Parameter fields shared by several sets, parameters of the user's own data, and sets of digits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from svmbench.data.catalogue import label_key
from svmbench.errors import UserError, nearest

#: Largest number of rows: row numbers have 32 bits.
_MOST_ROWS = 2**31 - 1

#: Task that keeps all classes of a set (`svmbench.data.catalogue.multiclass`), and the labels of the digits.
EVERY = "all"
DIGITS = tuple("0123456789")


def one_of(default: str, *others: str) -> Any:
    """Return a text field with allowed words."""
    return field(default=default, metadata={"choices": (default, *others)})


def later(default: str, *others: str) -> Any:
    """Return a text field that was added after runs had been stored, so identities omit its default."""
    return field(default=default, metadata={"choices": (default, *others), "later": True})


def whole(default: int, low: int, high: int | None = None) -> Any:
    """Return an integer field with a range."""
    return real(default, low, high)


def real(default: float, low: float, high: float | None = None) -> Any:
    """Return a field of a real number with a range."""
    return field(default=default, metadata={"min": low} | ({} if high is None else {"max": high}))


class Checked:
    """Base of parameter dataclasses that rejects values outside their limits."""

    def __post_init__(self) -> None:
        check(self)


class Digits(Checked):
    """Base of parameter dataclasses with positive digits as ``task``, stored in their canonical form."""

    task: int | str | list[int]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "task", digits(self.task))


@dataclass(frozen=True)
class FileParams(Checked):
    """Parameters of ``dataset=file``."""

    path: str | None = field(default=None, metadata={"place": True})
    test_path: str | None = field(default=None, metadata={"place": True})
    test_fraction: float = real(0.2, 0, 0.9)
    split_seed: int = whole(0, 0)
    format: str = one_of("auto", "libsvm", "csv")
    positive: int | float | str | None = None
    scaling: str = one_of("none", "minmax", "standard", "unit")
    features: int | None = field(default=None, metadata={"min": 1})
    label_column: int | str = "last"
    delimiter: str = one_of("auto", ",", ";", "tab", "space", "|")
    header: bool | None = None
    missing: str = later("refuse", "median", "drop")
    encode: str = later("none", "onehot")
    task: str = later("binary", EVERY)
    drop: int | str | list[int | str] | None = field(default=None, metadata={"later": True})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.positive is not None:
            object.__setattr__(self, "positive", label_key(str(self.positive)))

    @property
    def framed(self) -> bool:
        """Whether values may be missing or text, or columns left out, so that files are read as frames."""
        return self.missing != "refuse" or self.encode != "none" or self.drop is not None

    @property
    def dropped(self) -> list[str]:
        """Names or numbers, from 1, of the columns that are left out."""
        names = self.drop if isinstance(self.drop, list | tuple) else [self.drop]
        return [str(name) for name in names if name is not None]


def check(params: Any) -> None:
    """Refuse values outside the ``choices``, ``min`` and ``max`` of a parameter dataclass."""
    for name, item in type(params).__dataclass_fields__.items():
        value, limits = getattr(params, name), item.metadata
        choices = limits.get("choices")
        if choices is not None and value not in choices:
            raise UserError(
                f"dataset.{name}={value} is not allowed{nearest(str(value), choices) or ':'} "
                f"give one of {', '.join(choices)}"
            )
        low, high = limits.get("min"), limits.get("max")
        if name.startswith("n_") and value is not None and value > _MOST_ROWS:
            raise UserError(f"dataset.{name}={value} is not allowed: give a number of at most {_MOST_ROWS}")
        if value is not None and ((low is not None and value < low) or (high is not None and value > high)):
            wanted = f"of at least {low}" if high is None else f"from {low} to {high}"
            raise UserError(f"dataset.{name}={value} is not allowed: give a number {wanted}")


def digits(task: int | str | list[int]) -> str:
    """Return the canonical text of a set of positive digits.

    Parameters
    ----------
    task : int, str or list of int
        One digit (``8``), a range (``0-4``), a list (``[0, 1, 2]`` or ``0,1,2``), or `EVERY` if each digit is
        a separate class.

    Returns
    -------
    str
        Digits in ascending order, three or more consecutive ones as a range: ``8``, ``0-4``, ``1,3,5-9``.
    """
    if task == EVERY:
        return EVERY
    wanted = _digit_set(task)
    if wanted is None or not 0 < len(wanted) < 10:
        raise UserError(
            f"dataset.task={task} is not allowed: give the positive digits, as one digit (8), a range (0-4) "
            "or a list ([0,1,2]), but not all ten"
        )
    runs: list[list[int]] = []
    for digit in sorted(wanted):
        if runs and runs[-1][-1] == digit - 1:
            runs[-1].append(digit)
        else:
            runs.append([digit])
    words = [[f"{run[0]}-{run[-1]}"] if len(run) > 2 else list(map(str, run)) for run in runs]
    return ",".join(word for run in words for word in run)


def digit_set(canonical: str) -> set[int]:
    """Return the digits of a canonical text."""
    return _digit_set(canonical) or set()


def _digit_set(task: int | str | list[int]) -> set[int] | None:
    """Return the digits, or None if the text is not a set of digits."""
    wanted: set[int] = set()
    for word in task if isinstance(task, list | tuple) else str(task).split(","):
        first, _, last = str(word).strip().partition("-")
        last = last or first
        if not (len(first) == len(last) == 1 and f"{first}{last}".isascii() and f"{first}{last}".isdigit()):
            return None
        wanted |= set(range(int(first), int(last) + 1))
    return wanted
