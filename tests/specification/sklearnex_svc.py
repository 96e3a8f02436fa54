"""oneDAL by scikit-learn-intelex: the problem with an unregularised bias, in double or single precision."""

VARIANTS = [{"precision": "float64"}, {"precision": "float32", "tol": [0.1, 0.001]}]
REACHES = {"tol": [1e-6]}, 1e-5
