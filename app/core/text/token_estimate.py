"""How many tokens of a chat model a text is, without the model's tokenizer."""

from typing import Final

_ASCII_CHARS: Final = 4  # a token
_OTHER_BYTES: Final = 3  # a token, in UTF-8


def estimated_tokens(text: str) -> int:
    """Four ASCII characters a token, and three bytes of others. Of o200k and cl100k, a token has 1.0 to 1.3 characters
    of Chinese, 1.1 to 1.5 of Japanese, 1.2 to 1.7 of Korean, and with cl100k 1.2 to 1.4 of Hindi, Persian and
    Arabic."""
    if text.isascii():
        return -(-len(text) // _ASCII_CHARS)
    plain = len(text.encode("ascii", "ignore"))
    others = len(text.encode("utf-8", "surrogatepass")) - plain
    return -(-plain // _ASCII_CHARS) + -(-others // _OTHER_BYTES)
