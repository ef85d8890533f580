"""The agent talked to: several questions, one after the other, of its draft, as it is published, or of both."""

import json
import re
from dataclasses import replace
from html import unescape
from uuid import uuid4

import httpx2
import pytest

from app.agents.agents import Agents
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import CuratedAnswers
from app.answers.pages import MAX_TURNS
from app.answers.playground import Playground
from app.core.errors import ModelInterrupted
from tests.web.console.browser import ConsoleBrowser, text_of
from tests.web.console.page_examples import OpenConsole

STREAM = {"Accept": "text/event-stream"}


def path_of(console: OpenConsole) -> str:
    return f"/console/agents/{console.house.agent.id}/playground"


def said_on(page: str) -> str:
    """The conversation as the page keeps it."""
    found = re.search(r'name="said" value="([^"]*)"', page)
    assert found is not None
    return unescape(found[1])


async def answered(console: OpenConsole, words: str, answer: str, language: str | None = None) -> None:
    curated = CuratedAnswer(uuid4(), console.house.agent.id, Trigger.PHRASE, words, answer, language=language)
    await console.house.parts.get(CuratedAnswers).create(console.house.actor, curated)


async def ask(console: OpenConsole, question: str, said: str = "", **more: str) -> httpx2.Response:
    return await console.editor.post(path_of(console), {"question": question, "said": said, **more})


async def test_a_conversation_has_all_its_turns_and_what_made_each_answer(console: OpenConsole) -> None:
    await answered(console, "refund", "Within **30 days**.")
    first = (await ask(console, "Your refund policy, please?")).text
    second = (await ask(console, "Any news?", said_on(first), page_url="https://www.example.com/pricing")).text
    assert "<strong>30 days</strong>" in second
    assert [f'id="made-{number}-1"' in second for number in (1, 2, 3)] == [True, True, False]
    shown = text_of(second)
    assert shown.index("Your refund policy, please?") < shown.index("Within 30 days") < shown.index("Any news?")
    assert 'value="https://www.example.com/pricing"' in second, "the visitor stays on their page"
    assert [len(turn["answers"]) for turn in json.loads(said_on(second))] == [1, 1]


async def test_nothing_is_left_of_a_conversation(console: OpenConsole) -> None:
    house = console.house
    before = (await house.api("GET", f"/v1/agents/{house.agent.id}/conversations")).json()["items"]
    first = (await ask(console, "Any news of the moon?")).text
    await ask(console, "And of the sun?", said_on(first))
    assert (await house.api("GET", f"/v1/agents/{house.agent.id}/conversations")).json()["items"] == before
    assert "Any news of the moon?" not in await console.editor.page(path_of(console)), "a new one begins"


async def test_draft_and_published_answer_side_by_side_or_one_of_them(console: OpenConsole) -> None:
    house = console.house
    await answered(console, "refund", "Within 30 days.", language="de")
    await house.parts.get(Agents).change_draft(house.actor, house.agent.id, lambda draft: replace(draft, language="de"))
    question = "Your refund policy, please?"
    for version, has_it in (("draft", [True]), ("live", [False]), ("both", [True, False])):
        [turn] = json.loads(said_on((await ask(console, question, version=version)).text))
        assert [answer["text"] == "Within 30 days." for answer in turn["answers"]] == has_it, version


async def test_the_draft_answers_with_two_models_side_by_side(console: OpenConsole) -> None:
    page = (await ask(console, "Your refund policy?", model="usual", beside="none")).text
    [turn] = json.loads(said_on(page))
    assert [answer["version"] for answer in turn["answers"]] == ["usual", "none"]
    shown = text_of(page)
    assert "Trace of answer 1, the usual model" in shown
    assert "Trace of answer 1, without a model" in shown
    for wrong in ({"model": "huge"}, {"beside": "huge"}, {"model": "none", "beside": "none"}):
        assert (await ask(console, "Your refund policy?", **wrong)).status_code == 422, wrong


async def test_an_answer_is_streamed_and_then_the_page_comes(console: OpenConsole) -> None:
    await answered(console, "refund", "Within 30 days.")
    events = await streamed(console.editor, path_of(console), {"question": "Your refund policy?", "version": "both"})
    names = [name for name, _ in events]
    assert (names.count("token"), names[-1]) == (2, "page")
    assert {told["version"]: told["token"] for name, told in events if name == "token"} == {
        "draft": "Within 30 days.",
        "live": "Within 30 days.",
    }
    assert len(json.loads(said_on(events[-1][1]["html"]))) == 1


async def streamed(browser: ConsoleBrowser, path: str, form: dict[str, str]) -> list[tuple[str, dict[str, str]]]:
    response = await browser.post(path, form, **STREAM)
    assert response.headers["content-type"].startswith("text/event-stream")
    found = re.findall(r"event: (\w+)\ndata: (.*)\n\n", response.text)
    return [(name, json.loads(data)) for name, data in found]


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (ModelInterrupted("gone"), "The answer was interrupted. Ask again."),
        (RuntimeError("lost"), "Something went wrong"),
    ],
    ids=["the model breaks off", "a fault of ours"],
)
async def test_what_broke_off_keeps_the_question_and_what_was_said(
    failure: Exception, told: str, console: OpenConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    await answered(console, "refund", "Within 30 days.")
    said = said_on((await ask(console, "Your refund policy?")).text)

    async def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(console.house.parts.get(Playground), "ask", fail)
    *_, (name, page) = await streamed(console.editor, path_of(console), {"question": "And then?", "said": said})
    assert name == "page"
    assert told in page["html"]
    assert "And then?</textarea>" in page["html"]
    assert "Within 30 days." in page["html"]


async def test_what_is_wrong_stands_beside_its_field(console: OpenConsole) -> None:
    await answered(console, "refund", "Within 30 days.")
    said = said_on((await ask(console, "Your refund policy?")).text)
    response = await ask(console, "Hello there", said, page_url="nowhere")
    assert response.status_code == 422
    assert 'id="ask_playground-page_url-wrong"' in response.text
    assert "Hello there</textarea>" in response.text
    assert "Within 30 days." in response.text, "the conversation stays"


@pytest.mark.parametrize("said", ["[", "[{}]", '[{"question": "Hi", "answers": []}]', '"text"'])
async def test_a_conversation_that_the_page_did_not_write_is_refused(said: str, still_console: OpenConsole) -> None:
    response = await ask(still_console, "Hello there", said)
    assert response.status_code == 422
    assert "Start a new one." in response.text
    assert "Hello there</textarea>" in response.text


async def test_a_conversation_ends_somewhere(console: OpenConsole) -> None:
    [turn] = json.loads(said_on((await ask(console, "Any news?")).text))
    response = await ask(console, "And now?", json.dumps([turn] * MAX_TURNS))
    assert response.status_code == 422
    assert f"at most {MAX_TURNS} questions" in text_of(response.text)


async def test_a_viewer_does_not_ask(still_console: OpenConsole) -> None:
    assert "Only editors and admins can ask here" in await still_console.viewer.page(path_of(still_console))
