"""The next reading asks for every page in full: more of a page is read than was, and "not changed" would keep it away.

Revision ID: 0077
Revises: 0076
Create Date: 2026-11-27 13:45:00.000000
"""

from alembic import op

revision = "0077"
down_revision = "0076"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "UPDATE source_pages SET etag = NULL, last_modified = NULL WHERE etag IS NOT NULL OR last_modified IS NOT NULL"
    )


def downgrade() -> None:
    """Pages that are asked for in full once more do no harm."""
