"""Mails of agents, so that they outlive their mailbox."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.row_policies import keep_apart

revision = "0101"
down_revision = "0100"

_ID = sa.Uuid().with_variant(sa.BLOB(), "sqlite")


def upgrade() -> None:
    _replace("mailbox_id", "agent_id", "agents", "SELECT agent_id FROM mailboxes WHERE id = mailbox_id")


def downgrade() -> None:
    mailbox = "SELECT id FROM mailboxes WHERE mailboxes.agent_id = mailbox_mails.agent_id"
    _replace("agent_id", "mailbox_id", "mailboxes", mailbox)


def _replace(before: str, after: str, parent: str, value: str) -> None:
    """Rows for which there is no `value` are deleted."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP POLICY of_workspace ON mailbox_mails")
    op.add_column("mailbox_mails", sa.Column(after, _ID, nullable=True))
    op.execute(f"UPDATE mailbox_mails SET {after} = ({value})")
    op.execute(f"DELETE FROM mailbox_mails WHERE {after} IS NULL")
    indexes = {"agent_id": ["agent_id"], "mailbox_id": ["mailbox_id", "visitor_id"]}
    with op.batch_alter_table("mailbox_mails") as mails:
        mails.drop_index(f"ix_mailbox_mails_{'_'.join(indexes[before])}")
        mails.drop_constraint(f"fk_mailbox_mails_{before}", type_="foreignkey")
        mails.drop_column(before)
        mails.alter_column(after, nullable=False)
        mails.create_index(f"ix_mailbox_mails_{'_'.join(indexes[after])}", indexes[after])
        mails.create_foreign_key(f"fk_mailbox_mails_{after}", parent, [after], ["id"], ondelete="CASCADE")
    keep_apart("mailbox_mails", after, parent)
