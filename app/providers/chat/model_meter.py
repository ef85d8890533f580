"""Metrics of the chat model: whether it answers visitors now, and which answers were refused or unconfirmed."""

from prometheus_client import CollectorRegistry, Counter, Gauge

from app.providers.chat.model_health import ModelHealth


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
