"""The tutorials, command by command, as a reader types them in an empty folder after `make demo`."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from svmbench.cli.main import main
from svmbench.sweep.planning import make
from tests.told import output

ROOT = Path(__file__).resolve().parents[2]

#: A block of indented lines; a command, and the output that a page shows below it.
_BLOCK = re.compile(r"(?:^    [^\n]*\n)+", re.MULTILINE)


def commands(page: str) -> list[tuple[list[str], str]]:
    """Return the words of each command of svmbench on a page, and the output that is shown, if any."""
    found: list[tuple[list[str], str]] = []
    for block in _BLOCK.findall((ROOT / page).read_text()):
        for line in re.sub(r"\\\n\s*", " ", re.sub("^    ", "", block, flags=re.MULTILINE)).splitlines():
            if line.removeprefix("$ ").startswith("svmbench "):
                found.append((shlex.split(line.removeprefix("$ "), comments=True)[1:], ""))
            elif found and block.startswith("    $ "):
                found[-1] = (found[-1][0], found[-1][1] + line + "\n")
    return found


def in_the_text(page: str) -> list[tuple[list[str], str]]:
    """Return the words of each command of svmbench within the sentences and tables of a page."""
    return [
        (shlex.split(words), "") for words in re.findall(r"`svmbench ([^`]+)`", (ROOT / page).read_text())
    ]


def matches(shown: str, printed: str) -> bool:
    """Return whether an output is what a page shows; three dots there stand for anything."""
    pattern = ".*".join(map(re.escape, shown.split("...")))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


@pytest.fixture
def heart(here):
    """The reader's own data, as the pages name them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)) * (1.0, 10.0, 100.0, 1.0, 1.0)
    y = np.where(X[:, 0] + 0.1 * X[:, 1] + 0.5 * rng.normal(size=200) > 0.0, 1, -1)
    rows = [",".join(f"{value:.4f}" for value in row) for row in X]
    (here / "heart.csv").write_text("".join(f"{row},{label}\n" for row, label in zip(rows, y, strict=True)))
    sparse = [" ".join(f"{k + 1}:{value:.4f}" for k, value in enumerate(row)) for row in X / X.std(axis=0)]
    for name in ("heart.svm", "mine.svm"):
        (here / name).write_text("".join(f"{label} {row}\n" for row, label in zip(sparse, y, strict=True)))
    return here


#: The README's commands.
README = [
    (["results" if word == "RUNS..." else word for word in words], shown)
    for words, shown in in_the_text("README.md")
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "fewest", "files"),
    [
        ("docs/first-hour.md", 9, ["first.png", "first.txt", "time.png", "report.html"]),
        (
            "docs/three-solvers.md",
            9,
            ["heart.pdf", "heart.txt", "heart-p.pdf", "heart-t.pdf", "heart.html", "heart.zip"],
        ),
        ("docs/tuning.md", 4, ["grid.png"]),
    ],
)
def test_the_commands_of_a_tutorial_do_what_the_page_says(heart, capfd, page, fewest, files):
    pytest.importorskip("vl_convert")
    assert main(["run"]) == 0  # `make demo`
    listed = commands(page)
    assert len(listed) >= fewest
    if page == "docs/first-hour.md":  # on whose runs the README's commands go on
        listed += README
    for words, shown in listed:
        if "dataset=adult" in words:
            continue  # it is downloaded
        capfd.readouterr()
        code = main(words)
        out, error = capfd.readouterr()
        assert code == (2 if "svmbench: unknown" in shown else 0), (words, error)
        if shown:
            assert matches(shown, out + error), (words, out + error)
    for name in files:
        assert (heart / name).stat().st_size > 0, name


def test_the_readme_names_its_commands():
    assert len(README) >= 7


def test_the_sweep_on_a_cluster_is_what_the_page_says(here, monkeypatch):
    """It is planned as the command is typed; `python -m tests.cluster` runs sweeps on clusters."""
    monkeypatch.setattr("svmbench.sweep.planning.cores", lambda: 1)
    (words, _), (on_ray, _), (options, _) = commands("docs/cluster.md")
    assert words[:2] == on_ray[:2] == ["run", "-m"] and options[0] == "plan"
    assert make(options[1:]).options["launcher"]["options"] == {"nice": 100, "contiguous": True}
    plan = make(words[2:])
    assert len(plan.jobs) == 40 and not plan.duplicates and not plan.impossible
    launcher = plan.options["launcher"]
    assert (launcher["name"], launcher["partition"], launcher["minutes"]) == ("slurm", "cpu", 120)
    assert make(on_ray[2:]).options["launcher"]["address"] == "HOST:6379"


@pytest.mark.pictures
def test_the_readme_shows_what_the_demo_prints(here, capsys):
    shown = (ROOT / "README.md").read_text().partition("`make demo` prints")[2].split("```")[1]
    printed = re.sub(re.escape(str(here)) + "/", "", output(capsys, ["run"]))
    assert matches(shown.strip(), printed[printed.index("sbp on checkerboard") :].strip())
