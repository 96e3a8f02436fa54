"""Kept binary problems come back as they were, or are a sentence."""

import dataclasses
import json

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.files import read_npz, sha256
from svmbench.store import kept_problems
from svmbench.store.kept_problems import KeptProblem
from svmbench.store.model import StoredModel
from svmbench.store.state import State, packed

MODEL = StoredModel({"name": "linear"}, "sum", 0.5, 7, indices=np.array([0, 3]), coefficients=np.ones(2))
ROWS = [{"iterations": 3, "relative_gap": 0.1}, {"iterations": 7, "relative_gap": None, "wall_seconds": 1e-9}]
ANSWERS = [{"test": np.array([True, False])}, {}]
ENDED = KeptProblem(2, ROWS, ANSWERS, ("budget", "enough"), MODEL, 1e-9)
OPEN = KeptProblem(3, ROWS, ANSWERS, state=State(8, 1.5, 1.25, {"kev_iter": 9}, {"alpha": np.arange(3.0)}))


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "runs" / "smo-clouds-0123456789ab.running"
    path.mkdir(parents=True)
    return path


def load(folder, number):
    return KeptProblem.load(folder / "problems" / f"{number}.part")


def found(folder, unusable=lambda path, error: pytest.fail(str(error))):
    return kept_problems.kept_problems(folder.parents[1], "smo-clouds-0123456789ab", unusable)


def test_a_problem_comes_back_as_it_was(folder):
    for one in (ENDED, OPEN):
        one.save(folder)
        again = load(folder, one.number)
        assert (again.rows, again.end, again.failure) == (one.rows, one.end, one.failure)
        assert [own.keys() for own in again.answers] == [{"test"}, set()]
        assert again.answers[0]["test"].dtype == bool and again.answers[0]["test"].tolist() == [True, False]
    assert load(folder, 2).model.coefficients.tolist() == [1.0, 1.0] and load(folder, 2).iterations == 7
    state = load(folder, 3).state
    assert state.spent == OPEN.state.spent and state.cpu == 1.25 and load(folder, 3).iterations == 8
    assert state.arrays["alpha"].tolist() == [0.0, 1.0, 2.0]


def test_of_two_folders_the_furthest_is_taken(folder):
    ended = folder.with_name(folder.name.removesuffix(".running"))
    ended.mkdir()
    ENDED.save(folder)
    OPEN.save(folder)
    dataclasses.replace(ENDED, number=3).save(ended)
    dataclasses.replace(OPEN, number=2).save(ended)
    kept = found(folder)
    assert {number: one.end is not None for number, one in kept.items()} == {2: True, 3: True}


def test_every_changed_byte_is_noticed(folder):
    ENDED.save(folder)
    path = folder / "problems" / "2.part"
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 16]) + whole[place + 1 :])
        with pytest.raises(UserError, match=r"2\.part is damaged"):
            KeptProblem.load(path)
    told = []
    assert found(folder, lambda path, error: told.append(path.name)) == {} and told == ["2.part"]


def reseal(path, change):
    """Change the document of a file, and give it the digest that it then has."""
    arrays = read_npz(path.read_bytes()[:-64])
    about = json.loads(str(arrays.pop("about")))
    change(about)
    content = packed({"about": np.array(json.dumps(about)), **arrays})
    path.write_bytes(content + sha256(content).encode())


@pytest.mark.parametrize(
    "change",
    [
        lambda about: about.update(run="smo-clouds-ba9876543210"),
        lambda about: about.update(number=1),
        lambda about: about.pop("rows"),
        lambda about: about.update(rows=[]),
        lambda about: about.update(end=[]),
        lambda about: about.pop("model"),
        lambda about: about.update(model={"kernel": 3}),
    ],
)
def test_what_is_not_of_the_run_or_no_problem_is_refused(folder, change):
    ENDED.save(folder)
    reseal(folder / "problems" / "2.part", change)
    with pytest.raises(UserError, match=r"2\.part is damaged"):
        load(folder, 2)


def test_what_another_version_wrote_is_left_alone(folder, monkeypatch):
    ENDED.save(folder)
    OPEN.save(folder)
    monkeypatch.setattr("svmbench.store.state.LAYOUT", 99)
    assert list(found(folder)) == [2]
    monkeypatch.setattr(kept_problems, "LAYOUT", 99)
    assert found(folder) == {}


def test_a_file_that_cannot_be_opened_is_a_sentence(folder):
    ENDED.save(folder)
    path = folder / "problems" / "2.part"
    path.unlink()
    path.symlink_to(path)
    with pytest.raises(UserError, match=r"2\.part cannot be read"):
        load(folder, 2)
