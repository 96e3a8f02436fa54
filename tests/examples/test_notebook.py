"""The notebook of the documentation says what works: its cells run in order and give the stored outputs."""

import ast
import json
from pathlib import Path

import pandas as pd

NOTEBOOK = Path(__file__).parent.parent.parent / "docs" / "notebook.ipynb"


def test_every_cell_runs_and_has_its_output():
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    names = {}
    for cell in content["cells"]:
        if cell["cell_type"] != "code":
            continue
        program = ast.parse("".join(cell["source"]))
        shown = isinstance(program.body[-1], ast.Expr)
        last = ast.Expression(program.body.pop().value) if shown else None
        exec(compile(program, str(NOTEBOOK), "exec"), names)
        if not shown:
            assert cell["outputs"] == []
            continue
        (output,) = cell["outputs"]
        value, stored = eval(compile(last, str(NOTEBOOK), "eval"), names), output["data"]
        if isinstance(value, pd.DataFrame):  # counts, errors and objectives to the digits shown
            assert repr(value) == stored["text/plain"]
        if hasattr(value, "savefig"):
            assert value._repr_png_()[:4] == b"\x89PNG" and stored["image/png"].startswith("iVBORw0KGgo")
    assert len(names["runs"]) == 7 and names["classifier"].gap_ <= 1e-6
    (ax,) = names["figure"].axes
    assert ax.get_title() == "saddle\nγ = 0.3, C = 10"
