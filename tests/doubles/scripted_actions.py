"""Actions that return what a test says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from app.answers.offered_actions import CalledAction, CallOutcome
from app.core.confirmation import ProposedChange
from app.core.turn import VisitorSession
from app.providers.chat.chat_model import ToolCall, ToolOffer


@dataclass(frozen=True)
class ScriptedAction:
    name: str
    id: UUID = field(default_factory=uuid4)
    title: str = "An action"


@dataclass
class ScriptedActions:
    """`results` are by the name of the action; one without a result fails. Offered to every answer."""

    results: Mapping[str, str] = field(default_factory=dict)
    proposed: ProposedChange | None = None
    trace: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def tools(self) -> tuple[ToolOffer, ...]:
        return tuple(ToolOffer(name, name, {}) for name in self.results)

    async def run(self, wanted: Sequence[ToolCall]) -> list[CalledAction]:
        return [
            CalledAction(ScriptedAction(call.name), CallOutcome.ANSWERED, self.results[call.name])
            for call in wanted
            if call.name in self.results
        ]

    async def results_of(self, names: Sequence[str]) -> dict[str, str] | None:
        called = await self.run([ToolCall(name, "{}") for name in dict.fromkeys(names)])
        found = {each.action.name: each.text for each in called}
        return found if found.keys() == set(names) else None

    async def for_answer(
        self, workspace_id: UUID, agent_id: UUID, session: VisitorSession | None
    ) -> "ScriptedActions | None":
        return self
