"""Each algorithm in a few lines of Python, straight from its paper, over an oracle that notes every pair.

``tests/specification/<solver>.py`` specifies the solver of that name: ``VARIANTS``, the parameters to try;
``MAINTAINS``, whether the method needs all responses in every iteration, so that on demand and by rows are
one; and ``run(problem, w, rng, iterations, **parameters)``, which returns the coefficients of the answer.
``w`` is one of the two forms of `tests.specification.expansion`; what it evaluates is what the convention
charges. ``w.oracle.block(rows, cols)`` gives the values between few examples.

A linear method (``access`` is ``linear``) has no ``MAINTAINS``, and its ``run(problem, x, rng, iterations,
**parameters)`` returns w, and with a bias b behind it: ``x`` is
`tests.specification.slow_examples.SlowExamples`.

A baseline (``access`` is ``data``) is specified by its problem alone, for nothing inside of it can
be counted: ``REACHES = (parameters, tolerance)``, with which its last answer is that near to the certified
optimum, relative to it. ``tests/conformance/test_baselines.py`` holds it to that.

What a specification says only where it applies:

``REFUSED``
    Parameters that the method refuses together, the bias among them as ``bias``.
``ENDLESS``
    Parameters with which no run comes to an end, where the defaults may.
``APPROXIMATE``
    Those of the variants that end before the optimum.
``ROWS_PER_ITERATION``
    Above 1: an iteration is made of up to so many whole rows, each charged under every convention. Any other
    method whose iteration is not charged n adds what it is charged to the oracle's ``iterated``.
``ADDS_ROWS``
    True: rows are taken by sums only.
``SIGNS``
    ``either``: the coefficients of the answer need not have the signs of the labels.
``POINTS``
    True: the answer lies over points that are no examples, and ``run`` returns its responses on the examples.
    ``w.oracle.foreign(b, cols)`` and ``w.oracle.between(b, points)`` give the values of such a point.
``ON_DEMAND``
    True: it makes no rows, and evaluates what it is charged on demand.
``TIES``
    True: the method chooses among values that are equal but for what its last step has left of them, so that
    it needs the kernel values of the compiled oracle to the last bit; elsewhere they come from the formula.
``RATE``, ``WITHIN``
    Of a stochastic linear method: the most that a fourfold number of iterations leaves of the gap, 0.6 by
    default, and the part of the optimum that 64,000 iterations come near, 0.02.
``LOOKS``
    Of a linear method: how many times n products a snapshot looks at to scale its answer, 0 by default; they
    are observation and charged to nothing.
"""
