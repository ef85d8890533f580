"""Every table, each module of them imported when one of its rows is first asked for: a command needs few."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from app.store.models.base import Base

if TYPE_CHECKING:
    from app.store.models.agents import AgentFirstsRow, AgentRow, AgentVersionRow, CuratedAnswerRow, UserKeyRow
    from app.store.models.conversations import ConversationRow, MessageRow, VisitorRow
    from app.store.models.documents import ChunkContextRow, ChunkRow, DocumentRow, DocumentVersionRow, EmbeddingRow
    from app.store.models.gaps import GapQuestionRow, GapRow
    from app.store.models.golden import GoldenQuestionRow, GoldenRunRow
    from app.store.models.people import LeadRow, LiveChatRow, LiveMessageRow
    from app.store.models.sources import (
        CrawlRunRow,
        DeletionRow,
        GivenDocumentRow,
        HookCallRow,
        SourceFileRow,
        SourceHookRow,
        SourcePageRow,
        SourceRow,
        SourceScheduleRow,
    )
    from app.store.models.tenancy import (
        ApiTokenRow,
        AuditRow,
        OperatorRow,
        OperatorSessionRow,
        ProcessRow,
        SigningKeyRow,
        WorkspaceRow,
    )
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
    "AgentFirstsRow",
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
        "AgentFirstsRow",
        "AgentRow",
        "AgentVersionRow",
        "CuratedAnswerRow",
        "UserKeyRow",
    ),
    "conversations": (
        "ConversationRow",
        "MessageRow",
        "VisitorRow",
    ),
    "documents": (
        "ChunkContextRow",
        "ChunkRow",
        "DocumentRow",
        "DocumentVersionRow",
        "EmbeddingRow",
    ),
    "gaps": (
        "GapQuestionRow",
        "GapRow",
    ),
    "golden": (
        "GoldenQuestionRow",
        "GoldenRunRow",
    ),
    "people": (
        "LeadRow",
        "LiveChatRow",
        "LiveMessageRow",
    ),
    "sources": (
        "CrawlRunRow",
        "DeletionRow",
        "GivenDocumentRow",
        "HookCallRow",
        "SourceFileRow",
        "SourceHookRow",
        "SourcePageRow",
        "SourceRow",
        "SourceScheduleRow",
    ),
    "tenancy": (
        "ApiTokenRow",
        "AuditRow",
        "OperatorRow",
        "OperatorSessionRow",
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
