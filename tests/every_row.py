"""A table of cases that one test walks."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from itertools import product
from typing import Any, NamedTuple

import pytest

_LONGEST_LABEL = 100


class _Table(NamedTuple):
    names: tuple[str, ...]
    rows: list[tuple[str, tuple[Any, ...]]]  # each with its label


def every_row(
    names: str | Sequence[str],
    rows: Iterable[Any],
    ids: Callable[[Any], object] | Iterable[object] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Like `pytest.mark.parametrize`, but one case: for rows that are cheap and leave the fixtures as they found them.

    Every row is run, and each that fails is reported under its label with its own traceback. Passing rows cost a call.
    Stacked, every row of one table meets every row of the other.
    """
    split = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    table = _Table(split, list(_labelled(rows, ids, is_single=len(split) == 1)))
    assert table.rows, "a table without rows shows nothing"

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        tables: tuple[_Table, ...] = (table, *getattr(test, "tables", ()))
        run: Callable[..., Any] = getattr(test, "one_row", test)
        given = {name for one in tables for name in one.names}
        signature = inspect.signature(run)
        assert given <= set(signature.parameters), "the test takes what the table is about"

        def all_rows(*args: Any, subtests: pytest.Subtests, **fixtures: Any) -> None:
            for label, row in _combined(tables):
                with _reported(label, subtests):
                    run(*args, **fixtures, **row)

        async def all_rows_async(*args: Any, subtests: pytest.Subtests, **fixtures: Any) -> None:
            for label, row in _combined(tables):
                with _reported(label, subtests):
                    await run(*args, **fixtures, **row)

        walk: Any = wraps(run)(all_rows_async if inspect.iscoroutinefunction(run) else all_rows)
        fixtures = [parameter for name, parameter in signature.parameters.items() if name not in given]
        own = inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY)
        walk.__signature__ = signature.replace(parameters=[*fixtures, own])
        walk.tables, walk.one_row = tables, run
        rows_in_turn: Callable[..., Any] = walk
        return rows_in_turn

    return decorate


def _labelled(
    rows: Iterable[Any], ids: Callable[[Any], object] | Iterable[object] | None, *, is_single: bool
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    labels = iter(ids) if isinstance(ids, Iterable) else None
    for row in rows:
        is_param = hasattr(row, "marks") and hasattr(row, "values")  # as pytest.param() makes it
        param = row if is_param else pytest.param(*((row,) if is_single else row))
        assert not param.marks, "a row with a mark needs a case of its own"
        made = "-".join(str(ids(value) if callable(ids) else value) for value in param.values)
        label = next(labels) if labels is not None else param.id or made
        yield str(label)[:_LONGEST_LABEL], tuple(param.values)


def _combined(tables: Sequence[_Table]) -> Iterator[tuple[str, dict[str, Any]]]:
    names = [name for table in tables for name in table.names]
    for rows in product(*(table.rows for table in tables)):
        values = [value for _, row in rows for value in row]
        yield "-".join(label for label, _ in rows), dict(zip(names, values, strict=True))


@contextmanager
def _reported(label: str, subtests: pytest.Subtests) -> Iterator[None]:
    """pytest's own subtests, opened for what fails alone: to open one for each row takes as long as a case."""
    __tracebackhide__ = True
    try:
        yield
    except (Exception, pytest.fail.Exception):
        with subtests.test(label):
            raise
