"""Every table, each module of them imported when one of its rows is first asked for: a command needs few."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from app.store.models.base import Base

if TYPE_CHECKING:
    from app.store.models.agents import AgentRow, AgentVersionRow, CuratedAnswerRow, UserKeyRow
    from app.store.models.contexts import ChunkContextRow
    from app.store.models.conversations import ConversationRow, MessageRow, VisitorRow
    from app.store.models.deletions import DeletionRow
    from app.store.models.documents import ChunkRow, DocumentRow, DocumentVersionRow, EmbeddingRow
    from app.store.models.files import SourceFileRow
    from app.store.models.gaps import GapQuestionRow, GapRow
    from app.store.models.given_documents import GivenDocumentRow
    from app.store.models.golden_questions import GoldenQuestionRow
    from app.store.models.golden_runs import GoldenRunRow
    from app.store.models.hooks import HookCallRow, SourceHookRow
    from app.store.models.leads import LeadRow
    from app.store.models.live_chats import LiveChatRow, LiveMessageRow
    from app.store.models.operators import OperatorRow, OperatorSessionRow
    from app.store.models.schedules import SourceScheduleRow
    from app.store.models.sources import CrawlRunRow, SourcePageRow, SourceRow
    from app.store.models.tenancy import ApiTokenRow, AuditRow, ProcessRow, SigningKeyRow, WorkspaceRow
    from app.store.models.turns import (
        AgentDayRow,
        CitationRow,
        FeedbackRow,
        OutboxRow,
        StoppedTurnRow,
        TurnRow,
        UsageRow,
    )
    from app.store.models.webhooks import WebhookDeliveryRow, WebhookRow

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
