"""Parameter fields shared by several sets, parameters of the user's own data, and sets of digits."""

from __future__ import annotations

from dataclasses import dataclass, make_dataclass

from svmbench.data.catalogue import label_key
from svmbench.errors import UserError
from svmbench.option import option

#: Task that keeps all classes of a set (`svmbench.data.catalogue.multiclass`), and the labels of the digits.
EVERY = "all"
DIGITS = tuple("0123456789")


def rows(default: int, meaning: str, least: int = 0) -> int:
    """Return the field of a number of examples; row numbers have 32 bits."""
    return option(default, meaning, min=least, max=2 * 10**9)


def split_seed() -> int:
    """Return the field of the seed of a set's random splits."""
    return option(0, "Seed of random splits; no effect on other splits.", min=0)


def drawn_seed() -> int:
    """Return the field of the seed of a generated set."""
    return option(0, "Seed of the drawn examples. Training and test examples are independent.", min=0)


def digits_help(default: str) -> str:
    """Return the meaning of ``task`` of a set of digits, with the reason for its default."""
    return (
        "Digits of the positive class: one (8), a range (0-4) or a list ([0,1,2]); all others are negative. "
        f"{default} all: each digit is a class, for problem.multiclass, which sets it."
    )


def suggested(gamma: float | None, C: float | None, width: str, weight: str | None = None) -> type:
    """Return the schema of ``dataset.suggested`` of a set, for its default split and scaling.

    Parameters
    ----------
    gamma, C : float or None
        Values of ``kernel.gamma`` and ``problem.C`` if they are not given.
    width, weight : str
        Sources of the two values; one source if they have the same.
    """
    fields = {
        "gamma": option(gamma, f"Inverse squared width 1/(2 sigma²): {width}.", above=0),
        "C": option(C, f"C = 1/(lam n): {weight or width}.", above=0),
    }
    return make_dataclass("Suggested", [(name, float | None, item) for name, item in fields.items()])


class Digits:
    """Base of parameter dataclasses with positive digits as ``task``, stored in their canonical form."""

    task: int | str | list[int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "task", digits(self.task))


@dataclass(frozen=True)
class FileParams:
    """Parameters of ``dataset=file``."""

    path: str | None = option(None, "The file. Required.", place=True)
    test_path: str | None = option(
        None,
        "A second file with the test examples, of the same format. null: test_fraction of the first file.",
        place=True,
    )
    test_fraction: float = option(
        0.2,
        "Share of the examples drawn at random for testing, 0 to 0.9, when there is no test_path; 0: no "
        "test set.",
        min=0,
        max=0.9,
    )
    split_seed: int = split_seed()
    format: str = option(
        "auto",
        "libsvm (lines 'label index:value ...'), csv (delimited numbers), or auto: by the first line.",
        choices=("auto", "libsvm", "csv"),
    )
    positive: int | float | str | None = option(
        None,
        "Label of the positive class, a number or text; all others are negative. null: the larger of two "
        "numbers. A sweep over several labels (-m dataset.positive=1,2,3) makes one run for each class "
        "against the rest.",
    )
    scaling: str = option(
        "none",
        "Scaling. none: values as in the file. minmax: each column to [0, 1]; in wide sparse data, each "
        "column is divided by its largest absolute value. standard: each column to mean 0 and standard "
        "deviation 1. unit: each example to length 1. Columns are scaled by parameters from the training "
        "examples.",
        choices=("none", "minmax", "standard", "unit"),
    )
    features: int | None = option(None, "Number of features. null: as many as the files have.", min=1)
    label_column: int | str = option(
        "last",
        "Column of the label in delimited text: first, last, a number from 1, or a name in the header.",
    )
    delimiter: str = option(
        "auto",
        "Delimiter: one of ',' ';' tab space '|', or auto: found from the first line.",
        choices=("auto", ",", ";", "tab", "space", "|"),
    )
    header: bool | None = option(
        None,
        "Whether the first line of delimited text has the names of the columns. null: yes, if none of its "
        "fields is a number; a line that may be either is refused.",
    )
    missing: str = option(
        "refuse",
        "Missing values in delimited text or dense arrays: empty, NA, N/A, NaN, null, none, ? or -. "
        "refuse: an error that names the first. median: replace by the median of the column in the "
        "training examples, or by the most frequent word of a text column. drop: leave out rows with a "
        "missing value, in the test set, too. Both leave out a column that is empty in every row.",
        choices=("refuse", "median", "drop"),
        later=True,
    )
    encode: str = option(
        "none",
        "Text columns in delimited text. none: an error that names the first. onehot: a column of 0 and 1 "
        "for each word of the training examples, after the numeric columns; a word of the test examples "
        "that does not occur there is 0 in all.",
        choices=("none", "onehot"),
        later=True,
    )
    task: str = option(
        "binary",
        "Classes. binary: positive against all others. all: each label is a class, for problem.multiclass,"
        " which sets it.",
        choices=("binary", EVERY),
        later=True,
    )
    drop: int | str | list[int | str] | None = option(
        None,
        "Columns of delimited text that are left out: one or a list, by names in the header or numbers "
        "from 1.",
        later=True,
    )

    def __post_init__(self) -> None:
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
