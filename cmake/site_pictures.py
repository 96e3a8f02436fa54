"""A hook of MkDocs: committed pictures that pages show, by `../results/...`, become files of the site."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

_ROOT = Path(__file__).parent.parent
_PICTURE = re.compile(r"\]\(\.\./(results/reference/[^)\s]+\.png)\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pictures that any page shows."""
    shown = {
        name
        for page in files.documentation_pages()
        if page.src_uri.endswith(".md")
        for name in _PICTURE.findall(page.content_string)
    }
    for name in sorted(shown):
        files.append(File.generated(config, name, abs_src_path=str(_ROOT / name)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Let the pictures be found from the root of the site."""
    return _PICTURE.sub(r"](\1)", markdown)
