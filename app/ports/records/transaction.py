"""Port: one transaction over the system of record."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from app.ports.records.agents import AgentRecords
    from app.ports.records.audit import AuditRecords
    from app.ports.records.contexts import ContextRecords
    from app.ports.records.conversations import ConversationRecords
    from app.ports.records.curated_answers import CuratedAnswerRecords
    from app.ports.records.deletions import DeletionRecords
    from app.ports.records.documents import DocumentRecords
    from app.ports.records.files import FileRecords
    from app.ports.records.gaps import GapRecords
    from app.ports.records.given_documents import GivenDocumentRecords
    from app.ports.records.golden_questions import GoldenQuestionRecords
    from app.ports.records.golden_runs import GoldenRunRecords
    from app.ports.records.hooks import HookRecords
    from app.ports.records.leads import LeadRecords
    from app.ports.records.live_chats import LiveChatRecords
    from app.ports.records.operators import OperatorRecords
    from app.ports.records.past_turns import PastTurnRecords
    from app.ports.records.processes import ProcessRecords
    from app.ports.records.quality import QualityRecords
    from app.ports.records.retention import RetentionRecords
    from app.ports.records.schedules import ScheduleRecords
    from app.ports.records.sources import SourceRecords
    from app.ports.records.tokens import TokenRecords
    from app.ports.records.turns import TurnRecords
    from app.ports.records.user_keys import UserKeyRecords
    from app.ports.records.visitors import VisitorRecords
    from app.ports.records.webhooks import WebhookRecords

Value = TypeVar("Value")


class Records(Protocol):
    """Every family, inside one transaction."""

    @property
    def agents(self) -> AgentRecords: ...
    @property
    def sources(self) -> SourceRecords: ...
    @property
    def files(self) -> FileRecords: ...
    @property
    def given_documents(self) -> GivenDocumentRecords: ...
    @property
    def documents(self) -> DocumentRecords: ...
    @property
    def contexts(self) -> ContextRecords: ...
    @property
    def curated_answers(self) -> CuratedAnswerRecords: ...
    @property
    def conversations(self) -> ConversationRecords: ...
    @property
    def visitors(self) -> VisitorRecords: ...
    @property
    def leads(self) -> LeadRecords: ...
    @property
    def live_chats(self) -> LiveChatRecords: ...
    @property
    def turns(self) -> TurnRecords: ...
    @property
    def past_turns(self) -> PastTurnRecords: ...
    @property
    def quality(self) -> QualityRecords: ...
    @property
    def retention(self) -> RetentionRecords: ...
    @property
    def gaps(self) -> GapRecords: ...
    @property
    def golden_questions(self) -> GoldenQuestionRecords: ...
    @property
    def golden_runs(self) -> GoldenRunRecords: ...
    @property
    def tokens(self) -> TokenRecords: ...
    @property
    def operators(self) -> OperatorRecords: ...
    @property
    def processes(self) -> ProcessRecords: ...
    @property
    def hooks(self) -> HookRecords: ...
    @property
    def user_keys(self) -> UserKeyRecords: ...
    @property
    def webhooks(self) -> WebhookRecords: ...
    @property
    def schedules(self) -> ScheduleRecords: ...
    @property
    def deletions(self) -> DeletionRecords: ...
    @property
    def audit(self) -> AuditRecords: ...


class SystemOfRecord(Protocol):
    """Opens transactions. Never hold one over a call to a model or to the network."""

    def write(self) -> AbstractAsyncContextManager[Records]:
        """Commits when the block ends, rolls back when it raises."""
        ...

    async def write_at_once(self, work: Callable[[Records], Coroutine[Any, Any, Value]]) -> Value:
        """What `work` returns, committed; or what it raises, and nothing of it is kept.

        For what happens hundreds of times a second. `work` awaits nothing but its records, so that the transaction
        need not give way in its middle and can be committed together with others; it may be called twice.
        """
        ...

    def read(self) -> AbstractAsyncContextManager[Records]:
        """One consistent picture, which does not wait for writers."""
        ...

    async def empty_journal(self) -> bool:
        """Clear what was erased out of the database's own journal, where it has one that we may empty. False when
        readers kept it busy: it then goes with a later one."""
        ...
