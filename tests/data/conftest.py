"""Small files in place of the real ones: in the raw format of a set, and of one's own."""

import dataclasses
from pathlib import Path

import pytest

from svmbench.data import Dataset, catalogue, load
from svmbench.data.unpack import sha256
from svmbench.errors import UserError

LIBSVM = b"1 1:0.5 3:2\n-1 2:1\n1 1:1\n-1 3:0.25\n1 2:3\n"
CSV = b"a,b,class\n0.5,1,1\n2,3,0\n4,5,1\n6,7,0\n8,9,1\n"


class Small:
    """Stands for the real catalogue: same sets, but small files in a mirror folder, with their own counts."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.mirror, self.data = folder / "mirror", folder / "data"
        self.mirror.mkdir()
        self.entries: dict[str, catalogue.Entry] = {}
        real = catalogue.entry
        monkeypatch.setattr(catalogue, "entry", lambda name: self.entries.get(name) or real(name))

    def put(self, name: str, contents: dict[str, bytes], **changes: object) -> None:
        """Give a set's files this content, with matching checksums and without counts."""
        entry = catalogue.entry(name)
        files = {}
        for key, content in contents.items():
            form = entry.files[key].forms[0]
            (self.mirror / form.name).write_bytes(content)
            form = catalogue.Form(form.name, {form.name: sha256(content)})
            files[key] = catalogue.RawFile(entry.files[key].folder, (form,))
        self.entries[name] = dataclasses.replace(entry, files=files, **changes)

    def counts(self, name: str, key: str, **changes: object) -> None:
        """Change what the catalogue says of one file."""
        entry = self.entries[name]
        files = entry.files | {key: dataclasses.replace(entry.files[key], **changes)}
        self.entries[name] = dataclasses.replace(entry, files=files)

    def load(self, name: str, lines: list[str] | None = None, **params: object) -> Dataset:
        say = lines.append if lines is not None else lambda line: None
        return load({"name": name, **params}, mirror=str(self.mirror), directory=str(self.data), say=say)


@pytest.fixture
def small(tmp_path, monkeypatch):
    return Small(tmp_path, monkeypatch)


def put_adult(small: Small) -> None:
    test = b"".join(b"-1 1:1\n" if k % 3 else b"+1 3:1 \n" for k in range(9))
    small.put("adult", {"train": b"-1 3:1 11:1 \n+1 5:1\n", "test": test})


@pytest.fixture
def write(tmp_path):
    def to(content: bytes, name: str = "mine.txt") -> str:
        (tmp_path / name).write_bytes(content)
        return str(tmp_path / name)

    return to


def get(path: str | None, lines: list[str] | None = None, **params: object) -> Dataset:
    say = lines.append if lines is not None else lambda line: None
    return load({"name": "file", "path": path, **params}, directory="/nonexistent", say=say)


def fault(path: str | None, **params: object) -> str:
    with pytest.raises(UserError) as caught:
        get(path, **params)
    return str(caught.value)
