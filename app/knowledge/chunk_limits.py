"""How long a chunk may be, in the embedder's own tokens."""

from dataclasses import dataclass

# Special tokens and the line break between context and text, with room for tokenizers that count it.
RESERVED_TOKENS = 8
# A tokenizer may count a long run of letters as one unknown word: characters bound what tokens do not.
CHARS_PER_TOKEN = 8


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """A chunk's text and its context line."""

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
        """A section below this says too little to stand alone."""
        return self.chunk_tokens // 5

    @property
    def embedded_tokens(self) -> int:
        """The most that one chunk brings to the embedder."""
        return self.chunk_tokens + self.context_tokens + RESERVED_TOKENS

    @classmethod
    def for_embedder(cls, max_tokens: int) -> "ChunkLimits":
        """The defaults, or the same proportions below `max_tokens` for an embedder that takes less."""
        limits = cls()
        if limits.embedded_tokens <= max_tokens:
            return limits
        share = (max_tokens - RESERVED_TOKENS) / (limits.embedded_tokens - RESERVED_TOKENS)
        return cls(int(limits.chunk_tokens * share), int(limits.context_tokens * share))

    def of_size(self, chunk_tokens: int) -> "ChunkLimits":
        """Chunks of at most so many tokens; the context line keeps its room."""
        return ChunkLimits(chunk_tokens, self.context_tokens)
