"""Removal of runs that is killed, or stopped while another process removes runs."""

import os
import shutil
import signal

import pytest

from svmbench.store.delete import delete


@pytest.mark.parametrize("how", ["delete", "discard", "replace"])
def test_a_removal_is_completed_by_the_next_one_but_not_while_its_process_lives(store, begin, how):
    for seed in range(4):
        begin(seed).finish("budget", "enough")
    runs = store.root / "runs"
    first, *others = store.runs()

    def removal():
        if how == "delete":
            delete([first], store)
        elif how == "discard":
            begin(9).discard()
        else:
            begin(0, force=True).finish("budget", "another")

    process = os.fork()
    if process == 0:
        rmtree = shutil.rmtree
        shutil.rmtree = lambda path, **how: (
            os.kill(os.getpid(), signal.SIGSTOP) if path.name[0] == "." else rmtree(path, **how)
        )
        try:
            removal()
        finally:
            os._exit(1)
    try:
        assert os.WIFSTOPPED(os.waitpid(process, os.WUNTRACED)[1])
        (left,) = runs.glob(f".*.{process}")
        assert [one for one in store.runs() if one in others] == others
        delete(others[:1], store)
        begin(8).discard()
        assert list(runs.glob(".*")) == [left] and (left / "run.json").is_file()
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    if how == "discard":
        begin(8).discard()
    else:
        delete(others[1:2], store)
    assert not list(runs.glob(".*"))


def test_hidden_folders_of_others_stay(store, begin):
    run = begin().finish("budget", "enough")
    kept = [run.path.with_name(name) for name in (".git", ".results.2024", f".{run.id}", f".{run.id}.old")]
    for folder in kept:
        folder.mkdir()
    gone = [run.path.with_name(f".{run.id}{end}") for end in (".17", ".running.17", ".replaced")]
    for folder in gone:
        folder.mkdir()
        (folder / "run.json").write_text("{")
    delete([run], store)
    assert sorted((store.root / "runs").iterdir()) == sorted(kept)
