"""Stand-ins for the parts of Gymnasium 1.0 that Env uses, for machines without it."""
from __future__ import annotations

from typing import Any

import numpy as np


class _Seeded:
    _np_random = _np_random_seed = None

    def _seed(self, seed: int | None = None) -> int:
        """Restart the random numbers and return the seed."""
        self._np_random_seed = np.random.SeedSequence(seed).entropy
        self._np_random = np.random.Generator(np.random.PCG64(self._np_random_seed))
        return self._np_random_seed

    @property
    def np_random(self) -> np.random.Generator:
        """The random numbers, with a seed of the system unless there is another."""
        if self._np_random is None:
            self._seed()
        return self._np_random


class Space(_Seeded):
    """A set of values that can be sampled."""
    def __init__(self, shape: tuple[int, ...], dtype: Any):
        self.shape, self.dtype = shape, np.dtype(dtype)

    seed = _Seeded._seed

    def __contains__(self, x: Any) -> bool:
        return self.contains(x)


class Box(Space):
    """Arrays between low and high."""
    def __init__(self, low: float, high: float, shape: tuple[int, ...], dtype: Any = np.float32):
        super().__init__(shape, dtype)
        self.low, self.high = np.full(shape, low, dtype), np.full(shape, high, dtype)

    def sample(self) -> np.ndarray:
        return self.np_random.uniform(self.low, self.high).astype(self.dtype)

    def contains(self, x: Any) -> bool:
        fits = isinstance(x, np.ndarray) and x.shape == self.shape and np.can_cast(x.dtype, self.dtype)
        return fits and bool(np.all(x >= self.low) and np.all(x <= self.high))


class Discrete(Space):
    """The integers from 0 to n-1."""
    def __init__(self, n: int):
        super().__init__((), np.int64)
        self.n, self.start = np.int64(n), np.int64(0)

    def sample(self, mask: np.ndarray | None = None) -> np.int64:
        """Draw one of the values that have a 1 in the mask; 0 if there is none."""
        allowed = np.arange(self.n) if mask is None else np.flatnonzero(mask)
        return np.int64(self.np_random.choice(allowed)) if len(allowed) else np.int64(0)

    def contains(self, x: Any) -> bool:
        scalar = isinstance(x, (int, np.integer)) or isinstance(x, np.ndarray) and x.shape == ()
        return scalar and np.issubdtype(np.asarray(x).dtype, np.integer) and 0 <= int(x) < self.n


class Env(_Seeded):
    """The base of environments."""
    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = spec = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None:
            self._seed(seed)

    @property
    def np_random_seed(self) -> int:
        return self._np_random_seed if self._np_random_seed is not None else self._seed()

    @property
    def unwrapped(self) -> Env:
        return self

    def render(self) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Env:
        return self

    def __exit__(self, *args: Any) -> bool:
        self.close()
        return False
