"""Operators' regular expressions on texts of visitors and on answers, with RE2: it never backtracks, so no pattern can
block a process.

The standard library's engine and `regex` backtrack: (a+)+$ takes them minutes for forty letters. A time limit around
them leaves a thread running that nothing can stop.
"""

import asyncio
from collections.abc import Iterable, Sequence
from functools import lru_cache

import re2
import structlog

MAX_TEXT_CHARS = 4000

log = structlog.get_logger(__name__)

# A program's size times the text's length bounds the steps: 500 instructions over 4000 characters stay under 25 ms.
_MAX_PROGRAM = 500
_MAX_MEMORY_BYTES = 1 << 20
_TOGETHER = 500  # patterns that one automaton finds; the interpreter stands still for 40 ms while it is compiled
_TOGETHER_BYTES = 4 << 20


class PatternMatcher:
    """Case-insensitive regular expressions whose running time is linear in the text's length. Compiled patterns are
    cached."""

    def problem(self, pattern: str) -> str:
        """Why the pattern cannot be used and how to fix it, in a sentence or two; "" if it can."""
        try:
            compiled = _compiled(pattern)
        except re2.error as error:
            return (
                f"This is not a valid regular expression ({_reason(error)}). "
                "Look-around and back-references are not supported; RE2's syntax is."
            )
        except (UnicodeError, ValueError):
            return "This contains broken characters. Remove them."
        if compiled.programsize > _MAX_PROGRAM:
            return "This pattern is too large. Use smaller repetition counts and fewer Unicode classes."
        if compiled.search("") is not None:
            return "This pattern matches an empty text, and so every text. Make it require at least one character."
        return ""

    async def matching(self, patterns: Iterable[str], text: str, *, max_chars: int = MAX_TEXT_CHARS) -> frozenset[str]:
        """The patterns that match somewhere in the first `max_chars` characters of the text. An invalid pattern never
        matches."""
        wanted = list(dict.fromkeys(patterns))
        if not wanted:
            return frozenset()
        return await asyncio.to_thread(_matching, wanted, text[:max_chars])


def _matching(patterns: Sequence[str], text: str) -> frozenset[str]:
    readable = text.encode("utf-8", "replace").decode()
    parts = (tuple(patterns[begin : begin + _TOGETHER]) for begin in range(0, len(patterns), _TOGETHER))
    return frozenset(pattern for part in parts for pattern in _found_in(part, readable))


def _found_in(patterns: tuple[str, ...], text: str) -> Iterable[str]:
    usable, automaton = _compiled_together(patterns)
    found = automaton.Match(text) if automaton else []
    if found:
        return [usable[place - 1] for place in found if place]
    return [pattern for pattern in usable if _compiled(pattern).search(text) is not None]  # memory did not suffice


@lru_cache(maxsize=125)
def _compiled_together(patterns: tuple[str, ...]) -> "tuple[list[str], re2.Set | None]":
    """The valid ones of the patterns, and what finds their places in a text, counted from 1, and always 0; None if they
    are too large together."""
    automaton = re2.Set.SearchSet(_options(_TOGETHER_BYTES))
    automaton.Add("")
    usable = []
    for pattern in patterns:
        try:
            automaton.Add(pattern)
            usable.append(pattern)
        except (re2.error, UnicodeError, ValueError) as error:
            log.warning("pattern.unusable", reason=repr(error))
    try:
        automaton.Compile()
    except re2.error:
        return usable, None
    return usable, automaton


@lru_cache(maxsize=500)
def _compiled(pattern: str) -> "re2._Regexp":
    return re2.compile(pattern, _options(_MAX_MEMORY_BYTES))


def _options(max_bytes: int) -> "re2.Options":
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.never_capture = True
    options.max_mem = max_bytes
    return options


def _reason(error: Exception) -> str:
    [reason] = error.args or ("",)
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
