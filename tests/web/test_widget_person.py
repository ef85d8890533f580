"""A visitor asks for a person and writes with them, over HTTP."""

from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.agents.agents import Agents
from app.live_chat.live_chats import LiveChats, LiveSigns
from app.store.system_of_record import SystemOfRecord
from app.web.limits_policy import LimitsPolicy
from tests.web.house import House, Json, VisitorHttp, open_house


@pytest.fixture
async def visitor(house: House) -> VisitorHttp:
    """Of an agent with live chat."""
    await switch_on(house)
    return await house.visitor()


async def switch_on(house: House) -> None:
    agents = house.parts.get(Agents)
    await agents.change_draft(house.actor, house.agent.id, lambda draft: replace(draft, live_chat=True))
    await agents.publish(house.actor, house.agent.id)


async def person(visitor: VisitorHttp, after: int = 0) -> Json:
    told: Json = (await visitor.call("GET", f"/person?after={after}")).json()
    return told


async def say(visitor: VisitorHttp, text: str = "Hello?") -> Json:
    answer = await visitor.call("POST", "/person/messages", {"message_id": str(uuid4()), "text": text})
    assert answer.status_code == 200, answer.text
    told: Json = answer.json()
    return told


def conversation(visitor: VisitorHttp) -> str:
    return str(visitor.session["conversation_id"])


async def test_the_widget_knows_whether_a_person_may_be_asked_for(house: House, visitor: VisitorHttp) -> None:
    assert visitor.session["agent"]["live_chat"] is True


async def test_nobody_was_asked_for(visitor: VisitorHttp) -> None:
    assert await person(visitor) == {
        "state": "none", "operator_name": None, "is_overdue": False, "is_typing": False,
        "messages": [], "poll_seconds": 0.0
    }  # fmt: skip


async def test_a_visitor_waits_writes_and_is_answered(house: House, visitor: VisitorHttp) -> None:
    asked = await visitor.call("POST", "/person")
    assert (asked.status_code, asked.json()["state"], asked.json()["poll_seconds"]) == (200, "waiting", 4.0)
    now = house.clock.now().isoformat().replace("+00:00", "Z")
    said = {"number": 1, "author": "visitor", "name": None, "text": "Hello?", "created_at": now, "picture": None}
    assert (await say(visitor))["messages"] == [said]
    chats, [waiting] = house.parts.get(LiveChats), await house.parts.get(LiveChats).open_chats(house.actor)
    await chats.take_over(house.actor, waiting.chat.conversation_id, "Ann")
    await chats.reply(house.actor, waiting.chat.conversation_id, uuid4(), "Hello, how can I help?")
    told = await person(visitor, after=1)
    assert (told["state"], told["operator_name"], told["poll_seconds"]) == ("talking", "Ann", 3.0)
    answer = {
        "number": 2,
        "author": "operator",
        "name": "Ann",
        "text": "Hello, how can I help?",
        "created_at": now,
        "picture": None,
    }
    assert told["messages"] == [answer]
    ended = (await visitor.call("POST", "/person/end")).json()
    assert (ended["state"], ended["poll_seconds"], len(ended["messages"])) == ("ended", 0.0, 2)


async def test_after_two_minutes_nobody_has_come(house: House, visitor: VisitorHttp) -> None:
    await house.parts.get(LiveSigns).operator_is_here(house.agent.workspace_id)
    asked = await visitor.call("POST", "/person")
    assert asked.json()["is_overdue"] is False
    assert (await say(visitor))["is_overdue"] is False
    assert (await person(visitor))["is_overdue"] is False
    house.clock.advance(121)
    assert (await person(visitor))["is_overdue"] is True


async def test_while_no_operator_has_the_console_open_nobody_is_promised(house: House, visitor: VisitorHttp) -> None:
    assert (await visitor.call("POST", "/person")).json()["is_overdue"] is True
    assert (await say(visitor))["is_overdue"] is True
    await house.parts.get(LiveSigns).operator_is_here(house.stranger.workspace_id)
    assert (await person(visitor))["is_overdue"] is True, "an operator of another workspace answers nobody here"
    await house.parts.get(LiveSigns).operator_is_here(house.agent.workspace_id)
    assert (await person(visitor))["is_overdue"] is False


async def test_outside_of_the_opening_hours_nobody_may_be_called(house: House) -> None:
    agents = house.parts.get(Agents)
    await agents.change_draft(
        house.actor,
        house.agent.id,
        lambda draft: replace(draft, live_chat=True, opening_hours=("thu 13:00-18:00",)),
    )
    await agents.publish(house.actor, house.agent.id)
    visitor = await house.visitor()  # on a Thursday, at noon
    assert visitor.session["agent"]["live_chat"] is False
    assert visitor.session["agent"]["people_from"] == "2026-01-01T13:00:00Z"
    refused = await visitor.call("POST", "/person")
    assert refused.status_code == 422
    assert "Ask again after 2026-01-01T13:00:00+00:00." in refused.json()["error"]["message"]
    house.clock.advance(3600)
    visitor = await house.visitor()
    assert visitor.session["agent"]["live_chat"] is True
    assert visitor.session["agent"]["people_from"] is None
    assert (await visitor.call("POST", "/person")).json()["state"] == "waiting"


async def test_an_agent_without_live_chat_calls_nobody(house: House) -> None:
    refused = await (await house.visitor()).call("POST", "/person")
    assert refused.status_code == 422
    assert "live_chat" in refused.json()["error"]["message"]


async def test_nobody_is_there_to_be_written_to(visitor: VisitorHttp) -> None:
    refused = await visitor.call("POST", "/person/messages", {"message_id": str(uuid4()), "text": "Hello?"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_active_chat")


@pytest.mark.parametrize(
    ("change", "field"),
    [({"text": " "}, "text"), ({"text": "x" * 4001}, "text"), ({"message_id": "1"}, "message_id")],
)
async def test_what_cannot_be_sent_is_refused_by_its_field(visitor: VisitorHttp, change: Json, field: str) -> None:
    await visitor.call("POST", "/person")
    refused = await visitor.call("POST", "/person/messages", {"message_id": str(uuid4()), "text": "Hello?"} | change)
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, field)


@pytest.mark.parametrize("after", ["-1", "x", str(2**40)])
async def test_a_number_that_no_message_has_is_refused(visitor: VisitorHttp, after: str) -> None:
    assert (await visitor.call("GET", f"/person?after={after}")).status_code == 422


async def test_every_character_of_a_long_message_may_be_escaped(visitor: VisitorHttp) -> None:
    await visitor.call("POST", "/person")
    assert len((await say(visitor, "\u4e2d" * 4000))["messages"][0]["text"]) == 4000


async def test_a_visitor_writes_only_so_often_and_looks_as_often_as_told(tmp_path: Path) -> None:
    async with open_house(tmp_path, limits=LimitsPolicy(questions_per_visitor=3)) as house:
        await switch_on(house)
        visitor = await house.visitor()
        await visitor.call("POST", "/person")
        for _ in range(2):
            await say(visitor)
        refused = await visitor.call("POST", "/person/messages", {"message_id": str(uuid4()), "text": "Hello?"})
        assert (refused.status_code, "retry-after" in refused.headers) == (429, True)
        assert len((await person(visitor))["messages"]) == 2


async def test_an_export_shows_the_messages_and_an_erasure_takes_them(visitor: VisitorHttp) -> None:
    await visitor.call("POST", "/person")
    await say(visitor, "My order is 1234.")
    [exported] = (await visitor.call("GET", "/me/export")).json()["conversations"]
    assert [(each["author"], each["text"]) for each in exported["live_messages"]] == [("visitor", "My order is 1234.")]
    assert (await visitor.call("DELETE", "/me")).json()["rows"]["live_messages"] == 1


async def test_a_visitor_says_whether_talking_helped_and_the_latest_word_counts(
    house: House, visitor: VisitorHttp
) -> None:
    await visitor.call("POST", "/person")
    early = await visitor.call("POST", "/person/rating", {"rating": "up"})
    assert (early.status_code, early.json()["error"]["code"]) == (409, "no_active_chat")
    chats = house.parts.get(LiveChats)
    await chats.take_over(house.actor, UUID(conversation(visitor)))
    await visitor.call("POST", "/person/end")
    for rating in ("down", "up"):
        said = await visitor.call("POST", "/person/rating", {"rating": rating})
        assert (said.status_code, said.json()["state"]) == (200, "ended")
    figures = (await house.api("GET", "/v1/report")).json()["now"]
    assert (figures["chats_up"], figures["chats_down"]) == (1, 0)
    await visitor.call("POST", "/person")  # another chat takes nothing of it away
    view = await chats.view(house.actor, UUID(conversation(visitor)))
    assert (view.chat.state.value, view.chat.rating) == ("waiting", "up")
    own = (await visitor.call("GET", "/me/export")).json()
    assert [each["chat_rating"] for each in own["conversations"]] == ["up"]


async def test_either_side_learns_that_the_other_writes_until_it_is_sent(house: House, visitor: VisitorHttp) -> None:
    chats, conversation_id = house.parts.get(LiveChats), UUID(conversation(visitor))

    async def shown() -> tuple[bool, bool]:
        """Whether an operator is told that the visitor writes, and the visitor that the operator does."""
        return (await chats.view(house.actor, conversation_id)).is_typing, (await person(visitor))["is_typing"]

    await visitor.call("POST", "/person")
    assert (await visitor.call("POST", "/person/typing")).status_code == 204
    assert await shown() == (False, False), "nobody is there yet"
    await chats.take_over(house.actor, conversation_id)
    assert await shown() == (True, False)
    await chats.operator_types(house.actor, conversation_id)
    assert await shown() == (True, True)
    await say(visitor)
    assert await shown() == (False, True)
    await chats.reply(house.actor, conversation_id, uuid4(), "Hello!")
    assert await shown() == (False, False)


async def test_that_somebody_writes_is_kept_in_the_cache_alone(
    house: House, visitor: VisitorHttp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> None:
        raise AssertionError("nothing is written")

    await visitor.call("POST", "/person")
    chats, conversation_id = house.parts.get(LiveChats), UUID(conversation(visitor))
    await chats.take_over(house.actor, conversation_id)
    before = (await chats.view(house.actor, conversation_id)).chat
    monkeypatch.setattr(SystemOfRecord, "write", never)
    await visitor.call("POST", "/person/typing")
    await chats.operator_types(house.actor, conversation_id)
    assert (await chats.view(house.actor, conversation_id)).chat == before


async def test_only_who_has_a_chat_is_shown_to_write(house: House, visitor: VisitorHttp) -> None:
    where = f"/v1/conversations/{conversation(visitor)}/live-chat/typing"
    await visitor.call("POST", "/person")
    refused = await house.api("POST", where)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_active_chat")
