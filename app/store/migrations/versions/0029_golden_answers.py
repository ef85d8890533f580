"""Golden questions say what their answers must hold.

Revision ID: 0029
Revises: 0028
Create Date: 2026-11-22 12:40:00.000000
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_COLUMNS = ("answer_contains", "answer_matches")


def upgrade() -> None:
    json = sa.JSON().with_variant(JSONB(), "postgresql")
    for name in _COLUMNS:
        op.add_column("golden_questions", sa.Column(name, json, server_default=sa.text("'[]'"), nullable=False))


def downgrade() -> None:
    for name in _COLUMNS:
        op.drop_column("golden_questions", name)
