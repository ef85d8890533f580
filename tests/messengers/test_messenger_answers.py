"""Questions in Slack and Discord are taken once and answered there, over the answering room with small doubles."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.agents.widget_settings import Fallback
from app.conversations.privacy.records import VisitorRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import InvalidInput, Unauthorized
from app.core.turn import AnsweredBy, StoredTurn
from app.messengers.messenger import Messenger, MessengerKeys, MessengerKind
from app.messengers.messenger_answers import MessengerAnswers
from app.messengers.messengers import Messengers
from app.messengers.records import MESSENGER_QUESTIONS
from app.messengers.service import reply_of
from app.providers.http_caller import HttpReply
from app.web.limits_policy import LimitsPolicy
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.counting_rate_limiter import CountingRateLimiter
from tests.doubles.messenger_services import (
    DISCORD_KEY,
    SLACK_SIGNING,
    SLACK_TOKEN,
    MessengerServices,
    discord_click,
    discord_question,
    signed_as_discord,
    signed_as_slack,
    slack_event,
    slack_reaction,
)

HOW_LONG = "How many days do I have to return a lamp?"
WHO = "Who founded the company?"
HELP = Fallback("mailto:help@lamps.example", "Write to us")


@dataclass
class Team:
    """Ann asks; a worker answers."""

    house: AnsweringHouse
    services: MessengerServices = field(default_factory=MessengerServices)
    limits: LimitsPolicy = field(default_factory=LimitsPolicy)
    limiter: CountingRateLimiter = field(default_factory=CountingRateLimiter)

    @property
    def actor(self) -> Actor:
        return Actor(self.house.workspace_id, "operator@lamps.example", frozenset((READ, WRITE)))

    @property
    def messengers(self) -> Messengers:
        return Messengers(self.house.record, self.limiter, self.limits, self.house.clock)

    @property
    def answers(self) -> MessengerAnswers:
        house = self.house
        return MessengerAnswers(house.record, house.turns, self.services, house.clock, luck=lambda: 0.5)

    async def connect(self, signing: str = SLACK_SIGNING, token: str = SLACK_TOKEN) -> Messenger:
        keys = MessengerKeys(signing, token)
        return await self.messengers.set(self.actor, self.house.agent_id, MessengerKind.SLACK, keys)

    async def only(self) -> Messenger:
        [found] = await self.messengers.messengers(self.actor, self.house.agent_id)
        return found

    async def send(self, said: dict[str, Any], secret: str = SLACK_SIGNING) -> Any:
        body = json.dumps(said).encode()
        headers = signed_as_slack(body, self.house.clock.now(), secret)
        return await self.messengers.receive(self.house.agent_id, MessengerKind.SLACK, headers, body)

    async def ask(self, text: str, *, event_id: str = "", **event: Any) -> list[dict[str, Any]]:
        """The messages that answer it."""
        before = len(self.services.messages)
        assert await self.send(slack_event(text, event_id=event_id or f"Ev {text} {event}", **event)) == {}
        await self.answers.deliver()
        return self.services.messages[before:]

    def turns(self) -> list[StoredTurn]:
        with self.house.record.writing() as tx:
            found = tx.connection.scalars(
                select(MESSENGER_QUESTIONS.c.conversation_id).order_by(MESSENGER_QUESTIONS.c.id)
            )
            return [turn for each in dict.fromkeys(found) for turn in StoredTurnRecords(tx).of_conversation(each)]


def stored(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("docent.sqlite*"))


@pytest.fixture
async def team(tmp_path: Path) -> AsyncIterator[Team]:
    config = AgentConfig(name="Lamp helper", confidence_threshold=0.5, fallback=HELP)
    async with answering_house(tmp_path, config=config) as house:
        yield Team(house)


async def test_a_mention_is_answered_in_its_thread_with_its_sources(team: Team) -> None:
    await team.connect()
    [message] = await team.ask(f"<@U0LAN0Z89> {HOW_LONG}")
    assert (message["channel"], message["thread_ts"]) == ("C123ABC456", "1515449522.000016")
    assert "30 days" in message["text"]
    assert "[1] <https://lamps.example/returns" in message["text"]
    assert "Write to us" not in message["text"]
    [turn] = team.turns()
    assert turn.question == HOW_LONG
    assert (await team.only()).answered_at == team.house.clock.now()


async def test_what_is_not_sure_is_said_as_in_the_widget_with_the_way_to_people(team: Team) -> None:
    await team.connect()
    [message] = await team.ask(f"<@U0LAN0Z89> {WHO}")
    [turn] = team.turns()
    assert turn.low_confidence
    assert message["text"].startswith(turn.answer.split("\n")[0][:20])
    assert message["text"].endswith("<mailto:help@lamps.example|Write to us>")


async def test_an_event_that_comes_again_is_answered_once(team: Team) -> None:
    await team.connect()
    assert len(await team.ask(HOW_LONG, event_id="Ev1")) == 1
    assert await team.ask(HOW_LONG, event_id="Ev1") == []
    assert len(team.turns()) == 1


async def test_a_thread_is_a_conversation_of_each_who_asks_there(team: Team) -> None:
    await team.connect()
    await team.ask(HOW_LONG)
    team.house.clock.advance(3 * 86400)
    [message] = await team.ask("And shipping a lamp to Norway?", ts="1.1", thread_ts="1515449522.000016")
    assert message["thread_ts"] == "1515449522.000016"
    await team.ask("And the warranty?", ts="1.2", thread_ts="1515449522.000016", user="U2")
    await team.ask("And the postage?", ts="1.3")
    first, second, of_another, elsewhere = team.turns()
    assert first.conversation_id == second.conversation_id
    assert len({turn.conversation_id for turn in (first, of_another, elsewhere)}) == 3
    assert first.visitor_id == elsewhere.visitor_id != of_another.visitor_id


async def test_direct_messages_go_on_for_a_day(team: Team) -> None:
    await team.connect()
    direct = {"type": "message", "channel_type": "im", "channel": "D1"}
    [message] = await team.ask(HOW_LONG, **direct, ts="1.1")
    assert "thread_ts" not in message
    await team.ask("And shipping a lamp to Norway?", **direct, ts="1.2")
    team.house.clock.advance(86401)
    await team.ask("And the warranty?", **direct, ts="1.3")
    assert [len({turn.conversation_id for turn in team.turns()[:count]}) for count in (2, 3)] == [1, 2]


async def test_two_questions_at_once_are_answered_in_order(team: Team) -> None:
    await team.connect()
    direct = {"type": "message", "channel_type": "im", "channel": "D1"}
    await team.send(slack_event(HOW_LONG, event_id="Ev1", **direct))
    await team.send(slack_event("How long does shipping a lamp to Norway take?", event_id="Ev2", **direct))
    await team.answers.deliver()
    first, second = team.services.messages
    assert "30 days" in first["text"]
    assert "5 days" in second["text"]


async def test_what_would_outlast_the_lease_is_left_for_whoever_claims_it_next(team: Team) -> None:
    class Slow(MessengerServices):
        async def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpReply:
            team.house.clock.advance(160)
            return await super().call(method, url, headers, body)

    await team.connect()
    team.services = Slow()
    for number in range(3):
        await team.send(slack_event(HOW_LONG, event_id=f"Ev{number}"))
    await team.answers.deliver()
    assert len(team.services.messages) == 1
    team.house.clock.advance(MessengerAnswers.LEASE.total_seconds())
    while await team.answers.deliver():
        team.house.clock.advance(MessengerAnswers.LEASE.total_seconds())
    assert len(team.services.messages) == 3


async def test_only_what_slack_has_signed_is_heard(team: Team) -> None:
    with pytest.raises(Unauthorized):
        await team.send(slack_event(HOW_LONG))
    await team.connect()
    with pytest.raises(Unauthorized):
        await team.send(slack_event(HOW_LONG), secret="another")
    assert await team.send({"type": "url_verification", "challenge": "abc"}) == {"challenge": "abc"}
    assert await team.answers.deliver() == 0


async def test_who_asks_too_much_is_not_answered(team: Team) -> None:
    team.limits = replace(team.limits, questions_per_visitor=2, questions_per_visitor_day=3)
    await team.connect()
    assert [len(await team.ask(f"{HOW_LONG} {n}")) for n in range(3)] == [1, 1, 0]
    assert len(await team.ask(HOW_LONG, user="U2")) == 1, "others are"
    team.limits = replace(team.limits, questions_per_visitor=20)
    assert [len(await team.ask(f"{HOW_LONG} {n}", user="U3")) for n in range(4)] == [1, 1, 1, 0]


async def test_a_message_that_was_not_posted_is_posted_later_and_asked_once(team: Team) -> None:
    await team.connect()
    team.services.is_away = True
    assert await team.ask(HOW_LONG) == []
    assert (await team.only()).last_error == "nobody answers"
    team.services.is_away, team.services.errors = False, ["ratelimited"]
    for _ in range(2):
        team.house.clock.advance(360)
        await team.answers.deliver()
    assert len(team.services.messages) == 1
    assert (await team.only()).last_error == ""
    assert len(team.turns()) == 1


async def test_what_helps_no_more_is_given_up(team: Team) -> None:
    await team.connect()
    team.services.errors = ["not_in_channel"]
    assert await team.ask(HOW_LONG) == []
    team.house.clock.advance(86400)
    assert await team.answers.deliver() == 0
    assert "not_in_channel" in (await team.only()).last_error
    team.house.clock.advance(15 * 86400)
    assert await team.answers.forget() == 1


async def test_a_worker_that_dies_asks_nothing_twice(team: Team) -> None:
    await team.connect()
    await team.send(slack_event(HOW_LONG))
    [due] = await team.house.record.write(team.answers._claim)
    assert await team.answers.deliver() == 0, "it is claimed"
    await team.answers._turn(due)
    team.house.clock.advance(MessengerAnswers.LEASE.total_seconds())
    await team.answers.deliver()
    assert len(team.services.messages) == 1
    assert len(team.turns()) == 1


async def test_an_agent_that_is_paused_says_so_with_the_way_to_people(team: Team) -> None:
    await team.connect()
    with team.house.record.writing() as tx:
        AgentRecords(tx).pause(team.house.workspace_id, team.house.agent_id, True)
    [message] = await team.ask(HOW_LONG)
    assert message["text"].endswith("<mailto:help@lamps.example|Write to us>")
    assert "30 days" not in message["text"]
    assert team.turns() == []


async def test_keys_lie_sealed_and_change_together(team: Team, tmp_path: Path) -> None:
    first = await team.connect()
    assert SLACK_SIGNING.encode() not in stored(tmp_path)
    assert SLACK_TOKEN.encode() not in stored(tmp_path)
    assert (await team.connect("", "")).id == first.id
    assert (await team.connect(f"{SLACK_SIGNING} ", f"  {SLACK_TOKEN}\n")).id == first.id
    for signing, token in ((SLACK_SIGNING, ""), ("", SLACK_TOKEN)):
        with pytest.raises(InvalidInput, match="as Slack shows it"):
            await team.connect(signing, token)
    assert len(await team.ask(HOW_LONG)) == 1
    with pytest.raises(InvalidInput, match="Slack shows it"):
        await team.connect("", "xoxp-of-a-user")


async def test_a_thumb_below_an_answer_is_the_rating_of_who_asked(team: Team) -> None:
    await team.connect()
    await team.ask(HOW_LONG)
    ts = "1700000001.000001"
    for reaction in (
        slack_reaction("+1", ts, user="U2"),
        slack_reaction("eyes", ts),
        slack_reaction("+1", ts, channel="C2"),
        slack_reaction("+1", ""),
    ):
        assert await team.send(reaction) == {}
    assert [turn.rating for turn in team.turns()] == [None]
    for thumb, rating in (("+1::skin-tone-2", "up"), ("thumbsdown", "down")):
        assert await team.send(slack_reaction(thumb, ts)) == {}
        assert [turn.rating for turn in team.turns()] == [rating]


async def test_who_asks_for_a_person_gets_the_way_to_people(team: Team) -> None:
    await team.connect()
    [message] = await team.ask("Can I talk to a person?")
    assert message["text"].strip() == "<mailto:help@lamps.example|Write to us>"
    [turn] = team.turns()
    curated = replace(turn, answered_by=AnsweredBy.CURATED, answer="Call 123.")
    assert reply_of(turn.question, curated, HELP, "en").text == "Call 123."


async def ask_in_discord(team: Team, text: str, interaction_id: str = "1") -> Any:
    return await send_to_discord(team, discord_question(text, interaction_id=interaction_id))


async def send_to_discord(team: Team, payload: dict[str, Any]) -> Any:
    body = json.dumps(payload).encode()
    headers = signed_as_discord(body, team.house.clock.now())
    return await team.messengers.receive(team.house.agent_id, MessengerKind.DISCORD, headers, body)


async def connect_discord(team: Team) -> None:
    await team.messengers.set(team.actor, team.house.agent_id, MessengerKind.DISCORD, MessengerKeys(DISCORD_KEY))


async def test_the_command_in_discord_is_answered_in_the_place_of_its_thinking(team: Team) -> None:
    await connect_discord(team)
    team.services.thinking = {"A_UNIQUE_TOKEN"}
    assert await ask_in_discord(team, HOW_LONG) == {"type": 5}
    assert await team.answers.deliver() == 0, "Discord has to hear of it first"
    team.house.clock.advance(1)
    await team.answers.deliver()
    [message] = team.services.messages
    assert message["content"].startswith(f"> {HOW_LONG}\n")
    assert "30 days" in message["content"]
    assert "[1] Returns: <https://lamps.example/returns" in message["content"]
    assert message["allowed_mentions"] == {"parse": []}


async def test_a_button_in_discord_is_the_rating_of_who_asked(team: Team) -> None:
    await connect_discord(team)
    team.services.thinking = {"A_UNIQUE_TOKEN"}
    await ask_in_discord(team, HOW_LONG)
    team.house.clock.advance(1)
    await team.answers.deliver()
    [message] = team.services.messages
    [row] = message["components"]
    assert [button["custom_id"] for button in row["components"]] == ["up", "down"]
    refused = await send_to_discord(team, discord_click("down", "91", user="2"))
    assert refused["data"]["content"] == "Only the person who asked can rate an answer."
    assert [turn.rating for turn in team.turns()] == [None]
    thanked = await send_to_discord(team, discord_click("down", "91"))
    assert (thanked["data"]["content"], thanked["data"]["flags"]) == ("Thank you.", 64)
    assert [turn.rating for turn in team.turns()] == ["down"]


async def test_discord_is_answered_for_a_quarter_of_an_hour(team: Team) -> None:
    await connect_discord(team)
    await ask_in_discord(team, HOW_LONG)
    for _ in range(5):
        team.house.clock.advance(400)
        await team.answers.deliver()
    assert await team.answers.deliver() == 0
    assert "Unknown Webhook" in (await team.only()).last_error
    team.house.clock.advance(86400)
    assert await team.answers.deliver() == 0, "it was given up"


async def test_who_asks_too_much_in_discord_is_told_alone(team: Team) -> None:
    team.limits = replace(team.limits, questions_per_visitor=1)
    await connect_discord(team)
    await ask_in_discord(team, HOW_LONG)
    refused = await ask_in_discord(team, WHO, "2")
    assert (refused["type"], refused["data"]["flags"]) == (4, 64)
    assert "Too many" in refused["data"]["content"]


async def test_an_interaction_that_is_replayed_is_answered_once(team: Team) -> None:
    await connect_discord(team)
    team.services.thinking = {"A_UNIQUE_TOKEN"}
    for _ in range(2):
        await ask_in_discord(team, HOW_LONG)
        team.house.clock.advance(1)
        await team.answers.deliver()
    assert len(team.services.messages) == 1


async def test_what_was_needed_to_answer_is_not_kept(team: Team) -> None:
    await team.connect()
    await team.ask(HOW_LONG)
    with team.house.record.writing() as tx:
        [row] = tx.connection.execute(select(MESSENGER_QUESTIONS)).all()
    assert (row.question, row.reply_to) == ("", {"message": "C123ABC456 1700000001.000001"})


async def test_a_visitor_who_is_erased_leaves_nothing(team: Team) -> None:
    await team.connect()
    await team.ask(HOW_LONG)
    with team.house.record.writing() as tx:
        [visitor_id] = tx.connection.scalars(select(MESSENGER_QUESTIONS.c.visitor_id))
        VisitorRecords(tx).erase(team.house.workspace_id, visitor_id)
        assert tx.connection.execute(select(MESSENGER_QUESTIONS)).all() == []


async def test_one_that_was_disconnected_hears_and_answers_nothing(team: Team) -> None:
    messenger = await team.connect()
    await team.send(slack_event(HOW_LONG))
    await team.messengers.clear(team.actor, team.house.agent_id, messenger.id)
    assert await team.answers.deliver() == 0
    with pytest.raises(Unauthorized):
        await team.send(slack_event(HOW_LONG, event_id="Ev2"))
