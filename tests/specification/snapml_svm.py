"""Snap ML: the linear problem without bias."""

# It may leave an example at a wrong bound for ever; a wrong C would be further off.
VARIANTS = [{"passes": [1, 2, 5]}]
REACHES = {"passes": [1_000_000]}, 0.03
ENDLESS = {"passes": [1] * 100_000}
