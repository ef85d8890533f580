"""A filter of a list that an operator uses repeatedly, saved under a name."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from app.core.setting import required

MAX_QUERY_CHARS: Final = 2000


class FilteredList(StrEnum):
    CONVERSATIONS = "conversations"
    GAPS = "gaps"


@dataclass(frozen=True, slots=True)
class SavedFilter:
    """`operator_id` is None if the filter is shared with the whole workspace. `query` is the query string of the
    console's list."""

    id: UUID
    workspace_id: UUID
    operator_id: UUID | None
    kind: Annotated[FilteredList, "The list that the filter applies to, for any agent."]
    name: Annotated[str, required(60)]
    query: str

    @property
    def is_shared(self) -> Annotated[bool, "Whether all operators of the workspace have the filter."]:
        return self.operator_id is None
