"""Artifacts from a few words, and runs of theirs written into a store as if they had been made."""

from svmbench.papers.artifact import Check, Curves, Front, Grid, Listing, Profile, Sweep, finished
from svmbench.papers.matching import Index
from svmbench.papers.material import Material
from svmbench.papers.runs import Group, Line, Panel, Runs
from svmbench.run_config import RunConfig
from svmbench.solvers import registry
from svmbench.store import Store, bits
from svmbench.store.identity import identity

BOARD = [Panel("board", "Board", "dataset=checkerboard")]
KINDS = {kind.__name__.lower(): kind for kind in (Curves, Front, Sweep, Grid, Listing, Profile, Check)}


def artifact(lines, *, kind="curves", seeds=1, panels=BOARD, groups=None, claims=(), **options):
    """An artifact of some lines, or solvers, on a generated data set."""
    lines = [Line(one) if isinstance(one, str) else one for one in lines]
    runs = Runs("budget=debug", panels, lines, groups or [Group(seeds)])
    made = KINDS[kind]("X-SMALL", "Small", "A test", runs, claims, **options)
    return finished(made, "small")


def store(
    root,
    planned,
    rows=({},),
    *,
    status="budget",
    version=None,
    checksum="c",
    title=None,
    wrong=None,
    load=None,
    shape=(100, 2),
    anew=False,
    peak_memory=12.4,
    **changes,
):
    """Store a planned run with these checkpoints; ``changes`` replace groups of its config or of run.json."""
    planned_config = planned.config.document()
    config = {**planned_config, **{k: v for k, v in changes.items() if k in planned_config}}
    name = config["solver"]["name"]
    manifest = {
        "config": config,
        "dataset": {
            "name": config["dataset"]["name"],
            "checksum": checksum,
            "rows": {"train": shape[0], "test": 1000},
            "features": shape[1],
        },
        "solver": {"name": name, "title": title or registry.get(name).title},
        "problem": {"lam": 0.01, "C": 1.0, "bias": "none"},
        **{key: value for key, value in changes.items() if key not in planned_config},
    }
    release = registry.get(name).release() if version is None else version
    writer = Store(root).begin(identity(RunConfig.of(config), checksum, release), manifest, anew)
    for place, row in enumerate(rows, start=1):
        cost = 1000 * 2 ** (place - 1)
        common = dict.fromkeys(("kev_ondemand", "kev_rowupdate", "kev_iter"), cost)
        writer.checkpoint({"iterations": 10 * place, **common, "wall_seconds": 0.1 * place, **row})
    bit = {} if wrong is None else {"wrong_tests": bits.packed(wrong)}
    loaded = {} if load is None else {"load": load}
    return writer.finish(status, "the test says so", peak_memory=peak_memory, **bit, **loaded)


def material(made, root):
    """What is stored of an artifact."""
    return Material.of(made, Index(Store(root)))


def filled(made, root, rows, **options):
    """Store runs of an artifact with these checkpoints, or what a function makes of each; None: no run."""
    for run in made.runs.planned():
        found = rows(run) if callable(rows) else rows
        if found is not None:
            store(root, run, found, **options)
    return material(made, root)


def errors(*percent):
    """Checkpoints with these test errors."""
    return [{"test_error": value / 100.0, "test_mistakes": round(10 * value)} for value in percent]
