"""The second half of ``svmbench run --help``: groups, options and keys."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from svmbench.config import folder, options


def text(overrides: Sequence[str], folders: Sequence[Path]) -> str:
    """Return the groups with their options, and the keys of the chosen options with their meaning."""
    chosen = dict(options.defaults())
    for override in overrides:
        group, _, option = override.partition("=")
        if group in folder.GROUPS and option in folder.options(group, folders):
            chosen[group] = option
    lines = ["options of each group (* chosen; give another before --help to see its keys):"]
    for group in folder.groups(folders):
        names = [f"*{name}" if chosen.get(group) == name else name for name in folder.options(group, folders)]
        lead = f"  {group}=" if group in folder.GROUPS else f"  +{group}="
        lines += textwrap.wrap(" ".join(names), 96, initial_indent=f"{lead:<12}", subsequent_indent=" " * 12)
    lines += ["", "keys and their values now:"]
    for key in options.keys(chosen, folders):
        lines.append(f"  {key.name}={key.default}" + (f"   ({key.allowed})" if key.allowed else ""))
        lines += textwrap.wrap(key.comment, 96, initial_indent="      ", subsequent_indent="      ")
    return "\n".join(lines)
