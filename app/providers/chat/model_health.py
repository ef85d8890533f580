"""Whether the chat model answers visitors: without an alert, a wrong key just looks like short answers. And
metrics of that, and of answers that were refused or unconfirmed."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge

from app.core.errors import ModelInterrupted, ModelUnavailable
from app.kit.clock import Clock
from app.providers.chat.chat_model import ChatEnd, ChatItem, ChatMessage, ChatModel, ChatStream

log = structlog.get_logger(__name__)

_FAILURES_TO_ALERT: Final = 3  # in a row, of a model that has answered before


@dataclass(frozen=True, slots=True)
class ModelAlert:
    """The model fails. `failures` calls in a row have failed since `since`; `reason` is that of the first. With
    `is_of_prompt`, each call only refused its prompt."""

    failures: int
    since: datetime
    reason: str
    is_of_prompt: bool = False


class ModelHealth:
    """Counts failures of a model in one process. Three in a row raise an alert; for a model that has never answered,
    the first one does, unless it only refused a prompt."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._has_answered = False
        self._failing: ModelAlert | None = None

    @property
    def alert(self) -> ModelAlert | None:
        """The current alert; None while the model answers, and before its first call."""
        failing = self._failing
        if failing and (self._has_answered or failing.is_of_prompt) and failing.failures < _FAILURES_TO_ALERT:
            return None
        return failing

    def answered(self) -> None:
        if self.alert:
            log.info("model.recovered", failures=self.alert.failures)
        self._has_answered, self._failing = True, None

    def failed(self, error: ModelUnavailable | ModelInterrupted) -> None:
        was_alert, known = self.alert, self._failing
        is_of_prompt = isinstance(error, ModelUnavailable) and error.is_of_prompt
        known = known or ModelAlert(0, self._clock.now(), str(error), is_of_prompt=True)
        is_of_prompt = known.is_of_prompt and is_of_prompt
        self._failing = replace(known, failures=known.failures + 1, is_of_prompt=is_of_prompt)
        if self.alert and not was_alert:
            log.error("model.failing", failures=self._failing.failures, reason=self._failing.reason)


class WatchedChatModel:
    """A ChatModel whose calls update its health. A call that its caller ends early does not count."""

    def __init__(self, model: ChatModel, health: ModelHealth) -> None:
        self._model = model
        self._health = health

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        try:
            async with (
                self._model.stream(messages, max_tokens=max_tokens) as items,
                aclosing(self._watched(items)) as watched,
            ):
                yield watched
        except (ModelUnavailable, ModelInterrupted) as error:
            self._health.failed(error)
            raise

    async def _watched(self, items: ChatStream) -> AsyncGenerator[ChatItem, None]:
        async for item in items:
            if isinstance(item, ChatEnd):
                self._health.answered()
            yield item


def watch_model_health(registry: CollectorRegistry, health: ModelHealth) -> None:
    failing = Gauge("docent_chat_model_failing", "1 while calls of the chat model fail, else 0.", registry=registry)
    failing.set_function(lambda: float(health.alert is not None))


def unconfirmed_sentences(registry: CollectorRegistry) -> Counter:
    return Counter(
        "docent_unconfirmed_sentences", "Sentences of the chat model that its sources do not have.", registry=registry
    )


def budget_refusals(registry: CollectorRegistry) -> Counter:
    return Counter(
        "docent_budget_refusals", "Calls of the chat model that a spent daily budget refused.", registry=registry
    )
