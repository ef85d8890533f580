"""A provider behind the whole house: what it does and what visitor and record then have."""

from uuid import UUID, uuid4

from tests.doubles.fake_openai import FakeOpenAI, Pause, Say
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
        kept += ("done", "The warranty is 3 years [1].") in running.rows(f"{query} WHERE t.id = ?", UUID(turn_id).bytes)
    assert kept == 20
