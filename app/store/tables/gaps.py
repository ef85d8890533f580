"""Gaps, and answers that their page no longer supports."""

import sqlalchemy as sa

from app.store.schema import Audited, OfVisitors, StorableText, UtcDateTime, column, own_id, parent, table

# `question_key` is the SHA-256 of the normalised question: questions may be longer than an index entry. `placed_by` is
# the model by which the gap was compared with the agent's others, None until then; `meaning` is its vector of the
# question, as in unit_vectors.py, None for a language that the model does not read. `replayed_at` is the agent's
# generation at which it was last asked, by a visitor or by a replay. `answered_at` is when it was last closed with
# proof, `reopened_at` when it was last reopened. `may_join` is false once an operator has merged or split it:
# clustering may then add to it, but otherwise leaves it unchanged. `count` is how often it was asked, `visitors` by how
# many visitors.
GAPS = table(
    "gaps",
    Audited("gap", unhashed=("question", "question_key", "meaning")),  # a visitor's words
    own_id(),
    parent("agent_id", "agents"),
    column("question_key", sa.String(64)),
    column("question", StorableText),
    column("state", sa.String(10)),
    column("reason", sa.String(20)),
    column("count", sa.Integer),
    column("visitors", sa.Integer, server_default=sa.text("0")),
    column("note", StorableText, default=""),
    column("assignee", StorableText, default="", server_default=sa.text("''")),
    column("first_seen", UtcDateTime),
    column("last_seen", UtcDateTime),
    column("placed_by", sa.String(200), index=True, nullable=True),
    column("meaning", sa.LargeBinary, nullable=True),
    column("replayed_at", sa.Integer, nullable=True),
    column("answered_at", UtcDateTime, nullable=True),
    column("reopened_at", UtcDateTime, nullable=True),
    column("may_join", sa.Boolean, server_default=sa.true()),
    sa.UniqueConstraint("agent_id", "question_key"),
    sa.Index(None, "agent_id", "count", "last_seen"),
)

# One time that a gap's question was asked. A turn counts only once.
GAP_QUESTIONS = table(
    "gap_questions",
    OfVisitors(),
    own_id(),
    parent("gap_id", "gaps"),
    parent("turn_id", "turns"),
    column("question_key", sa.String(64), server_default=sa.text("''"), index=True),
    column("question", StorableText),
    column("reason", sa.String(20)),
    column("asked_at", UtcDateTime),
    sa.UniqueConstraint("turn_id"),
    sa.Index(None, "gap_id", "asked_at"),
)


# `key` is the SHA-256 of what distinguishes it: whose words they are, the page and the words. `old_words` are a page's
# or an operator's, never a visitor's. `new_answer` is the current answer to a question of the operator's own.
STALE_ANSWERS = table(
    "stale_answers",
    Audited("stale_answer", unhashed=("key", "old_words", "new_words", "new_answer")),  # a visitor may have read them
    own_id(),
    parent("agent_id", "agents"),
    column("key", sa.String(64)),
    column("subject", sa.String(10)),
    column("kind", sa.String(15)),
    column("state", sa.String(10)),
    column("url", StorableText),
    column("title", StorableText),
    column("old_words", StorableText),
    column("new_words", StorableText),
    column("new_answer", StorableText, nullable=True),
    parent("curated_answer_id", "curated_answers", index=True, nullable=True),
    parent("golden_question_id", "golden_questions", index=True, nullable=True),
    column("found_at", UtcDateTime),
    sa.UniqueConstraint("agent_id", "key"),
    sa.Index(None, "agent_id", "state", "found_at"),
)

# One turn with the old words in its answer. `new_answer` is the current answer to its question, None if it was not
# asked again; it is deleted with the turn, like the question.
STALE_TELLINGS = table(
    "stale_tellings",
    OfVisitors(),
    parent("stale_answer_id", "stale_answers", primary_key=True),
    parent("turn_id", "turns", primary_key=True, index=True),
    column("new_answer", StorableText, nullable=True),
)
