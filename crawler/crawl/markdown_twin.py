"""The Markdown version of a page, at the page's address plus ".md", as llmstxt.org proposes."""

import re
from typing import Final
from urllib.parse import urljoin, urlsplit

from crawler.extract.markdown_html import MARKDOWN_TYPES
from crawler.fetch.fetch_result import HTML, Fetched, WantedBody

_PAGE: Final = WantedBody(HTML.media_types | MARKDOWN_TYPES)
_AS_MARKDOWN: Final = WantedBody(_PAGE.media_types | {"text/plain"})  # many servers send Markdown so

_ENDING: Final = re.compile(r"\.(?:md|mdx|markdown)$", re.IGNORECASE)
_INDEX: Final = re.compile(r"/(?:index(?:\.html?)?|readme)$", re.IGNORECASE)
_LINK: Final = re.compile(r"<([^<>]{1,2048})>([^<]{0,1000})")
_CANONICAL: Final = re.compile(r";\s*rel\s*=\s*\"?canonical\b", re.IGNORECASE)


def is_markdown_address(url: str) -> bool:
    return bool(_ENDING.search(urlsplit(url).path))


def wanted_at(url: str) -> WantedBody:
    """The bodies that count as a page at this address."""
    return _AS_MARKDOWN if is_markdown_address(url) else _PAGE


def is_markdown(answer: Fetched) -> bool:
    """Whether a wanted body is Markdown."""
    return answer.media_type in _AS_MARKDOWN.media_types - HTML.media_types


def pages_of_markdown(url: str) -> list[str]:
    """Likely addresses of the page for people, likeliest first: "/a" and "/a.html" for "/a.md", "/a/" for
    "/a/index.md"."""
    parts = urlsplit(url)
    path = _ENDING.sub("", parts.path)
    if path == parts.path:
        return []
    path = _INDEX.sub("/", path) or "/"
    is_file = "." not in path.rpartition("/")[2] and not path.endswith("/")
    paths = [path, f"{path}.html"] if is_file else [path]
    return [parts._replace(path=each, query="", fragment="").geturl() for each in paths]


def linked_canonical(link_header: str, url: str) -> str | None:
    """The absolute URL of the page that a `Link` header (RFC 8288) names as canonical."""
    for target, parameters in _LINK.findall(link_header):
        if _CANONICAL.search(parameters):
            return urljoin(url, str(target).strip())
    return None
