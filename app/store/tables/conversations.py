"""Visitors, their conversations and messages, turns with everything that their end stores, and live chats."""

import sqlalchemy as sa

from app.store.schema import (
    Audited,
    Id,
    OfVisitors,
    PackedJson,
    StorableJson,
    StorableText,
    UtcDateTime,
    column,
    own_id,
    parent,
    table,
    where,
)

# `user_id` is set for visitors whom the website's server has identified; no anonymous id ever leads to them.
# `attributes` are those of the latest opening of the widget.
VISITORS = table(
    "visitors",
    own_id(),
    parent("agent_id", "agents"),
    column("anonymous_id", Id),
    column("user_id", StorableText, nullable=True),
    column("created_at", UtcDateTime),
    column("attributes", StorableJson, default=list, server_default=sa.text("'[]'")),
    sa.UniqueConstraint("agent_id", "anonymous_id"),
    sa.Index(None, "agent_id", "user_id", unique=True, **where("user_id IS NOT NULL")),
)

# `turn_count` also numbers the turns: it is raised in the transaction that stores one. A conversation without activity
# since `closed_at` is closed.
CONVERSATIONS = table(
    "conversations",
    OfVisitors(),
    own_id(),
    parent("agent_id", "agents"),
    parent("visitor_id", "visitors"),
    column("channel", sa.String(20)),
    column("turn_count", sa.Integer, default=0),
    column("first_question", StorableText, default=""),
    column("created_at", UtcDateTime),
    column("last_active_at", UtcDateTime),
    column("cleared_at", UtcDateTime, nullable=True),
    column("assignee", StorableText, default="", server_default=sa.text("''")),
    column("closed_at", UtcDateTime, nullable=True),
    column("device", StorableJson, nullable=True),
    sa.Index(None, "agent_id", "last_active_at"),
    sa.Index(None, "visitor_id", "last_active_at"),
    sa.Index("ix_conversations_assigned", "agent_id", "assignee", "last_active_at", **where("assignee != ''")),
)

# Operators' labels for a conversation, to find it again.
CONVERSATION_LABELS = table(
    "conversation_labels",
    OfVisitors("labels", "What operators called the conversations."),
    own_id(),
    parent("agent_id", "agents"),
    parent("conversation_id", "conversations"),
    column("label", StorableText),
    sa.UniqueConstraint("conversation_id", "label"),
    sa.Index(None, "agent_id", "label"),
)

# One bubble. The visitor's is stored with the turn, the agent's with the turn's end.
MESSAGES = table(
    "messages",
    OfVisitors("messages"),
    column("id", Id),
    parent("turn_id", "turns", primary_key=True),
    column("role", sa.String(10), primary_key=True),
    column("text", StorableText),
    column("created_at", UtcDateTime),
)


# `id` is the client's. `owner` names the process that answers; `partial_answer` is its text so far, empty once the turn
# has ended. `summary` is of the conversation up to this turn, for the person to whom it is handed over: NULL unless
# requested, "" until a model has written it.
TURNS = table(
    "turns",
    OfVisitors(),
    column("id", Id, primary_key=True),
    parent("conversation_id", "conversations"),
    parent("visitor_id", "visitors", index=True),
    parent("agent_id", "agents"),
    column("agent_version", sa.Integer),
    column("position", sa.Integer),  # from 1 within the conversation
    column("page_url", StorableText),
    column("fingerprint", sa.String(64)),
    column("state", sa.String(10)),
    column("owner", StorableText),
    column("partial_answer", StorableText, default=""),
    column("answered_by", StorableText, nullable=True),
    column("confidence", sa.Double, nullable=True),
    column("low_confidence", sa.Boolean, default=False),
    column("finish", StorableText, nullable=True),
    column("error_code", StorableText, nullable=True),
    column("language", StorableText, nullable=True),
    column("curated_answer_id", Id, sa.ForeignKey("curated_answers.id", ondelete="SET NULL"), nullable=True),
    column("first_token_ms", sa.Integer, nullable=True),
    column("duration_ms", sa.Integer, default=0),
    column("trace", StorableJson, default=dict),
    column("summary", StorableText, nullable=True),
    column("next_questions", StorableJson, default=list, server_default=sa.text("'[]'")),
    column("created_at", UtcDateTime),
    column("ended_at", UtcDateTime, nullable=True),
    sa.UniqueConstraint("conversation_id", "position"),
    # Covers everything that figures are computed from and citations are found by, so that no row is read.
    sa.Index(
        "ix_turns_figures",
        *("agent_id", "created_at", "state", "answered_by", "low_confidence", "first_token_ms", "language"),
        *("conversation_id", "visitor_id", "id"),
    ),
    sa.Index("ix_turns_curated", "curated_answer_id", "created_at", "id", **where("curated_answer_id IS NOT NULL")),
    sa.Index("uq_turns_running", "conversation_id", unique=True, **where("state = 'running'")),
    sa.Index("ix_turns_running_owner", "owner", **where("state = 'running'")),
)

# All of a turn, in order, if it has any: copies of what they name, so that they outlive the chunks. `pages` has the
# `page_key` of each cited page.
CITATIONS = table(
    "citations",
    OfVisitors("citations"),
    parent("turn_id", "turns", primary_key=True),
    column("pages", sa.Text),
    column("citations", PackedJson),
)

# The largest parts of a turn's trace, how search came to its ranking, until they are dropped. Apart, because small rows
# fill their pages, and dropped ones leave whole pages free.
SEARCH_TRACES = table(
    "search_traces",
    OfVisitors(),
    parent("turn_id", "turns", primary_key=True),
    column("began_at", UtcDateTime, index=True),  # the turn
    column("trace", PackedJson),
)

FEEDBACK = table(
    "feedback",
    OfVisitors("feedback"),
    own_id(),
    parent("turn_id", "turns", unique=True),
    parent("agent_id", "agents"),
    column("rating", sa.String(10)),
    column("comment", StorableText),
    column("created_at", UtcDateTime),
    column("updated_at", UtcDateTime),
    sa.Index(None, "agent_id", "created_at"),
)

# The cost of one turn. `turn_id` is no foreign key: erasing a visitor must not change the bill. A turn that was cut
# counts too, with no tokens and an empty `answered_by`. Text that the model wrote for an operator has its own id
# instead of a turn's, and its purpose in `answered_by`.
USAGE = table(
    "usage",
    column("turn_id", Id, primary_key=True),
    parent("agent_id", "agents"),
    column("answered_by", StorableText),
    column("model", StorableText),
    column("prompt_tokens", sa.Integer),
    column("completion_tokens", sa.Integer),
    column("cached_tokens", sa.Integer, server_default=sa.text("0")),
    column("cost", sa.Float(53), nullable=True),
    column("created_at", UtcDateTime),
    # Covers everything that costs are computed from.
    sa.Index(
        "ix_usage_figures",
        *("agent_id", "created_at", "model", "prompt_tokens", "completion_tokens", "cached_tokens", "cost"),
    ),
)

# An agent's usage of a day (by UTC) so far: the sum of its rows of usage, updated with them.
AGENT_DAYS = table(
    "agent_days",
    parent("agent_id", "agents", primary_key=True),
    column("day", sa.Date, primary_key=True),
    column("tokens", sa.BigInteger),
)

# A topic is named by the first question about it, and is deleted with that turn; its other questions then wait for
# another topic. `placed_by` is the model by which they were compared, `meaning` its vector of that question, as in
# unit_vectors.py, None for a language that the model does not read.
TOPICS = table(
    "topics",
    OfVisitors(),
    own_id(),
    parent("agent_id", "agents"),
    parent("turn_id", "turns", unique=True),
    column("placed_by", sa.String(200)),
    column("meaning", sa.LargeBinary, nullable=True),
    sa.Index(None, "agent_id", "id"),
)

# Every question of an ended turn. `asked_at` is when the turn began. While `topic_id` is None, it waits to be placed;
# from then on, `question_key` is half of the SHA-256 of the normalised question.
TOPIC_QUESTIONS = table(
    "topic_questions",
    OfVisitors(),
    parent("turn_id", "turns", primary_key=True),
    parent("agent_id", "agents"),
    column("asked_at", UtcDateTime),
    column("question_key", sa.String(64), nullable=True),
    column("topic_id", Id, sa.ForeignKey("topics.id", ondelete="SET NULL"), index=True, nullable=True),
    sa.Index(None, "agent_id", "asked_at", "topic_id"),
    sa.Index(None, "agent_id", "question_key"),
    sa.Index("ix_topic_questions_waiting", "asked_at", **where("topic_id IS NULL")),
)

# An event for webhooks, in ids and figures: each kind once per turn. One about a conversation as a whole names that and
# no turn; one about a week or a day exists once per agent and week or day, which `week` names by its first day.
OUTBOX = table(
    "outbox",
    OfVisitors("outbox"),
    own_id(),
    parent("turn_id", "turns", nullable=True),
    parent("conversation_id", "conversations", index=True, nullable=True),
    parent("agent_id", "agents", index=True),
    column("kind", sa.String(40)),
    column("week", sa.Date, nullable=True),
    column("payload", StorableJson),
    column("created_at", UtcDateTime),
    column("delivered_at", UtcDateTime, nullable=True),
    sa.UniqueConstraint("turn_id", "kind"),
    sa.UniqueConstraint("agent_id", "kind", "week"),
    sa.Index("ix_outbox_undelivered", "created_at", **where("delivered_at IS NULL")),
)

# One per conversation, from the first request for a person. `message_count` also numbers the messages: it is raised in
# the transaction that stores one.
LIVE_CHATS = table(
    "live_chats",
    Audited("live_chat", unhashed=("conversation_id",)),  # its visitor's erasure must remove it everywhere
    OfVisitors(),
    own_id(),
    parent("agent_id", "agents", index=True),
    parent("conversation_id", "conversations", unique=True),
    column("state", sa.String(10)),
    column("asked_at", UtcDateTime, nullable=True),
    column("handed_over_at", UtcDateTime, nullable=True),
    column("handed_over_turn_id", Id, nullable=True),  # which may have expired since
    column("taken_by", StorableText, default=""),
    column("taken_by_id", Id, nullable=True),  # of an account that may have been deleted since
    column("operator_name", StorableText, default=""),
    column("taken_at", UtcDateTime, nullable=True),
    column("ended_at", UtcDateTime, nullable=True),
    column("message_count", sa.Integer, default=0),
    column("rating", sa.String(4), nullable=True),
    column("rated_at", UtcDateTime, nullable=True),
    sa.Index("ix_live_chats_rated", "agent_id", "rated_at"),
    sa.Index("ix_live_chats_handed_over", "agent_id", "handed_over_at"),
    sa.Index("ix_live_chats_open", "agent_id", "asked_at", **where("state IN ('waiting', 'talking')")),
)

LIVE_MESSAGES = table(
    "live_messages",
    OfVisitors("live_messages", expire=True),
    own_id(),
    parent("agent_id", "agents"),
    parent("conversation_id", "conversations"),
    column("message_id", Id),  # chosen by its writer
    column("number", sa.Integer),
    column("author", sa.String(10)),
    column("name", StorableText, nullable=True),
    column("text", StorableText),
    column("created_at", UtcDateTime),
    sa.UniqueConstraint("conversation_id", "number"),
    sa.UniqueConstraint("conversation_id", "message_id"),
    sa.Index(None, "agent_id", "created_at"),
)
