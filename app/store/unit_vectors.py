"""Vectors of length 1 as they are stored: their largest coordinate, a little-endian float32, then a byte for each
coordinate. One changes by at most a 254th of the largest."""

from collections.abc import Sequence
from typing import Final

import numpy as np

_LARGEST: Final = np.dtype("<f4")
_STEPS: Final = 127


def packed(vector: Sequence[float]) -> bytes:
    exact = np.asarray(vector, _LARGEST)
    largest = np.abs(exact).max()
    steps = np.rint(exact / (largest or 1) * _STEPS).astype(np.int8)
    return bytes(largest.tobytes() + steps.tobytes())


def unpacked(stored: bytes) -> tuple[float, ...]:
    [largest] = np.frombuffer(stored, _LARGEST, 1)
    return tuple((np.frombuffer(stored, np.int8, offset=_LARGEST.itemsize) / np.float32(_STEPS) * largest).tolist())
