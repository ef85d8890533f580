"""A report that an operator has ordered and a worker makes."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID


class ReportKind(StrEnum):
    WEBSITE = "website"
    CONVERSATIONS = "conversations"  # of another help desk


@dataclass(frozen=True, slots=True)
class OrderedReport:
    """The latest report of its kind for an agent. `wanted` are the parameters of its maker, {} once it is made."""

    agent_id: UUID
    kind: ReportKind
    name: Annotated[str, "What it is about."]
    asked_by: str
    asked_at: datetime
    wanted: dict[str, Any] = field(default_factory=dict)
    asked: Annotated[int, "How many questions have been asked."] = 0
    questions: Annotated[int, "How many there are; 0 as long as that is unknown."] = 0
    due_at: datetime | None = None
    problem: Annotated[str, 'Why it could not be made, "" if it could.'] = ""
    result: Annotated[dict[str, Any] | None, "The report, once it is made."] = None
    page: str = ""  # the same as HTML, "" if it has no such form

    @property
    def is_running(self) -> Annotated[bool, "Whether a worker has yet to make it, or to end."]:
        return self.due_at is not None
