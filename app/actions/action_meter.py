"""Metrics of actions' calls."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter

from app.answers.offered_actions import CallOutcome
from app.core.confirmation import ConfirmationState


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
