"""What was changed, as one SHA-256 before and one after: the audit shows that something changed and repeats nothing."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Table, select

from app.store.tables.actions import ACTIONS
from app.store.tables.agents import AGENTS, CURATED_ANSWERS, GOLDEN_QUESTIONS, USER_ISSUERS, USER_KEYS
from app.store.tables.documents import DOCUMENT_VERSIONS, DOCUMENTS
from app.store.tables.gaps import GAPS, REPOSITORIES, STALE_ANSWERS
from app.store.tables.people import LIVE_CHATS, SAVED_FILTERS, SAVED_REPLIES
from app.store.tables.sources import SOURCE_HOOKS, SOURCE_SCHEDULES, SOURCES
from app.store.tables.tenancy import API_TOKENS, OPERATORS
from app.store.tables.webhooks import HELP_DESKS, NOTICE_CHANNELS, WEBHOOK_DELIVERIES, WEBHOOKS

# What an action's first word names, and the columns that hold the subject's id. Nothing of visitors: not even a hash
# of what they wrote outlives its erasure.
_KEYS: Final[Mapping[str, tuple[Any, ...]]] = {
    "agent": (AGENTS.c.id, USER_KEYS.c.agent_id, USER_ISSUERS.c.agent_id, HELP_DESKS.c.agent_id),
    "source": (SOURCES.c.id, SOURCE_HOOKS.c.source_id, SOURCE_SCHEDULES.c.source_id),
    "document": (DOCUMENTS.c.id, DOCUMENT_VERSIONS.c.document_id),
    "curated_answer": (CURATED_ANSWERS.c.id,),
    "action": (ACTIONS.c.id,),
    "golden_question": (GOLDEN_QUESTIONS.c.id,),
    "gap": (GAPS.c.id,),
    "repository": (REPOSITORIES.c.id,),
    "stale_answer": (STALE_ANSWERS.c.id,),
    "live_chat": (LIVE_CHATS.c.id,),
    "saved_reply": (SAVED_REPLIES.c.id,),
    "saved_filter": (SAVED_FILTERS.c.id,),
    "webhook": (WEBHOOKS.c.id, WEBHOOK_DELIVERIES.c.id),
    "notice_channel": (NOTICE_CHANNELS.c.id,),
    "token": (API_TOKENS.c.id,),
    "operator": (OPERATORS.c.id,),
}
_LEFT_OUT: Final[Mapping[Table, tuple[str, ...]]] = {
    GAPS: ("question", "question_key", "meaning"),  # a visitor's words
    STALE_ANSWERS: ("key", "old_words", "new_words", "new_answer"),  # what a visitor may have been told
    LIVE_CHATS: ("conversation_id",),  # which its visitor's erasure must leave nowhere
    ACTIONS: ("sealed", "sealed_by"),  # other bytes each time that a key seals it
    HELP_DESKS: ("sealed", "sealed_by"),
    REPOSITORIES: ("sealed", "sealed_by"),  # other bytes each time that a key seals it
    NOTICE_CHANNELS: ("sealed", "sealed_by"),  # other bytes each time that a key seals it
    DOCUMENT_VERSIONS: ("markdown",),  # long, and its hash is there
}


def digest_of(reader: Connection, action: str, subject: UUID) -> bytes | None:
    """SHA-256 of the rows of an action's subject, as `reader` sees them; None where there are none."""
    found = []
    for key in _KEYS.get(action.partition(".")[0], ()):
        columns = [column for column in key.table.columns if column.name not in _LEFT_OUT.get(key.table, ())]
        rows = reader.execute(select(*columns).where(key == subject))
        found += [[key.table.name, dict(row)] for row in rows.mappings()]
    if not found:
        return None
    return hashlib.sha256(json.dumps(found, sort_keys=True, default=_told).encode()).digest()


def _told(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
