"""What a collector of OpenTelemetry is told of a question, a request and a job."""

import asyncio
import gzip
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import structlog
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.semconv.attributes import error_attributes, http_attributes, server_attributes, url_attributes

from app.cli.terminal import configure_logging
from app.kit.otel_recorder import OtelRecorder
from app.kit.tracing import recording
from app.main import open_app
from app.settings import read_settings
from tests.doubles.fake_openai import FakeOpenAI, Refuse, Say
from tests.doubles.metrics_reader import AS_SCRAPER, METRICS_TOKEN
from tests.system.conftest import Running, learnt_agent
from tests.web.live_server import serving

ASKING = "POST /v1/widget/messages/stream"
QUESTION = "How long is the warranty of a lamp?"
ANSWER = "The warranty is 3 years [1]."
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
STAGES = {
    "docent.curated_match",
    "docent.search",
    "docent.begin",
    "docent.recall.vectors",
    "docent.recall.keywords",
    "docent.search.recall",
    "docent.search.fusion",
    "docent.search.threshold",
    "docent.write",
    "docent.prompt",
    "chat fake",
    "docent.persist",
}


class Kept(InMemorySpanExporter):
    """Lets others wait for a span: a server ends that of a request when its client has read the answer."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = threading.Condition()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        with self._changed:
            exported = super().export(spans)
            self._changed.notify_all()
        return exported

    async def until(self, name: str) -> None:
        def has_come() -> bool:
            return any(span.name == name for span in self.get_finished_spans())

        def wait() -> bool:
            with self._changed:
                return self._changed.wait_for(has_come, 10)

        assert await asyncio.to_thread(wait), name


class Traced:
    """A server whose spans are kept here."""

    def __init__(self, running: Running, exporter: Kept) -> None:
        self.running = running
        self._exporter = exporter

    def spans(self, name: str = "") -> list[ReadableSpan]:
        return [span for span in self._exporter.get_finished_spans() if name in ("", span.name)]

    async def ask(self) -> None:
        await (await self.running.visitor()).ask(QUESTION)
        await self._exporter.until(ASKING)

    def one(self, name: str) -> ReadableSpan:
        [span] = self.spans(name)
        return span

    def told(self) -> str:
        """Everything that a collector would read."""
        return "\n".join(f"{span.to_json()}" for span in self.spans())


def of(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def parts_of(span: ReadableSpan, spans: list[ReadableSpan]) -> list[ReadableSpan]:
    return [each for each in spans if each.parent and span.context and each.parent.span_id == span.context.span_id]


@pytest.fixture(params=[False])
async def traced(request: pytest.FixtureRequest, tmp_path: Path, provider: FakeOpenAI) -> AsyncIterator[Traced]:
    """Its parameter is whether texts are kept."""
    named = {"model_name": "fake", "metrics_token": METRICS_TOKEN}
    settings = read_settings(data=tmp_path, model_url=provider.url, shutdown_seconds=1, **named)
    agent_id = await learnt_agent(settings)
    exporter = Kept()
    recorder = OtelRecorder(
        version="1", process="test", keeps_texts=request.param, processor=SimpleSpanProcessor(exporter)
    )
    with recording(recorder):
        async with open_app(settings) as web, serving(web.app) as (_, http):
            yield Traced(Running(http, agent_id, tmp_path), exporter)
    recorder.close()


async def test_a_question_is_one_trace_of_all_its_stages(traced: Traced, provider: FakeOpenAI) -> None:
    provider.plays(Say(["The warranty ", "is 3 years", " [1]."], usage=(321, 7)))
    await traced.ask()
    turn = traced.one("docent.turn")
    assert turn.context
    inside = [span for span in traced.spans() if span.context and span.context.trace_id == turn.context.trace_id]
    assert {span.name for span in inside} >= STAGES
    assert any(span.name.startswith("embeddings onnx-") for span in inside)
    about = of(turn)
    assert (about["docent.answered_by"], about["docent.finish"]) == ("model", "complete")
    assert about["docent.agent_id"] == traced.running.agent_id
    assert {span.name for span in parts_of(traced.one("docent.write"), inside)} == {"docent.prompt", "chat fake"}


async def test_a_call_of_the_model_is_told_by_the_conventions(traced: Traced, provider: FakeOpenAI) -> None:
    provider.plays(Say(["The warranty ", "is 3 years", " [1]."], usage=(321, 7)))
    await traced.ask()
    told = of(traced.one("chat fake"))
    assert told[gen_ai_attributes.GEN_AI_OPERATION_NAME] == "chat"
    assert told[gen_ai_attributes.GEN_AI_PROVIDER_NAME] == "openai"
    assert told[gen_ai_attributes.GEN_AI_REQUEST_MODEL] == "fake"
    assert told[gen_ai_attributes.GEN_AI_REQUEST_MAX_TOKENS] > 100
    assert told[gen_ai_attributes.GEN_AI_USAGE_INPUT_TOKENS] == 321
    assert told[gen_ai_attributes.GEN_AI_USAGE_OUTPUT_TOKENS] == 7
    assert told[gen_ai_attributes.GEN_AI_RESPONSE_FINISH_REASONS] == ("complete",)
    assert told[gen_ai_attributes.GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK] > 0
    assert f"http://127.0.0.1:{told[server_attributes.SERVER_PORT]}/v1" == provider.url


async def test_every_attribute_of_a_convention_has_a_name_that_it_knows(traced: Traced, provider: FakeOpenAI) -> None:
    await traced.ask()
    rooms = (gen_ai_attributes, http_attributes, server_attributes, url_attributes, error_attributes)
    known = {value for room in rooms for name, value in vars(room).items() if name.isupper()}
    # In today's text of the conventions, not yet in the package of constants.
    known |= {"gen_ai.request.stream"}
    used = {name for span in traced.spans() for name in of(span) if not name.startswith("docent.")}
    assert used - known == set()


async def test_a_request_is_a_part_of_its_callers_trace_and_the_models_endpoint_of_ours(
    traced: Traced, provider: FakeOpenAI
) -> None:
    traced.running.http.headers["traceparent"] = CALLER
    await traced.ask()
    request = traced.one(ASKING)
    assert request.parent
    assert request.parent.span_id == 0xB7AD6B7169203331
    assert of(request)["http.route"] == ASKING.split()[1]
    assert of(request)["http.response.status_code"] == 200
    turn = traced.one("docent.turn")
    assert turn.parent
    assert request.context
    assert turn.parent.span_id == request.context.span_id
    [asked] = provider.asked
    call = traced.one("chat fake").context
    assert call
    assert asked.headers["traceparent"] == f"00-0af7651916cd43dd8448eb211c80319c-{call.span_id:016x}-01"


async def test_no_words_of_anybody_are_told(traced: Traced, provider: FakeOpenAI) -> None:
    provider.plays(Say([ANSWER]))
    await traced.ask()
    assert "warranty" not in traced.told().casefold()


async def test_what_failed_is_told_by_its_kind_and_not_by_its_words(traced: Traced, provider: FakeOpenAI) -> None:
    provider.plays(Refuse(400))
    await traced.ask()
    assert of(traced.one("chat fake"))["error.type"] == "ModelUnavailable"
    assert all(not span.events for span in traced.spans())
    assert all(not span.status.description for span in traced.spans())


@pytest.mark.parametrize("traced", [True], indirect=True, ids=["DOCENT_TRACE_TEXTS"])
async def test_they_are_where_the_setting_says_so(traced: Traced, provider: FakeOpenAI) -> None:
    provider.plays(Say([ANSWER]))
    await traced.ask()
    turn, call = of(traced.one("docent.turn")), of(traced.one("chat fake"))
    assert (turn["docent.question"], turn["docent.answer"]) == (QUESTION, ANSWER)
    said = json.loads(call[gen_ai_attributes.GEN_AI_OUTPUT_MESSAGES])
    assert said == [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
    assert QUESTION in call[gen_ai_attributes.GEN_AI_INPUT_MESSAGES]


async def test_lines_of_the_log_name_the_trace(
    traced: Traced, provider: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.plays(Refuse(400))
    configure_logging(read_settings(log_format="json"))
    try:
        await traced.ask()
    finally:
        structlog.reset_defaults()
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
    [away] = [line for line in lines if line["event"] == "generation.writer_away"]
    context = traced.one("docent.write").context
    assert context
    assert (away["trace_id"], away["span_id"]) == (f"{context.trace_id:032x}", f"{context.span_id:016x}")


async def test_probes_are_no_traces(traced: Traced) -> None:
    for path in ("/healthz", "/readyz", "/metrics"):
        assert (await traced.running.http.get(path, headers=AS_SCRAPER)).status_code == 200
    warm_up = "embeddings "  # goes on meanwhile
    assert [span.name for span in traced.spans() if not span.name.startswith(warm_up)] == []


class Collector:
    """An OTLP receiver over HTTP."""

    def __init__(self) -> None:
        self.received: list[tuple[str, ExportTraceServiceRequest]] = []
        self.headers: list[dict[str, str]] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                collector.headers.append(dict(self.headers))
                collector.received.append((self.path, ExportTraceServiceRequest.FromString(body)))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                """Nobody reads it."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def collector() -> Iterator[Collector]:
    found = Collector()
    thread = threading.Thread(target=found.server.serve_forever, daemon=True)
    thread.start()
    yield found
    found.server.shutdown()
    found.server.server_close()
    thread.join()


async def test_spans_arrive_at_a_collector_that_the_environment_names(
    tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=docs")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "helpdesk")
    settings = read_settings(data=tmp_path, shutdown_seconds=1)
    agent_id = await learnt_agent(settings)
    async with open_app(settings) as web, serving(web.app) as (_, http):
        await (await Running(http, agent_id, tmp_path).visitor()).ask(QUESTION)
    assert {path for path, _ in collector.received} == {"/v1/traces"}
    assert {headers["x-team"] for headers in collector.headers} == {"docs"}
    resources = [each for _, request in collector.received for each in request.resource_spans]
    services = {
        pair.value.string_value for each in resources for pair in each.resource.attributes if pair.key == "service.name"
    }
    names = {span.name for each in resources for scope in each.scope_spans for span in scope.spans}
    assert services == {"helpdesk"}
    assert names >= {"docent.turn", "docent.job.crawl", ASKING}


_MODULES = """
import asyncio, json, os, sys
from pathlib import Path
from app.main import open_app
from app.settings import read_settings
async def look() -> None:
    for name, environment in json.loads(sys.argv[2]).items():
        os.environ.clear()
        os.environ.update(environment)
        async with open_app(read_settings(data=Path(sys.argv[1]), log_level="error")):
            print(name, *sorted(name for name in sys.modules if name.startswith("opentelemetry")), sep=":")
asyncio.run(look())
"""
_ENVIRONMENTS = {
    "nothing is set": {},
    "no address": {"OTEL_SERVICE_NAME": "docent"},
    "switched off": {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_SDK_DISABLED": "true"},
    "no exporter": {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_TRACES_EXPORTER": "none"},
    "a protocol that is not spoken": {
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
    },
}


def test_nothing_is_imported_where_nothing_is_recorded(tmp_path: Path) -> None:
    """In one process that opens the application in each environment: what is imported stays."""
    command = [sys.executable, "-c", _MODULES, str(tmp_path), json.dumps(_ENVIRONMENTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={})
    told = done.stdout.splitlines()
    assert [line for line in told if line in _ENVIRONMENTS] == [*_ENVIRONMENTS], told
