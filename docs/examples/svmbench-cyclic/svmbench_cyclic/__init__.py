"""A compiled solver for svmbench in a distribution of its own."""
