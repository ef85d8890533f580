"""HTTP metrics. Labels are route templates and fixed words, never ids or texts."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from app.core.turn_events import Done, Error, NumberedEvent, Token

_FAST = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_OF_ROUTES = (0.01, 0.05, 0.25, 1, 2.5, 10)  # fewer, because each route has them


class StreamMeter:
    """Counts answer streams, how they end, and how long visitors wait for the first token."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._live = Gauge("docent_live_streams", "Answer streams being written now.", registry=registry)
        self._ends = Counter(
            "docent_streams", "Answer streams by how they ended: done, error or left.", ["end"], registry=registry
        )
        self._answers = Counter(
            "docent_answers", "Streamed answers by who answered.", ["answered_by", "low_confidence"], registry=registry
        )
        self._first_token = Histogram(
            "docent_first_token_seconds",
            "From the stream's start to its first token.",
            buckets=_FAST,
            registry=registry,
        )

    @contextmanager
    def stream(self) -> Iterator[Callable[[NumberedEvent], None]]:
        """Around one stream; call the function that it yields with every event."""
        started = time.perf_counter()
        end, has_token = "left", False

        def seen(event: NumberedEvent) -> None:
            nonlocal end, has_token
            match event.event:
                case Token() if not has_token:
                    has_token = True
                    self._first_token.observe(time.perf_counter() - started)
                case Done() as done:
                    end = "done"
                    self._answers.labels(done.answered_by.value, str(done.low_confidence).lower()).inc()
                case Error():
                    end = "error"

        self._live.inc()
        try:
            yield seen
        finally:
            self._live.dec()
            self._ends.labels(end).inc()


class RequestMeter:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "docent_http_requests", "Requests by route and status.", ["method", "route", "status"], registry=registry
        )
        self._seconds = Histogram(
            "docent_http_request_seconds",
            "From the request to the start of its answer.",
            ["method", "route"],
            buckets=_OF_ROUTES,
            registry=registry,
        )

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)
