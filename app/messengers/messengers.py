"""Connects agents to messengers, and accepts the questions that these deliver, each once."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from app.agents.own_agent import reads_agent, writes_agent
from app.core.actor import Actor
from app.core.errors import RateLimited, Unauthorized
from app.kit.clock import Clock
from app.kit.limits import RateLimiter
from app.kit.wiring import Wired
from app.messengers.discord import Discord
from app.messengers.messenger import Messenger, MessengerKeys, MessengerKind, MessengerQuestion, MessengerRating
from app.messengers.records import MessengerQuestionRecords, MessengerRecords
from app.messengers.service import Service
from app.messengers.slack import Slack
from app.store.system_of_record import SystemOfRecord, Transaction
from app.web.limits_policy import LimitsPolicy, count_named
from app.web.request_body import json_object
from app.workspaces.audit_entry import more_changes_of
from app.workspaces.records.audit import AuditRecords

more_changes_of(
    "agent", {"set_messenger": "Slack or Discord connected", "clear_messenger": "Slack or Discord disconnected"}
)

SERVICES: Final[Mapping[MessengerKind, Service]] = {MessengerKind.SLACK: Slack(), MessengerKind.DISCORD: Discord()}
_REFUSED: Final = "This call is not signed with the key of a messenger of this agent, or is too old."


class Messengers(Wired):
    """Every method of an actor raises NotFound for an agent that does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _limiter: RateLimiter
    _limits: LimitsPolicy
    _clock: Clock

    @reads_agent
    def messengers(self, tx: Transaction, actor: Actor, agent_id: UUID) -> list[Messenger]:
        return MessengerRecords(tx).messengers(agent_id)

    @writes_agent
    def set(self, tx: Transaction, actor: Actor, agent_id: UUID, kind: MessengerKind, keys: MessengerKeys) -> Messenger:
        """Connect the agent, or change its keys; without any, the stored ones are kept. They change together, or who
        sets another signing secret could have the stored token post what they sign. Raises InvalidInput."""
        before = MessengerRecords(tx).find(agent_id, kind)
        keys = MessengerKeys(keys.signing.strip(), keys.token.strip())
        if before and keys == MessengerKeys():
            keys = before[1]
        SERVICES[kind].check(keys)
        messenger = before[0] if before else Messenger(uuid4(), agent_id, kind, self._clock.now())
        MessengerRecords(tx).put(messenger, keys)
        AuditRecords(tx).acted(actor, "agent.set_messenger", agent_id, kind=kind.value)
        return messenger

    @writes_agent
    def clear(self, tx: Transaction, actor: Actor, agent_id: UUID, messenger_id: UUID) -> None:
        """Raises NotFound if there is none."""
        MessengerRecords(tx).clear(agent_id, messenger_id)
        AuditRecords(tx).acted(actor, "agent.clear_messenger", agent_id)

    async def receive(
        self, agent_id: UUID, kind: MessengerKind, headers: Mapping[str, str], body: bytes
    ) -> Mapping[str, Any]:
        """Queue the question or store the rating in `body`, if any; return the JSON response. Raises Unauthorized for
        a bad signature."""
        own, service = self._records.of_agent(agent_id), SERVICES[kind]
        found = await own.read(lambda tx: MessengerRecords(tx).find(agent_id, kind))
        if found is None or not service.is_signed(found[1].signing, headers, body, self._clock.now()):
            raise Unauthorized(_REFUSED)
        question = service.parsed(json_object(body))
        if isinstance(question, MessengerRating):
            rating = question
            is_stored = await own.write(lambda tx: MessengerQuestionRecords(tx).rate(found[0], service.channel, rating))
            return service.refused("Thank you." if is_stored else "Only the person who asked can rate an answer.")
        if not isinstance(question, MessengerQuestion):
            return question
        try:
            await count_named(self._limiter, self._limits, agent_id, question.user_id)
        except RateLimited as error:
            return service.refused(str(error))
        delay = timedelta(seconds=service.delay_seconds)
        await own.write(lambda tx: MessengerQuestionRecords(tx).put(found[0], service.channel, question, delay))
        return service.taken
