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
    """The holder of an API token, or an operator at the console. `name` is what the audit shows."""

    workspace_id: UUID
    name: str
    scopes: frozenset[str]

    def may(self, scope: str) -> bool:
        return scope in self.scopes
