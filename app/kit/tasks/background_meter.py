"""What operators see of the work that goes on as long as a process: how often it failed."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter


def background_failures(registry: CollectorRegistry) -> Callable[[str], None]:
    """Call what it returns with the name of the work."""
    failures = Counter(
        "docent_background_failures",
        "Failures of work that goes on as long as the process, after which it was begun again.",
        ["work"],
        registry=registry,
    )

    def count(work: str) -> None:
        failures.labels(work).inc()

    return count
