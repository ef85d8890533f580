"""Counts the model calls of each turn, and enforces the limits of its visitor, its agent and its workspace.

A turn calls the model in several places: to complete a follow-up, to search, to rank, to write. Each call finds its
turn in the context of its task, so the chat port knows nothing of turns.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from contextvars import ContextVar
from dataclasses import asdict, replace
from typing import Any
from uuid import UUID

from app.agents.agent import LiveAgent
from app.agents.token_budget import TokenLimit, WorkspaceTokens
from app.conversations.token_budgets import UsedTokens, token_limits
from app.core.costs import FREE, TokenPrices, estimated_tokens
from app.core.errors import ModelUnavailable
from app.core.turn import TokenUsage
from app.providers.chat.chat_model import ChatEnd, ChatItem, ChatMessage, ChatModel, ChatStream, TextDelta
from app.store.transaction import Transaction


class TokenMeter:
    """`usage` is the sum of all calls; its model is the last one called."""

    def __init__(self) -> None:
        self.usage = TokenUsage()
        self.was_refused = False
        self._limit: TokenLimit | None = None

    def begin(self) -> None:
        """Count every model call of this task, and of the tasks that it starts, here."""
        _meter.set(self)

    def limit(
        self, tx: Transaction, agent: LiveAgent, together: WorkspaceTokens, visitor_id: UUID | None = None
    ) -> None:
        """Refuse calls once a limit of the visitor, the agent or its workspace is reached. Turns that run at the same
        time do not see each other's calls, so each may exceed it by its own usage."""
        limits = token_limits(UsedTokens(tx), agent, together, visitor_id)
        self._limit = min(limits, key=lambda limit: limit.left, default=None)

    @property
    def refusal(self) -> TokenLimit | None:
        """The limit that a call was refused by."""
        return self._limit if self.was_refused else None

    @property
    def trace(self) -> dict[str, Any]:
        """Why calls were refused, and the usage of those that were made."""
        budget: dict[str, Any] = {"budget": "spent"} if self.was_refused else {}
        return budget | {"usage": asdict(self.usage)} if self.usage.tokens else budget

    def admit(self) -> None:
        """Raises ModelUnavailable."""
        if self._limit is not None and self.usage.tokens >= self._limit.left:
            self.was_refused = True
            raise ModelUnavailable(self._limit.spent_message)

    def add(self, usage: TokenUsage) -> None:
        self.usage = TokenUsage(
            self.usage.prompt_tokens + usage.prompt_tokens,
            self.usage.completion_tokens + usage.completion_tokens,
            usage.model or self.usage.model,
            self.usage.cached_tokens + usage.cached_tokens,
            usage.cost if self.usage.cost is None else self.usage.cost + (usage.cost or 0),
        )


_meter: ContextVar[TokenMeter | None] = ContextVar("token_meter", default=None)


class BudgetedChatModel:
    """A ChatModel whose calls count for their turn and are refused beyond its budget. Calls outside of turns pass."""

    def __init__(
        self, model: ChatModel, on_refused: Callable[[], None] = lambda: None, prices: TokenPrices = FREE
    ) -> None:
        self._model = model
        self._prices = prices
        self._on_refused = on_refused

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        meter = _meter.get()
        if meter is None:
            async with self._model.stream(messages, max_tokens=max_tokens) as items:
                yield items
            return
        try:
            meter.admit()
        except ModelUnavailable:
            self._on_refused()
            raise
        call = _Call(messages)
        try:
            async with (
                self._model.stream(messages, max_tokens=max_tokens) as items,
                aclosing(call.watched(items)) as watched,
            ):
                yield watched
        except ModelUnavailable as error:
            call.came_to_nothing(error.spent)
            raise
        finally:
            usage = call.usage
            meter.add(replace(usage, cost=self._prices.cost(usage)))


class _Call:
    """One completion. `usage` is what the model or its error reports, else an estimate from the text so far."""

    def __init__(self, messages: Sequence[ChatMessage]) -> None:
        self._read = [message.content for message in messages]
        self._written: list[str] = []
        self._reported: TokenUsage | None = None
        self._was_away = False

    async def watched(self, items: ChatStream) -> AsyncGenerator[ChatItem, None]:
        async for item in items:
            if isinstance(item, TextDelta):
                self._written.append(item.text)
            elif isinstance(item, ChatEnd):
                self._reported = item.usage
            yield item

    def came_to_nothing(self, spent: tuple[int, int] | None) -> None:
        """Record a call that failed before any text; `spent` is that of ModelUnavailable."""
        self._was_away = spent is None
        self._reported = TokenUsage(*spent) if spent else None

    @property
    def usage(self) -> TokenUsage:
        if self._was_away:
            return TokenUsage()
        if self._reported is not None and self._reported.tokens:
            return self._reported
        model = self._reported.model if self._reported else ""
        return TokenUsage(estimated_tokens("".join(self._read)), estimated_tokens("".join(self._written)), model)
