"""How long a text is in a prompt, for a model whose tokenizer we do not have."""

from app.ports.token_counter import TokenCounter

# The shipped tokenizer reads English; it may count a long run of other letters as one word that it does not know.
_BYTES_PER_TOKEN = 4


class PromptSizes:
    """Errs on the long side: tokens by the counter, or by bytes where that is more."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter

    def of(self, text: str) -> int:
        return max(self._counter.count(text), len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)

    def cut(self, text: str, room: int) -> tuple[str, int]:
        """The text, or as much of its beginning, to the end of a word, as `room` tokens hold, and its size; "" without
        room."""
        if room <= 0:
            return "", 0
        size = self.of(text)
        while size > room:
            shorter = text[: len(text) * room // size]
            text = (shorter if len(shorter) < len(text) else text[:-1]).rsplit(" ", 1)[0]
            size = self.of(text)
        return text, size
