"""Recorder with OpenTelemetry's SDK, which sends spans by OTLP over HTTP from its own thread."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from app.kit.tracing import Kind, Value

_KINDS: Final = {
    "internal": SpanKind.INTERNAL,
    "server": SpanKind.SERVER,
    "client": SpanKind.CLIENT,
    "consumer": SpanKind.CONSUMER,
}
_PROPAGATOR: Final = TraceContextTextMapPropagator()


class OtelSpan:
    def __init__(self, span: trace.Span, keeps_texts: bool) -> None:
        self._span = span
        self._keeps_texts = keeps_texts

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def set(self, name: str, value: Value) -> None:
        self._span.set_attribute(name, value)

    def set_text(self, name: str, text: str) -> None:
        if self._keeps_texts:
            self._span.set_attribute(name, text)

    def fail(self, error_type: str) -> None:
        self._span.set_attribute("error.type", error_type)
        self._span.set_status(Status(StatusCode.ERROR))

    @contextmanager
    def current(self) -> Iterator[None]:
        with trace.use_span(self._span, record_exception=False, set_status_on_exception=False):
            yield

    def end(self) -> None:
        self._span.end()


class OtelRecorder:
    """`processor` gets the spans; by default, it sends them in batches to where OpenTelemetry's own variables say. The
    environment's OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence over the attributes set here."""

    def __init__(
        self, *, version: str, process: str, keeps_texts: bool = False, processor: SpanProcessor | None = None
    ) -> None:
        ours = {"service.name": "docent", "service.version": version, "service.instance.id": process}
        resource = Resource.create(ours).merge(OTELResourceDetector().detect())
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(processor or BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("docent", version)
        self._keeps_texts = keeps_texts

    def close(self) -> None:
        """Send the rest; may take as long as the exporter waits for its server."""
        self._provider.shutdown()

    def begin(self, name: str, kind: Kind, attributes: Mapping[str, Value], headers: Mapping[str, str]) -> OtelSpan:
        parent = _PROPAGATOR.extract(headers) if headers else None
        span = self._tracer.start_span(name, context=parent, kind=_KINDS[kind], attributes=attributes)
        return OtelSpan(span, self._keeps_texts)

    def passed(self, name: str, seconds: float, attributes: Mapping[str, Value]) -> None:
        now = time.time_ns()
        self._tracer.start_span(name, attributes=attributes, start_time=now - round(seconds * 1e9)).end(now)

    def headers(self) -> dict[str, str]:
        found: dict[str, str] = {}
        _PROPAGATOR.inject(found)
        return found

    def ids(self) -> dict[str, str]:
        current = trace.get_current_span().get_span_context()
        if not current.is_valid:
            return {}
        return {"trace_id": f"{current.trace_id:032x}", "span_id": f"{current.span_id:016x}"}

    def captured(self) -> object:
        return context.get_current()

    @contextmanager
    def resumed(self, captured: object) -> Iterator[None]:
        assert isinstance(captured, Context)  # noqa: S101 - what `captured` gave
        token = context.attach(captured)
        try:
            yield
        finally:
            context.detach(token)
