"""Origins: which websites may embed an agent.

An origin is "scheme://host[:port]" as browsers send it (RFC 6454). A pattern is an origin, or one whose first host
label is `*`, which matches exactly one label: "https://*.example.com" lists https://shop.example.com, but neither
https://example.com nor https://a.b.example.com.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from ipaddress import AddressValueError, IPv4Address, IPv6Address


@dataclass(frozen=True, slots=True)
class _Rules:
    plain: frozenset[str]
    below: frozenset[str]  # "*.ck" is stored as "ck"
    exceptions: frozenset[str]


def is_public_suffix(host: str) -> bool:
    """Whether `host` is a domain under which anybody may register a name, such as "co.uk" or "github.io".

    The list is `public_suffix_list.dat` as published at https://publicsuffix.org; to update it, replace the file.
    `host` is lower-case ASCII (xn--...), as in an origin. A name that is not in the list is no suffix."""
    rules = _rules()
    if host in rules.exceptions:
        return False
    return host in rules.plain or host.partition(".")[2] in rules.below


@cache
def _rules() -> _Rules:
    written = list(_written())
    return _Rules(
        plain=frozenset(rule for rule in written if rule[0] not in "*!"),
        below=frozenset(rule.removeprefix("*.") for rule in written if rule[0] == "*"),
        exceptions=frozenset(rule[1:] for rule in written if rule[0] == "!"),
    )


def _written() -> Iterator[str]:
    text = (files("app.core") / "public_suffix_list.dat").read_text(encoding="utf-8")
    for line in text.splitlines():
        rule = line.partition(" ")[0]
        if rule and not rule.startswith("//"):
            yield rule if rule.isascii() else rule.encode("idna").decode("ascii")


_ORIGIN = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]{2,45}\]|[a-z0-9*._-]{1,253})(?::(?P<port>[1-9][0-9]{0,4}))?",
    re.ASCII,
)
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_DEFAULT_PORTS = {"http": 80, "https": 443}


def normal_origin(text: str) -> str:
    """The origin in the form in which origins are compared, without a default port.

    Raises ValueError, with the fix, for anything that is not exactly an origin, such as `null`, a path, user names,
    upper case, blanks and non-ASCII hosts.
    """
    match = _ORIGIN.fullmatch(text)
    if match is None or "*" in match["host"]:
        raise ValueError('Enter an origin such as "https://www.example.com" or "http://localhost:3000".')
    _check_host(match["host"])
    return _joined(match)


def normal_pattern(text: str) -> str:
    """An operator's pattern in the same form; it may have upper case and one trailing slash. Raises ValueError."""
    cleaned = text.strip().lower().removesuffix("/")
    if not cleaned.isascii():
        raise ValueError("Enter the host in its ASCII form (xn--...).")
    match = _ORIGIN.fullmatch(cleaned)
    if match is None:
        raise ValueError('Enter "scheme://host[:port]", such as "https://www.example.com", without a path.')
    host = match["host"]
    if host.startswith("*."):
        parent = host[2:]
        _check_host(parent)
        if _is_address(parent) or ("." not in parent and parent != "localhost"):
            raise ValueError('A wildcard needs your own domain, such as "https://*.example.com".')
        if is_public_suffix(parent):
            raise ValueError(f'Anyone can register a name below "{parent}". Enter your own domain.')
    elif "*" in host:
        raise ValueError('The wildcard replaces the whole first label: "https://*.example.com".')
    else:
        _check_host(host)
    return _joined(match)


def is_listed(origin: str, patterns: Iterable[str]) -> bool:
    """Whether a browser's origin is in the list; an empty list contains none."""
    try:
        exact = normal_origin(origin)
    except ValueError:
        return False
    return any(_matches(exact, pattern) for pattern in patterns)


def _matches(origin: str, pattern: str) -> bool:
    try:
        wanted = normal_pattern(pattern)
    except ValueError:
        return False
    if "://*." not in wanted:
        return origin == wanted
    scheme, _, host = origin.partition("://")
    first, dot, parent = host.partition(".")
    return bool(first and dot and not first.startswith("[")) and f"{scheme}://*.{parent}" == wanted


def _joined(match: re.Match[str]) -> str:
    scheme, host, port = match["scheme"], match["host"], match["port"]
    if port is None or int(port) == _DEFAULT_PORTS[scheme]:
        return f"{scheme}://{host}"
    if int(port) > 65535:
        raise ValueError("The port is too large. Use at most 65535.")
    return f"{scheme}://{host}:{port}"


def _check_host(host: str) -> None:
    if host.startswith("["):
        try:
            IPv6Address(host[1:-1])
        except AddressValueError:
            raise ValueError("The IPv6 address is invalid. Check it.") from None
        return
    if not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise ValueError(f'"{host}" is not a host name.')
    if host.rpartition(".")[2].isdigit() and not _is_address(host):
        raise ValueError(f'"{host}" is not an IPv4 address.')


def _is_address(host: str) -> bool:
    if host.startswith("["):
        return True
    try:
        IPv4Address(host)
    except AddressValueError:
        return False
    return True
