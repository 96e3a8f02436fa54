"""Elastic deformations of images to first order (Loosli, Canu, Bottou 2007), and shifts by one pixel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

#: Shifts by at most one pixel, including none: (down, right).
SHIFTS = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1))

#: Values this little below an integer are not truncated to the previous one. The tolerance is far above
#: rounding errors of double precision, so that the bytes are the same on every machine.
_BELOW = 1e-6


@dataclass(frozen=True)
class Draws:
    """Random deformations of b images.

    Attributes
    ----------
    vertical, horizontal : ndarray of int64, shape (b,)
        Indices of the fields of the displacements.
    signs : ndarray of float64, shape (b,)
        Factor of both displacements, 1 or -1.
    shifts : ndarray of int64, shape (b,)
        Indices into `SHIFTS`.
    """

    vertical: NDArray[np.int64]
    horizontal: NDArray[np.int64]
    signs: NDArray[np.float64]
    shifts: NDArray[np.int64]

    @classmethod
    def of(cls, rng: np.random.Generator, count: int, fields: int) -> Draws:
        """Draw for ``count`` images, uniformly and independently."""
        vertical, horizontal = rng.integers(fields, size=(2, count))
        return cls(
            vertical, horizontal, rng.choice([-1.0, 1.0], count), rng.integers(len(SHIFTS), size=count)
        )

    def __getitem__(self, some: slice) -> Draws:
        return Draws(self.vertical[some], self.horizontal[some], self.signs[some], self.shifts[some])


def smooth_fields(
    rng: np.random.Generator, count: int, shape: tuple[int, int], sigma: float
) -> NDArray[np.float64]:
    """Return smooth random fields of mean 0 and standard deviation 1, shape (count, height, width).

    Each pixel is drawn from [-1, 1), smoothed by a Gaussian of width `sigma`, in pixels, and scaled. This is
    done on a periodic grid of twice the height and width, so that the standard deviation is the same in all
    pixels.
    """
    height, width = shape
    impulse = np.zeros((2 * height, 2 * width))
    impulse[0, 0] = 1.0
    response = gaussian_filter(impulse, sigma, mode="wrap")
    raw = rng.uniform(-1.0, 1.0, (count, *impulse.shape))
    smooth = gaussian_filter(raw, (0.0, sigma, sigma), mode="wrap")
    scale = np.sqrt(3.0 / np.square(response).sum())  # a uniform number in [-1, 1) has variance 1/3
    fields: NDArray[np.float64] = scale * smooth[:, :height, :width]
    return fields


def tangents(images: NDArray[np.uint8], smoothing: float) -> NDArray[np.float64]:
    """Return the derivatives of images (b, height, width) along height and width, (2, b, height, width).

    They are central differences in grey levels per pixel, smoothed by a Gaussian whose width is given in
    pixels, and exactly 0 where the image is constant. The grey level outside an image is 0.
    """
    framed = np.pad(images.astype(np.float64), ((0, 0), (1, 1), (1, 1)))
    down = 0.5 * (framed[:, 2:, 1:-1] - framed[:, :-2, 1:-1])
    right = 0.5 * (framed[:, 1:-1, 2:] - framed[:, 1:-1, :-2])
    smooth: NDArray[np.float64] = gaussian_filter(
        np.stack([down, right]), (0.0, 0.0, smoothing, smoothing), mode="constant"
    )
    return smooth


def deformed(
    images: NDArray[np.uint8],
    derivatives: NDArray[np.float64],
    fields: NDArray[np.float64],
    draws: Draws,
    alpha: float,
) -> NDArray[np.uint8]:
    r"""Return the images after a small displacement of each pixel and a shift by at most one pixel.

    With derivatives :math:`t_1, t_2` of image x (`tangents`) and two fields :math:`f_1, f_2`
    (`smooth_fields`), the displaced image is :math:`x \pm \alpha (f_1 t_1 - f_2 t_2)`, clipped to [0, 255]
    and truncated to integers, then shifted. Pixels that are shifted out of the image are lost, and 0 is
    shifted in. `alpha` is the standard deviation of the displacement along each axis, in pixels.
    """
    change = fields[draws.vertical] * derivatives[0] - fields[draws.horizontal] * derivatives[1]
    values = images + (alpha * draws.signs)[:, np.newaxis, np.newaxis] * change
    whole = np.floor(np.clip(values, 0.0, 255.0) + _BELOW).astype(np.uint8)
    framed = np.pad(whole, ((0, 0), (1, 1), (1, 1)))
    height, width = images.shape[1:]
    result = np.empty_like(whole)
    for place, (down, right) in enumerate(SHIFTS):
        chosen = draws.shifts == place
        result[chosen] = framed[chosen, 1 - down : 1 - down + height, 1 - right : 1 - right + width]
    return result
