"""Memory that the process has freed, given back to the system."""

import ctypes


def give_back_free_memory() -> None:
    """After large buffers, modules or models. glibc keeps it; other C libraries have their own ways."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
