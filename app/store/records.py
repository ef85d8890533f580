"""Every family of records inside one transaction, each imported and made when it is first asked for.

A command that lists the agents needs two families of two dozen, and so does most of what a visitor asks for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from app.ports.clock import Clock
from app.store.secret_keys import SecretKeys

if TYPE_CHECKING:
    from app.store.agents import SqlAgents
    from app.store.audit import SqlAudit
    from app.store.contexts import SqlContexts
    from app.store.conversations import SqlConversations
    from app.store.curated_answers import SqlCuratedAnswers
    from app.store.deletions import SqlDeletions
    from app.store.documents import SqlDocuments
    from app.store.files import SqlFiles
    from app.store.gaps import SqlGaps
    from app.store.given_documents import SqlGivenDocuments
    from app.store.golden_questions import SqlGoldenQuestions
    from app.store.golden_runs import SqlGoldenRuns
    from app.store.hooks import SqlHooks
    from app.store.leads import SqlLeads
    from app.store.live_chats import SqlLiveChats
    from app.store.operators import SqlOperators
    from app.store.past_turns import SqlPastTurns
    from app.store.processes import SqlProcesses
    from app.store.quality import SqlQuality
    from app.store.retention import SqlRetention
    from app.store.schedules import SqlSchedules
    from app.store.sources import SqlSources
    from app.store.tokens import SqlTokens
    from app.store.turns import SqlTurns
    from app.store.user_keys import SqlUserKeys
    from app.store.visitors import SqlVisitors
    from app.store.webhooks import SqlWebhooks


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
    return getattr(import_module(f"app.store.{name}"), SqlRecords.__annotations__[name])
