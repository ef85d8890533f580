"""Operators get a mail of what they chose, once, and of nothing that was before or is another workspace's."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from email.headerregistry import Address
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.agents.records import AgentRecords
from app.agents.token_budget import WorkspaceTokens
from app.conversations.conversation import ConversationChange
from app.conversations.inbox import Inbox
from app.conversations.records.gap_counting import TOLD_AT
from app.conversations.records.turns import TurnRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import InvalidInput
from app.core.turn import AnsweredBy, Finish, TokenUsage, TurnEnd, TurnRequest, TurnState
from app.core.webhook_event import WebhookEvent
from app.mail.mail import Mail
from app.mail.mailer import MailDelivery
from app.mail.records import MailRecords
from app.providers.mail_transport import AiosmtplibMailTransport
from app.webhooks.announcements import BudgetWarnings, GapDigests
from app.webhooks.notices.notices import NoticeMails, Notices
from app.webhooks.webhook import CrawlerWebhookSender
from app.webhooks.webhooks import WebhookDelivery
from app.workspaces.operator import Operator, Role
from app.workspaces.records.operators import OperatorRecords
from tests.doubles.mail_server import running_mail_server
from tests.doubles.mailers import MAILER, NO_MAIL
from tests.doubles.workspaces import another_workspace
from tests.webhooks.team import Team, open_team

WEEK_SECONDS = 7 * 24 * 3600


@dataclass
class NoticeTeam(Team):
    sender: CrawlerWebhookSender
    mails: NoticeMails

    @property
    def actor(self) -> Actor:
        return Actor(self.session.workspace_id, "ann@example.com", frozenset((READ, WRITE)), UUID(int=1))

    async def operator(self, email: str, *events: WebhookEvent, workspace_id: UUID | None = None) -> UUID:
        workspace_id = workspace_id or self.session.workspace_id
        operator = Operator(uuid4(), workspace_id, email, Role.EDITOR, self.clock.now())
        with self.record.writing() as tx:
            OperatorRecords(tx).add(operator, "hash")
        await Notices(self.record).choose(replace(self.actor, workspace_id=workspace_id), operator.id, events)
        return operator.id

    async def bound_to(self, daily: int, monthly: int | None = None) -> None:
        with self.record.writing() as tx:
            agent = AgentRecords(tx).agent(self.session.workspace_id, self.session.agent_id)
            AgentRecords(tx).save_draft(
                agent.workspace_id, agent.id, replace(agent.draft, daily_tokens=daily, monthly_tokens=monthly)
            )
            AgentRecords(tx).publish(agent.workspace_id, agent.id)

    async def spend(self, tokens: int) -> None:
        turn_id = uuid4()
        with self.record.writing() as tx:
            TurnRecords(tx).begin(self.session, TurnRequest(turn_id, "?", "https://www.example.com/"), 1, "tests")
            end = TurnEnd(
                TurnState.DONE, "!", AnsweredBy.MODEL, 0.9, False, Finish.COMPLETE, usage=TokenUsage(tokens, 0, "m")
            )
            TurnRecords(tx).finish(turn_id, end)

    @property
    def delivery(self) -> WebhookDelivery:
        return WebhookDelivery(self.record, self.sender, self.clock, [self.mails])

    async def mailed(self) -> list[Mail]:
        """What was put since it was last looked."""
        await self.delivery.deliver()
        with self.record.writing() as tx:
            claimed = MailRecords(tx).claim(100, self.clock.now())
            for each in claimed:
                MailRecords(tx).sent(each.id)
        return [each.mail for each in claimed if each.mail]


@pytest.fixture
async def team(tmp_path: Path) -> AsyncIterator[NoticeTeam]:
    async with open_team(tmp_path) as team, CrawlerWebhookSender() as sender:
        yield NoticeTeam(team.record, team.clock, team.session, sender, NoticeMails(MAILER))


async def test_a_visitor_who_waits_is_told_to_who_chose_it_with_a_link_to_the_chat(team: NoticeTeam) -> None:
    await team.operator("ann@example.com", WebhookEvent.PERSON_ASKED)
    await team.operator("bob@example.com", WebhookEvent.GAPS_WEEKLY)
    await team.visitor_asks_for_a_person()
    [mail] = await team.mailed()
    assert mail.to == "ann@example.com"
    assert mail.subject.endswith(": a visitor is waiting for a person")
    assert mail.link is not None
    assert mail.link.url == f"https://docent.example.com/console/live/{team.session.conversation_id}"
    assert mail.settings_url == "https://docent.example.com/console/notices"
    assert await team.mailed() == []


async def test_two_workers_put_one_mail(team: NoticeTeam) -> None:
    await team.operator("ann@example.com", WebhookEvent.PERSON_ASKED)
    await team.visitor_asks_for_a_person()
    await asyncio.gather(team.delivery.deliver(), team.delivery.deliver())
    assert len(await team.mailed()) == 1


async def test_a_gap_is_told_when_it_is_new_and_when_it_has_grown(team: NoticeTeam) -> None:
    await team.operator("ann@example.com", WebhookEvent.GAP_GROWN)
    subjects = []
    for _ in range(21):
        await team.asked_in_vain("Do you ship to Malta?")
        subjects += [mail.subject.partition(": ")[2] for mail in await team.mailed()]
    assert subjects == ["a new gap", "a gap has grown to 5", "a gap has grown to 20"]
    assert max(TOLD_AT) == 100


async def test_no_word_of_a_visitor_is_in_a_mail(team: NoticeTeam) -> None:
    await team.operator("ann@example.com", WebhookEvent.GAP_GROWN, WebhookEvent.GAPS_WEEKLY)
    await team.asked_in_vain("Do you ship to Malta?")
    team.clock.advance(WEEK_SECONDS)
    await GapDigests(team.record, team.clock, [team.mails]).announce()
    mails = await team.mailed()
    assert len(mails) == 2
    assert not any("Malta" in mail.text + mail.subject for mail in mails)


async def test_a_week_is_summed_up_though_no_webhook_wants_it(team: NoticeTeam) -> None:
    await team.operator("ann@example.com", WebhookEvent.GAPS_WEEKLY)
    team.clock.advance(WEEK_SECONDS)
    assert await GapDigests(team.record, team.clock, [team.mails]).announce() == 1
    assert await GapDigests(team.record, team.clock, [team.mails]).announce() == 0
    [mail] = await team.mailed()
    assert "the week of" in mail.subject


async def test_a_conversation_is_told_to_who_is_given_it_and_to_nobody_else(team: NoticeTeam) -> None:
    for email in ("ann@example.com", "bob@example.com", "cy@example.com"):
        await team.operator(email, WebhookEvent.CONVERSATION_ASSIGNED)
    inbox, conversation_id = Inbox(team.record), team.session.conversation_id
    for assignee in ("ann@example.com", "bob@example.com", "bob@example.com", ""):  # ann takes it herself first
        await inbox.change_one(team.actor, conversation_id, ConversationChange(assignee=assignee))
    [mail] = await team.mailed()
    assert mail.to == "bob@example.com"
    assert mail.link is not None
    assert mail.link.url.endswith(f"/conversations/{conversation_id}")


async def test_who_a_note_names_is_told_and_nothing_of_what_it_says(team: NoticeTeam) -> None:
    for email in ("ann@example.com", "bob@example.com", "cy@example.com"):
        await team.operator(email, WebhookEvent.OPERATOR_MENTIONED)
    note = "@bob, @ann and @nobody: is this ours? @bob@example.com knows. Write to help@cy."  # ann writes it
    await Inbox(team.record).note(team.actor, team.session.conversation_id, note)
    [mail] = await team.mailed()
    assert mail.to == "bob@example.com"
    assert mail.link is not None
    assert mail.link.url.endswith(f"/conversations/{team.session.conversation_id}#notes")
    assert "ours" not in mail.text + mail.subject


async def test_who_is_named_by_a_token_of_their_own_name_is_told_as_of_anybody_else(team: NoticeTeam) -> None:
    await team.operator("ann@example.com", WebhookEvent.CONVERSATION_ASSIGNED, WebhookEvent.OPERATOR_MENTIONED)
    token, conversation_id = replace(team.actor, operator_id=None), team.session.conversation_id
    await Inbox(team.record).change_one(token, conversation_id, ConversationChange(assignee="ann@example.com"))
    await Inbox(team.record).note(token, conversation_id, "@ann, look")
    assert [mail.to for mail in await team.mailed()] == ["ann@example.com"] * 2


async def test_a_day_that_is_nearly_spent_is_told_once(team: NoticeTeam) -> None:
    await team.operator("ann@example.com", WebhookEvent.BUDGET_NEAR)
    warnings = BudgetWarnings(team.record, team.clock, WorkspaceTokens(), [team.mails])
    assert await warnings.announce() == 0, "an agent without a bound"
    await team.bound_to(1000)
    await team.spend(799)
    assert await warnings.announce() == 0
    await team.spend(1)
    assert [await warnings.announce() for _ in range(2)] == [1, 0]
    [mail] = await team.mailed()
    assert "80%" in mail.text
    team.clock.advance(24 * 3600)
    assert await warnings.announce() == 0, "a new day"


async def test_a_limit_that_is_spent_is_told_beside_one_that_is_nearly(team: NoticeTeam) -> None:
    await team.operator("ann@example.com", WebhookEvent.BUDGET_NEAR, WebhookEvent.BUDGET_SPENT)
    warnings = BudgetWarnings(team.record, team.clock, WorkspaceTokens(monthly=1250), [team.mails])
    await team.bound_to(1000, 2000)
    await team.spend(1000)
    assert [await warnings.announce() for _ in range(2)] == [3, 0]
    told = [(mail.subject, mail.text) for mail in await team.mailed()]
    assert sorted(subject.partition(": ")[2] for subject, _ in told) == [
        "the day's tokens are nearly used up",
        "the day's tokens are used up",
        "the month's tokens are nearly used up",
    ]
    assert any(text.startswith('The workspace of "') for _, text in told)
    team.clock.advance(24 * 3600)
    await team.spend(1000)
    assert await warnings.announce() == 5, "the new day's two, and of the month what was not told"


async def test_what_happened_before_it_was_chosen_is_not_told(team: NoticeTeam) -> None:
    await team.visitor_asks_for_a_person()
    team.clock.advance(1)
    await team.operator("ann@example.com", WebhookEvent.PERSON_ASKED)
    assert await team.mailed() == []


async def test_who_chose_otherwise_or_is_disabled_is_told_nothing(team: NoticeTeam) -> None:
    ann = await team.operator("ann@example.com", WebhookEvent.PERSON_ASKED)
    bob = await team.operator("bob@example.com", WebhookEvent.PERSON_ASKED)
    await Notices(team.record).choose(team.actor, ann, ())
    with team.record.writing() as tx:
        OperatorRecords(tx).set_disabled(bob, True)
    await team.visitor_asks_for_a_person()
    assert await team.mailed() == []


async def test_operators_of_another_workspace_are_told_nothing(team: NoticeTeam, tmp_path: Path) -> None:
    other = await another_workspace(tmp_path)
    await team.operator("eve@example.com", WebhookEvent.PERSON_ASKED, workspace_id=other)
    await team.visitor_asks_for_a_person()
    assert await team.mailed() == []


async def test_an_installation_without_a_mail_server_puts_none(team: NoticeTeam) -> None:
    await team.operator("ann@example.com", WebhookEvent.PERSON_ASKED)
    team.mails = NO_MAIL
    await team.visitor_asks_for_a_person()
    assert await team.mailed() == []


async def test_nobody_chooses_what_no_mail_is_made_of(team: NoticeTeam) -> None:
    with pytest.raises(InvalidInput, match="events"):
        await team.operator("ann@example.com", WebhookEvent.TURN_FINISHED)


async def test_a_notice_reaches_a_real_mail_server(team: NoticeTeam) -> None:
    await team.operator("ann@example.com", WebhookEvent.PERSON_ASKED)
    await team.visitor_asks_for_a_person()
    await team.delivery.deliver()
    with running_mail_server() as server:
        transport = AiosmtplibMailTransport("127.0.0.1", server.port, "", "", is_tls=False, is_plain=True)
        sender = Address("Docent", "docent", "example.com")
        assert await MailDelivery(team.record, transport, sender, team.clock).deliver() == 1
    [mail] = server.mails
    assert mail["To"] == "ann@example.com"
    assert mail["List-Unsubscribe"] == "<https://docent.example.com/console/notices>"
