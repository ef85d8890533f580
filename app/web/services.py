"""What the edge needs of the house."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry

from app.answering.model_health import ModelHealth
from app.answering.playground import Playground
from app.operating.agents import Agents
from app.operating.api_tokens import ApiTokens
from app.operating.conversation_review import ConversationReview
from app.operating.curated_answers import CuratedAnswers
from app.operating.deletions import Deletions
from app.operating.discovery import Discovery
from app.operating.document_batches import DocumentBatches
from app.operating.gap_replays import GapReplays
from app.operating.gap_suggestions import GapSuggestions
from app.operating.gaps import Gaps
from app.operating.golden_questions import GoldenQuestions
from app.operating.golden_runs import GoldenRuns
from app.operating.leads import Leads
from app.operating.live_chats import LiveChats
from app.operating.operators import Operators
from app.operating.page_sync import PageSync
from app.operating.quarantine import PageQuarantine
from app.operating.reading_preview import ReadingPreviews
from app.operating.rehearsals import Rehearsals
from app.operating.run_watch import RunWatch
from app.operating.schedules import Schedules
from app.operating.sign_in import SignIn
from app.operating.signed_users import SignedUsers
from app.operating.source_editing import SourceEditing
from app.operating.source_files import SourceFiles
from app.operating.source_hooks import SourceHooks
from app.operating.sources import Sources
from app.operating.token_budgets import TokenBudgets
from app.operating.unread_languages import UnreadLanguages
from app.operating.visitor_data import VisitorData
from app.operating.webhooks import Webhooks
from app.operating.workspaces import Workspaces
from app.ports.clock import Clock
from app.ports.rate_limiter import RateLimiter
from app.ports.records.transaction import SystemOfRecord
from app.ports.stream_places import StreamPlaces
from app.web.answering_seam import AgentSearching, VisitorConversations, VisitorTurns

Readiness = Callable[[], Awaitable[Mapping[str, bool]]]


@dataclass(frozen=True)
class WebServices:
    """Everything that handlers call. `model_health` is None where no chat model is set; `readiness` says of each part
    ("record", "indexes") whether it answers now; `metrics` is the registry that /metrics prints, to which other rooms
    may add."""

    records: SystemOfRecord
    clock: Clock
    rate_limiter: RateLimiter
    stream_places: StreamPlaces
    conversations: VisitorConversations
    turns: VisitorTurns
    search: AgentSearching
    agents: Agents
    token_budgets: TokenBudgets
    sources: Sources
    unread_languages: UnreadLanguages
    source_editing: SourceEditing
    source_files: SourceFiles
    discovery: Discovery
    run_watch: RunWatch
    page_sync: PageSync
    document_batches: DocumentBatches
    reading_previews: ReadingPreviews
    source_hooks: SourceHooks
    webhooks: Webhooks
    schedules: Schedules
    deletions: Deletions
    page_quarantine: PageQuarantine
    curated_answers: CuratedAnswers
    rehearsals: Rehearsals
    gaps: Gaps
    gap_replays: GapReplays
    gap_suggestions: GapSuggestions
    playground: Playground
    golden_questions: GoldenQuestions
    golden_runs: GoldenRuns
    conversation_review: ConversationReview
    visitor_data: VisitorData
    leads: Leads
    live_chats: LiveChats
    signed_users: SignedUsers
    api_tokens: ApiTokens
    operators: Operators
    workspaces: Workspaces
    sign_in: SignIn
    readiness: Readiness
    model_health: ModelHealth | None = None
    metrics: CollectorRegistry = field(default_factory=CollectorRegistry)
