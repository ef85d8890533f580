"""Recording of spans, controlled by OpenTelemetry's own variables, because they belong to the platform."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import anyio
import structlog

from app.kit.tracing import recording

if TYPE_CHECKING:
    from app.settings import Settings

log = structlog.get_logger(__name__)

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_SPOKEN: Final = "http/protobuf"


@asynccontextmanager
async def traces(settings: Settings, process: str) -> AsyncIterator[None]:
    """Record and send spans while the block runs, if the environment asks for it; otherwise import nothing."""
    if not is_wanted(os.environ) or not _can_send(os.environ):
        yield
        return
    from app.kit.otel_recorder import OtelRecorder

    recorder = OtelRecorder(version=version("docent"), process=process, keeps_texts=settings.trace_texts)
    try:
        with recording(recorder):
            yield
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(recorder.close)


def is_wanted(environment: Mapping[str, str]) -> bool:
    """Whether an address to send to was given or `otlp` was chosen by name, and tracing was not switched off."""
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    exporters = {name.strip() for name in environment.get("OTEL_TRACES_EXPORTER", "").split(",") if name.strip()}
    return "otlp" in exporters or (not exporters and any(environment.get(name) for name in _ENDPOINTS))


def _can_send(environment: Mapping[str, str]) -> bool:
    """The variables may be meant for other programs on the machine: if the extra is not installed, start without
    tracing.
    """
    spoken = next((environment[name] for name in _PROTOCOLS if environment.get(name)), _SPOKEN)
    if spoken != _SPOKEN:
        log.warning("tracing.left_off", reason=f"{_PROTOCOLS[1]} is {spoken}; Docent speaks {_SPOKEN}")
        return False
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.sdk") is None:
        log.warning("tracing.left_off", reason="OpenTelemetry is not installed: pip install 'docent[otel]'")
        return False
    return True
