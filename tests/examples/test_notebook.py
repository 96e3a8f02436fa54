"""The notebook of the documentation says what works: its cells are run, in their order."""

import json
from pathlib import Path

NOTEBOOK = Path(__file__).parent.parent.parent / "docs" / "notebook.ipynb"


def test_every_cell_runs():
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    names = {}
    for cell in content["cells"]:
        assert not cell.get("outputs"), "outputs are made with the site, not stored"
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), str(NOTEBOOK), "exec"), names)
    assert len(names["runs"]) == 7 and names["classifier"].gap_ <= 1e-6
    (ax,) = names["figure"].axes
    assert ax.get_title() == "saddle\nγ = 0.3, C = 10"
    assert names["figure"]._repr_png_()[:4] == b"\x89PNG"
