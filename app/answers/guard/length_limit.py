"""Ends an answer that grows too long: with a whole sentence if one ends shortly before the limit, else with a word."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.core.text.sentences import statement_ends, undecided_from

_LAST_STRETCH: Final = 150  # characters before the limit in which no sentence begins that may not end: most are shorter
_SHARE: Final = 10  # and a tenth of the limit at most


@dataclass(slots=True)
class LengthLimit:
    """Text in, text out, `max_chars` of it at most, all of it at once: nothing is held back to see whether its sentence
    will end. `cut_at_word` cuts the last piece."""

    max_chars: int
    cut_at_word: Callable[[str, int], str]
    is_reached: bool = False
    _shown: int = 0
    _open: str = ""  # what was shown since the last end of a sentence that something follows
    _decided: int = 0  # characters of it that cannot contain an end any more

    def take(self, text: str) -> str:
        """The text that may be shown now."""
        whole, seen = self._open + text, len(self._open)
        limit = self.max_chars - self._shown + seen  # in `whole`
        stretch = limit - min(_LAST_STRETCH, self.max_chars // _SHARE)
        ends = statement_ends(whole, self._decided)
        if len(whole) > stretch:
            is_over = len(whole) > limit
            last = [end for end in ends if len(whole[:end].rstrip()) <= limit and whole[end:].strip()]
            if last and (last[-1] > stretch or (is_over and last[-1] >= seen)):
                self.is_reached = True
                return whole[seen : last[-1]].rstrip()
            if is_over:
                self.is_reached = True
                return self._cut(text, limit - seen)
        self._shown += len(text)
        start = max((end for end in ends if end < len(whole)), default=0)
        self._open = whole[start:]
        self._decided = undecided_from(self._open)
        return text

    def _cut(self, text: str, room: int) -> str:
        cut = self.cut_at_word(text, room)
        is_in_word = not text[len(cut) : len(cut) + 1].isspace()
        return "" if is_in_word and self._shown and not any(map(str.isspace, cut)) else cut
