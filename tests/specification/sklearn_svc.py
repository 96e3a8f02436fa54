"""LIBSVM by scikit-learn: the problem with an unregularised bias."""

VARIANTS = [{"storage": "csr"}, {"storage": "dense", "tol": [0.1, 0.001]}]
REACHES = {"tol": [1e-9]}, 1e-6
