"""``dataset=file``: a sentence for every fault, and hostile files."""

import bz2
import gzip
import io
import lzma
import os
import tarfile

import pytest

from svmbench.data import unpack
from svmbench.data.entries import Form
from tests.told import names

from .conftest import CSV, LIBSVM, fault


def test_faults_of_the_file(write, tmp_path):
    assert fault(None) == "dataset=file needs a file: give dataset.path=FILE"
    assert fault(str(tmp_path / "none")) == f"cannot read {tmp_path}/none: No such file or directory"
    assert fault(str(tmp_path)) == f"cannot read {tmp_path}: Is a directory"
    assert fault(write(b"")).endswith("mine.txt is empty: it needs one example per line")
    assert fault(write(b" \n\n")).endswith("mine.txt is empty: it needs one example per line")
    assert "mine.txt: the compressed file is damaged or cut off" in fault(write(gzip.compress(LIBSVM)[:-10]))
    assert "mine.txt: the compressed file is damaged" in fault(write(bz2.compress(LIBSVM * 50)[:-30]))
    assert "mine.txt: the compressed file is damaged" in fault(write(lzma.compress(LIBSVM)[:-30]))
    assert "line 2, field 3 (column 8): index 1 comes after index 2" in fault(write(b"1 1:1\n-1 2:1 1:1\n"))
    assert "line 3, field 1 (column 1): 'x' is not a number" in fault(write(b"1,2,1\n2,1,0\nx,1,1\n"))
    for text in (b"0,5;1,2;1\n", b"0,5\t1,2\t1\n", b"a;b,c;d\n0,5;1,2;1\n"):
        assert "field 1 (column 1): '0,5' has a decimal comma; write the numbers" in fault(write(text))
    assert "line 2, field 3 (column 4): the line ends after 2 of 3 fields" in fault(write(b"1,2,1\n2,1\n"))


def test_faults_of_the_labels(write):
    merged = write(b"1 1:1\n1.0 1:1\n-1 1:2\n+3 1:1\n")
    assert names(fault(merged), f"{merged}, line 4, field 1 (column 1): '3'", "'1' and '-1'")
    path = write(b"1 1:1\n-1 1:2\n\n0 1:3\n")
    ways = ("dataset.positive=LABEL", "-m dataset.positive=1,-1,0", "problem.multiclass=one_vs_one")
    assert names(fault(path), f"{path}, line 4, field 1 (column 1): '0'", "'1' and '-1'", *ways)
    assert names(fault(path, positive=3), path, "dataset.positive=3", "'1', '-1', '0'")
    same = write(b"1 1:1\n+1 1:2\n")
    assert fault(same) == fault(same, positive=1) and names(fault(same), "all", same, "'1'")
    words = write(b"1,2,yes\n3,4,no\n")
    assert names(fault(words), words, "'yes' and 'no'", "dataset.positive=LABEL")
    assert names(fault(write(b"1,2,1\n3,4,nan\n")), "line 2, field 3 (column 5)", "'nan'", "finite")


def test_faults_of_the_test_file(write):
    path, test = write(LIBSVM), write(b"1 1:1\n2 1:1\n", "test")
    assert names(fault(path, test_path=test), f"{test}, line 2, field 1 (column 1)", "'2'", "1, -1")
    assert "test is empty" in fault(path, test_path=write(b"", "test"))


def test_faults_of_the_layout(write):
    path = write(CSV)
    told = fault(path, label_column="clas")
    assert names(told, "dataset.label_column=clas", path, "'class'", "first, last,", "from 1 to 3")
    assert "give first, last, a number from 1 to 3" in fault(path, label_column=4)
    assert names(fault(path, features=7), path, 2, "dataset.features=7", "give 2")
    assert "has one column only" in fault(write(b"1\n2\n"), format="csv")
    assert names(fault(write(b"1 3:1\n"), features=2), "line 1, field 2 (column 3): index 3", "features, 2")


def test_a_split_without_both_classes_is_refused(write):
    assert "all of one class" in fault(write(b"1 1:1\n-1 1:2\n"), test_fraction=0.5)


@pytest.mark.parametrize(
    ("text", "given", "feature"),
    [
        (b"1 2:-1e39\n-1 1:2\n", {}, " of feature 2"),
        (b"0,1e39,1\n2,3,-1\n", {}, " of feature 2"),
        (b"c,a,y\nx,1e39,1\nz,3,-1\nx,2,1\n", {"encode": "onehot"}, " of feature 2"),
        (b"a,b,y\n?,1e39,1\n?,3,-1\n?,2,1\n", {"missing": "median"}, " of feature 2"),
        (b"a,b,y\n4,1e39,1\n5,3,-1\n6,2,1\n", {"drop": "a"}, " of feature 2"),
        (b"1 900000:1e39\n-1 800000:2\n", {}, ""),  # most columns are empty and left out
    ],
)
def test_values_beyond_single_precision_are_refused(write, text, given, feature):
    told = fault(write(text), test_fraction=0, **given)
    assert names(told, f"values{feature} reach 1.0e+39", "single precision, 3.4e38:")


def test_terminal_escapes_are_shown_not_sent(write):
    message = fault(write(b"1,\x1b[31mred\n2,b\n3,c\n"))
    assert r"'\x1b[31mred'" in message and "\x1b" not in message
    assert "\u202e" not in fault(write("1,2,\u202ex\ny,3,a\n".encode()))


def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert names(fault(str(tmp_path / "pipe")), tmp_path / "pipe", "a pipe or a device")


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_decompression_bomb_ends_at_a_limit(write, monkeypatch, pack):
    monkeypatch.setattr(unpack, "_FREE", 1 << 20)
    path = write(pack(bytes(1 << 22)))
    assert fault(path).endswith("it unpacks to more than 1 MiB, over 100 times its size; unpack it first")
    monkeypatch.setattr(unpack, "_SHARE", 1e-13)
    assert "% of this machine's memory; give fewer rows" in fault(write(LIBSVM))


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE, "..", "/"]
)
def test_archives_with_links_or_ways_out_are_refused(tmp_path, kind):
    item = tarfile.TarInfo("member")
    if isinstance(kind, bytes):
        item.type, item.linkname = kind, "/etc/passwd"
    else:
        item.name, item.size = f"{kind}/member", 3
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.addfile(item, io.BytesIO(b"abc") if item.size else None)
    with pytest.raises(unpack.Corrupt, match=r"is a link or a device|has a path that leads out of it"):
        unpack.read(tmp_path / "a.tar", Form("a.tar", {"member": None}))


def test_a_damaged_archive_is_refused(tmp_path):
    # Found by fuzzing: bzip2 says so by an OSError without a number.
    (tmp_path / "a.tar").write_bytes(b"BZh\xe4Z")
    with pytest.raises(unpack.Corrupt, match="the archive is damaged"):
        unpack.read(tmp_path / "a.tar", Form("a.tar", {"member": None}))
