"""Reads untrusted XML as a stream of events, in bounded memory.

Expat builds no tree, and a document type is refused, so that there are no entities to expand and no external files to
fetch. The parser's own memory (open elements, names, an unfinished tag) is bounded too.
"""

import re
from dataclasses import dataclass
from typing import Final, Protocol
from xml.parsers import expat

from crawler.decoding import decode_xml
from crawler.errors import SitemapRefused

_PIECE_BYTES: Final = 64 * 1024
_MAX_TOKEN_BYTES: Final = 512 * 1024  # one tag, comment or run of text that the parser has to hold
_BARE_AMPERSAND: Final = re.compile(rb"&(?!#[0-9]{1,7};|#x[0-9a-fA-F]{1,6};|(?:amp|lt|gt|quot|apos);)")


class Enough(Exception):
    """Raised by event handlers to stop reading."""


class XmlEvents(Protocol):
    """Handles the events of a parser. Names are "namespace local" or "local"."""

    def start(self, name: str, attributes: dict[str, str]) -> None: ...

    def end(self) -> None: ...

    def characters(self, text: str) -> None: ...


@dataclass(frozen=True, slots=True)
class XmlBounds:
    """Limits of a document. `file` names its kind in errors; `max_names` counts elements, attributes and prefixes."""

    file: str
    max_depth: int
    max_names: int


def read_xml(body: bytes, events: XmlEvents, bounds: XmlBounds) -> bool:
    """Parse a file. Returns whether it is well-formed, up to where `events` raised Enough. Raises SitemapRefused."""
    return _Parsing(events, bounds).read(body)


def with_ampersands_escaped(body: bytes) -> bytes:
    """Escape bare ampersands, such as in a query: the most common error in malformed files."""
    return _BARE_AMPERSAND.sub(b"&amp;", body)


class _Parsing:
    def __init__(self, events: XmlEvents, bounds: XmlBounds) -> None:
        self._events = events
        self._bounds = bounds
        self._depth = 0
        self._names: set[str] = set()

    def read(self, body: bytes) -> bool:
        text = decode_xml(body)
        body = body if text is None else text.encode("utf-8", "replace")
        parser = expat.ParserCreate(None if text is None else "utf-8", namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._events.characters
        parser.StartNamespaceDeclHandler = self._namespace_declared
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.EntityDeclHandler = self._refuse_doctype
        parser.ExternalEntityRefHandler = self._refuse_doctype
        try:
            for start in range(0, len(body), _PIECE_BYTES):
                parser.Parse(body[start : start + _PIECE_BYTES], False)
                if start - parser.CurrentByteIndex > _MAX_TOKEN_BYTES:
                    raise self._refused(f"has a token of more than {_MAX_TOKEN_BYTES} bytes")
            parser.Parse(b"", True)
        except Enough:
            return True
        except (expat.ExpatError, LookupError, ValueError):
            return False
        return True

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > self._bounds.max_depth:
            raise self._refused(f"nests elements more than {self._bounds.max_depth} deep")
        self._count_names(name, *attributes)
        self._events.start(name, attributes)

    def _end(self, _name: str) -> None:
        self._events.end()
        self._depth -= 1

    def _namespace_declared(self, prefix: str | None, _: str | None) -> None:
        self._count_names(f"xmlns:{prefix}")

    def _count_names(self, *names: str) -> None:
        """Count distinct names, because the parser keeps all of them in memory."""
        self._names.update(names)
        if len(self._names) > self._bounds.max_names:
            raise self._refused(f"uses more than {self._bounds.max_names} names")

    def _refuse_doctype(self, *_: object) -> int:
        raise self._refused("declares a document type or entities")

    def _refused(self, what: str) -> SitemapRefused:
        return SitemapRefused(f"the {self._bounds.file} {what}")
