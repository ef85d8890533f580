"""What an answer may call, as its writers see it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Protocol
from uuid import UUID

from app.core.confirmation import ProposedChange
from app.core.turn import VisitorSession
from app.providers.chat.chat_model import ToolCall, ToolOffer


class CallOutcome(StrEnum):
    ANSWERED = "answered"
    REFUSED = "refused"  # by us, because of its arguments
    LIMITED = "limited"  # by us, because of the number of calls
    FAILED = "failed"  # by the called server
    UNKNOWN = "unknown"  # it was called, but it is unknown whether the change was made
    PROPOSED = "proposed"  # the visitor is asked first


class NamedAction(Protocol):
    @property
    def id(self) -> UUID: ...
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...


@dataclass(frozen=True, slots=True)
class CalledAction:
    action: NamedAction
    outcome: CallOutcome
    text: Annotated[str, "What the model would read. If the outcome is not answered, why it reads nothing."]
    status: Annotated[int | None, "The HTTP status; null if the server did not respond."] = None
    duration_ms: int = 0

    @property
    def is_answered(self) -> bool:
        return self.outcome is CallOutcome.ANSWERED


class AnswerActions(Protocol):
    """The actions that an answer may call. A change is not called but `proposed`, one at most. Operators see
    `trace`."""

    @property
    def tools(self) -> tuple[ToolOffer, ...]: ...
    @property
    def trace(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def proposed(self) -> ProposedChange | None: ...

    async def run(self, wanted: Sequence[ToolCall]) -> list[CalledAction]:
        """Make the calls; return them in the given order, without those that were not offered."""
        ...

    async def results_of(self, names: Sequence[str]) -> dict[str, str] | None:
        """The results by name of actions that need no argument from a model; None unless each returns something. An
        action that changes something is proposed, with "" as its result."""
        ...


class OfferedActions(Protocol):
    async def for_answer(
        self, workspace_id: UUID, agent_id: UUID, session: VisitorSession | None
    ) -> AnswerActions | None:
        """What an answer may call; None if there is nothing. `session` is None if nobody in particular asks."""
        ...
