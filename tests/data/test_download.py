"""Raw files: from mirrors and addresses, resumed, verified, locked, and never half there."""

import bz2
import fcntl
import gzip
import hashlib
import io
import lzma
import tarfile
import threading
from pathlib import Path

import pytest

from svmbench.data import download
from svmbench.data.download import obtain
from svmbench.data.entries import Form, RawFile
from svmbench.data.unpack import Corrupt, read
from svmbench.errors import UserError
from tests.data.server import serving

CONTENT = bytes(range(256)) * 200
SHA = hashlib.sha256(CONTENT).hexdigest()
PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


@pytest.fixture
def server():
    with serving() as state:
        yield state


def raw(*urls: str, sha256: str | None = SHA, packed: str | None = None, name: str = "set.txt") -> RawFile:
    return RawFile("set", (Form(name, {name: sha256}, packed, urls),))


def get(
    file: RawFile, folder: Path, mirrors: list[Path] | None = None, lines: list[str] | None = None
) -> Path:
    return obtain(file, mirrors or [], folder, (lines if lines is not None else []).append)[0]


def only_lock_files(folder: Path) -> bool:
    return all(path.name.endswith(".lock") for path in (folder / "raw" / "set").iterdir())


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("below", ["set", ""])
def test_a_mirror_may_hold_any_compression(tmp_path, suffix, below):
    mirror = tmp_path / "mirror"
    (mirror / below).mkdir(parents=True)
    (mirror / below / f"set.txt{suffix}").write_bytes(PACK[suffix](CONTENT))
    path = get(raw(), tmp_path, [tmp_path / "none", mirror])
    assert path == tmp_path / "raw" / "set" / f"set.txt{suffix}"
    assert read(path, raw().forms[0]) == {"set.txt": CONTENT}


@pytest.mark.parametrize("suffix", PACK)
def test_a_mirror_may_hold_an_archive_around_it(tmp_path, suffix):
    (tmp_path / f"set.txt.tar{suffix}").write_bytes(
        PACK[suffix](archive({"other": b"x", "dir/set.txt": CONTENT}))
    )
    path = get(raw(), tmp_path, [tmp_path])
    assert path.name == f"set.txt.tar{suffix}"
    assert read(path, raw().forms[0])["set.txt"] == CONTENT


def archive(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as target:
        for name, content in members.items():
            item = tarfile.TarInfo(name)
            item.size = len(content)
            target.addfile(item, io.BytesIO(content))
    return stream.getvalue()


def test_an_archive_must_hold_every_member(tmp_path):
    form = Form("set.tar", {"a": hashlib.sha256(b"A").hexdigest(), "b": None})
    path = tmp_path / "set.tgz"
    path.write_bytes(gzip.compress(archive({"x/a": b"A", "x/b": b"B"})))
    assert read(path, form) == {"a": b"A", "b": b"B"}
    path.write_bytes(gzip.compress(archive({"a": b"A"})))
    with pytest.raises(Corrupt, match="lacks 'b'"):
        read(path, form)
    path.write_bytes(gzip.compress(archive({"a": b"A", "b": b"B" * 5000}))[:-40])
    with pytest.raises(Corrupt, match="damaged or cut off"):
        read(path, form)


def test_the_address_is_used_when_no_mirror_has_it(tmp_path, server):
    server.files["/a/123"] = gzip.compress(CONTENT)
    lines: list[str] = []
    path = get(raw(f"{server.address}/a/123"), tmp_path, [tmp_path], lines)
    assert path.name == "set.txt.gz"
    assert lines == ["set.txt.gz: complete and verified"]
    assert get(raw(f"{server.address}/a/123"), tmp_path) == path
    assert len(server.requests) == 1


def test_a_download_goes_on_where_the_connection_broke(tmp_path, server):
    server.files["/f"], server.cuts["/f"] = CONTENT, [20_000, 17_000, None]
    path = get(raw(f"{server.address}/f"), tmp_path)
    assert path.read_bytes() == CONTENT
    whole = [f"bytes={k * download.PIECE}-" for k in (1, 2)]  # a piece that was cut is fetched again
    assert [asked for _, asked in server.requests] == [None, *whole]


def test_a_server_without_ranges_starts_anew(tmp_path, server):
    server.files["/f"], server.cuts["/f"], server.ranges = CONTENT, [20_000, None], False
    assert get(raw(f"{server.address}/f"), tmp_path).read_bytes() == CONTENT
    assert [asked for _, asked in server.requests] == [None, f"bytes={download.PIECE}-"]


@pytest.mark.parametrize(
    ("left", "asked"),
    [
        (CONTENT[:5000], ["bytes=5000-"]),
        (CONTENT, [f"bytes={len(CONTENT)}-"]),
        (b"wrong" * 100, ["bytes=500-", None]),  # fetched again from the start
        (CONTENT + b"more", [f"bytes={len(CONTENT) + 4}-", None]),
    ],
)
def test_a_download_goes_on_from_the_part_that_a_killed_process_left(tmp_path, server, left, asked):
    (tmp_path / "raw" / "set").mkdir(parents=True)
    (tmp_path / "raw" / "set" / ".set.txt.part").write_bytes(left)
    server.files["/f"] = CONTENT
    assert get(raw(f"{server.address}/f"), tmp_path).read_bytes() == CONTENT
    assert server.requests == [("/f", part) for part in asked]


def test_wrong_content_is_discarded_and_the_next_source_tried(tmp_path, server):
    server.files |= {"/bad": CONTENT[:-1] + b"!", "/page.gz": b"<html>sign in</html>", "/good": CONTENT}
    (tmp_path / "set.txt.gz").write_bytes(gzip.compress(CONTENT)[:-9])
    urls = [f"{server.address}/{name}" for name in ("bad", "page.gz", "missing", "good")]
    assert get(raw(*urls), tmp_path, [tmp_path]).read_bytes() == CONTENT
    assert [path for path, _ in server.requests] == ["/bad", "/page.gz", "/missing", "/good"]


def test_a_page_instead_of_a_file_without_checksum_is_seen(tmp_path, server):
    server.files["/f.gz"] = b"<html>sign in</html>"
    with pytest.raises(UserError, match=r"not compressed as its name ending in \.gz says"):
        get(raw(f"{server.address}/f.gz", sha256=None), tmp_path)


def test_a_published_file_known_only_packed_must_be_that_file(tmp_path):
    packed = gzip.compress(CONTENT)
    file = raw(sha256=None, packed=hashlib.sha256(packed).hexdigest())
    (tmp_path / "set.txt.bz2").write_bytes(bz2.compress(CONTENT))
    with pytest.raises(UserError, match="only that of the published file is known"):
        get(file, tmp_path / "data", [tmp_path])
    (tmp_path / "set.txt.gz").write_bytes(packed)
    assert get(file, tmp_path / "data", [tmp_path]).name == "set.txt.gz"


def test_when_nothing_works_one_message_says_what_was_tried_and_what_to_do(tmp_path, server):
    server.files["/bad"] = b"something else"
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    urls = (f"{server.address}/bad", f"{server.address}/none", "http://127.0.0.1:9/x")
    with pytest.raises(UserError) as caught:
        get(raw(*urls), tmp_path, [mirror, tmp_path / "typo"])
    said = str(caught.value)
    assert "the data file set.txt could not be obtained; tried" in said
    assert f"{mirror}: no set/set.txt there, nor one that ends in .gz, .bz2 or .xz" in said
    assert f"{tmp_path / 'typo'}: there is no such mirror folder" in said
    assert "/bad: wrong content, its content has another checksum than 'set.txt' of the catalogue" in said
    assert "/none: HTTP 404 Not Found" in said
    assert "http://127.0.0.1:9/x: no connection" in said
    assert "data.mirror=DIR or $SVMBENCH_MIRROR" in said
    assert str(tmp_path / "raw" / "set") in said
    assert only_lock_files(tmp_path)


def test_a_connection_that_always_breaks_is_given_up(tmp_path, server):
    server.files["/f"], server.cuts["/f"] = CONTENT, [10] * download.ATTEMPTS
    with pytest.raises(UserError, match="the connection broke off again and again"):
        get(raw(f"{server.address}/f"), tmp_path)
    assert len(server.requests) == download.ATTEMPTS
    assert only_lock_files(tmp_path)


def test_an_interruption_leaves_no_part(tmp_path, server, monkeypatch):
    server.files["/f"] = CONTENT

    def interrupted(*args):
        assert (tmp_path / "raw" / "set" / ".set.txt.part").exists()
        raise KeyboardInterrupt

    monkeypatch.setattr(download, "read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        get(raw(f"{server.address}/f"), tmp_path)
    assert only_lock_files(tmp_path)


def test_who_comes_second_waits_and_finds_the_file(tmp_path, server):
    server.files["/f"] = CONTENT
    home = tmp_path / "raw" / "set"
    home.mkdir(parents=True)
    waiting = threading.Event()
    paths: list[Path] = []

    def second() -> None:
        paths.append(obtain(raw(f"{server.address}/f"), [], tmp_path, lambda line: waiting.set())[0])

    with (home / ".set.txt.lock").open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(10)
        (home / "set.txt").write_bytes(CONTENT)
    thread.join(10)
    assert paths == [home / "set.txt"]
    assert server.requests == []


def test_progress_is_told(tmp_path, server, monkeypatch):
    monkeypatch.setattr(download, "REPORT_EVERY", 0.0)
    server.files["/f"] = CONTENT
    lines: list[str] = []
    get(raw(f"{server.address}/f"), tmp_path, lines=lines)
    assert lines[-2:] == ["set.txt: 0.1 of 0.1 MB", "set.txt: complete and verified"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(UserError, match=r"cannot write data to .*taken.*data\.dir=DIR or \$SVMBENCH_DATA"):
        get(raw(), tmp_path / "taken")
