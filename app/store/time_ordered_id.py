"""Ids that sort by creation time (RFC 9562, UUID version 7)."""

import os
import threading
import time
from uuid import UUID

_lock = threading.Lock()
_last_tick = 0


def new_id() -> UUID:
    """A UUIDv7. Within one process, each id is greater than all before it, so rows of the same instant keep their
    order, and new rows are appended to their index."""
    global _last_tick
    tick = time.time_ns() * 4096 // 1_000_000  # milliseconds, and 12 bits below them
    with _lock:
        tick = max(tick, _last_tick + 1)
        _last_tick = tick
    random = int.from_bytes(os.urandom(8), "big") & ((1 << 62) - 1)
    milliseconds, fraction = divmod(tick, 4096)
    return UUID(int=milliseconds << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | random)
