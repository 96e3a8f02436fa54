"""LIBLINEAR by scikit-learn: the linear problem without bias."""

VARIANTS = [{"passes": [1, 2, 5]}]
REACHES = {"passes": [1_000_000]}, 1e-6
ENDLESS = {"passes": [1] * 100_000}
