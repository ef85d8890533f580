"""Spans as those who work see them; who keeps them is somebody else's business."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.kit.tracing import (
    Kind,
    Span,
    Value,
    add_trace_ids,
    captured,
    is_recording,
    passed,
    recording,
    resumed,
    span,
    trace_headers,
    traced,
)


@dataclass
class NotedSpan:
    """Implements `Span`."""

    name: str
    attributes: dict[str, Value]
    errors: list[str] = field(default_factory=list)
    has_ended: bool = False

    def rename(self, name: str) -> None:
        self.name = name

    def set(self, name: str, value: Value) -> None:
        self.attributes[name] = value

    def set_text(self, name: str, text: str) -> None: ...

    def fail(self, error_type: str) -> None:
        self.errors.append(error_type)

    def current(self) -> AbstractContextManager[None]:
        return nullcontext()

    def end(self) -> None:
        self.has_ended = True


@dataclass
class NotingRecorder:
    """Implements `Recorder`."""

    spans: list[NotedSpan] = field(default_factory=list)
    resumptions: list[object] = field(default_factory=list)

    def begin(self, name: str, kind: Kind, attributes: Mapping[str, Value], headers: Mapping[str, str]) -> Span:
        self.spans.append(NotedSpan(name, dict(attributes)))
        return self.spans[-1]

    def passed(self, name: str, seconds: float, attributes: Mapping[str, Value]) -> None:
        self.spans.append(NotedSpan(name, dict(attributes), has_ended=True))

    def headers(self) -> dict[str, str]:
        return {"traceparent": "here"}

    def ids(self) -> dict[str, str]:
        return {"trace_id": "t", "span_id": "s"}

    def captured(self) -> object:
        return "where it was"

    @contextmanager
    def resumed(self, captured: object) -> Iterator[None]:
        self.resumptions.append(captured)
        yield


@pytest.fixture
def recorder() -> Iterator[NotingRecorder]:
    found = NotingRecorder()
    with recording(found):
        yield found


def test_without_a_recorder_nothing_is_made_and_nothing_is_said() -> None:
    assert not is_recording()
    with span("a") as one:
        one.set("b", 1)
        one.set_text("c", "d")
        one.rename("e")
        one.fail("f")
    passed("g", 1.0)
    assert trace_headers() == {}
    assert captured() is None
    with resumed(None):
        assert add_trace_ids(None, "info", {"event": "h"}) == {"event": "h"}


def test_a_block_is_a_span_that_ends_with_it(recorder: NotingRecorder) -> None:
    with span("work", {"docent.count": 1}) as one:
        one.set("docent.done", True)
        assert not recorder.spans[0].has_ended
    [noted] = recorder.spans
    assert (noted.name, noted.attributes) == ("work", {"docent.count": 1, "docent.done": True})
    assert noted.has_ended
    assert noted.errors == []


def test_an_error_that_leaves_it_is_named_by_its_type(recorder: NotingRecorder) -> None:
    with pytest.raises(ValueError, match="secret words"), span("work"):
        raise ValueError("secret words")
    [noted] = recorder.spans
    assert (noted.errors, noted.has_ended) == (["ValueError"], True)


async def test_a_traced_function_is_a_span_a_call_and_answers_as_ever(recorder: NotingRecorder) -> None:
    @traced("doubling")
    async def doubled(number: int) -> int:
        return number * 2

    assert [await doubled(2), await doubled(number=3)] == [4, 6]
    assert [noted.name for noted in recorder.spans] == ["doubling", "doubling"]


async def test_who_goes_on_with_anothers_work_does_so_in_its_place(recorder: NotingRecorder) -> None:
    with resumed(captured()):
        pass
    assert recorder.resumptions == ["where it was"]


def test_a_line_of_the_log_names_the_span(recorder: NotingRecorder) -> None:
    line: dict[str, Any] = {"event": "turn.failed"}
    assert add_trace_ids(None, "info", line) == {"event": "turn.failed", "trace_id": "t", "span_id": "s"}


def test_recording_ends_with_its_block() -> None:
    with recording(NotingRecorder()):
        assert is_recording()
    assert not is_recording()
