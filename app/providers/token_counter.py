"""Port: how many tokens a text has for a model."""

from typing import Protocol


class TokenCounter(Protocol):
    """Counts the tokens of the embedder's own tokenizer, so that nothing is cut off silently."""

    def count(self, text: str) -> int:
        """Tokens of the text alone, without special tokens; 0 for an empty text."""
        ...
