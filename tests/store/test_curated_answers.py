"""Answers that operators wrote."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from app.agents.agent import Agent, AgentConfig
from app.agents.records import AgentRecords
from app.answers.curated.curated_answer import CuratedAnswer, Trigger, with_changes, written_of
from app.answers.curated.records import KEPT_EDITS, CuratedAnswerRecords, CuratedEditRecords
from app.core.errors import NotFound
from app.store.system_of_record import SystemOfRecord
from app.store.transaction import Transaction
from tests.store.sample_rows import an_id


def an_answer(agent_id: UUID, pattern: str = "refund") -> CuratedAnswer:
    return CuratedAnswer(
        id=an_id(),
        agent_id=agent_id,
        trigger=Trigger.PHRASE,
        pattern=pattern,
        answer="Within 30 days.",
        priority=3,
        language="en",
        page_prefix="/pricing",
        expires_at=datetime(2027, 1, 1, tzinfo=UTC),
    )


async def test_an_answer_is_read_back_as_it_was_written(record: SystemOfRecord, agent: Agent) -> None:
    answer = an_answer(agent.id)
    with record.writing() as tx:
        assert CuratedAnswerRecords(tx).create(answer) == answer
    with record.reading() as tx:
        assert CuratedAnswerRecords(tx).answer(agent.id, answer.id) == answer


async def test_answers_come_oldest_first(record: SystemOfRecord, agent: Agent) -> None:
    with record.writing() as tx:
        first = CuratedAnswerRecords(tx).create(an_answer(agent.id, "a"))
        assert CuratedAnswerRecords(tx).answers(agent.id) == [first]
        assert CuratedAnswerRecords(tx).answers(an_id()) == []


async def test_a_saved_answer_keeps_the_hits_it_has(record: SystemOfRecord, agent: Agent) -> None:
    answer = replace(an_answer(agent.id), hits=4)
    with record.writing() as tx:
        CuratedAnswerRecords(tx).create(answer)
        saved = CuratedAnswerRecords(tx).save(replace(answer, answer="Never.", expires_at=None, hits=0))
    assert saved == replace(answer, answer="Never.", expires_at=None)


async def test_a_deleted_answer_is_gone(record: SystemOfRecord, agent: Agent) -> None:
    answer = an_answer(agent.id)
    with record.writing() as tx:
        CuratedAnswerRecords(tx).create(answer)
        CuratedAnswerRecords(tx).delete(agent.id, answer.id)
        assert CuratedAnswerRecords(tx).answers(agent.id) == []


async def test_edits_are_kept_latest_first_and_go_with_their_answer(record: SystemOfRecord, agent: Agent) -> None:
    answer = an_answer(agent.id)
    with record.writing() as tx:
        CuratedAnswerRecords(tx).create(answer)
        CuratedEditRecords(tx).keep(answer, "ann@example.com")
        CuratedEditRecords(tx).keep(answer, "bob@example.com")  # who changed nothing
        CuratedEditRecords(tx).keep(replace(answer, is_on=False, answer="Never."), "bob@example.com")
        first, second = reversed(with_changes(CuratedEditRecords(tx).of_answer(answer.id)))
        assert (first.number, first.author, first.changed) == (1, "ann@example.com", ())
        assert written_of(first.answer) == written_of(answer)
        assert (second.number, second.author, second.changed) == (2, "bob@example.com", ("is_on", "answer"))
        CuratedAnswerRecords(tx).delete(agent.id, answer.id)
        assert CuratedEditRecords(tx).of_answer(answer.id) == []


async def test_the_oldest_edits_are_let_go(record: SystemOfRecord, agent: Agent) -> None:
    answer = an_answer(agent.id)
    with record.writing() as tx:
        CuratedAnswerRecords(tx).create(answer)
        for priority in range(KEPT_EDITS + 2):
            CuratedEditRecords(tx).keep(replace(answer, priority=priority), "ann@example.com")
        numbers = [edit.number for edit in CuratedEditRecords(tx).of_answer(answer.id)]
    assert numbers == list(range(KEPT_EDITS + 2, 2, -1))


async def test_an_answer_needs_an_agent(record: SystemOfRecord) -> None:
    with pytest.raises(NotFound, match="agent"), record.writing() as tx:
        CuratedAnswerRecords(tx).create(an_answer(an_id()))


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda tx, answer: CuratedAnswerRecords(tx).answer(answer.agent_id, answer.id), id="get"),
        pytest.param(lambda tx, answer: CuratedAnswerRecords(tx).save(answer), id="save"),
        pytest.param(lambda tx, answer: CuratedAnswerRecords(tx).delete(answer.agent_id, answer.id), id="delete"),
    ],
)
async def test_an_answer_of_another_agent_is_absent(
    record: SystemOfRecord,
    workspace_id: UUID,
    agent: Agent,
    act: Callable[[Transaction, CuratedAnswer], Awaitable[object]],
) -> None:
    answer = an_answer(agent.id)
    with record.writing() as tx:
        CuratedAnswerRecords(tx).create(answer)
        other = AgentRecords(tx).create(workspace_id, AgentConfig(name="Bea"))
    for foreign in (replace(answer, agent_id=other.id), replace(answer, id=an_id())):
        with pytest.raises(NotFound, match="curated answer"), record.writing() as tx:
            act(tx, foreign)
    with record.reading() as tx:
        assert CuratedAnswerRecords(tx).answers(agent.id) == [answer]
