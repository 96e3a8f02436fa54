"""The generator against an independent form of the published algorithms."""

import numpy as np
import pytest
from scipy.stats import kstest

from svmbench.rng import Generator

MASK = (1 << 64) - 1


def splitmix64(x: int, count: int) -> list[int]:
    out = []
    for _ in range(count):
        x = (x + 0x9E3779B97F4A7C15) & MASK
        z = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        out.append(z ^ (z >> 31))
    return out


def xoshiro256pp(state: list[int]):
    def rotate(x: int, k: int) -> int:
        return ((x << k) | (x >> (64 - k))) & MASK

    s = list(state)
    while True:
        yield (rotate((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 45)


def test_the_independent_form_gives_the_published_outputs():
    # SplitMix64 from 1234567 and xoshiro256++ from the state 1, 2, 3, 4,
    # as the reference programs give them.
    assert splitmix64(1234567, 3) == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    stream = xoshiro256pp([1, 2, 3, 4])
    assert [next(stream) for _ in range(4)] == [41943041, 58720359, 3588806011781223, 3591011842654386]


@pytest.mark.parametrize("seed", [0, 1, 42, 2**63, 2**64 - 1])
def test_stream(seed):
    generator, expected = Generator(seed), xoshiro256pp(splitmix64(seed, 4))
    assert [generator.bits() for _ in range(1000)] == [next(expected) for _ in range(1000)]


@pytest.mark.parametrize("n", [1, 2, 3, 7, 1000, 3 * 2**30, 2**32 - 1])
def test_integers_are_those_of_multiplication_with_rejection(n):
    generator, stream = Generator(5), xoshiro256pp(splitmix64(5, 4))
    for _ in range(2000):
        while True:
            product = (next(stream) >> 32) * n
            if product % 2**32 >= 2**32 % n:
                break
        assert generator.integers(n) == product >> 32


def test_integers_are_uniform():
    generator = Generator(3)
    counts = np.bincount([generator.integers(6) for _ in range(60_000)], minlength=6)
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 20.5  # chi square, 5 degrees of freedom, 0.1 %


def test_random_is_the_upper_53_bits():
    generator, stream = Generator(9), xoshiro256pp(splitmix64(9, 4))
    assert [generator.random() for _ in range(100)] == [(next(stream) >> 11) / 2**53 for _ in range(100)]


def test_permutation_is_fisher_yates():
    generator, twin = Generator(11), Generator(11)
    items = list(range(50))
    for i in range(49, 0, -1):
        j = twin.integers(i + 1)
        items[i], items[j] = items[j], items[i]
    assert generator.permutation(50).tolist() == items
    assert generator.permutation(0).tolist() == []
    assert generator.permutation(1).tolist() == [0]


def test_permutations_are_uniform():
    generator = Generator(2)
    seen: dict[tuple, int] = {}
    for _ in range(24_000):
        order = tuple(generator.permutation(4))
        seen[order] = seen.get(order, 0) + 1
    assert len(seen) == 24
    assert sum((count - 1000) ** 2 / 1000 for count in seen.values()) < 49.8  # 23 degrees of freedom, 0.1 %


@pytest.mark.parametrize("n", [0, -1, 2**32])
def test_integers_out_of_range(n):
    with pytest.raises(ValueError, match=f"n={n} is not allowed"):
        Generator(0).integers(n)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seed_out_of_range(seed):
    with pytest.raises(OverflowError):
        Generator(seed)


def test_uniforms_are_the_numbers_one_by_one():
    one, many = Generator(3), Generator(3)
    assert [one.random() for _ in range(100)] == many.uniforms(100).tolist()
    assert many.uniforms(0).shape == (0,)
    assert one.bits() == many.bits()


@pytest.mark.parametrize("count", [0, 1, 100_001])
def test_normals_have_their_distribution(count):
    values = Generator(1).normals(count)
    assert values.shape == (count,)
    assert np.array_equal(values, Generator(1).normals(count))
    if count > 1:
        assert kstest(values, "norm").pvalue > 0.01
        assert abs(np.corrcoef(values[: count // 2], values[count // 2 : -1])[0, 1]) < 0.02
