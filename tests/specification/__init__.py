"""Each algorithm in a few lines of Python, straight from its paper, over an oracle that notes every pair.

``tests/specification/<solver>.py`` specifies the solver of that name: ``VARIANTS``, the parameters to try;
``MAINTAINS``, whether the method needs all responses in every iteration, so that on demand and by rows are
one; and ``run(problem, w, rng, iterations, **parameters)``, which returns the coefficients of the answer.
``w`` is one of the two forms of `tests.specification.expansion`; what it evaluates is what the convention
charges.

A linear method (``access`` is ``linear``) has no ``MAINTAINS``, and its ``run(problem, x, rng, iterations,
**parameters)`` returns w: ``x`` is `tests.specification.slow_examples.SlowExamples`.

``ROWS_PER_ITERATION``, where it is above 1, says that an iteration is charged all its rows under every
convention. ``ADDS_ROWS``, where true, that rows are taken by sums only. ``w.oracle.block(rows, cols)`` gives
the values between few examples.

``ENDLESS``, of either kind and only where the defaults may come to an end, are parameters with which no run
does.
"""
