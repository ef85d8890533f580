"""Alembic's entry point. The connection, with its transaction, comes from `app.store.migrate`."""

from typing import Any, Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext

from app.store.schema import METADATA, Id, StorableJson, StorableText, UtcDateTime


def _plain_types(kind: str, thing: Any, _context: AutogenContext) -> str | Literal[False]:
    """A migration uses the database's types, not ours, so that it means the same when ours have changed."""
    if kind != "type":
        return False
    if isinstance(thing, Id):
        return 'sa.Uuid().with_variant(sa.BLOB(), "sqlite")'
    if isinstance(thing, UtcDateTime):
        return "sa.DateTime(timezone=True)"
    if isinstance(thing, StorableText):
        return "sa.Text()"
    if isinstance(thing, StorableJson):
        return 'sa.JSON().with_variant(JSONB(), "postgresql")'
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,  # has no tables yet, unless a migration is being written from them
    render_as_batch=True,
    render_item=_plain_types,
)
context.run_migrations()
