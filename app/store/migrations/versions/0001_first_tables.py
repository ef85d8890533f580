"""The first tables.

Revision ID: 0001
Revises:
Create Date: 2026-11-21 03:36:54.469273
"""

from alembic import op

from app.store.migrations.first_tables import agents, conversations, knowledge

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_FAMILIES = (agents, knowledge, conversations)  # each refers to those before it


def upgrade() -> None:
    for family in _FAMILIES:
        family.create()


def downgrade() -> None:
    for family in reversed(_FAMILIES):
        for table in reversed(family.TABLES):
            op.drop_table(table)
