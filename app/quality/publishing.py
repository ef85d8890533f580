"""Publishes a draft or an earlier version, once the effect on the agent's golden questions is known."""

from dataclasses import dataclass, replace
from typing import Annotated, Final
from uuid import UUID

import structlog

from app.agents.agent import AgentConfig, AgentVersion
from app.agents.agent_choices import PublishGate
from app.agents.agents import Agents
from app.core.actor import Actor
from app.core.errors import DocentError, PublishGateFailed
from app.kit.wiring import Wired
from app.quality.golden_question import GoldenRun
from app.quality.golden_runs import GoldenRuns

log = structlog.get_logger(__name__)

_NAMED: Final = 5  # lost questions


@dataclass(frozen=True, slots=True)
class Published:
    """`compared` is None if nothing was compared, or if it was impossible and the gate only warns."""

    version: AgentVersion
    compared: Annotated[GoldenRun | None, "Null if nothing was compared."]


class Publishing(Wired):
    _agents: Agents
    _runs: GoldenRuns

    async def known(self, actor: Actor, agent_id: UUID) -> GoldenRun | None:
        """The golden run that tells the effect of publishing the draft, if it was done already. Raises NotFound."""
        _, run = await self._runs.comparison(actor, agent_id)
        return run

    async def publish(self, actor: Actor, agent_id: UUID, note: str = "", *, force: bool = False) -> Published:
        """Raises NotFound; PublishGateFailed where the gate refuses, unless `force`; IndexUnavailable where it
        refuses and nothing can be asked."""
        return await self._publish(actor, agent_id, note, force, "The draft", "Fix the draft, or publish")

    async def _publish(
        self, actor: Actor, agent_id: UUID, note: str, force: bool, what: str, instead: str
    ) -> Published:
        gate = (await self._agents.agent(actor, agent_id)).draft.publish_gate
        compared: GoldenRun | None = None
        if gate is not PublishGate.OFF:
            try:
                compared = await self._runs.compared(actor, agent_id)
            except DocentError as error:
                if gate is PublishGate.REFUSE and not force:
                    raise
                log.warning("golden_questions.not_asked", agent=str(agent_id), reason=str(error))
        lost = compared.lost if compared else ()
        if lost and gate is PublishGate.REFUSE and not force:
            raise PublishGateFailed(f"{what} {_losses(lost)}", f"{instead} with force.")
        return Published(await self._agents.publish(actor, agent_id, note, lost=len(lost)), compared)

    async def roll_back(
        self, actor: Actor, agent_id: UUID, number: int, note: str = "", *, force: bool = False
    ) -> Published:
        """The settings of version `number` become the draft and are published as a new version, behind the draft's
        current gate. If that is refused, the draft stays unchanged.

        Raises like `publish`, and InvalidInput for an unknown number.
        """
        former = await self._agents.version(actor, agent_id, number)
        before: list[AgentConfig] = []

        def as_former(draft: AgentConfig) -> AgentConfig:
            before[:] = [draft]
            return replace(former.config, publish_gate=draft.publish_gate)

        tried = (await self._agents.change_draft(actor, agent_id, as_former)).draft
        try:
            what, instead = f"Version {number}", "Choose another one, or roll back"
            note = note or f"Settings of version {number}."
            return await self._publish(actor, agent_id, note, force, what, instead)
        except DocentError:
            await self._agents.change_draft(actor, agent_id, lambda draft: before[0] if draft == tried else draft)
            raise


def _losses(lost: tuple[str, ...]) -> str:
    named = ", ".join(f'"{question[:100]}"' for question in lost[:_NAMED])
    more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
    return f"loses golden questions that the published version gets right: {named}{more}."
