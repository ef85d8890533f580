"""The terms of texts that come up again and again: the same chunks are recalled for question after question."""

import hashlib
import threading
from collections import OrderedDict

from app.adapters.keyword_analysis import analysis_of


class KnownTerms:
    """Analyses a text once for as long as it is among the `max_texts` that were asked for last. A text of 100 words
    takes about 1 KB. Threads may share it."""

    def __init__(self, max_texts: int = 8192) -> None:
        self._max_texts = max_texts
        self._known: OrderedDict[tuple[str, bytes], str] = OrderedDict()
        self._guard = threading.Lock()

    def __len__(self) -> int:
        return len(self._known)

    def of(self, language: str, text: str) -> set[str]:
        """`language` as `language_of` gives it."""
        key = (language, hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest())
        with self._guard:
            joined = self._known.get(key)
            if joined is not None:
                self._known.move_to_end(key)
        if joined is None:
            joined = " ".join(dict.fromkeys(analysis_of(language).terms(text)))  # one string is smaller than a set
            with self._guard:
                self._known[key] = joined
                while len(self._known) > self._max_texts:
                    self._known.popitem(last=False)
        return set(joined.split(" ")) if joined else set()
