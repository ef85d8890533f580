"""Golden questions, and the runs in which they were asked."""

from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Index, Integer, String, and_, bindparam, select, text, update
from sqlalchemy.exc import IntegrityError

from app.core.chunk import content_hash
from app.core.errors import InvalidInput, NotFound
from app.core.list_page import ListPage, PageRequest
from app.core.turn import question_key
from app.quality.golden_question import GoldenOrigin, GoldenQuestion, GoldenRun
from app.store.schema import StorableJson, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.tables.agents import AGENTS, GOLDEN_QUESTIONS
from app.store.transaction import Keyset, Repository, Transaction, affected_rows, row_of, value_of
from app.turns.next_questions import WrittenQuestion

# `live` and `draft` are each version's results as JSON; None for a version that was not asked. `models` has the draft's
# with each chat model.
GOLDEN_RUNS = table(
    "golden_runs",
    own_id(),
    parent("agent_id", "agents"),
    column("asked_by", StorableText),
    column("asked_at", UtcDateTime),
    column("milliseconds", Integer),
    column("fingerprint", String(64)),
    column("generation", Integer),
    column("live_version", Integer, nullable=True),
    column("questions", Integer),
    column("asked", Integer),
    column("live", StorableJson, nullable=True),
    column("draft", StorableJson, nullable=True),
    column("goes_on_at", UtcDateTime, index=True, nullable=True),
    column("models", StorableJson, default=[], server_default=text("'[]'")),
    Index(None, "agent_id", "asked_at"),
)

_OF_ANSWER: Final = ("answer_contains", "answer_matches")
# Built once, because each answer that cites a page executes it.
_OF_AGENT: Final = (
    select(GOLDEN_QUESTIONS)
    .where(GOLDEN_QUESTIONS.c.agent_id == bindparam("agent"))
    .order_by(GOLDEN_QUESTIONS.c.created_at, GOLDEN_QUESTIONS.c.id)
)


def written_questions(tx: Transaction, agent_id: UUID) -> list[WrittenQuestion]:
    """Golden questions that may be shown to visitors, which excludes those taken from a visitor's question."""
    golden = GoldenQuestionRecords(tx).questions(agent_id)
    return [
        WrittenQuestion(one.question, one.page_keys)
        for one in golden
        if one.pages and one.origin is not GoldenOrigin.CONVERSATION
    ]


class GoldenQuestionRecords(Repository):
    """The caller has checked the workspace. An agent has each wording once, ignoring case and punctuation."""

    def questions(self, agent_id: UUID) -> list[GoldenQuestion]:
        return [value_of(GoldenQuestion, row) for row in self._connection.execute(_OF_AGENT, {"agent": agent_id})]

    def question(self, agent_id: UUID, golden_id: UUID) -> GoldenQuestion:
        """Raises NotFound."""
        return self._found(
            GoldenQuestion, select(GOLDEN_QUESTIONS).where(_by_id(agent_id, golden_id)), "golden question"
        )

    def put(self, golden: GoldenQuestion) -> GoldenQuestion:
        """Add it; if the agent has its wording, update the pages and language of that one, and its expected words if
        there are any, and keep its id."""
        if not self._exists(AGENTS, golden.agent_id):
            raise NotFound("agent")
        values = _values(golden)
        statement = self._insert(GOLDEN_QUESTIONS).values(
            id=golden.id,
            agent_id=golden.agent_id,
            wording=_wording(golden),
            origin=golden.origin.value,
            created_at=self._now(),
            **values,
        )
        upsert = statement.on_conflict_do_update(index_elements=["agent_id", "wording"], set_=_given_values(values))
        kept = self._connection.scalars(upsert.returning(GOLDEN_QUESTIONS.c.id)).one()
        return self.question(golden.agent_id, kept)

    def save(self, golden: GoldenQuestion) -> GoldenQuestion:
        """Raises NotFound, InvalidInput if another one of the agent has the wording."""
        try:
            changed = self._update(
                GOLDEN_QUESTIONS,
                _by_id(golden.agent_id, golden.id),
                wording=_wording(golden),
                **_values(golden),
            )
        except IntegrityError as error:
            raise InvalidInput("question", "This golden question already exists. Edit that one.") from error
        if not changed:
            raise NotFound("golden question")
        return self.question(golden.agent_id, golden.id)

    def delete(self, agent_id: UUID, golden_id: UUID) -> None:
        """Raises NotFound."""
        self._delete_one(GOLDEN_QUESTIONS, "golden question", _by_id(agent_id, golden_id))


def _by_id(agent_id: UUID, golden_id: UUID) -> ColumnElement[bool]:
    return and_(GOLDEN_QUESTIONS.c.id == golden_id, GOLDEN_QUESTIONS.c.agent_id == agent_id)


def _values(golden: GoldenQuestion) -> dict[str, Any]:
    return {
        "question": golden.question,
        "pages": list(golden.pages),
        "language": golden.language,
        **{name: list(getattr(golden, name)) for name in _OF_ANSWER},
    }


def _given_values(values: dict[str, Any]) -> dict[str, Any]:
    """`values` without empty expectations for the answer, so that the stored ones stay."""
    return {name: value for name, value in values.items() if value or name not in _OF_ANSWER}


def _wording(golden: GoldenQuestion) -> str:
    return content_hash(question_key(golden.question) or golden.question)


_LATEST_FIRST = Keyset(GOLDEN_RUNS.c.asked_at, GOLDEN_RUNS.c.id, descending=True)


class GoldenRunRecords(Repository):
    """The caller has checked the workspace."""

    def add(self, run: GoldenRun, keep: int) -> None:
        """Keeps the latest `keep` of the agent's runs."""
        self._add(GOLDEN_RUNS, run)
        of_agent = GOLDEN_RUNS.c.agent_id == run.agent_id
        latest = (
            select(GOLDEN_RUNS.c.id)
            .where(of_agent)
            .order_by(GOLDEN_RUNS.c.asked_at.desc(), GOLDEN_RUNS.c.id.desc())
            .limit(keep)
        )
        kept = list(self._connection.scalars(latest))
        self._delete(GOLDEN_RUNS, of_agent, GOLDEN_RUNS.c.id.not_in(kept))

    def page(self, agent_id: UUID, page: PageRequest) -> ListPage[GoldenRun]:
        """Latest first."""
        statement = select(GOLDEN_RUNS).where(GOLDEN_RUNS.c.agent_id == agent_id)
        return self._page(_LATEST_FIRST, GoldenRun, statement, page)

    def golden_run(self, agent_id: UUID, run_id: UUID) -> GoldenRun:
        """Raises NotFound."""
        statement = select(GOLDEN_RUNS).where(GOLDEN_RUNS.c.id == run_id, GOLDEN_RUNS.c.agent_id == agent_id)
        return self._found(GoldenRun, statement, "golden run")

    def take(self, now: datetime, until: datetime) -> tuple[UUID, GoldenRun] | None:
        """The run that has been due for longest, with its workspace's id; it is due again at `until`. None if none is
        due by `now`."""
        statement = (
            select(GOLDEN_RUNS, AGENTS.c.workspace_id)
            .join(AGENTS, AGENTS.c.id == GOLDEN_RUNS.c.agent_id)
            .where(GOLDEN_RUNS.c.goes_on_at <= now)
            .order_by(GOLDEN_RUNS.c.goes_on_at, GOLDEN_RUNS.c.asked_at, GOLDEN_RUNS.c.id)
            .limit(1)
            .with_for_update(of=GOLDEN_RUNS, skip_locked=True)
        )
        found = self._connection.execute(statement).first()
        if found is None:
            return None
        taken = update(GOLDEN_RUNS).where(GOLDEN_RUNS.c.id == found.id, GOLDEN_RUNS.c.goes_on_at == found.goes_on_at)
        if affected_rows(self._connection.execute(taken.values(goes_on_at=until))) == 0:
            return None  # another worker was faster
        return found.workspace_id, replace(value_of(GoldenRun, found), goes_on_at=until)

    def is_another_due(self, run_id: UUID, now: datetime) -> bool:
        due = select(GOLDEN_RUNS.c.id).where(GOLDEN_RUNS.c.id != run_id, GOLDEN_RUNS.c.goes_on_at <= now).limit(1)
        return self._connection.scalar(due) is not None

    def save(self, run: GoldenRun) -> bool:
        """Store its current result; False if the run no longer exists."""
        statement = update(GOLDEN_RUNS).where(GOLDEN_RUNS.c.id == run.id).values(**row_of(run, GOLDEN_RUNS))
        return affected_rows(self._connection.execute(statement)) == 1

    def latest(self, agent_id: UUID, fingerprint: str) -> GoldenRun | None:
        statement = (
            select(GOLDEN_RUNS)
            .where(GOLDEN_RUNS.c.agent_id == agent_id, GOLDEN_RUNS.c.fingerprint == fingerprint)
            .order_by(GOLDEN_RUNS.c.asked_at.desc(), GOLDEN_RUNS.c.id.desc())
            .limit(1)
        )
        return self._value(GoldenRun, statement)
