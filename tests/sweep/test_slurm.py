"""SLURM's commands, answered by a stand-in: what is submitted, what their answers mean, what is refused."""

import pytest

from svmbench.config.validation import sweep_options
from svmbench.errors import UserError
from svmbench.sweep import launch, slurm
from svmbench.sweep.cluster import Bundle
from tests.told import refusal


class Shell:
    """Answers of SLURM's commands, by their names."""

    def __init__(self, **answers):
        self.answers, self.commands = answers, []

    def __call__(self, command, given=""):
        self.commands.append([*command, given])
        answer = self.answers.get(command[0], (0, "", ""))
        return answer.pop(0) if isinstance(answer, list) else answer


def engine(monkeypatch, **answers):
    shell = Shell(**{"scontrol": (0, "MaxArraySize            = 1001\n", ""), **answers})
    monkeypatch.setattr(slurm, "_said", shell)
    return shell


OPTIONS = {**sweep_options({"launcher": {"name": "slurm", "minutes": 5}})["launcher"], "threads": 1}


@pytest.mark.parametrize("limit", ["QOSMaxSubmitJobPerUserLimit", "AssocGrpSubmitJobsLimit"])
def test_arrays_are_as_large_as_slurm_takes(here, monkeypatch, limit):
    full = (
        1,
        "",
        f"sbatch: error: {limit}\nsbatch: error: Batch job submission failed: x",
    )
    shell = engine(monkeypatch, sbatch=[full, full, (0, "7;here\n", "")])
    (here / "cluster").mkdir()
    one = slurm.Slurm(here, 3)
    assert one.room([]) == 1000  # the largest index is MaxArraySize - 1
    assert not one.submit("a", [{}] * 1000, OPTIONS) and one.room([]) == 500
    assert f"SLURM accepts no more jobs now: {limit}" in one.waiting()
    assert not one.submit("a", [{}] * 500, OPTIONS) and one.room([]) == 250
    assert one.submit("b", [{}] * 250, OPTIONS) and (here / "cluster" / "b.id").read_text() == "7"
    assert "--array=0-249%3" in shell.commands[-1] and one.waiting() == ""
    running = Bundle([], name="b-0", begun=[0])
    assert one.room([running, Bundle([], name="b-1")]) == 0  # one still waits
    assert one.room([running]) == 500 and one.room([running] * 3) == 0  # the limit may have passed


def test_every_option_reaches_sbatch(here, monkeypatch):
    shell = engine(monkeypatch, sbatch=(0, "7\n", ""))
    (here / "cluster").mkdir()
    free = {"nice": 100, "contiguous": True, "hold": False}
    asked = {"constraint": "avx2", "exclusive": True, "gres": "gpu:1", "nodelist": "n1", "exclude": "n2"}
    asked |= {"reservation": "r", "memory": 99.5, "setup": ["module load x"], "options": free, "threads": 2}
    assert slurm.Slurm(here, 1).submit("a", [{}], {**OPTIONS, **asked})
    words = {*shell.commands[-1][:-1]}
    assert {"--constraint=avx2", "--exclusive", "--gres=gpu:1", "--nodelist=n1", "--exclude=n2"} <= words
    assert {"--reservation=r", "--mem=100M", "--time=5", "--cpus-per-task=2", "--nice=100"} <= words
    assert "--contiguous" in words and not any("hold" in word for word in words)
    assert "\nmodule load x\nexec " in shell.commands[-1][-1]


NODES = "Requested node configuration is not available"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("Memory specification can not be satisfied", NODES), f"Memory .* satisfied; {NODES}: no node has"),
        (("QOSMaxWallDurationPerJobLimit", "Job violates"), "QOS.*; Job violates: a job may not ask for"),
        (("invalid partition specified: x", "y"), "invalid .*: give a launcher.partition that sinfo lists"),
        (("Invalid qos specification",) * 2, "Invalid qos specification: give a launcher.account and laun"),
    ],
)
def test_a_refusal_is_one_sentence(here, monkeypatch, lines, said):
    answer = "sbatch: error: {}\nsbatch: error: Batch job submission failed: {}\n".format(*lines)
    engine(monkeypatch, sbatch=(1, "", answer))
    (here / "cluster").mkdir()
    with pytest.raises(UserError, match=f"^SLURM refuses the jobs: {said}"):
        slurm.Slurm(here, 1).submit("a", [{}], OPTIONS)


#: What squeue says of the lines of an array, and what has become of them by that.
QUEUE = {
    0: ("RUNNING|None", None), 1: ("PENDING|Resources", None), 2: ("PENDING|PartitionTimeLimit", "never"),
    3: ("PREEMPTED|None", "lost"), 4: ("OUT_OF_MEMORY|OutOfMemory", "died"),
    5: ("CANCELLED|None", "cancelled"), 6: (None, "cancelled"), 7: ("PENDING|BeginTime", None),
    8: (None, "died"), 9: ("NODE_FAIL|x", "lost"), 10: ("PENDING|launch failed requeued held", "never"),
    11: ("PENDING|QOSMaxWallDurationPerJobLimit", "never"),
}  # fmt: skip


def test_states_of_slurm_are_named(here, monkeypatch):
    rows = [f"7|{line}|{said}" for line, (said, _) in QUEUE.items() if said]
    shell = engine(monkeypatch, sbatch=(0, "7\n", ""), squeue=(0, "\n".join(rows), ""))
    (here / "cluster").mkdir()
    one = slurm.Slurm(here, 20)
    one.room([])
    one.submit("a", [{}] * 12, OPTIONS)
    monkeypatch.setattr(slurm, "_ASK", 0.0)
    known = [Bundle([], name=f"a-{line}", begun=[1] if line == 8 else []) for line in range(12)]
    found = {name: fate.kind for name, fate in one.fates(known).items()}
    assert found == {f"a-{line}": kind for line, (_, kind) in QUEUE.items() if kind}
    assert shell.commands[-1][:2] == ["scancel", "7_[2,10,11]"]
    monkeypatch.undo()
    monkeypatch.setattr(slurm, "_said", shell)
    asked = len(shell.commands)
    one.fates(known)
    assert len(shell.commands) == asked  # once in 30 s
    how = one.fates(known)["a-2"].how
    assert how.startswith("7_2 would wait for ever (PartitionTimeLimit): launcher.minutes is above")
    assert one.waiting().startswith("5 queued (")


def test_a_controller_that_does_not_answer_ends_no_job(here, monkeypatch):
    engine(monkeypatch, squeue=(1, "", "slurm_load_jobs error: Unable to contact slurm controller"))
    assert slurm.asked(["7"]) is None
    unknown, off = "slurm_load_jobs error: Invalid job id specified", "Slurm accounting storage is disabled"
    engine(monkeypatch, squeue=(1, "", unknown), sacct=(1, "", off))
    assert slurm.asked(["7"]) == {}
    engine(monkeypatch, sacct=(0, "7_0|COMPLETED\n7_1|CANCELLED by 0\n", ""))
    assert slurm.asked(["7"])["7", "1"] == slurm.State("CANCELLED", "")


def test_limits_of_partitions(monkeypatch):
    lines = "PartitionName=a Default=NO MaxTime=1-02:03:00 \nPartitionName=b Default=YES MaxTime=00:10:00\n"
    engine(monkeypatch, scontrol=(0, lines + "PartitionName=c MaxTime=UNLIMITED", ""))
    assert slurm.longest("a") == 1563.0 and slurm.longest(None) == 10.0 and slurm.longest("a,b") == 1563.0
    assert slurm.longest("c") == float("inf") == slurm.longest("other")


SHORT = "PartitionName=b Default=YES MaxTime=00:10:00\n"


@pytest.mark.parametrize(
    ("word", "answers", "said"),
    [
        ("launcher.minutes=60", {"scontrol": (0, SHORT, "")}, "launcher.minutes=60 is more than the 10"),
        # Limited by the nodes, not by this machine.
        ("threads=20000", {"sbatch": (1, "", f"sbatch: error: {NODES}")}, f"SLURM refuses the jobs: {NODES}"),
    ],
)
def test_more_than_the_cluster_allows_is_a_sentence(here, monkeypatch, capfd, word, answers, said):
    monkeypatch.setattr(launch.shutil, "which", lambda name: name)
    engine(monkeypatch, **answers)
    assert said in refusal(capfd, ["run", "-m", "launcher=slurm", word])
    assert word == "threads=20000" or not list(here.iterdir())


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("launcher.options={array: 1-3}", "it is set by launcher.bundle"),
        ("launcher.options={output: x}", "it is set by svmbench"),
        ("launcher.options={--nice: 3}", "give long options of sbatch, without the dashes"),
        ("launcher.options=3", "give a mapping"),
        ("launcher.solvers={sbpp: {memory: 3}}", "solver 'sbpp' is unknown"),
        ("launcher.solvers={sbp: {memory: -3}}", "launcher.solvers.sbp.memory=-3 is not allowed"),
        ("launcher.solvers={sbp: {solvers: {}}}", "launcher.solvers.sbp.solvers is not allowed"),
        ("launcher.bundle=0", "give a whole number of at least 1, or auto"),
    ],
)
def test_options_that_are_wrong_are_a_sentence(here, capfd, word, said):
    assert said in refusal(capfd, ["plan", "launcher=slurm", word])
