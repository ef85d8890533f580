"""Who asks for a person, or leaves a message, becomes a ticket with what was said and cited: one, though workers die
and services are away."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.agents.token_budget import UNLIMITED
from app.agents.widget_settings import Fallback
from app.answers.hand_over_summaries import HandOverSummaries
from app.conversations.privacy.records import VisitorRecords
from app.conversations.records.turns import TurnRecords
from app.conversations.transcripts import MAX_TEXT_CHARS
from app.core.errors import InvalidInput, NotFound
from app.core.list_page import PageRequest
from app.core.turn import AnsweredBy, Citation, Finish, TurnEnd, TurnRequest, TurnState
from app.leads.lead import LEAD_LEFT
from app.leads.leads import Leads
from app.mail.mailer import Mailer
from app.mail.records import MailRecords
from app.providers.chat.chat_model import ChatModel
from app.providers.http_caller import HttpReply
from app.store.delivery_loop import RETRY_AFTER
from app.webhooks.tickets.desk_settings import HANDED_OVER, DeskFields, DeskKind
from app.webhooks.tickets.help_desks import HelpDesks, TicketDelivery
from app.webhooks.tickets.records import TicketState
from app.webhooks.webhooks import WebhookDelivery
from tests.doubles.help_desk_services import HelpDeskServices, Json
from tests.doubles.mailers import MAILER
from tests.doubles.recording_sender import RecordingSender
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.doubles.workspaces import another_workspace
from tests.webhooks.team import Team, open_team

ZENDESK = DeskFields(DeskKind.ZENDESK, "shop.zendesk.com", "agent@example.com", "", HANDED_OVER)
MAIL = DeskFields(DeskKind.MAIL, "", "help@example.com", "", HANDED_OVER)
SHIPPING = Citation(1, "https://www.example.com/shipping", "Shipping", date(2026, 1, 1))


@dataclass
class DyingCaller:
    """Calls, and then the process dies before it can say so."""

    services: HelpDeskServices

    async def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpReply:
        await self.services.call(method, url, headers, body)
        raise asyncio.CancelledError


@dataclass
class DeskTeam(Team):
    services: HelpDeskServices = field(default_factory=HelpDeskServices)
    mailer: Mailer = MAILER
    model: ChatModel | None = None

    @property
    def desks(self) -> HelpDesks:
        return HelpDesks(self.record, self.mailer, self.clock)

    @property
    def delivery(self) -> TicketDelivery:
        summaries = HandOverSummaries(self.record, self.model, UNLIMITED)
        return TicketDelivery(self.record, self.services, self.mailer, self.clock, summaries, luck=lambda: 0.5)

    async def set(self, fields: DeskFields = ZENDESK, token: str = "right") -> None:
        await self.desks.set(self.actor, self.session.agent_id, fields, token)

    async def ask(self, question: str, answer: str = "To **Malta**, yes. [1]") -> None:
        turn_id, page = uuid4(), "https://www.example.com/cart"
        with self.record.writing() as tx:
            TurnRecords(tx).begin(self.session, TurnRequest(turn_id, question, page), 1, "tests")
            end = TurnEnd(TurnState.DONE, answer, AnsweredBy.MODEL, 0.9, False, Finish.COMPLETE, citations=(SHIPPING,))
            TurnRecords(tx).finish(turn_id, end)
        self.clock.advance(1)

    async def ask_for_a_person(self) -> None:
        await self.visitor_asks_for_a_person()
        await self.live_chats.say(self.session, uuid4(), "Is anybody there?")

    async def leave_a_message(self) -> None:
        await Leads(self.record, self.clock).leave(self.session, "Bo", "bo@example.com", "Please call me.")

    async def hand_out(self) -> None:
        await WebhookDelivery(self.record, RecordingSender(), self.clock, [self.delivery]).deliver()

    async def deliver(self) -> int:
        await self.hand_out()
        return await self.delivery.deliver()

    async def state(self) -> TicketState:
        [ticket] = (await self.desks.tickets(self.actor, self.session.agent_id, PageRequest())).items
        return ticket

    @property
    def opened(self) -> list[Json]:
        return self.services.tickets.get("shop.zendesk.com", [])


@pytest.fixture
async def team(tmp_path: Path) -> AsyncIterator[DeskTeam]:
    async with open_team(tmp_path, name="Shop", fallback=Fallback(form=True)) as team:
        yield DeskTeam(team.record, team.clock, team.session)


async def test_a_visitor_who_asks_for_a_person_is_a_ticket_with_what_was_said_and_cited(team: DeskTeam) -> None:
    await team.set()
    await team.ask("Do you ship to Malta?")
    await team.ask_for_a_person()
    assert [await team.deliver() for _ in range(3)] == [1, 0, 0]
    [ticket] = team.opened
    assert ticket["subject"] == "Shop: Do you ship to Malta?"
    assert ticket["comment"]["body"] == (
        "Asked so far:\n1. Do you ship to Malta? (answered)\n\n"
        "Asked on https://www.example.com/cart\n\n"
        "In Docent: https://docent.example.com/console/agents/"
        f"{team.session.agent_id}/conversations/{team.session.conversation_id}\n\n"
        "Visitor: Do you ship to Malta?\nShop (automatic): To Malta, yes. [1]\n"
        "[1] Shipping https://www.example.com/shipping\n\n"
        "Visitor: Is anybody there?"
    )
    state = await team.state()
    assert (state.number, state.url) == ("101", "https://shop.zendesk.com/agent/tickets/101")
    assert (state.next_at, state.died_at, state.last_error) == (None, None, "")


async def test_a_ticket_begins_with_what_a_model_sums_up(team: DeskTeam) -> None:
    await team.set()
    team.model = ScriptedChatModel(("Wants a lamp in Malta.",))
    await team.ask("Do you ship to Malta?")
    await team.ask("How long does it take?")
    await team.ask_for_a_person()
    await team.deliver()
    assert team.opened[0]["comment"]["body"].startswith(
        "Summary by a chat model: Wants a lamp in Malta.\n\nAsked on https://www.example.com/cart"
    )


async def test_who_leaves_a_message_is_named_in_the_ticket(team: DeskTeam) -> None:
    await team.set()
    await team.leave_a_message()
    await team.deliver()
    [ticket] = team.opened
    assert ticket["requester"] == {"name": "Bo", "email": "bo@example.com"}
    assert ticket["comment"]["body"].startswith("From: Bo <bo@example.com>\n\nPlease call me.")


async def test_by_mail_it_is_put_once_with_an_answer_to_the_visitor(team: DeskTeam) -> None:
    await team.set(MAIL, "")
    await team.leave_a_message()
    assert [await team.deliver() for _ in range(2)] == [1, 0]
    with team.record.writing() as tx:
        [waiting] = MailRecords(tx).claim(8, team.clock.now() + TicketDelivery.LEASE)
    assert waiting.mail is not None
    assert (waiting.mail.to, waiting.mail.reply_to) == ("help@example.com", "bo@example.com")
    assert "Please call me." in waiting.mail.text
    assert (await team.state()).next_at is None


async def test_without_a_mail_server_mail_is_refused_at_once_and_later_said(team: DeskTeam) -> None:
    await team.set(MAIL, "")
    team.mailer = Mailer(is_on=False, public_url="")
    with pytest.raises(InvalidInput, match="no mail server"):
        await team.set(MAIL, "")
    await team.leave_a_message()
    await team.deliver()
    assert "no mail server" in (await team.state()).last_error


async def test_a_service_that_is_away_gets_it_later_and_once(team: DeskTeam) -> None:
    await team.set()
    await team.ask_for_a_person()
    team.services.is_away = True
    await team.deliver()
    assert (await team.state()).last_error == "nobody answers"
    team.services.is_away = False
    team.clock.advance(RETRY_AFTER[0].total_seconds() * 1.3)
    assert await team.deliver() == 1
    assert len(team.opened) == 1


async def test_a_worker_that_dies_after_the_ticket_was_taken_opens_no_second_one(team: DeskTeam) -> None:
    await team.set()
    await team.ask_for_a_person()
    await team.hand_out()
    summaries = HandOverSummaries(team.record, None, UNLIMITED)
    dying = TicketDelivery(team.record, DyingCaller(team.services), MAILER, team.clock, summaries)
    with pytest.raises(asyncio.CancelledError):
        await dying.deliver()
    assert await team.delivery.deliver() == 0, "it is claimed"
    team.clock.advance(TicketDelivery.LEASE.total_seconds() + 1)
    assert await team.delivery.deliver() == 1
    assert len(team.opened) == 1, "Zendesk knows its key"
    assert (await team.state()).number == "101"


async def test_two_workers_open_one_ticket(team: DeskTeam) -> None:
    await team.set()
    await team.ask_for_a_person()
    await asyncio.gather(team.deliver(), team.deliver())
    assert len(team.opened) == 1


async def test_what_is_refused_for_good_is_shown_and_sent_again_by_hand(team: DeskTeam) -> None:
    await team.set()
    await team.ask_for_a_person()
    team.services.statuses = [422]
    await team.deliver()
    ticket = await team.state()
    assert ticket.died_at is not None
    assert "422" in ticket.last_error
    await team.desks.retry(team.actor, team.session.agent_id, ticket.id)
    assert await team.deliver() == 1
    assert len(team.opened) == 1
    with pytest.raises(NotFound):
        await team.desks.retry(team.actor, team.session.agent_id, ticket.id)


async def test_what_is_erased_meanwhile_is_not_handed_over(team: DeskTeam) -> None:
    await team.set()
    await team.ask("My name is Ann")
    await team.ask_for_a_person()
    await team.hand_out()
    with team.record.writing() as tx:
        VisitorRecords(tx).erase(team.session.workspace_id, team.session.visitor_id)
    assert await team.delivery.deliver() == 0
    assert team.opened == []


async def test_only_what_was_chosen_and_comes_after_is_handed_over(team: DeskTeam) -> None:
    await team.leave_a_message()
    team.clock.advance(1)
    await team.set(replace(ZENDESK, events=(LEAD_LEFT.name,)))
    await team.ask_for_a_person()
    assert await team.deliver() == 0
    await team.leave_a_message()
    assert await team.deliver() == 1


async def test_the_token_stays_sealed_and_goes_to_no_other_host(team: DeskTeam) -> None:
    await team.set(token="very-secret")
    desk = await team.desks.desk(team.actor, team.session.agent_id)
    assert "very-secret" not in repr(desk)
    with team.record.reading() as tx:
        for table in ("help_desks", "audit_log"):
            assert "very-secret" not in repr(tx.connection.exec_driver_sql(f"SELECT * FROM {table}").all())
    await team.set(replace(ZENDESK, account="bo@example.com"), token="")
    with pytest.raises(InvalidInput, match="token"):
        await team.set(replace(ZENDESK, host="other.zendesk.com"), token="")


async def test_another_workspace_finds_none_of_it(team: DeskTeam, tmp_path: Path) -> None:
    await team.set()
    other = replace(team.actor, workspace_id=await another_workspace(tmp_path))
    agent_id = team.session.agent_id
    for attempt in (
        team.desks.desk(other, agent_id),
        team.desks.set(other, agent_id, MAIL, ""),
        team.desks.clear(other, agent_id),
        team.desks.tickets(other, agent_id, PageRequest()),
        team.desks.retry(other, agent_id, UUID(int=1)),
    ):
        with pytest.raises(NotFound):
            await attempt


async def test_a_help_desk_that_is_cleared_gets_nothing_of_what_waits(team: DeskTeam) -> None:
    await team.set()
    await team.ask_for_a_person()
    await team.hand_out()
    await team.desks.clear(team.actor, team.session.agent_id)
    assert await team.deliver() == 0
    assert await team.desks.desk(team.actor, team.session.agent_id) is None


async def test_of_a_long_conversation_the_end_is_told(team: DeskTeam) -> None:
    await team.set()
    for number in range(12):
        await team.ask(f"Question {number}?", "x" * 4000)
    await team.ask_for_a_person()
    await team.deliver()
    body = team.opened[0]["comment"]["body"]
    assert len(body) <= MAX_TEXT_CHARS
    assert "Question 11?" in body
    assert "Question 0?" not in body
    assert "left out" in body
