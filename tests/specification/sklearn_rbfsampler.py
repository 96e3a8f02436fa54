"""Fourier features by scikit-learn: with many of them their kernel is near the Gaussian one."""

VARIANTS = [{"components": 8}, {"components": 8, "passes": [1, 2], "linear": "linearsvc"}]
REFUSED = [{"linear": "linearsvc", "bias": "unregularised"}]
REACHES = {"components": 3000, "passes": [300]}, 0.03
ENDLESS = {"components": 4, "passes": [1] * 100_000}
