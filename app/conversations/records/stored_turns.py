"""Reads stored turns with their citations, the history for the model, and token usage."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from heapq import merge
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Float, Row, and_, bindparam, cast, func, select

from app.conversations.conversation import Role
from app.conversations.live_chat import MAX_TEXT_CHARS, Author, LiveMessage
from app.conversations.records.confirmations import confirmations_of
from app.conversations.records.live_chats import live_message_of
from app.conversations.records.moment_parts import utc_month
from app.core.confirmation import Confirmation, ConfirmationState
from app.core.costs import MILLION, MonthCost, TokenPrices
from app.core.turn import Citation, Exchange, StoredTurn, TokenUsage, TurnState
from app.store.tables.agents import AGENTS
from app.store.tables.conversations import (
    AGENT_DAYS,
    CITATIONS,
    FEEDBACK,
    LIVE_MESSAGES,
    MESSAGES,
    SEARCH_TRACES,
    TURNS,
    USAGE,
)
from app.store.transaction import Repository, config_from_json, value_of

MESSAGES_PER_EXCHANGE: Final = 4  # people write in short lines
_question = MESSAGES.alias()
_answer = MESSAGES.alias()
_is_question = and_(_question.c.turn_id == TURNS.c.id, _question.c.role == Role.VISITOR.value)
_is_answer = and_(_answer.c.turn_id == TURNS.c.id, _answer.c.role == Role.AGENT.value)
# Built once, because the first question of each conversation executes them.
_ANSWERED = (
    select(TURNS.c.id, TURNS.c.created_at, _question.c.text, _answer.c.text)
    .join(_question, _is_question)
    .join(_answer, _is_answer)
    .where(
        TURNS.c.conversation_id == bindparam("conversation_id"),
        TURNS.c.state == TurnState.DONE.value,
        _answer.c.text != "",
    )
    .order_by(TURNS.c.position.desc())
    .limit(bindparam("most"))
)
_WRITTEN = (
    select(LIVE_MESSAGES)
    .where(LIVE_MESSAGES.c.conversation_id == bindparam("conversation_id"))
    .order_by(LIVE_MESSAGES.c.number.desc())
    .limit(bindparam("most"))
)
# How the model is told about a proposed change: without the call and its response.
_BECAME = {
    ConfirmationState.ASKED: "they have not answered yet, and nothing was done",
    ConfirmationState.CONFIRMED: "they confirmed it, and it is being done",
    ConfirmationState.DECLINED: "they declined it, and nothing was done",
    ConfirmationState.EXPIRED: "they did not answer in time, and nothing was done",
    ConfirmationState.VOID: "it is void, and nothing was done",
    ConfirmationState.DONE: "they confirmed it, and it was done",
    ConfirmationState.FAILED: "they confirmed it, but it did not work",
    ConfirmationState.UNKNOWN: "they confirmed it, and nobody knows whether it was done",
}
_OF_TURN = MESSAGES.c.turn_id == bindparam("turn")
_QUESTION = select(MESSAGES.c.text).where(_OF_TURN, MESSAGES.c.role == Role.VISITOR.value)
_ANSWER_ID = select(MESSAGES.c.id).where(_OF_TURN, MESSAGES.c.role == Role.AGENT.value)


class StoredTurnRecords(Repository):
    def find(self, turn_id: UUID) -> StoredTurn | None:
        found = self.where(TURNS.c.id == turn_id)
        return found[0] if found else None

    def history(self, conversation_id: UUID, limit: int) -> list[Exchange]:
        """The latest exchanges, oldest first: answered turns, with the outcome of a proposed change, and the messages
        between the visitor and a person of the team in between (`past_exchanges`)."""
        own = {"conversation_id": conversation_id}
        answered = self._connection.execute(_ANSWERED, own | {"most": limit}).all()
        proposed = confirmations_of(self._connection, [turn_id for turn_id, *_ in answered], self._now())
        turns = [
            (asked_at, Exchange(question, answer + _became(proposed.get(turn_id))))
            for turn_id, asked_at, question, answer in answered
        ]
        written = self._connection.execute(_WRITTEN, own | {"most": limit * MESSAGES_PER_EXCHANGE})
        messages = [live_message_of(row) for row in written]
        return past_exchanges(reversed(turns), reversed(messages), limit)

    def tokens_since(self, agent_id: UUID, day: date) -> int:
        """The input and output tokens that the agent has used from this day (UTC) on, within turns and outside."""
        statement = select(func.sum(AGENT_DAYS.c.tokens)).where(AGENT_DAYS.c.agent_id == agent_id)
        return int(self._connection.scalar(statement.where(AGENT_DAYS.c.day >= day)) or 0)

    def tokens_of_workspace_since(self, workspace_id: UUID, day: date) -> int:
        """Like `tokens_since`, for all present agents of a workspace."""
        statement = select(func.sum(AGENT_DAYS.c.tokens)).join(AGENTS, AGENTS.c.id == AGENT_DAYS.c.agent_id)
        own = (AGENTS.c.workspace_id == workspace_id, AGENT_DAYS.c.day >= day)
        return int(self._connection.scalar(statement.where(*own)) or 0)

    def tokens_of_visitor_since(self, agent_id: UUID, visitor_id: UUID, since: datetime) -> int:
        """The tokens of the visitor's turns with the agent that ended since then."""
        own = (TURNS.c.visitor_id == visitor_id, USAGE.c.agent_id == agent_id, USAGE.c.created_at >= since)
        tokens = func.sum(USAGE.c.prompt_tokens + USAGE.c.completion_tokens)
        return int(self._connection.scalar(select(tokens).join(TURNS, TURNS.c.id == USAGE.c.turn_id).where(*own)) or 0)

    def usage_by_month(self, agent_id: UUID, months: int, prices: TokenPrices) -> list[MonthCost]:
        """The chat model's usage, newest month first."""
        month = utc_month(self._dialect, USAGE.c.created_at).label("month")
        sums = [
            func.coalesce(func.sum(column), 0)
            for column in (USAGE.c.prompt_tokens, USAGE.c.completion_tokens, USAGE.c.cached_tokens)
        ]
        found = self._connection.execute(
            select(month, func.count(), *sums, cost_of_rows(prices))
            .where(USAGE.c.agent_id == agent_id, USAGE.c.model != "")
            .group_by(month)
            .order_by(month.desc())
            .limit(months)
        )
        return [
            MonthCost(name, calls, TokenUsage(int(read), int(written), cached_tokens=int(cached)), cost)
            for name, calls, read, written, cached, cost in found
        ]

    def moved_at(self, workspace_id: UUID) -> datetime | None:
        """When a turn of the workspace last ended, or got its first rating."""
        ended = select(func.max(USAGE.c.created_at)).where(USAGE.c.agent_id == AGENTS.c.id).scalar_subquery()
        rated = select(func.max(FEEDBACK.c.created_at)).where(FEEDBACK.c.agent_id == AGENTS.c.id).scalar_subquery()
        moments = self._connection.execute(select(ended, rated).where(AGENTS.c.workspace_id == workspace_id))
        return max((moment for both in moments for moment in both if moment is not None), default=None)

    def thumbs(self, agent_id: UUID) -> dict[str, tuple[int, int]]:
        """Ratings of answers as (up, down), by the URL of each section that they cite."""
        rated = (FEEDBACK.c.agent_id == agent_id, FEEDBACK.c.turn_id == CITATIONS.c.turn_id)
        rows = self._connection.execute(select(CITATIONS.c.citations, FEEDBACK.c.rating).where(*rated))
        found = Counter((citation["url"], rating) for citations, rating in rows for citation in citations)
        return {url: (found[url, "up"], found[url, "down"]) for url, _ in found}

    def of_conversation(self, conversation_id: UUID) -> list[StoredTurn]:
        """Oldest first, with citations and trace; the search part of old traces may have been dropped."""
        return self.where(TURNS.c.conversation_id == conversation_id)

    def where(self, condition: ColumnElement[bool]) -> list[StoredTurn]:
        """Those that match a condition on `TURNS`, oldest first."""
        statement = (
            select(
                TURNS,
                SEARCH_TRACES.c.trace.label("search_trace"),
                CITATIONS.c.citations,
                _question.c.text.label("question"),
                func.coalesce(_answer.c.text, TURNS.c.partial_answer).label("answer"),
                _answer.c.id.label("message_id"),
                FEEDBACK.c.rating,
                func.coalesce(FEEDBACK.c.comment, "").label("comment"),
            )
            .join(_question, _is_question)
            .outerjoin(_answer, _is_answer)
            .outerjoin(FEEDBACK, FEEDBACK.c.turn_id == TURNS.c.id)
            .outerjoin(SEARCH_TRACES, SEARCH_TRACES.c.turn_id == TURNS.c.id)
            .outerjoin(CITATIONS, CITATIONS.c.turn_id == TURNS.c.id)
            .where(condition)
            .order_by(TURNS.c.position)
        )
        rows = self._connection.execute(statement).all()
        asked = confirmations_of(self._connection, [row.id for row in rows], self._now())
        return [
            value_of(
                StoredTurn,
                row,
                trace=row.trace | (row.search_trace or {}),
                citations=citations_of(row),
                confirmation=asked.get(row.id),
            )
            for row in rows
        ]

    def question(self, turn_id: UUID) -> str:
        text: str = self._connection.execute(_QUESTION, {"turn": turn_id}).scalar_one()
        return text

    def answer_id(self, turn_id: UUID) -> UUID:
        message_id: UUID = self._connection.execute(_ANSWER_ID, {"turn": turn_id}).scalar_one()
        return message_id


def _became(asked: Confirmation | None) -> str:
    return f"\n\n(The visitor was asked to confirm: {asked.title}; {_BECAME[asked.state]}.)" if asked else ""


def citations_of(row: Row[*tuple[Any, ...]]) -> tuple[Citation, ...]:
    """Of a row with `CITATIONS.c.citations`, which is NULL for a turn without any."""
    return tuple(config_from_json(Citation, citation) for citation in row.citations or ())


def past_exchanges(
    turns: Iterable[tuple[datetime, Exchange]], messages: Iterable[LiveMessage], limit: int
) -> list[Exchange]:
    """The latest exchanges, at most `limit`, oldest first. Turns and messages are merged by time. Messages without a
    turn in between become one exchange of what the visitor and then the person wrote, with at most the last
    MAX_TEXT_CHARS of each."""
    live = ((message.created_at, _of_message(message)) for message in messages)
    past: list[Exchange] = []
    for _, exchange in merge(turns, live, key=itemgetter(0)):
        if past and _goes_on(past[-1], exchange):
            exchange = _joined(past.pop(), exchange)
        past.append(exchange)
    return past[-limit:]


def _of_message(message: LiveMessage) -> Exchange:
    is_visitors = message.author is Author.VISITOR
    return Exchange(message.text if is_visitors else "", "" if is_visitors else message.text, is_with_person=True)


def _goes_on(before: Exchange, message: Exchange) -> bool:
    is_answered = bool(before.answer and message.question)
    return before.is_with_person and message.is_with_person and not is_answered


def _joined(before: Exchange, message: Exchange) -> Exchange:
    return Exchange(
        _lines([before.question, message.question]), _lines([before.answer, message.answer]), is_with_person=True
    )


def _lines(texts: Sequence[str]) -> str:
    return "\n".join(filter(None, texts))[-MAX_TEXT_CHARS:]


def cost_of_rows(prices: TokenPrices) -> ColumnElement[float | None]:
    """The sum of stored costs; `prices` give the cost of rows without one, which are from earlier versions. NULL if no
    row has either."""
    if not (prices.prompt or prices.answer):
        return func.sum(USAGE.c.cost)
    cached = cast(USAGE.c.cached_tokens, Float(53))
    read = (USAGE.c.prompt_tokens - cached) * prices.prompt + cached * (prices.cached or prices.prompt)
    written = cast(USAGE.c.completion_tokens, Float(53)) * prices.answer
    return func.sum(func.coalesce(USAGE.c.cost, (read + written) / MILLION))
