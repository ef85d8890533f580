"""Normalises URLs (RFC 3986), and checks them by their text."""

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urljoin

from crawler.address_policy import ALLOWED_PORTS, AddressPolicy, IPAddress, canonical_host
from crawler.errors import UrlRefused

MAX_URL_CHARS = 4096
DEFAULT_PORTS = {"http": 80, "https": 443}

# RFC 3986, appendix B, for http and https only. urlsplit is too forgiving: it drops tabs and line ends.
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<authority>[^/?#]+)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#.*)?", re.I | re.S
)
_PORT = re.compile(r"[0-9]{1,5}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PATH_CHARS = _UNRESERVED | frozenset("!$&'()*+,;=:@/")
_QUERY_CHARS = _PATH_CHARS | frozenset("?")
_ODD = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")
_NOTHING_TO_ENCODE = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/]*")
_HEX = frozenset("0123456789abcdefABCDEF")

# Parameters that only record where a visitor came from. courlan's pattern also drops ref, source, session, keyword and
# cid, which choose the content on many sites.
_TRACKING_PREFIXES = ("utm_", "mtm_", "hsa_", "_hs", "__hs", "vero_", "oly_")
_TRACKING_NAMES = frozenset(
    {
        "fbclid",
        "gclid",
        "dclid",
        "gbraid",
        "wbraid",
        "msclkid",
        "twclid",
        "yclid",
        "ysclid",
        "igshid",
        "ttclid",
        "li_fat_id",
        "gclsrc",
        "srsltid",
        "_ga",
        "_gl",
        "_openstat",
        "wickedid",
        "rb_clickid",
        "s_cid",
        "mc_cid",
        "mc_eid",
        "mkt_tok",
        "pk_campaign",
        "pk_kwd",
        "pk_source",
    }
)
# Parameters that identify the visitor, with a new value each time, and never choose the content.
_SESSION_NAMES = frozenset({"phpsessid", "jsessionid", "cfid", "cftoken"})
_SESSION_PREFIXES = ("aspsessionid",)
_SESSION_IN_PATH = re.compile(r";jsessionid=[^/;]*", re.I)


@dataclass(frozen=True, slots=True)
class CheckedUrl:
    """A URL that passed the checks, in its canonical spelling (`str` returns the text).

    `host` has no brackets and no root dot; `address` is set if the host is an IP address; `target` is path and query.
    """

    scheme: str
    host: str
    port: int
    path: str
    query: str | None
    address: IPAddress | None = None

    @property
    def authority(self) -> str:
        """host[:port] as in a URL: IPv6 in brackets, no default port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """scheme://host[:port]"""
        return f"{self.scheme}://{self.authority}"

    @property
    def target(self) -> str:
        """Path and query, as in a request line; robots rules match it."""
        return self.path if self.query is None else f"{self.path}?{self.query}"

    def __str__(self) -> str:
        return f"{self.origin}{self.target}"


def site_key(url: CheckedUrl) -> str:
    """A key that is equal for http and https, and with and without "www.", but differs by port."""
    host = url.host if url.address else url.host.removeprefix("www.")
    return host if url.port in DEFAULT_PORTS.values() else f"{host}:{url.port}"


def check_url(text: str, policy: AddressPolicy | None = None) -> CheckedUrl:
    """Check one absolute URL by its text alone, and return it in its canonical spelling.

    Scheme and host become lower case (IDN through UTS-46); the default port, the fragment and dot segments are removed;
    percent-encoding is normalised. Idempotent. Raises UrlRefused.
    """
    match = _split(text)
    scheme = match["scheme"].lower()
    host_text, port = _split_authority(match["authority"], scheme)
    host, address = canonical_host(host_text)
    policy = policy or AddressPolicy()
    if address is not None:
        if not policy.allows_literal(address, port):
            _require_port(port)
            if reason := policy.refusal(address):
                raise UrlRefused(f"its host is not a public address ({reason})")
    else:
        _require_port(port)
    path = _remove_dot_segments(_encode(match["path"], _PATH_CHARS)) or "/"
    query = match["query"]
    query = _encode(query, _QUERY_CHARS) if query else None
    return CheckedUrl(scheme, host, port, path, query, address)


@lru_cache(2048)  # the pages of a site link to the same ones
def normalise_url(text: str, policy: AddressPolicy | None = None) -> str:
    """`check_url` without tracking parameters and session ids, for use as the key of a page in a crawl.

    Idempotent. Other parameters keep their order, which matters to some servers. Raises UrlRefused.
    """
    url = check_url(text, policy)
    query = None
    if url.query:
        kept = [pair for pair in url.query.split("&") if pair and not _says_who_asks(pair.partition("=")[0])]
        query = "&".join(kept) or None
    path = _SESSION_IN_PATH.sub("", url.path) if ";" in url.path else url.path
    return f"{url.origin}{path}" if query is None else f"{url.origin}{path}?{query}"


def resolve_url(base: str, reference: str, policy: AddressPolicy | None = None) -> CheckedUrl:
    """Resolve and check a Location header or link on the page `base`. Raises UrlRefused."""
    _refuse_odd_characters(reference)  # before joining: urljoin silently drops tabs and line ends
    try:
        joined = urljoin(base, reference)
    except ValueError as error:
        raise UrlRefused(f"{reference!r} is not a URL") from error
    return check_url(joined, policy)


def _split(text: str) -> re.Match[str]:
    if len(text) > MAX_URL_CHARS:
        raise UrlRefused(f"the URL is longer than {MAX_URL_CHARS} characters")
    _refuse_odd_characters(text)
    match = _URL.fullmatch(text)
    if match is None:
        raise UrlRefused("only absolute http and https URLs are fetched")
    return match


def _refuse_odd_characters(text: str) -> None:
    if "\\" in text:
        raise UrlRefused("a URL cannot contain a backslash")
    if _ODD.search(text):
        raise UrlRefused("a URL cannot contain a space or a control character")


def _split_authority(authority: str, scheme: str) -> tuple[str, int]:
    if "@" in authority:
        raise UrlRefused("a URL with a user name is not fetched")
    if "%" in authority:
        raise UrlRefused("a host name cannot contain a percent sign")
    host, colon, port = authority, "", ""
    if ":" in authority.rpartition("]")[2]:
        host, colon, port = authority.rpartition(":")
    if not colon or not port:
        return host, DEFAULT_PORTS[scheme]
    if not _PORT.fullmatch(port):
        raise UrlRefused(f"{port!r} is not a port")
    return host, int(port)


def _require_port(port: int) -> None:
    if port not in ALLOWED_PORTS:
        raise UrlRefused(f"port {port} is not one of {', '.join(map(str, sorted(ALLOWED_PORTS)))}")


def _encode(text: str, keep: frozenset[str]) -> str:
    """Normalise percent-encoding: upper-case escapes, unreserved characters unescaped, others escaped as UTF-8."""
    if _NOTHING_TO_ENCODE.fullmatch(text):
        return text
    try:
        return "".join(_encoded_pieces(text, keep))
    except UnicodeEncodeError as error:
        raise UrlRefused("the URL is not valid Unicode") from error


def _encoded_pieces(text: str, keep: frozenset[str]) -> list[str]:
    pieces: list[str] = []
    position = 0
    while position < len(text):
        char = text[position]
        escape = text[position + 1 : position + 3]
        if char == "%" and len(escape) == 2 and set(escape) <= _HEX:
            plain = chr(int(escape, 16))
            pieces.append(plain if plain in _UNRESERVED else f"%{escape.upper()}")
            position += 3
            continue
        pieces.append(char if char in keep else "".join(f"%{byte:02X}" for byte in char.encode()))
        position += 1
    return pieces


def _remove_dot_segments(path: str) -> str:
    """RFC 3986, section 5.2.4, for a path that is empty or starts with a slash."""
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for position, segment in enumerate(segments):
        is_last = position == len(segments) - 1
        if segment == "..":
            kept = kept[:-1]
        elif segment != ".":
            kept.append(segment)
            continue
        if is_last:
            kept.append("")
    return "/" + "/".join(kept) if kept else ""


def _says_who_asks(name: str) -> bool:
    name = name.lower()
    if name in _SESSION_NAMES or name.startswith(_SESSION_PREFIXES):
        return True
    return name in _TRACKING_NAMES or name.startswith(_TRACKING_PREFIXES)
