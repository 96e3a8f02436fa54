"""From overrides to the resolved configuration of docs/architecture.md."""

import pytest

from svmbench import config
from svmbench.config import folder
from svmbench.config.compose import jobs as compose_jobs
from svmbench.errors import UserError
from tests.told import answer


def write(root, files):
    """Write options of a user: their texts by their places."""
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)


def test_defaults():
    assert config.resolve([]).document() == {
        "solver": {"name": "sbp", "nu": "auto"},
        "dataset": {"name": "checkerboard", "n_train": 2000, "n_test": 10000, "seed": 0},
        "kernel": {"name": "gaussian", "gamma": 10.0},
        "problem": {"lam": None, "C": 10.0, "bias": "none"},
        "budget": {
            "name": "quick",
            "counter": "kev_ondemand",
            "kev": 1e8,
            "iterations": None,
            "seconds": None,
            "memory": 1024.0,
            "gap": None,
            "test_error": None,
        },
        "observe": {"points": 10},
        "seed": 0,
        "threads": 1,
        "prefetch": True,
        "results": "results",
        "data": {"mirror": None, "dir": None},
        "force": False,
    }


def test_features_are_part_of_a_configuration_only_where_there_are_any():
    # So that the runs stored before there were any are found.
    assert config.resolve(["features=none"]) == config.resolve([])
    resolved = config.resolve(["solver=dcd", "features=nystrom", "features.s=64"])
    assert resolved.document()["features"] == {"name": "nystrom", "s": 64, "eps_d": 1e-12, "rank": None}
    assert resolved.budget.counter == "inner_products"


@pytest.mark.parametrize("solver", ["pegasos", "sdca", "perceptron"])
def test_a_parameter_that_was_added_later_is_named_only_where_it_is_used(solver):
    """Runs that were stored before it was there keep their identities."""
    before = {
        "pegasos": {"name": "pegasos", "exact": True},
        "sdca": {"name": "sdca"},
        "perceptron": {"name": "perceptron", "epochs": None, "average": False, "order": "random"},
    }[solver]
    suffix, average = "solver.suffix=true", "solver.average=true"
    for words, named in (
        ([], {}),
        ([suffix], {}),  # without effect
        ([suffix, average], {"average": True, "suffix": True}),
    ):
        assert config.resolve([f"solver={solver}", *words]).document()["solver"] == before | named


def test_a_look_at_the_training_examples_is_named_only_where_it_is_left_out():
    # So that the runs stored before there was a choice are found.
    assert config.resolve(["observe.train=true"]) == config.resolve([])
    assert config.resolve(["observe.train=false"]).document()["observe"] == {"points": 10, "train": False}
    with pytest.raises(UserError, match=r"budget.gap=0.01 needs the objective, which observe.train=false"):
        config.resolve(["observe.train=false", "budget.gap=0.01"])


def test_a_distance_of_checkpoints_is_named_only_where_it_is_given():
    assert config.resolve(["observe.every=null"]) == config.resolve([])
    assert config.resolve(["observe.every=1e3"]).document()["observe"] == {"points": 10, "every": 1000}
    with pytest.raises(UserError, match=r"observe.every=0"):
        config.resolve(["observe.every=0"])
    with pytest.raises(UserError, match=r"every=5 takes the place of observe.points=40: leave one of"):
        config.resolve(["observe.every=5", "observe.points=40"])


@pytest.mark.parametrize(
    ("dataset", "gamma", "C"), [("adult", 0.05, 1.0), ("mnist", 0.02, 1.0), ("reuters", 1.0, 1.0)]
)
def test_papers_values_are_the_defaults(dataset, gamma, C):
    resolved = config.resolve([f"dataset={dataset}"])
    assert resolved.kernel.parameters["gamma"] == gamma
    assert resolved.document()["problem"] == {"lam": None, "C": C, "bias": "none"}


@pytest.mark.parametrize(
    ("given", "counter"),
    [
        (["solver=sdca"], "kev_ondemand"),
        (["solver=dcd", "kernel=linear"], "inner_products"),
        (["solver=dcd", "kernel=linear", "budget.counter=iterations"], "iterations"),
        (["solver=pegasos_linear", "kernel=linear", "budget=debug"], "inner_products"),
    ],
)
def test_the_counter_is_the_cost_of_the_solver(given, counter):
    assert config.resolve(given).budget.counter == counter


@pytest.mark.parametrize(
    ("given", "kev"),
    [
        (["solver=smo"], None),
        (["solver=dcd", "kernel=linear"], None),
        (["solver=pegasos"], 1e8),
        (["solver=pegasos", "budget.kev=null"], None),
        (["solver=smo", "budget.kev=1e6"], 1e6),
        (["solver=smo", "budget.kev=auto", "budget=paper"], None),
        (["solver=smo", "budget=paper"], 1e9),
    ],
)
def test_by_default_a_solver_that_ends_by_itself_has_no_limit(given, kev):
    assert config.resolve(given).budget.kev == kev


def test_lam_stands_for_itself():
    problem = {"lam": 1e-3, "C": None, "bias": "none"}
    assert config.resolve(["problem.lam=1e-3"]).document()["problem"] == problem


def test_a_set_without_suggestions_needs_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").touch()
    suggested = "the data set 'mine' has no suggested gamma"
    for words, sentence in {
        "": r"dataset=file needs a file: give dataset.path=FILE",
        "dataset.path=mien.csv": r"no such file; did you mean 'mine.csv'\?",
        "dataset.path=.": r"cannot read \.: it is a folder; give the file in it",
        "dataset.path=mine.csv": f"{suggested} or C: give kernel.gamma=NUMBER and problem.C=NUMBER",
        "dataset.path=mine.csv problem.lam=0.1": f"{suggested}: give kernel.gamma=NUMBER",
        "dataset.path=mine.csv kernel=linear": r"give problem.C=NUMBER or problem.lam=NUMBER",
    }.items():
        with pytest.raises(UserError, match=sentence):
            config.resolve(["dataset=file", *words.split()])


@pytest.mark.parametrize(("text", "value"), [("1", 1.0), ("1e-1", 0.1), (".5", 0.5)])
def test_equal_numbers_are_one_value(text, value):
    gamma = config.resolve([f"kernel.gamma={text}"]).kernel.parameters["gamma"]
    iterations = config.resolve(["budget.iterations=1e6"]).budget.iterations  # whole, with an exponent
    assert (gamma, type(gamma), iterations, type(iterations)) == (value, float, 1000000, int)


def test_a_schema_brings_values_to_one_form():
    written = ("dataset.task=8", "dataset.task='8'", "dataset.task=[8]")
    assert {config.resolve(["dataset=mnist", text]).dataset.parameters["task"] for text in written} == {"8"}


def test_values_are_merged_added_or_refer_to_others():
    found = config.resolve(["++kernel.gamma=0.5", "problem={lam: 0.1}", "budget=paper", "budget.kev=null"])
    assert (found.kernel.parameters["gamma"], found.problem.lam) == (0.5, 0.1)
    assert (found.budget.kev, found.budget.memory) == (None, 4096.0)
    found = config.resolve(["kernel=polynomial", "kernel.degree=${budget.iterations}", "budget.iterations=2"])
    assert found.kernel.parameters["degree"] == 2
    with pytest.raises(UserError, match=r"composed: Interpolation key 'nix' not found \(\\\$\{"):
        config.resolve(["kernel.gamma=${nix}"])


def test_the_known_names_that_match_are_a_sweep():
    found, _ = compose_jobs(["solver=glob(smo*)", "budget=glob(*,exclude=q*)"])
    chosen = [(job.config.solver.name, job.config.budget.name) for job in found]
    assert chosen == [(one, other) for one in ("smo", "smo_pair") for other in ("debug", "paper")]


def test_a_sweep_is_every_combination_in_order():
    found, _ = compose_jobs(["solver=sbp,pegasos", "seed=range(0,3)", "threads=2"])
    jobs = [job.config for job in found]
    assert [(job.solver.name, job.seed) for job in jobs] == [
        (name, seed) for name in ("sbp", "pegasos") for seed in range(3)
    ]
    assert {job.threads for job in jobs} == {2}
    assert jobs[0] == config.resolve(["solver=sbp", "seed=0", "threads=2"])


def test_a_users_own_folder(tmp_path):
    small = "name: checkerboard\nn_train: 20\nn_test: 0\nseed: 1\nsuggested:\n  gamma: 2.0\n  C: 3.0\n"
    mine = "# @package _global_\ndefaults:\n  - override /solver: smo\nseed: 7\n"
    write(tmp_path, {"dataset/small.yaml": small, "experiment/mine.yaml": mine})
    resolved = config.resolve(["dataset=small", "+experiment=mine"], [tmp_path])
    assert resolved.document()["dataset"] == {"name": "checkerboard", "n_train": 20, "n_test": 0, "seed": 1}
    assert (resolved.kernel.parameters["gamma"], resolved.problem.C) == (2.0, 3.0)
    assert (resolved.solver.name, resolved.seed) == ("smo", 7)
    with pytest.raises(UserError, match=r"unknown experiment 'mien'; did you mean 'mine'\?"):
        config.resolve(["+experiment=mien"], [tmp_path])


def test_a_key_that_a_users_file_leaves_out_has_the_default_of_its_class_and_can_be_given(tmp_path):
    write(tmp_path, {"dataset/small.yaml": "name: checkerboard\nn_train: 20\n"})
    mine = ["dataset=small", "problem.C=1", "kernel.gamma=1"]
    assert config.resolve(mine, [tmp_path]).dataset.parameters["n_test"] == 10000
    for given in ("dataset.n_test=7", "+dataset.n_test=7"):
        assert config.resolve([*mine, given], [tmp_path]).dataset.parameters["n_test"] == 7
    with pytest.raises(UserError, match=r"unknown key dataset.n_tets; did you mean 'dataset.n_test'\?"):
        config.resolve([*mine, "dataset.n_tets=7"], [tmp_path])


def test_a_wrong_key_in_a_users_file_is_named(tmp_path):
    write(tmp_path, {"budget/mine.yaml": "name: mine\nkevs: 3\n"})
    with pytest.raises(UserError, match=r"unknown key budget.kevs; did you mean 'budget.kev'\?"):
        config.resolve(["budget=mine"], [tmp_path])


def test_a_users_file_does_not_hide_behind_ours(tmp_path):
    write(tmp_path, {"solver/sbp.yaml": "name: sbp\nnu: 0.1\n"})
    with pytest.raises(UserError, match=r"sbp.yaml has the name of an option of svmbench"):
        folder.user_folders(str(tmp_path))


def test_folders_come_from_option_and_environment(tmp_path, monkeypatch):
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir()
    second.mkdir()
    monkeypatch.setenv("SVMBENCH_CONF", str(second))
    assert folder.user_folders(str(first)) == [first, second]
    with pytest.raises(UserError, match=r"--config-dir=.*nowhere is not a folder"):
        folder.user_folders(str(tmp_path / "nowhere"))


@pytest.mark.slow
def test_many_runs_of_other_options_are_composed_as_each_alone():
    many = [
        ["solver=dcd", "dataset=adult", "kernel=linear", "dataset.split=asset", "solver.eps=1e-4"],
        ["solver=dcd", "dataset=mnist", "features=nystrom", "features.s=64", "budget=paper", "seed=3"],
        ["features=fourier", "solver=sgd_ball", "budget.kev=7", "solver.R=2", "budget=debug"],
        ["solver=pegasos", "kernel=polynomial", "kernel.degree=2", "dataset=usps", "dataset.task=3"],
        ["solver=sbp", "solver.nu=0.5", "budget.memory=${budget.iterations}"],
        ["solver=sbp", "++kernel.gamma=0.5", "kernel=gaussian", "problem={lam: 0.1}"],
        ["solver=sbp", "solver=smo", "dataset=adult"],
    ]
    assert config.resolve_all(many) == [config.resolve(overrides) for overrides in many]


@pytest.mark.slow
def test_files_that_reach_beyond_their_section_are_composed_as_each_alone(tmp_path):
    files = {
        "budget/kernel_too.yaml": (
            "# @package _global_\ndefaults:\n  - override /kernel: polynomial\n\nbudget:\n  kev: 7\n"
        ),
        "budget/gamma_too.yaml": "# @package _global_\nbudget:\n  kev: 7\nkernel:\n  gamma: 4.0\n",
        "dataset/refers.yaml": "name: twonorm\nseed: ${seed}\n",
        "solver/derived.yaml": "defaults:\n  - pegasos\n\nexact: true\n",
        "mine/global.yaml": "# @package _global_\nsolver:\n  nu: 0.25\n",
    }
    write(tmp_path, files)
    given = ["problem.C=1", "kernel.gamma=2"]
    many = [
        [*given, "solver=derived", "budget=kernel_too", "dataset=adult"],
        [*given, "solver=smo", "budget=kernel_too", "kernel=gaussian"],
        ["problem.C=1", "solver=smo", "budget=gamma_too", "dataset=twonorm"],
        [*given, "solver=smo", "dataset=refers", "seed=5"],
        [*given, "solver=sbp", "+mine=global", "dataset=adult"],
    ]
    found = config.resolve_all(many, [tmp_path])
    assert found == [config.resolve(overrides, [tmp_path]) for overrides in many]
    assert [run.kernel.name for run in found[:2]] == ["polynomial", "gaussian"]
    assert [run.kernel.parameters["gamma"] for run in found[1:3]] == [2.0, 4.0]
    assert (found[3].dataset.parameters["seed"], found[4].solver.parameters["nu"]) == (5, 0.25)


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrong",
    [
        ["solver=smo", "solver.nu=0.1"],
        ["dataset=adult", "dataset.n_train=5"],
        ["kernel=linear", "kernel.gamma=1"],
        ["solver=smo", "solver.eps=[1,2]"],
        ["dataset=file"],
    ],
)
def test_what_is_wrong_with_one_of_many_runs_is_said_as_of_it_alone(wrong):
    with pytest.raises(UserError) as among:
        config.resolve_all([["solver=pegasos", "dataset=usps", "kernel=gaussian"], wrong])
    with pytest.raises(UserError) as later:
        config.resolve(wrong)
    assert str(among.value) == str(later.value)


def test_of_many_runs_none_may_name_several_values():
    with pytest.raises(UserError, match="seed=1,2 names several values"):
        config.resolve_all([["solver=smo"], ["seed=1,2"]])


def test_a_value_that_refers_to_another_follows_it_from_job_to_job(tmp_path):
    write(tmp_path, {"mine/same.yaml": "# @package _global_\nproblem:\n  C: ${kernel.gamma}\n"})
    found, _ = compose_jobs(["+mine=same", "kernel.gamma=0.25,0.5", "problem.lam=null"], [tmp_path])
    assert [job.config.problem.C for job in found] == [0.25, 0.5]
    assert [job.config.kernel.parameters["gamma"] for job in found] == [0.25, 0.5]


def test_a_file_that_is_no_yaml_is_told_with_its_place(tmp_path):
    write(tmp_path, {"dataset/torn.yaml": "name: [a\n"})
    for many in (["dataset=torn"],), (["dataset=torn"], ["dataset=adult"]):
        with pytest.raises(UserError, match=r"torn.yaml is not YAML \(.*, line 1"):
            config.resolve_all(many, [tmp_path])


REFUSED = {
    "defaults: [mine]\n": r"mine.yaml names itself in its defaults",
    "defaults: [other]\n": r"unknown budget 'other' \(budget=: debug, mine, paper, quick\)",
    "defaults: [{override /seed: 1}]\n": r"neither an option of the same group nor of the form",
    "# @package kernel\ngamma: 1\n": r"@package kernel is not allowed: give _global_",
}


@pytest.mark.parametrize("content", REFUSED)
def test_a_form_that_is_not_read_is_refused(tmp_path, content):
    write(tmp_path, {"budget/mine.yaml": content})
    with pytest.raises(UserError, match=REFUSED[content]):
        config.resolve(["budget=mine"], [tmp_path])


WRONG = {
    b"name: caf\xe9\n": r"budget/mine.yaml is not UTF-8 \(byte 10 is 0xe9\), .*: save it as UTF-8",
    b"\xff\xfen\0": r"budget/mine.yaml is not UTF-8 \(byte 1 is 0xff\)",
    b"name: a\0b\n": r"mine.yaml is not YAML \(.*#x0000",
    b"name: " + b"[" * 800 + b"]" * 800: r"mine.yaml is nested too deeply",
    b"- 1\n- 2\n": r"mine.yaml holds a list, not keys: write lines as in KEY: VALUE",
}


@pytest.mark.parametrize("content", WRONG)
def test_a_file_that_is_no_text_or_no_keys_is_named(tmp_path, content, capsys):
    (tmp_path / "budget").mkdir()
    (tmp_path / "budget" / "mine.yaml").write_bytes(content)
    given = ["budget=mine", "+budget.kev=1" if b"1" not in content else "budget.kev=1"]
    with pytest.raises(UserError, match=WRONG[content]):
        config.resolve(given, [tmp_path])
    with pytest.raises(UserError, match=WRONG[content]):
        compose_jobs(["budget=mine,quick", given[1]], [tmp_path])
    for words in (["--help"], []):
        if not words or b"\xe9" in content:
            printed = answer(capsys, ["run", *given, "--config-dir", str(tmp_path), *words], 2)
            assert printed.out == "" and printed.err.count("\n") == 1


def test_a_folder_with_the_name_of_a_file_is_no_option(tmp_path):
    (tmp_path / "budget" / "mine.yaml").mkdir(parents=True)
    assert "mine" not in folder.options("budget", [tmp_path])
    with pytest.raises(UserError, match=r"unknown budget 'mine'"):
        config.resolve(["budget=mine"], [tmp_path])


def test_a_file_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    write(tmp_path, {"budget/mine.yaml": "name: mine\n"})
    monkeypatch.setattr(folder.Path, "read_text", refuse)
    with pytest.raises(UserError, match=r"cannot read .*mine.yaml: Permission denied; make it readable"):
        folder.text_of(tmp_path / "budget" / "mine.yaml")


def refuse(path, **given):
    raise PermissionError(13, "Permission denied", str(path))


def test_the_jobs_of_a_sweep_over_seeds_are_those_that_are_composed_one_by_one():
    found, _ = compose_jobs(["seed=range(3,9,2)", "solver=smo,pegasos", "problem.C=1,10"])
    assert len(found) == 3 * 2 * 2 and len({job.config.seed for job in found}) == 3
    for job in found[::5]:
        assert job.config == config.resolve(job.overrides), job.overrides
