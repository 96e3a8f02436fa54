"""Faults from outside: many first users of one set, and kills in the middle."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from svmbench.data import load

pytestmark = pytest.mark.real_data

PROGRAM = """
import json, sys
from svmbench.data import load
said = []
data = load({"name": "adult"}, directory=sys.argv[1], say=said.append)
print(json.dumps([data.checksum, said]))
"""


def user(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder)], stdout=subprocess.PIPE, text=True)


def ends(process: subprocess.Popen[str]) -> tuple[str, list[str]]:
    out, _ = process.communicate(timeout=120)
    checksum, said = json.loads(out)
    return checksum, said


def test_users_that_come_at_once_prepare_a_set_once(tmp_path):
    users = int(os.environ.get("SVMBENCH_TEST_USERS", "3"))
    answers = [ends(process) for process in [user(tmp_path) for _ in range(users)]]
    assert len({checksum for checksum, _ in answers}) == 1
    said = [line for _, lines in answers for line in lines]
    assert said.count("adult: preparing") == 1
    assert [said.count(f"{name}: complete and verified") for name in ("a9a", "a9a.t")] == [1, 1]
    assert len(list((tmp_path / "prepared").iterdir())) == 1  # no lock and no scratch folder is left


def test_kills_lose_nothing_and_leave_no_half_set(tmp_path):
    expected = load({"name": "adult"}, directory=str(tmp_path / "calm"))
    kills, chance = int(os.environ.get("SVMBENCH_TEST_KILLS", "2")), random.Random(0)
    for _ in range(kills):
        process = user(tmp_path / "killed")
        time.sleep(chance.uniform(0.1, 1.5))
        process.send_signal(signal.SIGKILL)
        process.communicate()
    data = load({"name": "adult"}, directory=str(tmp_path / "killed"))
    assert data.checksum == expected.checksum
    for part, other in ((data.train, expected.train), (data.test, expected.test)):
        assert np.array_equal(part.X, other.X) and np.array_equal(part.y, other.y)
