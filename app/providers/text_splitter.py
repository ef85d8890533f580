"""Port: splits a long text into pieces that fit."""

from typing import Protocol


class TextSplitter(Protocol):
    """Splits Markdown at its own boundaries: blocks first, then sentences, then words."""

    def split(self, markdown: str, max_tokens: int) -> list[str]:
        """Pieces in order, each of at most `max_tokens` tokens; no two share a word.

        A table or a fenced code block stays whole if it fits. [] for blank text.
        """
        ...
