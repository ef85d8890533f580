"""How long lists are handed over."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item", covariant=True)


@dataclass(frozen=True, slots=True)
class PageRequest:
    """`limit` items (1..200) after `cursor`, which is the `next_cursor` of the page before, or None to begin."""

    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class ListPage(Generic[Item]):
    """`next_cursor` is None on the last page."""

    items: Sequence[Item]
    next_cursor: str | None = None
