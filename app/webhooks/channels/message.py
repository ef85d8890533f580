"""A notice as Slack and Discord take it. What others wrote is text there: it mentions nobody and links nowhere.

Slack: https://docs.slack.dev/messaging/formatting-message-text, https://docs.slack.dev/reference/block-kit
Discord: https://discord.com/developers/docs/resources/webhook#execute-webhook
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from app.mail.mail import one_line
from app.webhooks.channels.channel import ChannelKind
from app.webhooks.notices.notice import Notice

MAX_QUOTES: Final = 5
_QUOTE_CHARS: Final = 200
_LINE_CHARS: Final = 400
_TITLE_CHARS: Final = 120  # of 256 that Discord takes, each of which may get a backslash
_MARK: Final = re.compile(r"[!-/:-@\[-`{-~]")  # the punctuation of ASCII
_BLUE: Final = 0x1F4FD8
_ROW, _BUTTON, _LINK = 1, 2, 5  # Discord's numbers of components and styles


def post_of(kind: ChannelKind, notice: Notice, url: str, quotes: Sequence[str] = ()) -> tuple[str, bytes]:
    """The query string to append to the channel's address, and the body. `url` is the button's target, "" for no
    button. `quotes` are visitors' questions."""
    said = [one_line(quote, _QUOTE_CHARS) for quote in quotes[:MAX_QUOTES]]
    lines = [one_line(line, _LINE_CHARS) for part in notice.paragraphs for line in part.split("\n")]
    notice = replace(notice, paragraphs=tuple(lines))
    message = _slack(notice, url, said) if kind is ChannelKind.SLACK else _discord(notice, url, said)
    query = "?with_components=true" if kind is ChannelKind.DISCORD else ""
    return query, json.dumps(message, separators=(",", ":")).encode()


def slack_text(text: str) -> str:
    """For texts sent as "verbatim", in which Slack interprets only its own sequences, which begin with "<"."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def discord_text(text: str) -> str:
    """Escapes every punctuation character with a backslash, so that nothing is formatted or linked."""
    return _MARK.sub(r"\\\g<0>", text)


def _slack(notice: Notice, url: str, quotes: Sequence[str]) -> dict[str, Any]:
    title = slack_text(one_line(notice.subject, _TITLE_CHARS))
    blocks = [_section(f"*{title}*"), _section(slack_text("\n".join(notice.paragraphs)))]
    if quotes:
        blocks.append(_section("\n".join(f"> {slack_text(quote)}" for quote in quotes)))
    if url:
        button = {"type": "button", "text": {"type": "plain_text", "text": notice.action}, "url": url}
        blocks.append({"type": "actions", "elements": [button]})
    return {"text": title, "blocks": blocks, "unfurl_links": False, "unfurl_media": False}


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _discord(notice: Notice, url: str, quotes: Sequence[str]) -> dict[str, Any]:
    said = [*notice.paragraphs, *quotes]
    marks = [""] * len(notice.paragraphs) + ["> "] * len(quotes)
    embed: dict[str, Any] = {
        "title": discord_text(one_line(notice.subject, _TITLE_CHARS)),
        "description": "\n".join(mark + discord_text(text) for mark, text in zip(marks, said, strict=True)),
        "color": _BLUE,
    }
    message: dict[str, Any] = {"embeds": [embed], "allowed_mentions": {"parse": []}}
    if url:
        embed["url"] = url
        button = {"type": _BUTTON, "style": _LINK, "label": notice.action, "url": url}
        message["components"] = [{"type": _ROW, "components": [button]}]
    return message
