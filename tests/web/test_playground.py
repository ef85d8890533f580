"""The agent asked as a visitor would ask it: the whole answer, its trace, and nothing left behind."""

import json
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import CuratedAnswers
from app.answers.playground import Playground, PlaygroundAnswer, PlaygroundQuestion
from app.providers.chat.chat_model import ChatMessage
from tests.web.house import UNKNOWN, House


def events_of(body: str) -> list[tuple[str, dict[str, Any]]]:
    blocks = [block.splitlines() for block in body.split("\n\n") if block.startswith("id:")]
    return [(lines[1].removeprefix("event: "), json.loads(lines[2].removeprefix("data: "))) for lines in blocks]


async def open_hours(house: House) -> None:
    answer = CuratedAnswer(uuid4(), house.agent.id, Trigger.PHRASE, "hours", "From 9 to 17.")
    await house.parts.get(CuratedAnswers).create(house.actor, answer)


async def test_a_question_in_vain_says_why_and_leaves_nothing(house: House) -> None:
    told = (await house.api("POST", f"/v1/agents/{house.agent.id}/playground", {"question": "Any news?"})).json()
    assert (told["answered_by"], told["gap"], told["low_confidence"]) == ("fallback", "low_confidence", True)
    assert (told["search"]["chunks"], told["prompt"]) == ([], [])
    for left in ("conversations", "gaps"):
        assert (await house.api("GET", f"/v1/agents/{house.agent.id}/{left}")).json()["items"] == []


async def test_the_prompt_is_shown_as_the_chat_model_got_it(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    found = house.parts.get(Playground).ask

    async def prompted(*asked: Any) -> PlaygroundAnswer:
        prompt = (ChatMessage("system", "Be brief.", shared_chars=9), ChatMessage("user", "Any news?"))
        return replace(await found(*asked), prompt=prompt)

    monkeypatch.setattr(house.parts.get(Playground), "ask", prompted)
    told = await house.api("POST", f"/v1/agents/{house.agent.id}/playground", {"question": "Any news?"})
    assert told.json()["prompt"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Any news?"},
    ]


async def test_two_models_answer_side_by_side(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    found, path = house.parts.get(Playground).ask, f"/v1/agents/{house.agent.id}/playground"

    async def named(workspace: UUID, agent: UUID, asked: PlaygroundQuestion, *others: Any) -> PlaygroundAnswer:
        return replace(await found(workspace, agent, asked, *others), answer=f"By {asked.model}.")

    monkeypatch.setattr(house.parts.get(Playground), "ask", named)
    told = (await house.api("POST", path, {"question": "Any news?", "models": ["usual", "none"]})).json()
    assert (told["answer"], [other["answer"] for other in told["others"]]) == ("By usual.", ["By none."])
    streamed = await house.api("POST", f"{path}/stream", {"question": "Any news?", "models": ["none"]})
    assert dict(events_of(streamed.text))["trace"]["answer"] == "By none."


@pytest.mark.parametrize(
    ("models", "of", "how_many"),
    [
        (["huge"], "playground", "one or two"),
        (["none", "none"], "playground", "one or two"),
        (["usual", "none"], "playground/stream", "one"),
    ],
)
async def test_models_that_cannot_be_asked_are_named(house: House, models: list[str], of: str, how_many: str) -> None:
    path = f"/v1/agents/{house.agent.id}/{of}"
    refused = (await house.api("POST", path, {"question": "Any news?", "models": models})).json()["error"]
    assert (refused["field"], refused["message"]) == ("models", f"models: Choose {how_many} of: usual, none.")


async def test_a_curated_answer_is_given_as_visitors_get_it(house: House) -> None:
    await open_hours(house)
    told = (await house.api("POST", f"/v1/agents/{house.agent.id}/playground", {"question": "Your hours?"})).json()
    assert (told["answer"], told["answered_by"], told["search"]) == ("From 9 to 17.", "curated", None)
    [answer] = (await house.api("GET", f"/v1/agents/{house.agent.id}/curated-answers")).json()["items"]
    assert (answer["id"], answer["hits"]) == (told["curated_answer_id"], 0)


async def test_a_stream_has_a_turns_events_and_the_trace(house: House) -> None:
    await open_hours(house)
    response = await house.api("POST", f"/v1/agents/{house.agent.id}/playground/stream", {"question": "Your hours?"})
    assert response.headers["content-type"].startswith("text/event-stream")
    events = events_of(response.text)
    assert [name for name, _ in events] == ["start", "status", "token", "trace", "done"]
    assert all(data["event"] == name for name, data in events)
    assert events[2][1]["token"] == events[3][1]["answer"] == "From 9 to 17."
    assert events[4][1]["answered_by"] == "curated"


async def test_a_stream_that_fails_ends_with_an_error(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def lost(*_: object) -> None:
        raise RuntimeError("lost")

    monkeypatch.setattr(house.parts.get(Playground), "ask", lost)
    response = await house.api("POST", f"/v1/agents/{house.agent.id}/playground/stream", {"question": "Hello?"})
    assert [name for name, _ in events_of(response.text)] == ["start", "error"]


async def test_an_agent_that_is_not_there_is_told_before_the_stream(house: House) -> None:
    for path in ("playground", "playground/stream"):
        for token, agent in ((house.write, UNKNOWN), (house.foreign, house.agent.id)):
            response = await house.api("POST", f"/v1/agents/{agent}/{path}", {"question": "Hello?"}, token)
            assert response.status_code == 404
    refused = await house.api("POST", f"/v1/agents/{house.agent.id}/playground", {"question": "Hi", "page_url": "x"})
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "page_url")


async def test_a_filter_takes_attributes_and_names_what_is_wrong_in_it(house: House) -> None:
    path = f"/v1/agents/{house.agent.id}/playground"
    only = {
        "path_prefixes": ["/docs/"],
        "attributes": [{"name": "plan", "values": ["pro"]}],
        "dated_from": "2026-01-01",
    }
    assert (await house.api("POST", path, {"question": "Any news?", "filter": only})).status_code == 200
    wrong = {"attributes": [{"name": "plan", "values": ["pro"]}, {"name": "a b", "values": ["x"]}]}
    refused = await house.api("POST", path, {"question": "Any news?", "filter": wrong})
    assert refused.status_code == 422
    assert "filter.attributes.1" in refused.json()["error"]["message"]


async def test_an_agents_own_filter_takes_attributes(house: House) -> None:
    only = {"attributes": [{"name": "plan", "values": ["pro", "plus"]}]}
    path = f"/v1/agents/{house.agent.id}"
    assert (await house.api("PATCH", path, {"retrieval": {"filter": only}})).status_code == 200
    draft = (await house.api("GET", path)).json()["draft"]
    assert draft["retrieval"]["filter"]["attributes"] == only["attributes"]
