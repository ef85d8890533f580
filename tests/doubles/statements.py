"""The SQL that runs meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, event


@contextmanager
def statements() -> Iterator[list[str]]:
    """Those of every engine, as they are executed."""
    executed: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        executed.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield executed
    finally:
        event.remove(Engine, "before_cursor_execute", note)
