"""Each algorithm in a few lines of Python, straight from its paper, over an oracle that notes every pair.

``tests/specification/<solver>.py`` specifies the solver of that name: ``VARIANTS``, the parameters to try;
``MAINTAINS``, whether the method needs all responses in every iteration, so that on demand and by rows are
one; and ``run(problem, w, rng, iterations, **parameters)``, which returns the coefficients of the answer.
``w`` is one of the two forms of `tests.specification.expansion`; what it evaluates is what the convention
charges.

A linear method (``access`` is ``linear``) has no ``MAINTAINS``, and its ``run(problem, x, rng, iterations,
**parameters)`` returns w: ``x`` is `tests.specification.slow_examples.SlowExamples`.

``ENDLESS``, of either kind and only where the defaults may come to an end, are parameters with which no run
does.

``ROWS_PER_ITERATION``, above 1, says that an iteration is made of up to so many whole rows, each charged to
every convention. ``TIES`` says that the method chooses among values that are equal but for what its last step
has left of them, so that it needs the kernel values of the compiled oracle to the last bit; elsewhere they
come from the formula.
"""
