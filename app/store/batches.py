"""Statements of bearable size: SQLite and Postgres both limit how many parameters one may carry."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")

BATCH_SIZE = 500


def batches(items: Iterable[Item], size: int = BATCH_SIZE) -> Iterator[list[Item]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
