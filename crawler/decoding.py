"""Decodes an HTML page: by the byte order mark, then HTTP, then the page's own declaration, then detection.

The order is that of the HTML standard (13.2.3.2, "determining the character encoding").
"""

import codecs
import re

from charset_normalizer import from_bytes

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Labels the WHATWG encoding standard reads as a superset; browsers never show real latin-1 or ASCII.
_SUPERSETS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
}
_SUPERSETS |= {"euc_kr": "cp949", "iso8859-9": "cp1254", "iso8859-11": "cp874"}
_PRESCAN_BYTES = 4096
_DETECT_BYTES = 16_384
_META_CHARSET = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]{2,40})", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.\-]{2,40})", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)


def decode_html(body: bytes, charset: str | None) -> str:
    """The page as text; never raises: what cannot be decoded becomes U+FFFD.

    `charset` is the parameter of the HTTP Content-Type, if there was one. Newlines are normalised to "\\n".
    """
    return _decode(body, charset).replace("\r\n", "\n").replace("\r", "\n")


def _decode(body: bytes, charset: str | None) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, errors="replace")
    for label in (charset, _declared(body)):
        known = _codec(label)
        if known is None:
            continue
        if known == "cp1252" and _is_utf8(body):  # a server's default: Windows-1252 text is hardly ever valid UTF-8
            return body.decode("utf-8")
        return body.decode(known, errors="replace")
    if _is_utf8(body):
        return body.decode("utf-8")
    guess = from_bytes(body[:_DETECT_BYTES]).best()
    return body.decode(_codec(guess.encoding if guess else None) or "cp1252", errors="replace")


def _declared(body: bytes) -> str | None:
    head = _COMMENT.sub(b"", body[:_PRESCAN_BYTES])
    found = _META_CHARSET.search(head) or _XML_ENCODING.search(head)
    if found is None:
        return None
    label = found.group(1).decode("ascii").lower()
    return "utf-8" if label.startswith("utf-16") else label  # it was readable as ASCII: it cannot be UTF-16


def _codec(label: str | None) -> str | None:
    """Python's name for a text encoding; None for an unknown one or another kind of codec."""
    if not label:
        return None
    try:
        info = codecs.lookup(label.strip().strip("\"'"))
        " ".encode(info.name)  # LookupError for "hex", "rot13" and other codecs that do not encode text
    except (LookupError, ValueError):
        return None
    if info.name in {"idna", "punycode", "unicode_escape", "utf-7"}:  # text encodings that web pages do not use
        return None
    return _SUPERSETS.get(info.name, info.name)


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
