"""Decodes an HTML page: by the byte order mark, then HTTP, then the page's own declaration, then detection.

The order is that of the HTML standard (13.2.3.2, "determining the character encoding").
"""

import codecs
import math
import re
from typing import Final

# The letters beyond a to z of each language, most frequent first, by encoding. A text of the Latin script without a
# declaration gets the encoding in which its letters beyond ASCII are most likely in one language. General detectors
# compare the frequencies of all letters, and mistake short Danish texts for Slovak.
_ALPHABETS: Final = {
    "cp1252": (
        *("üäößé", "éàèêçôîûâùïëœüæÿ", "óíáéñúü", "ãçéáóíêõúâàôü"),  # German, French, Spanish, Portuguese
        *("àèòùéìíîóú", "ëéïöüèêáóàç", "åøæéêòôèóâüöä", "äåöéüàáèç"),  # Italian, Dutch, Danish and Norwegian, Swedish
        *(
            "äöåšžéü",
            "áðíéóöæúþý",
            "éïèöñüçàâê",
            "àéóèíçïòúü·",
            "äõüöšž",
        ),  # Finnish, Icelandic, English, Catalan, Estonian
    ),
    "cp1250": (
        *("łęążóśćńźé", "íáéěřšžčýůúťňďóöü", "áíčéýúšžľťôňóäďŕĺöü"),  # Polish, Czech, Slovak
        *("áéöóőüíúűä", "ăşţîâé", "čšžćđéü"),  # Hungarian, Romanian, Croatian and Slovene
    ),
    "cp1254": ("ıüşğçöâîûi\u0307",),  # Turkish
    "cp1257": ("ėąšžųįčūęé", "āīēšūžņļģķčōŗé"),  # Lithuanian, Latvian
}
_FIRST: Final = 3.0  # prior of Windows-1252, as a natural logarithm
_FOREIGN: Final = math.log(1e-4)  # likelihood of a letter that the language does not have
_ENOUGH: Final = 0.95  # smallest share of letters that belong to the language
_MAX_DENSE: Final = 0.2  # if a larger share of words has no ASCII letter, the text has another script
_WORD: Final = re.compile(r"[^\W\d_]+(?:[^\w\s!-/:-@\[-`{-~\u2010-\u2027\u00a0\u00ad«»]+[^\W\d_]+)*")


def _logarithms(letters: str) -> dict[str, float]:
    """The logarithm of each letter's share, which is proportional to 1 / rank (Zipf)."""
    whole = sum(1 / place for place in range(1, len(letters) + 1))
    return {letter: math.log(1 / place / whole) for place, letter in enumerate(letters, start=1)}


_SHARES: Final = {codec: [_logarithms(each) for each in alphabets] for codec, alphabets in _ALPHABETS.items()}


def latin_encoding(body: bytes) -> str | None:
    """The likeliest encoding of a text of the Latin script that is not UTF-8; None if it looks like another script."""
    if b"\x00" in body:  # UTF-16
        return None
    found: dict[str, float] = {}
    for codec, languages in _SHARES.items():
        signs = _signs(body.decode(codec, errors="replace"))
        if signs is None:
            continue
        fitting = [each for each in languages if sum(sign in each for sign in signs) >= _ENOUGH * len(signs)]
        if fitting:
            likely = max(sum(each.get(sign, _FOREIGN) for sign in signs) for each in fitting)
            found[codec] = likely + (_FIRST if codec == "cp1252" else 0)
    return max(found, key=lambda codec: found[codec]) if found else None


def _signs(text: str) -> list[str] | None:
    """The characters beyond ASCII in the text's words; None if the text is not of the Latin script."""
    words = [word.rstrip("ªº") for word in _WORD.findall(text.lower())]
    others = [word for word in words if not word.isascii()]
    dense = sum(len(word) > 1 and not any(sign.isascii() for sign in word) for word in others)
    if dense > _MAX_DENSE * len(others) or not any(words):
        return None
    return [sign for word in others for sign in word if not sign.isascii()]


# The encoding labels of the WHATWG Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels), each with
# its codec in Python: browsers read latin-1 as Windows-1252, GB2312 as GB18030 and so on. To keep scripts out, browsers
# show nothing of a page in the standard's "replacement" encodings. Here, its text is read.
_LABELS: Final = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso8859-6": (
        "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
        "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"
    ),
    "iso8859-7": (
        "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
        "iso_8859-7:1987 sun_eu_greek"
    ),
    "iso8859-8": (
        "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 "
        "iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical"
    ),
    "iso8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1252": (
        "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 "
        "iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252"
    ),
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": (
        "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
        "windows-1254 x-cp1254"
    ),
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022_jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": (
        "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"
    ),
    "iso2022_kr": "csiso2022kr iso-2022-kr",
    "hz": "hz-gb-2312",
    "utf-16be": "unicodefffe utf-16be",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
}
CODECS: Final = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}


_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MULTI_BYTE = {"gb18030", "big5hkscs", "euc_jp", "cp932", "cp949", "iso2022_jp", "iso2022_kr", "hz"}
_PRESCAN_BYTES = 4096
_DETECT_BYTES = 16_384
_STRAY = re.compile("[\udc80-\udcff]")  # a byte that is no UTF-8, as `surrogateescape` shows it
_STRAY_SHARE = 3  # minimum number of UTF-8 letters for each such byte
_META_CHARSET = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]{2,40})", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.\-]{2,40})", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)


def decode_html(body: bytes, charset: str | None) -> str:
    """The page as text. Never raises: undecodable bytes become U+FFFD.

    `charset` is the parameter of the HTTP Content-Type, if there was one. Newlines are normalised to "\\n".
    """
    return _decode(body, charset).replace("\r\n", "\n").replace("\r", "\n")


def decode_xml(body: bytes) -> str | None:
    """XML as text, if its encoding is one that expat cannot read (UTF-32 and multi-byte encodings); else None."""
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
        # Windows-1252 may only be the server's default. A text that is valid UTF-8 is hardly ever Windows-1252.
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
    """The text if it is UTF-8 except for a few bytes of Windows-1252; else None."""
    text = body.decode("utf-8", errors="surrogateescape")
    strays = len(_STRAY.findall(text))
    if strays and strays * _STRAY_SHARE > sum(sign > "\x7f" for sign in text) - strays:
        return None
    return _STRAY.sub(lambda stray: bytes([ord(stray[0]) - 0xDC00]).decode("cp1252", "replace"), text)


def _detected(body: bytes) -> str:
    head = body[:_DETECT_BYTES]
    if latin := latin_encoding(head):
        return latin
    from charset_normalizer import from_bytes  # only for pages that do not say it

    guess = from_bytes(head).best()
    return guess.encoding if guess else "cp1252"
