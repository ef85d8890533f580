"""All that operators can do, each by a name. Of what changes something, it is what the audit calls the action."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar
from uuid import UUID, uuid4

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import CuratedProposals
from app.answers.curated.records import CuratedAnswerRecords, CuratedEditRecords
from app.conversations.conversation import ConversationChange, ConversationFilter
from app.conversations.inbox import Inbox
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.saved_filters import SavedFilterRecords
from app.conversations.saved_filter import FilteredList, SavedFilter
from app.conversations.saved_filters import SavedFilters
from app.conversations.token_budgets import TokenBudgets
from app.core.source_file import Upload
from app.core.turn import GapState
from app.gaps.gap_suggestions import GapSuggestions
from app.gaps.pull_requests.pull_request import Repository
from app.gaps.pull_requests.pull_requests import Repositories
from app.gaps.pull_requests.records import RepositoryRecords, RepositorySecrets
from app.knowledge.quarantine import PageQuarantine
from app.knowledge.starter_suggestions import StarterSuggestions
from app.leads.lead import Lead, LeadChange, LeadState
from app.leads.leads import Leads
from app.leads.records import LeadRecords
from app.live_chat.records import SavedReplyRecords
from app.live_chat.saved_replies import SavedReplies
from app.live_chat.saved_reply import SavedReply
from app.quality.golden_question import GoldenQuestion
from app.quality.quality_review import QualityReview, ThresholdCurves
from app.site_report.ordered_report import ReportKind
from app.site_report.report_orders import ReportOrders
from app.sources import kinds
from app.sources.deletions.deletion import DeletedKind
from app.sources.records import SourceAccessRecords
from app.sources.runs.run_control import RunPreviews, RunWatch
from app.sources.source import AccessKind, Schedule, SourceAccess, SourceConfig
from app.sources.source_editing import SourceAccesses
from app.stale_answers.stale_answer import StaleFilter, StaleState
from app.store.transaction import Transaction
from app.workspaces.operator import Role
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.sealed_secrets import SealedSecrets
from app.workspaces.workspaces import SigningKeys
from tests.doubles.fixed_clock import FixedClock
from tests.office.office import GAP, PAGE, Office

PASSWORD = SourceAccess(AccessKind.BASIC, "reader", "a secret")

Act = Callable[[Office], Awaitable[object]]


Added = TypeVar("Added")


def given(o: Office, add: Callable[[Transaction, UUID], Added]) -> Added:
    """What stands in the record before anything is done, by nobody: `add` gets the workspace."""
    with o.record.writing() as tx:
        return add(tx, TokenRecords(tx).default_workspace())


def a_lead(o: Office) -> UUID:
    lead = Lead(uuid4(), o.agent, o.visitor, o.conversation, "Eve", "eve@example.com", "Call me.", FixedClock().now())
    given(o, lambda tx, _: LeadRecords(tx).add(lead))
    return lead.id


def a_note(o: Office) -> UUID:
    def add(tx: Transaction, workspace: UUID) -> UUID:
        return (
            InboxRecords(tx)
            .add_note(ConversationRecords(tx).conversation(workspace, o.conversation), "ann", "Rude.")
            .id
        )

    return given(o, add)


def a_saved_filter(o: Office) -> UUID:
    saved = SavedFilter(uuid4(), uuid4(), None, FilteredList.GAPS, "Shipping", "q=ship")
    given(o, lambda tx, workspace: SavedFilterRecords(tx).add(replace(saved, workspace_id=workspace)))
    return saved.id


def a_saved_reply(o: Office) -> UUID:
    reply = SavedReply(uuid4(), uuid4(), None, "Hello", "Good day.")
    given(o, lambda tx, workspace: SavedReplyRecords(tx).create(replace(reply, workspace_id=workspace)))
    return reply.id


def a_proposal(o: Office) -> int:
    """To put the curated answer first."""

    def add(tx: Transaction, _: UUID) -> int:
        answer = CuratedAnswerRecords(tx).answer(o.agent, o.answer)
        return CuratedEditRecords(tx).propose(replace(answer, priority=7), "an agent").number

    return given(o, add)


def an_edit(o: Office) -> int:
    """As the curated answer stood when it came first."""

    def add(tx: Transaction, _: UUID) -> int:
        CuratedEditRecords(tx).keep(replace(CuratedAnswerRecords(tx).answer(o.agent, o.answer), priority=7), "ann")
        return CuratedEditRecords(tx).of_answer(o.answer)[0].number

    return given(o, add)


def an_access(o: Office) -> UUID:
    given(o, lambda tx, _: SourceAccessRecords(tx).set(o.site, PASSWORD))
    return o.site


def a_repository(o: Office) -> UUID:
    secrets = RepositorySecrets("token", "hook")
    given(o, lambda tx, _: RepositoryRecords(tx).put(Repository(uuid4(), o.agent, "acme", "docs"), secrets))
    return o.agent


async def a_paused_agent(o: Office) -> UUID:
    given(o, lambda tx, workspace: AgentRecords(tx).pause(workspace, o.agent, True))
    return o.agent


async def a_published_agent(o: Office) -> UUID:
    given(o, lambda tx, workspace: AgentRecords(tx).publish(workspace, o.agent))
    return o.agent


async def run(made: Awaitable[UUID], act: Callable[[UUID], Awaitable[object]]) -> None:
    await act(await made)


CHANGES: dict[str, Act] = {
    "agent.create": lambda o: o.agents.create(o.actor, AgentConfig(name="Shop")),
    "agent.edit": lambda o: o.agents.change_draft(o.actor, o.agent, lambda c: replace(c, tone="dry")),
    "agent.publish": lambda o: o.agents.publish(o.actor, o.agent),
    "agent.pause": lambda o: o.agents.pause(o.actor, o.agent, True),
    "agent.resume": lambda o: run(a_paused_agent(o), lambda agent: o.agents.pause(o.actor, agent, False)),
    "agent.make_user_secret": lambda o: o.signed_users.make_secret(o.actor, o.agent),
    "agent.remove_user_secret": lambda o: o.signed_users.remove_secret(o.actor, o.agent),
    "agent.report": lambda o: run(
        a_published_agent(o),
        lambda agent: o.parts.get(ReportOrders).order(o.actor, agent, ReportKind.WEBSITE, "Docs", {}),
    ),
    "agent.delete": lambda o: o.deletions.delete(o.actor, DeletedKind.AGENT, o.agent),
    "source.create": lambda o: o.sources.create(
        o.actor, o.agent, SourceConfig(kinds.URL, "Page", "https://www.example.com/")
    ),
    "source.edit": lambda o: o.editing.change(o.actor, o.source, lambda c: replace(c, text="Hi.")),
    "source.upload_file": lambda o: o.files.add(o.actor, o.agent, Upload("a.txt", b"A\nHello.")),
    "source.replace_file": lambda o: o.files.replace(o.actor, o.source, Upload("a.txt", b"A\nHi.")),
    "source.sync": lambda o: o.sources.sync(o.actor, o.source),
    "source.cancel": lambda o: o.sources.cancel(o.actor, o.source),
    "source.pause": lambda o: o.sources.pause(o.actor, o.source),
    "source.resume": lambda o: o.sources.resume(o.actor, o.source),
    "source.sync_pages": lambda o: o.page_sync.pages(o.actor, o.site, ["https://www.example.com/new"]),
    "source.give_documents": lambda o: o.document_batches.put(
        o.actor, o.documents, '{"id": "a", "title": "A", "text": "Hello."}'
    ),
    "source.make_hook": lambda o: o.hooks.make(o.actor, o.site),
    "source.remove_hook": lambda o: o.hooks.remove(o.actor, o.site),
    "webhook.create": lambda o: o.webhooks.create(o.actor, o.agent, "https://hooks.example.com/", [GAP]),
    "webhook.delete": lambda o: o.webhooks.delete(o.actor, o.agent, o.webhook),
    "webhook.retry": lambda o: o.webhooks.retry(o.actor, o.agent, o.dead),
    "source.schedule": lambda o: o.schedules.set(o.actor, o.site, Schedule(every_hours=24)),
    "source.unschedule": lambda o: o.schedules.clear(o.actor, o.site),
    "source.set_access": lambda o: o.parts.get(SourceAccesses).set(o.actor, o.site, PASSWORD),
    "source.clear_access": lambda o: o.parts.get(SourceAccesses).clear(o.actor, an_access(o)),
    "repository.set": lambda o: o.parts.get(Repositories).put(
        o.actor, Repository(uuid4(), o.agent, "acme", "docs"), "token"
    ),
    "repository.remove": lambda o: o.parts.get(Repositories).remove(o.actor, a_repository(o)),
    "source.delete": lambda o: o.deletions.delete(o.actor, DeletedKind.SOURCE, o.source),
    "document.release": lambda o: o.parts.get(PageQuarantine).release(o.actor, o.document),
    "document.dismiss": lambda o: o.parts.get(PageQuarantine).dismiss(o.actor, o.document),
    "document.delete": lambda o: o.deletions.delete(o.actor, DeletedKind.DOCUMENT, o.document),
    "curated_answer.create": lambda o: o.answers.create(
        o.actor, CuratedAnswer(uuid4(), o.agent, Trigger.PHRASE, "refund", "Within 30 days.")
    ),
    "curated_answer.edit": lambda o: o.answers.change(o.actor, o.agent, o.answer, lambda a: replace(a, priority=5)),
    "curated_answer.delete": lambda o: o.answers.delete(o.actor, o.agent, o.answer),
    "curated_answer.propose": lambda o: o.parts.get(CuratedProposals).propose_change(
        o.actor, o.agent, o.answer, lambda answer: replace(answer, priority=5)
    ),
    "curated_answer.approve": lambda o: o.parts.get(CuratedProposals).approve(
        o.actor, o.agent, o.answer, a_proposal(o)
    ),
    "curated_answer.decline": lambda o: o.parts.get(CuratedProposals).decline(
        o.actor, o.agent, o.answer, a_proposal(o)
    ),
    "curated_answer.restore": lambda o: o.answers.restore(o.actor, o.agent, o.answer, an_edit(o)),
    "golden_question.create": lambda o: o.golden_questions.create(o.actor, GoldenQuestion(uuid4(), o.agent, "Why?")),
    "golden_question.import": lambda o: o.golden_questions.import_csv(o.actor, o.agent, "question\nWhen?\n"),
    "golden_question.edit": lambda o: o.golden_questions.change(
        o.actor, o.agent, o.golden, lambda golden: replace(golden, language="en")
    ),
    "golden_question.run": lambda o: o.golden_runs.run(o.actor, o.agent),
    "golden_question.delete": lambda o: o.golden_questions.delete(o.actor, o.agent, o.golden),
    "gap.flag": lambda o: o.turn_review.flag(o.actor, o.turn),
    "gap.resolve": lambda o: o.gaps.resolve(o.actor, o.gap, "done"),
    "gap.prove": lambda o: o.gap_replays.resolve(o.actor, o.gap, "done"),
    "gap.merge": lambda o: o.merge_gaps(),
    "gap.split": lambda o: o.split_gap(),
    "gap.edit": lambda o: o.triage.edit(o.actor, o.gap, note="Ask the warehouse."),
    "gap.settle": lambda o: o.triage.settle(o.actor, o.agent, [o.gap], GapState.IGNORED, "not ours"),
    "gap.ignore": lambda o: o.gaps.ignore(o.actor, o.gap),
    "gap.reopen": lambda o: o.gaps.reopen(o.actor, o.gap),
    "stale_answer.dismiss": lambda o: o.settle_stale_answer(StaleState.DISMISSED),
    "stale_answer.settle": lambda o: o.settle_stale_answer(StaleState.SETTLED),
    "stale_answer.reopen": lambda o: o.settle_stale_answer(StaleState.OPEN, was=StaleState.DISMISSED),
    "lead.edit": lambda o: o.parts.get(Leads).change_one(o.actor, a_lead(o), LeadChange(state=LeadState.DONE)),
    "conversation.edit": lambda o: o.parts.get(Inbox).change_one(
        o.actor, o.conversation, ConversationChange(add_labels=("refund",))
    ),
    "conversation.note": lambda o: o.parts.get(Inbox).note(o.actor, o.conversation, "Rude."),
    "conversation.remove_note": lambda o: o.parts.get(Inbox).remove_note(o.actor, o.conversation, a_note(o)),
    "saved_filter.create": lambda o: o.parts.get(SavedFilters).create(
        o.actor, FilteredList.GAPS, "Shipping", "q=ship", is_shared=True
    ),
    "saved_filter.edit": lambda o: o.parts.get(SavedFilters).rename(o.actor, a_saved_filter(o), "Delivery"),
    "saved_filter.delete": lambda o: o.parts.get(SavedFilters).delete(o.actor, a_saved_filter(o)),
    "saved_reply.create": lambda o: o.parts.get(SavedReplies).create(
        o.actor, SavedReply(uuid4(), o.actor.workspace_id, o.agent, "Hello", "Good day.")
    ),
    "saved_reply.edit": lambda o: o.parts.get(SavedReplies).change(
        o.actor, a_saved_reply(o), lambda reply: replace(reply, text="Hi.")
    ),
    "saved_reply.delete": lambda o: o.parts.get(SavedReplies).delete(o.actor, a_saved_reply(o)),
    "live_chat.take": lambda o: run(o.a_live_chat(), lambda chat: o.live_chats.take_over(o.actor, chat)),
    "live_chat.reply": lambda o: run(
        o.a_live_chat(o.actor), lambda chat: o.live_chats.reply(o.actor, chat, uuid4(), "Hello.")
    ),
    "live_chat.hand_back": lambda o: run(o.a_live_chat(o.actor), lambda chat: o.live_chats.hand_back(o.actor, chat)),
    "conversation.erase": lambda o: o.visitor_data.erase_conversation(o.actor, o.conversation),
    "visitor.erase": lambda o: o.visitor_data.erase(o.actor, o.visitor),
    "token.revoke": lambda o: o.tokens.revoke(o.actor, o.token),
    "signing_key.rotate": lambda o: o.parts.get(SigningKeys).rotate(o.actor),
    "secrets.rotate": lambda o: o.parts.get(SealedSecrets).rotate(o.actor),
    "secrets.forget": lambda o: o.parts.get(SealedSecrets).forget(o.actor),
    "operator.create": lambda o: o.operators.add(o.actor, "eve@example.com", Role.VIEWER, "a long password"),
    "operator.set_role": lambda o: o.operators.change(o.actor, o.operator, role=Role.VIEWER),
    "operator.set_password": lambda o: o.operators.change(o.actor, o.operator, password="another password"),
    "operator.disable": lambda o: o.operators.change(o.actor, o.operator, is_disabled=True),
    "operator.delete": lambda o: o.operators.delete(o.actor, o.operator),
    "token.create": lambda o: o.tokens.issue(o.actor, "ci"),
}
READS: dict[str, Act] = {
    "agents.agent": lambda o: o.agents.agent(o.actor, o.agent),
    "token_budgets.budget": lambda o: o.parts.get(TokenBudgets).budget(o.actor, o.agent),
    "agents.versions": lambda o: o.agents.versions(o.actor, o.agent, PAGE),
    "sources.sources": lambda o: o.sources.sources(o.actor, o.agent, PAGE),
    "sources.source": lambda o: o.sources.source(o.actor, o.source),
    "run_watch.run_id": lambda o: o.parts.get(RunWatch).run_id(o.actor, o.source),
    "run_previews.preview": lambda o: o.parts.get(RunPreviews).preview(o.actor, o.site),
    "webhooks.webhooks": lambda o: o.webhooks.webhooks(o.actor, o.agent),
    "webhooks.dead_letters": lambda o: o.webhooks.dead_letters(o.actor, o.agent, PAGE),
    "schedules.schedule": lambda o: o.schedules.schedule(o.actor, o.site),
    "deletions.deletion": lambda o: o.deletions.deletion(o.actor, o.deletion),
    "editing.text": lambda o: o.editing.text(o.actor, o.source),
    "discovery.look": lambda o: o.discovery.look(o.actor, o.agent, "https://www.example.com"),
    "files.file": lambda o: o.files.file(o.actor, o.source),
    "sources.pages": lambda o: o.sources.pages(o.actor, o.source, PAGE),
    "answers.answers": lambda o: o.answers.answers(o.actor, o.agent, PAGE),
    "answers.answer": lambda o: o.answers.answer(o.actor, o.agent, o.answer),
    "rehearsals.rehearse": lambda o: o.rehearsals.rehearse(
        o.actor, CuratedAnswer(uuid4(), o.agent, Trigger.PHRASE, "refund", "Within 30 days.")
    ),
    "golden_questions.question": lambda o: o.golden_questions.question(o.actor, o.agent, o.golden),
    "golden_questions.all_of_agent": lambda o: o.golden_questions.all_of_agent(o.actor, o.agent),
    "golden_runs.page": lambda o: o.golden_runs.page(o.actor, o.agent, PAGE),
    "report_orders.latest": lambda o: o.parts.get(ReportOrders).latest(o.actor, o.agent, ReportKind.WEBSITE),
    "gaps.gaps": lambda o: o.gaps.gaps(o.actor, o.agent, None, PAGE),
    "gaps.all_of_agent": lambda o: o.gaps.all_of_agent(o.actor, o.agent, None),
    "triage.view": lambda o: o.triage.view(o.actor, o.gap),
    "gap_replays.replay": lambda o: o.gap_replays.replay(o.actor, o.gap),
    "gap_suggestions.suggest": lambda o: o.parts.get(GapSuggestions).suggest(o.actor, o.gap),
    "gaps.gap": lambda o: o.gaps.gap(o.actor, o.gap),
    "stale_answers.stale_answers": lambda o: o.stale_answers.stale_answers(o.actor, o.agent, StaleFilter(), PAGE),
    "quarantine.pages": lambda o: o.parts.get(PageQuarantine).pages(o.actor, o.agent, PAGE),
    "quarantine.reviews": lambda o: o.parts.get(PageQuarantine).reviews(o.actor, o.document),
    "starter_suggestions.suggestions": lambda o: o.parts.get(StarterSuggestions).suggestions(o.actor, o.agent),
    "review.conversations": lambda o: o.review.conversations(o.actor, o.agent, PAGE),
    "review.labels": lambda o: o.review.labels(o.actor, o.agent),
    "review.neighbours": lambda o: o.review.neighbours(o.actor, o.conversation, ConversationFilter()),
    "turn_review.curated_draft": lambda o: o.turn_review.curated_draft(o.actor, o.turn),
    "threshold_curves.curve": lambda o: o.parts.get(ThresholdCurves).curve(o.actor, o.agent),
    "quality.quality": lambda o: o.parts.get(QualityReview).quality(o.actor, o.agent, 7),
    "review.thread": lambda o: o.review.thread(o.actor, o.conversation),
    "live_chats.view": lambda o: o.live_chats.view(o.actor, o.conversation),
    "visitor_data.export": lambda o: o.visitor_data.export(o.actor, o.visitor),
}
