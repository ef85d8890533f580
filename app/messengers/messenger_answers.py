"""Asks agents the queued questions from Slack and Discord, and posts the answers; run by a worker."""

import asyncio
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog

from app.agents.records import AgentRecords
from app.core.errors import AgentPaused, DocentError, HandedToPerson, NotFound
from app.core.turn import StoredTurn, TurnRequest, VisitorSession
from app.kit.clock import Clock
from app.messengers.messengers import SERVICES
from app.messengers.records import DueQuestion, MessengerQuestionRecords
from app.messengers.service import reply_of
from app.providers.http_caller import CallFailed, HttpCaller
from app.store.delivery_loop import DeliveryLoop, Luck, Outcome, Undelivered
from app.store.system_of_record import SystemOfRecord
from app.turns.api.visitor_turns import VisitorTurns, ended_turn

log = structlog.get_logger(__name__)

_LOCKED: Final = Undelivered("no secret key opens its keys: enter them again")
_HEADERS: Final = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "Docent-Answers"}


class MessengerAnswers(DeliveryLoop[DueQuestion]):
    """The turn has the question's id, so a worker that continues after another has died does not ask it twice."""

    LEASE = timedelta(minutes=5)

    def __init__(
        self, records: SystemOfRecord, turns: VisitorTurns, caller: HttpCaller, clock: Clock, luck: Luck = random.random
    ) -> None:
        super().__init__(records, MessengerQuestionRecords, clock, luck)
        self._turns = turns
        self._caller = caller

    async def _settle_all(self, claimed: Sequence[DueQuestion]) -> None:
        """Answer conversations concurrently, but the questions of each in order. Those that could outlast the lease are
        left until it ends, because another worker answers them then."""
        until = self._clock.now() + self.LEASE / 2
        conversations: dict[UUID, list[DueQuestion]] = defaultdict(list)
        for due in claimed:
            conversations[due.conversation_id].append(due)

        async def in_order(questions: Sequence[DueQuestion]) -> None:
            for each in questions:
                if self._clock.now() < until:
                    await self._settle(each)

        await asyncio.gather(*map(in_order, conversations.values()))

    async def _attempt(self, due: DueQuestion) -> Outcome:
        if due.keys is None:
            return _LOCKED
        own, service = self._records.of_workspace(due.workspace_id), SERVICES[due.service]
        try:
            agent = await own.read(lambda tx: AgentRecords(tx).live(due.agent_id))
            turn = await self._turn(due)
        except NotFound as error:
            return Undelivered(f"{error} Is the agent published?", is_final=True)
        except DocentError as error:
            return Undelivered(str(error))
        reply = reply_of(due.question, turn, agent.config.fallback, agent.config.language)
        call = service.answer_call(due.reply_to, reply, due.keys.token)
        try:
            answered = await self._caller.call(
                call.method, call.url, {**_HEADERS, **call.headers}, json.dumps(call.body).encode()
            )
        except CallFailed as error:
            return Undelivered(str(error))
        age_seconds = (self._clock.now() - due.created_at).total_seconds()
        message = service.message_id(due.reply_to, answered)
        failure = service.failure(answered, age_seconds)
        return failure or (lambda tx: MessengerQuestionRecords(tx).answered(due.id, message))

    async def _turn(self, due: DueQuestion) -> StoredTurn | None:
        """None if the agent is paused or a person has taken over. Raises DocentError."""
        who = (due.workspace_id, due.agent_id, due.visitor_id, due.conversation_id)
        session = VisitorSession(*who, SERVICES[due.service].channel, is_proven=False)
        try:
            return await ended_turn(self._turns, self._records, session, TurnRequest(due.id, due.question, ""))
        except (AgentPaused, HandedToPerson):
            return None

    def _log_failure(self, due: DueQuestion, reason: str, *, is_dead: bool) -> None:
        log.warning(
            "messenger.not_answered", agent=str(due.agent_id), kind=due.service.value, is_dead=is_dead, reason=reason
        )
