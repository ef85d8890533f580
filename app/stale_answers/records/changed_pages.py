"""Changed pages whose dependent answers are still to be checked, and the answers that were given from a page."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, or_, select

from app.conversations.conversation import Role
from app.core.turn import AnsweredBy, TurnState
from app.knowledge.document import VersionState
from app.sources.source import RunState
from app.stale_answers.stale_answer import PageChange, ToldAnswer
from app.store.tables.agents import AGENTS
from app.store.tables.conversations import MESSAGES
from app.store.tables.documents import DOCUMENT_VERSIONS, PAGE_CHANGES
from app.store.tables.sources import CRAWL_RUNS
from app.store.tables.turns import CITATIONS, TURNS
from app.store.transaction import Repository, affected_rows, value_of

_FROM_PAGES = (AnsweredBy.MODEL.value, AnsweredBy.EXTRACTIVE.value)
_AT_WORK = (RunState.QUEUED.value, RunState.RUNNING.value)
_IS_LIVE = DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value


class ChangedPageRecords(Repository):
    def due(self, at_most: int) -> list[PageChange]:
        """Of published agents without a running crawl, oldest first."""
        is_being_read = (
            select(CRAWL_RUNS.c.id)
            .where(CRAWL_RUNS.c.agent_id == AGENTS.c.id, CRAWL_RUNS.c.state.in_(_AT_WORK))
            .exists()
        )
        now_live = and_(DOCUMENT_VERSIONS.c.document_id == PAGE_CHANGES.c.document_id, _IS_LIVE)
        statement = (
            select(PAGE_CHANGES, AGENTS.c.workspace_id, DOCUMENT_VERSIONS.c.markdown)
            .join(AGENTS, AGENTS.c.id == PAGE_CHANGES.c.agent_id)
            .outerjoin(DOCUMENT_VERSIONS, now_live)
            .where(AGENTS.c.live_version.is_not(None), ~is_being_read)
            .order_by(PAGE_CHANGES.c.changed_at, PAGE_CHANGES.c.document_id)
            .limit(at_most)
        )
        return [value_of(PageChange, row, after=row.markdown or "") for row in self._connection.execute(statement)]

    def is_looked_at(self, change: PageChange) -> bool:
        """Remove it from the queue. False when it was not queued any more, or the page has changed again."""
        own = PAGE_CHANGES.c.document_id == change.document_id, PAGE_CHANGES.c.changed_at == change.changed_at
        return bool(affected_rows(self._connection.execute(delete(PAGE_CHANGES).where(*own))))


class ToldAnswerRecords(Repository):
    def citing(self, agent_id: UUID, url: str, since: datetime, at_most: int) -> list[ToldAnswer]:
        """Answers that cite the page or one of its sections, latest first."""
        statement = (
            select(TURNS.c.id, TURNS.c.language, TURNS.c.answered_by, CITATIONS.c.quote, MESSAGES.c.text)
            .join(CITATIONS, CITATIONS.c.turn_id == TURNS.c.id)
            .join(MESSAGES, (MESSAGES.c.turn_id == TURNS.c.id) & (MESSAGES.c.role == Role.AGENT.value))
            .where(
                TURNS.c.agent_id == agent_id,
                TURNS.c.created_at >= since,
                TURNS.c.state == TurnState.DONE.value,
                TURNS.c.answered_by.in_(_FROM_PAGES),
                _is_page(url),
            )
            .order_by(TURNS.c.created_at.desc(), TURNS.c.id, CITATIONS.c.number)
            .limit(at_most)
        )
        told: dict[UUID, dict[str, Any]] = {}
        for turn_id, language, answered_by, quote, answer in self._connection.execute(statement):
            is_free = answered_by == AnsweredBy.MODEL.value
            one = told.setdefault(turn_id, {"answer": answer, "language": language, "is_free": is_free, "quotes": []})
            if quote:
                one["quotes"].append(quote)
        return [ToldAnswer(turn_id, **{**one, "quotes": tuple(one["quotes"])}) for turn_id, one in told.items()]


def _is_page(url: str) -> ColumnElement[bool]:
    return or_(CITATIONS.c.url == url, CITATIONS.c.url.startswith(f"{url}#", autoescape=True))
