"""Calls actions within limits, with sealed headers, through the crawler's guard; responses are treated as data."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from time import perf_counter
from typing import Any, Final
from uuid import UUID

import anyio
import structlog
from prometheus_client import CollectorRegistry, Counter

from app.actions.action import ACTION_LIMIT_NEAR, Action, ActionHosts, visitor_fact
from app.actions.action_request import ActionRequest, NoResult, proposed_change, request_of, result_text, sent_headers
from app.actions.records import ActionRecords
from app.answers.offered_actions import CalledAction, CallOutcome
from app.conversations.records.conversations import ConversationRecords
from app.core.confirmation import ConfirmationState, ProposedChange
from app.core.errors import DocentError, RateLimited
from app.core.tool_arguments import WrongArguments, check_arguments, offered_schema, read_arguments
from app.core.turn import Channel, VisitorSession
from app.kit.limits import RateLimiter, a_day, a_minute
from app.providers.chat.chat_model import ToolCall, ToolOffer
from app.providers.http_caller import CallFailed, HttpCaller
from app.store.outbox import Outbox
from app.store.system_of_record import SystemOfRecord, Transaction

log = structlog.get_logger(__name__)

MAX_CALLS: Final = 4  # for one answer
CALLS_A_MINUTE: Final = 20  # for one visitor, or for all callers that are not visitors together
MAX_REPLY_BYTES: Final = 262_144
_NETWORKS: Final = 4  # one network or API token may use a quarter of the day's calls, so that none uses up all
_NEAR: Final = 0.8  # share of the day's calls from which operators are notified
_OF_GATEWAYS: Final = (502, 504)  # responses of gateways: the server behind may have executed the call


@dataclass(frozen=True, slots=True)
class CountedCaller:
    """The caller that a call is counted for. `who` is a visitor's id, or stands for all other callers. `network` is a
    network or an API token, "" for operators, who may use all calls of the day."""

    who: str
    network: str = ""


class ActionCalls:
    """`on_called` is called with the outcome of each call."""

    def __init__(
        self,
        records: SystemOfRecord,
        caller: HttpCaller,
        limiter: RateLimiter,
        hosts: ActionHosts,
        on_called: Callable[[CallOutcome], None] = lambda outcome: None,
    ) -> None:
        self._records = records
        self._caller = caller
        self._limiter = limiter
        self._hosts = hosts
        self._on_called = on_called

    async def for_answer(
        self, workspace_id: UUID, agent_id: UUID, session: VisitorSession | None
    ) -> "AnswerActions | None":
        """The actions that an answer may call, None if there are none: actions that are on, have an allowed host, and
        whose fixed values are known, which for facts about the visitor requires a proven session. Actions that change
        something need the widget, where they can be confirmed. `session` is None for a trial without a visitor. The
        database is not read if no host is allowed."""
        if not self._hosts.names:
            return None
        may_propose = session is not None and session.channel is Channel.WIDGET
        known = session.visitor_id if session and session.is_proven else None

        def work(tx: Transaction) -> tuple[list[Action], Mapping[str, str]]:
            actions = [
                each
                for each in ActionRecords(tx).actions(agent_id)
                if self.allows(each) and (may_propose or not each.changes)
            ]
            fixed = [value for each in actions for value in each.fixed.values()]
            is_asking = known is not None and any(map(visitor_fact, fixed))
            return actions, ConversationRecords(tx).signed_facts(known) if known and is_asking else {}

        actions, facts = await self._records.of_workspace(workspace_id).read(work)
        offered = {each.name: each for each in actions if _fixed(each, facts) is not None}
        who = CountedCaller(str(session.visitor_id), session.network) if session else CountedCaller(str(agent_id))
        return AnswerActions(self, workspace_id, offered, facts, who) if offered else None

    async def call(
        self,
        workspace_id: UUID,
        action: Action,
        arguments: Mapping[str, Any],
        facts: Mapping[str, str],
        who: CountedCaller,
    ) -> CalledAction:
        """Call the action once, now. `arguments` come from the model and are not checked yet; `facts` about the visitor
        are signed by the website."""
        began = perf_counter()
        try:
            found = await self._called(workspace_id, action, arguments, facts, who)
        except WrongArguments as error:
            found = CalledAction(action, CallOutcome.REFUSED, str(error))
        except RateLimited:
            found = CalledAction(action, CallOutcome.LIMITED, "it was called too often")
        except DocentError as error:  # deleted, headers cannot be unsealed, or the database is down
            log.warning("action.not_called", action=str(action.id), reason=str(error))
            found = CalledAction(action, CallOutcome.FAILED, "it cannot be called now")
        self._on_called(found.outcome)
        if found.outcome in (CallOutcome.FAILED, CallOutcome.LIMITED):
            log.warning("action.failed", action=str(action.id), outcome=found.outcome.value, reason=found.text)
        return replace(found, duration_ms=round((perf_counter() - began) * 1000))

    async def change(self, workspace_id: UUID, action: Action, change: ProposedChange) -> CalledAction:
        """Send the confirmed change, with the bytes that were stored when it was proposed. The caller must have called
        `count`, and must not send a change twice."""
        began = perf_counter()
        try:
            headers = await self._headers(workspace_id, action)
        except DocentError as error:
            log.warning("action.not_called", action=str(action.id), reason=str(error))
            found = CalledAction(action, CallOutcome.FAILED, "it cannot be called now")
        else:
            body = None if change.body is None else change.body.encode()
            sent = sent_headers(headers, body) | {"Idempotency-Key": str(change.id)}
            found = await self._exchanged(action, ActionRequest(change.method, change.url, sent, body))
        self._on_called(found.outcome)
        if not found.is_answered:
            log.warning("action.failed", action=str(action.id), outcome=found.outcome.value, reason=found.text)
        return replace(found, duration_ms=round((perf_counter() - began) * 1000))

    async def count(self, workspace_id: UUID, action: Action, who: CountedCaller) -> None:
        """Count a call. Raises RateLimited; call this before the visitor's decision is stored, so that they can
        retry."""
        await self._limiter.hit(a_minute(CALLS_A_MINUTE), "action", str(action.agent_id), who.who)
        if who.network:
            share = a_day(max(1, action.daily_calls // _NETWORKS))
            await self._limiter.hit(share, "action a day", str(action.id), who.network)
        await self._warn(workspace_id, action)
        await self._limiter.hit(a_day(action.daily_calls), "action a day", str(action.id))

    async def _warn(self, workspace_id: UUID, action: Action) -> None:
        """Notify operators, at most once in 24 hours, that most of the day's calls are used."""
        try:
            before = a_day(max(1, ceil(_NEAR * action.daily_calls) - 1))
            await self._limiter.hit(before, "action a day", str(action.id), "unannounced")
            return
        except RateLimited:
            pass
        data = {"action_id": str(action.id), "title": action.title, "daily_calls": action.daily_calls}
        try:
            await self._limiter.hit(a_day(1), "action a day", str(action.id), "announced")
            await self._records.of_workspace(workspace_id).write(
                lambda tx: Outbox(tx).add(action.agent_id, ACTION_LIMIT_NEAR.name, data)
            )
        except RateLimited:
            return
        except DocentError as error:  # no reason to fail the call
            log.warning("action.not_announced", action=str(action.id), reason=str(error))

    def allows(self, action: Action) -> bool:
        """Whether the action is on, and its host is allowed."""
        return action.is_on and self._hosts.allow(action.host)

    async def _called(
        self,
        workspace_id: UUID,
        action: Action,
        arguments: Mapping[str, Any],
        facts: Mapping[str, str],
        who: CountedCaller,
    ) -> CalledAction:
        check_arguments(action.parameters, arguments)
        fixed = _fixed(action, facts)
        if fixed is None:
            raise WrongArguments("the website has not signed what this needs of the visitor")
        if not self._hosts.allow(action.host):
            return CalledAction(action, CallOutcome.FAILED, "this installation allows no calls to its host")
        headers = await self._headers(workspace_id, action)
        request = request_of(action, {**arguments, **fixed}, headers)
        await self.count(workspace_id, action, who)
        return await self._exchanged(action, request)

    async def _headers(self, workspace_id: UUID, action: Action) -> Mapping[str, str]:
        return await self._records.of_workspace(workspace_id).read(lambda tx: ActionRecords(tx).headers(action))

    async def _exchanged(self, action: Action, request: ActionRequest) -> CalledAction:
        in_vain = CallOutcome.UNKNOWN if action.changes else CallOutcome.FAILED
        try:
            with anyio.fail_after(action.timeout_seconds):
                reply = await self._caller.call(request.method, request.url, request.headers, request.body)
        except TimeoutError:
            return CalledAction(action, in_vain, f"no answer within {action.timeout_seconds} s")
        except CallFailed as error:
            return CalledAction(action, in_vain if error.may_have_arrived else CallOutcome.FAILED, str(error))
        if not 200 <= reply.status < 300:
            outcome = in_vain if reply.status in _OF_GATEWAYS else CallOutcome.FAILED
            return CalledAction(action, outcome, f"it answered with status {reply.status}", reply.status)
        try:
            text = result_text(reply.body, action.result_path, action.max_result_chars)
        except NoResult as error:
            if action.changes:  # the change is done, even if the response has nothing to read
                return CalledAction(action, CallOutcome.ANSWERED, "", reply.status)
            return CalledAction(action, CallOutcome.FAILED, str(error), reply.status)
        return CalledAction(action, CallOutcome.ANSWERED, text, reply.status)


@dataclass(slots=True)
class AnswerActions:
    """The actions that one answer may call. At most MAX_CALLS are called, in one round, so that no result can cause
    another call. An action that changes something is not called but `proposed`, at most one. `trace` is for operators.
    """

    calls: ActionCalls
    workspace_id: UUID
    offered: Mapping[str, Action]
    facts: Mapping[str, str] = field(repr=False)
    who: CountedCaller
    trace: list[dict[str, Any]] = field(default_factory=list)
    proposed: ProposedChange | None = None

    @property
    def tools(self) -> tuple[ToolOffer, ...]:
        return tuple(
            ToolOffer(each.name, each.description, offered_schema(each.parameters)) for each in self.offered.values()
        )

    async def run(self, wanted: Sequence[ToolCall]) -> list[CalledAction]:
        """Make the calls concurrently; return them in the given order. Equal calls are made once; actions that were not
        offered are not called."""
        known = [each for each in dict.fromkeys(wanted) if each.name in self.offered][:MAX_CALLS]
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(self._call(each)) for each in known]
        called = [task.result() for task in running]
        for each, tool_call in zip(called, known, strict=True):
            self.trace.append(
                {
                    "action": tool_call.name,
                    "arguments": tool_call.arguments,
                    "outcome": each.outcome.value,
                    "status": each.status,
                    "ms": each.duration_ms,
                    **({} if each.is_answered else {"reason": each.text}),
                    **_confirmation(each, self.proposed),
                }
            )
        if left_out := len(wanted) - len(known):
            self.trace.append({"outcome": "not called", "calls": left_out})
        return called

    async def results_of(self, names: Sequence[str]) -> dict[str, str] | None:
        """Call actions that need no arguments from a model; return their results by name. The result of a proposed
        change is "". None if any cannot be called, or returns nothing."""
        wanted = dict.fromkeys(names)
        if any(name not in self.offered or self.offered[name].parameters.get("required") for name in wanted):
            return None
        called = await self.run([ToolCall(name, "{}") for name in wanted])
        found = {each.action.name: each.text for each in called if each.is_answered}
        found |= {each.action.name: "" for each in called if each.outcome is CallOutcome.PROPOSED}
        return found if found.keys() == wanted.keys() else None

    async def _call(self, tool_call: ToolCall) -> CalledAction:
        action = self.offered[tool_call.name]
        try:
            arguments = read_arguments(action.parameters, tool_call.arguments)
        except WrongArguments as error:
            return CalledAction(action, CallOutcome.REFUSED, str(error))
        if action.changes:
            return self._propose(action, arguments)
        return await self.calls.call(self.workspace_id, action, arguments, self.facts, self.who)

    def _propose(self, action: Action, arguments: Mapping[str, Any]) -> CalledAction:
        if self.proposed is not None:
            return CalledAction(action, CallOutcome.REFUSED, "one change is confirmed at a time")
        try:
            self.proposed = proposed_change(action, arguments, _fixed(action, self.facts) or {})
        except WrongArguments as error:
            return CalledAction(action, CallOutcome.REFUSED, str(error))
        return CalledAction(action, CallOutcome.PROPOSED, "the visitor is asked first, and nothing is done yet")


def _confirmation(called: CalledAction, proposed: ProposedChange | None) -> dict[str, str]:
    is_asked = called.outcome is CallOutcome.PROPOSED and proposed is not None
    return {"confirmation": str(proposed.id)} if is_asked and proposed else {}


def _fixed(action: Action, facts: Mapping[str, str]) -> dict[str, str] | None:
    """The fixed values, which the model never sees; None if a fact about the visitor is unknown."""
    filled: dict[str, str] = {}
    for name, value in action.fixed.items():
        fact = visitor_fact(value)
        if fact is not None and not facts.get(fact):
            return None
        filled[name] = value if fact is None else facts[fact]
    return filled


def counted_calls(registry: CollectorRegistry) -> Callable[[CallOutcome], None]:
    calls = Counter("docent_action_calls", "Calls of agents' actions, by outcome.", ["outcome"], registry=registry)
    for each in CallOutcome:
        if each is not CallOutcome.PROPOSED:
            calls.labels(each.value)
    return lambda outcome: calls.labels(outcome.value).inc()


class DecisionMeter:
    """Counts visitors' decisions on changes, and the outcomes."""

    def __init__(self, registry: CollectorRegistry) -> None:
        about = "What visitors were asked to confirm, by what became of it."
        self._decisions = Counter("docent_action_confirmations", about, ["state"], registry=registry)
        for state in ConfirmationState:
            if state not in (ConfirmationState.ASKED, ConfirmationState.CONFIRMED, ConfirmationState.EXPIRED):
                self._decisions.labels(state.value)

    def decided(self, state: ConfirmationState) -> None:
        self._decisions.labels(state.value).inc()
