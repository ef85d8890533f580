"""Who acts on a workspace."""

from dataclasses import dataclass
from uuid import UUID

READ = "read"
WRITE = "write"
MANAGE = "manage"  # who else may: operators and API tokens
ASK = "ask"  # a program asks an agent as a visitor does
PROPOSE = "propose"  # an assistant proposes what a person approves
SCOPES = (READ, WRITE, MANAGE, ASK, PROPOSE)
USUAL_SCOPES = (READ, WRITE)


@dataclass(frozen=True, slots=True)
class Actor:
    """The holder of an API token, an operator at the console, or whatever else the audit names: a visitor, a program
    of ours. `name` is what is shown, in the audit as well, and says nothing of who it is: a token may be named like an
    operator's address. The id of the account or of the token does."""

    workspace_id: UUID
    name: str
    scopes: frozenset[str] = frozenset()
    operator_id: UUID | None = None
    token_id: UUID | None = None

    @property
    def address(self) -> str:
        """The operator's own, under which they are assigned things and named; "" of everybody else."""
        return "" if self.operator_id is None else self.name

    def may(self, scope: str) -> bool:
        return scope in self.scopes
