"""Table 2 of the ASSET paper: its errors and its seconds, and their claims."""

from __future__ import annotations

from dataclasses import replace

from svmbench.papers.artifact import Artifact, Grid
from svmbench.papers.claims import claim
from svmbench.papers.documents.asset import ADULT, ASSET, COVTYPE, IJCNN1, MNIST
from svmbench.papers.documents.pegasos import NOISE
from svmbench.papers.predicates import Ended, Near, Order, Ratio
from svmbench.papers.quantities import EACH, Deviation, Quantity, Value, by_panel
from svmbench.papers.runs import Group, Line, Panel, Runs

# The overrides of the programs compared.
OTHERS = "budget.iterations=null observe.every=null"
SIZES = (512, 1024)
# CPU seconds and test errors of Table 2.
PRINTED = {
    "adult": {"asset_512": "22.5 s (15.06 ± 0.06 %)", "strong_512": "23.9 s (15.07 ± 0.06 %)",
        "cpsp_512": "3020.0 s (15.17 %)", "cpny_512": "8.2 h (15.13 %)",
        "lasvm": "1011.4 s (18.02 %)", "svm_light": "856.8 s (15.13 %)",
        "asset_1024": "77.6 s (15.10 ± 0.05 %)", "strong_1024": "83.2 s (15.12 ± 0.04 %)",
        "cpsp_1024": "3398.5 s (15.16 %)", "cpny_1024": "7.5 h (15.17 %)"},
    # Not available, and so without a row of ours.
    "ijcnn1 CCAT": {"asset_512": "95.0 s (8.23 ± 0.08 %)", "strong_512": "99.2 s (8.26 ± 0.06 %)",
        "cpsp_512": "799.9 s (5.24 %)", "cpny_512": "62.0 s (8.31 %)", "lasvm": "2616.0 s (4.71 %)",
        "svm_light": "3422.6 s (4.72 %)", "asset_1024": "264.6 s (7.09 ± 0.05 %)",
        "strong_1024": "278.4 s (7.11 ± 0.04 %)", "cpsp_1024": "2949.9 s (5.19 %)",
        "cpny_1024": "122.9 s (7.15 %)"},
    "ijcnn1": {"asset_512": "86.7 s (1.08 ± 0.02 %)", "strong_512": "89.1 s (1.08 ± 0.02 %)",
        "cpsp_512": "726.8 s (0.84 %)", "cpny_512": "319.5 s (1.1 %)", "lasvm": "288.1 s (0.76 %)",
        "svm_light": "1331.3 s (0.73 %)", "asset_1024": "307.1 s (0.79 ± 0.02 %)",
        "strong_1024": "297.0 s (0.79 ± 0.01 %)", "cpsp_1024": "1649.4 s (0.78 %)",
        "cpny_1024": "598.0 s (0.80 %)"},
    "mnist": {"asset_512": "96.8 s (4.03 ± 0.05 %)", "strong_512": "100.9 s (4.03 ± 0.04 %)",
        "cpsp_512": "549.6 s (2.72 %)", "cpny_512": "348.0 s (4.07 %)", "lasvm": "587.5 s (1.40 %)",
        "svm_light": "1322.6 s (1.24 %)", "asset_1024": "274.9 s (2.66 ± 0.03 %)",
        "strong_1024": "275.4 s (2.67 ± 0.02 %)", "cpsp_1024": "1273.2 s (2.03 %)",
        "cpny_1024": "515.4 s (2.69 %)"},
    "covtype": {"asset_512": "697.2 s (18.19 ± 0.06 %)", "strong_512": "585.7 s (18.18 ± 0.07 %)",
        "cpsp_512": "1.8 h (17.73 %)", "cpny_512": "1841.5 s (18.24 %)", "lasvm": "38.3 h (13.46 %)",
        "svm_light": "52.7 h (13.82 %)", "asset_1024": "2259.4 s (16.47 ± 0.04 %)",
        "strong_1024": "2063.9 s (16.47 ± 0.06 %)", "cpsp_1024": "4.1 h (16.61 %)",
        "cpny_1024": "3597.7 s (16.52 %)"}}


def _tenths(panel: Panel, tenth: int) -> Panel:
    """Return a panel whose runs end after 1,000 epochs, with a checkpoint each tenth of an epoch."""
    return replace(panel, overrides=f"{panel.overrides}0 observe.every={tenth}")


def _asset(s: int) -> list[Line]:
    nystrom = f"features=nystrom features.eps_d=1e-16 features.s={s} budget.counter=iterations"
    return [Line(f"asset_{s}", nystrom, solver="asset", title=f"ASSET, s = {s}"),
        Line(f"strong_{s}", f"{nystrom} solver.step=strong", solver="asset", title=f"ASSET*, s = {s}")]


def _cpny(s: int) -> Line:
    return Line(f"cpny_{s}", f"{OTHERS} solver.k={s}", solver="cpny", title=f"CPNY, s = {s}")


def _until(s: int) -> dict[str, Quantity]:
    """Return the test error at which ASSET ends: that of CPNY with as many basis vectors."""
    return {"budget.test_error": 0.01 * Value(f"cpny_{s}")}


def as_lasvm() -> Artifact:
    """LASVM on Adult in Table 2 of the ASSET paper, by errors. The paper says that LASVM makes a single pass
    over the examples, selecting pairs of them, and names no finishing step; so a pass by pairs decides, whose
    problem has a bias. The paper's other experiments have none: without bias LASVM changes one example at a
    time, and its pass ends in a constant answer. With a finishing step its error jumps between 16 and 18.5 %,
    and it had not ended after twenty minutes."""
    runs = Runs(
        "kernel=gaussian budget=paper budget.kev=null observe.points=1",
        [replace(ADULT, overrides=ADULT.overrides.partition(" budget")[0])],
        [Line("lasvm", "problem.bias=unregularised solver.finishing=none budget.memory=2048",
                title="LASVM, one pass"),
            Line("unbiased", "problem.bias=none solver.finishing=none budget.memory=2048", solver="lasvm",
                title="LASVM, one pass without bias"),
            Line("exact", "problem.bias=none budget.memory=512", solver="decomposition", title="optimum")],
        [Group(3, "lasvm unbiased"), Group(1, "exact")])
    claims = [
        claim("LASVM is far from the optimum on Adult", "Table 2; section 4, on LASVM",
            "On Adult the test error of LASVM, which makes a single pass, is 18.02 % and that of SVM-Light "
            "15.13 %: at least one point more. The pass here is by pairs, as section 4 says, and so has a "
            "bias; the optimum that stands for SVM-Light has none.",
            Order("the optimum is better", Value("exact"), Value("lasvm"), margin=1.0),
            seen=(
                "For a time a run with a finishing step, which was stopped after 400 s, decided, and then a "
                "pass without bias, which errs on 76.6 %: reproduced both times. One pass by pairs was known "
                "to err on 17.4 % with seed 0 on the usual test set."))]
    return Grid("AS-LASVM", "ASSET, Table 2: LASVM on Adult", ASSET + "Table 2 and section 4", runs, claims,
        cell="{error:.2f} ± {sd:.2f} %",
        values={"error": ("mean", Value(EACH)), "sd": ("sd", Value(EACH))},
        published={"adult": {"lasvm": "18.02 %", "exact": "SVM-Light: 15.13 %"}})


def as_t2() -> Artifact:
    """Table 2 of the ASSET paper without its seconds: test errors of ASSET and ASSET* that stop at the error
    of CPNY, as in as-t2s, and their spread over randomisations, of which the paper has 50 everywhere."""
    panels = [_tenths(ADULT, 3256), _tenths(MNIST, 5810), _tenths(IJCNN1, 11335)]
    lines = [line for s in SIZES for line in (*_asset(s), _cpny(s))]
    runs = Runs("kernel=gaussian problem.bias=none budget=paper budget.kev=null observe.train=false",
        panels, lines,
        [Group(1, "cpny_512 cpny_1024"),
            *(Group(seeds, f"{name}_{s}", on, values=_until(s))
              for name, s, on, seeds in (("asset", 512, "adult", 50), ("strong", 512, "adult", 50),
                  ("asset", 1024, "adult", 20), ("strong", 1024, "adult", 8), ("asset", 512, "mnist", 5),
                  ("strong", 512, "mnist", 2), ("asset", 512, "ijcnn1", 2),
                  ("asset", 1024, "ijcnn1 mnist", 2)))])
    printed = {"asset_512": by_panel(adult=15.06, ijcnn1=1.08, mnist=4.03),
        "asset_1024": by_panel(adult=15.1, ijcnn1=0.79, mnist=2.66),
        "strong_512": by_panel(adult=15.07, mnist=4.03), "strong_1024": by_panel(adult=15.12)}
    twice = {"asset_512": by_panel(adult=0.12, mnist=0.1), "asset_1024": by_panel(adult=0.1),
        "strong_512": by_panel(adult=0.12), "strong_1024": by_panel(adult=0.08)}
    claims = [
        *(claim(f"{title} has the errors of Table 2", "Table 2",
              f"The test errors of {title} with s = 512 and 1024, which stops at CPNY's error, are those of "
              "Table 2. The paper's halves of the test examples are drawn at random, and so are ours.",
              *(Near(f"s = {s}", Value(f"{name}_{s}"), errors, panels=" ".join(errors.values))
                for s in SIZES for errors in [printed[f"{name}_{s}"]]),
              seen=f"{NOISE} For a time, runs of 100 epochs were judged: inconclusive.")
          for name, title in (("asset", "ASSET"), ("strong", "ASSET*"))),
        claim("small variation among randomisations", "Table 2",
            "The deviations of ASSET and ASSET* that stop at the error of CPNY are small (printed: 0.01 to "
            "0.08 points): on Adult, and of ASSET on MNIST with s = 512, at most twice the printed ones.",
            *(Order(name, Deviation(name), most, panels=" ".join(most.values))
              for name, most in twice.items()),
            seen=(
                "Known were, with s = 512, 20 turns of ASSET on Adult and 5 on MNIST: reproduced; and five "
                "turns of the others on Adult. More were made there, once, without looking, as many as there "
                "was time for."))]
    errors = {one.name: {line.name: PRINTED[one.name][line.name].partition("(")[2][:-1] for line in lines}
        for one in panels}
    return Grid("AS-T2", "ASSET, Table 2: test errors", ASSET + "Table 2, sections 4 and 4.2", runs, claims,
        blocks={f"s = {s}": f"asset_{s} strong_{s} cpny_{s}" for s in SIZES},
        cell="{error:.2f} ± {sd:.2f} %",
        values={"error": ("mean", Value(EACH)), "sd": ("sd", Value(EACH))}, published=errors,
        supplied=(
            "fewer turns (the paper: 50) with s = 1,024 on Adult, 20 and 8, and elsewhere, 2 to 5; ASSET* "
            "was not run on IJCNN1, nor on MNIST with s = 1,024, and neither method for this table on "
            "Covertype and CCAT"))


def as_t2k() -> Artifact:
    """Table 2 of the ASSET paper after 1,000 epochs, as many as the paper makes: the deviation over five
    randomisations, instead of 50, on Adult with s = 512."""
    runs = Runs("kernel=gaussian problem.bias=none budget=paper budget.kev=null observe.points=1",
        [ADULT],
        [Line("asset", "features=nystrom features.eps_d=1e-16 features.s=512 budget.iterations=32561000",
                title="ASSET, s = 512")],
        [Group(5)])
    claims = [
        claim("small variation after 1,000 epochs", "Section 4.1",
            "After 1,000 epochs the deviation among different randomisations is at most twice the 0.06 "
            "points that Table 2 has on Adult with s = 512 for runs that stop at the error of CPNY. For "
            "1,000 epochs the paper calls it small and gives no number.",
            Order("ASSET", Deviation("asset"), 0.12),
            sure="inferred", seen="Known were the deviations of two or three runs of 100 epochs.",
            supplied="five turns (the paper: 50), on Adult with s = 512 alone")]
    return Grid("AS-T2", "ASSET, Table 2: test errors after 1,000 epochs",
        ASSET + "Table 2, section 4.1", runs, claims,
        cell="{error:.2f} ± {sd:.2f} %",
        values={"error": ("mean", Value(EACH)), "sd": ("sd", Value(EACH))},
        published={"adult": {"asset": "15.06 ± 0.06 %"}})


def as_t2s() -> Artifact:
    """Table 2 of the ASSET paper in seconds. As in the paper, the test error of ASSET is checked ten times
    per epoch, and a run ends at the first check whose error is at most that of CPNY with as many basis
    vectors, at the latest after 1,000 epochs. The time includes computing the features and excludes
    checkpoints. CPNY on Covertype ran on another machine than the others there, so only its error is used,
    at which ASSET stops."""
    lines = []
    for s in SIZES:
        cpsp = Line(f"cpsp_{s}", f"{OTHERS} solver.k={s}", solver="cpsp", title=f"CPSP, s = {s}")
        lines += [*_asset(s), cpsp, _cpny(s)]
    # LASVM makes one pass by pairs, as in as-lasvm, and so its problem has a bias.
    lines += [Line("lasvm", f"{OTHERS} problem.bias=unregularised solver.finishing=none", title="LASVM"),
        Line("svm_light", OTHERS, title="SVM-light")]
    runs = Runs("kernel=gaussian problem.bias=none budget=paper budget.kev=null observe.train=false",
        [_tenths(ADULT, 3256), _tenths(MNIST, 5810), _tenths(IJCNN1, 11335), _tenths(COVTYPE, 46481)],
        lines,
        [Group(1, "cpny_512 cpny_1024 cpsp_512", "adult ijcnn1 mnist"),
            Group(1, "cpny_512", "covtype", "budget.seconds=3600"),
            Group(20, "asset_512", "adult", values=_until(512)),
            Group(5, "strong_512", "adult", values=_until(512)),
            Group(5, "asset_512", "mnist", values=_until(512)),
            Group(2, "strong_512", "mnist", values=_until(512)),
            Group(2, "asset_512", "ijcnn1", values=_until(512)),
            Group(5, "asset_1024 strong_1024", "adult", values=_until(1024)),
            Group(2, "asset_1024", "ijcnn1 mnist", values=_until(1024)),
            Group(1, "asset_512", "covtype", "budget.seconds=240", values=_until(512)),
            Group(1, "svm_light", "covtype", "budget.seconds=240 observe.points=1"),
            Group(1, "lasvm", "covtype", "budget.seconds=100 observe.points=1"),
            Group(1, "lasvm svm_light", "adult", "budget.seconds=30"),
            Group(1, "lasvm svm_light", "ijcnn1 mnist", "budget.seconds=120")])
    known = "Known were runs with at most ten checks in 100 epochs, and on Adult with hundreds in each: "
    small, every = "adult ijcnn1 mnist", "adult ijcnn1 mnist covtype"
    claims = [
        claim("ASSET is 2 to 40 times faster than CPSP", "Section 4.2, Table 2",
            "At a similar test error ASSET with s = 1024 takes between a half and a fortieth of the time of "
            "CPSP with s = 512; similar is at most a tenth above (printed: none is above on these sets).",
            Ratio("CPSP over ASSET", Value("cpsp_512", "cpu_seconds"), Value("asset_1024", "cpu_seconds"),
                (2.0, 40.0), panels=small),
            Ratio("errors", Value("asset_1024"), Value("cpsp_512"), (0.0, 1.1), panels=small),
            seen=(
                f"{known}inconclusive. When a tenth was fixed, the errors of CPSP with s = 512 and of CPNY "
                "with s = 1024, at which ASSET stops, were known: 15.13 and 15.08 % on Adult, 2.98 and "
                "3.14 % on MNIST. Without noise of the test set in ratios, for a time: reproduced.")),
        *(claim(name, place, text,
              *(Order(title, Value("asset_512", "cpu_seconds"), Value(solver, "cpu_seconds"), ratio=True,
                    panels=panels, together=not sure)
                for title, solver, panels in (("LASVM", "lasvm", every), ("SVM-light", "svm_light", every),
                    ("CPSP", "cpsp_512", small))),
              sure=sure or "read", seen=seen)
          for name, place, text, sure, seen in (
              ("ASSET is among the fastest methods in most cases", "Section 4.2, Table 2",
                  "ASSET is among the fastest methods in most cases: with s = 512 it takes less time than "
                  "LASVM, SVM-light and CPSP (which was not run on Covertype), each in the mean over the "
                  "data sets. LASVM makes a single pass by pairs, as in the paper.", "",
                  f"{known}inconclusive. On Covertype, which was left out for a time, the outcome was known. "
                  "For a time LASVM had a finishing step and no bias, and took longer: reproduced. Then "
                  "each data set had to agree, as in the next question: deviates, by LASVM on IJCNN1."),
              ("ASSET is faster on every data set", "our own question, after section 4.2",
                  "With s = 512 ASSET takes less time than LASVM, SVM-light and CPSP on every data set, as "
                  "printed except for CCAT.", "ours", "The claim before it until its outcome was known."))),
        claim("CPNY is slow on Adult", "Section 4.2, Table 2",
            "CPNY takes abnormally long on Adult: at least a tenth of the printed 1,300 times as long as "
            "ASSET with s = 512 (printed: 3.6 times on MNIST, 3.7 on IJCNN1).",
            Ratio("CPNY over ASSET", Value("cpny_512", "cpu_seconds"), Value("asset_512", "cpu_seconds"),
                (130.0, None), panels="adult"),
            seen=f"{known}deviates; at least ten times: reproduced."),
        claim("ASSET reaches the error of CPNY", "Section 4.2, Table 2",
            "The times of Table 2 are those at which the test error of ASSET is that of CPNY with as many "
            "basis vectors, so it reaches it.",
            Ended("512 basis vectors", "asset_512", "budget.test_error"),
            Ended("1,024 basis vectors", "asset_1024", "budget.test_error", panels=small), sure="inferred",
            seen=(
                f"{known}reproduced on Adult, open on the other sets. On Covertype the outcome was known."))]
    return Grid("AS-T2", "ASSET, Table 2: seconds to the error of CPNY",
        ASSET + "Table 2, section 4.2; published: CPU seconds of the authors' machine and programs", runs,
        claims,
        blocks={f"s = {s}": f"asset_{s} strong_{s} cpsp_{s} cpny_{s} lasvm svm_light" for s in SIZES},
        cell="{seconds:.1f} s ({error:.2f} ± {sd:.2f} %)", counters="cpu_seconds",
        values={"seconds": Value(EACH, "cpu_seconds"), "error": ("mean", Value(EACH)),
            "sd": ("sd", Value(EACH))},
        supplied=(
            "fewer turns (the paper: 50); no times on CCAT, of CPSP with s = 1,024, and of ASSET* on IJCNN1 "
            "and, with s = 1,024, on MNIST; on Covertype s = 512 alone, one run of ASSET, LASVM, SVM-light "
            "each, none of ASSET* and CPSP, and no time of CPNY, which ran on another machine; and limits in "
            "seconds: of SVM-light 30 on Adult, 240 on Covertype, 120 on the others, of LASVM 100 on "
            "Covertype"),
        published=PRINTED)
