"""What becomes of a sentence of the chat model that does not stand in the sources."""

from enum import StrEnum


class AnswerCheck(StrEnum):
    OFF = "off"  # nothing is looked up
    MARK = "mark"  # it is shown, and said of it that the sources do not confirm it
    WITHHOLD = "withhold"  # it is left out
