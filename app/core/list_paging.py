"""Pages over lists that the record hands over whole, those that stay short; and lists collected from pages."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from app.core.errors import InvalidInput
from app.core.list_page import ListPage, PageRequest

Item = TypeVar("Item")

_LONGEST = 200


def page_of(items: Sequence[Item], page: PageRequest, key: Callable[[Item], str]) -> ListPage[Item]:
    """The items after the one whose key is the cursor. Raises InvalidInput for a cursor that names none."""
    start = 0
    if page.cursor is not None:
        keys = [key(item) for item in items]
        if page.cursor not in keys:
            raise InvalidInput("cursor", "This cursor is not from this list. Begin again without one.")
        start = keys.index(page.cursor) + 1
    chosen = items[start : start + page.limit]
    is_last = start + page.limit >= len(items)
    return ListPage(items=chosen, next_cursor=None if is_last or not chosen else key(chosen[-1]))


async def collected(page_after: Callable[[PageRequest], Awaitable[ListPage[Item]]], enough: int) -> list[Item]:
    """The items of one page after the other, until there are no more or `enough` so many."""
    found: list[Item] = []
    cursor: str | None = None
    while len(found) < enough:
        page = await page_after(PageRequest(_LONGEST, cursor))
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    return found
