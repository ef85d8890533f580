"""OpenAI's API over agents, byte by byte; tests/reach asks it by OpenAI's own client."""

import json
from datetime import date
from typing import Any
from uuid import UUID

import pytest

from app.agents.signed_user import user_signature
from app.agents.signed_users import SignedUsers
from app.channels.openai_completion import source_list
from app.channels.openai_models import ChatCompletionIn
from app.conversations.api.widget_models import CitationOut
from app.conversations.records.conversations import ConversationRecords
from app.core.actor import ASK
from app.core.errors import Overloaded
from app.core.search_filter import SearchFilter
from app.core.turn import AnsweredBy, Channel, Citation, Exchange, Finish
from app.core.turn_events import Citations, Done, Error, Token
from app.workspaces.api_tokens import ApiTokens
from tests.doubles.scripted_turns import MESSAGE_ID
from tests.web.house import House, Json

QUESTION = "What does it cost?"
SAID = "The team plan costs 12 euros [1]."
PRICING = "https://www.example.com/pricing"


async def post(house: House, *, token: str | None = None, **more: Any) -> Any:
    body = {"model": "Docs", "messages": [{"role": "user", "content": QUESTION}], **more}
    return await house.api("POST", "/v1/chat/completions", body, token)


async def refused(house: House, **more: Any) -> tuple[int, Json]:
    response = await post(house, **more)
    error = response.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    return response.status_code, error


def chunks(text: str) -> list[Any]:
    frames = [frame.removeprefix("data: ") for frame in text.split("\n\n") if frame.startswith("data: ")]
    return [frame if frame == "[DONE]" else json.loads(frame) for frame in frames]


async def test_an_answer_is_a_completion_with_its_numbered_sources(house: House) -> None:
    made = (await post(house)).json()
    [choice] = made["choices"]
    assert choice["message"]["content"] == f"{SAID}\n\n1. [Pricing]({PRICING})"
    assert choice["finish_reason"] == "stop"
    assert made["model"] == str(house.agent.id)
    assert made["id"].startswith("chatcmpl-")
    assert made["usage"] == {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    assert made["docent"]["confidence"] == 0.9


async def test_each_mark_that_leads_to_a_page_is_an_annotation(house: House) -> None:
    message = (await post(house)).json()["choices"][0]["message"]
    [annotation] = message["annotations"]
    cited = annotation["url_citation"]
    assert message["content"][cited["start_index"] : cited["end_index"]] == "[1]"
    assert (annotation["type"], cited["url"], cited["title"]) == ("url_citation", PRICING, "Pricing")


async def test_the_agent_is_named_by_its_id_as_well(house: House) -> None:
    assert (await post(house, model=str(house.agent.id))).status_code == 200


async def test_a_question_is_a_turn_of_a_conversation_that_says_where_it_came_from(house: House) -> None:
    await post(house)
    [(session, request)] = house.turns.asked
    assert (session.channel, session.agent_id, request.message) == (Channel.API, house.agent.id, QUESTION)
    with house.record.reading() as tx:
        kept = ConversationRecords(tx).conversation(house.actor.workspace_id, session.conversation_id)
    assert kept.channel is Channel.API


async def test_each_question_has_a_conversation_of_its_own_and_a_program_is_one_visitor(house: House) -> None:
    for _ in range(2):
        await post(house)
    (first, _), (second, _) = house.turns.asked
    assert first.conversation_id != second.conversation_id
    assert first.visitor_id == second.visitor_id


async def test_whom_a_program_asks_for_is_the_visitor(house: House) -> None:
    for user in ("ann", "bob", "ann"):
        await post(house, user=user)
    ann, bob, ann_again = [session.visitor_id for session, _ in house.turns.asked]
    assert ann == ann_again != bob


async def test_only_the_websites_signature_proves_whom_a_program_asks_for(house: House) -> None:
    secret = await house.parts.get(SignedUsers).make_secret(house.actor, house.agent.id)
    assert (await post(house)).status_code == 200
    assert (await post(house, user="ann")).status_code == 200
    assert (await post(house, user="ann", user_hash=user_signature(secret, "ann"))).status_code == 200
    assert [session.is_proven for session, _ in house.turns.asked] == [False, False, True]


@pytest.mark.parametrize(
    "more",
    [
        {"user": "ann", "user_hash": "0" * 64},
        {"user": "ben", "user_hash": "{ann}"},
        {"user": "ann", "user_hash": "a.b.c"},
        {"user_hash": "{ann}"},
    ],
    ids=["made up", "another's", "a token without a provider", "of nobody"],
)
async def test_a_proof_that_is_none_is_refused_by_name(house: House, more: dict[str, str]) -> None:
    secret = await house.parts.get(SignedUsers).make_secret(house.actor, house.agent.id)
    more = {name: value.replace("{ann}", user_signature(secret, "ann")) for name, value in more.items()}
    status, error = await refused(house, **more)
    assert (status, error["param"]) == (400, "user_hash")
    assert house.turns.asked == []


async def test_a_widget_never_resumes_what_a_program_asked(house: House) -> None:
    await post(house, user="ann")
    session, _ = house.turns.asked[0]
    with house.record.reading() as tx:
        assert ConversationRecords(tx).resumable(session.visitor_id) is None
        assert ConversationRecords(tx).resumable(session.visitor_id, Channel.API) is not None


async def test_earlier_messages_are_the_history_and_others_than_the_users_question_are_not_asked(house: House) -> None:
    messages = [
        {"role": "system", "content": "You are a pirate."},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": "Nobody answered this."},
        {"role": "user", "content": "What does the team plan cost?"},
        {"role": "assistant", "content": "12 euros."},
        {"role": "tool", "content": "{}", "tool_call_id": "1"},
        {"role": "user", "content": [{"type": "text", "text": "And for schools?"}]},
    ]
    assert (await post(house, messages=messages)).status_code == 200
    [(_, request)] = house.turns.asked
    assert request.message == "And for schools?"
    assert request.earlier == (Exchange("What does the team plan cost?", "12 euros."),)


def test_the_history_is_bounded_by_number_and_length() -> None:
    past = [{"role": role, "content": f"{n} " + "x" * 9000} for n in range(20) for role in ("user", "assistant")]
    body = {"model": "Docs", "messages": [*past, {"role": "user", "content": QUESTION}]}
    _, earlier = ChatCompletionIn.model_validate_json(json.dumps(body)).exchange()
    assert [exchange.question.split()[0] for exchange in earlier] == ["14", "15", "16", "17", "18", "19"]
    assert max(len(exchange.answer) for exchange in earlier) == 4000


async def test_a_program_narrows_the_pages_that_are_asked(house: House) -> None:
    wanted = {"path_prefixes": ["/docs/"], "dated_from": "2026-01-01", "sources": [str(UUID(int=7))]}
    assert (await post(house, filter=wanted)).status_code == 200
    [(_, request)] = house.turns.asked
    assert request.only == SearchFilter((UUID(int=7),), ("/docs/",), dated_from=date(2026, 1, 1))


async def test_what_steers_a_model_is_taken_and_ignored(house: House) -> None:
    steering: Json = {"temperature": 0.2, "top_p": 1, "max_tokens": 5, "tools": [], "seed": 7, "metadata": {"a": "b"}}
    assert (await post(house, **steering, stop=["."], stream_options=None, n=1)).status_code == 200


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"n": 2}, "n"),
        ({"response_format": {"type": "json_object"}}, "response_format.type"),
        ({"modalities": ["audio"]}, "modalities.0"),
        ({"messages": [{"role": "assistant", "content": "Hello!"}]}, "messages"),
        ({"messages": [{"role": "system", "content": "Hello!"}]}, "messages"),
        ({"messages": [{"role": "user", "content": "  "}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": "x" * 4001}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages.0.content"),
        ({"user": "a\nb"}, "user"),
        ({"filters": {"path_prefixes": ["/docs/"]}}, "filters"),
        ({"retrieval_options": {"filters": {"time_cutoff": "2026-01-01"}}}, "retrieval_options"),
        ({"filter": {"paths": ["/docs/"]}}, "filter.paths"),
        ({"filter": {"path_prefixes": ["docs"]}}, "filter.path_prefixes.0"),
    ],
    ids=[
        *("choices", "json", "audio", "no question", "system alone", "blank", "long", "picture", "two lines"),
        *("another API's filters", "another API's options", "an unknown filter", "a wrong filter"),
    ],
)
async def test_what_an_agent_does_not_do_is_refused_by_name(house: House, more: Json, param: str) -> None:
    status, error = await refused(house, **more)
    assert (status, error["type"], error["param"]) == (400, "invalid_request_error", param)
    assert house.turns.asked == []


async def test_refusals_are_those_of_openais_api(house: House) -> None:
    status, error = await refused(house, model="Nobody")
    assert (status, error["code"], error["param"]) == (404, "model_not_found", "model")
    status, error = await refused(house, token="dct_nonsense")
    assert (status, error["code"], error["type"]) == (401, "invalid_api_key", "invalid_request_error")
    status, error = await refused(house, token=house.read)
    assert (status, error["code"]) == (403, "forbidden")
    house.turns.refusal = Overloaded("Too many questions are being answered right now.")
    status, error = await refused(house)
    assert (status, error["type"]) == (503, "server_error")


async def test_another_workspaces_agent_is_absent(house: House) -> None:
    for named in ("Docs", str(house.agent.id)):
        assert (await refused(house, model=named, token=house.foreign))[0] == 404


async def test_a_token_for_asking_alone_suffices(house: House) -> None:
    issued = await house.parts.get(ApiTokens).issue(house.actor, "bot", [ASK])
    assert (await post(house, token=issued.token)).status_code == 200
    assert (await house.api("GET", "/v1/agents", token=issued.token)).status_code == 403


async def test_users_and_agents_have_the_limits_of_visitors(house: House) -> None:
    await post(house, user="ann")
    agent = str(house.agent.id)
    assert [key for key in house.limiter.hits if key[0] == "ask"] == [
        ("ask", "user", agent, "ann"),
        ("ask", "agent", agent),
    ]


async def test_a_stream_comes_in_chunks_and_ends_with_done(house: House) -> None:
    response = await post(house, stream=True)
    assert response.headers["content-type"].startswith("text/event-stream")
    *frames, end = chunks(response.text)
    assert end == "[DONE]"
    assert {frame["object"] for frame in frames} == {"chat.completion.chunk"}
    assert len({frame["id"] for frame in frames}) == 1
    deltas = [frame["choices"][0]["delta"] for frame in frames]
    assert deltas[0] == {"role": "assistant", "content": ""}
    assert "".join(delta.get("content", "") for delta in deltas) == f"{SAID}\n\n1. [Pricing]({PRICING})"
    assert [len(delta["annotations"]) for delta in deltas if "annotations" in delta] == [1]
    assert [frame["choices"][0]["finish_reason"] for frame in frames] == [None] * (len(frames) - 1) + ["stop"]
    assert frames[-1]["docent"]["low_confidence"] is False


async def test_a_stream_tells_its_usage_where_it_is_asked_for(house: House) -> None:
    *_, usage, end = chunks((await post(house, stream=True, stream_options={"include_usage": True})).text)
    assert end == "[DONE]"
    assert (usage["choices"], usage["usage"]["total_tokens"]) == ([], 0)


async def test_a_turn_that_breaks_off_ends_the_stream_with_its_error(house: House) -> None:
    house.turns.script = [Token("The team "), Error("model_interrupted", "The answer broke off.", retryable=True)]
    *_, last = chunks((await post(house, stream=True)).text)
    assert last["error"]["code"] == "model_interrupted"
    assert last["error"]["type"] == "server_error"
    status, error = await refused(house)
    assert (status, error["code"]) == (502, "model_interrupted")


async def test_an_answer_that_was_cut_says_so(house: House) -> None:
    end = Done(UUID(int=1), MESSAGE_ID, AnsweredBy.MODEL, False, 0.9, Finish.LENGTH)
    house.turns.script = [Token("Long"), Citations(()), end]
    assert (await post(house)).json()["choices"][0]["finish_reason"] == "length"


def test_a_title_cannot_end_its_link_and_what_no_link_leads_to_stands_by_its_title() -> None:
    pages = [
        Citation(1, "https://www.example.com/a_(b)", "A](https://evil.example)\n<img>", None),
        Citation(2, "urn:docent:file", "Handbook, page 12", None),
    ]
    listed = source_list([CitationOut.showing(page) for page in pages])
    assert listed == (
        "\n\n1. [A\\](https://evil.example) \\<img\\>](https://www.example.com/a_%28b%29)\n2. Handbook, page 12"
    )


async def test_published_agents_are_listed_as_models(house: House) -> None:
    listed = (await house.api("GET", "/v1/models")).json()
    [model] = listed["data"]
    assert (model["id"], model["name"], model["object"]) == (str(house.agent.id), "Docs", "model")
    assert (await house.api("GET", "/v1/models/Docs")).json() == model
    assert (await house.api("GET", "/v1/models", token=house.foreign)).json()["data"] == []


async def test_two_agents_of_one_name_are_named_by_their_ids(house: House) -> None:
    made = (await house.api("POST", "/v1/agents", {"name": "Docs"})).json()
    assert (await post(house, model=made["id"])).status_code == 404  # never published
    await house.api("POST", f"/v1/agents/{made['id']}/publish", {"force": True})
    status, error = await refused(house)
    assert (status, error["param"]) == (400, "model")
    assert (await post(house, model=made["id"])).status_code == 200
