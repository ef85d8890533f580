"""What becomes of an answer that nobody reads any more."""

from enum import StrEnum


class OnDisconnect(StrEnum):
    FINISH = "finish"  # it is written to its end, and waits for the visitor
    STOP = "stop"  # after a grace; what was written is kept
