"""Decides when two URLs name the same page of a website, for boosting and citing the visitor's current page."""

import re
from functools import lru_cache
from urllib.parse import urlsplit

_INDEX = re.compile(r"/index\.(?:html?|php)$")


@lru_cache(maxsize=4096)  # each question compares the visitor's page with a hundred chunks of the same few pages
def page_key(url: str) -> str:
    """A key that is equal for URLs of one page: it ignores scheme, "www.", fragment, trailing slash and index file, but
    not the query."""
    parts = urlsplit(url)
    host = (parts.netloc.rsplit("@", 1)[-1]).casefold().removeprefix("www.")
    path = _INDEX.sub("/", parts.path).rstrip("/")
    return f"{host}{path}?{parts.query}" if parts.query else f"{host}{path}"


def same_page_urls(url: str) -> list[str]:
    """Other ways to write this page's URL: http or https, with or without "www.", with or without a slash at the end.
    The URL itself, without its fragment, comes first."""
    parts = urlsplit(url)._replace(fragment="")
    bare = parts.netloc.removeprefix("www.")
    path = parts.path.rstrip("/")
    paths = (parts.path or "/", f"{path}/", path)
    found = [
        parts._replace(scheme=scheme, netloc=host, path=path).geturl()
        for scheme in dict.fromkeys((parts.scheme, "https", "http"))
        for host in dict.fromkeys((parts.netloc, bare, f"www.{bare}"))
        for path in dict.fromkeys(paths)
    ]
    return list(dict.fromkeys(found))


def is_same_page(one: str, other: str) -> bool:
    return bool(one) and bool(other) and page_key(one) == page_key(other)


def site_name(url: str, otherwise: str) -> str:
    """The host without "www."; `otherwise` if it is a bare address."""
    host = url.split("//", 1)[-1].split("/", 1)[0].partition(":")[0].removeprefix("www.")
    is_name = any(character.isalpha() for character in host) and not host.startswith("[")
    return host if is_name else otherwise


def host_of(url: str) -> str:
    """The URL's host in lower case, "" if it has none."""
    try:
        return (urlsplit(url).hostname or "").casefold()
    except ValueError:
        return ""
