"""Watches for a secret in streamed text, however a model was talked into spelling it."""

import base64
import codecs
from typing import Final

# Fewer letters of a spelling reveal nothing, and matching them would hold back the end of every other word.
_HELD_LETTERS: Final = 3


class SecretWatch:
    """Finds the secret (ASCII letters and digits) plain, spaced out or with marks between, in any case, backwards, in
    rot13, in hexadecimal, and in base64 at any place of a longer text. An empty secret is never found."""

    def __init__(self, secret: str) -> None:
        self._spellings = _spellings(secret) if secret else ()
        self._all_spellings = "\n".join(self._spellings)
        self._longest = max(map(len, self._spellings), default=0)
        self._before = ""  # the last letters that were shown
        self._looked_at = self._letters_there = ""  # the last text: each is checked about three times

    def is_in(self, pending: str) -> bool:
        """Whether the shown text and `pending` together contain it."""
        letters = self._before + self._letters_of(pending)
        return any(spelling in letters for spelling in self._spellings)

    def overlap(self, pending: str) -> int:
        """How many characters at the end of `pending` may be the beginning of it."""
        own = self._letters_of(pending)
        letters = self._before + own
        end = letters[-_HELD_LETTERS:]
        # Most text ends in letters that are adjacent in no spelling; this runs for every token.
        held = min(self._longest_begin(letters), len(own)) if end and end in self._all_spellings else 0
        if not held:
            return 0
        at = len(pending)
        while held:
            at -= 1
            held -= pending[at].isalnum()
        return len(pending) - at

    def shown(self, text: str) -> None:
        """Record that `text` was shown."""
        if self._spellings:
            self._before = (self._before + self._letters_of(text))[-self._longest :]

    def _letters_of(self, text: str) -> str:
        if text != self._looked_at:
            self._looked_at, self._letters_there = text, _letters(text)
        return self._letters_there

    def _longest_begin(self, letters: str) -> int:
        """How many letters at the end are the beginning of a spelling; 0 for fewer than _HELD_LETTERS."""
        ends = (
            size
            for spelling in self._spellings
            for size in range(_HELD_LETTERS, len(spelling))
            if letters.endswith(spelling[:size])
        )
        return max(ends, default=0)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _spellings(secret: str) -> tuple[str, ...]:
    raw = secret.encode("ascii")
    plain = [secret, secret[::-1], codecs.encode(secret, "rot13"), raw.hex()]
    in_base64 = [_core_in_base64(raw, lead) for lead in range(3)]
    return tuple(_letters(spelling) for spelling in (*plain, *in_base64))


def _core_in_base64(raw: bytes, lead: int) -> str:
    """The base64 characters (six bits each) that depend on `raw` alone when `lead` bytes of a longer text precede
    it."""
    first, end = -(-8 * lead // 6), 8 * (lead + len(raw)) // 6
    return base64.b64encode(bytes(lead) + raw).decode()[first:end]
