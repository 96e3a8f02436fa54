"""Questions of our own on what methods cost, by evaluations and by seconds."""

from __future__ import annotations

from svmbench.papers.artifact import Artifact, Curves, Grid, Profile, Sweep
from svmbench.papers.claims import claim
from svmbench.papers.documents._sets import on
from svmbench.papers.predicates import Order, Ratio
from svmbench.papers.quantities import EACH, Arrival, Value
from svmbench.papers.runs import Group, Line, Panel, RunOf, Runs


def x_polish() -> Artifact:
    """Polishing: an exact solver begins at the answer of an approximate one. Glasmachers (2022) trains on a
    low-rank approximation of the kernel and names polishing in the title; only the abstract is at hand, so
    the question and the limits are ours. The limit of nine tenths is that of LEC-4 and X-SCREEN."""
    runs = Runs("kernel=gaussian problem.bias=none budget=paper budget.kev=null observe.points=5",
        [*on("adult ijcnn1 mnist"),
            Panel("covtype", "Covertype, 50,000 examples", "dataset=covtype dataset.split=50k")],
        [Line("zero", solver="decomposition", title="Decomposition from zero"),
            Line("nystrom", "features=nystrom features.s=512", solver="dcd",
                title="DCD on 512 Nyström features"),
            Line("nystrom_polished", solver="decomposition", title="Decomposition from there"),
            Line("lasvm", "solver.finishing=expansion", title="LASVM, one pass"),
            Line("lasvm_polished", solver="decomposition", title="Decomposition from there")],
        [Group(1, "zero"), Group(3, "nystrom lasvm"),
            Group(3, "nystrom_polished", values={"start": RunOf("nystrom")}),
            Group(3, "lasvm_polished", values={"start": RunOf("lasvm")})])
    claims = [
        claim("an approximate answer shortens exact training", "our own question",
            "From an approximate answer, decomposition takes at most nine tenths of the evaluations on "
            "demand that it takes from zero.",
            *(Ratio(name, Value(solver, "kev_ondemand"), Value("zero", "kev_ondemand"), (0.0, 0.9))
              for name, solver in (("from Nyström features", "nystrom_polished"),
                  ("from LASVM", "lasvm_polished"))),
            sure="ours"),
        claim("approximate and exact training cost less than exact training alone", "our own question",
            "The approximate answer and its polishing together take fewer evaluations on demand than "
            "decomposition from zero.",
            *(Ratio(name, Value(solver, "kev_ondemand") + Value(other, "kev_ondemand"),
                  Value("zero", "kev_ondemand"), (0.0, 1.0))
              for name, solver, other in (("Nyström features", "nystrom_polished", "nystrom"),
                  ("LASVM", "lasvm_polished", "lasvm"))),
            sure="ours")]
    return Grid("X-POLISH", "Beyond: polishing approximate answers by an exact solver",
        "our own question, after Glasmachers: Recipe for Fast Large-scale SVM Training: Polishing, "
        "Parallelism, and more RAM!, 2022",
        runs, claims, cell="{evaluations:.3g} evaluations, {error:.2f} %",
        values={"evaluations": Value(EACH, "kev_ondemand"), "error": ("mean", Value(EACH))},
        counters="kev_ondemand")


def x_profile() -> Artifact:
    """Beyond the documents: on how many problems does a solver reach an accuracy, and after how many
    evaluations?"""
    strict = "reuters_100 usps_100 twonorm_100 ringnorm_100 waveform_100 banana_100 checkerboard_100"
    runs = Runs(
        # Nine data sets at two values of C. Without bias, because most of the methods have none; the larger
        # sets have larger budgets, about the same for each example.
        "kernel=gaussian problem.bias=none budget=paper budget.kev=3e8 budget.memory=1024",
        [Panel(f"{name}_{C}", f"{title}, C = {C}", f"dataset={name} {options}problem.C={C}.0")
            for name, title, options in (("reuters", "Reuters", ""), ("usps", "USPS", ""),
                ("twonorm", "Twonorm", "dataset.n_train=4000 "),
                ("ringnorm", "Ringnorm", "dataset.n_train=4000 "), ("waveform", "Waveform", ""),
                ("banana", "Banana", ""), ("checkerboard", "Checkerboard", ""),
                ("adult", "Adult", "budget.kev=3e9 "), ("ijcnn1", "IJCNN1", "budget.kev=3e9 "))
            for C in (1, 100)],
        # SBP comes first, because nu=auto computes the optimum that bounds the methods without a dual point.
        [Line("sbp"), Line("smo", "solver.eps=1e-4"), Line("decomposition", "solver.eps=1e-4"),
            Line("svm_light", "solver.eps=1e-4"), Line("gpdt", "solver.eps=1e-4"),
            Line("chunking", "solver.eps=1e-4"), Line("lasvm", "solver.eps=1e-4"), Line("sdca"),
            Line("pegasos"), Line("sgd_ball")],
        # At C = 100, runs with a tolerance of 1e-4 end above a gap of 0.001, so methods with a tolerance get
        # a smaller one there. On the two larger sets their budget or this tolerance suffices.
        [
            Group(1, exceptions=[{"panel": panel} for panel in strict.split()]),
            Group(1, "sbp sdca pegasos sgd_ball", strict),
            Group(1, "smo decomposition svm_light gpdt chunking lasvm", strict, "solver.eps=1e-6")])
    claims = [
        claim("exact solvers reach a gap of 0.001 first", "our own question",
            "SMO reaches a relative duality gap of 0.001 after fewer evaluations than SDCA, Pegasos and SBP "
            "on every problem and under both conventions. This is the subject of the theory of dual "
            "decomposition.",
            *(Order(name, Arrival("smo", "relative_gap", level=1e-3),
                  Arrival(solver, "relative_gap", level=1e-3), ratio=True)
              for name, solver in (("before SDCA", "sdca"), ("before Pegasos", "pegasos"),
                  ("before SBP", "sbp"))),
            sure="ours")]
    return Profile("X-PROFILE", "Beyond: data profiles of kernel solvers",
        "our own question; data profiles after Moré and Wild 2009, performance profiles after Dolan and "
        "Moré 2002",
        runs, claims, metric="relative_gap", targets=[0.1, 0.01, 0.001],
        counters="kev_ondemand kev_rowupdate")


def x_screen() -> Artifact:
    """Beyond the documents: coordinates that dual coordinate descent leaves out by proof and by heuristic.
    LEC-4 compares heuristic shrinking with none; the screening rules of the literature prove that coordinates
    may be left out."""
    def visits(solver: str, level: float) -> Arrival:
        return Arrival(solver, "relative_gap", level=level, first=True)

    runs = Runs(
        # A tolerance that a relative gap of 1e-6 needs: by LEC-4, 1e-3 ends between 2e-7 and 2e-6.
        "kernel=linear problem.bias=none problem.lam=1e-4 budget=paper budget.kev=null budget.gap=1e-6 "
        "solver.eps=1e-4 observe.points=40",
        [Panel("adult", "Adult, λ = 1e-4", "dataset=adult"),
            Panel("ijcnn1", "ijcnn1, λ = 1e-4", "dataset=ijcnn1"),
            Panel("rcv1_subset", "RCV1 subset, λ = 1e-4", "dataset=rcv1_subset"),
            Panel("w8a", "w8a, λ = 1e-4", "dataset=w8a")],
        [Line("none", "solver.shrinking=false", solver="dcd", title="nothing left out"),
            Line("shrunk", solver="dcd", title="shrinking"),
            Line("screened", "solver.shrinking=gap_safe", solver="dcd", title="gap-safe screening")],
        [Group(5)])
    claims = [
        claim("screening saves visits to 1e-6", "our own question",
            "Gap-safe screening saves more than its checks cost: to a relative gap of 1e-6 it takes, checks "
            "included, at most nine in ten of the visits that are needed without it (the threshold of "
            "LEC-4).",
            Ratio("visits to 1e-6, screened over none", visits("screened", 1e-6), visits("none", 1e-6),
                (0.0, 0.9)),
            sure="ours"),
        claim("screening saves visits to 1e-3", "our own question", "The same to a relative gap of 1e-3.",
            Ratio("visits to 1e-3, screened over none", visits("screened", 1e-3), visits("none", 1e-3),
                (0.0, 0.9)),
            sure="ours"),
        claim("a guess saves more than a proof", "our own question",
            "Heuristic shrinking can leave out coordinates at any time and checks them in the end; "
            "screening must wait until the gap is small. Shrinking needs fewer visits, to 1e-3 and to 1e-6.",
            *(Order(name, visits("shrunk", level), visits("screened", level), ratio=True)
              for name, level in (("visits to 1e-6", 1e-6), ("visits to 1e-3", 1e-3))),
            sure="ours"),
        claim("screening does not change the answer", "our own question",
            "The final objectives with and without screening agree to the relative gap at which both ended.",
            Ratio("objectives, screened over none", Value("screened", "primal_objective"),
                Value("none", "primal_objective"), (0.99999, 1.00001)),
            sure="ours", by_construction="both runs end at the same relative gap")]
    return Grid("X-SCREEN", "Beyond: gap-safe screening and shrinking in dual coordinate descent",
        "our own question, after Fercoq, Gramfort, Salmon (2015) and Ogawa, Suzuki, Takeuchi (2013)", runs,
        claims, cell="{early:.2e} visits to 1e-3, {late:.2e} to 1e-6",
        values={"early": visits(EACH, 1e-3), "late": visits(EACH, 1e-6)})


def x_seconds() -> Artifact:
    """Beyond the documents: test error against seconds and against counts, for all kernel solvers without a
    bias. Each run is alone on its machine, with one thread and 30 or 60 seconds of training."""
    runs = Runs(
        "kernel=gaussian problem.bias=none budget=paper budget.kev=null budget.memory=4096 "
        "observe.train=false",
        [Panel("adult", "Adult", "dataset=adult budget.seconds=30"),
            Panel("mnist", "MNIST, 8 against rest", "dataset=mnist budget.seconds=60"),
            Panel("reuters", "Reuters, money-fx", "dataset=reuters budget.seconds=30"),
            Panel("covtype", "Covertype, 464,809 examples",
                "dataset=covtype dataset.split=asset budget.seconds=60")],
        [Line("sbp"), Line("pegasos"), Line("sdca"), Line("smo"), Line("perceptron"), Line("svm_light"),
            Line("lasvm", "solver.finishing=expansion"), Line("decomposition")],
        [Group(3)])
    # The test of Figure 2 of the SBP paper, by seconds.
    claims = [
        claim("SBP is ahead by seconds, too", "our own question, after section 4.2 of the SBP paper",
            "SBP needs fewer CPU seconds than each other method of Figure 2 until it stays within half a "
            "point of the certified optimum's test error.",
            *(Order(name, Arrival("sbp", within=0.5), Arrival(solver, within=0.5), ratio=True,
                  panels="adult mnist reuters", counters="cpu_seconds")
              for name, solver in (("Pegasos", "pegasos"), ("SDCA", "sdca"), ("SMO", "smo"),
                  ("Perceptron", "perceptron"))),
            sure="ours"),
        claim("an exact solver is ahead by seconds", "our own question",
            "Decomposition needs fewer CPU seconds than SBP until it stays within half a point of the "
            "certified optimum's test error.",
            Order("decomposition against SBP", Arrival("decomposition", within=0.5),
                Arrival("sbp", within=0.5), ratio=True, panels="adult mnist reuters", counters="cpu_seconds"),
            sure="ours")]
    return Curves("X-SECONDS", "Beyond: test error against seconds and against counted evaluations",
        "our own question, after Figure 2 of the SBP paper and Figure 5 of the Pegasos paper", runs, claims,
        metrics="test_error", counters="cpu_seconds kev_ondemand kev_rowupdate kev_iter",
        scale="log")


def x_time() -> Artifact:
    """Beyond the documents: which convention of counting predicts seconds? CPU time of training per counted
    evaluation, solver by solver, on four kinds of data. Each run was alone on its machine, with one thread.
    """
    runs = Runs(
        "kernel=gaussian problem.C=1.0 problem.bias=none budget=paper budget.kev=1e8 budget.memory=2048 "
        "observe.points=3",
        # Four layouts of the examples: sparse, bits, bytes (pixels) and float32 (docs/architecture.md).
        [Panel("reuters", "Reuters (sparse)", "dataset=reuters"),
            Panel("adult", "Adult (bits)", "dataset=adult"),
            Panel("mnist", "MNIST, 8 against rest (bytes)", "dataset=mnist"),
            Panel("ijcnn1", "IJCNN1 (float32)", "dataset=ijcnn1")],
        [Line("smo"), Line("decomposition"), Line("svm_light"), Line("sbp"), Line("pegasos"), Line("sdca"),
            Line("perceptron")],
        [Group(2)])
    # All methods are compared with SMO, which is charged n for a row under every convention. A factor of two
    # is visible on the axis of Figure 2 of the SBP paper.
    claims = [
        claim(f"counts {words} predict seconds", "our own question", text,
            *(Ratio(name, Value(solver, "nanoseconds"), Value("smo", "nanoseconds"), (0.5, 2.0),
                  counters=counter)
              for name, solver in (("decomposition", "decomposition"), ("SVM-light", "svm_light"),
                  ("SBP", "sbp"), ("Pegasos", "pegasos"), ("SDCA", "sdca"), ("Perceptron", "perceptron"))),
            sure="ours")
        for words, counter, text in (
            ("on demand (A)", "kev_ondemand",
                "The time per evaluation counted on demand is the same for each method as for SMO on the "
                "same data, within a factor of 2."),
            ("by row update (B)", "kev_rowupdate",
                "The same holds for evaluations counted by row update."),
            ("per iteration (C)", "kev_iter", "The same holds for evaluations counted per iteration."))]
    return Curves("X-TIME", "Beyond: CPU time per counted kernel evaluation",
        "our own question, after Section 4 of the SBP paper, which compares methods by their counted "
        "evaluations",
        runs, claims, metrics="nanoseconds", counters="kev_ondemand kev_rowupdate kev_iter",
        scale="log",
        notes=[
            "A convention predicts seconds where the lines of a panel coincide: an evaluation then takes "
            "every method the same time."])


def x_where() -> Artifact:
    """Beyond the documents: where does SBP win? Evaluations until the test error stays within half a point of
    the optimum's, over the width of the kernel and C. A hollow marker: not reached within the budget."""
    every = [0.1, 1.0, 10.0, 100.0]
    # If two arrivals are near each other, checkpoints are closer, which makes it a different run: lines,
    # panel, values of C, and the limit if it is not that of the panel.
    smo = (("reuters_narrow", [1.0], "null"), ("adult_middle", [1.0], "1e10"),
        ("adult_narrow", [0.1], "1e10"), ("usps_middle", [1.0], "3e9"),
        ("mnist_middle", [0.1, 1.0, 100.0], "1e9"))
    others = (("sbp pegasos sdca", "reuters_narrow", [1.0, 100.0], ""), ("sbp", "adult_middle", [1.0], ""),
        ("sbp sdca", "adult_narrow", [0.1], ""), ("sbp", "usps_middle", [1.0], ""),
        ("sbp pegasos sdca", "usps_middle", [0.1], ""), ("sbp pegasos sdca", "usps_narrow", [0.1, 100.0], ""),
        ("sbp", "mnist_middle", [0.1, 1.0, 100.0], ""), ("sbp", "mnist_narrow", [0.1], " budget.kev=1e9"),
        ("sbp", "mnist_narrow", [1.0, 100.0], ""))
    closer = [{"panel": panel, "solver": line, "problem.C": C}
        for lines, panel, values, _ in (*(("smo", *one) for one in smo), *others)
        for line in lines.split() for C in values]
    runs = Runs("kernel=gaussian problem.bias=none budget=paper budget.memory=1024",
        # A row for each width: ten times wider than the suggested one, the suggested one, and ten times
        # narrower.
        [Panel(f"{name}_{width}", f"{title}, γ = {factor * gamma:g}",
            f"dataset={name} kernel.gamma={round(factor * gamma, 3)} budget.kev={most}")
            for width, factor in (("wide", 0.1), ("middle", 1.0), ("narrow", 10.0))
            for name, title, gamma, most in (("reuters", "Reuters", 1.0, "1e8"),
                ("adult", "Adult", 0.05, "1e9"), ("usps", "USPS, 0", 2.0, "3e8"),
                ("mnist", "MNIST, 8", 0.02, "3e8"))],
        # SBP comes first, because nu=auto computes the optimum to which errors are compared.
        [Line("sbp"), Line("smo"), Line("pegasos"), Line("sdca")],
        # SMO's limit is longer; SMO ends earlier if it has converged.
        [
            *(Group(1, "smo", f"{name}_wide {name}_middle {name}_narrow", f"budget.kev={most}",
                over={"problem.C": every}, exceptions=closer)
              for name, most in (("reuters", "null"), ("adult", "1e10"), ("usps", "3e9"), ("mnist", "1e9"))),
            *(Group(1, "smo", panel, f"budget.kev={most} observe.points=40", over={"problem.C": values})
              for panel, values, most in smo),
            Group(2, "sbp pegasos sdca", over={"problem.C": every}, exceptions=closer),
            *(Group(2, lines, panel, f"observe.points=40{most}", over={"problem.C": values})
              for lines, panel, values, most in others)])
    claims = [
        claim(f"SBP arrives first, at {setting}", "our own map",
            f"At C = {C}, SBP needs fewer evaluations than SMO, Pegasos and SDCA until it stays within half "
            "a point of the optimum's test error. We ask at which widths and under which convention.",
            *(Order(name, Arrival("sbp", within=0.5, where={"problem.C": C}),
                  Arrival(solver, within=0.5, where={"problem.C": C}), ratio=True)
              for name, solver in (("before SMO", "smo"), ("before Pegasos", "pegasos"),
                  ("before SDCA", "sdca"))),
            sure="ours")
        for setting, C in (("the usual setting", 1.0), ("strong regularisation", 0.1),
            ("weak regularisation", 100.0))]
    return Sweep("X-WHERE", "Beyond: where SBP wins, over the width of the kernel and C",
        "our own question, after Figure 2 of the SBP paper", runs, claims, x="problem.C", x_label="C",
        y=Arrival(EACH, within=0.5), y_label="evaluations to optimum + 0.5 points", scale="log", share_y=True,
        counters="kev_ondemand kev_rowupdate kev_iter")
