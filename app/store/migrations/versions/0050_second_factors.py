"""Second factors of operators' accounts."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0050"
down_revision = "0049"

_COLUMNS = (
    ("totp_secret", sa.LargeBinary()),
    ("totp_sealed_by", sa.String(length=16)),
    ("totp_step", sa.BigInteger()),
    ("recovery_sha256", sa.JSON().with_variant(JSONB(), "postgresql")),
)


def upgrade() -> None:
    for name, kind in _COLUMNS:
        op.add_column("operators", sa.Column(name, kind, nullable=True))


def downgrade() -> None:
    for name, _ in reversed(_COLUMNS):
        op.drop_column("operators", name)
