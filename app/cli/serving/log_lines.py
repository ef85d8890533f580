"""Log lines that hold what websites, visitors and providers say: none of it moves a cursor or passes for a line."""

import logging
import re
from collections.abc import MutableMapping
from types import TracebackType
from typing import Any, Final

_STEERING: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    """Control characters and marks of direction as Python writes them: one line stays one line."""
    return _STEERING.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def traceback_lines(text: str) -> str:
    """The lines of a traceback, each indented: what an error's message says begins none."""
    return "\n".join(f"    {escaped(line)}" for line in text.split("\n"))


def escape_controls(_logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """For structlog, before a renderer, which escapes the other values itself."""
    line["event"] = escaped(str(line["event"]))
    if isinstance(line.get("exception"), str):
        line["exception"] = traceback_lines(line["exception"])
    return line


class EscapedLines(logging.Formatter):
    """The same for what libraries log."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return escaped(super().formatMessage(record))

    def formatException(  # noqa: N802
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None],
    ) -> str:
        return traceback_lines(super().formatException(ei))
