"""Delivers notices to channels, at least once."""

import asyncio
import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final

import structlog

from app.agents.records.agents import AgentRecords
from app.core.errors import InvalidInput
from app.kit.clock import Clock
from app.kit.retry_schedule import retry_at
from app.mail.mailer import Mailer
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.channels.channel import channel_kind
from app.webhooks.channels.channels import JSON_HEADERS
from app.webhooks.channels.message import post_of
from app.webhooks.channels.records import NoticePostRecords, WaitingPost
from app.webhooks.notices.notice import NOTICED, notice_of
from app.webhooks.webhook import News, event_of
from app.webhooks.webhook_sender import WebhookSender

log = structlog.get_logger(__name__)

LEASE: Final = timedelta(minutes=2)  # longer than any batch takes
KEPT: Final = timedelta(days=14)  # what was given up
_SENT_AT_ONCE: Final = 8
_LOCKED: Final = "the address cannot be decrypted: the key that sealed it is gone"


class ChannelPosts:
    """`luck` returns numbers in [0, 1). Attempts are counted before they are made, and no transaction stays open during
    one."""

    def __init__(
        self,
        records: SystemOfRecord,
        sender: WebhookSender,
        mailer: Mailer,
        clock: Clock,
        *,
        luck: Callable[[], float] = random.random,
    ) -> None:
        self._records = records
        self._sender = sender
        self._mailer = mailer
        self._clock = clock
        self._luck = luck

    def put(self, tx: Transaction, news: Sequence[News]) -> None:
        """Called in the transaction in which the news leave the outbox, so each is queued exactly once."""
        if told := [each for each in news if event_of(each.kind) in NOTICED]:
            NoticePostRecords(tx).put(told)

    async def deliver(self) -> int:
        """One batch of due notices; return the number of attempts."""
        if not await self._records.read(lambda tx: NoticePostRecords(tx).deliveries.is_any_due()):
            return 0

        def work(tx: Transaction) -> list[tuple[WaitingPost, str]]:
            claimed = NoticePostRecords(tx).claim(_SENT_AT_ONCE, self._clock.now() + LEASE)
            return [(each, _agent_name(tx, each)) for each in claimed]

        claimed = await self._records.write(work)
        await asyncio.gather(*(self._attempt(waiting, agent) for waiting, agent in claimed))
        return len(claimed)

    async def forget(self) -> int:
        """Remove notices that were given up long ago; return how many."""
        before = self._clock.now() - KEPT
        return await self._records.write(lambda tx: NoticePostRecords(tx).forget_given_up(before))

    async def _attempt(self, waiting: WaitingPost, agent: str) -> None:
        failure = await self._post(waiting, agent)
        own = self._records.of_workspace(waiting.channel.workspace_id)
        if failure is None:
            await own.write(lambda tx: NoticePostRecords(tx).posted(waiting.id))
            return
        next_at = retry_at(self._clock.now(), waiting.attempts, self._luck())
        await own.write(
            lambda tx: NoticePostRecords(tx).deliveries.failed(waiting.id, waiting.attempts, failure, next_at)
        )
        log.warning(
            "notice.failed",
            channel=str(waiting.channel.id),
            attempts=waiting.attempts,
            is_dead=next_at is None,
            reason=failure,
        )

    async def _post(self, waiting: WaitingPost, agent: str) -> str | None:
        if waiting.url is None:
            return _LOCKED
        try:
            kind = channel_kind(waiting.url)
        except InvalidInput as error:  # a host that an older version allowed
            return str(error)
        notice = notice_of(event_of(waiting.news.kind), waiting.news.agent_id, agent, waiting.news.payload)
        query, body = post_of(kind, notice, self._mailer.whole_url(notice.path), waiting.questions)
        return await self._sender.post(waiting.url + query, JSON_HEADERS, body)


def _agent_name(tx: Transaction, waiting: WaitingPost) -> str:
    return AgentRecords(tx).get(waiting.channel.workspace_id, waiting.news.agent_id).draft.name
