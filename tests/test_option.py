"""Checking single values against types and ranges."""

from dataclasses import dataclass, field, fields
from typing import Literal

import pytest

from svmbench.errors import UserError
from svmbench.option import check_section, check_value, option


@pytest.mark.parametrize(
    ("value", "hint", "limits", "expected"),
    [
        (3, int, {}, 3),
        (3.0, int, {}, 3),
        (3, float, {}, 3.0),
        (8, int | float | str, {}, 8),
        (0.5, int | float | str, {}, 0.5),
        ("auto", float | str, {"choices": ("auto",), "min": 0}, "auto"),
        (0, float | str, {"choices": ("auto",), "min": 0}, 0.0),
        (None, float | None, {"above": 0}, None),
        (True, bool, {}, True),
        ([1, 2], list[int], {}, [1, 2]),
        ("a", Literal["a", "b"], {}, "a"),
    ],
)
def test_allowed(value, hint, limits, expected):
    result = check_value("key", value, hint, limits)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("value", "hint", "limits", "wanted"),
    [
        (True, int, {}, "a whole number"),
        (1, bool, {}, "true or false"),
        (1.5, int, {"min": 0}, "a whole number of at least 0"),
        (float("nan"), float, {}, "a number"),
        (float("inf"), float, {"above": 0}, "a number above 0"),
        pytest.param(10**400, int, {"min": 0}, "a whole number of at least 0", id="huge"),
        pytest.param(10**400, float, {}, "a number", id="huge-float"),
        (0, float, {"above": 0}, "a number above 0"),
        (-1, float | None, {"min": 0}, "a number of at least 0, or null"),
        (2, float, {"min": 0, "max": 1}, "a number from 0 to 1"),
        (9, int, {"max": 7}, "a whole number of at most 7"),
        ("word", float | str, {"choices": ("auto",), "min": 0}, "a number of at least 0, or auto"),
        ("x", str, {"choices": ("a", "b")}, "one of a, b"),
        ("c", Literal["a", "b"], {}, "one of a, b"),
        (3, str, {}, "text, a number in quotes"),
        (["x"], list[int], {}, "a list [A,B,...] of whole numbers"),
        ([1.0, 0], list[float], {"above": 0}, "a list [A,B,...] of numbers above 0"),
        (None, int, {}, "a whole number"),
    ],
)
def test_refused(value, hint, limits, wanted):
    with pytest.raises(UserError) as error:
        check_value("key", value, hint, limits)
    assert str(error.value).startswith("key=")
    assert str(error.value).endswith(f" is not allowed: give {wanted}")


@dataclass(frozen=True)
class Sample:
    size: int
    word: str = field(default="a", metadata={"choices": ("a", "b")})


def test_a_section_is_whole_and_in_order():
    assert list(check_section("s.", {"size": 2}, Sample).items()) == [("size", 2), ("word", "a")]


def test_a_missing_key_is_named():
    with pytest.raises(UserError, match=r"^s.size is missing: give s.size=VALUE$"):
        check_section("s.", {}, Sample)


def test_an_unknown_key_gets_the_nearest():
    with pytest.raises(UserError, match=r"^unknown key s.wrod; did you mean 's.word'\? \(keys: s.size"):
        check_section("s.", {"size": 1, "wrod": "a"}, Sample)


def test_a_word_near_an_allowed_one_is_told():
    with pytest.raises(UserError, match=r"^key=auot is not allowed; did you mean 'auto'\? give a number"):
        check_value("key", "auot", float | str, {"choices": ("auto",)})


@dataclass(frozen=True)
class Options:
    k: int = option(3, "Neighbours.", min=1)
    words: list[str] = option(["a"], "Words.", later=True)


def test_a_field_has_its_default_and_its_metadata():
    assert Options() == Options(3, ["a"])
    assert [dict(item.metadata) for item in fields(Options)] == [
        {"help": "Neighbours.", "min": 1},
        {"help": "Words.", "later": True},
    ]


def test_instances_share_no_list():
    Options().words.append("b")
    assert Options().words == ["a"]
