"""Reads a body within its limit, as protection against endless bodies and decompression bombs."""

import io
import zlib
from collections.abc import AsyncIterator

from crawler.errors import BodyGarbled, BodyTooLarge

ACCEPT_ENCODING = "gzip, deflate"

_STEP_BYTES = 1024 * 1024  # decompressed at a time


async def read_body(chunks: AsyncIterator[bytes], encoding: str, max_bytes: int, truncate: bool = False) -> bytes:
    """The decoded body. `encoding` is the Content-Encoding header ("" for none); `max_bytes` limits the bytes on the
    wire and the decoded ones.

    Above the limit, raises BodyTooLarge or, with `truncate`, returns the first `max_bytes` bytes. Raises BodyGarbled.
    """
    decoder = _decoder(encoding)
    body = io.BytesIO()  # `getvalue` does not copy the bytes
    wire_bytes = 0
    async for chunk in chunks:
        wire_bytes += len(chunk)
        body.write(decoder.decode(chunk, max_bytes + 1 - body.tell()))
        if body.tell() > max_bytes or wire_bytes > max_bytes:
            if truncate:
                return body.getvalue()[:max_bytes]
            raise BodyTooLarge(f"the page is larger than {max_bytes} bytes")
    if not decoder.is_complete:
        raise BodyGarbled("the compressed body ends in the middle")
    return body.getvalue()


class _Identity:
    is_complete = True

    def decode(self, chunk: bytes, limit: int) -> bytes:
        return chunk[:limit]


class _Inflate:
    """Decodes gzip and deflate: several members, and deflate with or without zlib header, as servers send all these."""

    def __init__(self) -> None:
        self._stream: zlib._Decompress | None = None
        self._pending = b""

    @property
    def is_complete(self) -> bool:
        return self._stream is None or self._stream.eof

    def decode(self, chunk: bytes, limit: int) -> bytes:
        """The decoded bytes, at most `limit`; the rest is dropped, because the caller stops there."""
        data = self._pending + chunk
        self._pending = b""
        output = io.BytesIO()
        while data and (room := limit - output.tell()) > 0:
            if self._stream is None or self._stream.eof:
                if self._stream is not None and not data.startswith(b"\x1f\x8b"):
                    break  # padding after the end
                if len(data) < 2:
                    self._pending = data
                    break
                self._stream = _inflater(data)
            try:
                output.write(self._stream.decompress(data, min(room, _STEP_BYTES)))
            except zlib.error as error:
                raise BodyGarbled("the compressed body is broken") from error
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
        return output.getvalue()


def _inflater(start: bytes) -> "zlib._Decompress":
    if start.startswith(b"\x1f\x8b"):
        return zlib.decompressobj(wbits=31)
    is_zlib = start[0] & 0x0F == 8 and (start[0] << 8 | start[1]) % 31 == 0
    return zlib.decompressobj(wbits=15 if is_zlib else -15)


def _decoder(encoding: str) -> _Identity | _Inflate:
    match encoding.strip().lower():
        case "" | "identity":
            return _Identity()
        case "gzip" | "x-gzip" | "deflate":
            return _Inflate()
        case other:
            raise BodyGarbled(f"the body is encoded as {other!r}, which was not offered")


def inflate_gzip(data: bytes, max_bytes: int) -> bytes:
    """A whole .gz file in memory, decoded to at most `max_bytes`. Raises BodyTooLarge, BodyGarbled."""
    decoder = _Inflate()
    body = decoder.decode(data, max_bytes + 1)
    if len(body) > max_bytes:
        raise BodyTooLarge(f"the file unpacks to more than {max_bytes} bytes")
    if not decoder.is_complete:
        raise BodyGarbled("the compressed file ends in the middle")
    return body
