"""Who acts on a workspace."""

from dataclasses import dataclass
from uuid import UUID

READ = "read"
WRITE = "write"
MANAGE = "manage"  # administration, including who has access: operators and API tokens
ASK = "ask"  # a program asks an agent as visitors do
PROPOSE = "propose"  # an assistant makes proposals for a person to approve
SCOPES = (READ, WRITE, MANAGE, ASK, PROPOSE)
USUAL_SCOPES = (READ, WRITE)


@dataclass(frozen=True, slots=True)
class Actor:
    """The holder of an API token, an operator at the console, or another actor in the audit log: a visitor or one of
    our own programs. `name` is only for display, because a token may be named like an operator's address; the id of
    the account or token identifies the actor."""

    workspace_id: UUID
    name: str
    scopes: frozenset[str] = frozenset()
    operator_id: UUID | None = None
    token_id: UUID | None = None

    @property
    def address(self) -> str:
        """The operator's address, under which they are assigned work and named; "" for other actors."""
        return "" if self.operator_id is None else self.name

    def may(self, scope: str) -> bool:
        return scope in self.scopes
