"""Kill downloads and preparations at random moments: python -m tests.faults.preparations [--kills 20].

A published set of the reader's mirror is copied and prepared by a forked process that is ended by SIGKILL
after a random time. Held after each kill: whatever file is there under its final name is the published one,
what is prepared is whole, and the same call again gives the very arrays of an undisturbed one.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from svmbench import data
from svmbench.data import cache, catalogue
from svmbench.files import sha256
from tests.faults.kills import ended, start


def arrays(folder: Path) -> dict[str, str]:
    """Return the sha256 of each array of the prepared sets of a data folder."""
    return {path.name: sha256(path) for path in sorted(folder.glob("prepared/*/*.npy"))}


def load(name: str, folder: Path) -> bool:
    """Prepare a set in a data folder; return True."""
    data.load({"name": name}, directory=str(folder))
    return True


def kill(folder: Path, name: str, kills: int, seed: int = 0) -> Counter[str]:
    """Kill ``kills`` preparations of a set and hold what is left; return how often what was there."""
    chance, left = random.Random(seed), Counter[str]()
    log, undisturbed = folder / "log", folder / "undisturbed"
    begun = time.monotonic()
    assert ended(start(lambda _: load(name, undisturbed), log)) == 0, log.read_text()
    seconds, expected = time.monotonic() - begun, arrays(undisturbed)
    assert expected
    for number in range(kills):
        home = folder / f"killed{number}"
        process = start(lambda _, home=home: load(name, home), log)  # type: ignore[misc]
        time.sleep(chance.uniform(0.0, 1.05 * seconds))
        os.kill(process, signal.SIGKILL)
        ended(process)
        raw = [right for path, right, _ in catalogue.verify(name, str(home)) if Path(path).exists()]
        assert all(raw), "a file that is there is not the published one"
        prepared = [path for path in home.glob("prepared/[!.]*") if path.is_dir()]
        assert all(cache.verify(path)[0] for path in prepared), "a prepared set that is there is not whole"
        left["prepared" if prepared else f"{len(raw)} files"] += 1
        assert ended(start(lambda _, home=home: load(name, home), log)) == 0, log.read_text()  # type: ignore[misc]
        assert arrays(home) == expected
    return left


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--dataset", default="adult", help="one whose files are in $SVMBENCH_MIRROR")
    given = parser.parse_args()
    if "SVMBENCH_MIRROR" not in os.environ:
        sys.exit("name the folder with the published files by SVMBENCH_MIRROR")
    with tempfile.TemporaryDirectory() as folder:
        left = kill(Path(folder), given.dataset, given.kills)
    print(f"{given.kills} kills; left: {', '.join(f'{count} x {what}' for what, count in left.items())}")


if __name__ == "__main__":
    _main()
