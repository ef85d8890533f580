"""Stale answers, and the turns in which they were given; and changed pages whose answers are still to be checked."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, and_, case, func, select

from app.conversations.conversation import Role
from app.conversations.records.stored_turns import citations_of
from app.core.chunk import content_hash
from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.core.personal_data import masked
from app.core.text.words import folded_words
from app.core.turn import AnsweredBy, TurnState
from app.knowledge.document import VersionState
from app.sources.runs.records.crawl_runs import IS_BEING_READ
from app.stale_answers.stale_answer import (
    Finding,
    PageChange,
    PastAnswer,
    StaleAnswer,
    StaleFilter,
    StaleState,
    StaleSubject,
    StaleTurn,
)
from app.store.schema import page_key
from app.store.tables.agents import AGENTS, CURATED_ANSWERS, GOLDEN_QUESTIONS, own_row
from app.store.tables.conversations import CITATIONS, MESSAGES, TURNS
from app.store.tables.gaps import STALE_ANSWERS, STALE_TELLINGS
from app.store.tables.knowledge import DOCUMENT_VERSIONS, PAGE_CHANGES
from app.store.transaction import Keyset, Repository, insert_of, new_id, value_of

_LATEST_FIRST = Keyset(STALE_ANSWERS.c.found_at, STALE_ANSWERS.c.id, descending=True)
_question, _answer = (MESSAGES.alias(name) for name in ("stale_question", "stale_answer"))


class StaleAnswerRecords(Repository):
    """Callers check the workspace of an `agent_id` first."""

    def keep(self, change: PageChange, finding: Finding) -> bool:
        """Add the finding, or update its stored stale answer; return whether that is newly open. A dismissed one stays
        dismissed, a settled one is reopened. Nothing is added if every turn that gave the answer has been erased
        meanwhile."""
        there = self._lock_turns(finding.turn_ids)  # before anything else, as when turns are erased
        if finding.subject is StaleSubject.ANSWER and not there:
            return False
        key = _key(change, finding)
        known = self._connection.execute(
            select(STALE_ANSWERS.c.id, STALE_ANSWERS.c.state).where(
                STALE_ANSWERS.c.agent_id == change.agent_id, STALE_ANSWERS.c.key == key
            )
        ).first()
        found: dict[str, Any] = {
            "kind": finding.kind.value,
            "title": change.title,
            "new_words": finding.new_words,
            "new_answer": None if finding.repeated_turn else finding.new_answer,
            "found_at": self._now(),
        }
        if known is None:
            stale_id = new_id()
            own = {"id": stale_id, "agent_id": change.agent_id, "key": key, "state": StaleState.OPEN.value}
            self._add(STALE_ANSWERS, finding, **own, url=change.url, **found)
        else:
            stale_id = known.id
            is_dismissed = STALE_ANSWERS.c.state == StaleState.DISMISSED.value
            state = case((is_dismissed, STALE_ANSWERS.c.state), else_=StaleState.OPEN.value)
            self._update(STALE_ANSWERS, STALE_ANSWERS.c.id == stale_id, state=state, **found)
        self._add_turns(stale_id, finding, there)
        return known is None or known.state == StaleState.SETTLED.value

    def _lock_turns(self, turn_ids: Sequence[UUID]) -> set[UUID]:
        """The ids of those that still exist."""
        if not turn_ids:
            return set()
        kept = select(TURNS.c.id).where(TURNS.c.id.in_(turn_ids)).order_by(TURNS.c.id).with_for_update(read=True)
        return set(self._connection.scalars(kept))

    def _add_turns(self, stale_id: UUID, finding: Finding, there: set[UUID]) -> None:
        rows = [
            {
                "stale_answer_id": stale_id,
                "turn_id": turn_id,
                "new_answer": finding.new_answer if turn_id == finding.repeated_turn else None,
            }
            for turn_id in finding.turn_ids
            if turn_id in there
        ]
        if not rows:
            return
        insert = insert_of(self._dialect, STALE_TELLINGS)
        again = {"new_answer": func.coalesce(insert.excluded.new_answer, STALE_TELLINGS.c.new_answer)}
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=["stale_answer_id", "turn_id"], set_=again), rows
        )

    def open_of_page(self, agent_id: UUID, url: str) -> list[tuple[UUID, StaleSubject, str]]:
        """The id, subject and old words of each open stale answer of the page."""
        columns = (STALE_ANSWERS.c.id, STALE_ANSWERS.c.subject, STALE_ANSWERS.c.old_words)
        statement = select(*columns).where(
            STALE_ANSWERS.c.agent_id == agent_id,
            STALE_ANSWERS.c.state == StaleState.OPEN.value,
            STALE_ANSWERS.c.url == url,
        )
        return [(stale_id, StaleSubject(subject), words) for stale_id, subject, words in self._rows(statement)]

    def open_count(self, agent_id: UUID) -> int:
        statement = select(func.count()).where(
            STALE_ANSWERS.c.agent_id == agent_id, STALE_ANSWERS.c.state == StaleState.OPEN.value
        )
        return self._connection.scalar(statement) or 0

    def page(self, agent_id: UUID, only: StaleFilter, page: PageRequest) -> ListPage[StaleAnswer]:
        """Latest found first."""
        statement = select(STALE_ANSWERS).where(STALE_ANSWERS.c.agent_id == agent_id)
        for name in ("state", "kind", "subject"):
            wanted = getattr(only, name)
            if wanted is not None:
                statement = statement.where(STALE_ANSWERS.c[name] == wanted.value)
        found = _LATEST_FIRST.page(self._connection, statement, page, lambda row: row)
        return ListPage(self._whole(found.items), found.next_cursor)

    def stale_answer(self, workspace_id: UUID, stale_id: UUID) -> StaleAnswer:
        """Raises NotFound, also for another workspace's."""
        rows = self._connection.execute(own_row(STALE_ANSWERS, workspace_id, stale_id)).all()
        if not rows:
            raise NotFound("stale answer")
        return self._whole(rows)[0]

    def latest_turns(self, stale_id: UUID, at_most: int) -> list[StaleTurn]:
        """The turns that gave the old answer from pages, latest first."""
        statement = (
            select(TURNS.c.id.label("turn_id"), TURNS.c.conversation_id, _question.c.text.label("question"))
            .add_columns(TURNS.c.created_at.label("answered_at"))
            .join(STALE_TELLINGS, STALE_TELLINGS.c.turn_id == TURNS.c.id)
            .join(_question, and_(_question.c.turn_id == TURNS.c.id, _question.c.role == Role.VISITOR.value))
            .where(STALE_TELLINGS.c.stale_answer_id == stale_id)
            .order_by(TURNS.c.created_at.desc(), TURNS.c.id)
            .limit(at_most)
        )
        return [value_of(StaleTurn, row, question=masked(row.question)) for row in self._connection.execute(statement)]

    def set_state(self, stale_ids: Sequence[UUID], state: StaleState) -> None:
        self._update(STALE_ANSWERS, STALE_ANSWERS.c.id.in_(stale_ids), state=state.value)

    def _whole(self, rows: Sequence[Row[Any]]) -> list[StaleAnswer]:
        """The values with their question and their counts of turns, conversations and visitors."""
        ids = [row.id for row in rows]
        counts = self._counts_of_answers(ids) | self._counts_of_curated(rows)
        latest = self._latest(ids)
        own = self._operators_own(rows)
        whole: list[StaleAnswer] = []
        for row in rows:
            turns, conversations, visitors = counts.get(row.id, (0, 0, 0))
            question, old_answer, new_answer = latest.get(row.id) or (*own.get(row.id, ("", "")), row.new_answer)
            texts = {"question": masked(question), "old_answer": old_answer, "new_answer": new_answer}
            whole.append(
                value_of(StaleAnswer, row, **texts, turns=turns, conversations=conversations, visitors=visitors)
            )
        return whole

    def _counts_of_answers(self, ids: Sequence[UUID]) -> dict[UUID, tuple[int, int, int]]:
        statement = (
            select(STALE_TELLINGS.c.stale_answer_id, *_COUNTS)
            .join(TURNS, TURNS.c.id == STALE_TELLINGS.c.turn_id)
            .where(STALE_TELLINGS.c.stale_answer_id.in_(ids))
            .group_by(STALE_TELLINGS.c.stale_answer_id)
        )
        return {stale_id: (turns, talks, people) for stale_id, turns, talks, people in self._rows(statement)}

    def _counts_of_curated(self, rows: Sequence[Row[Any]]) -> dict[UUID, tuple[int, int, int]]:
        curated = [row.curated_answer_id for row in rows if row.curated_answer_id is not None]
        statement = (
            select(TURNS.c.curated_answer_id, *_COUNTS)
            .where(TURNS.c.curated_answer_id.in_(curated))
            .group_by(TURNS.c.curated_answer_id)
        )
        counts = {answer_id: (turns, talks, people) for answer_id, turns, talks, people in self._rows(statement)}
        return {row.id: counts[row.curated_answer_id] for row in rows if row.curated_answer_id in counts}

    def _latest(self, ids: Sequence[UUID]) -> dict[UUID, tuple[str, str, str | None]]:
        """Question, answer and new answer of the latest turn that was asked again, else of the latest turn."""
        is_repeated = STALE_TELLINGS.c.new_answer.is_not(None)
        order = (is_repeated.desc(), TURNS.c.created_at.desc(), TURNS.c.id)
        place = func.row_number().over(partition_by=STALE_TELLINGS.c.stale_answer_id, order_by=order)
        turns = (
            select(STALE_TELLINGS, place.label("place"))
            .join(TURNS, TURNS.c.id == STALE_TELLINGS.c.turn_id)
            .where(STALE_TELLINGS.c.stale_answer_id.in_(ids))
            .subquery()
        )
        statement = (
            select(turns.c.stale_answer_id, _question.c.text, _answer.c.text, turns.c.new_answer)
            .join(_question, and_(_question.c.turn_id == turns.c.turn_id, _question.c.role == Role.VISITOR.value))
            .join(_answer, and_(_answer.c.turn_id == turns.c.turn_id, _answer.c.role == Role.AGENT.value))
            .where(turns.c.place == 1)
        )
        return {stale_id: (question, old, new) for stale_id, question, old, new in self._rows(statement)}

    def _operators_own(self, rows: Sequence[Row[Any]]) -> Mapping[UUID, tuple[str, str]]:
        """Question and answer of curated answers and golden questions."""
        statement = (
            select(STALE_ANSWERS.c.id, CURATED_ANSWERS.c.pattern, CURATED_ANSWERS.c.answer, GOLDEN_QUESTIONS.c.question)
            .outerjoin(CURATED_ANSWERS, CURATED_ANSWERS.c.id == STALE_ANSWERS.c.curated_answer_id)
            .outerjoin(GOLDEN_QUESTIONS, GOLDEN_QUESTIONS.c.id == STALE_ANSWERS.c.golden_question_id)
            .where(STALE_ANSWERS.c.id.in_([row.id for row in rows if row.subject != StaleSubject.ANSWER.value]))
        )
        return {
            stale_id: (pattern or question or "", answer or "")
            for stale_id, pattern, answer, question in self._rows(statement)
        }

    def _rows(self, statement: Any) -> Sequence[Any]:
        return self._connection.execute(statement).all()


_COUNTS = (func.count(), func.count(TURNS.c.conversation_id.distinct()), func.count(TURNS.c.visitor_id.distinct()))


def _key(change: PageChange, finding: Finding) -> str:
    whose = finding.curated_answer_id or finding.golden_question_id or ""
    identity = f"{finding.subject.value}\n{whose}\n{change.url}\n{' '.join(folded_words(finding.old_words))}"
    return content_hash(identity)


_FROM_PAGES = (AnsweredBy.MODEL.value, AnsweredBy.EXTRACTIVE.value)
_IS_LIVE = DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value


class ChangedPageRecords(Repository):
    def due(self, at_most: int) -> list[PageChange]:
        """Changes to pages of published agents without a running crawl, oldest first."""
        now_live = and_(DOCUMENT_VERSIONS.c.document_id == PAGE_CHANGES.c.document_id, _IS_LIVE)
        statement = (
            select(PAGE_CHANGES, AGENTS.c.workspace_id, DOCUMENT_VERSIONS.c.markdown)
            .join(AGENTS, AGENTS.c.id == PAGE_CHANGES.c.agent_id)
            .outerjoin(DOCUMENT_VERSIONS, now_live)
            .where(AGENTS.c.live_version.is_not(None), ~IS_BEING_READ)
            .order_by(PAGE_CHANGES.c.changed_at, PAGE_CHANGES.c.document_id)
            .limit(at_most)
        )
        return [value_of(PageChange, row, after=row.markdown or "") for row in self._connection.execute(statement)]

    def is_looked_at(self, change: PageChange) -> bool:
        """Remove it from the queue. False when it was not queued any more, or the page has changed again."""
        own = PAGE_CHANGES.c.document_id == change.document_id, PAGE_CHANGES.c.changed_at == change.changed_at
        return bool(self._delete(PAGE_CHANGES, *own))


class PastAnswerRecords(Repository):
    def citing(self, agent_id: UUID, url: str, since: datetime, at_most: int) -> list[PastAnswer]:
        """Answers that cite the page or one of its sections, latest first."""
        statement = (
            select(TURNS.c.id, TURNS.c.language, TURNS.c.answered_by, MESSAGES.c.text, CITATIONS.c.citations)
            .join(CITATIONS, CITATIONS.c.turn_id == TURNS.c.id)
            .join(MESSAGES, (MESSAGES.c.turn_id == TURNS.c.id) & (MESSAGES.c.role == Role.AGENT.value))
            .where(
                TURNS.c.agent_id == agent_id,
                TURNS.c.created_at >= since,
                TURNS.c.state == TurnState.DONE.value,
                TURNS.c.answered_by.in_(_FROM_PAGES),
                CITATIONS.c.pages.contains(page_key(url)),
            )
            .order_by(TURNS.c.created_at.desc(), TURNS.c.id)
            .limit(at_most)
        )
        answers = []
        for row in self._connection.execute(statement):
            cited = [citation for citation in citations_of(row) if citation.page == url]
            if cited:  # another page may have the same key
                quotes = tuple(citation.quote for citation in cited if citation.quote)
                is_free = row.answered_by == AnsweredBy.MODEL.value
                answers.append(PastAnswer(row.id, row.text, row.language, is_free, quotes))
        return answers
