"""The page about Python says what works: its blocks are run, in their order."""

import re
from pathlib import Path

PAGE = Path(__file__).parent.parent.parent / "docs" / "python.md"


def test_every_block_runs(tmp_path, capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 8
    names = {"results": tmp_path}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert names["classifier"].gap_ <= 1e-6
    assert len(names["figure"].axes) == 2 and (tmp_path / "curves.pdf").stat().st_size > 0
    assert set(names["runs"]["solver.name"]) == {"sbp", "decomposition"}
    assert "test_error" in capsys.readouterr().out
