"""Once a week webhooks are told how an agent's gaps are going."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from standardwebhooks import Webhook as StandardWebhook

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.conversations.privacy.records import VisitorRecords
from app.core.actor import READ, WRITE, Actor
from app.core.list_page import PageRequest
from app.core.turn import GapReason, GapState
from app.core.webhook_event import WebhookEvent
from app.gaps.gap import Gap
from app.gaps.gap_digest import Week, last_week
from app.gaps.records.gaps import GapRecords
from app.store.delivery_loop import RETRY_AFTER
from app.store.system_of_record import SystemOfRecord
from app.webhooks.announcements import GapDigests
from app.webhooks.webhooks import WebhookDelivery, Webhooks
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.recording_sender import RecordingSender
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import new_agent, visitor_of
from tests.store.sample_rows import ask

LOW = GapReason.LOW_CONFIDENCE
CHRISTMAS_EVE = datetime(2025, 12, 24, 12, tzinfo=UTC)  # a Wednesday
NEW_YEAR = datetime(2026, 1, 1, 12, tzinfo=UTC)
MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
REPAIR = "Do you repair lamps?"
DIGESTS = (WebhookEvent.GAPS_WEEKLY,)
WEBHOOKS = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "webhooks.md"


@dataclass
class Office:
    record: SystemOfRecord
    clock: FixedClock
    sender: RecordingSender
    actor: Actor
    agent: UUID

    @property
    def digests(self) -> GapDigests:
        return GapDigests(self.record, self.clock)

    @property
    def webhooks(self) -> Webhooks:
        return Webhooks(self.record, self.sender, self.clock)

    def at(self, moment: datetime) -> None:
        self.clock.advance((moment - self.clock.now()).total_seconds())

    async def webhook(self, events: tuple[WebhookEvent, ...] = DIGESTS, agent: UUID | None = None) -> str:
        """Return its secret."""
        _, secret = await self.webhooks.create(self.actor, agent or self.agent, "https://hooks.example.com/", events)
        return secret

    async def ask(self, question: str, gap: GapReason | None = LOW) -> UUID:
        """By a visitor of their own, whose id is returned."""
        session = await visitor_of(self.record, self.actor.workspace_id, self.agent)
        await ask(self.record, session, question, gap=gap)
        return session.visitor_id

    async def gap(self, question: str) -> Gap:
        gaps = await self.record.read(lambda tx: GapRecords(tx).page(self.agent, None, PageRequest()).items)
        return next(gap for gap in gaps if gap.question == question)

    async def settle(self, question: str, state: GapState) -> None:
        gap = await self.gap(question)
        await self.record.write(lambda tx: GapRecords(tx).set_state(self.actor.workspace_id, gap.id, state, ""))

    async def deliver(self) -> int:
        return await WebhookDelivery(self.record, self.sender, self.clock, luck=lambda: 0.5).deliver()

    @property
    def told(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, _, body in self.sender.posted]

    async def two_weeks(self) -> None:
        """Repairs were asked for before, were answered, and are asked for again; Malta is new."""
        await self.webhook()
        await self.ask(REPAIR)
        await self.ask("What does a lamp cost?", gap=None)
        self.at(NEW_YEAR)
        await self.settle(REPAIR, GapState.ANSWERED)
        self.clock.advance(60)
        await self.ask(REPAIR)
        for _ in range(2):
            await self.ask("What does a lamp cost?", gap=None)
            await self.ask("Can ann@example.com have a lamp sent to Malta?")
        self.at(MONDAY)


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    clock = FixedClock(CHRISTMAS_EVE)
    async with temporary_record(tmp_path, clock) as record:
        agent = new_agent(record)
        yield Office(
            record, clock, RecordingSender(), Actor(agent.workspace_id, "ann", frozenset((READ, WRITE))), agent.id
        )


async def test_a_digest_is_what_the_documentation_shows(office: Office) -> None:
    await office.two_weeks()
    assert await office.digests.announce() == 1
    assert await office.deliver() == 1
    [shown] = re.findall(r"^```json\n(\{\n.*?gaps\.weekly.*?)^```", WEBHOOKS.read_text("utf-8"), re.M | re.S)
    assert _without_ids(office.told[0]) == _without_ids(json.loads(shown))


async def test_its_ids_lead_to_the_agent_and_its_gaps(office: Office) -> None:
    await office.two_weeks()
    await office.digests.announce()
    await office.deliver()
    [told] = office.told
    malta, repair = await office.gap("Can [email] have a lamp sent to Malta?"), await office.gap(REPAIR)
    assert told["agent_id"] == str(office.agent)
    assert [gap["gap_id"] for gap in told["biggest"]] == [str(malta.id), str(repair.id)]
    assert [told[name]["gaps"][0]["gap_id"] for name in ("new", "answered", "reopened")] == [
        str(gap.id) for gap in (malta, repair, repair)
    ]


async def test_it_is_signed_as_every_event(office: Office) -> None:
    secret = await office.webhook()
    office.at(MONDAY)
    await office.digests.announce()
    await office.deliver()
    [(_, headers, body)] = office.sender.posted
    at = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
    assert headers["webhook-signature"] == StandardWebhook(secret).sign(headers["webhook-id"], at, body.decode())
    assert headers["Docent-Event"] == "gaps.weekly"


async def test_a_week_is_told_once_by_any_number_of_workers(office: Office) -> None:
    await office.two_weeks()
    announced = await asyncio.gather(*(office.digests.announce() for _ in range(3)))
    assert sum(announced) == 1
    office.clock.advance(timedelta(days=6, hours=23).total_seconds())
    assert await office.digests.announce() == 0
    assert await office.deliver() == 1
    office.clock.advance(3600)
    assert await office.digests.announce() == 1
    await office.deliver()
    assert [told["week"]["first_day"] for told in office.told] == ["2025-12-29", "2026-01-05"]


async def test_after_weeks_without_a_worker_the_latest_is_told(office: Office) -> None:
    await office.webhook()
    office.at(MONDAY + timedelta(days=16))
    assert await office.digests.announce() == 1
    await office.deliver()
    assert [told["week"]["first_day"] for told in office.told] == ["2026-01-12"]


async def test_only_who_wants_it_and_was_there_hears_of_it(office: Office) -> None:
    with office.record.writing() as tx:
        others = [AgentRecords(tx).create(office.actor.workspace_id, AgentConfig(name="Shop")) for _ in range(2)]
    await office.webhook((WebhookEvent.TURN_FINISHED, WebhookEvent.GAP_DETECTED))
    await office.webhook(agent=others[0].id)
    office.at(MONDAY + timedelta(seconds=1))
    await office.webhook(agent=others[0].id)
    await office.webhook(agent=others[1].id)
    assert await office.digests.announce() == 1
    assert await office.deliver() == 1
    assert office.told[0]["agent_id"] == str(others[0].id)


async def test_a_week_in_which_nobody_asked_says_so(office: Office) -> None:
    await office.webhook()
    office.at(MONDAY)
    await office.digests.announce()
    await office.deliver()
    [told] = office.told
    assert told["turns"] == {"turns": 0, "answered": None, "abstained": None}
    assert (told["new"], told["biggest"]) == ({"count": 0, "gaps": []}, [])


async def test_ten_gaps_are_named_and_all_are_counted(office: Office) -> None:
    await office.webhook()
    for number in range(12):
        await office.ask(f"Is there a lamp number {number}?")
    await office.ask("Is there a lamp number 11?")
    office.at(datetime(2025, 12, 29, tzinfo=UTC))
    await office.digests.announce()
    await office.deliver()
    [told] = office.told
    assert (told["new"]["count"], len(told["new"]["gaps"]), len(told["biggest"])) == (12, 10, 10)
    assert told["new"]["gaps"][0]["question"] == told["biggest"][0]["question"] == "Is there a lamp number 11?"


async def test_a_gap_that_an_operator_opens_again_is_reopened(office: Office) -> None:
    await office.webhook()
    for question, closed in (("A?", GapState.IGNORED), ("B?", GapState.RESOLVED), ("C?", GapState.PROPOSED)):
        await office.ask(question)
        await office.settle(question, closed)
        await office.settle(question, GapState.OPEN)
    office.at(datetime(2025, 12, 29, tzinfo=UTC))
    await office.digests.announce()
    await office.deliver()
    [told] = office.told
    assert sorted(gap["question"] for gap in told["reopened"]["gaps"]) == ["A?", "B?"]
    assert told["answered"]["count"] == 0


async def test_what_fails_is_sent_again_as_it_was_and_then_is_a_dead_letter(office: Office) -> None:
    await office.two_weeks()
    await office.digests.announce()
    office.sender.failure = "the receiver answered 500"
    for pause in (*RETRY_AFTER, timedelta()):
        assert await office.deliver() == 1
        office.clock.advance(pause.total_seconds())
    assert len({body for _, _, body in office.sender.posted}) == 1
    [letter] = (await office.webhooks.dead_letters(office.actor, office.agent, PageRequest())).items
    assert (letter.event, letter.turn_id, letter.attempts) == (WebhookEvent.GAPS_WEEKLY, None, 6)
    office.sender.failure = None
    await office.webhooks.retry(office.actor, office.agent, letter.id)
    assert await office.deliver() == 1


async def test_words_of_visitors_who_were_erased_meanwhile_do_not_leave(office: Office) -> None:
    await office.webhook()
    visitor = await office.ask("Is my wooden leg a lamp?")
    await office.ask(REPAIR)
    office.at(datetime(2025, 12, 29, tzinfo=UTC))
    await office.digests.announce()
    with office.record.writing() as tx:
        VisitorRecords(tx).erase(office.actor.workspace_id, visitor)
    await office.deliver()
    [told] = office.told
    assert (told["new"]["count"], [gap["question"] for gap in told["new"]["gaps"]]) == (2, [REPAIR])
    assert [gap["question"] for gap in told["biggest"]] == [REPAIR]
    assert b"wooden" not in office.sender.posted[0][2]


@pytest.mark.parametrize(
    ("now", "monday"),
    [
        pytest.param(datetime(2026, 1, 4, 23, 59, tzinfo=UTC), date(2025, 12, 22), id="Sunday, a minute to go"),
        pytest.param(datetime(2026, 1, 5, tzinfo=UTC), date(2025, 12, 29), id="Monday, midnight"),
        pytest.param(
            datetime.fromisoformat("2026-01-05T00:30:00+02:00"), date(2025, 12, 22), id="Monday, but not yet in UTC"
        ),
    ],
)
def test_a_week_is_over_on_monday_in_utc(now: datetime, monday: date) -> None:
    week = last_week(now)
    assert week == Week(monday)
    assert week.since <= week.until <= now


def _without_ids(told: Any) -> Any:
    """Ids read "..." in the documentation; both are compared without them."""
    if isinstance(told, dict):
        return {
            name: "" if name == "id" or name.endswith("_id") else _without_ids(value) for name, value in told.items()
        }
    return [_without_ids(item) for item in told] if isinstance(told, list) else told
