"""A person's address and identity are unique in a workspace, no longer in the installation. Going back is refused where
an address has two accounts.
"""

from alembic import op

revision = "0082"
down_revision = "0081"


def upgrade() -> None:
    with op.batch_alter_table("operators") as batch_op:
        batch_op.drop_index(batch_op.f("ix_operators_workspace_id"))
        batch_op.drop_constraint(batch_op.f("uq_operators_email"), type_="unique")
        batch_op.drop_index(batch_op.f("ix_operators_identity"))
        batch_op.create_index(batch_op.f("ix_operators_identity"), ["identity"], unique=False)
        batch_op.create_index(batch_op.f("ix_operators_email"), ["email"], unique=False)
        batch_op.create_unique_constraint(batch_op.f("uq_operators_workspace_id_email"), ["workspace_id", "email"])
        batch_op.create_unique_constraint(
            batch_op.f("uq_operators_workspace_id_identity"), ["workspace_id", "identity"]
        )


def downgrade() -> None:
    with op.batch_alter_table("operators") as batch_op:
        batch_op.drop_constraint(batch_op.f("uq_operators_workspace_id_identity"), type_="unique")
        batch_op.drop_constraint(batch_op.f("uq_operators_workspace_id_email"), type_="unique")
        batch_op.drop_index(batch_op.f("ix_operators_email"))
        batch_op.drop_index(batch_op.f("ix_operators_identity"))
        batch_op.create_index(batch_op.f("ix_operators_identity"), ["identity"], unique=True)
        batch_op.create_unique_constraint(batch_op.f("uq_operators_email"), ["email"])
        batch_op.create_index(batch_op.f("ix_operators_workspace_id"), ["workspace_id"], unique=False)
