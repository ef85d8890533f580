"""Spans: what a process does, how long it takes, and to what it belongs.

Code calls `span(...)`; whether spans are recorded is decided once, where the process is composed (`recording`). Without
a recorder, nothing is created, and no library is imported. The recorder belongs to the process, like its log: a job has
no request by which it could be passed.

Attributes contain no words of visitors, pages or providers, nor messages of errors, unless the recorder keeps texts:
`set_text` is for those.
"""

from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, MutableMapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any, Literal, ParamSpec, Protocol, TypeVar

Kind = Literal["internal", "server", "client", "consumer"]
Value = str | bool | int | float | Sequence[str]

Given = ParamSpec("Given")
Result = TypeVar("Result")

_NOTHING: Mapping[str, Any] = {}


class Span(Protocol):
    def rename(self, name: str) -> None: ...

    def set(self, name: str, value: Value) -> None: ...

    def set_text(self, name: str, text: str) -> None:
        """Recorded if texts are kept, otherwise dropped."""
        ...

    def fail(self, error_type: str) -> None:
        """The operation failed; `error_type` is a fixed word."""
        ...

    def current(self) -> AbstractContextManager[None]:
        """Spans that begin inside the block are children of this one."""
        ...

    def end(self) -> None: ...


class Recorder(Protocol):
    def begin(self, name: str, kind: Kind, attributes: Mapping[str, Value], headers: Mapping[str, str]) -> Span:
        """Begin a span below the one that `headers` name (W3C traceparent), else below the current one."""
        ...

    def passed(self, name: str, seconds: float, attributes: Mapping[str, Value]) -> None:
        """Record a span below the current one that has just ended, `seconds` after it began."""
        ...

    def headers(self) -> dict[str, str]:
        """Headers that identify the current span to another server; empty if there is none."""
        ...

    def ids(self) -> dict[str, str]:
        """`trace_id` and `span_id` of the current span, in hexadecimal; empty if there is none."""
        ...

    def captured(self) -> object:
        """The context of this task, for another one that continues its work."""
        ...

    def resumed(self, captured: object) -> AbstractContextManager[None]: ...


class _NoSpan:
    def rename(self, name: str) -> None: ...

    def set(self, name: str, value: Value) -> None: ...

    def set_text(self, name: str, text: str) -> None: ...

    def fail(self, error_type: str) -> None: ...

    @contextmanager
    def current(self) -> Iterator[None]:
        yield

    def end(self) -> None: ...


NO_SPAN: Span = _NoSpan()
_recorder: Recorder | None = None


@contextmanager
def recording(recorder: Recorder) -> Iterator[None]:
    """Send spans of all tasks to `recorder` while the block runs."""
    global _recorder
    before, _recorder = _recorder, recorder
    try:
        yield
    finally:
        _recorder = before


def is_recording() -> bool:
    return _recorder is not None


def begin(
    name: str,
    attributes: Mapping[str, Value] = _NOTHING,
    *,
    kind: Kind = "internal",
    headers: Mapping[str, str] = _NOTHING,
) -> Span:
    """Begin a span that is not a block; the caller ends it."""
    return _recorder.begin(name, kind, attributes, headers) if _recorder else NO_SPAN


@contextmanager
def span(
    name: str,
    attributes: Mapping[str, Value] = _NOTHING,
    *,
    kind: Kind = "internal",
    headers: Mapping[str, str] = _NOTHING,
) -> Iterator[Span]:
    """Record a span around the block. If an exception leaves it, the span fails with the exception's type."""
    begun = begin(name, attributes, kind=kind, headers=headers)
    try:
        with begun.current():
            yield begun
    except BaseException as error:
        begun.fail(type(error).__name__)
        raise
    finally:
        begun.end()


def traced(
    name: str, kind: Kind = "internal"
) -> Callable[[Callable[Given, Awaitable[Result]]], Callable[Given, Coroutine[Any, Any, Result]]]:
    """Decorator that records a span around each call."""

    def around(work: Callable[Given, Awaitable[Result]]) -> Callable[Given, Coroutine[Any, Any, Result]]:
        @wraps(work)
        async def inside(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            if _recorder is None:
                return await work(*args, **kwargs)
            with span(name, kind=kind):
                return await work(*args, **kwargs)

        return inside

    return around


def passed(name: str, seconds: float, attributes: Mapping[str, Value] = _NOTHING) -> None:
    """Record an operation that was measured elsewhere and has just ended."""
    if _recorder:
        _recorder.passed(name, seconds, attributes)


def trace_headers() -> dict[str, str]:
    """Headers for a request to another server; empty if nothing is recorded."""
    return _recorder.headers() if _recorder else {}


def captured() -> object:
    return _recorder.captured() if _recorder else None


@contextmanager
def resumed(where: object) -> Iterator[None]:
    """Continue in the context that `captured` returned."""
    if _recorder is None or where is None:
        yield
        return
    with _recorder.resumed(where):
        yield


def add_trace_ids(_logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """For structlog: adds the ids of the span in which a line was logged."""
    if _recorder:
        line.update(_recorder.ids())
    return line
