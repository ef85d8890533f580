"""Which pages may be answered from: a narrower look than "all of the agent's"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AttributeFilter:
    """A document passes when its attribute of that name has one of the values. One without it does not pass."""

    name: str
    values: tuple[str, ...]

    def passes(self, attributes: Mapping[str, Sequence[str]]) -> bool:
        return any(value in self.values for value in attributes.get(self.name, ()))


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """A page passes when it passes every part that is set.

    `sources` are ids; `path_prefixes` are compared with the path of the page's URL ("/docs/"); `languages` are BCP 47
    primary subtags as the pages were recognised, and a page of no known language passes none of them. `dated_from`
    and `dated_to` (both included) are compared with the day that the page itself names, as modified or published; a
    page that names none counts as of the day that it was read. `attributes` are those that operators gave documents,
    and every one of them must pass.
    """

    sources: tuple[UUID, ...] = ()
    path_prefixes: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    dated_from: date | None = None
    dated_to: date | None = None
    attributes: tuple[AttributeFilter, ...] = ()

    @property
    def is_open(self) -> bool:
        """Every page passes."""
        return self == SearchFilter()
