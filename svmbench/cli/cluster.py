"""``svmbench cluster check``: whether a results folder serves a sweep on several machines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from svmbench.cli._parser import Parser
from svmbench.errors import UserError


def main(arguments: Sequence[str]) -> int:
    """Try a folder from this machine and others; return 1 if something does not hold."""
    parser = Parser(
        "cluster",
        "Try the results folder from the machines of a launcher: locks, renames, clocks, equal software. "
        "Without launcher=slurm or ray, another process of this machine tries it.",
    )
    parser.add_argument("what", choices=("check",), help="check: try the folder")
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="results=DIR, launcher keys")
    given = parser.parse_intermixed_args(arguments)

    from svmbench.config import compose
    from svmbench.files import scratch
    from svmbench.sweep import launch, probe

    (job, *_), options = compose.jobs(given.overrides)
    results = Path(job.config.results).absolute()
    launch.check(options)
    failed = 0
    try:
        results.mkdir(parents=True, exist_ok=True)
        with (
            scratch(results, ".check-") as folder,
            launch.others(options["launcher"], folder) as (start, tick),
        ):
            for holds, sentence in probe.findings(folder, start, tick):
                print(f"{'ok    ' if holds else 'failed'}  {sentence}", flush=True)
                failed += not holds
    except OSError as error:
        raise UserError(f"results={results} cannot be used: {error.strerror or error}") from error
    return int(failed > 0)
