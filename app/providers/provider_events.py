"""Parses a provider's Server-Sent Events from the bytes as they arrive (HTML standard, section 9.2.6).

The SDK would parse them too, but it builds a typed object of each, which costs more than everything else about a token;
it buffers an event until it ends, however long that is; and it swallows the closing [DONE], the only sign of some
servers that their answer is complete.
"""

import json
import re
from typing import Final

import httpx2

MAX_EVENT_BYTES: Final = 1 << 20  # an event of a model's stream has a few words

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class ProviderEvents:
    """The parser of one stream. `is_done` is set by [DONE]; what follows is ignored."""

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_event_bytes = max_event_bytes
        self._line = bytearray()
        self._data: list[bytes] = []
        self._bytes_before = 0  # of the event's earlier lines
        self._was_cr = False
        self._is_first_line = True
        self.is_done = False

    def feed(self, read: bytes) -> list[str]:
        """Parse the next bytes; return the data of each event that they complete, without empty ones.

        Raises httpx2.RemoteProtocolError for an event that has grown beyond `max_event_bytes`, and UnicodeDecodeError.
        """
        if self.is_done:
            return []
        if self._is_one_event(read):
            value = read[6:-2]
            self.is_done = value.startswith(b"[DONE]")
            return [] if self.is_done else [value.decode()]
        if self._was_cr and read:
            read = read.removeprefix(b"\n")
            self._was_cr = False
        first, *others = _LINE_END.split(read)
        self._was_cr = self._was_cr or read.endswith(b"\r")
        self._line += first
        ended: list[str] = []
        for start in others:
            self._end_line(bytes(self._line), ended)
            if self.is_done:
                return ended
            self._line = bytearray(start)
        if self._bytes_before + len(self._line) > self._max_event_bytes:
            raise httpx2.RemoteProtocolError(f"an event of more than {self._max_event_bytes} bytes")
        return ended

    def _is_one_event(self, read: bytes) -> bool:
        """Whether the read is exactly one event of one data line, with nothing pending: nearly all are."""
        return (
            read.startswith(b"data: ")
            and 6 < read.find(b"\n") == len(read) - 2
            and read.endswith(b"\n")
            and b"\r" not in read
            and not (self._line or self._bytes_before or self._was_cr or self._is_first_line)
        )

    def _end_line(self, line: bytes, ended: list[str]) -> None:
        if self._is_first_line:
            line, self._is_first_line = line.removeprefix(_BYTE_ORDER_MARK), False
        if not line:
            if data := b"\n".join(self._data).decode():
                ended.append(data)
            self._data, self._bytes_before = [], 0
            return
        self._bytes_before += len(line) + 1
        if line.startswith(b"error:"):  # llama.cpp reports errors so, although the standard has no such field
            self._data.append(b'{"error": true}')
        if line.startswith(b"data:"):
            value = line[6:] if line[5:6] == b" " else line[5:]
            self.is_done = value.startswith(b"[DONE]")
            self._data.append(value)


class WholeCompletion:
    """The parser for a server that ignores `stream`, and responds with a whole completion."""

    def __init__(self, max_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._body = bytearray()
        self.is_done = False

    def feed(self, read: bytes) -> list[str]:
        """Parse the next bytes; once the body is whole, return the completion as one event, with each `message` as a
        `delta`.

        Raises httpx2.RemoteProtocolError for a body beyond `max_bytes`.
        """
        self._body += read
        if len(self._body) > self._max_bytes:
            raise httpx2.RemoteProtocolError(f"a completion of more than {self._max_bytes} bytes")
        if not read.rstrip().endswith(b"}"):  # not yet whole, and parsing all of it at each read takes quadratic time
            return []
        try:
            completion = json.loads(self._body)
        except (ValueError, RecursionError):
            return []
        for choice in completion.get("choices") or () if isinstance(completion, dict) else ():
            choice.setdefault("delta", choice.get("message"))
        self.is_done = True
        return [json.dumps(completion)]
