"""Writes turns: begin, checkpoint, finish, cut, rate."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Insert, Row, bindparam, insert, or_, select, update
from sqlalchemy.sql.dml import ReturningInsert

from app.conversations.conversation import Role
from app.conversations.records.gap_counting import GapCounting
from app.conversations.records.packed_days import PackedDayRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.errors import InvalidInput, TurnConflict, TurnInProgress
from app.core.turn import NO_ANSWER, GapReason, TokenUsage, TurnEnd, TurnRequest, TurnState, VisitorSession
from app.core.turn_events import INTERRUPTED
from app.store.outbox import Outbox
from app.store.schema import page_key
from app.store.tables.agents import AGENTS, CURATED_ANSWERS
from app.store.tables.conversations import (
    AGENT_DAYS,
    CITATIONS,
    CONVERSATIONS,
    FEEDBACK,
    MESSAGES,
    SEARCH_TRACES,
    TURNS,
    USAGE,
)
from app.store.tables.gaps import GAP_QUESTIONS
from app.store.transaction import Repository, TurnIds, affected_rows, insert_of, new_id, row_of

_RUNNING = TurnState.RUNNING.value
_CUT = TurnState.CUT.value
_RATINGS = ("up", "down")
_OF_SEARCH = ("stages", "ranked")  # the parts of a trace that are stored apart
_END_COLUMNS = (
    *("state", "partial_answer", "answered_by", "confidence", "low_confidence", "finish", "error_code", "language"),
    *("first_token_ms", "duration_ms", "trace", "next_questions", "ended_at"),
)
# Statements that each turn executes are built once.
_CITED = insert(CITATIONS)
_SEARCHED = insert(SEARCH_TRACES)
_MESSAGE = insert(MESSAGES)
# Locks the conversation, so that two turns that begin at once wait for each other.
_OWN_CONVERSATION = (
    select(CONVERSATIONS.c.turn_count, CONVERSATIONS.c.first_question)
    .join(AGENTS, AGENTS.c.id == CONVERSATIONS.c.agent_id)
    .where(
        CONVERSATIONS.c.id == bindparam("conversation"),
        CONVERSATIONS.c.visitor_id == bindparam("visitor"),
        CONVERSATIONS.c.agent_id == bindparam("agent"),
        CONVERSATIONS.c.cleared_at.is_(None),
        AGENTS.c.workspace_id == bindparam("workspace"),
    )
    .with_for_update(of=CONVERSATIONS)
)
_ASKED = (
    update(CONVERSATIONS)
    .where(CONVERSATIONS.c.id == bindparam("conversation"))
    .values({name: bindparam(f"new_{name}") for name in ("turn_count", "first_question", "last_active_at")})
)
_ACTIVE = (
    update(CONVERSATIONS).where(CONVERSATIONS.c.id == bindparam("conversation")).values(last_active_at=bindparam("now"))
)
_TO_END = (
    select(*(TURNS.c[name] for name in ("id", "agent_id", "visitor_id", "conversation_id", "state", "created_at")))
    .where(TURNS.c.id == bindparam("turn"))
    .with_for_update()
)
_ENDED = (
    update(TURNS)
    .where(TURNS.c.id == bindparam("turn"))
    .values(
        # NULL if it was deleted meanwhile
        curated_answer_id=select(CURATED_ANSWERS.c.id)
        .where(CURATED_ANSWERS.c.id == bindparam("curated"))
        .scalar_subquery(),
        **{name: bindparam(f"new_{name}") for name in _END_COLUMNS},
    )
)
_CHECKPOINT = (
    update(TURNS)
    .where(TURNS.c.id == bindparam("turn"), TURNS.c.state == _RUNNING)
    .values(partial_answer=bindparam("text"))
)
_CUT_TURNS = select(TURNS.c.id).where(TURNS.c.id == bindparam("turn"), TURNS.c.state == _CUT)
# For a turn that was cut although its owner was only silent and still writes.
_CHECKPOINT_OF_CUT = (
    update(MESSAGES)
    .where(MESSAGES.c.turn_id == _CUT_TURNS.scalar_subquery(), MESSAGES.c.role == Role.AGENT.value)
    .values(text=bindparam("text"))
)


class TurnRecords(Repository):
    """The writes of a turn. Reading turns, counting gaps and stopped turns have their own repositories."""

    def begin(self, session: VisitorSession, request: TurnRequest, agent_version: int, owner: str) -> None:
        """Store the question and a `running` turn, owned by the process `owner`.

        Does nothing if the same turn already runs with the same owner: an earlier commit succeeded, but its
        confirmation was lost. Raises TurnConflict if the id is taken, TurnInProgress if the conversation has a running
        turn, NotFound if the conversation is not this visitor's or was cleared.
        """
        now = self._now()
        turn_count, first_question = self._own_conversation(session)
        position = turn_count + 1
        first = {
            "id": request.turn_id,
            "conversation_id": session.conversation_id,
            "visitor_id": session.visitor_id,
            "agent_id": session.agent_id,
            "agent_version": agent_version,
            "position": position,
            "page_url": request.page_url,
            "fingerprint": request.fingerprint,
            "state": _RUNNING,
            "owner": owner,
            "partial_answer": "",
            "low_confidence": False,
            "duration_ms": 0,
            "trace": {},
            "created_at": now,
        }
        if not self._add_running(first):
            return
        self._add_message(request.turn_id, Role.VISITOR, request.message)
        asked = {
            "conversation": session.conversation_id,
            "new_turn_count": position,
            "new_first_question": request.message if position == 1 else first_question,
            "new_last_active_at": now,
        }
        self._connection.execute(_ASKED, asked)

    def checkpoint(self, texts: Mapping[UUID, str]) -> None:
        """Store the partial answers of turns that are running, or were cut while their owner was silent."""
        if not texts:
            return
        rows = [{"turn": turn_id, "text": text} for turn_id, text in texts.items()]
        kept = affected_rows(self._connection.execute(_CHECKPOINT, rows))
        if kept < len(rows):
            self._connection.execute(_CHECKPOINT_OF_CUT, rows)

    def finish(self, turn_id: UUID, end: TurnEnd) -> UUID:
        """Store the end: answer message, citations, usage, and its consequences (`on_turn_end`). Returns the message's
        id, also for a turn that has already ended, which stays unchanged. Only a cut is replaced: the owner was merely
        silent. Raises NotFound for an erased turn."""
        turn = self._first_row(_TO_END, "turn", {"turn": turn_id})
        if turn.state not in (_RUNNING, _CUT):
            return StoredTurnRecords(self._tx).answer_id(turn_id)
        self._outdate([turn])
        if turn.state == _CUT:
            self._take_back_cut(turn_id)
        ids = TurnIds.from_row(turn)
        self._end(ids, end, turn.created_at)
        message_id = self._add_message(turn_id, Role.AGENT, end.answer)
        self._charge(turn_id, turn.agent_id, end.answered_by.value, end.usage)
        for listener in self._tx.on_turn_end:
            listener(self._tx, ids, end)
        return message_id

    def cut_orphans(self, living_owners: Collection[str], lost: Collection[UUID] = ()) -> int:
        """Set running turns to `cut` if their owner is not among `living_owners` or they are `lost`; return how
        many."""
        orphans = (
            select(TURNS)
            .where(
                TURNS.c.state == _RUNNING,
                or_(TURNS.c.owner.not_in(list(living_owners)), TURNS.c.id.in_(list(lost))),
            )
            .with_for_update()
        )
        turns = self._connection.execute(orphans).all()
        self._outdate(turns)
        for turn in turns:
            cut = {"state": _CUT, "error_code": INTERRUPTED.code, "partial_answer": "", "ended_at": self._now()}
            self._update(TURNS, TURNS.c.id == turn.id, **cut)
            self._add_message(turn.id, Role.AGENT, turn.partial_answer)
            self._charge(turn.id, turn.agent_id, "", TokenUsage())  # its cost was lost with its process
            Outbox(self._tx).announce(TurnIds.from_row(turn), f"turn.{_CUT}")
        return len(turns)

    def _take_back_cut(self, turn_id: UUID) -> None:
        """Delete the answer and usage that the cut has stored."""
        self._delete(MESSAGES, MESSAGES.c.turn_id == turn_id, MESSAGES.c.role == Role.AGENT.value)
        self._delete(USAGE, USAGE.c.turn_id == turn_id)

    def feedback(self, session: VisitorSession, turn_id: UUID, rating: str, comment: str) -> None:
        """Store the rating of a turn, "up" or "down", which replaces an earlier one. The first "down" also counts as a
        gap, unless the turn already has. Raises NotFound for a turn that is not this conversation's."""
        if rating not in _RATINGS:
            raise InvalidInput("rating", 'Choose "up" or "down".')
        own = (
            select(TURNS)
            .where(
                TURNS.c.id == turn_id,
                TURNS.c.conversation_id == session.conversation_id,
                TURNS.c.visitor_id == session.visitor_id,
                TURNS.c.agent_id == session.agent_id,
            )
            .with_for_update()
        )
        turn = self._first_row(own, "turn")
        self._outdate([turn])
        now = self._now()
        first = self._insert(FEEDBACK).values(
            id=new_id(),
            turn_id=turn_id,
            agent_id=turn.agent_id,
            rating=rating,
            comment=comment,
            created_at=now,
            updated_at=now,
        )
        self._connection.execute(
            first.on_conflict_do_update(
                index_elements=["turn_id"], set_={"rating": rating, "comment": comment, "updated_at": now}
            )
        )
        if rating == "down" and turn.answered_by not in NO_ANSWER:
            GapCounting(self._tx).see(TurnIds.from_row(turn), GapReason.THUMBS_DOWN)

    def flag(self, turn_id: UUID) -> UUID | None:
        """Count the turn's question as a gap, once; return the gap's id, None for a question without words. Raises
        NotFound."""
        turn = self._first_row(select(TURNS).where(TURNS.c.id == turn_id).with_for_update(), "turn")
        question = StoredTurnRecords(self._tx).question(turn_id)
        GapCounting(self._tx).count_gap(turn.agent_id, turn_id, question, GapReason.FLAGGED)
        return self._connection.scalar(select(GAP_QUESTIONS.c.gap_id).where(GAP_QUESTIONS.c.turn_id == turn_id))

    def drop_search_traces(self, before: datetime, limit: int) -> int:
        """Drop the search traces of at most `limit` turns that began before then, oldest first; return how many."""
        began_at, turn_id = SEARCH_TRACES.c.began_at, SEARCH_TRACES.c.turn_id
        old = select(turn_id).where(began_at < before).order_by(began_at).limit(limit)
        return self._delete(SEARCH_TRACES, turn_id.in_(list(self._connection.scalars(old))))

    def _outdate(self, turns: Sequence[Row[Any]]) -> None:
        """Have the days of these turns counted again. Costs little, because most turns end today, which is not
        packed."""
        PackedDayRecords(self._tx).outdate((turn.agent_id, turn.created_at.date()) for turn in turns)

    def _add_running(self, turn: Mapping[str, Any]) -> bool:
        """False if the same turn has begun already. Raises like `begin`."""
        # Two constraints may reject the row: the id, and the index on running turns. Try once more, because the running
        # one may have ended before it was read.
        for _ in range(2):
            if self._connection.execute(_begun(self._dialect), turn).one_or_none() is not None:
                return True
            if self._has_begun(turn):
                return False
            if self._exists(TURNS, turn["id"]):
                break
            if self._is_running(turn["conversation_id"]):
                raise TurnInProgress("The previous question is still being answered. Wait for the answer, or stop it.")
        # The id may be of a turn of another workspace, about which the error must reveal nothing.
        raise TurnConflict("This turn id was already used. Send each question with a new id.")

    def _is_running(self, conversation_id: UUID) -> bool:
        running = (TURNS.c.conversation_id == conversation_id, TURNS.c.state == _RUNNING)
        return self._connection.scalar(select(TURNS.c.id).where(*running)) is not None

    def _has_begun(self, turn: Mapping[str, Any]) -> bool:
        same = (TURNS.c[name] == turn[name] for name in ("id", "conversation_id", "fingerprint", "owner", "state"))
        return self._connection.scalar(select(TURNS.c.id).where(*same)) is not None

    def _own_conversation(self, session: VisitorSession) -> tuple[int, str]:
        """Lock the conversation; return its number of turns and its first question. Raises NotFound."""
        own = {
            "conversation": session.conversation_id,
            "visitor": session.visitor_id,
            "agent": session.agent_id,
            "workspace": session.workspace_id,
        }
        found = self._first_row(_OWN_CONVERSATION, "conversation", own)
        return found.turn_count, found.first_question

    def _end(self, turn: TurnIds, end: TurnEnd, began_at: datetime) -> None:
        now = self._now()
        searched = {name: end.trace[name] for name in _OF_SEARCH if name in end.trace}
        ended = row_of(end, TURNS) | {"partial_answer": "", "ended_at": now}
        ended["trace"] = {name: fact for name, fact in ended["trace"].items() if name not in searched}
        values = {f"new_{name}": ended[name] for name in _END_COLUMNS}
        self._connection.execute(_ENDED, values | {"turn": turn.id, "curated": end.curated_answer_id})
        self._connection.execute(_ACTIVE, {"conversation": turn.conversation_id, "now": now})
        if searched:
            self._connection.execute(_SEARCHED, {"turn_id": turn.id, "began_at": began_at, "trace": searched})
        if end.citations:
            pages = " ".join(sorted({page_key(citation.page) for citation in end.citations}))
            self._connection.execute(_CITED, {"turn_id": turn.id, "pages": pages} | row_of(end, CITATIONS))

    def _add_message(self, turn_id: UUID, role: Role, text: str) -> UUID:
        message_id = new_id()
        message = {"id": message_id, "turn_id": turn_id, "role": role.value, "text": text, "created_at": self._now()}
        self._connection.execute(_MESSAGE, message)
        return message_id

    def begin_summary(self, turn_id: UUID) -> bool:
        """Claim the summary of the conversation up to this turn. False if another caller already has."""
        return self._update(TURNS, TURNS.c.id == turn_id, TURNS.c.summary.is_(None), summary="") > 0

    def keep_summary(self, turn_id: UUID, text: str) -> None:
        self._update(TURNS, TURNS.c.id == turn_id, summary=text)

    def charge(self, agent_id: UUID, purpose: str, usage: TokenUsage) -> None:
        """Charge usage of the chat model outside of a turn to the agent's day."""
        self._charge(new_id(), agent_id, purpose, usage)

    def _charge(self, turn_id: UUID, agent_id: UUID, answered_by: str, usage: TokenUsage) -> None:
        of = {"turn_id": turn_id, "agent_id": agent_id, "answered_by": answered_by}
        row = {"created_at": self._now(), **of, **row_of(usage, USAGE)}
        charged = self._connection.execute(_usage(self._dialect), row)
        if usage.tokens and affected_rows(charged):
            day = {"agent_id": agent_id, "day": self._today(), "tokens": usage.tokens}
            self._connection.execute(_day(self._dialect), day)


@cache
def _begun(dialect: str) -> ReturningInsert[UUID]:
    return insert_of(dialect, TURNS).on_conflict_do_nothing().returning(TURNS.c.id)


@cache
def _usage(dialect: str) -> Insert:
    return insert_of(dialect, USAGE).on_conflict_do_nothing()


@cache
def _day(dialect: str) -> Insert:
    day = insert_of(dialect, AGENT_DAYS)
    more = {"tokens": AGENT_DAYS.c.tokens + day.excluded.tokens}
    return day.on_conflict_do_update(index_elements=["agent_id", "day"], set_=more)
