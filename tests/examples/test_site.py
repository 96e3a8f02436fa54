"""The site of the documentation: its pages are there, and their links lead to pages or committed pictures."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"


def pages(entry):
    if isinstance(entry, str):
        yield entry
    else:
        for inner in entry.values() if isinstance(entry, dict) else entry:
            yield from pages(inner)


def test_every_page_of_the_site_is_there():
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    named = list(pages(site["nav"]))
    assert len(named) == len(set(named)) > 15
    assert not [name for name in named if not (DOCS / name).is_file()]


def test_links_lead_to_pages_or_pictures():
    broken = []
    for page in DOCS.glob("*.md"):
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if not target.startswith(("http://", "https://", "#")):
                file = (page.parent / target.partition("#")[0]).resolve()
                picture = file.suffix == ".png" and ROOT / "results" / "reference" in file.parents
                if not (DOCS in file.parents or picture) or not file.is_file():
                    broken.append(f"{page.name}: {target}")
    assert not broken
