"""How lists are asked for and handed over."""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from pydantic import Field

from app.core.list_page import ListPage, PageRequest
from app.web.model import Model

MAX_LIMIT = 200
ItemOut = TypeVar("ItemOut", bound=Model)
Item = TypeVar("Item")


class ListQuery(Model):
    limit: int = Field(default=50, ge=1, le=MAX_LIMIT)
    cursor: str | None = Field(
        default=None, min_length=1, max_length=512, description="The next_cursor of the page before."
    )

    @property
    def page(self) -> PageRequest:
        return PageRequest(limit=self.limit, cursor=self.cursor)


class ListOut(Model, Generic[ItemOut]):
    items: tuple[ItemOut, ...]
    next_cursor: str | None = Field(description="Null on the last page.")


def listed(out: type[ListOut[ItemOut]], page: ListPage[Item], of: Callable[[Item], ItemOut]) -> ListOut[ItemOut]:
    items: Iterable[Item] = page.items
    return out(items=tuple(of(item) for item in items), next_cursor=page.next_cursor)
