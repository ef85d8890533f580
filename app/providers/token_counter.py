"""Ports: how many tokens a text has for a model, by Hugging Face's tokenizers from a model's own tokenizer file; and
pieces of a long text that fit, by semantic-text-splitter, measured in the embedder's tokens."""

import hashlib
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Final, Protocol

from semantic_text_splitter import MarkdownSplitter
from tokenizers import Encoding, Tokenizer

from app.core.text.letter_forms import encodable
from app.kit.cache import RecentValues


class TokenCounter(Protocol):
    """Counts the tokens of the embedder's own tokenizer, so that nothing is cut off silently."""

    def count(self, text: str) -> int:
        """Tokens of the text alone, without special tokens; 0 for an empty text."""
        ...


_REMEMBERED: Final = (
    16_384  # counts, of some 150 bytes each: questions are answered from the same chunks again and again
)


class TokenizersTokenCounter:
    """Counts with the tokenizer of a model's folder, read on first use. Remembers counts, but no texts."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "tokenizer.json"
        self._counts = RecentValues[bytes, int](_REMEMBERED)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer with its own truncation and padding off. Counters of the same file share it."""
        return _tokenizer(self._file)

    def count(self, text: str) -> int:
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        count = self._counts.get(key)
        if count is None:
            count = len(self.encode(text, has_special_tokens=False))
            self._counts.keep(key, count)
        return count

    def is_word(self, word: str) -> bool:
        """Whether the model reads it as one token; common words are."""
        return self.tokenizer.token_to_id(word) is not None

    def encode(self, text: str, *, has_special_tokens: bool) -> list[int]:
        """The ids of the tokens."""
        encoding: Encoding = self.tokenizer.encode(encodable(text), add_special_tokens=has_special_tokens)
        return encoding.ids


@lru_cache(4)  # the embedder reads the same file as what counts for chunks and prompts
def _tokenizer(file: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


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
