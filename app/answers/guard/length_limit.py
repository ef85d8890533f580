"""Ends an answer that grows too long with a whole sentence."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.core.text.statements import statement_ends, undecided_from

_LAST_STRETCH: Final = 300  # characters before the limit that are shown sentence by sentence, since one may be the last


@dataclass(slots=True)
class LengthLimit:
    """Text in, text out, `max_chars` of it at most. A sentence that cannot be dropped because its beginning was shown
    long before is cut by `cut_at_word`."""

    max_chars: int
    cut_at_word: Callable[[str, int], str]
    is_reached: bool = False
    _shown: int = 0
    _held: str = ""
    _decided: int = 0  # characters of it that cannot contain an end any more
    _last_shown: str = ""

    def take(self, text: str) -> str:
        """The text that may be shown now."""
        self._held += text
        room = self.max_chars - self._shown
        if len(self._held) > room:
            return self._last_of(room)
        if len(self._held) <= room - _LAST_STRETCH:
            return self._show(len(self._held))
        ends = statement_ends(self._held, self._decided)
        return self._show(ends[-1] if ends else 0)

    def close(self) -> str:
        """The rest of a text that has ended within its limit."""
        return "" if self.is_reached else self._show(len(self._held))

    def _last_of(self, room: int) -> str:
        self.is_reached = True
        ends = [end for end in statement_ends(self._held) if len(self._held[:end].rstrip()) <= room]
        if ends or (self._shown and not self._is_in_sentence()):
            return self._show(ends[-1] if ends else 0).rstrip()
        return self.cut_at_word(self._held, room)

    def _is_in_sentence(self) -> bool:
        """Whether part of the last sentence was shown."""
        ends = statement_ends(f"{self._last_shown}x")
        return not ends or ends[-1] != len(self._last_shown)

    def _show(self, length: int) -> str:
        shown, self._held = self._held[:length], self._held[length:]
        self._shown += len(shown)
        self._last_shown = shown or self._last_shown
        self._decided = undecided_from(self._held)
        return shown
