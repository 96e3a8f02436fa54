"""JSON on standard output."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any


def print_array(documents: Iterable[Mapping[str, Any]]) -> None:
    """Print documents as one array, each as soon as it is made: all at once could take gigabytes."""
    before = "["
    for document in documents:
        text = json.dumps(document, indent=2, allow_nan=False)
        print(before + "\n  " + text.replace("\n", "\n  "), end="")
        before = ","
    print("[]" if before == "[" else "\n]")
