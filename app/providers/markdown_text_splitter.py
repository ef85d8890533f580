"""TextSplitter by semantic-text-splitter, measured in the embedder's own tokens."""

from functools import cache

from semantic_text_splitter import MarkdownSplitter

from app.core.text.encodable_text import encodable
from app.providers.tokenizers_token_counter import TokenizersTokenCounter


class MarkdownTextSplitter:
    """Splits at headings, then blocks, sentences, words, and within a word only if nothing else fits."""

    def __init__(self, tokens: TokenizersTokenCounter) -> None:
        self._tokens = tokens
        self._splitter = cache(self._build)

    def split(self, markdown: str, max_tokens: int) -> list[str]:
        return [piece for piece in self._splitter(max_tokens).chunks(encodable(markdown)) if piece.strip()]

    def _build(self, max_tokens: int) -> MarkdownSplitter:
        return MarkdownSplitter.from_huggingface_tokenizer(self._tokens.tokenizer, max_tokens)
