"""What operators see of budgets: how many calls of the chat model were refused because an agent's day was spent."""

from prometheus_client import CollectorRegistry, Counter


def budget_refusals(registry: CollectorRegistry) -> Counter:
    return Counter(
        "docent_budget_refusals", "Calls of the chat model that a spent daily budget refused.", registry=registry
    )
