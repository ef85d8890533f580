"""Citations are known by turn and number, and their texts are compressed in the turn; vectors of gaps and topics have
half the digits."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any
from uuid import UUID

import numpy as np
import sqlalchemy as sa
from alembic import op

from app.store.schema import PackedJson, new_id

revision = "0095"
down_revision = "0094"

_AT_ONCE = 1000
_SINGLE, _HALF = np.dtype("<f4"), np.dtype("<f2")
_TURNS = sa.table("turns", sa.column("id", sa.Uuid), sa.column("cited_texts", PackedJson))
_CITATIONS = sa.table(
    "citations",
    *(sa.column(name, sa.Uuid) for name in ("id", "turn_id")),
    *(sa.column(name) for name in ("number", "quote", "passage")),
)


def upgrade() -> None:
    op.add_column("turns", sa.Column("cited_texts", sa.LargeBinary(), nullable=True))
    _pack()
    with op.batch_alter_table("citations") as citations:
        citations.drop_constraint("uq_citations_turn_id_number", type_="unique")
        citations.drop_constraint("pk_citations", type_="primary")
        for name in ("id", "quote", "passage"):
            citations.drop_column(name)
        citations.create_primary_key("pk_citations", ["turn_id", "number"])
    _rewrite_meanings(_SINGLE, _HALF)


def downgrade() -> None:
    with op.batch_alter_table("citations") as citations:
        citations.add_column(sa.Column("id", sa.Uuid(), nullable=True))
        for name in ("quote", "passage"):
            citations.add_column(sa.Column(name, sa.Text(), nullable=True))
    _unpack()
    with op.batch_alter_table("citations") as citations:
        citations.drop_constraint("pk_citations", type_="primary")
        citations.alter_column("id", existing_type=sa.Uuid(), nullable=False)
        citations.create_primary_key("pk_citations", ["id"])
        citations.create_unique_constraint("uq_citations_turn_id_number", ["turn_id", "number"])
    with op.batch_alter_table("turns") as turns:
        turns.drop_column("cited_texts")
    _rewrite_meanings(_HALF, _SINGLE)


def _pack() -> None:
    connection = op.get_bind()
    cited = sa.select(*(_CITATIONS.c[name] for name in ("turn_id", "number", "quote", "passage")))
    put = sa.update(_TURNS).where(_TURNS.c.id == sa.bindparam("turn"))
    put = put.values(cited_texts=sa.bindparam("texts", type_=PackedJson))
    for is_among in _thousands(_CITATIONS.c.turn_id):
        rows = connection.execute(cited.where(is_among).order_by(_CITATIONS.c.turn_id)).all()
        packed = [
            {"turn": turn_id, "texts": texts}
            for turn_id, own in groupby(rows, lambda row: row.turn_id)
            if (texts := {str(row.number): [row.quote, row.passage] for row in own if row.quote or row.passage})
        ]
        if packed:
            connection.execute(put, packed)


def _unpack() -> None:
    connection = op.get_bind()
    put = sa.update(_CITATIONS).where(
        _CITATIONS.c.turn_id == sa.bindparam("turn"), _CITATIONS.c.number == sa.bindparam("numbered")
    )
    put = put.values({name: sa.bindparam(f"new_{name}") for name in ("id", "quote", "passage")})
    cited = sa.select(_CITATIONS.c.turn_id, _CITATIONS.c.number, _TURNS.c.cited_texts)
    cited = cited.join_from(_CITATIONS, _TURNS, _TURNS.c.id == _CITATIONS.c.turn_id)
    for is_among in _thousands(_CITATIONS.c.turn_id):
        rows = [
            {
                "turn": row.turn_id,
                "numbered": row.number,
                "new_id": new_id(),
                **dict(zip(("new_quote", "new_passage"), (row.cited_texts or {}).get(str(row.number), (None, None)))),
            }
            for row in connection.execute(cited.where(is_among)).all()
        ]
        if rows:
            connection.execute(put, rows)


def _thousands(turn_id: sa.ColumnElement[Any]) -> Iterator[sa.ColumnElement[bool]]:
    """All turns, a thousand at a time."""
    last: UUID | None = None
    while True:
        batch = sa.select(_TURNS.c.id).order_by(_TURNS.c.id).limit(_AT_ONCE)
        ids = op.get_bind().scalars(batch if last is None else batch.where(_TURNS.c.id > last)).all()
        if not ids:
            return
        last = ids[-1]
        yield turn_id.between(ids[0], last)


def _rewrite_meanings(before: np.dtype[np.floating], after: np.dtype[np.floating]) -> None:
    connection = op.get_bind()
    for name in ("gaps", "topics"):
        meant = sa.table(name, sa.column("id", sa.Uuid), sa.column("meaning", sa.LargeBinary))
        put = sa.update(meant).where(meant.c.id == sa.bindparam("row")).values(meaning=sa.bindparam("vector"))
        rows = connection.execute(sa.select(meant).where(meant.c.meaning.is_not(None))).all()
        vectors = [
            {"row": row.id, "vector": np.frombuffer(row.meaning, before).astype(after).tobytes()}
            for row in rows
            if len(row.meaning) % before.itemsize == 0
        ]
        if vectors:
            connection.execute(put, vectors)
