"""Golden questions."""

from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, and_, bindparam, delete, select, update
from sqlalchemy.exc import IntegrityError

from app.core.chunk import content_hash
from app.core.errors import InvalidInput, NotFound
from app.core.turn import question_key
from app.quality.golden_question import GoldenOrigin, GoldenQuestion
from app.store.tables.agents import AGENTS
from app.store.tables.golden import GOLDEN_QUESTIONS
from app.store.transaction import Repository, Transaction, affected_rows, value_of
from app.turns.question_candidates import WrittenQuestion

_OF_ANSWER: Final = ("answer_contains", "answer_matches")
# Asked with each answer that cites a page, so it is made once.
_OF_AGENT: Final = (
    select(GOLDEN_QUESTIONS)
    .where(GOLDEN_QUESTIONS.c.agent_id == bindparam("agent"))
    .order_by(GOLDEN_QUESTIONS.c.created_at, GOLDEN_QUESTIONS.c.id)
)


def written_questions(tx: Transaction, agent_id: UUID) -> list[WrittenQuestion]:
    """Golden questions that may be shown to visitors: those taken from what one of them asked are nobody else's."""
    golden = GoldenQuestionRecords(tx).of_agent(agent_id)
    return [
        WrittenQuestion(one.question, one.page_keys)
        for one in golden
        if one.pages and one.origin is not GoldenOrigin.CONVERSATION
    ]


class GoldenQuestionRecords(Repository):
    """The caller has checked the workspace. An agent has each wording once, whatever its case and punctuation."""

    def of_agent(self, agent_id: UUID) -> list[GoldenQuestion]:
        """Oldest first."""
        return [value_of(GoldenQuestion, row) for row in self._connection.execute(_OF_AGENT, {"agent": agent_id})]

    def get(self, agent_id: UUID, golden_id: UUID) -> GoldenQuestion:
        """Raises NotFound."""
        return self._found(GoldenQuestion, select(GOLDEN_QUESTIONS).where(_is(agent_id, golden_id)), "golden question")

    def put(self, golden: GoldenQuestion) -> GoldenQuestion:
        """Add it; where the agent has its wording, that one gets its pages and language instead, and what it says of
        the answer where it says something, and keeps its id."""
        if not self._exists(AGENTS, golden.agent_id):
            raise NotFound("agent")
        told = _told(golden)
        statement = self._insert(GOLDEN_QUESTIONS).values(
            id=golden.id,
            agent_id=golden.agent_id,
            wording=_wording(golden),
            origin=golden.origin.value,
            created_at=self._now(),
            **told,
        )
        upsert = statement.on_conflict_do_update(index_elements=["agent_id", "wording"], set_=_said_of(told))
        kept = self._connection.scalars(upsert.returning(GOLDEN_QUESTIONS.c.id)).one()
        return self.get(golden.agent_id, kept)

    def save(self, golden: GoldenQuestion) -> GoldenQuestion:
        """Raises NotFound, InvalidInput where another one of the agent has the wording."""
        try:
            changed = self._connection.execute(
                update(GOLDEN_QUESTIONS)
                .where(_is(golden.agent_id, golden.id))
                .values(wording=_wording(golden), **_told(golden))
            )
        except IntegrityError as error:
            raise InvalidInput("question", "Another golden question asks this already. Change that one.") from error
        if not affected_rows(changed):
            raise NotFound("golden question")
        return self.get(golden.agent_id, golden.id)

    def delete(self, agent_id: UUID, golden_id: UUID) -> None:
        """Raises NotFound."""
        gone = self._connection.execute(delete(GOLDEN_QUESTIONS).where(_is(agent_id, golden_id)))
        if not affected_rows(gone):
            raise NotFound("golden question")


def _is(agent_id: UUID, golden_id: UUID) -> ColumnElement[bool]:
    return and_(GOLDEN_QUESTIONS.c.id == golden_id, GOLDEN_QUESTIONS.c.agent_id == agent_id)


def _told(golden: GoldenQuestion) -> dict[str, Any]:
    return {
        "question": golden.question,
        "pages": list(golden.pages),
        "language": golden.language,
        **{name: list(getattr(golden, name)) for name in _OF_ANSWER},
    }


def _said_of(told: dict[str, Any]) -> dict[str, Any]:
    """Without what it does not say of the answer: that of the stored one stays."""
    return {name: value for name, value in told.items() if value or name not in _OF_ANSWER}


def _wording(golden: GoldenQuestion) -> str:
    return content_hash(question_key(golden.question) or golden.question)
