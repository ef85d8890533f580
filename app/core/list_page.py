"""Pagination by cursor."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Generic, TypeVar

from app.core.errors import InvalidInput

Item = TypeVar("Item", covariant=True)


@dataclass(frozen=True, slots=True)
class PageRequest:
    """`limit` items (1..200) after `cursor`: the `next_cursor` of the previous page, or None for the first page."""

    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class ListPage(Generic[Item]):
    """`next_cursor` is None on the last page."""

    items: Sequence[Item]
    next_cursor: str | None = None


Listed = TypeVar("Listed")

_LONGEST = 200


def page_of(items: Sequence[Listed], page: PageRequest, key: Callable[[Listed], str]) -> ListPage[Listed]:
    """One page of a whole list: the items after the one whose key is the cursor. Raises InvalidInput for an unknown
    cursor."""
    start = 0
    if page.cursor is not None:
        keys = [key(item) for item in items]
        if page.cursor not in keys:
            raise InvalidInput("cursor", "This cursor belongs to another list. Start again without a cursor.")
        start = keys.index(page.cursor) + 1
    chosen = items[start : start + page.limit]
    is_last = start + page.limit >= len(items)
    return ListPage(items=chosen, next_cursor=None if is_last or not chosen else key(chosen[-1]))


async def collected(
    page_after: Callable[[PageRequest], Awaitable[ListPage[Listed]]], enough: float = inf
) -> list[Listed]:
    """The items of all pages in order, at most `enough` of them."""
    found: list[Listed] = []
    cursor: str | None = None
    while len(found) < enough:
        page = await page_after(PageRequest(_LONGEST, cursor))
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    return found
