"""Turns, from the question's commit to the receipt."""

from collections.abc import Collection, Mapping
from typing import cast
from uuid import UUID

from sqlalchemy import Table, bindparam, delete, select, update

from app.domain.conversation import Role
from app.domain.errors import InvalidInput, NotFound, TurnConflict, TurnInProgress
from app.domain.gap import GapReason
from app.domain.turn import AnsweredBy, TokenUsage, TurnEnd, TurnRequest, TurnState, VisitorSession
from app.store.gap_counting import GapCounting
from app.store.models import (
    AgentDayRow,
    AgentRow,
    CitationRow,
    ConversationRow,
    CuratedAnswerRow,
    FeedbackRow,
    GapQuestionRow,
    MessageRow,
    TurnRow,
    UsageRow,
)
from app.store.outbox import Outbox
from app.store.stored_turns import StoredTurnRecords, ids_of
from app.store.time_ordered_id import new_id
from app.store.transaction import Repository, affected_rows

_RUNNING = TurnState.RUNNING.value
_CUT = TurnState.CUT.value
_RATINGS = ("up", "down")
_TURNS = cast(Table, TurnRow.__table__)
_MESSAGES = cast(Table, MessageRow.__table__)
# On the table and not on its class, whose bulk updates know rows by their keys alone.
_CHECKPOINT = (
    update(_TURNS)
    .where(_TURNS.c.id == bindparam("turn"), _TURNS.c.state == _RUNNING)
    .values(partial_answer=bindparam("text"))
)
_CUT_TURNS = select(_TURNS.c.id).where(_TURNS.c.id == bindparam("turn"), _TURNS.c.state == _CUT)
# Of an owner that was only silent, and writes on.
_CHECKPOINT_OF_CUT = (
    update(_MESSAGES)
    .where(_MESSAGES.c.turn_id == _CUT_TURNS.scalar_subquery(), _MESSAGES.c.role == Role.AGENT.value)
    .values(text=bindparam("text"))
)


class TurnRecords(Repository):
    """What a turn changes. Reading turns, counting gaps and what was stopped have a repository each."""

    async def begin(self, session: VisitorSession, request: TurnRequest, agent_version: int, owner: str) -> None:
        """Store question and turn, `running`, owned by the process named `owner`.

        Raises TurnConflict when the id is taken, TurnInProgress when the conversation has a running turn, NotFound
        when the conversation is not this visitor's or was cleared.
        """
        now = self._now()
        conversation = await self._own_conversation(session)
        position = conversation.turn_count + 1
        statement = self._insert(TurnRow).values(
            id=request.turn_id,
            conversation_id=session.conversation_id,
            visitor_id=session.visitor_id,
            agent_id=session.agent_id,
            agent_version=agent_version,
            position=position,
            page_url=request.page_url,
            fingerprint=request.fingerprint,
            state=_RUNNING,
            owner=owner,
            partial_answer="",
            low_confidence=False,
            duration_ms=0,
            trace={},
            created_at=now,
        )
        # Two constraints may refuse the row: the id, and the index on running turns.
        begun = await self._session.execute(statement.on_conflict_do_nothing().returning(TurnRow.id))
        if begun.one_or_none() is None:
            if await self._session.scalar(select(TurnRow.id).where(TurnRow.id == request.turn_id)):
                raise TurnConflict("This turn id was used before. Send each question under an id of its own.")
            raise TurnInProgress("The last question is still being answered. Wait for the answer or stop it.")
        await self._add_message(request.turn_id, Role.VISITOR, request.message)
        await self._session.execute(
            update(ConversationRow)
            .where(ConversationRow.id == conversation.id)
            .values(
                turn_count=position,
                first_question=request.message if position == 1 else conversation.first_question,
                last_active_at=now,
            )
        )

    async def checkpoint(self, texts: Mapping[UUID, str]) -> None:
        """Keep the texts so far of turns that are still running, or that were cut while their owner was silent."""
        if not texts:
            return
        rows = [{"turn": turn_id, "text": text} for turn_id, text in texts.items()]
        kept = affected_rows(await self._session.execute(_CHECKPOINT, rows))
        if kept < len(rows):
            await self._session.execute(_CHECKPOINT_OF_CUT, rows)

    async def finish(self, turn_id: UUID, end: TurnEnd) -> UUID:
        """Store the end: answer message, citations, usage, and what follows from it (`on_turn_end`). Returns the
        message's id. A turn that has already ended keeps its first end and returns that message's id; only a cut is no
        end: its owner lives after all, and what it says takes the cut's place. Raises NotFound for a turn that was
        erased."""
        turn = await self._session.get(TurnRow, turn_id, with_for_update=True)
        if turn is None:
            raise NotFound("turn")
        if turn.state not in (_RUNNING, _CUT):
            return await StoredTurnRecords(self._tx).answer_id(turn_id)
        if turn.state == _CUT:
            await self._take_back_cut(turn_id)
        await self._end(turn, end)
        message_id = await self._add_message(turn_id, Role.AGENT, end.answer)
        await self._cite(turn_id, end)
        await self._charge(turn_id, turn.agent_id, end.answered_by.value, end.usage)
        for listener in self._tx.on_turn_end:
            await listener(self._tx, ids_of(turn), end)
        return message_id

    async def cut_orphans(self, living_owners: Collection[str]) -> int:
        """Running turns of any other owner become `cut`; return how many."""
        orphans = (
            select(TurnRow)
            .where(TurnRow.state == _RUNNING, TurnRow.owner.not_in(list(living_owners)))
            .with_for_update()
        )
        turns = (await self._session.scalars(orphans)).all()
        for turn in turns:
            await self._session.execute(
                update(TurnRow).where(TurnRow.id == turn.id).values(state=_CUT, partial_answer="", ended_at=self._now())
            )
            await self._add_message(turn.id, Role.AGENT, turn.partial_answer)
            await self._charge(turn.id, turn.agent_id, "", TokenUsage())  # what it cost died with its process
            await Outbox(self._tx).announce(ids_of(turn), f"turn.{_CUT}")
        return len(turns)

    async def _take_back_cut(self, turn_id: UUID) -> None:
        """Its owner lives after all, and knows more."""
        await self._session.execute(
            delete(MessageRow).where(MessageRow.turn_id == turn_id, MessageRow.role == Role.AGENT.value)
        )
        await self._session.execute(delete(UsageRow).where(UsageRow.turn_id == turn_id))

    async def feedback(self, session: VisitorSession, turn_id: UUID, rating: str, comment: str) -> None:
        """One rating ("up" or "down") a turn; a later one replaces it. A first thumbs down also counts as a gap,
        unless the turn has counted as one before.
        Raises NotFound for a turn that is not this conversation's."""
        if rating not in _RATINGS:
            raise InvalidInput("rating", 'must be "up" or "down".')
        own = (
            select(TurnRow)
            .where(
                TurnRow.id == turn_id,
                TurnRow.conversation_id == session.conversation_id,
                TurnRow.visitor_id == session.visitor_id,
                TurnRow.agent_id == session.agent_id,
            )
            .with_for_update()
        )
        turn = await self._session.scalar(own)
        if turn is None:
            raise NotFound("turn")
        now = self._now()
        first = self._insert(FeedbackRow).values(
            id=new_id(),
            turn_id=turn_id,
            agent_id=turn.agent_id,
            rating=rating,
            comment=comment,
            created_at=now,
            updated_at=now,
        )
        await self._session.execute(
            first.on_conflict_do_update(
                index_elements=["turn_id"], set_={"rating": rating, "comment": comment, "updated_at": now}
            )
        )
        if rating == "down" and turn.answered_by not in (AnsweredBy.HANDOFF.value, AnsweredBy.SMALL_TALK.value):
            await GapCounting(self._tx).see(ids_of(turn), GapReason.THUMBS_DOWN)

    async def flag(self, turn_id: UUID) -> UUID | None:
        """The turn's question counts as a gap on an operator's word, unless it has counted as one before; return the
        gap's id, None for a question without words. Raises NotFound."""
        turn = await self._session.scalar(select(TurnRow).where(TurnRow.id == turn_id).with_for_update())
        if turn is None:
            raise NotFound("turn")
        question = await StoredTurnRecords(self._tx).question(turn_id)
        await GapCounting(self._tx).count_gap(turn.agent_id, turn_id, question, GapReason.FLAGGED)
        return await self._session.scalar(select(GapQuestionRow.gap_id).where(GapQuestionRow.turn_id == turn_id))

    async def _own_conversation(self, session: VisitorSession) -> ConversationRow:
        """Locked, so that two who begin at once wait for each other."""
        own = (
            select(ConversationRow)
            .join(AgentRow, AgentRow.id == ConversationRow.agent_id)
            .where(
                ConversationRow.id == session.conversation_id,
                ConversationRow.visitor_id == session.visitor_id,
                ConversationRow.agent_id == session.agent_id,
                ConversationRow.cleared_at.is_(None),
                AgentRow.workspace_id == session.workspace_id,
            )
            .with_for_update(of=ConversationRow)
        )
        conversation = await self._session.scalar(own)
        if conversation is None:
            raise NotFound("conversation")
        return conversation

    async def _end(self, turn: TurnRow, end: TurnEnd) -> None:
        now = self._now()
        curated = select(CuratedAnswerRow.id).where(CuratedAnswerRow.id == end.curated_answer_id)
        await self._session.execute(
            update(TurnRow)
            .where(TurnRow.id == turn.id)
            .values(
                state=end.state.value,
                partial_answer="",
                answered_by=end.answered_by.value,
                confidence=end.confidence,
                low_confidence=end.low_confidence,
                finish=end.finish.value,
                error_code=end.error_code,
                language=end.language,
                curated_answer_id=curated.scalar_subquery(),  # NULL when it was deleted meanwhile
                first_token_ms=end.first_token_ms,
                duration_ms=end.duration_ms,
                trace=end.trace,
                ended_at=now,
            )
        )
        await self._session.execute(
            update(ConversationRow).where(ConversationRow.id == turn.conversation_id).values(last_active_at=now)
        )

    async def _add_message(self, turn_id: UUID, role: Role, text: str) -> UUID:
        message_id = new_id()
        await self._session.execute(
            self._insert(MessageRow).values(
                id=message_id, turn_id=turn_id, role=role.value, text=text, created_at=self._now()
            )
        )
        return message_id

    async def _cite(self, turn_id: UUID, end: TurnEnd) -> None:
        rows = [
            {
                "id": new_id(),
                "turn_id": turn_id,
                "number": citation.id,
                "url": citation.url,
                "title": citation.title,
                "as_of": citation.as_of,
                "chunk_id": citation.chunk_id,
                "quote": citation.quote,
            }
            for citation in end.citations
        ]
        if rows:
            await self._session.execute(self._insert(CitationRow), rows)

    async def charge(self, agent_id: UUID, purpose: str, usage: TokenUsage) -> None:
        """Count what the chat model cost beside a turn; it belongs to the agent's day like a turn's."""
        await self._charge(new_id(), agent_id, purpose, usage)

    async def _charge(self, turn_id: UUID, agent_id: UUID, answered_by: str, usage: TokenUsage) -> None:
        statement = self._insert(UsageRow).values(
            id=new_id(),
            turn_id=turn_id,
            agent_id=agent_id,
            answered_by=answered_by,
            model=usage.model,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cached_tokens=usage.cached_tokens,
            created_at=self._now(),
        )
        charged = await self._session.execute(statement.on_conflict_do_nothing())
        if usage.tokens and affected_rows(charged):
            day = self._insert(AgentDayRow).values(agent_id=agent_id, day=self._today(), tokens=usage.tokens)
            more = {"tokens": AgentDayRow.tokens + usage.tokens}
            await self._session.execute(day.on_conflict_do_update(index_elements=["agent_id", "day"], set_=more))
