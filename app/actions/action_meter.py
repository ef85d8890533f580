"""What is measured of actions' calls."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter

from app.actions.action_calls import CallOutcome


def counted_calls(registry: CollectorRegistry) -> Callable[[CallOutcome], None]:
    calls = Counter("docent_action_calls", "Calls of agents' actions, by outcome.", ["outcome"], registry=registry)
    for each in CallOutcome:
        calls.labels(each.value)
    return lambda outcome: calls.labels(outcome.value).inc()
