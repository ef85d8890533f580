"""What was changed, as one SHA-256 before and one after: the audit shows that something changed and repeats nothing."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, inspect, select

from app.store.models import (
    AgentRow,
    ApiTokenRow,
    Base,
    CuratedAnswerRow,
    DocumentRow,
    DocumentVersionRow,
    GapRow,
    GoldenQuestionRow,
    LiveChatRow,
    OperatorRow,
    SourceHookRow,
    SourceRow,
    SourceScheduleRow,
    UserKeyRow,
    WebhookDeliveryRow,
    WebhookRow,
)

# What an action's first word names, and the columns that hold the subject's id. Nothing of visitors: not even a hash
# of what they wrote outlives its erasure.
_KEYS: Final[Mapping[str, tuple[Any, ...]]] = {
    "agent": (AgentRow.id, UserKeyRow.agent_id),
    "source": (SourceRow.id, SourceHookRow.source_id, SourceScheduleRow.source_id),
    "document": (DocumentRow.id, DocumentVersionRow.document_id),
    "curated_answer": (CuratedAnswerRow.id,),
    "golden_question": (GoldenQuestionRow.id,),
    "gap": (GapRow.id,),
    "live_chat": (LiveChatRow.id,),
    "webhook": (WebhookRow.id, WebhookDeliveryRow.id),
    "token": (ApiTokenRow.id,),
    "operator": (OperatorRow.id,),
}
_LEFT_OUT: Final[Mapping[type[Base], tuple[str, ...]]] = {
    GapRow: ("question", "question_key", "meaning"),  # a visitor's words
    LiveChatRow: ("conversation_id",),  # which its visitor's erasure must leave nowhere
    DocumentVersionRow: ("markdown",),  # long, and its hash is there
}


def state_of(reader: Connection, action: str, subject: str) -> bytes | None:
    """SHA-256 of the rows of an action's subject, as `reader` sees them; None where there are none."""
    found = []
    for key in _KEYS.get(action.partition(".")[0], ()):
        table = inspect(key.class_).local_table
        columns = [column for column in table.columns if column.name not in _LEFT_OUT.get(key.class_, ())]
        rows = reader.execute(select(*columns).where(key == UUID(subject)))
        found += [[table.name, dict(row)] for row in rows.mappings()]
    if not found:
        return None
    return hashlib.sha256(json.dumps(found, sort_keys=True, default=_told).encode()).digest()


def _told(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
