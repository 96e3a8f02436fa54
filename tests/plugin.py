"""A solver that is installed like that of another distribution."""

from pathlib import Path


def install(folder: Path, module: str, source: str, entry: str) -> Path:
    """Write a module with a solver, and what tells of it; return the folder, which is to be on the path.

    Parameters
    ----------
    folder : Path
        Any.
    module, source : str
        Its name and its content.
    entry : str
        Name of the solver and its class, ``still = standing:Still``.
    """
    (folder / f"{module}.py").write_text(source)
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[svmbench.solvers]\n{entry}\n")
    return folder
