"""Use cases of channels: add, test and remove them."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.field_rules import check_line
from app.core.webhook_event import WebhookEvent
from app.kit.clock import Clock
from app.mail.mailer import Mailer
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.channels.channel import MAX_CHANNELS, MAX_NAME_CHARS, ChannelState, NoticeChannel, channel_kind
from app.webhooks.channels.message import post_of
from app.webhooks.channels.records import NoticeChannelRecords
from app.webhooks.notices.notice import NOTICED, Notice
from app.webhooks.notices.notices import SETTINGS_PATH
from app.webhooks.webhook_sender import WebhookSender
from app.workspaces.records.audit import AuditRecords

CHANNELS_PATH = f"{SETTINGS_PATH}/channels"
JSON_HEADERS = {"Content-Type": "application/json", "User-Agent": "Docent-Notices"}


@dataclass(frozen=True, slots=True)
class ChannelView:
    channel: NoticeChannel
    state: ChannelState


class NoticeChannels:
    """Every method raises NotFound for what does not exist or belongs to another workspace."""

    def __init__(self, records: SystemOfRecord, sender: WebhookSender, mailer: Mailer, clock: Clock) -> None:
        self._records = records
        self._sender = sender
        self._mailer = mailer
        self._clock = clock

    async def of_workspace(self, actor: Actor) -> list[ChannelView]:
        """Oldest first."""

        def work(tx: Transaction) -> list[ChannelView]:
            channels, states = NoticeChannelRecords(tx), NoticeChannelRecords(tx).states(actor.workspace_id)
            nothing = ChannelState()
            found = channels.of_workspace(actor.workspace_id)
            return [ChannelView(channel, states.get(channel.id, nothing)) for channel in found]

        return await self._records.of_workspace(actor.workspace_id).read(work)

    async def create(
        self, actor: Actor, name: str, url: str, events: Sequence[WebhookEvent], *, is_quoting: bool
    ) -> NoticeChannel:
        """Raises InvalidInput."""
        check_line("name", name, MAX_NAME_CHARS, may_be_empty=False)
        url = url.strip()
        kind = channel_kind(url)
        self._sender.canonical(url)
        if not events or not set(events) <= set(NOTICED):
            raise InvalidInput("events", f"Name at least one of {', '.join(NOTICED)}.")
        channel = NoticeChannel(
            id=uuid4(),
            workspace_id=actor.workspace_id,
            kind=kind,
            name=name.strip(),
            events=tuple(event for event in NOTICED if event in events),
            is_quoting=is_quoting,
            created_at=self._clock.now(),
        )

        def work(tx: Transaction) -> None:
            if len(NoticeChannelRecords(tx).of_workspace(actor.workspace_id)) >= MAX_CHANNELS:
                raise InvalidInput("", f"A workspace has {MAX_CHANNELS} channels at most. Remove one first.")
            NoticeChannelRecords(tx).add(channel, url)
            AuditRecords(tx).acted(actor, "notice_channel.create", channel.id)

        await self._records.of_workspace(actor.workspace_id).write(work)
        return channel

    async def delete(self, actor: Actor, channel_id: UUID) -> None:
        """Pending notices are dropped."""

        def work(tx: Transaction) -> None:
            NoticeChannelRecords(tx).remove(actor.workspace_id, channel_id)
            AuditRecords(tx).acted(actor, "notice_channel.delete", channel_id)

        await self._records.of_workspace(actor.workspace_id).write(work)

    async def test(self, actor: Actor, channel_id: UUID) -> str | None:
        """Post a test message now. Returns None when the service accepted it, else the reason in words."""
        own = self._records.of_workspace(actor.workspace_id)
        channel, url = await own.read(lambda tx: NoticeChannelRecords(tx).get(actor.workspace_id, channel_id))
        notice = Notice("A test by Docent", ("Notices will be posted here.",), CHANNELS_PATH, "See what is posted")
        query, body = post_of(channel.kind, notice, self._mailer.whole_url(notice.path))
        return await self._sender.post(url + query, JSON_HEADERS, body)
