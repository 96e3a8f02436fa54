"""Check of a store, including whether the plans of its sweeps can be resumed."""

from __future__ import annotations

from collections.abc import Iterator

from svmbench.errors import UserError
from svmbench.store import Store
from svmbench.store.check import Finding, check_store
from svmbench.sweep.record import Record


def check_all(store: Store) -> Iterator[Finding]:
    """Check a store; a plan that ``status`` and ``resume`` refuse is damaged, whatever its digest."""
    for finding in check_store(store):
        if finding.kind == "plan" and finding.state in ("ok", "unchecked"):
            try:
                Record(finding.path.parent).plan()
            except UserError as error:
                yield Finding(finding.path.parent, "damaged", str(error), kind="sweep")
                continue
        yield finding
