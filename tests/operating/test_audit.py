"""Every change leaves a row that says who did what, in the same transaction; reading leaves none."""

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.adapters.crawler_page_scope import CrawlerPageScope
from app.adapters.crawler_webhook_sender import CrawlerWebhookSender
from app.adapters.cronsim_calendar import CronsimCalendar
from app.adapters.re2_pattern_matcher import Re2PatternMatcher
from app.answering.curated_matcher import CuratedMatcher
from app.domain.agent import AgentConfig
from app.domain.curated_answer import CuratedAnswer, Trigger
from app.domain.deletion import DeletedKind
from app.domain.document import PageContent
from app.domain.errors import InvalidInput, NotFound
from app.domain.file_format import FileFormat
from app.domain.gap import Gap, GapReason, GapState
from app.domain.golden_question import GoldenQuestion
from app.domain.operator import Operator, Role
from app.domain.page_lint import Finding, FindingKind
from app.domain.reading_schedule import Schedule
from app.domain.source import SourceConfig, SourceKind
from app.domain.turn import AnsweredBy, Channel, Finish, TurnEnd, TurnRequest, TurnState, VisitorSession
from app.domain.webhook import Webhook, WebhookEvent
from app.operating.actor import READ, WRITE, Actor
from app.operating.agents import Agents
from app.operating.api_tokens import ApiTokens
from app.operating.conversation_review import ConversationReview
from app.operating.curated_answers import CuratedAnswers
from app.operating.deletions import Deletions
from app.operating.discovery import Discovery
from app.operating.gap_grooming import GapGrooming
from app.operating.gap_replays import GapReplays
from app.operating.gap_suggestions import GapSuggestions
from app.operating.gaps import Gaps
from app.operating.golden_questions import GoldenQuestions
from app.operating.golden_runs import GoldenRuns
from app.operating.live_chats import LiveChats
from app.operating.operators import Operators
from app.operating.page_sync import PageSync
from app.operating.quality_review import QualityReview
from app.operating.quarantine import PageQuarantine
from app.operating.reading_preview import ReadingPreviews
from app.operating.rehearsals import Rehearsals
from app.operating.run_watch import RunWatch
from app.operating.schedules import Schedules
from app.operating.sealed_secrets import SealedSecrets
from app.operating.signed_users import SignedUsers
from app.operating.signing_keys import SigningKeys
from app.operating.source_editing import SourceEditing
from app.operating.source_files import SourceFiles, Upload
from app.operating.source_hooks import SourceHooks
from app.operating.sources import Sources
from app.operating.starter_suggestions import StarterSuggestions
from app.operating.threshold_curves import ThresholdCurves
from app.operating.token_budgets import TokenBudgets
from app.operating.turn_review import TurnReview
from app.operating.visitor_data import VisitorData
from app.operating.webhooks import Webhooks
from app.ports.records.page import PageRequest
from app.ports.records.transaction import Records, SystemOfRecord
from tests.doubles.ended_conversations import EndedConversations
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.listed_pages import ListedPages
from tests.doubles.namesake_searches import NamesakeSearches
from tests.doubles.plain_file_reader import PlainFileReader
from tests.doubles.plain_password_hasher import PlainPasswordHasher
from tests.doubles.recording_job_queue import RecordingJobQueue
from tests.doubles.scripted_drafts import ScriptedDrafts
from tests.doubles.scripted_site_discovery import ScriptedSiteDiscovery
from tests.doubles.sure_trials import SureTrials
from tests.doubles.temporary_record import temporary_record

PAGE = PageRequest()
GAP = WebhookEvent.GAP_DETECTED


@dataclass
class Office:
    """A workspace with one of everything."""

    folder: Path
    record: SystemOfRecord
    jobs: RecordingJobQueue
    actor: Actor
    agent: UUID
    source: UUID
    site: UUID
    document: UUID
    deletion: UUID
    answer: UUID
    golden: UUID
    gap: UUID
    turn: UUID
    conversation: UUID
    visitor: UUID
    token: UUID
    operator: UUID
    webhook: UUID
    dead: UUID

    @property
    def golden_questions(self) -> GoldenQuestions:
        return GoldenQuestions(self.record)

    @property
    def golden_runs(self) -> GoldenRuns:
        return GoldenRuns(self.record, NamesakeSearches(), FixedClock())

    @property
    def agents(self) -> Agents:
        return Agents(self.record, self.jobs)

    @property
    def sources(self) -> Sources:
        return Sources(self.record, self.jobs)

    @property
    def hooks(self) -> SourceHooks:
        return SourceHooks(self.record, FixedClock())

    @property
    def webhooks(self) -> Webhooks:
        return Webhooks(self.record, CrawlerWebhookSender(), FixedClock())

    @property
    def page_sync(self) -> PageSync:
        return PageSync(self.record, self.jobs, CrawlerPageScope())

    @property
    def schedules(self) -> Schedules:
        return Schedules(self.record, CronsimCalendar(), FixedClock())

    @property
    def deletions(self) -> Deletions:
        return Deletions(self.record, self.jobs)

    @property
    def editing(self) -> SourceEditing:
        return SourceEditing(self.record)

    @property
    def discovery(self) -> Discovery:
        return Discovery(self.record, ScriptedSiteDiscovery())

    @property
    def files(self) -> SourceFiles:
        return SourceFiles(self.record, PlainFileReader(), 1000)

    @property
    def answers(self) -> CuratedAnswers:
        return CuratedAnswers(self.record, Re2PatternMatcher())

    @property
    def rehearsals(self) -> Rehearsals:
        matcher = CuratedMatcher(self.record, Re2PatternMatcher(), HashingEmbedder())
        return Rehearsals(self.record, matcher, Re2PatternMatcher(), FixedClock())

    @property
    def gaps(self) -> Gaps:
        return Gaps(self.record)

    @property
    def grooming(self) -> GapGrooming:
        return GapGrooming(self.record)

    async def merge_gaps(self) -> Gap:
        other, _ = await self._another_gap()
        return await self.grooming.merge(self.actor, self.gap, [other])

    async def split_gap(self) -> Gap:
        other, turn = await self._another_gap()
        async with self.record.write() as records:
            await records.gaps.merge(self.agent, self.gap, [other])
        return await self.grooming.split(self.actor, self.gap, turn)

    async def _another_gap(self) -> tuple[UUID, UUID]:
        """And the turn that gave it away."""
        async with self.record.write() as records:
            workspace = await records.tokens.default_workspace()
            session = VisitorSession(workspace, self.agent, self.visitor, self.conversation)
            turn = await a_gap(records, session, "When?")
            gaps = (await records.gaps.page(self.agent, None, PAGE)).items
        return next(gap.id for gap in gaps if gap.question == "When?"), turn

    @property
    def gap_replays(self) -> GapReplays:
        return GapReplays(self.record, SureTrials())

    @property
    def turn_review(self) -> TurnReview:
        return TurnReview(self.record)

    @property
    def review(self) -> ConversationReview:
        return ConversationReview(self.record)

    @property
    def visitor_data(self) -> VisitorData:
        return VisitorData(self.record, EndedConversations())

    @property
    def signed_users(self) -> SignedUsers:
        return SignedUsers(self.record, FixedClock())

    @property
    def tokens(self) -> ApiTokens:
        return ApiTokens(self.record, FixedClock())

    @property
    def operators(self) -> Operators:
        return Operators(self.record, PlainPasswordHasher(), FixedClock())

    @property
    def live_chats(self) -> LiveChats:
        return LiveChats(self.record, FixedClock())

    async def a_live_chat(self, taken_by: str = "") -> UUID:
        """Its conversation: waiting, or taken."""
        async with self.record.write() as records:
            workspace = await records.tokens.default_workspace()
            chat = await records.live_chats.ask(VisitorSession(workspace, self.agent, self.visitor, self.conversation))
            if taken_by:
                await records.live_chats.keep(chat.taken(taken_by, "Ann", FixedClock().now()))
        return self.conversation

    def audit(self) -> list[tuple[str, str, str]]:
        """Actor, action and subject of every row, oldest first."""
        with sqlite3.connect(self.folder / "docent.sqlite") as connection:
            rows = connection.execute("select actor, action, subject from audit_log order by created_at, id")
            found = [(str(a), str(b), str(c)) for a, b, c in rows]
        connection.close()
        return found

    def last_hashes(self) -> tuple[bytes | None, bytes | None]:
        """Of the latest row: its subject before and after the change."""
        with sqlite3.connect(self.folder / "docent.sqlite") as connection:
            latest = "select before_sha256, after_sha256 from audit_log order by created_at desc, id desc limit 1"
            before, after = connection.execute(latest).fetchone()
        connection.close()
        return before, after

    async def generation(self) -> int:
        return (await self.agents.get(self.actor, self.agent)).generation


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with temporary_record(tmp_path) as record:
        async with record.write() as records:
            workspace = await records.tokens.default_workspace()
            agent = await records.agents.create(workspace, AgentConfig(name="Docs"))
            source = await records.sources.create(agent.id, SourceConfig(SourceKind.TEXT, "Note", text="Hello."))
            await records.sources.start_run(agent.id, source.id)
            await records.files.put(source.id, "note.txt", FileFormat.TEXT, b"Hello.")
            site = await records.sources.create(
                agent.id, SourceConfig(SourceKind.SITE, "Site", "https://www.example.com/")
            )
            gone = await records.sources.create(agent.id, SourceConfig(SourceKind.TEXT, "Old note", text="Hello."))
            deletion = await records.deletions.erase(workspace, DeletedKind.SOURCE, gone.id)
            document = (await records.documents.add_pending(*note_of(agent.id, source.id), is_held=True)).document_id
            answer = await records.curated_answers.create(
                CuratedAnswer(uuid4(), agent.id, Trigger.EXACT, "Hours?", "From 9 to 17.")
            )
            golden = await records.golden_questions.put(GoldenQuestion(uuid4(), agent.id, "Hours?"))
            visitor = await records.conversations.visitor(agent.id, uuid4())
            conversation = await records.conversations.start(visitor, Channel.WIDGET)
            session = VisitorSession(workspace, agent.id, visitor.id, conversation.id)
            webhook = Webhook(uuid4(), agent.id, "https://hooks.example.com/", (GAP,), "k", b"s", FixedClock().now())
            await records.webhooks.add(webhook)
            turn = await a_gap(records, session, "Why?")
            gaps = await records.gaps.page(agent.id, None, PAGE)
            operator = Operator(uuid4(), workspace, "bob@example.com", Role.EDITOR, FixedClock().now())
            await records.operators.add(operator, "hash")
            token = await records.tokens.create_token(workspace, "old", b"sha256", "dct_", (READ,), None)
            await records.webhooks.hand_out(100)
            [dead] = await records.webhooks.claim(1, FixedClock().now())
            await records.webhooks.failed(dead, "the receiver answered 500", None)
        yield Office(
            tmp_path,
            record,
            RecordingJobQueue(),
            Actor(workspace, "ann", frozenset((READ, WRITE))),
            agent.id,
            source.id,
            site.id,
            document,
            deletion.id,
            answer.id,
            golden.id,
            gaps.items[0].id,
            turn,
            conversation.id,
            visitor.id,
            token.id,
            operator.id,
            webhook.id,
            dead.id,
        )


def note_of(agent_id: UUID, source_id: UUID) -> tuple[UUID, UUID, PageContent, str, tuple[()], list[Finding]]:
    """For `add_pending`: a page with a finding."""
    note = PageContent("urn:note", "Note", "Hello.")
    return agent_id, source_id, note, "hash", (), [Finding(FindingKind.INSTRUCTIONS, "Hello.")]


async def a_gap(records: Records, session: VisitorSession, question: str) -> UUID:
    """The question, asked in vain; return its turn."""
    turn_id = uuid4()
    await records.turns.begin(session, TurnRequest(turn_id, question, "https://www.example.com/"), 1, "tests")
    low = GapReason.LOW_CONFIDENCE
    await records.turns.finish(
        turn_id, TurnEnd(TurnState.DONE, "No idea.", AnsweredBy.FALLBACK, 0.1, True, Finish.COMPLETE, gap=low)
    )
    return turn_id


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
    "source.make_hook": lambda o: o.hooks.make(o.actor, o.site),
    "source.remove_hook": lambda o: o.hooks.remove(o.actor, o.site),
    "webhook.create": lambda o: o.webhooks.create(o.actor, o.agent, "https://hooks.example.com/", [GAP]),
    "webhook.delete": lambda o: o.webhooks.delete(o.actor, o.agent, o.webhook),
    "webhook.retry": lambda o: o.webhooks.retry(o.actor, o.agent, o.dead),
    "source.schedule": lambda o: o.schedules.set(o.actor, o.site, Schedule(every_hours=24)),
    "source.unschedule": lambda o: o.schedules.clear(o.actor, o.site),
    "source.delete": lambda o: o.deletions.delete(o.actor, DeletedKind.SOURCE, o.source),
    "document.release": lambda o: PageQuarantine(o.record, o.jobs).release(o.actor, o.document),
    "document.dismiss": lambda o: PageQuarantine(o.record, o.jobs).dismiss(o.actor, o.document),
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
    "gap.edit": lambda o: o.grooming.tell(o.actor, o.gap, "bob"),
    "gap.settle": lambda o: o.grooming.settle(o.actor, o.agent, [o.gap], GapState.IGNORED, "not ours"),
    "gap.ignore": lambda o: o.gaps.ignore(o.actor, o.gap),
    "gap.reopen": lambda o: o.gaps.reopen(o.actor, o.gap),
    "live_chat.take": lambda o: run(o.a_live_chat(), lambda chat: o.live_chats.take_over(o.actor, chat)),
    "live_chat.reply": lambda o: run(
        o.a_live_chat("ann"), lambda chat: o.live_chats.reply(o.actor, chat, uuid4(), "Hello.")
    ),
    "live_chat.hand_back": lambda o: run(o.a_live_chat("ann"), lambda chat: o.live_chats.hand_back(o.actor, chat)),
    "conversation.erase": lambda o: o.visitor_data.erase_conversation(o.actor, o.conversation),
    "visitor.erase": lambda o: o.visitor_data.erase(o.actor, o.visitor),
    "token.revoke": lambda o: o.tokens.revoke(o.actor, o.token),
    "signing_key.rotate": lambda o: SigningKeys(o.record, FixedClock()).rotate(o.actor),
    "secrets.rotate": lambda o: SealedSecrets(o.record).rotate(o.actor),
    "secrets.forget": lambda o: SealedSecrets(o.record).forget(o.actor),
    "operator.create": lambda o: o.operators.add(o.actor, "eve@example.com", Role.VIEWER, "a long password"),
    "operator.set_role": lambda o: o.operators.change(o.actor, o.operator, role=Role.VIEWER),
    "operator.set_password": lambda o: o.operators.change(o.actor, o.operator, password="another password"),
    "operator.disable": lambda o: o.operators.change(o.actor, o.operator, is_disabled=True),
    "operator.delete": lambda o: o.operators.delete(o.actor, o.operator),
    "token.create": lambda o: o.tokens.issue(o.actor.workspace_id, "ci", issued_by=o.actor.name),
}
READS: dict[str, Act] = {
    "agents.get": lambda o: o.agents.get(o.actor, o.agent),
    "token_budgets.of": lambda o: TokenBudgets(o.record, FixedClock()).of(o.actor, o.agent),
    "agents.versions": lambda o: o.agents.versions(o.actor, o.agent, PAGE),
    "sources.of_agent": lambda o: o.sources.of_agent(o.actor, o.agent, PAGE),
    "sources.get": lambda o: o.sources.get(o.actor, o.source),
    "run_watch.run_id": lambda o: RunWatch(o.record, FixedClock()).run_id(o.actor, o.source),
    "reading_previews.of": lambda o: ReadingPreviews(o.record, ListedPages()).of(o.actor, o.site),
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
    "grooming.view": lambda o: o.grooming.view(o.actor, o.gap),
    "gap_replays.replay": lambda o: o.gap_replays.replay(o.actor, o.gap),
    "gap_suggestions.suggest": lambda o: GapSuggestions(o.record, ScriptedDrafts()).suggest(o.actor, o.gap),
    "gaps.get": lambda o: o.gaps.get(o.actor, o.gap),
    "quarantine.of_agent": lambda o: PageQuarantine(o.record, o.jobs).of_agent(o.actor, o.agent, PAGE),
    "quarantine.count": lambda o: PageQuarantine(o.record, o.jobs).count(o.actor, o.agent),
    "quarantine.reviews": lambda o: PageQuarantine(o.record, o.jobs).reviews(o.actor, o.document),
    "starter_suggestions.of_agent": lambda o: StarterSuggestions(o.record).of_agent(o.actor, o.agent),
    "review.of_agent": lambda o: o.review.of_agent(o.actor, o.agent, PAGE),
    "turn_review.curated_draft": lambda o: o.turn_review.curated_draft(o.actor, o.turn),
    "threshold_curves.of": lambda o: ThresholdCurves(o.record, FixedClock()).of(o.actor, o.agent),
    "quality.of": lambda o: QualityReview(o.record, FixedClock()).of(o.actor, o.agent, 7),
    "review.thread": lambda o: o.review.thread(o.actor, o.conversation),
    "live_chats.view": lambda o: o.live_chats.view(o.actor, o.conversation),
    "visitor_data.export": lambda o: o.visitor_data.export(o.actor, o.visitor),
}
NAMING_NOTHING = (
    *("agent.create", "token.create", "operator.create"),
    *("signing_key.rotate", "secrets.rotate", "secrets.forget"),
)


@pytest.mark.parametrize("action", CHANGES)
async def test_a_change_is_audited(action: str, office: Office) -> None:
    before = office.audit()
    await CHANGES[action](office)
    new = office.audit()[len(before) :]
    assert [(actor, what) for actor, what, _ in new] == [("ann", action)]
    assert str(UUID(new[0][2])) == new[0][2]


# What they change is no row of their subject (a run, a file), or nothing here: there is no hook to remove, and the turn
# was a gap before.
ELSEWHERE = {
    *("source.sync", "source.sync_pages", "source.pause", "source.resume", "source.cancel", "source.replace_file"),
    *("source.remove_hook", "source.unschedule", "agent.remove_user_secret", "gap.reopen", "gap.flag"),
}
# A visitor's data, of which not even a hash is kept; and what has no subject.
UNTOLD = {
    *("visitor.erase", "conversation.erase", "signing_key.rotate", "secrets.rotate", "secrets.forget"),
    *("golden_question.run", "golden_question.import"),
}


@pytest.mark.parametrize("action", CHANGES)
async def test_its_row_holds_a_hash_of_the_subject_before_and_after(action: str, office: Office) -> None:
    await CHANGES[action](office)
    before, after = office.last_hashes()
    assert (before is None) == (action in UNTOLD or action.endswith((".create", ".upload_file")))
    assert (after is None) == (action in UNTOLD or action.endswith(".delete"))
    assert (before == after) == (action in UNTOLD | ELSEWHERE)


@pytest.mark.parametrize("name", READS)
async def test_reading_is_not(name: str, office: Office) -> None:
    await READS[name](office)
    assert office.audit() == []


@pytest.mark.parametrize("name", [*(c for c in CHANGES if c not in NAMING_NOTHING), *READS])
async def test_another_workspace_finds_nothing_and_changes_nothing(name: str, office: Office) -> None:
    stranger = replace(office, actor=replace(office.actor, workspace_id=uuid4()))
    act = CHANGES.get(name) or READS[name]
    with pytest.raises(NotFound):
        await act(stranger)
    assert office.audit() == []
    assert office.jobs == stranger.jobs
    assert (office.jobs.crawls, office.jobs.deletions, office.jobs.reconciled) == ([], [], [])


async def test_a_refused_change_leaves_nothing(office: Office) -> None:
    with pytest.raises(InvalidInput):
        await office.agents.change_draft(office.actor, office.agent, lambda c: replace(c, name=""))
    assert (await office.agents.get(office.actor, office.agent)).draft.name == "Docs"
    assert office.audit() == []


async def test_a_deleted_agents_indexes_are_forgotten_by_a_worker(office: Office) -> None:
    deletion = await office.deletions.delete(office.actor, DeletedKind.AGENT, office.agent)
    assert office.jobs.deletions == [(office.agent, deletion.id)]


async def test_publishing_another_language_rebuilds_the_keyword_index(office: Office) -> None:
    await office.agents.publish(office.actor, office.agent)
    assert office.jobs.reconciled == []
    await office.agents.change_draft(office.actor, office.agent, lambda c: replace(c, language="de"))
    await office.agents.publish(office.actor, office.agent)
    assert office.jobs.reconciled == [office.agent]
    await office.agents.publish(office.actor, office.agent)
    assert office.jobs.reconciled == [office.agent]


@pytest.mark.parametrize("action", ["curated_answer.create", "curated_answer.edit", "curated_answer.delete"])
async def test_what_is_answered_from_has_changed_with_a_curated_answer(action: str, office: Office) -> None:
    before = await office.generation()
    await CHANGES[action](office)
    assert await office.generation() > before
