"""With the real record, and small working indexes that may be emptied or away."""

import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.core.errors import IndexUnavailable
from app.search.index_watch import IndexWatch
from tests.doubles.answering_house import AnsweringHouse


def watch_of(house: AnsweringHouse) -> IndexWatch:
    return IndexWatch(house.record, house.vectors, house.keywords)


async def test_an_agent_in_one_of_the_indexes_may_be_asked(house: AnsweringHouse) -> None:
    await house.vectors.drop_agent(house.agent_id)
    await watch_of(house).require(house.agent_id)
    assert await watch_of(house).all_filled()


async def test_an_agent_whose_pages_are_in_no_index_may_not(house: AnsweringHouse) -> None:
    for index in (house.vectors, house.keywords):
        await index.drop_agent(house.agent_id)
    with pytest.raises(IndexUnavailable, match="docent reindex"):
        await watch_of(house).require(house.agent_id)
    assert not await watch_of(house).all_filled()


async def test_nor_may_it_when_one_index_is_empty_and_the_other_cannot_be_read(house: AnsweringHouse) -> None:
    await house.keywords.drop_agent(house.agent_id)
    house.vectors.is_down = True
    with pytest.raises(IndexUnavailable):
        await watch_of(house).require(house.agent_id)


async def test_where_none_can_be_read_the_turn_says_so_itself(house: AnsweringHouse) -> None:
    house.vectors.is_down = house.keywords.is_down = True
    await watch_of(house).require(house.agent_id)


async def test_an_agent_without_pages_has_nothing_to_wait_for(house: AnsweringHouse) -> None:
    with house.record.writing() as tx:
        new = AgentRecords(tx).create(house.workspace_id, AgentConfig(name="New"))
    await watch_of(house).require(new.id)


async def test_a_refused_question_leaves_nothing_behind_and_may_be_sent_again(house: AnsweringHouse) -> None:
    for index in (house.vectors, house.keywords):
        await index.drop_agent(house.agent_id)
    request = house.request("How long is the warranty of a lamp?")
    with pytest.raises(IndexUnavailable):
        await house.turns.ask(house.session, request)
    await house.learn("/care", "# Care\n\nWipe every lamp with a dry cloth.")
    live = await house.turns.ask(house.session, request)
    assert [numbered.event async for numbered in live.events()]
