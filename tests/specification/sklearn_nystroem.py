"""Nyström features by scikit-learn: with every example among them they are the kernel itself."""

VARIANTS = [{"components": 8}, {"components": 8, "passes": [1, 2], "linear": "linearsvc"}]
REFUSED = [{"linear": "linearsvc", "bias": "unregularised"}]
REACHES = {"components": 1000, "passes": [3000]}, 0.02
ENDLESS = {"components": 4, "passes": [1] * 100_000}
