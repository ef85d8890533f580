"""Notices as Slack and Discord get them: what others wrote mentions nobody, links nowhere, and marks up nothing."""

import json
import re
from typing import Any

import pytest

from app.webhooks.channels.channel import ChannelKind
from app.webhooks.channels.channels import MAX_QUOTES, post_of
from app.webhooks.notice import Notice
from tests.every_row import every_row

URL = "https://docent.example.com/console/agents/1/gaps"
NOTICE = Notice("Shop: a new gap", ('"Shop" was asked what its knowledge does not answer.',), "/gaps", "See the gaps")
HOSTILE = (
    "<!channel> hello",
    "<!here|here> @everyone",
    "<@U024BE7LH> did you see it?",
    "<https://evil.example/|Docent>",
    "[Docent](https://evil.example/)",
    "https://evil.example/?a=1&b=2",
    "<#C024BE7LR> & <t:0:R> <:a:1>",
    "a\n# Title\n> quote\n```code```",
    "\u202egnp.exe",
)


def written(kind: ChannelKind, notice: Notice = NOTICE, url: str = URL, *quotes: str) -> Any:
    return json.loads(post_of(kind, notice, url, quotes)[1])


def slack_texts(*quotes: str, subject: str = "Shop") -> list[str]:
    message = written(ChannelKind.SLACK, Notice(subject, (subject,), "", "See"), URL, *quotes)
    assert all(block["text"]["verbatim"] for block in message["blocks"] if block["type"] == "section")
    return [message["text"], *(block["text"]["text"] for block in message["blocks"] if block["type"] == "section")]


def test_slack_gets_blocks_and_a_button_that_leads_to_the_console() -> None:
    message = written(ChannelKind.SLACK)
    title, said, actions = message["blocks"]
    assert (message["text"], title["text"]["text"]) == ("Shop: a new gap", "*Shop: a new gap*")
    assert said["text"]["text"] == NOTICE.paragraphs[0]
    [button] = actions["elements"]
    assert (button["type"], button["text"]["text"], button["url"]) == ("button", "See the gaps", URL)


def test_discord_gets_an_embed_and_a_button_that_leads_to_the_console() -> None:
    query, body = post_of(ChannelKind.DISCORD, NOTICE, URL)
    message = json.loads(body)
    assert query == "?with_components=true", "else Discord leaves the button out"
    [embed] = message["embeds"]
    assert embed["url"] == URL
    assert message["components"][0]["components"] == [{"type": 2, "style": 5, "label": "See the gaps", "url": URL}]


@pytest.mark.parametrize("kind", ChannelKind)
def test_a_server_that_does_not_know_where_it_is_sends_no_button(kind: ChannelKind) -> None:
    assert '"url"' not in json.dumps(written(kind, url=""))
    assert '"button"' not in json.dumps(written(kind, url=""))


@every_row("text", HOSTILE)
def test_on_slack_a_visitors_words_are_text(text: str) -> None:
    for shown in (*slack_texts(text), *slack_texts(subject=text)):
        assert "<" not in shown, "every control sequence of Slack begins with it"
        assert not re.search(r"&(?!amp;|lt;|gt;)", shown)
        assert "\u202e" not in shown
    assert slack_texts("a\n> b")[-1].count("\n") == 0, "one line, which cannot begin a block of its own"


@every_row("text", HOSTILE)
def test_on_discord_a_visitors_words_are_text(text: str) -> None:
    for message in (
        written(ChannelKind.DISCORD, NOTICE, URL, text),
        written(ChannelKind.DISCORD, Notice(text, (text,), "", "See"), URL),
    ):
        assert message["allowed_mentions"] == {"parse": []}
        assert "content" not in message, "embeds alone mention nobody"
        [embed] = message["embeds"]
        shown = embed["title"] + embed["description"].replace("> ", "", embed["description"].startswith("> "))
        bare = re.sub(r"\\[!-/:-@\[-`{-~]|\n> ", "", shown)
        assert not re.search(r"[<>@#\[\]()`*_~|:/]", bare), "each sign has a backslash before it"


def test_questions_are_few_and_short() -> None:
    quotes = tuple(f"question {number} {'x' * 4000}" for number in range(50))
    for kind in ChannelKind:
        query, body = post_of(kind, NOTICE, URL, quotes)
        assert body.count(b"question ") == MAX_QUOTES
        assert len(body) < 4000
    assert query
