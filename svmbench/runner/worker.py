"""One run in a separate process: configuration on standard input, outcome on standard output.

``python -m svmbench.runner.worker`` reads the resolved configuration as JSON, writes progress as plain lines
to standard error, one per checkpoint, and ends with one line of JSON: ``run`` (id or null), ``path`` (or
null), ``state`` (as in `Outcome`), ``reason``. Bad input is the state ``failed`` with its message. The exit
code is 0 for done and found, 1 for failed, 2 for refused and bad input, 130 for interrupted.
"""

from __future__ import annotations

import json
import sys

from svmbench.errors import UserError
from svmbench.run_config import RunConfig
from svmbench.runner.execute import execute
from svmbench.runner.outcome import Outcome
from svmbench.runner.progress import PlainLines


def main() -> int:
    """Make one run."""
    config = RunConfig.of(json.load(sys.stdin))
    try:
        outcome = execute(config, progress=PlainLines(sys.stderr, checkpoints=0.0))
        code = outcome.code
    except UserError as error:
        outcome, code = Outcome(None, "failed", str(error)), 2
    run = outcome.run
    where = {"run": run.id if run else None, "path": str(run.path) if run else None}
    print(json.dumps({**where, "state": outcome.state, "reason": outcome.reason}), flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
