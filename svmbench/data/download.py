"""Raw files from a mirror folder or the network: resumed, verified, and stored only when complete."""

from __future__ import annotations

import functools
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from svmbench.data.entries import Form, RawFile
from svmbench.data.folders import make_folder, unwritable
from svmbench.data.unpack import COMPRESSIONS, Corrupt, candidates, compression, is_archive, read
from svmbench.errors import UserError
from svmbench.locking import Lock

if TYPE_CHECKING:
    import requests  # takes 0.1 s, so it is imported only when needed: prepared data sets do not need it

Say = Callable[[str], None]
Getter = Callable[[Path, Say], bool]  # fills the partial file; returns whether several responses were joined

ATTEMPTS = 4  # connections to one address if they break off
TIMEOUT = (10.0, 60.0)  # seconds to connect, and between two pieces
PIECE = 1 << 14  # bytes; at most this many are lost when a connection breaks off
REPORT_EVERY = 2.0  # seconds between two progress messages


class SourceFailed(Exception):
    """A source could not provide the file; the message says why."""


def stored(file: RawFile, folder: Path) -> tuple[Path, Form] | None:
    """Return the stored file and its form, or None. Only verified files are stored."""
    for form in file.forms:
        for name in candidates(form):
            path = folder / "raw" / file.folder / name
            if path.is_file():
                return path, form
    return None


def obtain(file: RawFile, mirrors: list[Path], folder: Path, say: Say) -> tuple[Path, Form]:
    """Return the stored file; if it is missing, try the mirrors, then the addresses, in order.

    Raises
    ------
    UserError
        If no source provides it (one line for each), or the data folder is not writable.
    """
    found = stored(file, folder)
    if found is not None:
        return found
    home = make_folder(folder / "raw" / file.folder)
    try:
        name = file.forms[0].name
        lock = Lock.acquire(
            home / f".{name}.lock", lambda who: say(f"{name}: waiting for {who} to download it")
        )
        try:
            return stored(file, folder) or _fetch(file, mirrors, home, say)
        finally:
            lock.remove()
    except PermissionError as error:
        raise unwritable(home, error) from error


def _fetch(file: RawFile, mirrors: list[Path], home: Path, say: Say) -> tuple[Path, Form]:
    failures = []
    for place, form, get in _sources(file, mirrors):
        wrapped = is_archive(place.rsplit("/", 1)[-1]) and not is_archive(form.name)
        part = home / f".{form.name}{'.tar' if wrapped else ''}.part"
        try:
            _complete(get, part, form, Path(place).suffix, say)
            target = home / (part.name[1:].removesuffix(".part") + compression(part))
            os.replace(part, target)
        except SourceFailed as error:
            failures.append(f"  {place}: {error}")
        except OSError as error:
            raise unwritable(home, error) from error
        else:
            say(f"{target.name}: complete and verified")
            return target, form
        finally:
            part.unlink(missing_ok=True)
    raise UserError(_nothing_worked(file, mirrors, home, failures))


def _sources(file: RawFile, mirrors: list[Path]) -> Iterator[tuple[str, Form, Getter]]:
    """Yield name, form and getter of all sources, in order."""
    for mirror in mirrors:
        for form in file.forms:
            for name in candidates(form):
                for path in (mirror / file.folder / name, mirror / name):
                    if path.is_file():
                        yield str(path), form, functools.partial(_copy, path)
    for form in file.forms:
        for url in form.urls:
            yield url, form, functools.partial(_download, url)


def _complete(get: Getter, part: Path, form: Form, suffix: str, say: Say) -> None:
    """Fill the partial file and verify it; if it is wrong and was joined from pieces, start once more."""
    for _ in range(2):
        joined = get(part, say)
        try:
            if suffix in COMPRESSIONS and compression(part) != suffix:
                raise Corrupt(f"it is not compressed as its name ending in {suffix} says")
            read(part, form)
            return
        except Corrupt as error:
            part.unlink(missing_ok=True)
            if not joined:
                raise SourceFailed(f"wrong content, {error}") from error
    raise SourceFailed("wrong content, even when downloaded from the start")


def _copy(path: Path, part: Path, say: Say) -> bool:
    try:
        with path.open("rb") as source, part.open("wb") as target:
            shutil.copyfileobj(source, target, PIECE)
    except PermissionError as error:
        raise SourceFailed(error.strerror) from error
    return False


def _download(url: str, part: Path, say: Say) -> bool:
    """Fill the partial file from an address; return whether it was joined from more than one response."""
    import requests

    for attempt in range(1, ATTEMPTS + 1):
        received = False
        start = part.stat().st_size if part.exists() else 0
        # Without the first header, a server might compress the content, which would make offsets wrong.
        headers = {"Accept-Encoding": "identity", "User-Agent": "svmbench"}
        if start:
            headers["Range"] = f"bytes={start}-"
        try:
            with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
                if response.status_code == 416 and start:
                    return True  # what is there is complete, or belongs to another file
                if response.status_code not in (200, 206):
                    raise SourceFailed(f"HTTP {response.status_code} {response.reason}")
                received = True
                _receive(response, part, start if response.status_code == 206 else 0, say)
                return response.status_code == 206
        except requests.RequestException as error:
            if not received or attempt == ATTEMPTS:
                raise SourceFailed(_reason(error)) from error
            say(f"{url}: connection lost; resuming")
    raise AssertionError("the last attempt returns or raises")


def _receive(response: requests.Response, part: Path, start: int, say: Say) -> None:
    """Write the body of the response after the first ``start`` bytes of the partial file."""
    length = response.headers.get("Content-Length")
    total = f" of {(start + int(length)) / 1e6:.1f}" if length else ""
    name = part.name[1:].removesuffix(".part")
    done, told = start, time.monotonic()
    with part.open("ab" if start else "wb") as stream:
        for piece in response.iter_content(PIECE):
            stream.write(piece)
            done += len(piece)
            if time.monotonic() - told >= REPORT_EVERY:
                say(f"{name}: {done / 1e6:.1f}{total} MB")
                told = time.monotonic()


def _reason(error: requests.RequestException) -> str:
    """Return a short reason for a failed connection; the library's own messages are nested and long."""
    import requests

    if isinstance(error, requests.Timeout):
        return "no answer in time"
    if isinstance(error, requests.exceptions.SSLError):
        return "the certificate of the server is not trusted"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection broke off again and again"
    if isinstance(error, requests.exceptions.InvalidURL | requests.exceptions.InvalidSchema):
        return "not an address that can be used"
    return "no connection"


def _nothing_worked(file: RawFile, mirrors: list[Path], home: Path, failures: list[str]) -> str:
    """Return the message for a file that no source provided: what was tried, and what to do."""
    names = [form.name for form in file.forms]
    for mirror in mirrors:
        if not mirror.is_dir():
            failures.insert(0, f"  {mirror}: there is no such mirror folder")
        elif not any(line.startswith(f"  {mirror}/") for line in failures):
            failures.insert(
                0, f"  {mirror}: no {file.folder}/{names[0]} there, nor one that ends in .gz, .bz2 or .xz"
            )
    tried = "\n".join(failures) or "  nothing: no mirror is set, and no public address of it is known"
    wanted = " or ".join(names)
    return (
        f"the data file {wanted} could not be obtained; tried\n{tried}\n"
        f"Name a folder that has it by data.mirror=DIR or $SVMBENCH_MIRROR, "
        f"or put it (or {names[0]}.gz, .bz2, .xz) into {home}"
    )
