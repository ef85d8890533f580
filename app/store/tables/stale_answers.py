"""Answers whose page no longer says what they say, and the turns in which visitors were told."""

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint, Uuid

from app.store.tables.columns import column, own_id, parent, table
from app.store.types import StorableText, UtcDateTime

# `key` is the SHA-256 of what is told apart: whose words they are, the page and the words. `old_words` are a page's or
# an operator's, never a visitor's. `new_answer` is what a question of the operator's own gets now.
STALE_ANSWERS = table(
    "stale_answers",
    own_id(),
    parent("agent_id", "agents"),
    column("key", String(64)),
    column("subject", String(10)),
    column("kind", String(15)),
    column("state", String(10)),
    column("url", StorableText),
    column("title", StorableText),
    column("old_words", StorableText),
    column("new_words", StorableText),
    column("new_answer", StorableText, nullable=True),
    column("curated_answer_id", Uuid, ForeignKey("curated_answers.id", ondelete="CASCADE"), index=True, nullable=True),
    column(
        "golden_question_id", Uuid, ForeignKey("golden_questions.id", ondelete="CASCADE"), index=True, nullable=True
    ),
    column("found_at", UtcDateTime),
    UniqueConstraint("agent_id", "key"),
    Index(None, "agent_id", "state", "found_at"),
)

# One turn that told the old words. `new_answer` is what its question gets now, None where it was not asked again: it
# goes with the turn, as the question does.
STALE_TELLINGS = table(
    "stale_tellings",
    parent("stale_answer_id", "stale_answers", primary_key=True),
    parent("turn_id", "turns", primary_key=True, index=True),
    column("new_answer", StorableText, nullable=True),
)
