"""Why a question counts as a gap, and the gap's state."""

from enum import StrEnum


class GapReason(StrEnum):
    """Why the question counts as a gap."""

    LOW_CONFIDENCE = "low_confidence"
    FAILURE_WORDS = "failure_words"  # the answer itself says that it does not know
    UNCONFIRMED = "unconfirmed"  # the sources do not confirm what the chat model wrote
    THUMBS_DOWN = "thumbs_down"
    REPHRASED = "rephrased"  # the visitor stopped the answer and asked the same in other words
    FLAGGED = "flagged"  # an operator who read the answer marked it


class GapState(StrEnum):
    OPEN = "open"
    PROPOSED = "proposed"  # its questions are answered now: an operator may close it
    ANSWERED = "answered"  # closed, and a replay of its questions has shown that they are answered
    RESOLVED = "resolved"  # closed by an operator
    IGNORED = "ignored"
