"""A figure and a table of our own: three solvers on a small checkerboard."""

from svmbench.papers.artifact import Artifact, Curves, Grid
from svmbench.papers.claims import claim
from svmbench.papers.predicates import Order
from svmbench.papers.quantities import EACH, Value
from svmbench.papers.runs import Group, Line, Panel, Runs, shared


def board_curves() -> Artifact:
    """Show the test error of three solvers against kernel evaluations."""
    runs = Runs(
        "dataset=board budget.kev=2e5",
        [Panel("board", "Checkerboard, 300 examples")],
        [Line("sbp"), Line("pegasos"), Line("smo")],
        [Group(5, "sbp pegasos"), Group(1, "smo")],  # SMO makes no random choices
    )
    ahead = claim(
        "SBP ends below Pegasos",
        "Section 5",
        "At the same number of kernel evaluations SBP has a smaller test error than Pegasos.",
        Order("at the end", Value("sbp"), Value("pegasos")),
        sure="ours",
    )
    return Curves("", "Three solvers on a small checkerboard", "Our paper, Figure 1", runs, [ahead])


def board_table() -> Artifact:
    """Show the same runs as a table."""
    return Grid(
        "",
        "Test errors on a small checkerboard",
        "Our paper, Table 1",
        shared("board-curves"),
        cell="{error:.1f} ± {sd:.1f} %, {vectors:.0f} SV",
        values={
            "error": ("mean", Value(EACH, "test_error")),
            "sd": ("sd", Value(EACH, "test_error")),
            "vectors": Value(EACH, "support_vectors"),
        },
    )
