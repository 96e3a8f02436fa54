"""Figures and claims of a lecture on support vector machines."""

from __future__ import annotations

from svmbench.papers.artifact import Artifact, Check, Curves, Grid, Sweep
from svmbench.papers.claims import claim
from svmbench.papers.predicates import Exact, Order, Ratio, Slope
from svmbench.papers.quantities import EACH, Measured, Value
from svmbench.papers.runs import Group, Line, Panel, Runs, shared

LECTURE = "Schmidt-Thieme: Learning Support Vector Machines, lecture "
TWONORM = Panel("twonorm", "Twonorm", "dataset=twonorm")
REUTERS = Panel("reuters", "Reuters, γ = 1, C = 1", "dataset=reuters kernel.gamma=1.0 problem.C=1.0")

# The slides give no experiment.
DATA = "the data, γ, C and λ"


def lec_1() -> Artifact:
    """Lecture: the cost of one step of coordinate descent against the number of examples. The third way,
    without anything maintained, is LEC-1b."""
    runs = Runs("problem.bias=none budget=paper budget.kev=null problem.C=1.0", [TWONORM],
        [
            # So many steps that the squared norms, n inner products once, are negligible.
            Line("dcd", "kernel=linear solver.shrinking=false solver.eps=1e-300 budget.iterations=1000000",
                title="w maintained (DCD, 10⁶ steps)"),
            Line("smo",
                "kernel=gaussian kernel.gamma=0.05 solver.eps=1e-6 budget.memory=1 budget.iterations=1000",
                title="gradients maintained (SMO, 10³)")],
        [Group(1, over={"dataset.n_train": [2000, 4000, 8000, 16000, 32000]})])
    claims = [
        claim("cost of a step of coordinate descent", "Slides on the cost of a partial gradient",
            "If w is maintained, a step of a linear problem costs one inner product whatever n is; if "
            "gradients are maintained, a change of a coefficient costs a kernel row, n evaluations.",
            Slope("linear: slope 0", Value("dcd", "inner_products"), (-0.05, 0.05), over="dataset.n_train"),
            Slope("kernel: slope 1", Value("smo", "kev_rowupdate"), (0.9, 1.1), over="dataset.n_train"),
            by_construction="the definition of the counters",
            seen=(
                "The number of steps, and the counter of the second test, were changed when a first "
                "result was known."))]
    return Sweep("LEC-1", "Lecture: cost of coordinate steps against the number of examples",
        LECTURE + "slides on coordinate descent in the dual",
        runs, claims, x="dataset.n_train", x_label="training examples n", y=Value(EACH, "inner_products"),
        scale="log")


def lec_1b() -> Artifact:
    """Lecture: the third way to compute a partial gradient, without anything maintained: a sum over all
    coefficients that are not zero."""
    runs = Runs(
        "kernel=gaussian kernel.gamma=0.05 problem.C=1.0 problem.bias=none budget=paper budget.kev=null "
        "budget.memory=1024",
        [TWONORM], [Line("sdca", title="SDCA, five passes")],
        # Five passes each, so that every example is visited whatever n is; the cost of a step is the total
        # divided by 5 n.
        [Group(1, "", "", f"budget.iterations={5 * n}", over={"dataset.n_train": [n]})
            for n in (1000, 2000, 4000, 8000, 16000)])
    claims = [
        claim("a partial gradient from nothing costs O(n)", "Slides on the cost of a partial gradient",
            "If neither gradients nor w are maintained, a partial gradient is a sum over the support "
            "vectors. So its cost grows at most like n, and that of a number of steps proportional to n at "
            "most like n².",
            Slope("slope of five passes: at most 2", Value("sdca", "kev_ondemand"), (None, 2.0),
                over="dataset.n_train"),
            seen=(
                "A first definition required a slope of 1.8 to 2.2, as if O(n) were the cost itself and "
                "not an upper bound: deviates."))]
    return Sweep("LEC-1", "Lecture: cost of a partial gradient that is not maintained",
        LECTURE + "slides on coordinate descent in the dual",
        runs, claims, x="dataset.n_train", x_label="training examples n", y=Value(EACH, "kev_ondemand"),
        y_label="evaluations in five passes, on demand (A)", scale="log",
        supplied=DATA)


def lec_2() -> Artifact:
    """Lecture: the choice of the active set, and shrinking, on four sets with a bias."""
    runs = Runs(
        "kernel=gaussian problem.bias=unregularised budget=paper budget.kev=null budget.seconds=600 "
        "solver.eps=1e-3",
        [REUTERS, Panel("adult", "Adult, γ = 0.05, C = 1", "dataset=adult kernel.gamma=0.05 problem.C=1.0"),
            Panel("usps", "USPS, 0 against rest, γ = 2, C = 1",
                "dataset=usps kernel.gamma=2.0 problem.C=1.0"),
            Panel("mnist", "MNIST, 8 against rest, γ = 0.02, C = 1",
                "dataset=mnist kernel.gamma=0.02 problem.C=1.0")],
        [Line("second_order", solver="smo_pair", title="second order"),
            Line("worst_pair", "solver.selection=worst_pair", solver="smo_pair",
                title="worst violating pair"),
            Line("unshrunk", "solver.shrinking=false", solver="smo_pair", title="second order, no shrinking"),
            Line("platt", title="Platt's rule")],
        [Group(1)])
    claims = [
        claim("second-order choice takes fewer iterations", "Slides on the choice of the active set",
            "Choosing the partner by the gain of the step takes fewer iterations to the same tolerance than "
            "the worst violating pair.",
            *(Order(name, Value("second_order", metric), Value("worst_pair", metric), ratio=True)
              for name, metric in (("iterations", "iterations"),
                  ("evaluations by row update", "kev_rowupdate"))),
            sure="inferred"),
        # The slides are about SMO within a set of active coordinates.
        claim("what shrinking leaves out has to be recomputed",
            "Slides on nested decomposition and shrinking",
            "The gradients of shrunk coordinates are not maintained and must be recomputed before "
            "optimality can be checked. So SMO takes more evaluations with shrinking than without; "
            "shrinking saves passes over vectors.",
            Order("evaluations by row update, without against with", Value("unshrunk", "kev_rowupdate"),
                Value("second_order", "kev_rowupdate"), ratio=True),
            target="LEC-4",
            by_construction=(
                "rows are charged in whole with shrinking too, so recomputed gradients only add to them"),
            seen=(
                "A first definition asked whether the number of iterations stays the same, about which "
                "the slides say nothing: reproduced."))]
    return Grid("LEC-2", "Lecture: choice of the pair and shrinking in SMO",
        LECTURE + "slides on SMO, its active set and "
        "shrinking",
        runs, claims, cell="{iterations:,.0f} iterations, {rows:.2e} evaluations, {error:.2f} %",
        values={"iterations": Value(EACH, "iterations"), "rows": Value(EACH, "kev_rowupdate"),
            "error": Value(EACH)},
        supplied=DATA)


def lec_2s() -> Artifact:
    """Lecture: seconds of SMO with and without shrinking, on problems of LEC-2 whose rows fit into the cache,
    so that maintaining gradients takes most of the time: each run alone on one machine, three turns. The
    clock is CPU time of training."""
    runs = Runs(
        "kernel=gaussian problem.bias=unregularised budget=paper budget.kev=null solver.eps=1e-3 "
        "observe.points=1 observe.train=false",
        [REUTERS, *(Panel(name, title, f"dataset={name} kernel.gamma={gamma} problem.C=1.0")
            for name, title, gamma in (("adult", "Adult, γ = 0.05, C = 1", 0.05),
                ("usps", "USPS, 0 against rest, γ = 2, C = 1", 2.0)))],
        [Line("shrunk", solver="smo_pair", title="SMO with shrinking"),
            Line("unshrunk", "solver.shrinking=false", solver="smo_pair", title="SMO without")],
        [Group(3)])
    claims = [
        claim("shrinking saves time", "after the slides on nested decomposition and shrinking",
            "During the inner optimisation the gradients of shrunk coordinates need not be maintained, "
            "which saves time. The slides name this as the advantage, and recomputing as the disadvantage, "
            "and do not say that the first prevails.",
            Order("with against without", Value("shrunk", "cpu_seconds"), Value("unshrunk", "cpu_seconds"),
                ratio=True),
            target="LEC-4", sure="ours",
            seen=(
                "Estimates from other runs, 15.9 s with and 2.3 s without shrinking on Adult, were known. A "
                "claim of the lecture until its outcome was known: deviates."))]
    return Grid("LEC-4", "Lecture: seconds of SMO with and without shrinking",
        LECTURE + "slides on shrinking", runs, claims,
        cell="{seconds:.3g} s ({error:.2f} %)",
        values={"seconds": Value(EACH, "cpu_seconds"), "error": Value(EACH)}, counters="cpu_seconds")


def lec_2b() -> Artifact:
    """Lecture: Platt's choice of the active pair and the worst violating pair, by the runs of LEC-2."""
    claims = [
        claim("the worst violating pair improves on Platt's choice",
            "Slides SMO: Choice of Active Support Vectors, and the note on slide SMO Algorithm",
            "The algorithm with the worst violating pair is an improved version of Platt's: to the same "
            "tolerance it takes fewer iterations and fewer kernel evaluations. An iteration of Platt's "
            "method examines one example, whether or not a step follows.",
            *(Order(name, Value("worst_pair", metric), Value("platt", metric), ratio=True)
              for name, metric in (("evaluations by row update", "kev_rowupdate"),
                  ("iterations", "iterations"))),
            sure="inferred",
            seen="The counts were known; the tests require no more than the slide says."),
        claim("Platt's choice reaches the same predictor", "Slides SMO: Choice of Active Support Vectors",
            "The test errors of the two agree to 0.1 points.",
            Order("Platt's at most 0.1 points worse", Value("platt"), Value("worst_pair") + 0.1),
            Order("Platt's at most 0.1 points better", Value("worst_pair"), Value("platt") + 0.1),
            sure="ours", seen="The counts of these runs were known.")]
    return Grid("LEC-2b", "Lecture: Platt's choice of the pair and the worst violating pair",
        LECTURE + "slides on the choice of active support "
        "vectors and the SMO algorithm",
        shared("lec-2", "worst_pair platt"), claims,
        cell="{iterations:,.0f} iterations, {rows:.2e} evaluations, {error:.2f} %",
        values={"iterations": Value(EACH, "iterations"), "rows": Value(EACH, "kev_rowupdate"),
            "error": Value(EACH)},
        supplied=DATA)


def lec_3() -> Artifact:
    """Lecture: dual coordinate descent in random order on linear problems."""
    claims = [
        claim("coordinate descent converges on linear problems", "Slides on dual coordinate descent",
            "Dual coordinate descent in random order converges on linear problems: to a suboptimality of "
            "1e-4.",
            Order("suboptimality at the end", Value("dcd_exact", "suboptimality"), 1e-4), sure="inferred",
            by_construction="the runs end at a duality gap far below this")]
    return Curves("LEC-3", "Lecture: dual coordinate descent in random order",
        LECTURE + "slides on dual coordinate descent; Hsieh "
        "et al., ICML 2008",
        shared("solvers-linear", "dcd_exact"), claims, metrics="suboptimality test_error",
        counters="iterations", scale="log")


def lec_4() -> Artifact:
    """Shrinking in dual coordinate descent, judged by the coordinates that are visited: our own question. The
    lecture's slide is about SMO, where shrinking saves only time, which no count shows; LEC-2 has its cost
    there."""
    runs = Runs(
        "kernel=linear problem.bias=none problem.lam=1e-4 budget=paper budget.kev=null solver.eps=1e-3",
        [Panel("adult", "Adult, λ = 1e-4", "dataset=adult"),
            Panel("ijcnn1", "ijcnn1, λ = 1e-4", "dataset=ijcnn1"),
            Panel("rcv1_subset", "RCV1 subset, λ = 1e-4", "dataset=rcv1_subset")],
        [Line("shrunk", solver="dcd", title="with shrinking"),
            Line("unshrunk", "solver.shrinking=false", solver="dcd", title="without")],
        [Group(5)])
    claims = [
        claim("shrinking saves visits", "after the slide on shrinking",
            "Leaving out coordinates that have stayed at a bound saves work: to the same tolerance fewer "
            "coordinates are visited, at most nine in ten.",
            Ratio("coordinates visited, with over without", Value("shrunk", "inner_products"),
                Value("unshrunk", "inner_products"), (0.0, 0.9)),
            sure="ours"),
        claim("shrinking does not change the answer", "after the slide on shrinking",
            "Coordinates that were left out are visited again at the end, so the answer is as good: the "
            "objectives agree to a part in a thousand.",
            Ratio("objectives, with over without", Value("shrunk", "primal_objective"),
                Value("unshrunk", "primal_objective"), (0.999, 1.001)),
            sure="ours", by_construction="both runs end at the same tolerance")]
    return Grid("LEC-4", "Lecture: shrinking in dual coordinate descent",
        LECTURE + "slide on shrinking (Joachims 1999)", runs,
        claims, cell="{visits:.2e} visits, gap {gap:.1e}, {error:.2f} %",
        values={"visits": Value(EACH, "inner_products"), "gap": Value(EACH, "relative_gap"),
            "error": Value(EACH)})


def lec_5() -> Artifact:
    """Lecture: caching of kernel rows, judged by the evaluations that are computed."""
    runs = Runs(
        "kernel=gaussian problem.bias=unregularised budget=paper budget.kev=null budget.seconds=600 "
        "prefetch=false",
        [REUTERS], [Line("smo_pair")], [Group(1, over={"budget.memory": [1, 2, 4, 8, 16, 32, 64, 256]})])
    claims = [
        claim("a cache saves evaluations", "Slide on caching",
            "Caching kernel rows saves evaluations: the more rows the cache holds, the fewer are computed "
            "again.",
            Slope("the slope is negative", Value("smo_pair", "kev_computed"), (None, -0.05),
                over="budget.memory"),
            Order("all rows kept, against a cache of 1 MiB",
                Value("smo_pair", "kev_computed", where={"budget.memory": 256}),
                Value("smo_pair", "kev_computed", where={"budget.memory": 1}), ratio=True),
            sure="inferred",
            by_construction=(
                "with least-recently-used replacement, a larger cache contains every row that a smaller one "
                "does"))]
    return Sweep("LEC-5", "Lecture: kernel evaluations really made against the size of the row cache",
        LECTURE + "slides on caching", runs, claims,
        x="budget.memory", x_label="row cache (MiB)", y=Value(EACH, "kev_computed"), scale="log")


def lec_6() -> Artifact:
    """Lecture: decomposition into larger working sets against pairs, on stored runs."""
    claims = [
        claim("nested sets save maintenance", "Slides on nested decomposition",
            "Solving the problem of a working set before all gradients are updated saves updates: fewer "
            "evaluations counted by row update than with pairs.",
            Ratio("evaluations by row update", Value("decomposition", "kev_rowupdate"),
                Value("smo_pair", "kev_rowupdate"), (0.0, 1.0)),
            sure="inferred")]
    return Grid("LEC-6", "Lecture: nested decomposition against pairs",
        LECTURE + "slides on nested decomposition",
        shared("solvers-bias", "decomposition smo_pair"), claims,
        cell="{maintained:.2e} maintained, {computed:.2e} computed, {seconds:.1f} s",
        values={"maintained": Value(EACH, "kev_rowupdate"), "computed": Value(EACH, "kev_computed"),
            "seconds": Value(EACH, "wall_seconds")},
        supplied=DATA)


def lec_7() -> Artifact:
    """Lecture: the candidate set of chunking grows."""
    runs = Runs(
        "kernel=gaussian problem.bias=unregularised budget=paper budget.kev=null budget.memory=2048 "
        "observe.points=20",
        [Panel("reuters", "Reuters", "dataset=reuters kernel.gamma=1.0 problem.C=1.0"),
            Panel("usps", "USPS", "dataset=usps kernel.gamma=2.0 problem.C=1.0"),
            Panel("twonorm", "Twonorm", "dataset=twonorm kernel.gamma=0.02 problem.C=1.0")],
        [
            # Chunks that are small compared to the data, so that there are many of them.
            Line("chunking", "solver.first=100 solver.q=100")],
        [Group(5)])
    claims = [
        claim("the candidate set grows", "Slide on chunking",
            "Typically the candidate set grows from iteration to iteration: it is larger at the end than "
            "at the last checkpoint of the first tenth of the iterations.",
            Order("a tenth of the way against the end",
                Value("chunking", "candidates", at=0.1 * Value("chunking", "iterations")),
                Value("chunking", "candidates"), ratio=True)),
        claim("all support vectors end in it", "Slide on chunking",
            "In the end the kernel matrix of all support vectors must be stored: the last candidate set has "
            "at least as many examples as there are support vectors.",
            Ratio("support vectors over candidates at the end", Value("chunking", "support_vectors"),
                Value("chunking", "candidates"), (0.0, 1.0)),
            by_construction="only a candidate can have a coefficient")]
    return Curves("LEC-7", "Lecture: the candidate set of chunking",
        LECTURE + "slide on chunking", runs, claims,
        metrics="candidates support_vectors", counters="iterations", scale="log",
        supplied=DATA)


def lec_8() -> Artifact:
    """Lecture, dual coordinate descent: a constant attribute in place of the unregularised intercept."""
    runs = Runs(
        # C corresponds to λ = 1e-4 on Adult. The limit on evaluations is only a safeguard: both end by their
        # own rules.
        "budget=paper budget.kev=3e10 budget.memory=2048 problem.C=0.3 solver.eps=1e-3",
        [Panel("adult", "Adult, linear", "dataset=adult"),
            Panel("twonorm", "Twonorm, linear", "dataset=twonorm")],
        [
            # (<x, z> + 1)^1: the inner product of examples with an attribute that is always 1.
            Line("constant",
                "kernel=polynomial kernel.degree=1 kernel.gamma=1.0 kernel.coef0=1.0 problem.bias=none",
                solver="smo", title="constant attribute"),
            Line("bias", "kernel=linear problem.bias=unregularised", solver="smo_pair",
                title="unregularised bias")],
        [Group(1)])
    claims = [
        claim("a constant attribute stands in for the intercept", "Slide on dual coordinate descent",
            "With a constant attribute in place of an intercept, as on the slide, the predictor is as good. "
            "We read this as errors that differ by at most a twentieth.",
            Ratio("test errors", Value("constant"), Value("bias"), (0.95, 1.05)),
            Ratio("objectives: the intercept's own regularisation costs little",
                Value("constant", "primal_objective"), Value("bias", "primal_objective"), (0.99, 1.05)),
            sure="inferred")]
    return Grid("LEC-8", "Lecture: a constant attribute against an unregularised bias",
        LECTURE + "slide on dual coordinate descent (Hsieh "
        "et al. 2008)",
        runs, claims, cell="{error:.2f} %, objective {objective:.5f}, norm {norm:.3f}",
        values={"error": Value(EACH), "objective": Value(EACH, "primal_objective"),
            "norm": Value(EACH, "norm")},
        supplied=DATA)


def lec_e() -> Artifact:
    """Errata of the lecture: counter-examples to the printed rules, and the correct rules."""
    claims = [
        # An erratum is a property of the slide, and the right rule is a matter of algebra: neither is a
        # reproduction.
        claim("the slide's second-order choice is an erratum", "Slide on the choice of the second variable",
            "The slide chooses the second variable with the smallest (F_i - F_k)²/(K_ii + K_kk - 2 K_ik). "
            "This is an erratum: the largest value gives the largest gain, and the smallest never does. The "
            "later slide Partial Newton Algorithm has the largest.",
            Exact("the greatest gains most", Measured("greatest score has the greatest gain"), 1.0),
            Exact("the least, as printed, does not", Measured("least score has the greatest gain"), 0.0),
            sure="ours", by_construction="algebra, checked on random numbers"),
        claim("the slide's intervals of the step, corrected", "Slide SMO Algorithm, line 8",
            "Where the labels differ, line 8 exchanges the lower and the upper end. The intervals of the "
            "slide Partial Gradient keep both coefficients between 0 and C.",
            Exact("steps inside the box", Measured("steps inside the box"), 1.0), sure="ours",
            by_construction="algebra, checked on random numbers"),
        claim("the bias where neither coefficient is at a bound", "Slide on the bias",
            "The slide says that any bias in between may be chosen if neither coefficient is at a bound. In "
            "this case the two examples give the same bias; the choice is free only if both coefficients "
            "are at bounds.",
            Exact("the two biases agree", Measured("biases apart where neither is at a bound"), 0.0,
                within=1e-9),
            sure="ours", by_construction="algebra, checked on random numbers")]
    return Check("LEC-E", "Lecture: errata of the slides",
        LECTURE + "slides", claims=claims,
        function="lecture_errata", arguments={"trials": 2000})
