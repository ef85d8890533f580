"""A provider behind the whole house: what it does and what visitor and record then have."""

from uuid import uuid4

import pytest

from tests.doubles.fake_openai import Complain, FakeOpenAI, Pause, Refuse, Say, Stall, Tear
from tests.system.conftest import Running

QUESTION = "How long is the warranty of a lamp?"


def said(events: list[dict[str, object]]) -> str:
    return "".join(str(event["token"]) for event in events if event["event"] == "token")


async def test_tokens_stream_and_usage_is_charged_to_the_turn(running: Running, provider: FakeOpenAI) -> None:
    provider.plays(Say(["The warranty ", "is 3 years", " [1]."], usage=(321, 7)))
    events = await (await running.visitor()).ask(QUESTION)
    assert said(events) == "The warranty is 3 years [1]."
    assert events[-1]["answered_by"] == "model"
    assert not events[-1]["low_confidence"]
    assert running.rows("SELECT prompt_tokens, completion_tokens FROM usage") == [(321, 7)]


async def test_the_prompt_holds_rules_sources_and_question_and_no_more(running: Running, provider: FakeOpenAI) -> None:
    provider.plays(Say(["3 years [1]."]))
    await (await running.visitor()).ask(QUESTION)
    [asked] = provider.asked
    roles = [message["role"] for message in asked.body["messages"]]
    assert roles == ["system", "user"]
    assert "warranty of 3 years" in asked.body["messages"][1]["content"]
    assert asked.body["messages"][1]["content"].endswith(QUESTION)
    assert asked.body["stream_options"] == {"include_usage": True}


async def test_a_provider_that_is_busy_once_is_asked_again(running: Running, provider: FakeOpenAI) -> None:
    provider.plays(Refuse(429, {"retry-after-ms": "1"}), Say(["3 years [1]."]))
    events = await (await running.visitor()).ask(QUESTION)
    assert said(events) == "3 years [1]."
    assert len(provider.asked) == 2


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Refuse(429, {"retry-after-ms": "1"}), id="busy for good"),
        pytest.param(Refuse(503, {"retry-after-ms": "1"}), id="down"),
        pytest.param(Refuse(401), id="wrong key"),
        pytest.param(Stall([]), id="silent"),
        pytest.param(Tear([]), id="torn before the first token"),
        pytest.param(Complain([]), id="error object at once"),
    ],
)
async def test_before_the_first_token_the_pages_own_words_answer_instead(
    running: Running, provider: FakeOpenAI, fault: Refuse | Stall | Tear | Complain
) -> None:
    provider.plays(fault)
    events = await (await running.visitor()).ask(QUESTION)
    assert events[-1]["event"] == "done"
    assert events[-1]["answered_by"] == "extractive"
    assert "3 years" in said(events)


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Tear(["The warranty ", "is "]), id="torn stream"),
        pytest.param(Stall(["The warranty ", "is "]), id="stall"),
        pytest.param(Complain(["The warranty ", "is "]), id="error object in the stream"),
    ],
)
async def test_after_the_first_token_the_turn_ends_in_an_error_and_its_text_is_kept(
    running: Running, provider: FakeOpenAI, fault: Tear | Stall | Complain
) -> None:
    provider.plays(fault)
    events = await (await running.visitor()).ask(QUESTION)
    assert (events[-1]["event"], events[-1]["code"]) == ("error", "model_interrupted")
    assert events[-1]["retryable"] is True
    [(state,)] = running.rows("SELECT state FROM turns")
    assert state == "failed"
    [(kept,)] = running.rows("SELECT text FROM messages WHERE role = 'agent'")
    assert kept == said(events)
    assert kept.startswith("The warranty")


@pytest.mark.timeout(180)
async def test_a_visitor_who_disconnects_after_the_first_token_loses_no_turn(
    running: Running, provider: FakeOpenAI
) -> None:
    kept = 0
    for _ in range(20):
        provider.plays(Pause(["The warranty ", "is "], ["3 years [1]."]))
        visitor, turn_id = await running.visitor(), str(uuid4())
        async with visitor.asking(QUESTION, turn_id) as reader:
            while (event := await reader.next()) is not None and event["event"] != "token":
                pass
        provider.go_on()  # the visitor is gone, the answer goes on
        assert (await visitor.rejoin(turn_id))[-1]["event"] == "done"
        query = "SELECT t.state, m.text FROM turns t JOIN messages m ON m.turn_id = t.id AND m.role = 'agent'"
        kept += ("done", "The warranty is 3 years [1].") in running.rows(
            f"{query} WHERE t.id = ?", turn_id.replace("-", "")
        )
    assert kept == 20
