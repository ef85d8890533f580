"""The tables of the first migration, as the database's own types: never changed once released."""

from app.store.migrations.baseline import agents, conversations, knowledge
from app.store.migrations.baseline.columns import METADATA

__all__ = ["METADATA", "agents", "conversations", "knowledge"]
