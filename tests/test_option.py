"""Fields of parameter dataclasses."""

from dataclasses import dataclass, fields

from svmbench.option import option


@dataclass(frozen=True)
class Params:
    k: int = option(3, "Neighbours.", min=1)
    words: list[str] = option(["a"], "Words.", later=True)


def test_a_field_has_its_default_and_its_metadata():
    assert Params() == Params(3, ["a"])
    assert [dict(item.metadata) for item in fields(Params)] == [
        {"help": "Neighbours.", "min": 1},
        {"help": "Words.", "later": True},
    ]


def test_instances_share_no_list():
    Params().words.append("b")
    assert Params().words == ["a"]
