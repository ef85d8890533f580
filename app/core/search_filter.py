"""Restricts an agent's pages to those that may be used for an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AttributeFilter:
    """A document passes if its attribute of that name has one of the values. A document without the attribute
    does not.
    """

    name: str
    values: tuple[str, ...]

    def passes(self, attributes: Mapping[str, Sequence[str]]) -> bool:
        return any(value in self.values for value in attributes.get(self.name, ()))


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """A page passes if it passes every part that is set.

    `sources` are ids; `path_prefixes` are compared with the path of the page's URL ("/docs/"), or with host and path if
    they begin with two slashes ("//docs.example.com/"); `languages` are BCP 47 primary subtags of the detected
    language, and a page of unknown language passes none. `dated_from` and `dated_to` (inclusive) are compared with the
    date that the page names as modified or published, else the day of its last reading. `attributes` are those that
    operators gave documents; all must pass.
    """

    sources: tuple[UUID, ...] = ()
    path_prefixes: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    dated_from: date | None = None
    dated_to: date | None = None
    attributes: tuple[AttributeFilter, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether every page passes."""
        return self == EVERY_PAGE

    def has_path_of(self, url: str) -> bool:
        """Whether the page's URL begins with one of the prefixes, if there are any."""
        if not self.path_prefixes:
            return True
        parts = urlsplit(url)
        whole = f"//{parts.netloc}{parts.path}"
        return any((whole if each.startswith("//") else parts.path).startswith(each) for each in self.path_prefixes)


EVERY_PAGE: Final = SearchFilter()
