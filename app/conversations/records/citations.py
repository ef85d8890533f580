"""The numbered sources of answers."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, select

from app.core.turn import Citation
from app.store.tables.conversations import CITATIONS
from app.store.transaction import batches


def citations_of(connection: Connection, turn_ids: Sequence[UUID]) -> dict[UUID, tuple[Citation, ...]]:
    """By turn, in order of number; turns without citations are left out."""
    found: dict[UUID, tuple[Citation, ...]] = {}
    for batch in batches(dict.fromkeys(turn_ids)):
        statement = (
            select(CITATIONS).where(CITATIONS.c.turn_id.in_(batch)).order_by(CITATIONS.c.turn_id, CITATIONS.c.number)
        )
        for row in connection.execute(statement):
            found[row.turn_id] = (*found.get(row.turn_id, ()), _citation(row))
    return found


def _citation(row: Row[Any]) -> Citation:
    return Citation(row.number, row.url, row.title, row.as_of, row.chunk_id, row.quote, row.passage)
