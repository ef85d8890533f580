"""Two agents of two workspaces over the same words, in one house: one cache, one database, the same indexes.

The twin's pages have the marker in every sentence, so whatever of them reached a visitor of the first would show it.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.agents.records import AgentRecords
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.records import CuratedAnswerRecords
from app.core.errors import NotFound, TurnConflict
from app.core.turn import Exchange, VisitorSession
from app.core.turn_events import Done, TurnEvent
from app.search.retrieval import SearchQuery
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from tests.doubles.answering_house import PAGES, SITE, AnsweringHouse, answering_house
from tests.doubles.workspaces import another_workspace

MARK = "zqxforeignzqx"
QUESTIONS = (
    "How long may I return a lamp?",
    "What does shipping to Norway cost?",
    "How long is the warranty?",
    "Hours?",
)


@dataclass
class Twins:
    """`ours` and `theirs` are visitors of the two agents."""

    house: AnsweringHouse
    their_workspace: UUID
    their_agent: UUID
    ours: VisitorSession
    theirs: VisitorSession

    async def ask(self, session: VisitorSession, question: str, turn_id: UUID | None = None) -> list[TurnEvent]:
        request = self.house.request(question, turn_id=turn_id)
        live = await self.house.turns.ask(session, request)
        return [numbered.event async for numbered in live.events()]

    async def turn_of_theirs(self) -> UUID:
        turn_id = uuid4()
        assert MARK in str(await self.ask(self.theirs, QUESTIONS[0], turn_id))
        return turn_id


@pytest.fixture
async def twins(tmp_path: Path) -> AsyncIterator[Twins]:
    async with answering_house(tmp_path) as house:
        workspace = await another_workspace(tmp_path)
        ours, our_agent, our_source = house.session, house.agent_id, house.source_id
        with house.record.writing() as tx:
            draft = AgentRecords(tx).agent(house.workspace_id, our_agent).draft
            twin = AgentRecords(tx).create(workspace, draft)
            AgentRecords(tx).publish(workspace, twin.id)
            source = SourceRecords(tx).create(twin.id, SourceConfig(kinds.SITE, "Lamps", f"{SITE}/"))
            for agent_id, answer in ((our_agent, "From 9 to 17."), (twin.id, f"From 10 to 12, {MARK}.")):
                CuratedAnswerRecords(tx).create(CuratedAnswer(uuid4(), agent_id, Trigger.EXACT, "Hours?", answer))
        house.agent_id, house.source_id = twin.id, source.id
        for path, markdown in PAGES.items():
            await house.learn(path, markdown.replace(".", f" {MARK}."))
        opened = await house.conversations.open(await house.live_agent(), None)
        house.agent_id, house.source_id = our_agent, our_source
        yield Twins(house, workspace, twin.id, ours, opened.session)


@pytest.mark.parametrize("first", ["theirs", "ours"])
async def test_the_same_questions_are_answered_from_ones_own_pages(twins: Twins, first: str) -> None:
    """Whoever fills the cache of rankings."""
    for question in QUESTIONS:
        sessions = (twins.theirs, twins.ours) if first == "theirs" else (twins.ours, twins.theirs)
        told = {session: await twins.ask(session, question) for session in sessions}
        assert MARK in str(told[twins.theirs])
        assert MARK not in str(told[twins.ours])
        assert isinstance(told[twins.ours][-1], Done)


async def test_search_finds_ones_own_alone(twins: Twins) -> None:
    house = twins.house
    for question in QUESTIONS:
        await house.search.search(twins.their_workspace, twins.their_agent, SearchQuery(question))
        report = await house.search.search(house.workspace_id, house.agent_id, SearchQuery(question))
        assert report.retrieval.ranked
        assert MARK not in str(report.retrieval)


async def test_their_agent_cannot_be_searched_by_us(twins: Twins) -> None:
    with pytest.raises(NotFound):
        await twins.house.search.search(twins.house.workspace_id, twins.their_agent, SearchQuery(QUESTIONS[0]))


async def test_their_turn_cannot_be_read_stopped_or_rated(twins: Twins) -> None:
    turn_id = await twins.turn_of_theirs()
    for after in (0, 1, 99):
        with pytest.raises(NotFound):
            await twins.house.turns.rejoin(twins.ours, turn_id, after)
    with pytest.raises(NotFound):
        await twins.house.turns.stop(twins.ours, turn_id)
    with pytest.raises(NotFound):
        await twins.house.turns.feedback(twins.ours, turn_id, "down", "mine")


async def test_their_turn_id_is_taken_and_says_no_more(twins: Twins) -> None:
    """Also with their own words: no answer is replayed to somebody else."""
    turn_id = await twins.turn_of_theirs()
    with pytest.raises(TurnConflict) as caught:
        await twins.ask(twins.ours, QUESTIONS[0], turn_id)
    assert MARK not in str(caught.value)


@pytest.mark.parametrize("stolen", ["conversation_id", "visitor_id", "agent_id", "workspace_id"])
async def test_a_session_that_names_one_thing_of_theirs_is_nobodys(twins: Twins, stolen: str) -> None:
    """As a token that was signed for one and changed in one claim would."""
    await twins.turn_of_theirs()
    mixed = replace(twins.ours, **{stolen: getattr(twins.theirs, stolen)})
    with pytest.raises(NotFound):
        await twins.ask(mixed, QUESTIONS[0])


async def test_their_history_is_not_ours(twins: Twins) -> None:
    await twins.turn_of_theirs()
    history: tuple[Exchange, ...] = await twins.house.answering.history.recent(twins.ours.conversation_id)
    assert history == ()
    assert MARK not in str(await twins.house.conversations.messages(twins.ours))


async def test_the_cache_has_a_key_for_each(twins: Twins) -> None:
    for session in (twins.ours, twins.theirs):
        await twins.ask(session, QUESTIONS[0])
    rankings = [key for key in twins.house.cache.values if key.startswith("ranking:")]
    assert len(rankings) == 2
