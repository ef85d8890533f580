"""Every table, so that `Base.metadata` is whole wherever it is asked for."""

from app.adapters.sql.models.agents import AgentRow, AgentVersionRow, CuratedAnswerRow, UserKeyRow
from app.adapters.sql.models.base import Base
from app.adapters.sql.models.contexts import ChunkContextRow
from app.adapters.sql.models.conversations import ConversationRow, MessageRow, VisitorRow
from app.adapters.sql.models.deletions import DeletionRow
from app.adapters.sql.models.documents import ChunkRow, DocumentRow, DocumentVersionRow, EmbeddingRow
from app.adapters.sql.models.files import SourceFileRow
from app.adapters.sql.models.gaps import GapQuestionRow, GapRow
from app.adapters.sql.models.golden_questions import GoldenQuestionRow
from app.adapters.sql.models.golden_runs import GoldenRunRow
from app.adapters.sql.models.hooks import HookCallRow, SourceHookRow
from app.adapters.sql.models.leads import LeadRow
from app.adapters.sql.models.live_chats import LiveChatRow, LiveMessageRow
from app.adapters.sql.models.operators import OperatorRow, OperatorSessionRow
from app.adapters.sql.models.schedules import SourceScheduleRow
from app.adapters.sql.models.sources import CrawlRunRow, SourcePageRow, SourceRow
from app.adapters.sql.models.tenancy import ApiTokenRow, AuditRow, ProcessRow, SigningKeyRow, WorkspaceRow
from app.adapters.sql.models.turns import CitationRow, FeedbackRow, OutboxRow, StoppedTurnRow, TurnRow, UsageRow
from app.adapters.sql.models.webhooks import WebhookDeliveryRow, WebhookRow

__all__ = [
    "AgentRow",
    "AgentVersionRow",
    "ApiTokenRow",
    "AuditRow",
    "Base",
    "ChunkContextRow",
    "ChunkRow",
    "CitationRow",
    "ConversationRow",
    "CrawlRunRow",
    "CuratedAnswerRow",
    "DeletionRow",
    "DocumentRow",
    "DocumentVersionRow",
    "EmbeddingRow",
    "FeedbackRow",
    "GapQuestionRow",
    "GapRow",
    "GoldenQuestionRow",
    "GoldenRunRow",
    "HookCallRow",
    "LeadRow",
    "LiveChatRow",
    "LiveMessageRow",
    "MessageRow",
    "OperatorRow",
    "OperatorSessionRow",
    "OutboxRow",
    "ProcessRow",
    "SigningKeyRow",
    "SourceFileRow",
    "SourceHookRow",
    "SourcePageRow",
    "SourceRow",
    "SourceScheduleRow",
    "StoppedTurnRow",
    "TurnRow",
    "UsageRow",
    "UserKeyRow",
    "VisitorRow",
    "WebhookDeliveryRow",
    "WebhookRow",
    "WorkspaceRow",
]
