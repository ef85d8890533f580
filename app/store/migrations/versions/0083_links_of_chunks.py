"""The links in the text of chunks. The next reading asks for every page in full, because those that were read before
have none.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0083"
down_revision = "0082"


def upgrade() -> None:
    links = sa.JSON().with_variant(JSONB(), "postgresql")
    op.add_column("chunks", sa.Column("links", links, server_default=sa.text("'[]'"), nullable=False))
    op.execute(
        "UPDATE source_pages SET etag = NULL, last_modified = NULL WHERE etag IS NOT NULL OR last_modified IS NOT NULL"
    )


def downgrade() -> None:
    op.drop_column("chunks", "links")
