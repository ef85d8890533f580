"""Rows that fill pages: a turn's citations in one row, compressed, its search trace in a row of its own, and half of the
hash that tells a turn's retry from another question."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from alembic import op

from app.store.migrations.row_policies import keep_apart
from app.store.schema import Id, PackedJson

revision = "0104"
down_revision = "0103"

_AT_ONCE = 500
_ID = sa.Uuid().with_variant(sa.BLOB(), "sqlite")
_TURNS = sa.table("turns", sa.column("id", Id), sa.column("cited_texts", PackedJson))
_ONE_BY_ONE = sa.table(
    "citations",
    *(sa.column(name, kind) for name, kind in (("turn_id", Id), ("number", sa.Integer), ("as_of", sa.Date))),
    *(sa.column(name, sa.Text) for name in ("url", "title", "chunk_id")),
)
_TOGETHER = sa.table(
    "citations_of_turns", sa.column("turn_id", Id), sa.column("pages"), sa.column("citations", PackedJson)
)


def upgrade() -> None:
    connection = op.get_bind()
    _create("search_traces", sa.Column("began_at", sa.DateTime(timezone=True), nullable=False), _blob("trace"))
    op.execute(
        "INSERT INTO search_traces (turn_id, began_at, trace) SELECT id, created_at, search_trace FROM turns"
        " WHERE search_trace IS NOT NULL ORDER BY created_at"
    )
    op.create_index("ix_search_traces_began_at", "search_traces", ["began_at"])
    keep_apart("search_traces", "turn_id", "turns")
    _rename_key("citations", "pk_citations", "pk_one_by_one")
    _create("citations_of_turns", sa.Column("pages", sa.Text(), nullable=False), _blob("citations"), name="citations")
    for texts in _batches(_TURNS.select(), _TURNS.c.id):
        own = _ONE_BY_ONE.c.turn_id.between(texts[0].id, texts[-1].id)
        cited: dict[UUID, list[sa.Row[Any]]] = defaultdict(list)
        for row in connection.execute(_ONE_BY_ONE.select().where(own).order_by(_ONE_BY_ONE.c.number)):
            cited[row.turn_id].append(row)
        rows = [_together(turn.id, cited[turn.id], turn.cited_texts or {}) for turn in texts if turn.id in cited]
        if rows:
            connection.execute(_TOGETHER.insert(), rows)
    op.drop_table("citations")
    op.rename_table("citations_of_turns", "citations")
    keep_apart("citations", "turn_id", "turns")
    op.drop_index("ix_turns_searched", "turns")
    op.drop_column("turns", "search_trace")
    op.drop_column("turns", "cited_texts")
    op.execute("UPDATE turns SET fingerprint = substr(fingerprint, 1, 32)")
    if connection.dialect.name == "sqlite":
        _copy_turns()


def downgrade() -> None:
    connection = op.get_bind()
    op.add_column("turns", _blob("search_trace", nullable=True))
    op.add_column("turns", _blob("cited_texts", nullable=True))
    op.execute("UPDATE turns SET search_trace = (SELECT trace FROM search_traces WHERE turn_id = turns.id)")
    op.create_index(
        "ix_turns_searched",
        "turns",
        ["created_at"],
        sqlite_where=sa.text("search_trace IS NOT NULL"),
        postgresql_where=sa.text("search_trace IS NOT NULL"),
    )
    op.drop_table("search_traces")
    if connection.dialect.name == "postgresql":
        op.execute("DROP POLICY of_workspace ON citations")
        op.execute("ALTER TABLE citations DISABLE ROW LEVEL SECURITY")
    _rename_key("citations", "pk_citations", "pk_citations_of_turns")
    op.rename_table("citations", "citations_of_turns")
    op.create_table(
        "citations",
        sa.Column("turn_id", _ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("as_of", sa.Date(), nullable=True),
        sa.Column("chunk_id", sa.String(32), nullable=True),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name="fk_citations_turn_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("turn_id", "number", name="pk_citations"),
    )
    keep_apart("citations", "turn_id", "turns")
    put = _TURNS.update().where(_TURNS.c.id == sa.bindparam("turn"))
    for turns in _batches(_TOGETHER.select(), _TOGETHER.c.turn_id):
        for turn in turns:
            rows = [
                {name: citation[name] for name in ("url", "title", "chunk_id")}
                | {"turn_id": turn.turn_id, "number": citation["id"]}
                | {"as_of": date.fromisoformat(citation["as_of"]) if citation["as_of"] else None}
                for citation in turn.citations
            ]
            texts = {
                str(citation["id"]): [citation["quote"], citation["passage"]]
                for citation in turn.citations
                if citation["quote"] or citation["passage"]
            }
            connection.execute(_ONE_BY_ONE.insert(), rows)
            connection.execute(put.values(cited_texts=texts or None), {"turn": turn.turn_id})
    op.drop_table("citations_of_turns")


def _blob(column: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(column, sa.LargeBinary(), nullable=nullable)


def _create(table: str, *columns: sa.Column[Any], name: str = "") -> None:
    """A table whose key is a turn. Its constraints are those of the table `name`, if it is to get that name."""
    op.create_table(
        table,
        sa.Column("turn_id", _ID, nullable=False),
        *columns,
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=f"fk_{name or table}_turn_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("turn_id", name=f"pk_{name or table}"),
    )


def _rename_key(table: str, before: str, after: str) -> None:
    """Postgres wants keys of all tables to have different names."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"ALTER TABLE {table} RENAME CONSTRAINT {before} TO {after}")


def _together(turn_id: UUID, rows: Sequence[sa.Row[Any]], texts: dict[str, Sequence[str | None]]) -> dict[str, Any]:
    citations = []
    for row in rows:
        quote, passage = texts.get(str(row.number), (None, None))
        as_of = row.as_of and row.as_of.isoformat()
        of_page = {"id": row.number, "url": row.url, "title": row.title, "as_of": as_of, "chunk_id": row.chunk_id}
        citations.append(of_page | {"quote": quote, "passage": passage})
    pages = {row.url.partition("#")[0].encode("utf-8", "surrogatepass") for row in rows}
    keys = sorted(hashlib.sha256(page).hexdigest()[:8] for page in pages)
    return {"turn_id": turn_id, "pages": " ".join(keys), "citations": citations}


def _batches(rows: sa.Select[Any], key: sa.ColumnClause[Any]) -> Iterator[Sequence[sa.Row[Any]]]:
    connection, batch = op.get_bind(), rows.order_by(key).limit(_AT_ONCE)
    found = connection.execute(batch).all()
    while found:
        yield found
        found = connection.execute(batch.where(key > found[-1]._mapping[key])).all()


def _copy_turns() -> None:
    """Rows that have become smaller leave their pages half empty; a copy of them does not."""
    execute = op.get_bind().exec_driver_sql
    declared = execute("SELECT type, sql FROM sqlite_master WHERE tbl_name = 'turns' AND sql > ''").all()
    [table] = (written for kind, written in declared if kind == "table")
    execute(f"CREATE TABLE converted ({table.partition('(')[2]}")
    execute("INSERT INTO converted SELECT * FROM turns")
    execute("DROP TABLE turns")
    execute("ALTER TABLE converted RENAME TO turns")
    for kind, written in declared:
        if kind == "index":
            execute(written)
