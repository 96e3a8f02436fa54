"""Each algorithm in a few lines of Python, straight from its paper, over an oracle that notes every pair.

``tests/specification/<solver>.py`` specifies the solver of that name: ``VARIANTS``, the parameters to try;
``MAINTAINS``, whether the method needs all responses in every iteration, so that on demand and by rows are
one; and ``run(problem, w, rng, iterations, **parameters)``, which returns the coefficients of the answer.
``w`` is one of the two forms of `tests.specification.expansion`; what it evaluates is what the convention
charges.

A linear method (``access`` is ``linear``) has no ``MAINTAINS``, and its ``run(problem, x, rng, iterations,
**parameters)`` returns w, and with a bias b behind it: ``x`` is
`tests.specification.slow_examples.SlowExamples`.

``REFUSED``, of either kind and only where there are any, lists parameters that the method refuses together,
the bias among them as ``bias``.

``RATE`` and ``WITHIN``, of a stochastic linear method: the most that a fourfold number of iterations leaves
of the gap, 0.6 by default, and the part of the optimum that 64,000 iterations come near, 0.02.

A program of others (``access`` is ``data``) is specified by its problem alone, for nothing inside of it can
be counted: ``REACHES = (parameters, tolerance)``, with which its last answer is that near to the certified
optimum, relative to it. ``tests/conformance/test_peers.py`` holds it to that.

``ROWS_PER_ITERATION``, where it is above 1, says that an iteration is charged all its rows under every
convention. ``ADDS_ROWS``, where true, that rows are taken by sums only. ``w.oracle.block(rows, cols)`` gives
the values between few examples.

``LOOKS`` of a linear method says how many times n products a snapshot looks at to scale its answer, 0 if
absent; they are observation and charged to nothing.

``POINTS``, where true: the answer lies over points that are no examples, and ``run`` returns its responses
on the examples. ``w.oracle.foreign(b, cols)`` and ``w.oracle.between(b, points)`` give the values of such a
point.

``APPROXIMATE`` are those of the variants that end before the optimum. Where an iteration is
not charged n, ``run`` adds what it is charged to the oracle's ``iterated``.

``SIGNS`` is ``either`` where the coefficients of the answer need not have the signs of the labels.

``ENDLESS``, of either kind and only where the defaults may come to an end, are parameters with which no run
does.

``ROWS_PER_ITERATION``, above 1, says that an iteration is made of up to so many whole rows, each charged to
every convention. ``TIES`` says that the method chooses among values that are equal but for what its last step
has left of them, so that it needs the kernel values of the compiled oracle to the last bit; elsewhere they
come from the formula.
"""
