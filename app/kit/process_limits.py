"""What a process asks of the system: memory shared by its threads or given back, files that it may hold open."""

import ctypes
import resource
from typing import Final


def give_back_free_memory() -> None:
    """Return freed memory to the system, such as after large buffers, modules or models. glibc would keep it; with
    other C libraries, this does nothing."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


_M_ARENA_MAX: Final = -8  # of glibc's malloc.h
_ARENAS: Final = 2

YOUNG_COLLECTIONS: Final = (700, 10, 10)
"""Python's own thresholds of `gc`, which a starting command raises."""

# For databases, indexes, models and calls to others, beside the connections of visitors.
_BESIDE_CONNECTIONS: Final = 256


def share_arenas() -> None:
    """Let all threads share two of glibc's heaps. Call it before threads start; other C libraries have no such setting.

    By default, glibc creates up to eight heaps for each core, and what is freed in one helps no thread of another. With
    two, a process starts with 35 MiB less and a stream takes a seventh less; nothing gets slower.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, _ARENAS)


def connections_that_fit(wanted: int) -> int:
    """Raise the limit of open files, which includes sockets, as far as the system allows. Return how many connections
    fit: `wanted`, unless that is too many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _BESIDE_CONNECTIONS
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    return max(soft // 2, soft - _BESIDE_CONNECTIONS)
