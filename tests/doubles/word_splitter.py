"""A TextSplitter that counts words."""


class WordSplitter:
    """Pieces of as many words as fit."""

    def split(self, markdown: str, max_tokens: int) -> list[str]:
        words = markdown.split()
        return [" ".join(words[start : start + max_tokens]) for start in range(0, len(words), max_tokens)]
