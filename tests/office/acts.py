"""All that operators can do, each by a name. Of what changes something, it is what the audit calls the action."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from uuid import UUID, uuid4

from app.agents.agent import AgentConfig
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.conversations.token_budgets import TokenBudgets
from app.core.gap_state import GapState
from app.core.source_file import Upload
from app.gaps.gap_suggestions import GapSuggestions
from app.knowledge.quarantine import PageQuarantine
from app.knowledge.starter_suggestions import StarterSuggestions
from app.quality.golden_question import GoldenQuestion
from app.quality.quality_review import QualityReview, ThresholdCurves
from app.sources.deletions.deletion import DeletedKind
from app.sources.runs.run_control import RunPreviews, RunWatch
from app.sources.source import Schedule, SourceConfig, SourceKind
from app.stale_answers.stale_answer import StaleFilter, StaleState
from app.workspaces.operator import Role
from app.workspaces.sealed_secrets import SealedSecrets
from app.workspaces.signing_keys import SigningKeys
from tests.office.office import GAP, PAGE, Office

Act = Callable[[Office], Awaitable[object]]


async def run(made: Awaitable[UUID], act: Callable[[UUID], Awaitable[object]]) -> None:
    await act(await made)


CHANGES: dict[str, Act] = {
    "agent.create": lambda o: o.agents.create(o.actor, AgentConfig(name="Shop")),
    "agent.edit": lambda o: o.agents.change_draft(o.actor, o.agent, lambda c: replace(c, tone="dry")),
    "agent.publish": lambda o: o.agents.publish(o.actor, o.agent),
    "agent.make_user_secret": lambda o: o.signed_users.make_secret(o.actor, o.agent),
    "agent.remove_user_secret": lambda o: o.signed_users.remove_secret(o.actor, o.agent),
    "agent.delete": lambda o: o.deletions.delete(o.actor, DeletedKind.AGENT, o.agent),
    "source.create": lambda o: o.sources.create(
        o.actor, o.agent, SourceConfig(SourceKind.URL, "Page", "https://www.example.com/")
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
    "source.delete": lambda o: o.deletions.delete(o.actor, DeletedKind.SOURCE, o.source),
    "document.release": lambda o: o.parts.get(PageQuarantine).release(o.actor, o.document),
    "document.dismiss": lambda o: o.parts.get(PageQuarantine).dismiss(o.actor, o.document),
    "document.delete": lambda o: o.deletions.delete(o.actor, DeletedKind.DOCUMENT, o.document),
    "curated_answer.create": lambda o: o.answers.create(
        o.actor, CuratedAnswer(uuid4(), o.agent, Trigger.PHRASE, "refund", "Within 30 days.")
    ),
    "curated_answer.edit": lambda o: o.answers.change(o.actor, o.agent, o.answer, lambda a: replace(a, priority=5)),
    "curated_answer.delete": lambda o: o.answers.delete(o.actor, o.agent, o.answer),
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
    "gap.edit": lambda o: o.triage.tell(o.actor, o.gap, note="Ask the warehouse."),
    "gap.settle": lambda o: o.triage.settle(o.actor, o.agent, [o.gap], GapState.IGNORED, "not ours"),
    "gap.ignore": lambda o: o.gaps.ignore(o.actor, o.gap),
    "gap.reopen": lambda o: o.gaps.reopen(o.actor, o.gap),
    "stale_answer.dismiss": lambda o: o.settle_stale_answer(StaleState.DISMISSED),
    "stale_answer.settle": lambda o: o.settle_stale_answer(StaleState.SETTLED),
    "stale_answer.reopen": lambda o: o.settle_stale_answer(StaleState.OPEN, was=StaleState.DISMISSED),
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
    "token.create": lambda o: o.tokens.issue(o.actor.workspace_id, "ci", issued_by=o.actor.name),
}
READS: dict[str, Act] = {
    "agents.get": lambda o: o.agents.get(o.actor, o.agent),
    "token_budgets.of": lambda o: o.parts.get(TokenBudgets).of(o.actor, o.agent),
    "agents.versions": lambda o: o.agents.versions(o.actor, o.agent, PAGE),
    "sources.of_agent": lambda o: o.sources.of_agent(o.actor, o.agent, PAGE),
    "sources.get": lambda o: o.sources.get(o.actor, o.source),
    "run_watch.run_id": lambda o: o.parts.get(RunWatch).run_id(o.actor, o.source),
    "run_previews.of": lambda o: o.parts.get(RunPreviews).of(o.actor, o.site),
    "webhooks.of_agent": lambda o: o.webhooks.of_agent(o.actor, o.agent),
    "webhooks.dead_letters": lambda o: o.webhooks.dead_letters(o.actor, o.agent, PAGE),
    "schedules.get": lambda o: o.schedules.get(o.actor, o.site),
    "deletions.get": lambda o: o.deletions.get(o.actor, o.deletion),
    "editing.text": lambda o: o.editing.text(o.actor, o.source),
    "discovery.look": lambda o: o.discovery.look(o.actor, o.agent, "https://www.example.com"),
    "files.get": lambda o: o.files.get(o.actor, o.source),
    "sources.pages": lambda o: o.sources.pages(o.actor, o.source, PAGE),
    "answers.of_agent": lambda o: o.answers.of_agent(o.actor, o.agent, PAGE),
    "answers.get": lambda o: o.answers.get(o.actor, o.agent, o.answer),
    "rehearsals.rehearse": lambda o: o.rehearsals.rehearse(
        o.actor, CuratedAnswer(uuid4(), o.agent, Trigger.PHRASE, "refund", "Within 30 days.")
    ),
    "golden_questions.get": lambda o: o.golden_questions.get(o.actor, o.agent, o.golden),
    "golden_runs.page": lambda o: o.golden_runs.page(o.actor, o.agent, PAGE),
    "gaps.of_agent": lambda o: o.gaps.of_agent(o.actor, o.agent, None, PAGE),
    "gaps.all_of_agent": lambda o: o.gaps.all_of_agent(o.actor, o.agent, None),
    "triage.view": lambda o: o.triage.view(o.actor, o.gap),
    "gap_replays.replay": lambda o: o.gap_replays.replay(o.actor, o.gap),
    "gap_suggestions.suggest": lambda o: o.parts.get(GapSuggestions).suggest(o.actor, o.gap),
    "gaps.get": lambda o: o.gaps.get(o.actor, o.gap),
    "stale_answers.of_agent": lambda o: o.stale_answers.of_agent(o.actor, o.agent, StaleFilter(), PAGE),
    "quarantine.of_agent": lambda o: o.parts.get(PageQuarantine).of_agent(o.actor, o.agent, PAGE),
    "quarantine.count": lambda o: o.parts.get(PageQuarantine).count(o.actor, o.agent),
    "quarantine.reviews": lambda o: o.parts.get(PageQuarantine).reviews(o.actor, o.document),
    "starter_suggestions.of_agent": lambda o: o.parts.get(StarterSuggestions).of_agent(o.actor, o.agent),
    "review.of_agent": lambda o: o.review.of_agent(o.actor, o.agent, PAGE),
    "turn_review.curated_draft": lambda o: o.turn_review.curated_draft(o.actor, o.turn),
    "threshold_curves.of": lambda o: o.parts.get(ThresholdCurves).of(o.actor, o.agent),
    "quality.of": lambda o: o.parts.get(QualityReview).of(o.actor, o.agent, 7),
    "review.thread": lambda o: o.review.thread(o.actor, o.conversation),
    "live_chats.view": lambda o: o.live_chats.view(o.actor, o.conversation),
    "visitor_data.export": lambda o: o.visitor_data.export(o.actor, o.visitor),
}
