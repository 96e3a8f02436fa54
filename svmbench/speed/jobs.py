"""Jobs of `svmbench speed baselines`: a problem, our solver, and its baselines."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Job:
    """One problem that our solver and its baselines solve.

    Attributes
    ----------
    title : str
        Description of the problem.
    problem : tuple of str
        Overrides of ``svmbench run`` that define the problem: data, kernel, C or λ, bias.
    baselines : tuple of tuple of str
        Overrides that choose each baseline and its parameters.
    ours : tuple of str
        Overrides that choose our solver; empty: the solver given to the command.
    goal : str
        What is compared. ``gap``: the time to the baseline's relative duality gap; ``objective``: to within 1
        % and 0.1 % of the certified optimum; ``test_error``: to the baseline's test error; ``prediction``:
        the time to score the test set with the same coefficients.
    margin : float
        By how much our test error may exceed the baseline's, a fraction; for ``test_error``.
    """

    title: str
    problem: tuple[str, ...]
    baselines: tuple[tuple[str, ...], ...]
    ours: tuple[str, ...] = field(default=())
    goal: str = "gap"
    margin: float = 0.0


#: Fits with the default tolerance; LIBSVM gets the examples in the form that is faster for it.
_LIBSVM = ("solver=sklearn_svc", "solver.tol=[0.001]")
_LIBSVM_DENSE = (*_LIBSVM, "solver.storage=dense")
_ONEDAL = ("solver=sklearnex_svc", "solver.tol=[0.001]")
_ONEDAL_SINGLE = (*_ONEDAL, "solver.precision=float32")

_BIAS = "problem.bias=unregularised"


def _svm(title: str, *problem: str, libsvm: tuple[str, ...] = _LIBSVM, goal: str = "gap") -> Job:
    return Job(title, (*problem, _BIAS), (libsvm, _ONEDAL, _ONEDAL_SINGLE), goal=goal)


def _runtime(title: str, *problem: str, libsvm: tuple[str, ...] = _LIBSVM) -> Job:
    """Return a job of SBP against SMO, as in the paragraph on runtimes in section 4 of the SBP paper."""
    ours = ("solver=sbp",)
    return Job(title, (*problem, _BIAS), (libsvm,), ours, "test_error", margin=0.002)


def _linear(dataset: str, ours: tuple[str, ...], *baselines: tuple[str, ...]) -> Job:
    problem = (f"dataset={dataset}", "kernel=linear", "problem.lam=1e-4")
    return Job(f"{dataset}, linear, lam 1e-4", problem, baselines, ours, "objective")


#: The average is over a large part of the iterations, as in the theory of ASSET's step sizes; averaging the
#: last 100, as in the paper, leaves the noise of single steps in the result. Checkpoints are spaced by
#: iterations: spaced by inner products, of which Fourier features alone take millions, the first would come
#: too late. Training examples are not evaluated, since this is not needed and would take longer than
#: everything else.
_ASSET = (
    *("solver=asset", "solver.average=30000"),
    *("budget.counter=iterations", "observe.points=40", "observe.train=false"),
)


def _features(dataset: str, C: str, s: int) -> dict[str, Job]:
    problem = (f"dataset={dataset}", f"problem.C={C}")
    jobs = {}
    for word, baseline, map_ in (
        ("nystroem", "sklearn_nystroem", ("features=nystrom", f"features.s={s}")),
        ("fourier", "sklearn_rbfsampler", ("features=fourier", f"features.frequencies={s}")),
    ):
        against = (f"solver={baseline}", f"solver.components={s}", "solver.passes=[5]")
        title = f"{dataset}, C {C}, {s} features, SGD of 5 epochs"
        jobs[f"{word}-{dataset}-{s}"] = Job(title, problem, (against,), (*_ASSET, *map_), "test_error")
    return jobs


#: Frequent checkpoints, which only the first run has, not the timed one.
_DENSE = "observe.points=100"
_DCD = ("solver=dcd", "solver.eps=1e-6", "budget.gap=1e-4", _DENSE)
#: More fits than by default, up to as many passes as any of the sets needs for 0.1 %.
_PASSES = "solver.passes=[1,2,3,5,7,9,12,15,18,22,26,30,35,40,50,60,80,100]"
_LIBLINEAR = ("solver=sklearn_linearsvc", _PASSES)
_SNAPML = ("solver=snapml_svm", _PASSES)
#: Enough epochs to reach 0.1 % for certain, unless that would take too long.
_SGD = ("solver=sklearn_sgd", "solver.epochs=1000", "budget.seconds=20")
#: Sampling without replacement is better in the paper's Figure 8, and SGDClassifier uses it. Of batches of 1,
#: 4, 16, 64 and 256 examples, those of 16 need as few visits as single examples, at a lower cost per visit.
_PEGASOS = (
    *("solver=pegasos_linear", "solver.sampling=permutation", "solver.k=16"),
    *("budget.seconds=20", _DENSE),
)

JOBS: dict[str, Job] = {
    "adult-c1": _svm("Adult, gamma 0.05, C 1", "dataset=adult", "kernel.gamma=0.05", "problem.C=1"),
    "adult-c100": _svm("Adult, gamma 0.005, C 100", "dataset=adult", "kernel.gamma=0.005", "problem.C=100"),
    "adult-c1000": _svm(
        "Adult, gamma 0.001, C 1000", "dataset=adult", "kernel.gamma=0.001", "problem.C=1000"
    ),
    "mnist8-c10": _svm(
        *("MNIST 8, gamma 0.02, C 10", "dataset=mnist", "kernel.gamma=0.02", "problem.C=10"),
        libsvm=_LIBSVM_DENSE,
    ),
    "mnist04-c100": _svm(
        *("MNIST 0-4 against 5-9, gamma 0.01, C 100", "dataset=mnist", "dataset.task=0-4"),
        *("kernel.gamma=0.01", "problem.C=100"),
        libsvm=_LIBSVM_DENSE,
    ),
    "covtype50k": _svm(
        *("Covertype, 50,000 rows, gamma 1, C 3", "dataset=covtype", "dataset.split=50k"),
        *("kernel.gamma=1", "problem.C=3"),
    ),
    "ijcnn1": _svm("IJCNN1, gamma 1, C 100", "dataset=ijcnn1", "kernel.gamma=1", "problem.C=100"),
    "sbp-adult": _runtime("Adult, gamma 0.05, C 1", "dataset=adult", "kernel.gamma=0.05", "problem.C=1"),
    "sbp-mnist8": _runtime(
        *("MNIST 8, gamma 0.02, C 10", "dataset=mnist", "kernel.gamma=0.02", "problem.C=10"),
        libsvm=_LIBSVM_DENSE,
    ),
    "linear-rcv1": _linear("rcv1_subset", _DCD, _LIBLINEAR, _SNAPML),
    "linear-adult": _linear("adult", _DCD, _LIBLINEAR, _SNAPML),
    "linear-covtype": _linear("covtype", _DCD, _LIBLINEAR, _SNAPML),
    "pegasos-rcv1": _linear("rcv1_subset", _PEGASOS, _SGD),
    "pegasos-adult": _linear("adult", _PEGASOS, _SGD),
    "pegasos-covtype": _linear("covtype", _PEGASOS, _SGD),
    **_features("adult", "1", 512),
    **_features("adult", "1", 1024),
    **_features("mnist", "10", 512),
    **_features("mnist", "10", 1024),
    "prediction": _svm(
        *("Adult's test set, gamma 0.05, C 1", "dataset=adult", "kernel.gamma=0.05", "problem.C=1"),
        goal="prediction",
    ),
}
