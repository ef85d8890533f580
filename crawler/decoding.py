"""Decodes an HTML page: by the byte order mark, then HTTP, then the page's own declaration, then detection.

The order is that of the HTML standard (13.2.3.2, "determining the character encoding").
"""

import codecs
import re

from charset_normalizer import from_bytes

from crawler.encoding_labels import CODECS
from crawler.latin_encodings import latin_encoding

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MULTI_BYTE = {"gb18030", "big5hkscs", "euc_jp", "cp932", "cp949", "iso2022_jp", "iso2022_kr", "hz"}
_PRESCAN_BYTES = 4096
_DETECT_BYTES = 16_384
_STRAY = re.compile("[\udc80-\udcff]")  # a byte that is no UTF-8, as `surrogateescape` shows it
_STRAY_SHARE = 3  # to each such byte, as many letters of UTF-8 at least
_META_CHARSET = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]{2,40})", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.\-]{2,40})", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)


def decode_html(body: bytes, charset: str | None) -> str:
    """The page as text; never raises: what cannot be decoded becomes U+FFFD.

    `charset` is the parameter of the HTTP Content-Type, if there was one. Newlines are normalised to "\\n".
    """
    return _decode(body, charset).replace("\r\n", "\n").replace("\r", "\n")


def decode_xml(body: bytes) -> str | None:
    """XML in an encoding that expat does not read, UTF-32 or of several bytes a letter; None for any other."""
    for mark in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        if body.startswith(mark):
            return body.decode("utf-32", errors="replace")
    found = _XML_ENCODING.search(body[:_PRESCAN_BYTES])
    known = CODECS.get(found[1].decode("ascii").lower()) if found else None
    return body.decode(known, errors="replace") if known in _MULTI_BYTE else None


def _decode(body: bytes, charset: str | None) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, errors="replace")
    for label in (charset, _declared(body)):
        known = CODECS.get((label or "").strip().strip("\"'").lower())
        if known is None:
            continue
        # A server's default: Windows-1252 text is hardly ever UTF-8.
        text = _as_utf8(body) if known == "cp1252" else None
        return body.decode(known, errors="replace") if text is None else text
    text = _as_utf8(body)
    return body.decode(_detected(body), errors="replace") if text is None else text


def _declared(body: bytes) -> str | None:
    head = _COMMENT.sub(b"", body[:_PRESCAN_BYTES])
    found = _META_CHARSET.search(head) or _XML_ENCODING.search(head)
    if found is None:
        return None
    label = found.group(1).decode("ascii").lower()
    return "utf-8" if label.startswith("utf-16") else label  # it was readable as ASCII: it cannot be UTF-16


def _as_utf8(body: bytes) -> str | None:
    """The text if it is UTF-8, but for a few bytes of Windows-1252; else None."""
    text = body.decode("utf-8", errors="surrogateescape")
    strays = len(_STRAY.findall(text))
    if strays and strays * _STRAY_SHARE > sum(sign > "\x7f" for sign in text) - strays:
        return None
    return _STRAY.sub(lambda stray: bytes([ord(stray[0]) - 0xDC00]).decode("cp1252", "replace"), text)


def _detected(body: bytes) -> str:
    head = body[:_DETECT_BYTES]
    if latin := latin_encoding(head):
        return latin
    guess = from_bytes(head).best()
    return guess.encoding if guess else "cp1252"
