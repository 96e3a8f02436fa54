from itertools import combinations

from svmbench.report.style import _SOLVERS, look, looks
from svmbench.solvers import registry


def test_every_solver_has_a_look_and_no_two_are_alike():
    assert set(registry.names()) <= set(_SOLVERS)
    mine = [look(place) for place in range(len(_SOLVERS))]
    for one, other in combinations(mine, 2):
        assert (one.colour, one.line) != (other.colour, other.line)
        assert (one.colour, one.marker) != (other.colour, other.marker)


def test_a_solver_keeps_its_look_beside_others():
    alone = looks([("SMO", "smo")])["SMO"]
    crowd = looks([(name, name) for name in registry.names()])
    assert crowd["smo"] == alone and len(set(crowd.values())) == len(crowd)


def test_of_two_lines_of_one_solver_the_first_has_its_look():
    found = looks([("SBP, nu = 1", "sbp"), ("SBP, nu = 2", "sbp"), ("mine", "unknown")])
    assert found["SBP, nu = 1"] == looks([("SBP", "sbp")])["SBP"] and len(set(found.values())) == 3
