"""The next reading asks for every page in full: more of a page is read than was, and "not changed" would keep it away."""

from alembic import op

revision = "0077"
down_revision = "0076"


def upgrade() -> None:
    op.execute(
        "UPDATE source_pages SET etag = NULL, last_modified = NULL WHERE etag IS NOT NULL OR last_modified IS NOT NULL"
    )


def downgrade() -> None:
    """Pages that are asked for in full once more do no harm."""
