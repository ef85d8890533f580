"""Over HTTP, visitors get their own data and no one else's, and take it all back."""

import pytest

from app.conversations.records.turns import TurnRecords
from tests.store.sample_rows import a_turn, an_end
from tests.web.house import House, Json, VisitorHttp, a_question

ASKED = "What does it cost?"


@pytest.fixture
async def asker(house: House) -> VisitorHttp:
    """A visitor with one stored turn."""
    visitor = await house.visitor()
    await visitor.ask()
    session, turn = house.turns.asked[-1][0], a_turn(ASKED)
    with house.record.writing() as tx:
        TurnRecords(tx).begin(session, turn, 1, "tests")
        TurnRecords(tx).finish(turn.turn_id, an_end("12 euros [1]."))
    return visitor


async def test_an_export_is_one_document(asker: VisitorHttp) -> None:
    response = await asker.call("GET", "/me/export")
    export = response.json()
    assert response.headers["cache-control"] == "no-store"
    assert export["visitor_id"] == asker.session["visitor_id"]
    assert asker.session["anonymous_id"] not in response.text, "the file is passed on, and who has this is the visitor"
    [conversation] = export["conversations"]
    [turn] = conversation["turns"]
    assert (turn["question"], turn["answer"], turn["feedback"]) == (ASKED, "12 euros [1].", None)
    assert [citation["id"] for citation in turn["citations"]] == [1]


async def test_another_visitors_export_has_nothing_of_it(asker: VisitorHttp) -> None:
    other = await asker.house.visitor()
    response = await other.call("GET", "/me/export")
    assert [len(conversation["turns"]) for conversation in response.json()["conversations"]] == [0]
    assert ASKED not in response.text


async def test_erasure_answers_with_counts_and_the_token_ends_with_it(asker: VisitorHttp) -> None:
    receipt = (await asker.call("DELETE", "/me")).json()
    assert receipt.keys() == {"id", "erased_at", "rows"}
    assert (receipt["rows"]["turns"], receipt["rows"]["messages"], receipt["rows"]["citations"]) == (1, 2, 1)
    for method, path in (("GET", "/me/export"), ("DELETE", "/me"), ("GET", "/conversation/messages")):
        await refused_as_erased(asker, method, path)
    await refused_as_erased(asker, "POST", "/messages", a_question())


async def refused_as_erased(asker: VisitorHttp, method: str, path: str, body: Json | None = None) -> None:
    """With a 401, after which the widget asks for a new token, and the visitor is someone new."""
    response = await asker.call(method, path, body)
    assert (response.status_code, response.json()["error"]["code"]) == (401, "unauthorized")
    assert "/v1/widget/init" in response.json()["error"]["message"]


async def test_a_conversation_that_an_operator_erased_ends_its_token_and_no_other(asker: VisitorHttp) -> None:
    other = await asker.house.visitor()
    house, conversation_id = asker.house, asker.session["conversation_id"]
    assert (await house.api("DELETE", f"/v1/conversations/{conversation_id}")).status_code == 200
    await refused_as_erased(asker, "GET", "/conversation/messages")
    assert (await other.call("GET", "/conversation/messages")).status_code == 200
    assert (await house.init(anon_id=asker.session["anonymous_id"]))["visitor_id"] == asker.session["visitor_id"]


async def test_who_comes_back_after_erasure_is_someone_new(asker: VisitorHttp) -> None:
    await asker.call("DELETE", "/me")
    again = await asker.house.init(anon_id=asker.session["anonymous_id"])
    assert again["visitor_id"] != asker.session["visitor_id"]
    assert again["messages"] == []


async def test_an_operator_sees_and_erases_what_the_visitor_would(asker: VisitorHttp) -> None:
    house, visitor_id = asker.house, asker.session["visitor_id"]
    own = (await asker.call("GET", "/me/export")).json()
    assert (await house.api("GET", f"/v1/visitors/{visitor_id}/export")).json() == own
    assert (await house.api("DELETE", f"/v1/visitors/{visitor_id}")).json()["rows"]["turns"] == 1
    assert (await house.api("GET", f"/v1/visitors/{visitor_id}/export")).status_code == 404
