"""TokenCounter by Hugging Face's tokenizers: the tokens of a model's own tokenizer file."""

from functools import cached_property
from pathlib import Path

from tokenizers import Encoding, Tokenizer

from app.adapters.encodable_text import encodable


class TokenizersTokenCounter:
    """Counts with the tokenizer of a model's folder, read on first use."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "tokenizer.json"

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer with its own truncation and padding off."""
        tokenizer = Tokenizer.from_file(str(self._file))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def count(self, text: str) -> int:
        return len(self.encode(text, has_special_tokens=False))

    def encode(self, text: str, *, has_special_tokens: bool) -> list[int]:
        """The ids of the tokens."""
        encoding: Encoding = self.tokenizer.encode(encodable(text), add_special_tokens=has_special_tokens)
        return encoding.ids
