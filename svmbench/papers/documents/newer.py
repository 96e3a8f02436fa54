"""Methods of 2019 that reviewers ask for, beside older ones with the same idea."""

from __future__ import annotations

from svmbench.papers.artifact import Artifact, Front
from svmbench.papers.claims import claim
from svmbench.papers.documents._sets import on
from svmbench.papers.predicates import Order
from svmbench.papers.quantities import Area, Value
from svmbench.papers.runs import Group, Line, Runs


def newer_methods() -> Artifact:
    """Dual training on a budget (BSCA) and EigenPro, beside BSGD, which has the budget, Falkon, which has the
    squared loss, and decomposition on subsets. Compared by test error, in evaluations on demand, with the γ
    and C of each data set, which are good values for the hinge loss; EigenPro has no C. Counts do not depend
    on the machine, so these runs need not be alone."""
    runs = Runs(
        "kernel=gaussian problem.bias=none budget=paper budget.kev=1e8 budget.memory=2048 "
        "observe.train=false observe.points=5",
        on("adult magic w8a ijcnn1"),
        [Line("bsca"), Line("bsgd"), Line("eigenpro"), Line("falkon"),
            Line("sgd", "solver.components=1 solver.batch=1024", solver="eigenpro",
                title="SGD, batches of 1,024"),
            Line("subset", solver="decomposition", title="Decomposition on a subset")],
        [Group(3, "bsca bsgd", over={"solver.budget": [50, 200, 800]}),
            Group(3, "eigenpro", over={"solver.batch": [64, 1024]}), Group(3, "sgd"),
            Group(3, "falkon", over={"solver.centres": [128, 512, 2048]}),
            Group(3, "subset", over={"subset": [300, 1000, 3000]})])
    # Written before any of these runs was made.
    claims = [
        claim("dual training on a budget is ahead of primal training", "Qaadan and others, abstract",
            "Over the evaluations on demand, BSCA, without the adaptive frequencies of coordinates that the "
            "authors' program also has, has a lower mean error than BSGD; with 200 support vectors it also "
            "ends with a lower test error.",
            Order("mean error", Area("bsca"), Area("bsgd")),
            Order("at the end, 200 support vectors", Value("bsca", where={"solver.budget": 200}),
                Value("bsgd", where={"solver.budget": 200})), sure="ours"),
        claim("EigenPro makes use of large batches", "Ma and Belkin, abstract: linear scaling is extended",
            "After as many evaluations, EigenPro with batches of 1,024 examples is at most half a point "
            "above EigenPro with batches of 64, and below SGD with batches of 1,024.",
            Order("batches of 64", Value("eigenpro", where={"solver.batch": 1024}),
                Value("eigenpro", where={"solver.batch": 64}) + 0.5),
            Order("SGD", Value("eigenpro", where={"solver.batch": 1024}), Value("sgd")), sure="ours"),
        claim("EigenPro is ahead of Falkon", "our own question, after the tables of Ma and Belkin",
            "Over the evaluations on demand, EigenPro has a lower mean error than Falkon, which has the same "
            "loss.",
            Order("Falkon", Area("eigenpro"), Area("falkon")), sure="ours"),
        claim("they are ahead of a subset", "our own question",
            "Over the evaluations on demand, BSCA and EigenPro have a lower mean error than decomposition on "
            "a subset.",
            Order("BSCA", Area("bsca"), Area("subset")),
            Order("EigenPro", Area("eigenpro"), Area("subset")), sure="ours")]
    return Front("X-NEW", "Dual training on a budget and EigenPro",
        "our own comparison, after S. Qaadan, M. Schüler, T. Glasmachers: Dual SVM Training on a Budget, "
        "2019, and S. Ma, M. Belkin: Kernel Machines That Adapt to GPUs for Effective Large Batch Training, "
        "2019", runs, claims, counters="kev_ondemand", scale="log")
