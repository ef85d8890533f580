"""The visitor API, spoken to over HTTP."""

import json
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest

from app.agents.agents import Agents
from app.core.errors import AgentPaused, DocentError, HandedToPerson, Overloaded, TurnInProgress
from app.core.turn_events import Error, Token
from app.sources.deletions.deletion import DeletedKind
from app.sources.deletions.deletions import Deletions
from app.web.visitor_tokens import LIFETIME
from tests.web.house import PAGE, SITE, UNKNOWN, House, Json, VisitorHttp, a_question


def frames(text: str) -> list[Json]:
    """The data objects of a stream, each checked against its id and event lines."""
    found: list[Json] = []
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line and not line.startswith(":")]
        if not lines:
            continue
        number, event, data = (line.partition(": ")[2] for line in lines)
        loaded: Json = json.loads(data)
        assert loaded["event"] == event
        found.append({"id": int(number), **loaded})
    return found


async def test_init_says_all_that_a_widget_needs(house: House) -> None:
    session = await house.init(locale="en-GB")
    assert set(session) == {
        "conversation_id", "visitor_id", "anonymous_id", "token", "expires_at", "agent", "messages", "has_earlier",
        "challenge", "proof_refused",
    }  # fmt: skip
    assert session["agent"] == {
        "id": str(house.agent.id),
        "name": "Docs",
        "persona": house.agent.draft.persona,
        "theme": {
            "primary_color": None, "radius": None, "position": "right", "launcher_label": None,
            "launcher_icon": "chat", "opens_wide": False, "greeting": None,
            "picture": None, "picture_alt": None,
        },
        "disclosure": {"is_ai_system": True, "text": None},
        "fallback": {"url": None, "label": None, "form": False, "consent": None},
        "live_chat": False, "live_pictures": False,
        "people_from": None,
        "people_until": None,
        "starter_prompts": [],
        "language": None,
        "is_paused": False,
    }  # fmt: skip
    assert session["messages"] == []
    assert session["expires_at"] == (house.clock.now() + LIFETIME).isoformat().replace("+00:00", "Z")


async def test_init_says_that_an_ai_system_answers_in_the_operators_words(house: House) -> None:
    agents, actor, notice = house.parts.get(Agents), house.actor, "Ada is an AI system. It writes all answers."
    await agents.change_draft(actor, house.agent.id, lambda draft: replace(draft, ai_notice=notice))
    await agents.publish(actor, house.agent.id)
    assert (await house.init())["agent"]["disclosure"] == {"is_ai_system": True, "text": notice}


async def test_init_says_in_the_visitors_language_what_an_operator_has_written_in_it(house: House) -> None:
    german = {
        "language": "de",
        "greeting": "Guten Tag!",
        "starter_prompts": ["Wann?"],
        "ai_notice": "Hier antwortet KI.",
    }
    french = {"language": "fr", "greeting": "Bonjour !"}
    settings = {"theme": {"greeting": "Hello!"}, "starter_prompts": ["When?"], "translations": [german, french]}
    await house.api("PATCH", f"/v1/agents/{house.agent.id}", settings)
    await house.api("POST", f"/v1/agents/{house.agent.id}/publish")
    told = []
    for locale in ("de-AT", "fr", "it"):
        agent = (await house.init(locale=locale))["agent"]
        told.append((agent["theme"]["greeting"], agent["starter_prompts"], agent["disclosure"]["text"]))
    assert told == [
        ("Guten Tag!", ["Wann?"], "Hier antwortet KI."),
        ("Bonjour !", ["When?"], None),
        ("Hello!", ["When?"], None),
    ]


async def test_invitations_are_a_public_file_in_the_language_of_the_interface(house: House) -> None:
    path = f"/widget/invitations/{house.agent.id}"
    assert (await house.http.get(f"{path}/en.json")).json() == {"items": []}
    returns = {"name": "returns", "text": "Send it back?", "question": "How?", "pages": ["/shop/*"], "after_seconds": 5}
    sizes = {"name": "sizes", "text": "Too small?"}
    german = {"language": "de", "invitations": [{"name": "returns", "text": "Passt es nicht?"}]}
    settings = {"invitations": [returns, sizes], "translations": [german]}
    await house.api("PATCH", f"/v1/agents/{house.agent.id}", settings)
    assert (await house.http.get(f"{path}/en.json")).json() == {"items": []}, "a draft is not for visitors"
    await house.api("POST", f"/v1/agents/{house.agent.id}/publish")
    by_default: Json = {"question": None, "pages": [], "after_seconds": 10}
    for language, text in (("en", "Send it back?"), ("de", "Passt es nicht?")):
        told = await house.http.get(f"{path}/{language}.json", headers={"Origin": "https://any.example"})
        assert told.json() == {"items": [returns | {"text": text}, sizes | by_default]}
        assert told.headers["access-control-allow-origin"] == "*"
        assert told.headers["cache-control"] == "public, max-age=300"
        assert "set-cookie" not in told.headers
    for absent in (f"/widget/invitations/{UNKNOWN}/en.json", f"{path}/english.json"):
        assert (await house.http.get(absent)).status_code == 404


@pytest.mark.parametrize("notice", ["", " ", "\u200b\u2003" * 9, "Hi.", "a\nb" * 9, "x" * 301])
async def test_the_notice_that_an_ai_system_answers_cannot_be_taken_away(house: House, notice: str) -> None:
    path = f"/v1/agents/{house.agent.id}"
    refused = await house.api("PATCH", path, {"ai_notice": notice})
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "ai_notice")
    assert (await house.api("PATCH", path, {"ai_notice": None})).status_code == 200


async def test_a_returning_visitor_keeps_their_name(house: House) -> None:
    first = await house.init()
    again = await house.init(anon_id=first["anonymous_id"])
    assert (again["visitor_id"], again["anonymous_id"]) == (first["visitor_id"], first["anonymous_id"])


@pytest.mark.parametrize("origin", ["https://evil.example", "https://www.example.com.evil.example", "null", None])
async def test_a_website_that_is_not_listed_is_refused_by_name(house: House, origin: str | None) -> None:
    body = {"agent_id": str(house.agent.id), "page_url": PAGE}
    headers = {"Origin": origin} if origin else {}
    response = await house.http.post("/v1/widget/init", json=body, headers=headers)
    assert response.status_code == 403
    assert response.json()["error"]["code"] == "origin_refused"
    assert (origin or "Origin") in response.json()["error"]["message"]
    assert "access-control-allow-origin" not in response.headers


async def test_an_answer_streams_in_order_and_ends_with_its_receipt(visitor: VisitorHttp) -> None:
    turn_id = uuid4()
    response = await visitor.ask(turn_id)
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert response.headers["cache-control"] == "no-store, no-transform"
    assert response.headers["x-accel-buffering"] == "no"
    assert response.headers["access-control-allow-origin"] == SITE
    got = frames(response.text)
    assert [frame["event"] for frame in got] == ["start", "status", "token", "citations", "done"]
    assert got[0]["conversation_id"] == visitor.session["conversation_id"]
    assert got[2] == {"id": 4, "event": "token", "token": "The team plan costs 12 euros [1]."}
    assert got[3]["citations"] == [
        {
            "id": 1,
            "url": "https://www.example.com/pricing",
            "title": "Pricing",
            "as_of": None,
            "quote": "Plus costs €3.90.",
            "passage": None,
            "link": "https://www.example.com/pricing#:~:text=Plus%20costs%20%E2%82%AC3.90.",
        }
    ]
    assert got[4]["turn_id"] == str(turn_id)
    assert got[4]["answered_by"] == "extractive"


async def test_text_cannot_break_out_of_its_frame(house: House) -> None:
    hostile = "a\n\nevent: done\ndata: {}\r\u2028\x85\u00e9\ud83d\ude00".encode("utf-16", "surrogatepass").decode(
        "utf-16"
    )
    visitor = await house.visitor()
    turn_id = uuid4()
    house.turns.script = [Token(hostile), Error("internal", "end", retryable=False)]
    response = await visitor.ask(turn_id)
    assert response.content.isascii()
    assert frames(response.text)[1]["token"] == hostile


async def test_a_turn_is_rejoined_after_the_last_event_that_arrived(visitor: VisitorHttp) -> None:
    turn_id = uuid4()
    await visitor.ask(turn_id)
    rest = await visitor.call("GET", f"/turns/{turn_id}/stream", headers={"Last-Event-ID": "3"})
    assert [(f["id"], f["event"]) for f in frames(rest.text)] == [(4, "token"), (5, "citations"), (6, "done")]


async def test_the_same_question_again_is_the_same_turn(house: House, visitor: VisitorHttp) -> None:
    turn_id = uuid4()
    first = await visitor.ask(turn_id)
    second = await visitor.ask(turn_id)
    assert frames(first.text) == frames(second.text)
    assert len(house.turns.asked) == 1
    other = await visitor.ask(turn_id, "Something else?")
    assert (other.status_code, other.json()["error"]["code"]) == (409, "turn_conflict")


async def test_an_answer_can_be_had_whole(visitor: VisitorHttp) -> None:
    turn_id = uuid4()
    response = await visitor.call("POST", "/messages", a_question(turn_id))
    assert response.status_code == 200
    assert response.json() == {
        "turn_id": str(turn_id),
        "conversation_id": visitor.session["conversation_id"],
        "message_id": "00000000-0000-4000-8000-00000000d0e5",
        "answer": "The team plan costs 12 euros [1].",
        "citations": [
            {
                "id": 1,
                "url": "https://www.example.com/pricing",
                "title": "Pricing",
                "as_of": None,
                "quote": "Plus costs €3.90.",
                "passage": None,
                "link": "https://www.example.com/pricing#:~:text=Plus%20costs%20%E2%82%AC3.90.",
            }
        ],
        "answered_by": "extractive",
        "low_confidence": False,
        "confidence": 0.9,
        "finish": "complete",
        "next_questions": ["Pay by invoice"],
        "confirmation": None,
    }


@pytest.mark.parametrize(
    ("code", "retryable", "status", "told"),
    [
        ("model_unavailable", True, 503, "model_unavailable"),
        ("model_interrupted", True, 502, "model_interrupted"),
        ("interrupted", True, 503, "interrupted"),
        ("shutting_down", True, 503, "shutting_down"),
        ("unavailable", True, 503, "unavailable"),
        ("internal", False, 500, "internal"),
        ("a_code_of_tomorrow", False, 500, "internal"),
    ],
)
async def test_a_whole_answer_that_fails_says_so_by_its_status(
    house: House, visitor: VisitorHttp, code: str, retryable: bool, status: int, told: str
) -> None:
    house.turns.script = [Error(code, "It broke.", retryable)]
    response = await visitor.call("POST", "/messages", a_question())
    assert (response.status_code, response.json()["error"]["code"]) == (status, told)
    assert ("retry-after" in response.headers) == retryable


async def test_a_question_reaches_the_turn_as_it_was_admitted(house: House, visitor: VisitorHttp) -> None:
    context = {"text": "Team: 12 euros", "title": "Pricing", "og": {"site_name": "Example"}, "headings": ["Team"]}
    body = {**a_question(message="  What?  "), "page_context": context}
    await visitor.call("POST", "/messages", body)
    session, request = house.turns.asked[0]
    assert request.message == "What?"
    assert request.page_context == "Pricing\nsite_name: Example\nTeam\nTeam: 12 euros"
    assert str(session.visitor_id) == visitor.session["visitor_id"]
    assert session.workspace_id == house.actor.workspace_id


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"message": "   "}, "message"),
        ({"message": "x" * 4001}, "message"),
        ({"message": "a\x00b"}, "message"),
        ({"message": 7}, "message"),
        ({"turn_id": "not-a-uuid"}, "turn_id"),
        ({"page_url": "javascript:alert(1)"}, "page_url"),
        ({"page_url": "https://user:word@www.example.com/"}, "page_url"),
        ({"page_context": "x" * 8193}, "page_context"),
        ({"page_context": {"title": "x", "cookies": "y"}}, "page_context.cookies"),
        ({"page_context": {"headings": [1]}}, "page_context.headings.0"),
        ({"page_context": 5}, "page_context"),
    ],
)
async def test_what_cannot_be_asked_is_refused_by_field(still_house: House, change: Json, field: str) -> None:
    visitor = await still_house.visitor()
    before = len(still_house.turns.asked)
    response = await visitor.call("POST", "/messages/stream", {**a_question(), **change})
    assert response.status_code == 422, response.text
    error = response.json()["error"]
    assert (error["code"], error["field"]) == ("invalid_request", field)
    assert error["message"].startswith(f"{field}: ")
    assert len(still_house.turns.asked) == before


async def test_a_lone_surrogate_is_refused_before_it_breaks_something(still_house: House) -> None:
    visitor = await still_house.visitor()
    body = json.dumps({**a_question(), "message": "half \ud83d"})
    response = await still_house.http.post(
        "/v1/widget/messages", content=body, headers={**visitor.headers, "Content-Type": "application/json"}
    )
    assert (response.status_code, response.json()["error"]["field"]) == (422, "message")


async def test_the_limit_counts_characters_not_bytes(still_house: House) -> None:
    visitor = await still_house.visitor()
    assert (await visitor.ask(message="\N{GRINNING FACE}" * 4000)).status_code == 200


async def test_stop_and_feedback_answer_nothing(house: House, visitor: VisitorHttp) -> None:
    turn_id = uuid4()
    await visitor.ask(turn_id)
    stopped = await visitor.call("POST", f"/turns/{turn_id}/stop")
    rated = await visitor.call("POST", f"/turns/{turn_id}/feedback", {"rating": "down", "comment": "old"})
    assert (stopped.status_code, stopped.content) == (204, b"")
    assert (rated.status_code, rated.content) == (204, b"")
    assert house.turns.stopped == [turn_id]
    assert house.turns.ratings == [(turn_id, "down", "old")]


async def test_a_cleared_conversation_is_not_resumed(house: House, visitor: VisitorHttp) -> None:
    assert (await visitor.call("GET", "/conversation/messages")).json() == {"messages": [], "has_earlier": False}
    assert (await visitor.call("POST", "/conversation/clear")).status_code == 204
    again = await house.init(anon_id=visitor.session["anonymous_id"])
    assert again["conversation_id"] != visitor.session["conversation_id"]


async def test_another_visitors_turn_is_absent(house: House, visitor: VisitorHttp) -> None:
    turn_id = uuid4()
    await visitor.ask(turn_id)
    other = await house.visitor()
    answers = [
        await other.call("GET", f"/turns/{turn_id}/stream"),
        await other.call("POST", f"/turns/{turn_id}/stop"),
        await other.call("POST", f"/turns/{turn_id}/feedback", {"rating": "up"}),
    ]
    absent = await other.call("POST", f"/turns/{uuid4()}/stop")
    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert {answer.content for answer in answers} == {absent.content}


async def test_a_token_ends_after_its_time(house: House, visitor: VisitorHttp) -> None:
    house.clock.advance(LIFETIME.total_seconds())
    response = await visitor.call("GET", "/conversation/messages")
    assert response.status_code == 401
    assert "expired" in response.json()["error"]["message"]
    # The widget must be able to read this, or it could not renew its token.
    assert response.headers["access-control-allow-origin"] == SITE


async def test_an_origin_taken_off_the_list_is_out_at_once(house: House, visitor: VisitorHttp) -> None:
    await house.api("PATCH", f"/v1/agents/{house.agent.id}", {"allowed_origins": ["https://new.example.com"]})
    await house.api("POST", f"/v1/agents/{house.agent.id}/publish")
    response = await visitor.ask()
    assert (response.status_code, response.json()["error"]["code"]) == (403, "origin_refused")


async def test_a_token_holds_only_on_the_website_it_was_made_for(house: House, visitor: VisitorHttp) -> None:
    both = [SITE, "https://shop.example.com"]
    await house.api("PATCH", f"/v1/agents/{house.agent.id}", {"allowed_origins": both})
    await house.api("POST", f"/v1/agents/{house.agent.id}/publish")
    response = await visitor.call("POST", "/messages", a_question(), headers={"Origin": "https://shop.example.com"})
    assert (response.status_code, response.json()["error"]["code"]) == (403, "origin_refused")
    assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize(
    ("refusal", "status", "code"),
    [
        (TurnInProgress("Wait for it."), 409, "turn_in_progress"),
        (HandedToPerson("Write to them."), 409, "handed_to_person"),
        (AgentPaused("Ask later."), 409, "agent_paused"),
        (Overloaded("Too busy."), 503, "overloaded"),
    ],
)
async def test_a_turn_that_cannot_begin_is_refused_before_the_stream(
    house: House, visitor: VisitorHttp, refusal: DocentError, status: int, code: str
) -> None:
    house.turns.refusal = refusal
    response = await visitor.ask()
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)
    assert ("retry-after" in response.headers) == (status == 503)


async def test_a_deleted_agent_is_absent_for_its_visitors(house: House, visitor: VisitorHttp) -> None:
    await house.parts.get(Deletions).delete(house.actor, DeletedKind.AGENT, house.agent.id)
    house.clock.advance(timedelta(seconds=1).total_seconds())
    assert (await visitor.ask()).status_code == 404
