"""The only place where a kernel is evaluated: layouts, row cache, oracle and its ledger."""
