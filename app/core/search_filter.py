"""Restricts an agent's pages to those that may be used for an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Final
from urllib.parse import urlsplit
from uuid import UUID

from app.core.setting import at_most

_ENTRIES: Final = at_most(50)


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

    `languages` are BCP 47 primary subtags of the detected language, and a page of unknown language passes none.
    `dated_from` and `dated_to` (inclusive) are compared with the date that the page names as modified or published,
    else the day of its last reading. All `attributes` must pass.
    """

    sources: Annotated[tuple[UUID, ...], _ENTRIES] = ()
    path_prefixes: Annotated[
        tuple[str, ...],
        _ENTRIES,
        'Prefixes such as "/docs/", compared with the path of a page\'s URL, or such as "//docs.example.com/", '
        "compared with its host and path.",
    ] = ()
    languages: Annotated[tuple[str, ...], _ENTRIES, 'Language codes, such as "en" and "de".'] = ()
    dated_from: Annotated[date | None, "The earliest date that a page may have."] = None
    dated_to: Annotated[date | None, "The latest date that a page may have."] = None
    attributes: Annotated[
        tuple[AttributeFilter, ...],
        _ENTRIES,
        "For documents that were added with attributes: for each name, a document must have one of its values.",
    ] = ()

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
