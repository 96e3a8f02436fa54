"""Figures, tables and claims of the paper on the Stochastic Batch Perceptron."""

from __future__ import annotations

from svmbench.papers.artifact import Artifact, Check, Curves, Filling, Grid, Sweep
from svmbench.papers.claims import claim
from svmbench.papers.keys import TESTS, Key, N
from svmbench.papers.predicates import Below, Ended, Exact, Late, Near, Order, Ratio, Rises, Slope
from svmbench.papers.quantities import (
    EACH,
    Arrival,
    FirstEpoch,
    Known,
    LastShared,
    Measured,
    Optimum,
    Stable,
    Value,
    by_panel,
)
from svmbench.papers.runs import Group, Line, Panel, Runs, shared

SBP = "Cotter, Shalev-Shwartz, Srebro: The Kernelized Stochastic Batch Perceptron, ICML 2012, "
# What is ours of the experiments with the data sets of Table 2, whose numbers the text at hand lacks.
REMEMBERED = "σ² and λ, from memory"
MARGIN = Panel("margin", "margin 0.1 in 200 dimensions, no noise",
    "dataset=margin dataset.margin=0.1 dataset.dimensions=200 dataset.noise=0.0")

# The columns of Table 2; σ² is 1/(2 γ).
SIZES = "{n:,.0f} + {tests:,.0f} examples, σ² = {width:g}, 1/(λ n) = {C:g}, "
TABLE_2: dict[str, Filling] = {"n": N, "tests": TESTS, "width": 0.5 / Key("kernel.gamma"),
    "C": Key("problem.C"), "nu": Optimum("nu"), "norm": Optimum("norm"),
    "hinge": Optimum("mean_hinge"), "error": Optimum("test_error")}

def sbp_e1() -> Artifact:
    """Lemma E.1 of the SBP paper, on a separable set, solved exactly."""
    claims = [
        claim("a point that is accurate in the dual may be useless in the primal", "Appendix E, Lemma E.1",
            "If u separates the data without loss and λ = e/|u|², the dual point 0 is e-suboptimal, while "
            "the primal point 0 is at least (1 - e)-suboptimal.",
            Ratio("0 is e-accurate in the dual", Measured("dual suboptimality of 0 over e"), 1.0, (0.0, 1.0)),
            Ratio("0 is (1 - e)-suboptimal in the primal", Measured("primal suboptimality of 0 over 1 - e"),
                1.0, (1.0, None)),
            by_construction="a lemma, checked on one set that is solved exactly")]
    return Check("SBP-E1", "SBP, Lemma E.1: accurate in the dual, useless in the primal", SBP + "Appendix E",
        claims=claims, function="lemma_e_1", arguments={"eps": [0.3, 0.1, 0.03, 0.01]})


def sbp_e2() -> Artifact:
    """Theorem E.2 of the SBP paper (Hush et al. 2006, Theorem 2): dual accuracy λ e²/118 guarantees primal
    accuracy e."""
    claims = [
        claim("dual accuracy guarantees primal accuracy", "Appendix E, Theorem E.2",
            "An iterate whose dual objective is within λ e²/118 of the optimum has a primal objective "
            "within e of it. The constant is given from memory.",
            *(Ratio(name, Value(solver, "dual_guarantee", peak=True), 1.0, (0.0, 1.0))
              for name, solver in (("SMO never exceeds the guarantee", "smo"),
                  ("SDCA never exceeds the guarantee", "sdca"))),
            sure="unconfirmed", by_construction="a theorem, if its constant is remembered correctly")]
    return Curves("SBP-E2", "SBP, Theorem E.2: primal accuracy beside what the dual one guarantees",
        SBP + "Appendix E; the constant 118 is unconfirmed", shared("sbp-f2", "smo sdca"), claims,
        metrics="dual_guarantee", counters="kev_ondemand", scale="log",
        levels=[dict(label="what is guaranteed", value=1.0)])


def sbp_f1() -> Artifact:
    """Figure 1 of the SBP paper: the water level."""
    claims = [
        claim("the slacks that raise responses to the water level sum to n ν", "Section 3.2, Figure 1",
            "The slacks that raise all responses to the water level sum to n ν.",
            Exact("volume over n ν", Measured("water"), 1.0, within=1e-9),
            by_construction="the definition of the water level")]
    return Check("SBP-F1", "SBP, Figure 1: the water level", SBP + "Figure 1", claims=claims,
        function="basin")


def sbp_f2() -> Artifact:
    """Figure 2 of the SBP paper: five solvers without bias on three data sets. What is not set here is the
    default of `svmbench run`."""
    runs = Runs(
        # The size of the row cache (MiB) changes only the time and kev_computed.
        "kernel=gaussian problem.C=1.0 problem.bias=none budget=paper budget.memory=2048",
        # One panel per data set, from left to right. gamma is 1/(2 σ²) with the σ² of Table 2; C = 1 is its λ
        # = 1/n. `known` has values of the optimum that were measured beforehand: objective, test mistakes,
        # nu; printed_nu is that of Table 2 (unconfirmed).
        [
            Panel("reuters", "Reuters, money-fx", "dataset=reuters kernel.gamma=1.0 budget.kev=2e8",
                known=dict(objective=0.0421002, mistakes=95, nu=6.808e-4, printed_nu=6.34e-4)),
            Panel("adult", "Adult", "dataset=adult kernel.gamma=0.05 budget.kev=1e9",
                known=dict(objective=0.329418, mistakes=2430, nu=1.0973e-2, printed_nu=1.10e-2)),
            Panel("mnist", "MNIST, 8 against rest", "dataset=mnist kernel.gamma=0.02 budget.kev=1e9",
                known=dict(objective=0.02645, mistakes=57, nu=2.1871e-4, printed_nu=2.21e-4))],
        [
            Line("sbp"),
            Line("pegasos"),
            Line("sdca"),
            # No budget, so it ends when it has converged, to a tenth of LIBSVM's tolerance.
            Line("smo", "budget.kev=null solver.eps=1e-4"),
            Line("perceptron")],
        # SMO makes no random choices and runs once. SBP runs to four times the evaluations of the others on
        # demand, about where the others end counted per iteration. The Perceptron on Adult runs for about
        # twenty epochs; sbp-f2p runs it for hundreds.
        [Group(1, "smo", "reuters mnist"), Group(1, "smo", "adult", "observe.points=40"),
            Group(10, "sbp", "reuters", "budget.kev=8e8"), Group(10, "sbp", "adult mnist", "budget.kev=4e9"),
            Group(10, "pegasos sdca perceptron", exceptions=[{"panel": "adult", "solver": "perceptron"}]),
            Group(10, "perceptron", "adult", "budget.kev=1e10")])
    # Thresholds are percentage points of test error, or ratios.
    claims = [
        # Sections 4.1 and 4.2 say how the paper counts: a response costs n evaluations, as much as an update
        # of all responses, so an iteration of Pegasos takes O(n), like one of SBP; 4.4 says the same of SDCA.
        # This is charging per iteration (C).
        claim("SBP does better than Pegasos and SDCA",
            "Section 5, first paragraph after Figure 2; sections 4.1, 4.2 and 4.4",
            "In Figure 2 SBP does better than Pegasos and SDCA, as the upper bounds predict. Sections 4.1 "
            "and 4.2 charge an iteration O(n) evaluations.",
            Below("below Pegasos, over the three data sets", "sbp", "pegasos", together=True),
            Below("below SDCA, over the three data sets", "sbp", "sdca", together=True),
            convention="kev_iter",
            seen=(
                "Until its outcome was known, all three ways of counting decided: deviates, counted on "
                "demand.")),
        claim("SBP does better on every data set", "Figure 2",
            "SBP does better than Pegasos and SDCA on each of the three data sets, judged by the mean of "
            "the curve and by the cost from which it stays near the optimum.",
            Below("below Pegasos", "sbp", "pegasos"),
            *(Order(name, Arrival("sbp", within=within), Arrival("pegasos", within=within), ratio=True)
              for name, within in (("within 0.5 points before Pegasos", 0.5),
                  ("within 0.2 points before Pegasos", 0.2))),
            Below("below SDCA", "sbp", "sdca"),
            *(Order(name, Arrival("sbp", within=within), Arrival("sdca", within=within), ratio=True)
              for name, within in (("within 0.5 points before SDCA", 0.5),
                  ("within 0.2 points before SDCA", 0.2))),
            sure="ours"),
        # Under all conventions SMO and SBP are charged the same, so one is enough.
        claim("SMO makes little progress until late, then converges at once",
            "Section 5, first paragraph after Figure 2",
            "SMO makes little progress until a critical point, after which it converges rapidly.",
            Late("little progress until a quarter of the way", "smo", 0.25, 0.1, far=1.0,
                counters="kev_ondemand")),
        claim("stopping SMO early is bad", "Section 5, first paragraph after Figure 2",
            "Terminating SMO early is not advisable.",
            Order("SBP is better a quarter of the way",
                Value("sbp", at=0.25 * Arrival("smo", level=Value("smo") + 0.1)),
                Value("smo", at=0.25 * Arrival("smo", level=Value("smo") + 0.1), envelope=True),
                counters="kev_ondemand")),
        claim("the Perceptron is similar to SBP in the first epoch",
            "Section 5, second paragraph after Figure 2; section 4.5, Theorems D.2 and D.4",
            "The Perceptron is similar to SBP during the first epoch. How Figure 2 counts is not said. "
            "Section 4.5 and the proof of Theorem D.4 charge an iteration of the Perceptron as many "
            "evaluations as it has made mistakes, that of Theorem D.2 an iteration of SBP n: counting on "
            "demand. So on MNIST the Perceptron is far ahead, since it has seen many examples after the "
            "60,000 evaluations of one iteration of SBP; by row update they are nearly alike.",
            Below("alike in the first epoch", "perceptron", "sbp", until=FirstEpoch("perceptron"),
                within=(0.8, 1.25)),
            convention="kev_ondemand", sure="inferred",
            seen="Until its outcome was known, all three ways of counting decided: deviates."),
        claim("SBP improves after the first epoch", "Section 5, second paragraph after Figure 2; section 4.5",
            "After the first epoch SBP continues to improve; counted as in section 4.5.",
            # Not per iteration (C): the first epoch then takes n² evaluations, after which the runs of SBP
            # soon end.
            Order("SBP improves after the first epoch", Value("sbp", at=LastShared("sbp", "perceptron")),
                Value("sbp", at=FirstEpoch("perceptron")), margin=0.1, counters="kev_ondemand kev_rowupdate"),
            convention="kev_ondemand", sure="inferred",
            seen=(
                "Until its outcome was known, all three ways of counting decided, and SBP had to end "
                "below the Perceptron, which the paper does not say: deviates.")),
        claim("SBP ends below the Perceptron", "our own question, after the second paragraph after Figure 2",
            "At the last cost that both reach, the test error of SBP is below that of the Perceptron on "
            "each data set.",
            Order("it ends below the Perceptron", Value("sbp", at=LastShared("sbp", "perceptron")),
                Value("perceptron", at=LastShared("sbp", "perceptron"))),
            sure="ours", seen="A part of the claim before it until its outcome was known.")]
    return Curves("SBP-F2", "SBP, Figure 2: test error against kernel evaluations",
        SBP + "Figure 2 and Table 2", runs, claims,
        # One picture and one verdict for each counting convention, because the convention decides which
        # method wins (docs/counting.md). The paper's text charges Pegasos and SDCA per iteration and the
        # Perceptron for its mistakes; it does not say how its figure was counted.
        counters="kev_ondemand kev_rowupdate kev_iter",
        # All of them also on one sheet, for comparison. Every axis is logarithmic.
        together=True,
        scale="log",
        # Between 15 and 25 % the methods differ; SMO's jumps go to 76 %.
        ranges={"y reuters": (2.5, 12.0), "y adult": (14.0, 30.0), "y mnist": (0.45, 30.0)},
        notes=[
            "The axes of the error end at 12, 30 and 30 %; SMO's jumps, drawn thin, go on to 86 %.",
            "SMO's error jumps until its critical point, because SMO raises coefficients of the two classes "
            "to C in alternation. If one class has one more coefficient at C at a checkpoint, nearly every "
            "score has the sign of this class, and the error is the share of the other class: on Adult 23.6 "
            "% after 1e6 evaluations (15 coefficients against 16, none predicted positive) and 76.4 % after "
            "2e7 (308 against 307, all predicted positive). Which class it is at a checkpoint is a matter "
            "of chance."], supplied=REMEMBERED)


def sbp_f2d() -> Artifact:
    """Section 5 of the SBP paper on all five curves of Figure 2: which of them is far from its final error
    after a quarter of its cost?"""
    claims = [
        claim("after a quarter of its cost only SMO is far from its end",
            "Section 5, first paragraph after Figure 2; counted as in sections 4.1, 4.2 and 4.5",
            "Unlike the other methods, SMO makes little progress until late: SMO should not be stopped "
            "early, the others may be. After a quarter of its cost, SMO's smallest error is more than a "
            "point above its final error, and that of each other method is not.",
            Late("SMO is late", "smo", 0.25, 0.1, far=1.0, counters="kev_ondemand"),
            Late("SBP is within a point of its end", "sbp", 0.25, 0.1, within=1.0, unfinished=True,
                counters="kev_ondemand"),
            *(Late(name, solver, 0.25, 0.1, within=1.0, unfinished=True, convention=convention)
              for name, solver, convention in (
                  ("Pegasos is within a point of its end", "pegasos", "kev_iter"),
                  ("SDCA is within a point of its end", "sdca", "kev_iter"),
                  ("the Perceptron is within a point of its end", "perceptron", "kev_ondemand"))),
            seen=(
                "The first definition judged all methods after a quarter of SMO's cost, by which some "
                "had hardly any checkpoints, under all three ways of counting: deviates."))]
    return Curves("SBP-F2d", "SBP, section 5: the best error so far of five solvers", SBP + "Section 5",
        shared("sbp-f2"), claims, metrics="least_test_error", counters="kev_ondemand kev_rowupdate kev_iter",
        supplied=REMEMBERED)


def sbp_f2p() -> Artifact:
    """Section 5 of the SBP paper: test and training error of the Perceptron over many epochs on Adult."""
    runs = Runs("kernel=gaussian problem.C=1.0 problem.bias=none budget=paper budget.memory=2048",
        [Panel("adult", "Adult", "dataset=adult kernel.gamma=0.05 budget.kev=1e11")], [Line("perceptron")],
        [Group(10)])
    claims = [
        claim("the Perceptron overfits in later epochs", "Section 5, second paragraph after Figure 2",
            "In later epochs the Perceptron overfits, clearly visible on Adult. We read this as a rising "
            "test error, and as a training error that falls below the test error.",
            Rises("its test error rises", "perceptron", 0.5, since=FirstEpoch("perceptron")),
            Order("training and test error part", Value("perceptron", "train_error"), Value("perceptron"),
                margin=2.0))]
    return Curves("SBP-F2", "SBP, section 5: the Perceptron over hundreds of epochs on Adult",
        SBP + "Section 5", runs, claims, metrics="test_error train_error", counters="epochs",
        supplied=REMEMBERED)


def sbp_f3() -> Artifact:
    """Figure 3 of the SBP paper: random Fourier features and SBP, by inner products of the examples."""
    runs = Runs("problem.C=1.0 problem.bias=none budget=paper",
        [Panel("reuters", "Reuters, money-fx", "dataset=reuters"), Panel("adult", "Adult", "dataset=adult"),
            Panel("mnist", "MNIST, 8 against rest", "dataset=mnist")],
        [
            Line("fourier",
                "kernel=gaussian features=fourier features.form=pairs budget.kev=null solver.eps=1e-3",
                solver="dcd", title="Fourier features, linear optimum"),
            Line("sbp", "kernel=gaussian budget.memory=2048")],
        # The widths and C are those suggested for the data sets, from Table 2. 3e8 inner products are 4,096
        # frequencies on MNIST.
        [
            Group(3, "fourier", over={"features.frequencies": [16, 64, 256, 1024, 4096]}),
            # The inner products that 16, 64, 256, 1,024 and 4,096 frequencies take: frequencies times n.
            Group(3, "sbp", "reuters", over={"budget.kev": [124320, 497280, 1989120, 7956480, 31825920]}),
            Group(3, "sbp", "adult", over={"budget.kev": [520976, 2083904, 8335616, 33342464, 133369856]}),
            Group(3, "sbp", "mnist", over={"budget.kev": [960000, 3840000, 15360000, 61440000, 245760000]})])
    # Both are compared at the same number of inner products: k frequencies take k for each of the n examples.
    # With 16 and 64 frequencies both errors are far above the optimum's; these have a claim of their own.
    claims = [
        claim("SBP is preferable to Fourier features", "Appendix A, last sentence",
            "At least on Reuters and MNIST, SBP is preferable to random Fourier features: at the same "
            "number of inner products it has a lower test error, although the solution of the linear "
            "problem is not charged.",
            *(Order(name, Value("sbp", where={"budget.kev": by_panel(reuters=reuters, mnist=mnist)}),
                  Value("fourier", where={"features.frequencies": frequencies}), panels="reuters mnist")
              for name, reuters, mnist, frequencies in (("256 frequencies", 1989120, 15360000, 256),
                  ("1,024 frequencies", 7956480, 61440000, 1024),
                  ("4,096 frequencies", 31825920, 245760000, 4096))),
            seen=(
                "The first definition gave SBP an eighth to all of the inner products that the features "
                "take, not as many: deviates.")),
        claim("SBP is preferable to few Fourier frequencies", "after Appendix A",
            "The same holds with so few frequencies that neither has a useful predictor.",
            *(Order(name, Value("sbp", where={"budget.kev": by_panel(reuters=reuters, mnist=mnist)}),
                  Value("fourier", where={"features.frequencies": frequencies}), panels="reuters mnist")
              for name, reuters, mnist, frequencies in (("16 frequencies", 124320, 960000, 16),
                  ("64 frequencies", 497280, 3840000, 64))),
            sure="ours"),
        claim("SBP is preferable to Fourier features on Adult, too", "after Appendix A",
            "The same holds on Adult, about which the paper says nothing.",
            *(Order(name, Value("sbp", where={"budget.kev": by_panel(adult=adult)}),
                  Value("fourier", where={"features.frequencies": frequencies}), panels="adult")
              for name, adult, frequencies in (("256 frequencies", 8335616, 256),
                  ("1,024 frequencies", 33342464, 1024), ("4,096 frequencies", 133369856, 4096))),
            sure="ours")]
    return Sweep("SBP-F3", "SBP, Figure 3: random Fourier features and SBP", SBP + "Figure 3 and Appendix A",
        runs, claims,
        # Computing k pairs of features takes k inner products for each of the n examples; solving the linear
        # problem is not charged. An evaluation of the kernel counts as one inner product.
        x={"fourier": Key("features.frequencies") * N, "sbp": "budget.kev"},
        x_label="inner products", y=Value(EACH), scale="log",
        supplied="the numbers of frequencies; " + REMEMBERED)


def sbp_f4() -> Artifact:
    """Figure 4 of the SBP paper: with a bias there are two basins."""
    claims = [
        claim("as many examples are under water in either basin", "Appendix B, Figure 4",
            "At the best bias, as many positive as negative examples have responses below the water level, "
            "and the slacks sum to n ν.",
            Exact("difference of the numbers", Measured("under water apart"), 0.0),
            Exact("volume over n ν", Measured("water"), 1.0, within=1e-9),
            by_construction="the optimality conditions that define the level and the bias")]
    return Check("SBP-F4", "SBP, Figure 4: two basins with a bias", SBP + "Figure 4", claims=claims,
        function="basins")


def sbp_gap() -> Artifact:
    """Section 6 of the SBP paper: a small duality gap is often a stricter criterion than good prediction
    needs."""
    claims = [
        # The text says "often", with SMO as an example, so it is judged over all data sets together.
        claim("a small duality gap is a too strict rule to stop", "Section 6",
            "Where the duality gap can be used, as with SMO, it is often too strict a criterion: less than "
            "half of the evaluations that a relative gap of 0.001 takes are needed until the test error "
            "stays within 0.1 points of its final value.",
            Ratio("SMO, over the three data sets", Arrival("smo", level=Value("smo") + 0.1),
                Arrival("smo", "relative_gap", level=1e-3), (0.0, 0.5), together=True),
            sure="inferred",
            seen=(
                "The first definition required it of SMO and of SDCA on each data set, now a question "
                "of our own: deviates.")),
        claim("a small duality gap is too strict on every data set", "after Section 6",
            "The same holds for SMO and for SDCA on each of the three data sets.",
            *(Ratio(name, Arrival(solver, level=Value(solver) + 0.1),
                  Arrival(solver, "relative_gap", level=1e-3), (0.0, 0.5))
              for name, solver in (("SMO", "smo"), ("SDCA", "sdca"))),
            sure="ours")]
    return Curves("SBP-GAP", "SBP, section 6: gap and test error of SMO and SDCA", SBP + "Section 6",
        shared("sbp-f2", "sdca smo pegasos"), claims, metrics="relative_gap test_error",
        counters="kev_ondemand", scale="log", supplied=REMEMBERED)


def sbp_kf() -> Artifact:
    """Appendix A of the SBP paper: with more frequencies, the linear problem on Fourier features approaches
    the kernel problem. The runs are those of Figure 3."""
    claims = [
        claim("the linear problem nears the kernel problem", "Appendix A",
            "Random Fourier features give an approximately equivalent linear problem, and more frequencies "
            "a better approximation: the test error of the optimum is lower with 4,096 than with 256.",
            Order("4,096 below 256", Value("fourier", where={"features.frequencies": 4096}),
                Value("fourier", where={"features.frequencies": 256})),
            sure="inferred"),
        claim("equivalent with 4,096 frequencies", "Appendix A",
            "The test error with 4,096 frequencies is at most half a point above that of the kernel "
            "problem's optimum.",
            Order("at most 0.5 points above", Value("fourier", where={"features.frequencies": 4096}),
                by_panel(reuters=3.38, adult=15.43, mnist=1.07)),
            sure="ours")]
    return Sweep("SBP-KF", "SBP, appendix A: error on Fourier features against their number",
        SBP + "Appendix A", shared("sbp-f3", "fourier"), claims, x="features.frequencies",
        x_label="frequencies k", y=Value(EACH), scale="log",
        # The certified optima of the kernel problems. On Adult the line of the features ends at the optimum,
        # so there is no room for a label.
        levels=[
            *(dict(label="optimum with the kernel", value=value, panel=panel)
              for value, panel in ((2.88, "reuters"), (14.93, "adult"), (0.57, "mnist")))],
        supplied="the numbers of frequencies; " + REMEMBERED)


def sbp_kq() -> Artifact:
    """Appendix A of the SBP paper: how well Fourier features approximate the kernel, on pairs of training
    examples."""
    claims = [
        claim("the approximation improves with k", "Appendix A",
            "The approximation of the kernel by k random frequencies improves with k: its error falls like "
            "1/√k.",
            *(Slope(name, Measured(measure), (-0.6, -0.4))
              for name, measure in (("Reuters", "reuters"), ("Adult", "adult"), ("MNIST", "mnist"))),
            by_construction="a mean of k independent draws")]
    return Check("SBP-KF", "SBP, appendix A: error of the kernel against the number of frequencies",
        SBP + "Appendix A", claims=claims, function="fourier_quality",
        arguments={
            "sets": {"reuters": {"name": "reuters"}, "adult": {"name": "adult"}, "mnist": {"name": "mnist"}},
            "gammas": {"reuters": 1.0, "adult": 0.05, "mnist": 0.02},
            "frequencies": [16, 64, 256, 1024, 4096], "examples": 2000, "repetitions": 5})


def sbp_l21() -> Artifact:
    """Lemma 2.1 of the SBP paper, on random predictors."""
    claims = [
        claim("norm and loss of a nearly optimal predictor", "Section 2, Lemma 2.1",
            "With ν = L(u)/|u|, a w that is e-suboptimal for the slack-constrained problem, divided by its "
            "value, has norm at most |u|/(1 - e|u|) and mean hinge loss at most L(u)/(1 - e|u|).",
            Ratio("norm over its bound", Measured("norm"), 1.0, (0.0, 1.000000001)),
            Ratio("loss over its bound", Measured("loss"), 1.0, (0.0, 1.000000001)),
            Ratio("u/|u| has a value of at least 1/|u|", Measured("value"), 1.0, (0.999999999, None)),
            by_construction="a lemma, checked on random predictors")]
    return Check("SBP-L21", "SBP, Lemma 2.1: from the slack-constrained problem to the bi-criterion one",
        SBP + "Lemma 2.1", claims=claims, function="lemma_2_1", arguments={"trials": 2000})


def sbp_l31() -> Artifact:
    """Lemma 3.1 of the SBP paper, checked on random predictors."""
    claims = [
        claim("weights on what is under water give a supergradient", "Section 3.2, Lemma 3.1",
            "Minimax optimal weights p at w, such as uniform ones on the responses under the water level, "
            "make sum p_i y_i Phi(x_i) a supergradient of f at w.",
            Order("f is nowhere above the tangent", Measured("above the tangent"), 0.0, margin=-1e-12),
            Exact("uniform weights are minimax optimal", Measured("minimax gap"), 0.0, within=1e-12),
            by_construction="a lemma, checked on random predictors")]
    return Check("SBP-L31", "SBP, Lemma 3.1: the supergradient from what is under water", SBP + "Lemma 3.1",
        claims=claims, function="lemma_3_1", arguments={"trials": 2000})


def sbp_l32() -> Artifact:
    """Lemma 3.2 of the SBP paper: f of the average iterate comes within O(√(log(1/d) / T)) of the optimum."""
    claims = [
        claim("the average iterate is within O(1/√T) of the optimum", "Section 3.4, Lemma 3.2",
            "With probability 1 - d the objective of the average iterate is within O(√(log(1/d) / T)) of "
            "the optimum of the slack-constrained problem after T iterations. With steps of 1/√t in the unit "
            "ball the expected distance is at most 3/√T (Zinkevich 2003), and the optimum is 1/|w|.",
            *(Ratio(f"after {most:,} iterations", Value("sbp", "slack_suboptimality", at=most),
                  Optimum("norm"), (0.0, 3.0 / most**0.5))
              for most in (100, 1000, 10000)),
            by_construction="a theorem",
            seen=(
                "Until its outcome was known, the slope of the curve was judged, first over the whole "
                "run, then over its last part with -0.4 instead of -0.5: reproduced (on Adult the slope "
                "is -0.41). The lemma is an upper bound, below which a curve may be flat.")),
        claim("the average iterate improves at least like 1/√T", "our own question, after Lemma 3.2",
            "The suboptimality of the average iterate falls at least like 1/√T over the last two factors of "
            "ten of the iterations.",
            Slope("slope", Value("sbp", "slack_suboptimality"), (None, -0.5),
                since=0.01 * Value("sbp", "iterations")),
            sure="ours", seen="The test of the lemma until its outcome was known.")]
    return Curves("SBP-L32", "SBP, Lemma 3.2: suboptimality of the average iterate against iterations",
        SBP + "Lemma 3.2", shared("sbp-f2", "sbp"), claims, metrics="slack_suboptimality",
        counters="iterations", scale="log")


def sbp_lin() -> Artifact:
    """Section 4.4 of the SBP paper: which methods are preferable on linear problems, in inner products. A
    response takes one: an iteration of SBP or SMO reads n responses, one of Pegasos or SDCA reads one."""
    runs = Runs(
        # The cache holds almost no rows, so every response is charged.
        "kernel=linear problem.lam=1e-4 problem.bias=none budget=paper budget.memory=1 observe.points=20",
        [Panel("reuters", "Reuters, λ = 1e-4", "dataset=reuters"),
            Panel("adult", "Adult, λ = 1e-4", "dataset=adult"),
            Panel("mnist", "MNIST, 8, λ = 1e-4", "dataset=mnist")],
        # SBP comes first, because nu=auto computes the optimum to which errors are compared.
        [Line("sbp", "budget.kev=3e8", title="SBP"), Line("smo", "budget.kev=3e8", title="SMO"),
            Line("pegasos", "budget.kev=1e7", solver="pegasos_linear", title="Pegasos"),
            Line("sdca", "solver.order=with_replacement budget.kev=1e7", solver="dcd", title="SDCA")],
        [Group(1, "sbp"), Group(1, "smo"), Group(2, "pegasos sdca")])
    claims = [
        claim("Pegasos and SDCA are preferable on linear problems", "Section 4.4",
            "On linear problems Pegasos is preferable to SBP, and SDCA to SMO, because an example that is "
            "chosen at random needs only its own response: they stay within half a point of the optimum's "
            "test error after fewer inner products.",
            Order("Pegasos before SBP", Arrival("pegasos", within=0.5), Arrival("sbp", within=0.5),
                ratio=True),
            Order("SDCA before SMO", Arrival("sdca", within=0.5), Arrival("smo", within=0.5), ratio=True),
            seen=(
                "A fourth set, the RCV1 subset, and more seeds were left out afterwards to save space: "
                "reproduced as well."))]
    return Grid("SBP-LIN", "SBP, section 4.4: four solvers on linear problems", SBP + "Section 4.4", runs,
        claims, cell="{arrival:.1e} to optimum + 0.5 points", values={"arrival": Arrival(EACH, within=0.5)},
        counters="inner_products", supplied="the data and λ")


def sbp_lin_k() -> Artifact:
    """Section 4.4 of the SBP paper: which methods are preferable with a kernel, judged by the runs of Figure
    2. The text charges every iteration n responses (sections 4.1 and 4.2): C, and B for methods that maintain
    them. A is shown beside them."""
    claims = [
        claim("SBP and SMO are preferable with kernels", "Section 4.4",
            "With a kernel, where all responses are maintained and charged, SBP is preferable to Pegasos, "
            "and SMO to SDCA: they stay within half a point of the optimum's test error after fewer "
            "evaluations.",
            Order("SBP before Pegasos", Arrival("sbp", within=0.5), Arrival("pegasos", within=0.5),
                ratio=True),
            Order("SMO before SDCA", Arrival("smo", within=0.5), Arrival("sdca", within=0.5), ratio=True),
            convention="kev_iter kev_rowupdate")]
    return Grid("SBP-LIN", "SBP, section 4.4: four solvers with a kernel", SBP + "Section 4.4",
        shared("sbp-f2", "sbp smo pegasos sdca"), claims, cell="{arrival:.1e} to optimum + 0.5 points",
        values={"arrival": Arrival(EACH, within=0.5)}, counters="kev_iter kev_rowupdate kev_ondemand",
        supplied=REMEMBERED)


def sbp_nsv() -> Artifact:
    """Section 4.3 of the SBP paper: SBP's predictor is "potentially sparser"."""
    claims = [
        claim("SBP may need fewer support vectors", "Section 4.3",
            "A predictor of SBP may depend on fewer training examples than those of SMO and of methods that "
            "solve the regularised problem: at the cost from which SBP stays within half a point of the "
            "optimum's test error, it has fewer support vectors than SMO and Pegasos at the corresponding "
            "cost, and than the optimum.",
            Order("fewer than SMO at arrival", Value("sbp", "support_vectors", at=Arrival("sbp", within=0.5)),
                Value("smo", "support_vectors", at=Arrival("smo", within=0.5)), ratio=True),
            Order("fewer than Pegasos at arrival",
                Value("sbp", "support_vectors", at=Arrival("sbp", within=0.5)),
                Value("pegasos", "support_vectors", at=Arrival("pegasos", within=0.5)), ratio=True),
            Order("fewer than the optimum", Value("sbp", "support_vectors", at=Arrival("sbp", within=0.5)),
                Optimum("support_vectors"), ratio=True),
            sure="inferred",
            seen="SMO, with which the paper compares, was added when X-SPARSE was known: reproduced before.")]
    return Curves("SBP-NSV", "SBP, section 4.3: support vectors on the way to the optimum",
        SBP + "Section 4.3", shared("sbp-f2", "sbp smo pegasos sdca perceptron"), claims,
        metrics="support_vectors test_error", counters="kev_ondemand", supplied=REMEMBERED)


def sbp_onset() -> Artifact:
    """Sections 4.3 and E.2 of the SBP paper: how the onset of SMO's linear phase grows with n, on generated
    sets at C = 1, λ = 1/n as in its Table 2. The paper says what can happen, which no choice of sets can
    refute, so the tests are our questions."""
    runs = Runs(
        "kernel=gaussian problem.C=1.0 problem.bias=none budget=paper budget.kev=null budget.gap=1e-4 "
        "budget.memory=1024 observe.points=20",
        [Panel("twonorm", "Twonorm, γ = 0.02", "dataset=twonorm kernel.gamma=0.02"),
            Panel("waveform", "Waveform, γ = 0.05", "dataset=waveform kernel.gamma=0.05")],
        [Line("smo", "solver.eps=1e-8")],
        [Group(1, over={"dataset.n_train": [1000, 2000, 4000, 8000, 16000, 32000]})])
    claims = [
        claim("the onset of linear convergence of SMO grows with n", "Section 4.3 and Appendix E.2",
            "The number of iterations until SMO's linear phase begins grows about like n or faster, so the "
            "number of evaluations until then grows like that of the whole Gram matrix, n². The paper names "
            "this as a case that its analysis cannot exclude.",
            Slope("slope of the onset", Arrival("smo", "relative_gap", level=0.1), (0.8, None),
                over="dataset.n_train"),
            sure="ours",
            seen=(
                "The paper's claim until its outcome was known: deviates. A third set, the checkerboard "
                "(0.68), was left out afterwards to save space.")),
        claim("support vectors in proportion to n", "Appendix E.2",
            "The number of support vectors of dual decomposition grows about like n if the classes overlap, "
            "as the paper says it can.",
            Slope("on overlapping classes", Value("smo", "support_vectors"), (0.8, 1.2),
                over="dataset.n_train"),
            sure="ours")]
    return Sweep("SBP-ONSET", "SBP, appendix E.2: onset of SMO's convergence against n",
        SBP + "Section 4.3 and Appendix E.2", runs, claims, x="dataset.n_train",
        x_label="training examples n",
        # The onset: iterations until the relative gap stays at or below 0.1, the first of the four decades to
        # 1e-4.
        y=Arrival(EACH, "relative_gap", level=0.1),
        y_label="iterations to a gap of 0.1", scale="log", counters="iterations")


def sbp_onset_r() -> Artifact:
    """Sections 4.3 and E.2 of the SBP paper on real sets: which share of SMO's iterations comes before its
    linear phase. The paper says that the phase can begin very late, which no choice of sets can refute, so
    the tests are our question."""
    runs = Runs(
        "kernel=gaussian problem.C=1.0 problem.bias=none budget=paper budget.kev=null budget.gap=1e-4 "
        "budget.memory=2048 observe.points=40",
        [Panel("reuters", "Reuters, money-fx", "dataset=reuters kernel.gamma=1.0"),
            Panel("adult", "Adult", "dataset=adult kernel.gamma=0.05"),
            Panel("usps", "USPS, 0 against rest", "dataset=usps kernel.gamma=2.0"),
            Panel("mnist", "MNIST, 8 against rest", "dataset=mnist kernel.gamma=0.02")],
        [Line("smo", "solver.eps=1e-8")], [Group(1)])
    claims = [
        claim("the linear phase of SMO begins late", "Section 4.3, Appendix E.2",
            "SMO's linear phase begins late in practice, as it can in theory. A method that converged "
            "linearly from the start would reach a relative gap of 0.1 after a quarter of its iterations to "
            "1e-4; SMO reaches it after half of them or more.",
            Ratio("share of the iterations before a gap of 0.1", Arrival("smo", "relative_gap", level=0.1),
                Arrival("smo", "relative_gap", level=1e-4), (0.5, 1.0)),
            sure="ours", seen="The paper's claim until its outcome was known: deviates."),
        claim("the whole Gram matrix before the linear phase", "Appendix E.2",
            "At least as many kernel values as in the whole Gram matrix, those of n iterations, are "
            "evaluated before the linear phase begins.",
            Ratio("iterations until a gap of 0.1 over n", Arrival("smo", "relative_gap", level=0.1),
                by_panel(reuters=7770, adult=32561, usps=7291, mnist=60000), (1.0, None)),
            sure="ours")]
    return Curves("SBP-ONSET", "SBP, section 4.3: the gap of SMO over its iterations",
        SBP + "Section 4.3 and Appendix E.2", runs, claims, metrics="relative_gap", counters="iterations",
        scale="log")


def sbp_p1() -> Artifact:
    """Section 4.5 of the SBP paper: the optimum generalises better than one pass of the Perceptron."""
    claims = [
        claim("the optimum is better than one pass of the Perceptron", "Section 4.5",
            "One pass of the Perceptron over the training set gives a predictor whose test error is above "
            "that of the optimum of the regularised problem.",
            Order("the optimum is better than one pass", Optimum("test_error"),
                Value("perceptron", at=FirstEpoch("perceptron"))))]
    return Curves("SBP-P1", "SBP, section 4.5: the Perceptron's first pass and the optimum",
        SBP + "Section 4.5", shared("sbp-f2", "sbp perceptron"), claims, counters="iterations",
        supplied=REMEMBERED)


def sbp_pm() -> Artifact:
    """Section 4.5 and (D.7) of the SBP paper: the Perceptron's mistakes in its first pass and their bound."""
    claims = [
        claim("the mistakes of the Perceptron are bounded", "Section 4.5, (D.7)",
            "The Perceptron's mistakes in one pass over n examples are at most n L + |u| √(n L) + |u|², "
            "where L is the hinge loss of any predictor u; here u is the optimum of the regularised problem.",
            Ratio("mistakes over their bound, after one pass",
                Value("perceptron", "mistake_bound", at=FirstEpoch("perceptron")), 1, (0.0, 1.0)),
            by_construction="a theorem")]
    return Curves("SBP-PM", "SBP, (D.7): mistakes of the Perceptron beside their bound",
        SBP + "Section 4.5 and (D.7)", shared("sbp-f2", "perceptron"), claims, metrics="mistake_bound",
        counters="iterations", scale="log", levels=[dict(label="the bound", value=1.0)])


def sbp_rt() -> Artifact:
    """The runtime paragraph of the SBP paper: test errors of LIBSVM at its end, and of SBP after a quarter of
    LIBSVM's time. SBP has no stopping rule: it runs for longer than a quarter of the time of each baseline.
    The baselines end by the rule of LIBSVM, 1e-3."""
    runs = Runs("kernel=gaussian problem.bias=unregularised budget=paper budget.kev=null budget.memory=4096",
        [Panel("adult", "Adult, γ = 0.005, C = 100", "dataset=adult kernel.gamma=0.005 problem.C=100"),
            Panel("mnist", "MNIST 8 against rest, γ = 0.02, C = 1000",
                "dataset=mnist kernel.gamma=0.02 problem.C=1000")],
        [Line("libsvm", "solver.tol=[1e-3] budget.seconds=2400", solver="sklearn_svc", title="LIBSVM"),
            Line("smo_pair", "solver.eps=1e-3 budget.seconds=1200", title="SMO with bias"),
            Line("decomposition", "solver.eps=1e-3"), Line("sbp", "solver.nu=auto budget.seconds=60")],
        [Group(3, "libsvm smo_pair decomposition"), Group(5, "sbp", "adult"),
            Group(5, "sbp", "mnist", over={"budget.seconds": [75], "observe.train": [False]})])
    claims = [
        claim("SBP is within 0.2 points after a quarter of LIBSVM's time", "Section 5",
            "After a quarter of LIBSVM's time, SBP's test error is within 0.2 points of LIBSVM's "
            "(remembered, and missing in the text that was available: 15.0 against 14.9 on Adult, 0.46 "
            "against 0.44 on MNIST).",
            Order("SBP against LIBSVM", Value("sbp", at=0.25 * Value("libsvm", "cpu_seconds")),
                Value("libsvm") + 0.2),
            sure="unconfirmed"),
        claim("SBP is within 0.2 points after a quarter of other solvers' time", "Section 5, our baselines",
            "The same holds against SMO with second-order selection, implemented in the same program as "
            "SBP, and against decomposition.",
            *(Order(name, Value("sbp", at=0.25 * Value(solver, "cpu_seconds")), Value(solver) + 0.2)
              for name, solver in (("SMO with bias", "smo_pair"), ("decomposition", "decomposition"))),
            sure="ours")]
    return Grid("SBP-RT", "SBP, section 5: test error after a quarter of a baseline's time",
        SBP + "section 5; published: LIBSVM and SBP on an Intel E7500; Forest (35 hours) is left out", runs,
        claims, cell="{error:.2f} % after {seconds:.3g} s",
        values={"error": Value(EACH), "seconds": Value(EACH, "cpu_seconds")}, counters="cpu_seconds",
        own={
            "sbp": {"error": Value("sbp", at=0.25 * Value("libsvm", "cpu_seconds")),
                "seconds": 0.25 * Value("libsvm", "cpu_seconds")}},
        published={"adult": {"libsvm": "14.9 % after 195 s", "sbp": "15.0 % after 48.8 s"},
            "mnist": {"libsvm": "0.44 % after 1,980 s", "sbp": "0.46 % after 495 s"}},
        supplied=REMEMBERED)


def sbp_rtf() -> Artifact:
    """The row of Forest in the runtime paragraph of the SBP paper: on 522,911 examples LIBSVM took the
    authors 35 hours. Ours was stopped after 40 minutes, without a result that could be stored. SMO is stopped
    after 16 minutes, so a quarter of its limit is a lower bound of a quarter of its time: SBP can then meet a
    claim, but cannot fail it. Decomposition ends within its limit.

    γ, C and the split are those of Nguyen and others (2010), with features as published. ν is the remembered
    value of Table 2, whose origin is unconfirmed: the exact optimum separates the examples, and its ν is at
    most 1.7e-10 (`sbp_t2b`). `sbp_zero` has ν = 0."""
    runs = Runs(
        "kernel=gaussian problem.bias=unregularised budget=paper budget.kev=null budget.memory=4096 "
        "observe.train=false",
        [
            Panel("forest", "Forest, γ = 1e-4, C = 10,000",
                "dataset=forest dataset.split=cvm dataset.scaling=none kernel.gamma=1e-4 problem.C=10000")],
        [Line("sbp", "solver.nu=7.62e-4 budget.seconds=240", title="SBP, ν = 7.62e-4, 240 s"),
            Line("sbp_zero", "solver.nu=0 budget.seconds=240", solver="sbp", title="SBP, ν = 0, 240 s"),
            Line("sbp_long", "solver.nu=7.62e-4 budget.seconds=640", solver="sbp",
                title="SBP, ν = 7.62e-4, 640 s"),
            Line("decomposition", "solver.eps=1e-3 budget.seconds=960", title="decomposition, at most 960 s"),
            Line("smo_pair", "solver.eps=1e-3 budget.seconds=960", title="SMO with bias, at most 960 s")],
        [Group(3, "sbp"), Group(1, "sbp_zero sbp_long decomposition smo_pair")])
    # The level is 1.9: the test error of the optimum, 1.71 %, and the 0.2 points of `sbp_rt`.
    claims = [
        claim("SBP is accurate after a quarter of LIBSVM's time on Forest", "Section 5",
            "In a quarter of LIBSVM's time, SBP reaches a test error within 0.2 points of the optimum's "
            "(remembered: 1.6 against 1.8, after 35 hours).",
            sure="unconfirmed",
            not_attempted=(
                "its parameters are not known: the printed ones are missing in the text that was available, "
                "and the remembered ones contradict each other, since the ν of this σ² and λ is at most "
                "1.7e-10 and not 7.62e-4. With them LIBSVM did not end within 40 minutes, alone on the "
                "machine, and SBP is far from the optimum after ten")),
        claim("SBP is accurate after a quarter of other solvers' time on Forest", "Section 5, our baselines",
            "The same holds against SMO with second-order selection and against decomposition, with at most "
            "16 minutes of each.",
            Ratio("SMO with bias", Arrival("sbp", level=1.9, at_most=True), Value("smo_pair", "cpu_seconds"),
                (0, 0.25)),
            # Decomposition ended by its own rule, so its time is not cut off, and SBP can fail this test.
            Ratio("decomposition", Arrival("sbp", level=1.9), Value("decomposition", "cpu_seconds"),
                (0, 0.25)),
            sure="ours",
            seen=(
                "The error of the optimum, from which the level follows, was known, and the test of "
                "decomposition was a bound like that of SMO until its outcome was known.")),
        claim("SBP reaches 1.9 % on Forest before exact solvers", "Section 5, our baselines",
            "SBP reaches a test error of 1.9 % sooner than SMO and sooner than decomposition.",
            *(Order(name, Arrival("sbp_long", level=1.9), Arrival(solver, level=1.9), ratio=True)
              for name, solver in (("SMO with bias", "smo_pair"), ("decomposition", "decomposition"))),
            sure="ours", seen="The error of the optimum, from which the level follows, was known.")]
    return Grid("SBP-RT", "SBP, section 5: test error on Forest and a quarter of a baseline's time",
        SBP + "section 5; published, as remembered: LIBSVM and SBP on an Intel E7500", runs, claims,
        cell="{error:.2f} % after {seconds:.4g} s",
        values={"error": Value(EACH), "seconds": Value(EACH, "cpu_seconds")}, counters="cpu_seconds",
        published={
            "forest": {"smo_pair": "LIBSVM: 1.8 % after 35 h", "sbp_long": "1.6 % in a quarter of that"}})


def sbp_si() -> Artifact:
    """Section 4.1 of the SBP paper: SIMBA and SBP on linear problems, per iteration."""
    runs = Runs(
        # Two thousand iterations of both, without bias; every response of SBP is an inner product. The number
        # is fixed, because the steps of SIMBA depend on it.
        "kernel=linear problem.bias=none problem.lam=1e-3 budget=paper budget.kev=null "
        "budget.iterations=2000 budget.counter=iterations",
        [Panel("adult", "Adult, λ = 1e-3", "dataset=adult"),
            Panel("rcv1_subset", "RCV1 subset, λ = 1e-3", "dataset=rcv1_subset")],
        [Line("sbp", title="SBP, linear kernel"), Line("simba", "solver.T=2000")], [Group(5)])
    claims = [
        claim("an iteration of SIMBA is cheaper on linear data", "Section 4.1, second paragraph",
            "For linear SVMs an iteration of SIMBA costs of order n + d operations, one of SBP n inner "
            "products: SIMBA's is much cheaper, which we read as a factor of ten.",
            Ratio("inner products of as many iterations", Value("simba", "inner_products"),
                Value("sbp", "inner_products"), (0.0, 0.1)),
            by_construction=(
                "the definition of the counters: an iteration of SBP is charged n inner products")),
        claim("an iteration of SBP achieves more", "Section 4.1, first paragraph",
            "All else being equal, an iteration of SBP is preferable: it makes more progress, and its "
            "guarantee is better by a logarithmic factor.",
            Order("suboptimality after as many iterations", Value("sbp", "slack_suboptimality"),
                Value("simba", "slack_suboptimality"), ratio=True))]
    return Grid("SBP-SI", "SBP, section 4.1: SIMBA and SBP on linear problems", SBP + "Section 4.1", runs,
        claims, cell="{each:.3g} inner products, f* - f = {short:.1%} of f*, {error:.2f} %",
        values={"each": Value(EACH, "inner_products"), "short": Value(EACH, "slack_suboptimality"),
            "error": Value(EACH)}, supplied="the data and λ")


def sbp_stop() -> Artifact:
    """Section 6 of the SBP paper: stopping when a holdout error stabilises. The rule is to stop at the first
    checkpoint at which the holdout errors over the last factor of four of the evaluations are within a
    quarter of a point."""
    runs = Runs("kernel=gaussian problem.C=1.0 problem.bias=none budget=paper budget.memory=2048",
        [
            Panel("adult", "Adult, 8,140 examples held out",
                "dataset=adult dataset.split=asset kernel.gamma=0.05"),
            Panel("mnist", "MNIST, 8 against rest, 5,950 held out",
                "dataset=mnist dataset.split=asset kernel.gamma=0.02")],
        [Line("sbp", "budget.kev=2e9"), Line("smo", "budget.kev=null budget.gap=1e-3 solver.eps=1e-8")],
        [Group(5, "sbp"), Group(1, "smo")])
    claims = [
        claim("a stable holdout error is a good time to stop", "Section 6",
            "The most practical way to end SBP is to stop when a holdout error stabilises: the test error "
            "is then within half a point of that of the optimum.",
            Order("test error at the stop",
                Value("sbp", at=Stable(EACH, "validation_error", within=0.25, span=4.0)),
                Value("smo") + 0.5)),
        claim("a stable holdout error stops SBP before a small gap stops SMO", "Section 6",
            "SBP stopped by this rule takes fewer evaluations than SMO to a relative duality gap of 0.001.",
            Order("evaluations at the stop", Stable("sbp", "validation_error", within=0.25, span=4.0),
                Arrival("smo", "relative_gap", level=1e-3), ratio=True),
            sure="ours")]
    return Curves("SBP-STOP", "SBP, section 6: stopping when a holdout error stabilises",
        SBP + "Section 6; ASSET's splits, which have validation examples", runs, claims,
        metrics="validation_error test_error", counters="kev_ondemand", scale="log",
        supplied="the held-out examples and what stable means")


def sbp_sup() -> Artifact:
    """Appendix D of the SBP paper: numbers of support vectors, on the separable data of its Table 1. There u
    has no loss and norm 10, so the bounds of SBP and the Perceptron, ((L(u) + ε)/ε)² |u|² up to logarithms,
    do not depend on ε."""
    runs = Runs(
        "kernel=linear problem.bias=none budget=paper budget.kev=1e10 budget.memory=1024 observe.points=20",
        [MARGIN],
        [
            Line("sbp", "solver.nu=0"),
            Line("smo", "solver.eps=1e-4", title="SMO"),
            Line("sgd_ball", "solver.R=10"),
            # One pass, whatever error it ends at.
            Line("perceptron", "solver.epochs=1 problem.lam=1e-4", title="Perceptron, one pass")],
        [
            Group(5, "sbp smo sgd_ball", "", "budget.test_error=0.16 problem.lam=1.6e-3",
                over={"dataset.n_train": [1250]}),
            Group(5, "sbp smo sgd_ball", "", "budget.test_error=0.08 problem.lam=8e-4",
                over={"dataset.n_train": [2500]}),
            Group(5, "sbp smo sgd_ball", "", "budget.test_error=0.04 problem.lam=4e-4",
                over={"dataset.n_train": [5000]}),
            Group(5, "sbp smo sgd_ball", "", "budget.test_error=0.02 problem.lam=2e-4",
                over={"dataset.n_train": [10000]}),
            Group(5, "sbp smo sgd_ball", "", "budget.test_error=0.01 problem.lam=1e-4",
                over={"dataset.n_train": [20000]}),
            Group(5, "sbp smo sgd_ball", "", "budget.test_error=0.005 problem.lam=5e-5",
                over={"dataset.n_train": [40000]}),
            Group(5, "sbp smo sgd_ball", "", "budget.test_error=0.0025 problem.lam=2.5e-5",
                over={"dataset.n_train": [80000]}),
            Group(5, "perceptron", over={"dataset.n_train": [1250, 2500, 5000, 10000, 20000, 40000, 80000]})])
    claims = [
        claim("the support of SBP and the Perceptron does not depend on ε", "Theorems D.2 and D.4",
            "If u has no loss, the numbers of support vectors of SBP and of the Perceptron are at most of "
            "order |u|² up to logarithms, whatever ε is. A logarithm of n adds 0.11 to a slope over these "
            "sizes, one of 1/ε 0.28; at most 0.2 is allowed.",
            Slope("SBP", Value("sbp", "support_vectors"), (None, 0.2), over=Key("dataset.n_train") / 200),
            Slope("Perceptron", Value("perceptron", "support_vectors"), (None, 0.2),
                over=Key("dataset.n_train") / 200),
            sure="inferred",
            seen=(
                "It was known that SBP's evaluations, of which an iteration takes n, grow like ε to the "
                "power -1.2 (SBP-T1). Five sizes, to ε = 0.01, were inconclusive, by 0.196 (0.179 to 0.227); "
                "two more were added, once.")),
        claim("SGD's support is bounded by 1/ε²", "Theorem D.3",
            "The number of support vectors of SGD on the loss, like that of Pegasos, is bounded by the "
            "number of its iterations, at most of order |u|²/ε².",
            Slope("iterations until the error is ε", Value("sgd_ball", "iterations"), (None, 2.2),
                over=Key("dataset.n_train") / 200),
            sure="inferred"),
        claim("an iteration adds at most one support vector", "Theorem D.2, last paragraph of its proof",
            "An iteration of SBP adds at most one support vector, so their number is at most the number of "
            "iterations.",
            Ratio("support vectors over iterations",
                Value("sbp", "support_vectors", where={"dataset.n_train": 20000}),
                Value("sbp", "iterations", where={"dataset.n_train": 20000}), (0.0, 1.0)),
            by_construction="an iteration changes one coefficient"),
        claim("mistakes of the Perceptron", "Theorem D.4, (D.7)",
            "The Perceptron has as many support vectors as it makes mistakes, at most |u|² = 100 if u has "
            "no loss.",
            Ratio("support vectors over |u|²",
                Value("perceptron", "support_vectors", where={"dataset.n_train": 20000}), 100, (0.0, 1.0)),
            by_construction="the convergence theorem of the Perceptron")]
    return Sweep("SBP-SUP", "SBP, appendix D: support vectors at an error of ε", SBP + "Theorems D.2 to D.4",
        runs, claims, x=Key("dataset.n_train") / 200, x_label="1 / ε; 200 / ε training examples",
        y=Value(EACH, "support_vectors"), y_label="support vectors at ε", scale="log", supplied="the data")


def sbp_t1() -> Artifact:
    """Table 1 of the SBP paper: kernel evaluations to a 0/1 error of L(u) + ε, on separable data of a given
    margin."""
    runs = Runs(
        # u has norm 10 and no loss, so that the table's last column holds; the number of examples grows like
        # 1/ε, (3.5). A run ends once its test error is ε. There are twenty checkpoints per factor of ten.
        "kernel=linear problem.bias=none budget=paper budget.kev=1e10 budget.memory=1024 observe.points=20",
        [MARGIN],
        [
            Line("sbp", "solver.nu=0"),
            # λ = ε / |u|², as in Lemma E.1; the loss of u is 0.
            Line("smo", "solver.eps=1e-4", title="SMO (dual decomposition)"),
            Line("sgd_ball", "solver.R=10")],
        [Group(5, "", "", "budget.test_error=0.16 problem.lam=1.6e-3", over={"dataset.n_train": [1250]}),
            Group(5, "", "", "budget.test_error=0.08 problem.lam=8e-4", over={"dataset.n_train": [2500]}),
            Group(5, "", "", "budget.test_error=0.04 problem.lam=4e-4", over={"dataset.n_train": [5000]}),
            Group(5, "", "", "budget.test_error=0.02 problem.lam=2e-4", over={"dataset.n_train": [10000]}),
            Group(5, "", "", "budget.test_error=0.01 problem.lam=1e-4", over={"dataset.n_train": [20000]}),
            Group(5, "", "", "budget.test_error=0.005 problem.lam=5e-5",
                over={"dataset.n_train": [40000]}),
            Group(5, "", "", "budget.test_error=0.0025 problem.lam=2.5e-5",
                over={"dataset.n_train": [80000]})])
    claims = [
        claim("evaluations grow with 1/ε as Table 1 says", "Table 1, last column",
            "If the required error is not below that of u, SBP needs at most of order 1/ε kernel "
            "evaluations, dual decomposition 1/ε² and SGD on the empirical loss 1/ε³, up to logarithms. "
            "These are upper bounds.",
            # A logarithm of n adds 0.11 to a slope over these sizes, one of 1/ε 0.28.
            Slope("SBP: at most 1", Value("sbp", "kev_iter"), (None, 1.2), over=Key("dataset.n_train") / 200),
            *(Slope(name, Value(solver, "kev_iter"), (None, within), over=Key("dataset.n_train") / 200)
              for name, solver, within in (("SMO: at most 2", "smo", 2.2),
                  ("SGD: at most 3", "sgd_ball", 3.2))),
            seen=(
                "Five sizes, to ε = 0.01, were inconclusive for SBP, by 1.19 (1.17 to 1.22); two more were "
                "added, once.")),
        claim("every run of Table 1 reaches its error", "our own condition",
            "Every run reaches the required error.",
            Ended("SBP at ε = 0.01", "sbp", "test_error", where={"dataset.n_train": 20000}),
            Ended("SMO at ε = 0.01", "smo", "test_error", where={"dataset.n_train": 20000}),
            Ended("SGD at ε = 0.01", "sgd_ball", "test_error", where={"dataset.n_train": 20000}),
            sure="ours"),
        claim("SBP reaches the smallest error first", "Table 1",
            "Charged per iteration, SBP needs the fewest evaluations to reach the smallest error, because "
            "its bound is the lowest.",
            *(Order(name, Value("sbp", metric, where={"dataset.n_train": 20000}),
                  Value(solver, metric, where={"dataset.n_train": 20000}), ratio=True)
              for name, metric, solver in (("SBP before SMO", "kev_iter", "smo"),
                  ("SBP before SGD", "kev_iter", "sgd_ball"),
                  ("SBP before SGD, counted on demand", "kev_ondemand", "sgd_ball"))),
            sure="ours")]
    return Sweep("SBP-T1", "SBP, Table 1: evaluations to reach an error ε", SBP + "Table 1, (3.5) to (3.8)",
        runs, claims, x=Key("dataset.n_train") / 200, x_label="1 / ε; 200 / ε training examples",
        y=Value(EACH, "kev_iter"), y_label="evaluations until the error is ε (C)", scale="log",
        supplied="the data")


def sbp_t2() -> Artifact:
    """Table 2 of the SBP paper: ν, which follows from λ by the certified optimum."""
    claims = [
        claim("ν of Table 2", "Section 5, Table 2",
            "ν is derived from λ: it is the mean hinge loss of the optimum divided by its norm. The printed "
            "values without bias on Adult and MNIST are compared. That of Reuters is not: the remembered "
            "one is 7 % below ours, and the paper does not say which features it used (ours, LASVM's, have "
            "the error of the Pegasos paper).",
            Ratio("within 2 %", Optimum("nu"), Known("printed_nu"), (0.98, 1.02), panels="adult mnist"),
            sure="unconfirmed")]
    return Grid("SBP-T2", "SBP, Table 2: ν derived from λ",
        SBP + "Table 2; all of its numbers are remembered, not read", shared("sbp-f2", "sbp"), claims,
        cell=SIZES + "ν = {nu:.4e}; norm {norm:.2f}, mean hinge {hinge:.5f}, {error:.2f} %",
        values=TABLE_2,
        published={
            "reuters": {"sbp": "7,770 + 3,299 examples, σ² = 0.5, 1/(λ n) = 1, ν = 6.34e-4"},
            "adult": {"sbp": "31,562 + 16,282 examples, σ² = 10, 1/(λ n) = 1, ν = 1.10e-2"},
            "mnist": {"sbp": "60,000 + 10,000 examples, σ² = 25, 1/(λ n) = 1, ν = 2.21e-4"}})


def sbp_t2b() -> Artifact:
    """Table 2 of the SBP paper, the part with an unregularised bias, compared with the certified optima of
    the table of kernel solvers. Its printed ν are missing in the text that was available. On Forest the three
    remembered numbers (σ² = 5,000, λ = 1/(10,000 n), ν = 7.62e-4) contradict each other: the optimum over
    522,911 examples has no coefficient at C, so that ν is at most 1.7e-10."""
    claims = [
        claim("error of the optimum with a bias on Adult", "Section 5, last paragraph, and Table 2",
            "With a bias LIBSVM converges to 14.9 % on Adult; the certified optimum with σ² = 100, λ = "
            "1/(100 n) has the same error to the printed digits. The number is remembered. On MNIST λ was "
            "chosen to give 0.44 %, so this is not tested.",
            Near("Adult, 14.9 %", Optimum("test_error"), 14.9, 0.05, panels="adult"), sure="unconfirmed",
            seen="The agreement was known when the test was written.")]
    return Grid("SBP-T2", "SBP, Table 2: ν with an unregularised bias",
        SBP + "Table 2; σ² and λ with a bias are remembered, not read", shared("solvers-bias", "sbp"), claims,
        cell=SIZES + "ν = {nu:.4e}; norm {norm:.2f}, mean hinge {hinge:.3e}, {error:.2f} %",
        values=TABLE_2)


def sbp_tight() -> Artifact:
    """Section 4.4 and E.2 of the SBP paper: SDCA's iterations and their bound, which the authors suspect not
    to be tight. The bound is missing in the text that was available. Theorem E.2 requires a dual accuracy of
    order λ ε², and the cited analysis gives one of order 1/T after T iterations, so the bound grows like 1/(λ
    ε²), 1/ε times that of Pegasos."""
    claims = [
        claim("SDCA's bound is not tight", "Section 4.4, last sentences of Appendix E.2",
            "The analysis of SDCA, whose bound on the iterations grows like 1/(λ ε²), is suspected not to "
            "be tight: to the accuracy ε of Table 2 of the Pegasos paper, SDCA takes at most a tenth of "
            "this bound, and at most twice the iterations of Pegasos instead of 1/ε times.",
            Ratio("iterations to ε over 1/(λ ε²)",
                Arrival("sdca", "primal_suboptimality",
                    level=by_panel(reuters=0.00719, adult=0.0445, mnist=0.00144), first=True),
                by_panel(reuters=1.503e8, adult=1.644e7, mnist=2.894e10), (0.0, 0.1)),
            Ratio("iterations to ε, SDCA over Pegasos",
                Arrival("sdca", "primal_suboptimality",
                    level=by_panel(reuters=0.00719, adult=0.0445, mnist=0.00144), first=True),
                Arrival("pegasos", "primal_suboptimality",
                    level=by_panel(reuters=0.00719, adult=0.0445, mnist=0.00144), first=True),
                (0.0, 2.0)),
            sure="inferred",
            seen=(
                "A first definition tested the slope of the curve, now a question of our own, instead "
                "of the first test: deviates on Adult, -0.40 where -0.5 was required. A curve may be "
                "flat far below its bound. Ten runs to 1e9 evaluations, which end above ε on MNIST, "
                "were inconclusive; longer ones replace them.")),
        claim("SDCA converges faster than 1/√T", "Appendix E.2",
            "The suboptimality of SDCA falls faster than the square root of the bound, from a tenth of an "
            "epoch on.",
            Slope("suboptimality over iterations", Value("sdca", "primal_suboptimality"), (None, -0.5),
                since=0.1 * FirstEpoch("sdca")),
            sure="ours", seen="A test of the claim before it until its outcome was known, by shorter runs.")]
    return Curves("SBP-TIGHT", "SBP, appendix E.2: suboptimality of SDCA and Pegasos over iterations",
        SBP + "Section 4.4 and Appendix E.2", shared("peg-f5", "reuters adult mnist sdca pegasos"), claims,
        metrics="primal_suboptimality", counters="iterations", scale="log", supplied=REMEMBERED)


def sbp_wl() -> Artifact:
    """Section 3.2 and Appendix B of the SBP paper: the water level in linear time, without sorting. Counted
    in comparisons, which do not depend on the machine."""
    claims = [
        claim("the water level is found in linear time", "Section 3.2, Appendix B",
            "The water level of n responses is found in O(n) operations, without sorting them.",
            # n log n would have a slope of 1.10 over these sizes.
            Slope("comparisons grow like n", Measured("comparisons"), (0.93, 1.07)))]
    return Check("SBP-WL", "SBP, Appendix B: comparisons until the water level is found",
        SBP + "Section 3.2 and Appendix B", claims=claims, function="level_work",
        arguments={"sizes": [1000, 10000, 100000, 1000000], "repetitions": 30}, supplied="the responses")
