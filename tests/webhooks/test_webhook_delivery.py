"""What happened reaches an operator's server: signed, at least once, and once where nothing fails."""

import asyncio
import hashlib
import hmac
import json
import sqlite3
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select
from standardwebhooks import Webhook as StandardWebhook

from app.agents.records import AgentRecords
from app.conversations.records.turns import TurnRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.core.turn import AnsweredBy, Finish, GapReason, TurnEnd, TurnRequest, TurnState, VisitorSession
from app.core.webhook_event import WebhookEvent, declared_events
from app.kit.cache import MemoryCache
from app.kit.tasks import PeriodicTask
from app.live_chat.live_chats import LiveChats, LiveSigns
from app.store.delivery_loop import KEPT, RETRY_AFTER
from app.store.outbox import Outbox
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import OUTBOX
from app.webhooks.webhook import CrawlerWebhookSender, DeadLetter
from app.webhooks.webhooks import WebhookDelivery, Webhooks
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.loopback_site import LoopbackSite, running_site
from tests.doubles.recording_history import RecordingHistory
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import visitor_of_new_agent

EVERYTHING = tuple(event.name for event in declared_events())
PAGE = PageRequest()


@dataclass
class CrashingSender:
    """Posts, and then the process dies before it can say so."""

    inner: CrawlerWebhookSender

    def canonical(self, url: str) -> str:
        return self.inner.canonical(url)

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> str | None:
        await self.inner.post(url, headers, body)
        raise asyncio.CancelledError


@dataclass
class Office:
    folder: Path
    record: SystemOfRecord
    clock: FixedClock
    receiver: LoopbackSite
    sender: CrawlerWebhookSender
    actor: Actor
    session: VisitorSession
    secrets: dict[UUID, str] = field(default_factory=dict)

    @property
    def webhooks(self) -> Webhooks:
        return Webhooks(self.record, self.sender, self.clock)

    @property
    def delivery(self) -> WebhookDelivery:
        return WebhookDelivery(self.record, self.sender, self.clock, luck=lambda: 0.5)

    async def webhook(self, path: str = "/hook", events: tuple[WebhookEvent, ...] = EVERYTHING) -> UUID:
        url = self.receiver.origin + path
        webhook, secret = await self.webhooks.create(self.actor, self.session.agent_id, url, events)
        self.secrets[webhook.id] = secret
        return webhook.id

    async def turn(self, *, state: TurnState = TurnState.DONE, gap: GapReason | None = None) -> UUID:
        turn_id = uuid4()
        with self.record.writing() as tx:
            TurnRecords(tx).begin(
                self.session, TurnRequest(turn_id, "Is this a secret?", "https://www.example.com/"), 1, "tests"
            )
            end = TurnEnd(state, "No.", AnsweredBy.MODEL, 0.8, gap is not None, Finish.COMPLETE, gap=gap)
            TurnRecords(tx).finish(turn_id, end)
        return turn_id

    async def dead_letters(self) -> list[DeadLetter]:
        return list((await self.webhooks.dead_letters(self.actor, self.session.agent_id, PAGE)).items)

    @property
    def waiting(self) -> list[str]:
        """Kinds of the outbox."""
        with self.record.reading() as tx:
            return list(tx.connection.scalars(select(OUTBOX.c.kind).order_by(OUTBOX.c.kind)))

    @property
    def told(self) -> list[dict[str, Any]]:
        return [json.loads(body) for body in self.receiver.posted]

    @property
    def delivery_ids(self) -> list[str]:
        return [headers["docent-delivery"] for _, headers in self.receiver.asked]


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    clock = FixedClock()
    async with temporary_record(tmp_path, clock) as record:
        session = await visitor_of_new_agent(record)
        actor = Actor(session.workspace_id, "ann", frozenset((READ, WRITE)))
        with running_site() as receiver:
            receiver.page("/hook", status=204)
            async with CrawlerWebhookSender(receiver.policy.allowed) as sender:
                yield Office(tmp_path, record, clock, receiver, sender, actor, session)


async def test_a_finished_turn_is_told_in_ids_alone(office: Office) -> None:
    await office.webhook()
    turn_id = await office.turn()
    assert await office.delivery.deliver() == 1
    [told] = office.told
    assert told == {
        "id": office.delivery_ids[0],
        "event": "turn.finished",
        "occurred_at": office.clock.now().isoformat(),
        "agent_id": str(office.session.agent_id),
        "turn_id": str(turn_id),
        "conversation_id": str(office.session.conversation_id),
        "state": "done",
    }


async def test_the_receiver_can_check_who_calls_and_when(office: Office) -> None:
    office.clock.advance(time.time() - office.clock.now().timestamp())
    webhook = await office.webhook()
    await office.turn()
    await office.delivery.deliver()
    [(_, headers)], [body] = office.receiver.asked, office.receiver.posted
    assert StandardWebhook(office.secrets[webhook]).verify(body, dict(headers)) == office.told[0]
    assert headers["webhook-id"] == headers["docent-delivery"]
    assert (headers["docent-event"], headers["content-type"]) == ("turn.finished", "application/json")


async def test_a_receiver_that_holds_a_secret_of_before_can_still_check_it(office: Office) -> None:
    """Such a secret was "dwh_" and the same key in base64 for URLs, without padding."""
    webhook = await office.webhook()
    await office.turn()
    await office.delivery.deliver()
    [(_, headers)], [body] = office.receiver.asked, office.receiver.posted
    before = "dwh_" + office.secrets[webhook].removeprefix("whsec_").translate(str.maketrans("+/", "-_", "="))
    assert headers["docent-timestamp"] == str(int(office.clock.now().timestamp()))
    signed = headers["docent-timestamp"].encode() + b"." + body
    assert headers["docent-signature"] == hmac.new(before.encode(), signed, hashlib.sha256).hexdigest()


async def test_each_event_reaches_each_webhook_that_wants_it_once(office: Office) -> None:
    office.receiver.page("/gaps", status=200)
    await office.webhook()
    await office.webhook("/gaps", (WebhookEvent.GAP_DETECTED,))
    await office.turn(gap=GapReason.LOW_CONFIDENCE)
    assert await office.delivery.deliver() == 4
    assert sorted(zip(office.receiver.paths, [told["event"] for told in office.told], strict=True)) == [
        ("/gaps", "gap.detected"),
        ("/hook", "gap.detected"),
        ("/hook", "gap.grown"),
        ("/hook", "turn.finished"),
    ]
    assert len(set(office.delivery_ids)) == 4
    office.clock.advance(WebhookDelivery.LEASE.total_seconds())
    assert await office.delivery.deliver() == 0


async def test_each_asking_for_a_person_is_told_once_and_names_no_turn(office: Office) -> None:
    webhook = await office.webhook(events=(WebhookEvent.PERSON_ASKED,))
    chats = LiveChats(office.record, office.clock, RecordingHistory(), LiveSigns(MemoryCache()))
    with office.record.writing() as tx:
        agent = AgentRecords(tx).agent(office.actor.workspace_id, office.session.agent_id)
        AgentRecords(tx).save_draft(agent.workspace_id, agent.id, replace(agent.draft, live_chat=True))
        AgentRecords(tx).publish(agent.workspace_id, agent.id)
    for _ in range(2):
        await chats.ask(office.session)
    assert await office.delivery.deliver() == 1
    told = {
        "id": office.delivery_ids[0],
        "event": "conversation.person_asked",
        "occurred_at": office.clock.now().isoformat(),
        "agent_id": str(office.session.agent_id),
        "conversation_id": str(office.session.conversation_id),
    }
    assert office.told == [told]
    await chats.leave(office.session)
    await chats.ask(office.session)
    office.receiver.page("/hook", status=500)
    for pause in (*RETRY_AFTER, timedelta()):
        await office.delivery.deliver()
        office.clock.advance(pause.total_seconds())
    [letter] = await office.dead_letters()
    assert (letter.webhook_id, letter.turn_id) == (webhook, None)
    assert letter.conversation_id == office.session.conversation_id


async def test_two_workers_at_once_send_nothing_twice(office: Office) -> None:
    await office.webhook()
    for _ in range(5):
        await office.turn()
    made = await asyncio.gather(office.delivery.deliver(), office.delivery.deliver())
    assert sum(made) == len(set(office.delivery_ids)) == len(office.delivery_ids) == 5


async def test_a_webhook_does_not_hear_of_what_was_before_it(office: Office) -> None:
    await office.turn()
    office.clock.advance(1)
    await office.webhook()
    assert await office.delivery.deliver() == 0


async def test_a_death_between_the_post_and_its_commit_sends_it_again_under_the_same_id(office: Office) -> None:
    await office.webhook()
    await office.turn()
    dying = WebhookDelivery(office.record, CrashingSender(office.sender), office.clock)
    with suppress(asyncio.CancelledError):
        await dying.deliver()
    assert len(office.receiver.posted) == 1
    assert await office.delivery.deliver() == 0  # it may still be under way elsewhere
    office.clock.advance(WebhookDelivery.LEASE.total_seconds())
    assert await office.delivery.deliver() == 1
    assert len(set(office.delivery_ids)) == 1
    assert office.receiver.posted[0] == office.receiver.posted[1]
    office.clock.advance(timedelta(days=1).total_seconds())
    assert await office.delivery.deliver() == 0


async def test_a_failure_is_tried_again_later_and_later_and_then_is_a_dead_letter(office: Office) -> None:
    office.receiver.page("/hook", status=500)
    webhook = await office.webhook()
    turn_id = await office.turn()
    for pause in RETRY_AFTER:
        assert await office.delivery.deliver() == 1
        office.clock.advance(pause.total_seconds() - 1)
        assert await office.delivery.deliver() == 0
        assert await office.dead_letters() == []
        office.clock.advance(1)
    assert await office.delivery.deliver() == 1
    [letter] = await office.dead_letters()
    assert (letter.webhook_id, letter.turn_id, letter.event) == (webhook, turn_id, WebhookEvent.TURN_FINISHED)
    assert (letter.attempts, letter.last_error) == (6, "the receiver answered 500")
    assert office.delivery_ids == [str(letter.id)] * 6
    office.clock.advance(KEPT.total_seconds())
    assert await office.delivery.deliver() == 0
    assert await office.delivery.forget() == 0
    assert (await office.dead_letters(), office.waiting) == ([letter], ["turn.done"])


async def test_a_dead_letter_leaves_after_two_weeks_with_what_it_is_about(office: Office) -> None:
    office.receiver.page("/hook", status=500)
    await office.webhook()
    await office.turn()
    for pause in (*RETRY_AFTER, KEPT + timedelta(seconds=1)):
        await office.delivery.deliver()
        office.clock.advance(pause.total_seconds())
    assert await office.delivery.forget() == 1
    assert (await office.dead_letters(), office.waiting) == ([], [])


async def test_a_dead_letter_is_sent_again_on_demand_under_its_id(office: Office) -> None:
    office.receiver.page("/hook", status=500)
    await office.webhook()
    await office.turn()
    for pause in (*RETRY_AFTER, timedelta()):
        await office.delivery.deliver()
        office.clock.advance(pause.total_seconds())
    [letter] = await office.dead_letters()
    office.receiver.page("/hook", status=204)
    await office.webhooks.retry(office.actor, office.session.agent_id, letter.id)
    assert await office.dead_letters() == []
    assert await office.delivery.deliver() == 1
    assert set(office.delivery_ids) == {str(letter.id)}
    with pytest.raises(NotFound):
        await office.webhooks.retry(office.actor, office.session.agent_id, letter.id)


async def test_an_event_leaves_the_record_with_its_last_delivery(office: Office) -> None:
    await office.turn()
    assert office.waiting == ["turn.done"]
    await office.delivery.deliver()
    assert office.waiting == []  # nobody wanted it
    office.receiver.page("/broken", status=503)
    await office.webhook("/broken")
    await office.webhook("/hook")
    await office.turn()
    await office.delivery.deliver()
    assert office.waiting == ["turn.done"]
    office.receiver.page("/broken", status=204)
    office.clock.advance(RETRY_AFTER[0].total_seconds() * 1.2)
    await office.delivery.deliver()
    assert office.waiting == []


async def test_what_is_told_once_a_week_is_remembered(office: Office) -> None:
    monday, now = date(2026, 11, 23), office.clock.now()
    for is_first in (True, False):
        with office.record.writing() as tx:
            told = Outbox(tx).add_once(
                office.session.agent_id, "gaps.weekly", {"biggest": []}, first_day=monday, happened_at=now
            )
        assert told is is_first
        await office.delivery.deliver()


async def test_what_fails_does_not_hold_up_the_rest(office: Office) -> None:
    office.receiver.page("/broken", status=503)
    await office.webhook("/broken")
    await office.webhook("/hook")
    await office.turn()
    assert await office.delivery.deliver() == 2
    await office.turn()
    assert await office.delivery.deliver() == 2
    assert office.receiver.paths.count("/hook") == 2


async def test_a_deleted_webhook_is_posted_to_no_more(office: Office) -> None:
    webhook = await office.webhook()
    await office.turn()
    await office.webhooks.delete(office.actor, office.session.agent_id, webhook)
    assert await office.delivery.deliver() == 0


async def test_without_its_signing_key_nothing_is_sent_and_the_reason_is_told(office: Office) -> None:
    await office.webhook()
    await office.turn()
    with sqlite3.connect(office.folder / "docent.sqlite") as connection:
        connection.execute("update signing_keys set retired_at = created_at")
    connection.close()
    for pause in (*RETRY_AFTER, timedelta()):
        await office.delivery.deliver()
        office.clock.advance(pause.total_seconds())
    assert office.receiver.posted == []
    [letter] = await office.dead_letters()
    assert "make a new webhook" in letter.last_error


async def test_the_worker_delivers_by_itself(office: Office) -> None:
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()
    answer = office.receiver.routes["/hook"]
    office.receiver.routes["/hook"] = lambda headers: (loop.call_soon_threadsafe(arrived.set), answer(headers))[1]
    await office.webhook()
    await office.turn()
    async with PeriodicTask("webhooks", office.delivery.deliver, pause_seconds=0.01), asyncio.timeout(10):
        await arrived.wait()
    assert len(office.told) == 1
