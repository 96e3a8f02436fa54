import io

from svmbench.runner.progress import PlainLines

ROW = {"iterations": 7, "kev_ondemand": 12000, "primal_objective": 0.25, "wall_seconds": 1.25}


def test_a_checkpoint_is_a_line_of_what_is_known():
    stream = io.StringIO()
    lines = PlainLines(stream, checkpoints=0.0)
    lines.observed(ROW)
    lines.observed({**ROW, "test_error": 0.125, "relative_gap": 0.01})
    assert stream.getvalue().splitlines() == [
        "iterations 7, kev_ondemand 1.2e+04, objective 0.25, 1.2 s",
        "iterations 7, kev_ondemand 1.2e+04, test error 12.50 %, objective 0.25, "
        "relative gap 1.00e-02, 1.2 s",
    ]


def test_of_many_checkpoints_a_few_are_told(monkeypatch):
    now = 100.0
    monkeypatch.setattr("svmbench.runner.progress.time.monotonic", lambda: now)
    stream = io.StringIO()
    lines = PlainLines(stream)
    for number in range(1200):  # a minute of 20 checkpoints a second
        now += 0.05
        lines.observed({**ROW, "iterations": number})
        lines.advanced("kev_iter", number, None, 0.05 * number)
    assert len(stream.getvalue().splitlines()) in (11, 12)


def test_between_checkpoints_there_is_a_line_now_and_then():
    stream = io.StringIO()
    seldom, often = PlainLines(stream), PlainLines(stream, between=0.0)
    seldom.advanced("kev_iter", 10, 1000, 0.5)
    assert stream.getvalue() == ""
    often.advanced("kev_iter", 10, 1000, 0.5)
    often.advanced("kev_iter", 10, None, 0.5)
    often.doing("training", 3.2)
    often.observed({**ROW, "relative_gap": 0.01})
    often.advanced("kev_iter", 10, None, 0.5)
    assert stream.getvalue().splitlines() == [
        "loading: kev_iter 10 of 1e+03, 20/s, 0.5 s of training, 1 s since the start",
        "loading: kev_iter 10, 20/s, 0.5 s of training, 1 s since the start",
        "training: kev_iter 10, 20/s, objective 0.25, best gap 1.0e-02, 0.5 s of training, "
        "1 s since the start, about 3 s left",
    ]


def test_that_the_gap_is_certified_is_told_after_a_silence():
    stream = io.StringIO()
    PlainLines(stream).doing("certifying")
    assert stream.getvalue() == ""
    PlainLines(stream, checkpoints=0.0).doing("checkpoint")
    PlainLines(stream, checkpoints=0.0).doing("certifying")
    assert stream.getvalue() == "training has ended; certifying the duality gap\n"


def test_a_reader_that_has_gone_does_not_end_the_run():
    class Gone(io.StringIO):
        def write(self, text):
            raise BrokenPipeError(32, "Broken pipe")

    lines = PlainLines(Gone(), checkpoints=0.0, between=0.0)
    lines.say("a sentence")
    lines.advanced("kev_iter", 10, 1000, 0.5)
    lines.observed(ROW)
