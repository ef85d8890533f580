"""Operators' regular expressions on texts of visitors and on answers, with RE2: it never backtracks, so no pattern can
block a process.

The standard library's engine and `regex` backtrack: (a+)+$ takes them minutes for forty letters. A time limit around
them leaves a thread running that nothing can stop.
"""

import asyncio
from collections.abc import Iterable
from functools import lru_cache

import re2
import structlog

MAX_TEXT_CHARS = 4000

log = structlog.get_logger(__name__)

# A program's size times the text's length bounds the steps: 500 instructions over 4000 characters stay under 25 ms.
_MAX_PROGRAM = 500
_MAX_MEMORY_BYTES = 1 << 20


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
        wanted = frozenset(patterns)
        if not wanted:
            return frozenset()
        return await asyncio.to_thread(_matching, wanted, text[:max_chars])


def _matching(patterns: frozenset[str], text: str) -> frozenset[str]:
    readable = text.encode("utf-8", "replace").decode()
    return frozenset(pattern for pattern in patterns if _is_found(pattern, readable))


def _is_found(pattern: str, text: str) -> bool:
    try:
        return _compiled(pattern).search(text) is not None
    except (re2.error, UnicodeError, ValueError) as error:
        log.warning("pattern.unusable", reason=repr(error))
        return False


@lru_cache(maxsize=500)
def _compiled(pattern: str) -> "re2._Regexp":
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MAX_MEMORY_BYTES
    return re2.compile(pattern, options)


def _reason(error: Exception) -> str:
    [reason] = error.args or ("",)
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
