"""Port: splits a long text into pieces that fit; by semantic-text-splitter, measured in the embedder's own tokens."""

from functools import cache
from typing import Protocol

from semantic_text_splitter import MarkdownSplitter

from app.core.text.encodable_text import encodable
from app.providers.token_counter import TokenizersTokenCounter


class TextSplitter(Protocol):
    """Splits Markdown at its own boundaries: blocks first, then sentences, then words."""

    def split(self, markdown: str, max_tokens: int) -> list[str]:
        """Pieces in order, each of at most `max_tokens` tokens; no two share a word.

        A table or a fenced code block stays whole if it fits. [] for blank text.
        """
        ...


class MarkdownTextSplitter:
    """Splits at headings, then blocks, sentences, words, and within a word only if nothing else fits."""

    def __init__(self, tokens: TokenizersTokenCounter) -> None:
        self._tokens = tokens
        self._splitter = cache(self._build)

    def split(self, markdown: str, max_tokens: int) -> list[str]:
        return [piece for piece in self._splitter(max_tokens).chunks(encodable(markdown)) if piece.strip()]

    def _build(self, max_tokens: int) -> MarkdownSplitter:
        return MarkdownSplitter.from_huggingface_tokenizer(self._tokens.tokenizer, max_tokens)
