"""A thread that a solver has left running does not keep a command or a worker from ending."""

import subprocess
import sys

import pytest

STARTED = "import sys, threading; threading.Thread(target=threading.Event().wait, daemon={daemon}).start()\n"
COMMAND = "import svmbench.cli.entry as entry; sys.argv[1:] = ['run', 'solver=spb']; sys.exit(entry.main())"
WORKER = "import runpy; runpy.run_module('svmbench.sweep.worker', run_name='__main__')"


def ended(code: str, daemon: bool) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", STARTED.format(daemon=daemon) + code]
    return subprocess.run(program, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)


@pytest.mark.parametrize(("code", "status"), [(COMMAND, 2), (WORKER, 0)])
def test_a_thread_that_never_ends_is_ended_and_the_exit_code_stays(code, status):
    done = ended(code, daemon=False)
    assert done.returncode == status, done.stderr
    said = "svmbench: ended a thread that a solver had left running\n"
    assert done.stderr.endswith(said)


@pytest.mark.parametrize(("code", "status"), [(COMMAND, 2), (WORKER, 0)])
def test_a_daemon_ends_with_its_process_as_ever(code, status):
    done = ended(code, daemon=True)
    assert done.returncode == status and "left running" not in done.stderr
