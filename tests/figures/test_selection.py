"""Which runs make a curve."""

from svmbench.figures.selection import select

from .stored import stored_run


def test_seeds_without_a_common_cost_are_left_out(tmp_path):
    early = stored_run(tmp_path, seed=0, costs=[1e3, 2e3], errors=[3, 2])
    late = stored_run(tmp_path, seed=1, costs=[5e3, 6e3], errors=[3, 2])
    other = stored_run(tmp_path, solver="smo", costs=[1e3, 6e3], errors=[3, 2])
    found = select([early, late, other], "kev_ondemand")
    assert [curve.solver for curve in found.panels[0].curves] == ["smo"]
    assert {run for run, _ in found.left_out} == {early.id, late.id}
    assert select([early, late], "kev_ondemand").panels == []
