"""What Slack sends is checked and read, and answers are written as it writes text."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import InvalidInput
from app.core.turn import Citation
from app.messengers.messenger import MessengerKeys, MessengerQuestion
from app.messengers.service import Reply, cut_at_block
from app.messengers.slack import Slack, mrkdwn, plain
from app.providers.http_caller import HttpReply
from tests.doubles.messenger_services import SLACK_SIGNING, SLACK_TOKEN, signed_as_slack, slack_event
from tests.every_row import every_row

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
SLACK = Slack()


def test_the_example_of_their_reference_is_signed() -> None:
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V"
        b"&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text="
        b"&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
        b"&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )
    signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
    headers = {"x-slack-request-timestamp": "1531420618", "x-slack-signature": signature}
    then = datetime.fromtimestamp(1531420618, UTC)
    assert SLACK.is_signed("8f742231b10e8888abcd99yyyzzz85a5", headers, body, then)
    assert not SLACK.is_signed("8f742231b10e8888abcd99yyyzzz85a5", headers, body + b"&", then)


@pytest.mark.parametrize("seconds", [-301, 301])
def test_a_signature_is_good_for_five_minutes(seconds: int) -> None:
    headers = signed_as_slack(b"{}", NOW)
    assert SLACK.is_signed(SLACK_SIGNING, headers, b"{}", NOW)
    assert not SLACK.is_signed(SLACK_SIGNING, headers, b"{}", NOW + timedelta(seconds=seconds))


@every_row(
    "headers",
    [
        {},
        {"x-slack-request-timestamp": "now"},
        {"x-slack-request-timestamp": "١٧"},
        {"x-slack-signature": "v0=ÿ"},
        signed_as_slack(b"{}", NOW, "another secret"),
        signed_as_slack(b"[]", NOW),
    ],
    ids=str,
)
def test_what_slack_has_not_signed_is_not_heard(headers: dict[str, str]) -> None:
    whole = signed_as_slack(b"{}", NOW) | headers if len(headers) == 1 else headers
    assert not SLACK.is_signed(SLACK_SIGNING, whole, b"{}", NOW)


def test_the_address_is_confirmed() -> None:
    said = SLACK.parsed({"type": "url_verification", "token": "t", "challenge": "3eZbrw1aBm2rZgRNFdxV"})
    assert said == {"challenge": "3eZbrw1aBm2rZgRNFdxV"}


def test_a_mention_is_a_question_of_its_thread() -> None:
    asked = SLACK.parsed(slack_event("<@U0LAN0Z89> how do I <https://a.example/x|return> a lamp &amp; when? <!here>"))
    assert isinstance(asked, MessengerQuestion)
    assert asked.question == "how do I return a lamp & when?"
    assert asked.user_id == "slack:T123ABC456.U061F7AUR"
    assert asked.reply_to == {"channel": "C123ABC456", "thread_ts": "1515449522.000016"}
    again = SLACK.parsed(slack_event("<@U0LAN0Z89> and to Norway?", ts="1515449600.1", thread_ts="1515449522.000016"))
    assert isinstance(again, MessengerQuestion)
    assert (again.place, again.is_thread) == (asked.place, True)


def test_a_direct_message_is_answered_below_it() -> None:
    asked = SLACK.parsed(slack_event("And to Norway?", type="message", channel_type="im", channel="D1"))
    assert isinstance(asked, MessengerQuestion)
    assert (asked.reply_to, asked.is_thread) == ({"channel": "D1"}, False)


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast"])
def test_a_message_with_a_file_or_also_sent_to_the_channel_is_a_question(subtype: str) -> None:
    event = slack_event("How do I return this?", type="message", channel_type="im", channel="D1", subtype=subtype)
    assert isinstance(SLACK.parsed(event), MessengerQuestion)
    assert SLACK.parsed(slack_event("Hello", type="message", channel_type="im", subtype=subtype, bot_id="B1")) == {}


@every_row(
    "event",
    [
        {"bot_id": "B1"},
        {"subtype": "bot_message"},
        {"subtype": "message_changed", "type": "message", "channel_type": "im"},
        {"edited": {"user": "U1", "ts": "1"}},
        {"user": None},
        {"type": "message", "channel_type": "channel"},
        {"type": "reaction_added"},
        {"text": "<@U0LAN0Z89>"},
        {"text": 7},
    ],
    ids=str,
)
def test_programs_edits_and_everything_else_are_left_alone(event: dict[str, Any]) -> None:
    assert SLACK.parsed(slack_event(event.pop("text", "Hello"), **event)) == {}


@given(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda inner: st.dictionaries(st.text(), inner) | st.lists(inner)
    )
)
def test_whatever_it_sends_is_read(event: Any) -> None:
    assert SLACK.parsed({"type": "event_callback", "event": event}) == {}


def test_the_manifest_of_the_guide_asks_for_what_is_read_and_written() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "how-to" / "slack-discord.md").read_text("utf-8")
    manifest = yaml.safe_load(dedent(guide.partition("```yaml\n")[2].partition("   ```")[0]))
    assert manifest["oauth_config"]["scopes"]["bot"] == [
        "app_mentions:read",
        "chat:write",
        "im:history",
        "reactions:read",
    ]
    assert manifest["features"]["app_home"] == {"messages_tab_enabled": True, "messages_tab_read_only_enabled": False}


WRITTEN = [
    ("**Returns** within _30_ days", "*Returns* within _30_ days"),
    ("## Returns\n\n- one\n- two", "*Returns*\n\n• one\n• two"),
    ("See [the page](https://a.example/x?a=1&b=2).", "See <https://a.example/x?a=1&amp;b=2|the page>."),
    ("`a < b` and **a <!channel> b**", "`a &lt; b` and *a &lt;!channel&gt; b*"),
    ("```\n**no** <!here>\n```", "```\n**no** &lt;!here&gt;\n```"),
    ("Tom & Ann <!channel> <@U1> [1]", "Tom &amp; Ann &lt;!channel&gt; &lt;@U1&gt; [1]"),
    ("[click](javascript:alert(1))", "[click](javascript:alert(1))"),
    ("[a|b](https://a.example/x)", "<https://a.example/x|a¦b>"),
    ("# " * 1700 + "x", "*x*"),
    ("# **# **#", ""),
]


@every_row(("markdown", "written"), WRITTEN)
def test_markdown_is_written_as_slack_writes_it(markdown: str, written: str) -> None:
    assert mrkdwn(markdown) == written


@given(st.text(alphabet="<>!@#|&*[]()`- \nahttps:/.", max_size=60))
def test_nothing_but_a_link_of_ours_is_a_sequence_of_slacks(markdown: str) -> None:
    for part in mrkdwn(markdown).split("<")[1:]:
        assert part.startswith(("http://", "https://"))


@given(st.text(max_size=200))
def test_what_was_escaped_reads_as_it_was_written(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert plain(escaped).split() == text.split()


def test_sources_are_links_below_the_answer_and_titles_cannot_call_a_channel() -> None:
    sources = [Citation(1, "https://a.example/r", "Returns > <!channel>", None, quote="within 30 days")]
    reply = Reply("How long?", "30 days [1]", sources, ("Ask us", "mailto:help@a.example"))
    call = SLACK.answer_call({"channel": "C1", "thread_ts": "1.2"}, reply, SLACK_TOKEN)
    link = "https://a.example/r#:~:text=within%2030%20days"
    assert call.body["text"] == (
        f"30 days [1]\n\n[1] <{link}|Returns &gt; &lt;!channel&gt;>\n\n<mailto:help@a.example|Ask us>"
    )
    assert (call.body["channel"], call.body["thread_ts"]) == ("C1", "1.2")
    assert call.headers == {"Authorization": f"Bearer {SLACK_TOKEN}"}


@pytest.mark.parametrize(
    ("answered", "is_final"),
    [
        (HttpReply(200, b'{"ok": false, "error": "channel_not_found"}'), True),
        (HttpReply(429, b'{"ok": false, "error": "ratelimited"}'), False),
        (HttpReply(502, b"<html>"), False),
    ],
)
def test_what_slack_refuses_is_said(answered: HttpReply, is_final: bool) -> None:
    failure = SLACK.failure(answered, 0)
    assert failure is not None
    assert failure.is_final is is_final


def test_an_answer_is_cut_at_the_end_of_a_block() -> None:
    assert cut_at_block("one\n\ntwo", 8) == "one\n\ntwo"
    assert cut_at_block("one\n\n```\nfour\n\nfive\n```", 20) == "one\n\n…"
    assert cut_at_block("word " * 10, 20) == "word word word …"


@given(st.text(alphabet="ab \n`-", max_size=80), st.integers(10, 60))
def test_a_cut_answer_is_never_too_long(text: str, most: int) -> None:
    assert len(cut_at_block(text, most)) <= most


@pytest.mark.parametrize("keys", [("", SLACK_TOKEN), (SLACK_SIGNING, ""), (SLACK_SIGNING, "xoxp-1-2-abcdefghij")])
def test_keys_are_checked(keys: tuple[str, str]) -> None:
    with pytest.raises(InvalidInput):
        SLACK.check(MessengerKeys(*keys))
