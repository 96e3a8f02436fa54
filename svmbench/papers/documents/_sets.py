"""Data sets and words that several documents share."""

from __future__ import annotations

from svmbench.papers.runs import Panel

#: The source of questions after those of Horn and others.
HORN = (
    "our own comparison, after Horn and others: A comparative study on large scale kernelized support vector "
    "machines, 2018")

#: Titles of panels that have a data set as it is, by its name.
_TITLES = {
    "adult": "Adult", "banana": "Banana", "ijcnn1": "IJCNN1", "letter": "Letter", "magic": "MAGIC",
    "mnist": "MNIST, 8 against rest", "rcv1_subset": "RCV1 subset", "reuters": "Reuters, money-fx",
    "skin": "Skin", "usps": "USPS, 0 against rest", "w8a": "w8a", "waveform": "Waveform"}


def on(names: str, overrides: str = "") -> list[Panel]:
    """Return a panel for each of some data sets, with overrides of its runs."""
    return [Panel(name, _TITLES[name], f"dataset={name} {overrides}".strip()) for name in names.split()]
