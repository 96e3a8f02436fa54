"""Reuters-21578 text with the ModApte split, one topic against the rest, and our own TF-IDF features."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from svmbench.data.dataset import Part, Prepared
from svmbench.data.parameters import suggested
from svmbench.data.raw import RawFiles
from svmbench.data.sets._text import tf_idf, tokens
from svmbench.errors import UserError, nearest
from svmbench.option import option

VERSION = 1

_DOCUMENT = re.compile(r'<REUTERS TOPICS="(\w+)" LEWISSPLIT="([\w-]+)"[^>]*>(.*?)</REUTERS>', re.DOTALL)
_TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
_WORD = re.compile(r"<D>(.*?)</D>")
_TEXT = re.compile(r"<(TITLE|BODY)>(.*?)</\1>", re.DOTALL)


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=reuters_text``."""

    topic: str = option(
        "money-fx",
        "Topic of the positive class, any of the 90 with training and test stories. money-fx, as in the "
        "papers.",
    )


SUGGESTED = suggested(
    1.0,
    1.0,
    "sigma² = 0.5, as for the papers' vectors (dataset=reuters)",
    "lam = 1/n, as for the papers' vectors",
)


@dataclass(frozen=True)
class Document:
    """One story."""

    topics: frozenset[str]
    text: str


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Split as ModApte, keep the training stories of usable topics, and make features.

    Training stories have ``LEWISSPLIT="TRAIN"``, ``TOPICS="YES"`` and at least one of the 90 topics that
    occur in both training and test stories. Test stories are all those with ``LEWISSPLIT="TEST"``,
    ``TOPICS="YES"``.
    """
    stories = mod_apte(raw.members("texts").values())
    usable = topics_of(stories["TRAIN"]) & topics_of(stories["TEST"])
    stories["TRAIN"] = [story for story in stories["TRAIN"] if story.topics & usable]
    _check(raw, stories)
    if params.topic not in usable:
        hint = nearest(params.topic, usable) or ";"
        raise UserError(
            f"dataset.topic={params.topic} is not a topic with training and test stories{hint} "
            "for example money-fx, earn, acq or crude"
        )
    train, test = ([tokens(story.text) for story in stories[key]] for key in ("TRAIN", "TEST"))
    X_train, X_test = tf_idf(train, test)
    y = {
        key: np.array([1.0 if params.topic in story.topics else -1.0 for story in stories[key]])
        for key in stories
    }
    parts = {"train": Part(X_train, y["TRAIN"]), "test": Part(X_test, y["TEST"])}
    return Prepared(parts, "TF-IDF of title and body, rows of length 1")


def mod_apte(files: Iterable[bytes]) -> dict[str, list[Document]]:
    """Return the stories with ``TOPICS="YES"`` by their ``LEWISSPLIT``, TRAIN or TEST."""
    stories: dict[str, list[Document]] = {"TRAIN": [], "TEST": []}
    for content in files:
        for has_topics, split, inside in _DOCUMENT.findall(content.decode("latin-1")):
            if has_topics == "YES" and split in stories:
                words = _TOPICS.search(inside)
                topics = frozenset(_WORD.findall(words[1])) if words else frozenset()
                text = "\n".join(part for _, part in _TEXT.findall(inside))
                stories[split].append(Document(topics, html.unescape(text)))
    return stories


def topics_of(stories: list[Document]) -> set[str]:
    """Return all topics that occur."""
    return set().union(*(story.topics for story in stories))


def _check(raw: RawFiles, stories: dict[str, list[Document]]) -> None:
    for key, want in (("TRAIN", raw.entry.rows["train"]), ("TEST", raw.entry.rows["test"])):
        if len(stories[key]) != want:
            raise UserError(
                f"the Reuters-21578 archive has {len(stories[key])} {key} stories but the catalogue "
                f"says {want}: it is not the published one"
            )
    counts = Counter(topic for story in stories["TRAIN"] for topic in story.topics)
    for topic, want in raw.entry.files["texts"].classes.items():
        if counts[topic] != want:
            raise UserError(
                f"the Reuters-21578 archive has {counts[topic]} training stories of {topic} but the "
                f"catalogue says {want}: it is not the published one"
            )
