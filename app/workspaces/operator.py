"""Who works at the console, and what each role may do."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from uuid import UUID


class Role(Enum):
    """Each role may do what those before it may."""

    VIEWER = "viewer"  # reads
    EDITOR = "editor"  # and changes what agents know and how they answer
    ADMIN = "admin"  # and says who else may


@dataclass(frozen=True, slots=True)
class Operator:
    """A person with an account at one workspace. `email` is in lower case and unique in the installation. `invited_at`
    says that nobody can sign in yet: who was invited has chosen no password."""

    id: UUID
    workspace_id: UUID
    email: str
    role: Role
    created_at: datetime
    signed_in_at: datetime | None = None
    disabled_at: datetime | None = None
    invited_at: datetime | None = None

    @property
    def is_disabled(self) -> bool:
        return self.disabled_at is not None

    @property
    def is_invited(self) -> bool:
        return self.invited_at is not None


@dataclass(frozen=True, slots=True)
class OperatorSession:
    """One sign-in. Its secret is the browser's alone."""

    id: UUID
    operator: Operator
    started_at: datetime
    used_at: datetime


@dataclass(frozen=True, slots=True)
class Credentials:
    """`asks_for_code`: the account has a second factor."""

    operator: Operator
    password_hash: str = field(repr=False)
    asks_for_code: bool = False
