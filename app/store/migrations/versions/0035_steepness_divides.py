"""`confidence_steepness` divides a logit, which it multiplied before.

Revision ID: 0035
Revises: 0034
Create Date: 2026-11-22 14:20:00.000000
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(JSONB(), "postgresql")
_CONFIGS = (
    sa.table("agents", sa.column("id", sa.Uuid()), sa.column("draft", _JSON)),
    sa.table("agent_versions", sa.column("id", sa.Uuid()), sa.column("config", _JSON)),
)


def upgrade() -> None:
    _invert()


def downgrade() -> None:
    _invert()


def _invert() -> None:
    """k becomes 1 / k, both ways; a row without one has the default of the code that reads it."""
    connection = op.get_bind()
    for table in _CONFIGS:
        [_, column] = table.columns
        for key, config in connection.execute(sa.select(table)).all():
            steepness = config.get("retrieval", {}).get("confidence_steepness")
            if steepness:
                retrieval = config["retrieval"] | {"confidence_steepness": 1 / steepness}
                changed = {column.name: config | {"retrieval": retrieval}}
                connection.execute(sa.update(table).where(table.c.id == key).values(changed))
