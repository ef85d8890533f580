"""A draft goes live, once it is known what that does to the agent's golden questions."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog

from app.domain.agent import AgentVersion
from app.domain.errors import DocentError, DraftLoses
from app.domain.golden_run import GoldenRun, PublishGate
from app.operating.actor import Actor
from app.operating.agents import Agents
from app.operating.golden_runs import GoldenRuns

log = structlog.get_logger(__name__)

_NAMED: Final = 5  # lost questions


@dataclass(frozen=True, slots=True)
class Published:
    """`compared` is None where nothing was, or where it could not be and the gate only warns."""

    version: AgentVersion
    compared: GoldenRun | None


class Publishing:
    def __init__(self, agents: Agents, runs: GoldenRuns) -> None:
        self._agents = agents
        self._runs = runs

    async def publish(self, actor: Actor, agent_id: UUID, *, despite_losses: bool = False) -> Published:
        """Raises NotFound; DraftLoses where the gate refuses, unless `despite_losses`; IndexUnavailable where it
        refuses and nothing can be asked."""
        gate = (await self._agents.get(actor, agent_id)).draft.publish_gate
        compared: GoldenRun | None = None
        if gate is not PublishGate.OFF:
            try:
                compared = await self._runs.compared(actor, agent_id)
            except DocentError as error:
                if gate is PublishGate.REFUSE and not despite_losses:
                    raise
                log.warning("golden_questions_not_asked", agent=str(agent_id), reason=str(error))
        lost = compared.lost if compared else ()
        if lost and gate is PublishGate.REFUSE and not despite_losses:
            raise DraftLoses(_refusal(lost))
        return Published(await self._agents.publish(actor, agent_id, lost=len(lost)), compared)


def _refusal(lost: tuple[str, ...]) -> str:
    named = ", ".join(f'"{question[:100]}"' for question in lost[:_NAMED])
    more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
    return (
        f"The draft loses golden questions that the live version gets right: {named}{more}. "
        "Mend the draft, or publish with despite_losses."
    )
