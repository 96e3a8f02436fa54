"""Elastic deformations of images (Simard, Steinkraus, Platt 2003, section 2.1)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter


def displacements(
    seed: int, stream: int, examples: Iterable[int], shape: tuple[int, int], alpha: float, sigma: float
) -> NDArray[np.float64]:
    """Return one smooth random field for each example, from a generator of its own.

    Every pixel's displacement along each axis is drawn from [-1, 1), smoothed by a Gaussian and multiplied by
    ``alpha``: pixels near each other move alike.

    Parameters
    ----------
    seed, stream : int
        What the fields depend on beside the example's number: a stream is a part of a data set.
    examples : iterable of int
        Numbers of the b examples.
    shape : (int, int)
        Height and width of the images, in pixels.
    alpha : float
        Strength. The displacements' standard deviation is about alpha / (6.1 sigma) pixels.
    sigma : float
        Width of the Gaussian, in pixels.

    Returns
    -------
    ndarray of float64, shape (b, 2, height, width)
        Displacements in pixels, along the height and along the width.
    """
    entropies = (np.random.SeedSequence(seed, spawn_key=(stream, k)) for k in examples)
    raw = np.stack([np.random.default_rng(entropy).uniform(-1.0, 1.0, (2, *shape)) for entropy in entropies])
    return alpha * gaussian_filter(raw, (0.0, 0.0, sigma, sigma))


def deformed(images: NDArray[np.uint8], fields: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the images with each pixel taken from where its displacement points to.

    Values between pixels are bilinear and rounded to the nearest; outside of an image it is 0.

    Parameters
    ----------
    images : ndarray of uint8, shape (b, height, width)
    fields : ndarray of float64, shape (b, 2, height, width)

    Returns
    -------
    ndarray of uint8, shape (b, height, width)
    """
    count, height, width = images.shape
    # A frame of zeros, two pixels wide, is what all places outside are cut to.
    framed = np.zeros((count, height + 4, width + 4))
    framed[:, 2:-2, 2:-2] = images
    rows = np.clip(fields[:, 0] + np.arange(height)[:, np.newaxis], -2.0, height) + 2.0
    columns = np.clip(fields[:, 1] + np.arange(width), -2.0, width) + 2.0
    top, left = rows.astype(np.intp), columns.astype(np.intp)
    down, right = rows - top, columns - left
    image = np.arange(count)[:, np.newaxis, np.newaxis]
    upper = framed[image, top, left] * (1.0 - right) + framed[image, top, left + 1] * right
    lower = framed[image, top + 1, left] * (1.0 - right) + framed[image, top + 1, left + 1] * right
    return np.rint(upper * (1.0 - down) + lower * down).astype(np.uint8)
