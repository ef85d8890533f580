"""Operators of the console, and what each role may do."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Annotated
from uuid import UUID


class Role(Enum):
    """Each role includes those before it."""

    VIEWER = "viewer"  # reads
    EDITOR = "editor"  # also changes what agents know and how they answer
    ADMIN = "admin"  # also manages access


@dataclass(frozen=True, slots=True)
class Operator:
    """A person with an account in one workspace. `email` is in lower case and unique there: somebody may have accounts
    in several workspaces, each with its own password. Before an invited person has chosen a password, nobody can sign
    in."""

    id: UUID
    workspace_id: UUID
    email: str
    role: Role
    created_at: datetime
    signed_in_at: Annotated[datetime | None, "The latest sign-in; null before the first."] = None
    disabled_at: datetime | None = None
    invited_at: Annotated[
        datetime | None, "When the operator was invited, if they have not chosen a password yet; otherwise null."
    ] = None

    @property
    def is_disabled(self) -> bool:
        return self.disabled_at is not None

    @property
    def is_invited(self) -> bool:
        return self.invited_at is not None


@dataclass(frozen=True, slots=True)
class OperatorSession:
    """One sign-in. Only the browser has its secret."""

    id: UUID
    operator: Operator
    started_at: datetime
    used_at: datetime


@dataclass(frozen=True, slots=True)
class Credentials:
    """`workspace` is the name of the operator's. `asks_for_code`: the account has a second factor. `identity` is the
    SHA-256 of an identity at the provider, None without one."""

    operator: Operator
    workspace: str
    password_hash: str = field(repr=False)
    asks_for_code: bool = False
    identity: bytes | None = field(default=None, repr=False)
