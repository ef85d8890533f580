"""Operators add, test and remove channels of teams; notices are delivered to them at least once."""

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4

import structlog

from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.text.untrusted_text import one_line
from app.core.webhook_event import News, WebhookEvent, event_of
from app.kit.clock import Clock
from app.kit.wiring import Wired
from app.mail.mailer import Mailer
from app.store.delivery_loop import DeliveryLoop, DeliveryState, Luck, Outcome, Undelivered
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.webhooks.channels.channel import MAX_CHANNELS, NAME, ChannelKind, NoticeChannel, channel_kind
from app.webhooks.channels.records import NoticeChannelRecords, NoticePostRecords, WaitingPost
from app.webhooks.notice import Notice, notice_of, noticed
from app.webhooks.webhook import WebhookSender
from app.workspaces.audit_entry import changes_of
from app.workspaces.records.audit import AuditRecords

MAX_QUOTES: Final = 5
_QUOTE_CHARS: Final = 200
_LINE_CHARS: Final = 400
_TITLE_CHARS: Final = 120  # Discord accepts 256, and each character may need a backslash
_MARK: Final = re.compile(r"[!-/:-@\[-`{-~]")  # the punctuation of ASCII
_BLUE: Final = 0x1F4FD8
_ROW, _BUTTON, _LINK = 1, 2, 5  # Discord's component types and button style


def post_of(kind: ChannelKind, notice: Notice, url: str, quotes: Sequence[str] = ()) -> tuple[str, bytes]:
    """The query string to append to the channel's address, and the body of the post. `url` is the button's target, ""
    for no button. `quotes` has visitors' questions."""
    quoted = [one_line(quote, _QUOTE_CHARS) for quote in quotes[:MAX_QUOTES]]
    lines = [one_line(line, _LINE_CHARS) for part in notice.paragraphs for line in part.split("\n")]
    notice = replace(notice, paragraphs=tuple(lines))
    query, message_of = _SERVICES[kind]
    return query, json.dumps(message_of(notice, url, quoted), separators=(",", ":")).encode()


def slack_text(text: str) -> str:
    """Escape a text that is sent as "verbatim", in which Slack interprets only sequences that begin with "<"."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def discord_text(text: str) -> str:
    """Escape all punctuation with backslashes, so that Discord formats and links nothing."""
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
    paragraphs = [*notice.paragraphs, *quotes]
    marks = [""] * len(notice.paragraphs) + ["> "] * len(quotes)
    embed: dict[str, Any] = {
        "title": discord_text(one_line(notice.subject, _TITLE_CHARS)),
        "description": "\n".join(mark + discord_text(text) for mark, text in zip(marks, paragraphs, strict=True)),
        "color": _BLUE,
    }
    message: dict[str, Any] = {"embeds": [embed], "allowed_mentions": {"parse": []}}
    if url:
        embed["url"] = url
        button = {"type": _BUTTON, "style": _LINK, "label": notice.action, "url": url}
        message["components"] = [{"type": _ROW, "components": [button]}]
    return message


_SERVICES: Final = {ChannelKind.SLACK: ("", _slack), ChannelKind.DISCORD: ("?with_components=true", _discord)}

CHANNELS_PATH = "/console/notices/channels"
JSON_HEADERS = {"Content-Type": "application/json", "User-Agent": "Docent-Notices"}

changes_of(
    "notice_channel",
    "Channel",
    "Notice channels",
    {"create": "Notice channel added", "delete": "Notice channel removed"},
)


@dataclass(frozen=True, slots=True)
class ChannelView:
    channel: NoticeChannel
    state: DeliveryState


class NoticeChannels(Wired):
    """Every method raises NotFound for what does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _sender: WebhookSender
    _mailer: Mailer
    _clock: Clock

    @reads
    def of_workspace(self, tx: Transaction, actor: Actor) -> list[ChannelView]:
        """Oldest first."""
        channels, states = NoticeChannelRecords(tx), NoticeChannelRecords(tx).states(actor.workspace_id)
        nothing = DeliveryState()
        found = channels.of_workspace(actor.workspace_id)
        return [ChannelView(channel, states.get(channel.id, nothing)) for channel in found]

    @writes
    def create(
        self, tx: Transaction, actor: Actor, name: str, url: str, events: Sequence[WebhookEvent], *, is_quoting: bool
    ) -> NoticeChannel:
        """Raises InvalidInput."""
        NAME.check("name", name)
        url = url.strip()
        kind = channel_kind(url)
        self._sender.canonical(url)
        if not events or not set(events) <= set(noticed()):
            raise InvalidInput("events", f"Choose at least one of {', '.join(noticed())}.")
        channel = NoticeChannel(
            id=uuid4(),
            workspace_id=actor.workspace_id,
            kind=kind,
            name=name.strip(),
            events=tuple(event for event in noticed() if event in events),
            is_quoting=is_quoting,
            created_at=self._clock.now(),
        )
        if len(NoticeChannelRecords(tx).of_workspace(actor.workspace_id)) >= MAX_CHANNELS:
            raise InvalidInput("", f"A workspace can have at most {MAX_CHANNELS} channels. Remove one first.")
        NoticeChannelRecords(tx).add(channel, url)
        AuditRecords(tx).acted(actor, "notice_channel.create", channel.id)
        return channel

    @writes
    def delete(self, tx: Transaction, actor: Actor, channel_id: UUID) -> None:
        """Delete the channel and its pending notices."""
        NoticeChannelRecords(tx).remove(actor.workspace_id, channel_id)
        AuditRecords(tx).acted(actor, "notice_channel.delete", channel_id)

    async def test(self, actor: Actor, channel_id: UUID) -> str | None:
        """Post a test message now. Returns None when the service accepted it, else the reason in words."""
        own = self._records.of_workspace(actor.workspace_id)
        channel, url = await own.read(lambda tx: NoticeChannelRecords(tx).channel(actor.workspace_id, channel_id))
        notice = Notice("Test message from Docent", ("Docent will post notices here.",), CHANNELS_PATH, "View channels")
        query, body = post_of(channel.kind, notice, self._mailer.whole_url(notice.path))
        return await self._sender.post(url + query, JSON_HEADERS, body)


log = structlog.get_logger(__name__)

_LOCKED: Final = Undelivered("the address cannot be decrypted: the key that sealed it is gone")


class ChannelPosts(DeliveryLoop[WaitingPost]):
    def __init__(
        self, records: SystemOfRecord, sender: WebhookSender, mailer: Mailer, clock: Clock, luck: Luck = random.random
    ) -> None:
        super().__init__(records, NoticePostRecords, clock, luck)
        self._sender = sender
        self._mailer = mailer

    def put(self, tx: Transaction, news: Sequence[News]) -> None:
        """Queue notices in the transaction in which the events leave the outbox, so exactly once."""
        if noticed_news := [each for each in news if event_of(each.kind) in noticed()]:
            NoticePostRecords(tx).put(noticed_news)

    def wanting(self, tx: Transaction, event: WebhookEvent, until: datetime) -> list[UUID]:
        return NoticeChannelRecords(tx).wanting(event, until)

    async def _attempt(self, due: WaitingPost) -> Outcome:
        if due.url is None:
            return _LOCKED
        try:
            kind = channel_kind(due.url)
        except InvalidInput as error:  # a host that an older version allowed
            return Undelivered(str(error))
        notice = notice_of(event_of(due.news.kind), due.news.agent_id, due.agent, due.news.payload)
        query, body = post_of(kind, notice, self._mailer.whole_url(notice.path), due.questions)
        failure = await self._sender.post(due.url + query, JSON_HEADERS, body)
        return Undelivered(failure) if failure else lambda tx: NoticePostRecords(tx).posted(due)

    def _log_failure(self, due: WaitingPost, reason: str, *, is_dead: bool) -> None:
        channel = str(due.channel.id)
        log.warning("notice.failed", channel=channel, attempts=due.attempts, is_dead=is_dead, reason=reason)
