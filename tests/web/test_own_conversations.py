"""A visitor's own conversations: all that was said in one, all of them, and the way back into each."""

from uuid import UUID, uuid4

from app.conversations.conversation import RESUME_WITHIN
from app.conversations.records.turns import TurnRecords
from app.core.turn import VisitorSession
from tests.store.sample_rows import a_turn, ask, begin
from tests.web.house import PAGE, SITE, House, Json, VisitorHttp


def session_of(house: House, opened: Json) -> VisitorSession:
    ids = (house.actor.workspace_id, house.agent.id, UUID(opened["visitor_id"]), UUID(opened["conversation_id"]))
    return VisitorSession(*ids)


async def texts(visitor: VisitorHttp, before: str = "") -> tuple[list[str], bool]:
    query = f"?before={before}" if before else ""
    got = (await visitor.call("GET", f"/conversation/messages{query}")).json()
    return [message["text"] for message in got["messages"]], got["has_earlier"]


async def test_all_that_was_said_comes_page_by_page_in_whole_turns(house: House, visitor: VisitorHttp) -> None:
    session = session_of(house, visitor.session)
    turns = [await ask(house.record, session, f"Q{n}", answer=f"A{n}" if n != 4 else "") for n in range(20)]
    opened = await house.init(anon_id=visitor.session["anonymous_id"])
    assert [message["text"] for message in opened["messages"]][:2] == ["Q5", "A5"]
    assert opened["has_earlier"]
    assert await texts(visitor, str(turns[5])) == (["Q0", "A0", "Q1", "A1", "Q2", "A2", "Q3", "A3", "Q4"], False)
    assert await texts(visitor, str(turns[0])) == ([], False)


async def test_a_page_never_begins_with_an_answer(house: House, visitor: VisitorHttp) -> None:
    session = session_of(house, visitor.session)
    for n in range(15):
        await ask(house.record, session, f"Q{n}", answer=f"A{n}")
    await begin(house.record, session, a_turn("Still being answered?"))
    said, has_earlier = await texts(visitor)
    assert (said[0], len(said), has_earlier) == ("Q1", 29, True)


async def test_messages_before_a_turn_of_another_conversation_are_absent(house: House, visitor: VisitorHttp) -> None:
    other = await house.init()
    for turn_id in (await ask(house.record, session_of(house, other)), uuid4()):
        response = await visitor.call("GET", f"/conversation/messages?before={turn_id}")
        assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")


async def test_a_thumb_is_there_again(house: House, visitor: VisitorHttp) -> None:
    session = session_of(house, visitor.session)
    turn_id = await ask(house.record, session)
    with house.record.writing() as tx:
        TurnRecords(tx).feedback(session, turn_id, "down", "old")
    got = (await visitor.call("GET", "/conversation/messages")).json()
    assert [message["rating"] for message in got["messages"]] == [None, "down"]


async def test_another_conversation_is_begun_and_the_first_one_found_again(house: House, visitor: VisitorHttp) -> None:
    anon_id, first = visitor.session["anonymous_id"], visitor.session
    await ask(house.record, session_of(house, first), "Where is my order?")
    house.clock.advance(1)
    second = await house.init(anon_id=anon_id, new_conversation=True)
    assert (second["messages"], second["visitor_id"]) == ([], first["visitor_id"])
    assert second["conversation_id"] != first["conversation_id"]
    await ask(house.record, session_of(house, second), "May I return it?")
    listed = (await visitor.call("GET", "/conversations")).json()
    assert [item["first_question"] for item in listed["items"]] == ["May I return it?", "Where is my order?"]
    assert [item["id"] for item in listed["items"]] == [second["conversation_id"], first["conversation_id"]]
    house.clock.advance(RESUME_WITHIN.total_seconds() + 1)
    again = await house.init(anon_id=anon_id, conversation_id=first["conversation_id"])
    assert again["conversation_id"] == first["conversation_id"]
    assert again["messages"][0]["text"] == "Where is my order?"


async def test_what_was_never_asked_in_or_was_cleared_is_not_listed(house: House, visitor: VisitorHttp) -> None:
    await ask(house.record, session_of(house, visitor.session))
    later = VisitorHttp(house, await house.init(anon_id=visitor.session["anonymous_id"], new_conversation=True))
    await visitor.call("POST", "/conversation/clear")
    assert (await later.call("GET", "/conversations")).json() == {"items": [], "next_cursor": None}


async def test_nobody_goes_on_with_a_conversation_that_is_not_theirs(house: House, visitor: VisitorHttp) -> None:
    mine = visitor.session
    other = await house.init()
    await visitor.call("POST", "/conversation/clear")
    for more in (
        {"anon_id": mine["anonymous_id"], "conversation_id": other["conversation_id"]},
        {"anon_id": mine["anonymous_id"], "conversation_id": mine["conversation_id"]},
        {"conversation_id": other["conversation_id"]},
    ):
        body = {"agent_id": str(house.agent.id), "page_url": PAGE, **more}
        response = await house.http.post("/v1/widget/init", json=body, headers={"Origin": SITE})
        assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")
    assert (await VisitorHttp(house, other).call("GET", "/conversations")).json()["items"] == []


async def test_one_to_go_on_with_and_a_new_one_are_not_asked_for_together(house: House) -> None:
    opened = await house.init()
    body = {"agent_id": str(house.agent.id), "page_url": PAGE, "anon_id": opened["anonymous_id"]}
    both = {**body, "conversation_id": opened["conversation_id"], "new_conversation": True}
    response = await house.http.post("/v1/widget/init", json=both, headers={"Origin": SITE})
    assert (response.status_code, response.json()["error"]["field"]) == (422, "new_conversation")
