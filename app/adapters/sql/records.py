"""Every family of records inside one transaction, each imported and made when it is first asked for.

A command that lists the agents needs two families of two dozen, and so does most of what a visitor asks for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from app.adapters.secret_keys import SecretKeys
from app.ports.clock import Clock

if TYPE_CHECKING:
    from app.adapters.sql.agents import SqlAgents
    from app.adapters.sql.audit import SqlAudit
    from app.adapters.sql.contexts import SqlContexts
    from app.adapters.sql.conversations import SqlConversations
    from app.adapters.sql.curated_answers import SqlCuratedAnswers
    from app.adapters.sql.deletions import SqlDeletions
    from app.adapters.sql.documents import SqlDocuments
    from app.adapters.sql.files import SqlFiles
    from app.adapters.sql.gaps import SqlGaps
    from app.adapters.sql.given_documents import SqlGivenDocuments
    from app.adapters.sql.golden_questions import SqlGoldenQuestions
    from app.adapters.sql.golden_runs import SqlGoldenRuns
    from app.adapters.sql.hooks import SqlHooks
    from app.adapters.sql.leads import SqlLeads
    from app.adapters.sql.live_chats import SqlLiveChats
    from app.adapters.sql.operators import SqlOperators
    from app.adapters.sql.past_turns import SqlPastTurns
    from app.adapters.sql.processes import SqlProcesses
    from app.adapters.sql.quality import SqlQuality
    from app.adapters.sql.retention import SqlRetention
    from app.adapters.sql.schedules import SqlSchedules
    from app.adapters.sql.sources import SqlSources
    from app.adapters.sql.tokens import SqlTokens
    from app.adapters.sql.turns import SqlTurns
    from app.adapters.sql.user_keys import SqlUserKeys
    from app.adapters.sql.visitors import SqlVisitors
    from app.adapters.sql.webhooks import SqlWebhooks


class SqlRecords:
    """Implements `Records`. Each family stands in the module of its name."""

    agents: SqlAgents
    sources: SqlSources
    files: SqlFiles
    given_documents: SqlGivenDocuments
    documents: SqlDocuments
    contexts: SqlContexts
    curated_answers: SqlCuratedAnswers
    conversations: SqlConversations
    visitors: SqlVisitors
    leads: SqlLeads
    live_chats: SqlLiveChats
    turns: SqlTurns
    past_turns: SqlPastTurns
    quality: SqlQuality
    retention: SqlRetention
    gaps: SqlGaps
    golden_questions: SqlGoldenQuestions
    golden_runs: SqlGoldenRuns
    tokens: SqlTokens
    operators: SqlOperators
    processes: SqlProcesses
    hooks: SqlHooks
    user_keys: SqlUserKeys
    webhooks: SqlWebhooks
    schedules: SqlSchedules
    deletions: SqlDeletions
    audit: SqlAudit

    def __init__(self, session: AsyncSession, clock: Clock, secret_keys: SecretKeys, committed: AsyncEngine) -> None:
        self._made_of = (session, clock)
        self._also: dict[str, Any] = {"tokens": secret_keys, "audit": committed}

    if not TYPE_CHECKING:  # to a type checker a name that is none of the above stays a mistake

        def __getattr__(self, name: str) -> Any:
            if name not in SqlRecords.__annotations__:
                raise AttributeError(name)
            also = (self._also[name],) if name in self._also else ()
            family = _family(name)(*self._made_of, *also)
            setattr(self, name, family)
            return family


def import_families() -> None:
    """For a process that serves many: none of them is to wait for an import."""
    for name in SqlRecords.__annotations__:
        _family(name)


def _family(name: str) -> Any:
    return getattr(import_module(f"app.adapters.sql.{name}"), SqlRecords.__annotations__[name])
