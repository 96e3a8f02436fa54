"""Each algorithm in a few lines of Python, straight from its paper, over an oracle that records every pair.

``tests/specification/<solver>.py`` specifies the solver of that name by ``run(problem, w, rng, iterations,
**parameters)``, which returns the coefficients of the answer. ``w`` is one of the two forms of
`tests.specification.expansion`; what it evaluates is what the convention charges. A method that reads
``w.c``, the responses of all examples, is one that maintains them: the conventions on demand and by rows
agree. ``w.oracle.block(rows, cols)`` gives values between few examples.

A linear method (``access`` is ``linear``) has ``run(problem, x, rng, iterations, **parameters)``, which
returns w, followed by the bias b if there is one; ``x`` is `tests.specification.slow_examples.SlowExamples`.

A baseline (``access`` is ``data``) is specified by its problem only, because nothing inside it can be
counted: ``REACHES = (parameters, tolerance)`` says that with these parameters its last answer is within this
relative tolerance of the certified optimum. ``tests/conformance/test_baselines.py`` checks it.

Optional names, with their defaults in `tests.conformance.cases.DEFAULTS`:

``VARIANTS``
    A list of parameters to test; by default those of the class.
``MAINTAINS``
    True: the method maintains all responses, but makes them from rows itself and not by ``w.c``.
``REFUSED``
    A list of parameters that the method refuses in combination, the bias among them as ``bias``.
``ENDLESS``
    A dict of parameters with which no run ends by itself, if the defaults may end.
``APPROXIMATE``
    A list of variants that end before the optimum, or approach it too slowly for the tests.
``ROWS_PER_ITERATION``
    Above 1: an iteration consists of at most this many whole rows, each charged under every convention. Any
    other method whose iteration is not charged n adds its charge to the oracle's ``iterated``.
``ADDS_ROWS``
    True: rows are used only in sums of rows.
``SIGNS``
    ``either``: the coefficients of the answer may differ in sign from the labels.
``POINTS``
    True: the answer is over points that are not examples, and ``run`` returns its responses on the examples.
    ``w.oracle.foreign(b, cols)`` and ``w.oracle.between(b, points)`` give the kernel values of such a point.
``ON_DEMAND``
    True: it computes no rows, and evaluates on demand what it is charged.
``TIES``
    True: the method chooses among values that differ only by the rounding of its last step, so that it needs
    the kernel values of the compiled oracle to the last bit; the others use the formula.
``ROUNDING``
    The relative tolerance of iterates with kernel values that are exact in single precision, by default 1e-9:
    more for a method that amplifies rounding, such as conjugate gradients.
``RATE``, ``WITHIN``
    For a stochastic linear method: the largest part of the gap that remains after four times as many
    iterations, by default 0.6, and the distance from the optimum after 64,000 iterations as a part of the
    optimum, by default 0.02.
``LOOKS``
    For a linear method: how many times a snapshot computes n inner products to scale its answer, by default
    0; these are observation and not charged.
"""
