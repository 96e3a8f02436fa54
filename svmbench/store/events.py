"""Events of a sweep: lines of JSON that say when a job began and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def is_event(event: Mapping[str, Any]) -> bool:
    """Return whether a record is a valid event; those of older versions have no digest."""
    if type(event.get("job")) is not int or not is_number(event.get("time")):
        return False
    if event.get("event") != "ended":
        return event.get("event") == "began"
    numbers, run = event.get("numbers"), event.get("run", "")
    return (
        all(isinstance(event.get(key), str) for key in ("state", "reason"))
        and is_number(event.get("seconds"))
        and isinstance(numbers, dict)
        and all(value is None or is_number(value) for value in numbers.values())
        and (run is None or (isinstance(run, str) and "run" in event))
    )


def is_number(value: object) -> bool:
    """Return whether a value is a number of usual size; JSON also has 10^400."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
