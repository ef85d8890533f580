"""Every table, each module of them imported when one of its rows is first asked for: a command needs few."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from app.adapters.sql.models.base import Base

if TYPE_CHECKING:
    from app.adapters.sql.models.agents import AgentRow, AgentVersionRow, CuratedAnswerRow, UserKeyRow
    from app.adapters.sql.models.contexts import ChunkContextRow
    from app.adapters.sql.models.conversations import ConversationRow, MessageRow, VisitorRow
    from app.adapters.sql.models.deletions import DeletionRow
    from app.adapters.sql.models.documents import ChunkRow, DocumentRow, DocumentVersionRow, EmbeddingRow
    from app.adapters.sql.models.files import SourceFileRow
    from app.adapters.sql.models.gaps import GapQuestionRow, GapRow
    from app.adapters.sql.models.given_documents import GivenDocumentRow
    from app.adapters.sql.models.golden_questions import GoldenQuestionRow
    from app.adapters.sql.models.golden_runs import GoldenRunRow
    from app.adapters.sql.models.hooks import HookCallRow, SourceHookRow
    from app.adapters.sql.models.leads import LeadRow
    from app.adapters.sql.models.live_chats import LiveChatRow, LiveMessageRow
    from app.adapters.sql.models.operators import OperatorRow, OperatorSessionRow
    from app.adapters.sql.models.schedules import SourceScheduleRow
    from app.adapters.sql.models.sources import CrawlRunRow, SourcePageRow, SourceRow
    from app.adapters.sql.models.tenancy import ApiTokenRow, AuditRow, ProcessRow, SigningKeyRow, WorkspaceRow
    from app.adapters.sql.models.turns import (
        AgentDayRow,
        CitationRow,
        FeedbackRow,
        OutboxRow,
        StoppedTurnRow,
        TurnRow,
        UsageRow,
    )
    from app.adapters.sql.models.webhooks import WebhookDeliveryRow, WebhookRow

__all__ = [
    "AgentDayRow",
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
    "GivenDocumentRow",
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
    "import_tables",
]

_ROWS: Final = {
    "agents": (
        "AgentRow",
        "AgentVersionRow",
        "CuratedAnswerRow",
        "UserKeyRow",
    ),
    "contexts": ("ChunkContextRow",),
    "conversations": (
        "ConversationRow",
        "MessageRow",
        "VisitorRow",
    ),
    "deletions": ("DeletionRow",),
    "documents": (
        "ChunkRow",
        "DocumentRow",
        "DocumentVersionRow",
        "EmbeddingRow",
    ),
    "files": ("SourceFileRow",),
    "gaps": (
        "GapQuestionRow",
        "GapRow",
    ),
    "given_documents": ("GivenDocumentRow",),
    "golden_questions": ("GoldenQuestionRow",),
    "golden_runs": ("GoldenRunRow",),
    "hooks": (
        "HookCallRow",
        "SourceHookRow",
    ),
    "leads": ("LeadRow",),
    "live_chats": (
        "LiveChatRow",
        "LiveMessageRow",
    ),
    "operators": (
        "OperatorRow",
        "OperatorSessionRow",
    ),
    "schedules": ("SourceScheduleRow",),
    "sources": (
        "CrawlRunRow",
        "SourcePageRow",
        "SourceRow",
    ),
    "tenancy": (
        "ApiTokenRow",
        "AuditRow",
        "ProcessRow",
        "SigningKeyRow",
        "WorkspaceRow",
    ),
    "turns": (
        "AgentDayRow",
        "CitationRow",
        "FeedbackRow",
        "OutboxRow",
        "StoppedTurnRow",
        "TurnRow",
        "UsageRow",
    ),
    "webhooks": (
        "WebhookDeliveryRow",
        "WebhookRow",
    ),
}


def import_tables() -> None:
    """For whoever looks at `Base.metadata` as a whole."""
    for module in _ROWS:
        import_module(f"{__name__}.{module}")


def __getattr__(name: str) -> Any:
    for module, rows in _ROWS.items():
        if name in rows:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(name)
