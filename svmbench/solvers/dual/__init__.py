r"""What solvers of the dual problem share: selection, working sets and quadratic programs over the box.

The problem, in C-form with C = 1/(λn), is :math:`\max_\alpha \sum_i \alpha_i - \frac12 |\sum_i \alpha_i y_i
\Phi(x_i)|^2` subject to :math:`0 \le \alpha_i \le C`, and :math:`\sum_i \alpha_i y_i = 0` if there is a
bias. All modules use the same notation: f is the predictor without bias, the value :math:`v_i = y_i -
f(x_i)` is :math:`-y_i` times the gradient of the minimised dual, and :math:`\beta_i = \alpha_i y_i`.
Raising :math:`\beta_i` gains where :math:`v_i` is large. At the optimum no value that can move up exceeds
one that can move down::

    State
      box.pyx                 BoxDual: α, v, and which coefficients can move up or down;
                              ActiveDual: the same for the active examples alone
      expansion_set.pyx       ExpansionSet: a set that examples enter and leave, of online methods (lasvm)
    Two coefficients at a time
      working_pair.pyx        the violating pair, by first or second order (smo_pair, platt, lasvm)
      conjugate.pyx           steps along directions conjugate to the last one (smo_pair)
      two_groups.pyx          two groups of examples whose kernel rows are shared between problems (KernelSVC)
    One coefficient at a time
      gap_safe.pyx            Screening: coefficients whose optimal value the duality gap proves (dcd)
    Small working sets
      decomposition.pyx       DecompositionRun: the loop over working sets (svm_light, gpdt)
      small_qp.pyx            the quadratic program of a working set, by pairs (svm_light)
      gradient_projection.pyx the same by projected gradients (gpdt)
      projection.pyx          projection onto the box, cut by a hyperplane
    Large working sets (decomposition)
      working_set.pyx         selection of q coefficients, and the dual in them
      nested_sets.pyx         Level: Flat, a working set within all examples;
                              Nested, a working set within a larger set within all examples
      insensitive.pyx         the dual of ε-insensitive regression, by rounds of a Level (KernelSVR)
      growing_subsets.pyx     Growth: the start on subsets that double
      shrunk_level.pyx        Shrunk: rounds over the examples whose coefficients still change
      division.pyx            Division: the dual over clusters of the examples (dcsvm)
      partial_level.pyx       common code of these three
    Precision
      refinement.pyx          Refinement: scores in double precision where float32 rows are too coarse,
                              at large C or small tolerances (all dual solvers)

Reading order for `decomposition`, the fastest exact solver: `working_set`, then `nested_sets`, then
``solvers/kernel/decomposition.pyx``, which runs a `Growth` first, then rounds of `Flat` or `Nested`, with
`Shrunk` in between once few coefficients still change. `parameters` has the keys that several methods share.
"""
