"""Whose account has a live chat: an API token may be named like an operator's address."""

import sqlalchemy as sa
from alembic import op

revision = "0074"
down_revision = "0073"

# Who had one until now is taken for the operator of that address, of the chat's own workspace.
_OWNERS = """
UPDATE live_chats SET taken_by_id = (
    SELECT operators.id FROM operators
    JOIN agents ON agents.workspace_id = operators.workspace_id
    WHERE agents.id = live_chats.agent_id AND operators.email = live_chats.taken_by
) WHERE taken_by <> ''
"""


def upgrade() -> None:
    op.add_column("live_chats", sa.Column("taken_by_id", sa.Uuid(), nullable=True))
    op.execute(_OWNERS)


def downgrade() -> None:
    op.drop_column("live_chats", "taken_by_id")
