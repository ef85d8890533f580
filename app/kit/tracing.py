"""Spans: what a process does, how long it takes, and what it is a part of.

Whoever works here says `span(...)`; whether anybody keeps it is decided once, where the process is put together
(`recording`). Without a recorder nothing is made, and no library is imported. The recorder is the process's, as its log
is: a job begins on no request, so that there is nothing it could be handed down with.

No words of visitors, pages or providers go into an attribute, nor does what an error says, unless the recorder was told
to keep texts: `set_text` is for those.
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
        """Kept where texts are kept, else dropped."""
        ...

    def fail(self, error_type: str) -> None:
        """What it is about did not work; `error_type` is a fixed word."""
        ...

    def current(self) -> AbstractContextManager[None]:
        """Spans that begin inside the block are parts of this one."""
        ...

    def end(self) -> None: ...


class Recorder(Protocol):
    def begin(self, name: str, kind: Kind, attributes: Mapping[str, Value], headers: Mapping[str, str]) -> Span:
        """A part of the span that `headers` name by W3C's traceparent, else of the current one."""
        ...

    def passed(self, name: str, seconds: float, attributes: Mapping[str, Value]) -> None:
        """A part of the current span that has ended just now, `seconds` after it began."""
        ...

    def headers(self) -> dict[str, str]:
        """Name the current span to another server; empty where there is none."""
        ...

    def ids(self) -> dict[str, str]:
        """`trace_id` and `span_id` of the current span, in hexadecimal; empty where there is none."""
        ...

    def captured(self) -> object:
        """Where this task is, for another one that goes on with its work."""
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
    """Spans go to `recorder` while the block runs, of whatever task."""
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
    """For what is no block: to be ended by whoever began it."""
    return _recorder.begin(name, kind, attributes, headers) if _recorder else NO_SPAN


@contextmanager
def span(
    name: str,
    attributes: Mapping[str, Value] = _NOTHING,
    *,
    kind: Kind = "internal",
    headers: Mapping[str, str] = _NOTHING,
) -> Iterator[Span]:
    """Around a block. An error that leaves it is named by its type."""
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
    """A span around each call."""

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
    """For what was measured already, and has just ended."""
    if _recorder:
        _recorder.passed(name, seconds, attributes)


def trace_headers() -> dict[str, str]:
    """To be sent along with a request to another server; empty where nothing is recorded."""
    return _recorder.headers() if _recorder else {}


def captured() -> object:
    return _recorder.captured() if _recorder else None


@contextmanager
def resumed(where: object) -> Iterator[None]:
    """In the place of the task that `captured`."""
    if _recorder is None or where is None:
        yield
        return
    with _recorder.resumed(where):
        yield


def add_trace_ids(_logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """For structlog: a line names the span that it was written in."""
    if _recorder:
        line.update(_recorder.ids())
    return line
