"""Many runs: planned whole before the first one starts, made by warm worker processes, and recorded."""
