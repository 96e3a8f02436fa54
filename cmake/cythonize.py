"""Translate those .pyx files of the package to C that have changed, on all processors.

Called by CMakeLists.txt: ``python cythonize.py SOURCE BUILD CHECKS``. The C files lie below BUILD as the
.pyx files lie below SOURCE. A file is translated when it, or a .pxd file that it cimports, is newer than
its C file; all are when Cython or the directives below differ from those of the last build. What Cython's
memoryviews need is not repeated in each but written once, as the module ``svmbench._cyutility``.

Most of what Cython writes handles Python objects, and gains little by optimisation: such functions are
marked ``SVMBENCH_CALLED`` or ``SVMBENCH_SELDOM``, for which CMakeLists.txt asks for little optimisation
or none.

Cython's ``cythonize`` describes modules by the ``Extension`` of distutils, which Python 3.12 no longer has;
that is why setuptools is needed to build.
"""

import gc
import json
import os
import re
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension

# Cython makes and keeps millions of nodes; looking for unreachable ones takes half of its time.
gc.disable()

SHARED = "svmbench._cyutility"

CALLED, SELDOM = "SVMBENCH_CALLED ", "SVMBENCH_SELDOM "
#: Definitions of what Cython writes itself, and of functions of the source.
DEFINITION = re.compile(
    r"^static (?!CYTHON_SMALL_CODE)[^;{}=#\"]*?\b(__Pyx_|__pyx_(?:[a-z]+_)?)\w*\([^;{}]*\)\s*\{.*?^\}$",
    re.MULTILINE | re.DOTALL,
)
#: A loop that iterates over no Python object.
LOOP = re.compile(r"\b(?:for \((?!;;)|while \(|goto \w*continue)")
#: A C function of the source with so many references to Python objects mostly calls Python.
MANY = 12
#: What a fit of a hundred rows calls, of functions that handle Python objects. The others are called seldom.
FITTING = re.compile(
    r"__pyx_(?:tp_new|tp_dealloc|[gs]etprop)"
    r"|__Pyx_\w*?(?:memviewslice|MemoryviewSlice|MEMVIEW|Call|Vectorcall|Subtype|TypeTest|ParseKeyword|PyLong_"
    r"|Index|Compare|IsTrue|PyBool|AllocateExtensionType|NewRef|GetAttr|_(?:Add|Multiply)_|GetSlice|PyObject_GetItem)"
    r"|__pyx_p[wf]_\w*_\d*(?:__(?:c?init|dealloc|post_init|get|set)__|advance|aligned_zeros|_?arrays|block|diagonal"
    r"|checked_diagonal|double_errors|estimated_gap|exact_again|exact_responses|exact_rows|expansion|gather"
    r"|gather_double|given_rows|matrix|point|possible|scores_at|select|snapshot|solve_pairs|squared_norms|start"
    r"|stored|tighten|tiled)\("
)


def translate(source: Path, build: Path, *, checks: bool) -> None:
    """Write the C file of each module, and that of the shared one.

    Parameters
    ----------
    source : Path
        The checkout.
    build : Path
        Where the C files go.
    checks : bool
        Whether indices and memoryviews are checked at run time.
    """
    directives = {
        "language_level": 3,
        "boundscheck": checks,
        "initializedcheck": checks,
        "wraparound": False,
        "cdivision": True,
        "embedsignature": True,
        "freethreading_compatible": False,
        # Nothing compiled is pickled; the methods for it are a twentieth of the compile time, and some crash.
        "auto_pickle": False,
    }
    os.chdir(source)  # so that paths below `build`, and in messages, are relative to it
    # Cython compares the times of files alone, which do not tell of other directives.
    mark = build / "directives.json"
    text = json.dumps(directives)
    changed = not mark.exists() or mark.read_text() != text
    mark.unlink(missing_ok=True)
    files = sorted(Path("svmbench").rglob("*.pyx"))
    extensions = [Extension(".".join(file.with_suffix("").parts), [str(file)]) for file in files]
    cythonize(
        [*extensions, Extension(SHARED, [f"{SHARED.replace('.', '/')}.c"])],
        build_dir=str(build),
        quiet=True,
        force=changed,
        nthreads=os.cpu_count() or 1,
        shared_utility_qualified_name=SHARED,
        compiler_directives=directives,
    )
    for file in files:
        written = build / file.with_suffix(".c")
        if SELDOM not in (code := written.read_text()):
            written.write_text(DEFINITION.sub(_marked, code))
    mark.write_text(text)


def _marked(definition: re.Match[str]) -> str:
    """Return the definition of a function with its mark, unless it may be, or be inlined in, a hot loop."""
    code, kind = definition[0], definition[1]
    if kind in ("__pyx_f_", "__pyx_pf_", "__pyx_gb_"):
        hot = LOOP.search(code) or (kind == "__pyx_f_" and code.count("__Pyx_GOTREF(") < MANY)
    else:
        hot = code.startswith("static CYTHON_INLINE") and "PyObject" not in code[: code.index("{")]
    if hot:
        return code
    return (CALLED if FITTING.search(code[: code.index("{")]) else SELDOM) + code


if __name__ == "__main__":
    translate(Path(sys.argv[1]), Path(sys.argv[2]), checks=sys.argv[3] == "ON")
