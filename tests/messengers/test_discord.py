"""What Discord sends is checked and read, and answers are put in their place there."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import InvalidInput
from app.core.turn import Citation
from app.messengers.discord import Discord
from app.messengers.messenger import MessengerKeys, MessengerQuestion
from app.messengers.service import Reply
from app.providers.http_caller import HttpReply
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.messenger_services import DISCORD_KEY, discord_question, signed_as_discord
from tests.every_row import every_row

NOW = FixedClock().now()
DISCORD = Discord()
PLACE = {"application_id": "775799577604522054", "token": "A_UNIQUE_TOKEN"}


def content(reply: Reply) -> str:
    call = DISCORD.answer_call(PLACE, reply, "")
    assert call.body["allowed_mentions"] == {"parse": ()}
    text: str = call.body["content"]
    return text


def test_what_discord_has_signed_is_heard() -> None:
    assert DISCORD.is_signed(DISCORD_KEY, signed_as_discord(b"{}", NOW), b"{}", NOW)


@every_row(
    "headers",
    [
        {"x-signature-ed25519": ""},
        {"x-signature-ed25519": "zz"},
        {"x-signature-ed25519": "00" * 64},
        {"x-signature-timestamp": "0"},
        signed_as_discord(b"[]", NOW),
    ],
    ids=str,
)
def test_what_it_has_not_signed_is_not(headers: dict[str, str]) -> None:
    assert not DISCORD.is_signed(DISCORD_KEY, signed_as_discord(b"{}", NOW) | headers, b"{}", NOW)


def test_a_ping_is_answered() -> None:
    assert DISCORD.parsed({"type": 1, "id": "1", "token": "t"}) == {"type": 1}


@pytest.mark.parametrize("is_direct", [True, False])
def test_the_command_is_a_question(is_direct: bool) -> None:
    asked = DISCORD.parsed(discord_question(" How long? ", is_direct=is_direct))
    who, where = "discord:53908232506183680", "645027906669510667"
    assert asked == MessengerQuestion("786008729715212338", who, "How long?", where, PLACE)


@given(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda inner: st.dictionaries(st.text(), inner) | st.lists(inner)
    )
)
def test_whatever_else_it_sends_is_refused_for_the_sender_alone(said: Any) -> None:
    answered = DISCORD.parsed({**discord_question("x"), "data": said})
    assert isinstance(answered, dict)
    assert (answered["type"], answered["data"]["flags"]) == (4, 64)


@pytest.mark.parametrize("token", ["../../channels/1/messages", "", "a/b"])
def test_the_token_of_an_interaction_leads_nowhere_else(token: str) -> None:
    assert not isinstance(DISCORD.parsed({**discord_question("x"), "token": token}), MessengerQuestion)


def test_an_answer_has_its_question_its_sources_and_the_way_to_people() -> None:
    sources = [Citation(1, "https://a.example/r", "Returns\n@everyone", None)]
    reply = Reply("How\nlong?", "**30 days** [1]", sources, ("Ask us", "mailto:help@a.example"))
    assert content(reply) == (
        "> How long?\n**30 days** [1]\n\n[1] Returns @everyone: <https://a.example/r>\n\nAsk us: help@a.example"
    )


@given(
    st.text(alphabet="ab \n`", max_size=4000),
    st.lists(st.integers(1, 900), max_size=6),
    st.integers(1, 2048),
)
def test_an_answer_has_at_most_two_thousand_characters(text: str, titles: list[int], address: int) -> None:
    sources = [Citation(n, "https://a.example/", "t" * size, None) for n, size in enumerate(titles, 1)]
    assert len(content(Reply("q" * 500, text, sources, ("Ask us", "https://a.example/" + "x" * address)))) <= 2000


@every_row(
    ("status", "age", "is_final"), [(404, 2, False), (404, 901, True), (429, 2, False), (502, 2, False), (400, 2, True)]
)
def test_what_discord_refuses_is_tried_again_while_it_helps(status: int, age: float, is_final: bool) -> None:
    failure = DISCORD.failure(HttpReply(status, json.dumps({"message": "Unknown Webhook"}).encode()), age)
    assert failure is not None
    assert (failure.is_final, "Unknown Webhook" in failure.reason) == (is_final, True)
    assert DISCORD.failure(HttpReply(200, b"{}"), age) is None


@pytest.mark.parametrize("keys", [("", ""), (DISCORD_KEY, "a token"), ("z" * 64, "")])
def test_keys_are_checked(keys: tuple[str, str]) -> None:
    DISCORD.check(MessengerKeys(DISCORD_KEY))
    with pytest.raises(InvalidInput):
        DISCORD.check(MessengerKeys(*keys))
