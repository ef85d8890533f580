"""Alembic's entry point. The connection, with its transaction, comes from `app.store.migrate`."""

from typing import Any, Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext

from app.store.schema import StorableJson, StorableText, UtcDateTime
from app.store.tables import all_tables


def _plain_types(kind: str, thing: Any, _context: AutogenContext) -> str | Literal[False]:
    """A migration uses the database's types, not ours, so that it means the same when ours have changed."""
    if kind != "type":
        return False
    if isinstance(thing, UtcDateTime):
        return "sa.DateTime(timezone=True)"
    if isinstance(thing, StorableText):
        return "sa.Text()"
    if isinstance(thing, StorableJson):
        return 'sa.JSON().with_variant(JSONB(), "postgresql")'
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=all_tables(),
    render_as_batch=True,
    render_item=_plain_types,
)
context.run_migrations()
