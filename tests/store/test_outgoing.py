"""What is on its way to channels and help desks, on either database."""

import asyncio
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select

from app.agents.agent import Agent
from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.core.turn import VisitorSession
from app.core.webhook_event import WebhookEvent
from app.mail.mailer import Mailer
from app.store.delivery_loop import DeliveryState
from app.store.outbox import Outbox
from app.store.sealed_rows import SealedRows, sealed_tables
from app.store.system_of_record import SystemOfRecord, Transaction
from app.store.tables.conversations import OUTBOX
from app.webhooks.channels.channel import ChannelKind, NoticeChannel
from app.webhooks.channels.channels import ChannelPosts
from app.webhooks.channels.records import NoticeChannelRecords, NoticePostRecords
from app.webhooks.records import WebhookRecords
from app.webhooks.tickets.desk_settings import HANDED_OVER, DeskKind, DeskSettings
from app.webhooks.tickets.records import HelpDeskRecords, TicketRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.recording_sender import RecordingSender

LEASE = timedelta(minutes=2)
URL = "https://hooks.slack.com/services/T00000000/B00000000/abcDEF123456"


@pytest.fixture
async def channel(record: SystemOfRecord, clock: FixedClock, workspace_id: UUID) -> NoticeChannel:
    events = (WebhookEvent.PERSON_ASKED, WebhookEvent.BUDGET_NEAR)
    made = NoticeChannel(uuid4(), workspace_id, ChannelKind.SLACK, "#support", events, True, clock.now())
    await record.of_workspace(workspace_id).write(lambda tx: NoticeChannelRecords(tx).add(made, URL))
    return made


@pytest.fixture
async def desk(record: SystemOfRecord, clock: FixedClock, agent: Agent) -> DeskSettings:
    made = DeskSettings(
        DeskKind.CHATWOOT, "chat.example.com", "3", "5", HANDED_OVER, agent_id=agent.id, created_at=clock.now()
    )
    await record.of_agent(agent.id).write(lambda tx: HelpDeskRecords(tx).set(made, "token"))
    return made


async def people_asked(record: SystemOfRecord, session: VisitorSession, count: int) -> None:
    """So often; the news are handed out to channels and help desks."""

    def work(tx: Transaction) -> None:
        told = {"conversation_id": str(session.conversation_id)}
        for _ in range(count):
            Outbox(tx).add(session.agent_id, "conversation.person_asked", told, conversation_id=session.conversation_id)
        news = WebhookRecords(tx).hand_out(100)
        for _ in range(2):  # what was put is not put again
            NoticePostRecords(tx).put(news)
            TicketRecords(tx).put(news)

    await record.write(work)


async def test_each_of_many_workers_claims_other_posts_and_tickets(
    record: SystemOfRecord, clock: FixedClock, session: VisitorSession, channel: NoticeChannel, desk: DeskSettings
) -> None:
    await people_asked(record, session, 12)

    async def claim() -> list[UUID]:
        def work(tx: Transaction) -> list[UUID]:
            posts = [each.id for each in NoticePostRecords(tx).claim(3, clock.now() + LEASE)]
            return posts + [each.id for each in TicketRecords(tx).claim(3, clock.now() + LEASE)]

        return await record.write(work)

    claimed = [each for batch in await asyncio.gather(*(claim() for _ in range(6))) for each in batch]
    assert len(claimed) == len(set(claimed)) == 24


async def test_what_was_not_taken_is_told_by_channel_and_by_ticket(
    record: SystemOfRecord, clock: FixedClock, session: VisitorSession, channel: NoticeChannel, desk: DeskSettings
) -> None:
    await people_asked(record, session, 2)

    def fail_one(tx: Transaction) -> None:
        [post, _] = NoticePostRecords(tx).claim(8, clock.now() + LEASE)
        assert (post.url, post.channel, post.news.agent_id) == (URL, channel, session.agent_id)
        NoticePostRecords(tx).deliveries.failed(post.id, post.attempts, "refused", None)
        failed, taken = TicketRecords(tx).claim(8, clock.now() + LEASE)
        waiting = TicketRecords(tx).waiting(failed.workspace_id, failed.id, "")
        assert waiting is not None
        assert (waiting.token, waiting.desk, waiting.ticket.visitor_id) == ("token", desk, session.visitor_id)
        TicketRecords(tx).deliveries.failed(failed.id, failed.attempts, "refused", None)
        TicketRecords(tx).opened(taken.id, "101", "https://chat.example.com/101")

    def look(tx: Transaction) -> None:
        assert NoticeChannelRecords(tx).states(session.workspace_id) == {channel.id: DeliveryState(1, 1, "refused")}
        taken, failed = sorted(
            TicketRecords(tx).page(session.agent_id, PageRequest()).items, key=lambda each: each.number
        )[::-1]
        assert (taken.number, taken.next_at, failed.last_error) == ("101", None, "refused")
        TicketRecords(tx).revive(session.agent_id, failed.id)
        with pytest.raises(NotFound):
            TicketRecords(tx).revive(session.agent_id, taken.id)

    await record.write(fail_one)
    await record.of_workspace(session.workspace_id).write(look)


async def test_news_stay_until_the_last_who_took_them_is_done(
    record: SystemOfRecord, clock: FixedClock, session: VisitorSession, channel: NoticeChannel
) -> None:
    def post(tx: Transaction) -> int:
        [waiting] = NoticePostRecords(tx).claim(8, clock.now() + LEASE)
        NoticePostRecords(tx).posted(waiting)
        return tx.connection.scalar(select(func.count()).select_from(OUTBOX)) or 0

    await people_asked(record, session, 1)
    assert await record.write(post) == 0
    desk = DeskSettings(
        DeskKind.CHATWOOT, "chat.example.com", "3", "5", HANDED_OVER, agent_id=session.agent_id, created_at=clock.now()
    )
    await record.of_agent(session.agent_id).write(lambda tx: HelpDeskRecords(tx).set(desk, "token"))
    await people_asked(record, session, 1)
    assert await record.write(post) == 1  # the ticket is listed, and refers to it


async def test_an_agents_second_help_desk_takes_the_place_of_the_first(
    record: SystemOfRecord, clock: FixedClock, session: VisitorSession, desk: DeskSettings
) -> None:
    await people_asked(record, session, 1)
    other = DeskSettings(
        DeskKind.FRESHDESK, "shop.freshdesk.com", "", "", HANDED_OVER, agent_id=desk.agent_id, created_at=clock.now()
    )

    def work(tx: Transaction) -> None:
        HelpDeskRecords(tx).set(other, "another")
        [due] = TicketRecords(tx).claim(8, clock.now() + LEASE)
        waiting = TicketRecords(tx).waiting(due.workspace_id, due.id, "")
        assert waiting is not None
        assert (waiting.desk, waiting.token) == (other, "another")

    await record.write(work)


async def test_who_wants_to_hear_of_a_day_is_owed_it_until_it_is_told(
    record: SystemOfRecord, clock: FixedClock, agent: Agent, channel: NoticeChannel
) -> None:
    event, now = WebhookEvent.BUDGET_NEAR, clock.now()
    posts = ChannelPosts(record, RecordingSender(), Mailer(is_on=False, public_url=""), clock)

    def work(tx: Transaction) -> tuple[list[UUID], list[bool], list[UUID]]:
        records = WebhookRecords(tx)
        owed = records.owed(event, now, now.date(), [posts])
        told = [
            Outbox(tx).add_once(agent.id, event.value, {"used_tokens": 9}, first_day=now.date(), happened_at=now)
            for _ in range(2)
        ]
        return owed, told, records.owed(event, now, now.date(), [posts])

    assert await record.write(work) == ([agent.id], [True, False], [])


async def test_every_sealed_row_is_sealed_again_and_opens(
    record: SystemOfRecord, workspace_id: UUID, channel: NoticeChannel, desk: DeskSettings
) -> None:
    def work(tx: Transaction) -> None:
        assert sum(SealedRows(tx, table).seal_again() for table in sealed_tables()) == 2
        assert NoticeChannelRecords(tx).channel(workspace_id, channel.id)[1] == URL
        assert HelpDeskRecords(tx).token(desk.agent_id) == "token"

    await record.write(work)
