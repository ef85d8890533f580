"""Who of a workspace may look after something."""

from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.operators import acting
from app.workspaces.records.operators import OperatorRecords


def checked_assignee(tx: Transaction, actor: Actor, assignee: str) -> str:
    """An operator's e-mail address as their account has it, or "" for nobody. Raises InvalidInput for an address that
    no account of the workspace has, or a disabled one."""
    return colleague_named(tx, actor, assignee).address if assignee.strip() else ""


def colleague_named(tx: Transaction, actor: Actor, address: str) -> Actor:
    """The operator of the actor's workspace who has the address. Raises InvalidInput as `checked_assignee` does."""
    named = address.strip().lower()
    for each in OperatorRecords(tx).of_workspace(actor.workspace_id):
        if each.email == named and not each.is_disabled:
            return acting(each)
    raise InvalidInput("assignee", "No operator of the workspace has this address. Name one, or nobody.")


class Assignees:
    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def of_workspace(self, actor: Actor) -> list[str]:
        """The addresses of its operators, without those whose account is disabled."""
        return await self._records.of_workspace(actor.workspace_id).read(lambda tx: addresses_of(tx, actor))


def addresses_of(tx: Transaction, actor: Actor) -> list[str]:
    """Of the operators of the actor's workspace, without those whose account is disabled."""
    return [each.email for each in OperatorRecords(tx).of_workspace(actor.workspace_id) if not each.is_disabled]
