"""Operators take live chats over, answer and hand back, over HTTP."""

from dataclasses import replace
from uuid import uuid4

import pytest

from app.agents.agents import Agents
from app.core.actor import WRITE
from app.workspaces.api_tokens import ApiTokens
from tests.web.house import House, Json, VisitorHttp


@pytest.fixture
async def waiting(house: House) -> VisitorHttp:
    """A visitor who waits for a person."""
    agents = house.parts.get(Agents)
    await agents.change_draft(house.actor, house.agent.id, lambda draft: replace(draft, live_chat=True))
    await agents.publish(house.actor, house.agent.id)
    visitor = await house.visitor()
    assert (await visitor.call("POST", "/person")).status_code == 200
    await visitor.call("POST", "/person/messages", {"message_id": str(uuid4()), "text": "Is anybody there?"})
    return visitor


def path(visitor: VisitorHttp, what: str = "") -> str:
    return f"/v1/conversations/{visitor.session['conversation_id']}/live-chat{what}"


async def post(house: House, where: str, body: Json | None = None) -> Json:
    answer = await house.api("POST", where, body)
    assert answer.status_code == 200, answer.text
    told: Json = answer.json()
    return told


def a_reply(text: str = "Hello, how can I help?") -> Json:
    return {"message_id": str(uuid4()), "text": text}


async def test_who_waits_is_listed_with_what_they_wrote(house: House, waiting: VisitorHttp) -> None:
    [listed] = (await house.api("GET", "/v1/live-chats")).json()["items"]
    assert listed == {
        "conversation_id": waiting.session["conversation_id"],
        "agent_id": str(house.agent.id),
        "agent_name": "Docs",
        "state": "waiting",
        "asked_at": house.clock.now().isoformat().replace("+00:00", "Z"),
        "taken_by": "",
        "first_question": "",
        "latest_text": "Is anybody there?",
        "visitor_id": waiting.session["visitor_id"],
        "user_id": None,
    }


async def test_an_operator_takes_over_answers_and_hands_back(house: House, waiting: VisitorHttp) -> None:
    taken = await post(house, path(waiting, "/take"), {"name": "Ann"})
    assert (taken["state"], taken["operator_name"], taken["taken_by"]) == ("talking", "Ann", "write")
    replied = await post(house, path(waiting, "/messages"), a_reply())
    assert [(each["number"], each["author"]) for each in replied["messages"]] == [(1, "visitor"), (2, "operator")]
    seen = (await waiting.call("GET", "/person?after=1")).json()
    assert [(each["name"], each["text"]) for each in seen["messages"]] == [("Ann", "Hello, how can I help?")]
    assert (await post(house, path(waiting, "/hand-back")))["state"] == "ended"
    assert (await waiting.call("GET", "/person")).json()["state"] == "ended"
    assert (await house.api("GET", "/v1/live-chats")).json()["items"] == []


async def test_another_operator_is_told_who_has_it(house: House, waiting: VisitorHttp) -> None:
    await post(house, path(waiting, "/take"))
    other = (await house.parts.get(ApiTokens).issue(house.actor, "other", (WRITE,))).token
    for what, body in (("/take", None), ("/messages", a_reply()), ("/hand-back", None)):
        refused = await house.api("POST", path(waiting, what), body, token=other)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "chat_already_taken")
        assert "write has this chat" in refused.json()["error"]["message"]


async def test_a_chat_is_taken_over_before_it_is_answered(house: House, waiting: VisitorHttp) -> None:
    refused = await house.api("POST", path(waiting, "/messages"), a_reply())
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_active_chat")


async def test_a_chat_is_read_from_a_number_on(house: House, waiting: VisitorHttp) -> None:
    assert len((await house.api("GET", path(waiting))).json()["messages"]) == 1
    assert (await house.api("GET", f"{path(waiting)}?after=1")).json()["messages"] == []


async def test_a_conversation_where_nobody_was_asked_for_has_an_empty_one(house: House) -> None:
    told = (await house.api("GET", path(await house.visitor()))).json()
    assert (told["state"], told["asked_at"], told["messages"]) == ("none", None, [])
