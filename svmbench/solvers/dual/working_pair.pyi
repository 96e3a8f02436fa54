# Nothing is called from Python.
