"""How many files the process may hold open, sockets among them."""

import resource
from typing import Final

# For databases, indexes, models and calls to others, beside the connections of visitors.
_BESIDE_CONNECTIONS: Final = 256


def connections_that_fit(wanted: int) -> int:
    """Raise the limit of open files as far as the system lets us; fewer than `wanted` where that is not enough."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _BESIDE_CONNECTIONS
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    return max(soft // 2, soft - _BESIDE_CONNECTIONS)
