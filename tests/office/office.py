"""A workspace with one of everything, for tests of whatever operators can do."""

import sqlite3
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID, uuid4

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.agents.model_endpoints import NO_NAMES, ChatModelNames
from app.agents.records import AgentRecords
from app.agents.signed_users import SignedUsers
from app.agents.token_budget import UNLIMITED, WorkspaceTokens
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import CuratedAnswers
from app.answers.curated.records import CuratedAnswerRecords
from app.answers.curated.rehearsals import Rehearsals
from app.conversations.history import HistoryCache
from app.conversations.inbox import ConversationReview
from app.conversations.privacy.visitor_data import ConversationTerminator, VisitorData
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.turns import TurnRecords
from app.core.actor import READ, WRITE, Actor
from app.core.costs import TokenPrices
from app.core.list_page import PageRequest
from app.core.source_file import FileFormat
from app.core.turn import AnsweredBy, Channel, Finish, GapReason, TurnEnd, TurnRequest, TurnState, VisitorSession
from app.core.webhook_event import WebhookEvent
from app.gaps.gap import Gap
from app.gaps.gap_replays import GapNews, GapReplays, Trials
from app.gaps.gap_suggestions import AnswerDrafts
from app.gaps.gaps import Gaps, GapTriage
from app.gaps.records.gaps import GapRecords
from app.gaps.records.triage import GapTriageRecords
from app.gaps.turn_review import TurnReview
from app.kit.cache import Cache, MemoryCache
from app.kit.clock import Clock
from app.kit.job_queue import JobQueue
from app.kit.password_hasher import PasswordHasher
from app.kit.wiring import Wiring
from app.knowledge.document import PageContent
from app.knowledge.injection_scan import Finding, FindingKind
from app.knowledge.records.documents import DocumentRecords
from app.live_chat.live_chats import LiveChats
from app.providers.embedding.embedder import Embedder
from app.quality.golden_question import GoldenQuestion
from app.quality.golden_questions import GoldenQuestions
from app.quality.golden_run_execution import SearchUnderTest
from app.quality.golden_runs import GoldenRuns
from app.quality.records.golden_questions import GoldenQuestionRecords
from app.sources import kinds
from app.sources.deletions.deletion import DeletedKind
from app.sources.deletions.deletions import Deletions
from app.sources.deletions.records import DeletionRecords
from app.sources.discovery import Discovery, SiteDiscovery
from app.sources.document_batches import DocumentBatches
from app.sources.files.file_bodies import FileBodies
from app.sources.files.records import FileRecords
from app.sources.files.source_files import SourceFiles
from app.sources.records import SourceRecords
from app.sources.runs.page_scope import PageScope
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.run_control import PageSync
from app.sources.runs.site_reader import PageListing
from app.sources.source import SourceConfig
from app.sources.source_editing import SourceEditing, SourceHooks
from app.sources.sources import Schedules, Sources
from app.stale_answers.records import StaleAnswerRecords
from app.stale_answers.stale_answer import Finding as StaleFinding
from app.stale_answers.stale_answer import PageChange, StaleAnswer, StaleFilter, StaleKind, StaleState, StaleSubject
from app.stale_answers.stale_answers import StaleAnswers
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.records import WebhookRecords
from app.webhooks.webhook import CrawlerWebhookSender, Webhook, WebhookSender
from app.webhooks.webhooks import Webhooks
from app.workspaces.api_tokens import ApiTokens
from app.workspaces.operator import Operator, Role
from app.workspaces.operators import Operators
from app.workspaces.records.operators import OperatorRecords
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.ended_conversations import EndedConversations
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.listed_pages import ListedPages
from tests.doubles.namesake_searches import NamesakeSearches
from tests.doubles.plain_file_reader import PlainFileReader
from tests.doubles.plain_password_hasher import PlainPasswordHasher
from tests.doubles.recording_history import RecordingHistory
from tests.doubles.recording_job_queue import RecordingJobQueue
from tests.doubles.scripted_drafts import ScriptedDrafts
from tests.doubles.scripted_site_discovery import ScriptedSiteDiscovery
from tests.doubles.sure_trials import SureTrials
from tests.doubles.temporary_record import temporary_record

PAGE = PageRequest()
GAP = WebhookEvent.GAP_DETECTED


@dataclass
class Office:
    folder: Path
    record: SystemOfRecord
    jobs: RecordingJobQueue
    actor: Actor
    agent: UUID
    source: UUID
    site: UUID
    documents: UUID
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
    def parts(self) -> Wiring:
        """What the use cases are made of, by the types that they name."""
        return Wiring(
            {
                SystemOfRecord: self.record,
                Clock: FixedClock(),
                JobQueue: self.jobs,
                PageScope: PageScope(),
                SearchUnderTest: NamesakeSearches(),
                Trials: SureTrials(),
                AnswerDrafts: ScriptedDrafts(),
                SiteDiscovery: ScriptedSiteDiscovery(),
                PageListing: ListedPages(),
                SourceFiles: SourceFiles(self.record, PlainFileReader(), FileBodies(), 1000),
                Embedder: HashingEmbedder(),
                WebhookSender: CrawlerWebhookSender(),
                ConversationTerminator: EndedConversations(),
                PasswordHasher: PlainPasswordHasher(),
                HistoryCache: RecordingHistory(),
                Cache: MemoryCache(),
            }
            | {TokenPrices: TokenPrices(), WorkspaceTokens: UNLIMITED, ChatModelNames: NO_NAMES, GapNews: None}
        )

    @property
    def golden_questions(self) -> GoldenQuestions:
        return self.parts.get(GoldenQuestions)

    @property
    def golden_runs(self) -> GoldenRuns:
        return self.parts.get(GoldenRuns)

    @property
    def agents(self) -> Agents:
        return self.parts.get(Agents)

    @property
    def sources(self) -> Sources:
        return self.parts.get(Sources)

    @property
    def hooks(self) -> SourceHooks:
        return self.parts.get(SourceHooks)

    @property
    def webhooks(self) -> Webhooks:
        return self.parts.get(Webhooks)

    @property
    def page_sync(self) -> PageSync:
        return self.parts.get(PageSync)

    @property
    def document_batches(self) -> DocumentBatches:
        return self.parts.get(DocumentBatches)

    @property
    def schedules(self) -> Schedules:
        return self.parts.get(Schedules)

    @property
    def deletions(self) -> Deletions:
        return self.parts.get(Deletions)

    @property
    def editing(self) -> SourceEditing:
        return self.parts.get(SourceEditing)

    @property
    def discovery(self) -> Discovery:
        return self.parts.get(Discovery)

    @property
    def files(self) -> SourceFiles:
        return self.parts.get(SourceFiles)

    @property
    def answers(self) -> CuratedAnswers:
        return self.parts.get(CuratedAnswers)

    @property
    def rehearsals(self) -> Rehearsals:
        return self.parts.get(Rehearsals)

    @property
    def gaps(self) -> Gaps:
        return self.parts.get(Gaps)

    @property
    def triage(self) -> GapTriage:
        return self.parts.get(GapTriage)

    async def merge_gaps(self) -> Gap:
        other, _ = await self._another_gap()
        return await self.triage.merge(self.actor, self.gap, [other])

    async def split_gap(self) -> Gap:
        other, turn = await self._another_gap()
        await self.record.write(lambda tx: GapTriageRecords(tx).merge(self.agent, self.gap, [other]))
        return await self.triage.split(self.actor, self.gap, turn)

    async def _another_gap(self) -> tuple[UUID, UUID]:
        """And the turn that gave it away."""
        with self.record.writing() as tx:
            workspace = TokenRecords(tx).default_workspace()
            session = VisitorSession(workspace, self.agent, self.visitor, self.conversation)
            turn = a_gap(tx, session, "When?")
            gaps = GapRecords(tx).page(self.agent, None, PAGE).items
        return next(gap.id for gap in gaps if gap.question == "When?"), turn

    @property
    def gap_replays(self) -> GapReplays:
        return self.parts.get(GapReplays)

    @property
    def stale_answers(self) -> StaleAnswers:
        return self.parts.get(StaleAnswers)

    async def settle_stale_answer(self, state: StaleState, was: StaleState = StaleState.OPEN) -> list[StaleAnswer]:
        with self.record.writing() as tx:
            workspace, now = TokenRecords(tx).default_workspace(), FixedClock().now()
            change = PageChange(self.document, self.agent, workspace, "https://www.example.com/", "Hours", "", "", now)
            found = StaleFinding(StaleSubject.CURATED, StaleKind.GONE, "From 9", "", curated_answer_id=self.answer)
            StaleAnswerRecords(tx).keep(change, found)
            [stale] = StaleAnswerRecords(tx).page(self.agent, StaleFilter(), PAGE).items
            StaleAnswerRecords(tx).set_state([stale.id], was)
        return await self.stale_answers.set_state(self.actor, self.agent, [stale.id], state)

    @property
    def turn_review(self) -> TurnReview:
        return self.parts.get(TurnReview)

    @property
    def review(self) -> ConversationReview:
        return self.parts.get(ConversationReview)

    @property
    def visitor_data(self) -> VisitorData:
        return self.parts.get(VisitorData)

    @property
    def signed_users(self) -> SignedUsers:
        return self.parts.get(SignedUsers)

    @property
    def tokens(self) -> ApiTokens:
        return self.parts.get(ApiTokens)

    @property
    def operators(self) -> Operators:
        return self.parts.get(Operators)

    @property
    def live_chats(self) -> LiveChats:
        return self.parts.get(LiveChats)

    async def a_live_chat(self, taken_by: Actor | None = None) -> UUID:
        """Its conversation: waiting, or taken."""
        with self.record.writing() as tx:
            workspace = TokenRecords(tx).default_workspace()
            chat = LiveChatRecords(tx).ask(VisitorSession(workspace, self.agent, self.visitor, self.conversation))
            if taken_by:
                LiveChatRecords(tx).keep(chat.taken(taken_by, "Ann", FixedClock().now()))
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
        return (await self.agents.agent(self.actor, self.agent)).generation


_furnished_once: tuple[Office, bytes] | None = None


@asynccontextmanager
async def open_office(folder: Path) -> AsyncIterator[Office]:
    """Furnished once in a test process; its record is copied to `folder`."""
    global _furnished_once
    if _furnished_once is None:
        with tempfile.TemporaryDirectory() as first:
            async with temporary_record(Path(first)) as record:
                office = await _furnish(Path(first), record)
            _furnished_once = office, (Path(first) / "docent.sqlite").read_bytes()
    office, database = _furnished_once
    (folder / "docent.sqlite").write_bytes(database)
    async with temporary_record(folder) as record:
        yield replace(office, folder=folder, record=record, jobs=RecordingJobQueue())


async def _furnish(folder: Path, record: SystemOfRecord) -> Office:
    with record.writing() as tx:
        workspace = TokenRecords(tx).default_workspace()
        agent = AgentRecords(tx).create(workspace, AgentConfig(name="Docs"))
        source = SourceRecords(tx).create(agent.id, SourceConfig(kinds.TEXT, "Note", text="Hello."))
        CrawlRunRecords(tx).start_run(agent.id, source.id)
        FileRecords(tx).put(source.id, "note.txt", FileFormat.TEXT, b"Hello.")
        site = SourceRecords(tx).create(agent.id, SourceConfig(kinds.SITE, "Site", "https://www.example.com/"))
        documents = SourceRecords(tx).create(agent.id, SourceConfig(kinds.DOCUMENTS, "Tariffs"))
        gone = SourceRecords(tx).create(agent.id, SourceConfig(kinds.TEXT, "Old note", text="Hello."))
        deletion = DeletionRecords(tx).erase(workspace, DeletedKind.SOURCE, gone.id)
        document = DocumentRecords(tx).add_pending(*note_of(agent.id, source.id), is_held=True).document_id
        curated = CuratedAnswer(uuid4(), agent.id, Trigger.EXACT, "Hours?", "From 9 to 17.")
        answer = CuratedAnswerRecords(tx).create(curated)
        golden = GoldenQuestionRecords(tx).put(GoldenQuestion(uuid4(), agent.id, "Hours?"))
        visitor = ConversationRecords(tx).visitor(agent.id, uuid4())
        conversation = ConversationRecords(tx).start(visitor, Channel.WIDGET)
        session = VisitorSession(workspace, agent.id, visitor.id, conversation.id)
        webhook = Webhook(uuid4(), agent.id, "https://hooks.example.com/", (GAP,), "k", b"s", FixedClock().now())
        WebhookRecords(tx).add(webhook)
        turn = a_gap(tx, session, "Why?")
        gaps = GapRecords(tx).page(agent.id, None, PAGE)
        operator = Operator(uuid4(), workspace, "bob@example.com", Role.EDITOR, FixedClock().now())
        OperatorRecords(tx).add(operator, "hash")
        token = TokenRecords(tx).create_token(workspace, "old", b"sha256", "dct_", (READ,), None)
        WebhookRecords(tx).hand_out(100)
        [dead] = WebhookRecords(tx).claim(1, FixedClock().now())
        WebhookRecords(tx).deliveries.failed(dead.id, dead.attempts, "the receiver answered 500", None)
    return Office(
        folder,
        record,
        RecordingJobQueue(),
        Actor(workspace, "ann", frozenset((READ, WRITE))),
        agent.id,
        source.id,
        site.id,
        documents.id,
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


def a_gap(tx: Transaction, session: VisitorSession, question: str) -> UUID:
    """The question, asked in vain; return its turn."""
    turn_id = uuid4()
    TurnRecords(tx).begin(session, TurnRequest(turn_id, question, "https://www.example.com/"), 1, "tests")
    low = GapReason.LOW_CONFIDENCE
    TurnRecords(tx).finish(
        turn_id, TurnEnd(TurnState.DONE, "No idea.", AnsweredBy.FALLBACK, 0.1, True, Finish.COMPLETE, gap=low)
    )
    return turn_id
