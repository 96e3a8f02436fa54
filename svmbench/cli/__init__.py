"""The command line: dispatch in `main`, one module per subcommand.

`entry` is the script ``svmbench``. A module without an underscore is a subcommand: it turns words into a call
of another room and prints what that returns. The others are shared by several, or are a part of one::

    main             finds the subcommand in _commands; completion is answered by _candidates
      `-- run, list ...    a subcommand, whose words _parser reads
            |-- _output                       what it prints; _streams: how
            |-- _overview                     the lines of list and watch
            |-- _sweep                        run -m, resume, status, plan and tune: sweeps
            `-- _painter                      pictures of run, drawn by a process beside it

`_papers` has the actions of ``paper``, and `_again` makes a run again for ``verify``.
"""
