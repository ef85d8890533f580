"""Gauges, counters and log lines about circuits and background work."""

from collections import defaultdict
from collections.abc import Callable
from functools import partial

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge

from app.kit.circuit_breaker import State

_log = structlog.get_logger(__name__)


class CircuitMeter:
    """Logs when circuits open and close, counts the openings, and has a gauge of their state."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._open = Gauge("docent_circuit_open", "1 while a part is left alone, else 0.", ["part"], registry=registry)
        self._openings = Counter(
            "docent_circuit_openings", "Times that a part was left alone.", ["part"], registry=registry
        )
        self._open_circuits: defaultdict[str, int] = defaultdict(int)

    def watch(self, part: str) -> Callable[[State], None]:
        """Return the `on_change` callback of a circuit around `part`, a fixed word that is used as a label. Several
        circuits may be around one part, such as a fallback of several models: the gauge is 1 while one is open."""
        self._show(part)
        self._openings.labels(part)
        return partial(self._changed, part)

    def _show(self, part: str) -> None:
        self._open.labels(part).set(self._open_circuits[part] > 0)

    def _changed(self, part: str, state: State) -> None:
        self._open_circuits[part] += 1 if state == "open" else -1
        self._show(part)
        if state == "open":
            self._openings.labels(part).inc()
            _log.warning("circuit.opened", part=part)
        else:
            _log.info("circuit.closed", part=part)


def background_failures(registry: CollectorRegistry) -> Callable[[str], None]:
    """A function that counts a failure of the background work that it is called with."""
    about = "Failures of work that goes on as long as the process, after which it was begun again."
    failures = Counter("docent_background_failures", about, ["work"], registry=registry)
    return lambda work: failures.labels(work).inc()


def degraded_turns(registry: CollectorRegistry) -> Callable[[str], None]:
    """A function that counts an answer that was made without the part that it is called with."""
    about = "Answers that were made without a part that was down or busy; they show no gap."
    turns = Counter("docent_degraded_turns", about, ["part"], registry=registry)
    return lambda part: turns.labels(part).inc()
