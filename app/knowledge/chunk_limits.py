"""The maximum length of a chunk, in the embedder's own tokens."""

from dataclasses import dataclass

# Special tokens and the line break between context and text, with room for tokenizers that count it.
RESERVED_TOKENS = 8
# A tokenizer may count a long run of letters as one unknown word, so characters are limited as well.
CHARS_PER_TOKEN = 8


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """The maximum lengths of a chunk's text and of its context line."""

    chunk_tokens: int = 200
    context_tokens: int = 40

    def __post_init__(self) -> None:
        if self.context_tokens < 0:
            raise ValueError("context_tokens must not be negative")

    @property
    def chunk_chars(self) -> int:
        return self.chunk_tokens * CHARS_PER_TOKEN

    @property
    def tiny_tokens(self) -> int:
        """The length below which a section says too little on its own."""
        return self.chunk_tokens // 5

    @property
    def embedded_tokens(self) -> int:
        """The maximum number of tokens of a chunk with its context line."""
        return self.chunk_tokens + self.context_tokens + RESERVED_TOKENS

    @classmethod
    def for_embedder(cls, max_tokens: int) -> "ChunkLimits":
        """The defaults, or limits in the same proportions for an embedder that takes fewer than `max_tokens`."""
        limits = cls()
        if limits.embedded_tokens <= max_tokens:
            return limits
        share = (max_tokens - RESERVED_TOKENS) / (limits.embedded_tokens - RESERVED_TOKENS)
        return cls(int(limits.chunk_tokens * share), int(limits.context_tokens * share))

    def of_size(self, chunk_tokens: int) -> "ChunkLimits":
        """Chunks of at most that many tokens, with the same room for the context line."""
        return ChunkLimits(chunk_tokens, self.context_tokens)
