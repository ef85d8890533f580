"""An entry of the audit log, and the names of the kinds of changes in it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from app.core.setting import at_most

_CODE: Final = re.compile(r"[a-z]+(_[a-z]+)+")
_ID: Final = re.compile(r"[0-9a-f-]{32,}")


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """`actor` is a name, "somebody" for a refused sign-in; `operator_id` or `token_id` identifies it, because names can
    be reused. `action` reads "agent.publish"; `subject` is an id."""

    id: UUID
    actor: Annotated[str, "The operator's e-mail address or the token's name at that time."]
    action: str
    subject: str
    details: Mapping[str, Any]
    created_at: datetime
    operator_id: Annotated[
        UUID | None, "The operator's account, which may have been deleted since; null for other actors."
    ] = None
    token_id: Annotated[UUID | None, "The API token; null for other actors."] = None
    subject_name: Annotated[str, 'Its current name; "" if it was deleted or has no name.'] = ""

    @property
    def action_name(self) -> Annotated[str, 'The action in words, such as "Signed in".']:
        """Its name, such as "Agent published". An action of an earlier version of Docent that no longer exists keeps
        its code.
        """
        kind, _, verb = self.action.partition(".")
        if kind not in _KINDS:
            return _spoken(self.action)
        return _CHANGES[kind].get(verb, f"{_KINDS[kind][0]}: {_spoken(verb)}")

    @property
    def details_in_words(self) -> dict[str, str]:
        """Non-empty details by name; ids are shortened to their last characters."""
        in_words = {name: _in_words(value) for name, value in self.details.items()}
        return {_spoken(name): words for name, words in in_words.items() if words}


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """None matches any."""

    actor: Annotated[str | None, at_most(300), "A token's name, an operator's e-mail address, or the id of either."] = (
        None
    )
    action: Annotated[str | None, at_most(100), 'The beginning of the action: "agent", "agent.publish".'] = None
    subject: Annotated[str | None, at_most(100), "The id of the changed object."] = None
    since: Annotated[datetime | None, "At this time or later."] = None
    until: Annotated[datetime | None, "Before this time."] = None


EVERY_ENTRY = AuditFilter()


@dataclass(frozen=True, slots=True)
class ChangedKind:
    """A kind of subject: its name, a name for all of its changes, and the name of each change by the second word of its
    action."""

    name: str
    plural: str
    changes: Mapping[str, str]


# Each room declares its own changes. Keys are the first word of an action, and then the second.
_KINDS: Final[dict[str, tuple[str, str]]] = {}
_CHANGES: Final[dict[str, dict[str, str]]] = {}


def changes_of(kind: str, name: str, plural: str, changes: Mapping[str, str]) -> None:
    """Declare the names of subjects whose actions begin with `kind`, and of their changes by the action's second word.
    Raises ValueError if either is already declared."""
    if kind in _KINDS:
        raise ValueError(f'The kind "{kind}" is declared twice.')
    _KINDS[kind] = name, plural
    more_changes_of(kind, changes)


def more_changes_of(kind: str, changes: Mapping[str, str]) -> None:
    """Declare further changes of subjects that another room declares. The order of imports does not matter."""
    known = _CHANGES.setdefault(kind, {})
    if twice := known.keys() & changes.keys():
        raise ValueError(f'The action "{kind}.{min(twice)}" is declared twice.')
    known.update(changes)


def declared_changes() -> dict[str, ChangedKind]:
    """All kinds by the first word of their actions. Kinds and their changes are sorted by name."""
    return {
        kind: ChangedKind(name, plural, dict(sorted(_CHANGES[kind].items(), key=_by_name)))
        for kind, (name, plural) in sorted(_KINDS.items(), key=lambda each: each[1][1].casefold())
    }


def _by_name(change: tuple[str, str]) -> str:
    return change[1].casefold()


changes_of(
    "operator",
    "Operator",
    "Operators",
    {
        "sign_in": "Signed in",
        "sign_out": "Signed out",
        "refuse_sign_in": "Sign-in refused",
        "use_recovery_code": "Recovery code used",
        "create": "Operator added",
        "invite": "Operator invited",
        "accept_invitation": "Invitation accepted",
        "set_role": "Operator role changed",
        "disable": "Account disabled",
        "enable": "Account enabled",
        "delete": "Account deleted",
        "link": "Account moved to the identity provider",
        "set_password": "Password set",
        "ask_password_link": "Password link requested",
        "make_password_link": "Password link created",
        "add_passkey": "Passkey added",
        "remove_passkey": "Passkey removed",
        "remove_passkeys": "All passkeys removed",
        "add_second_factor": "One-time codes switched on",
        "remove_second_factor": "One-time codes switched off",
    },
)
changes_of("token", "API token", "API tokens", {"create": "API token created", "revoke": "API token revoked"})
changes_of("workspace", "Workspace", "Workspaces", {"create": "Workspace created"})
changes_of("signing_key", "Signing key", "Signing keys", {"rotate": "Signing key rotated"})
changes_of(
    "secrets",
    "Sealed secrets",
    "Sealed secrets",
    {"rotate": "Secrets sealed with the new key", "forget": "Secrets without a key deleted"},
)


def _spoken(code: str) -> str:
    return code.replace("_", " ").replace(".", ": ")


def _in_words(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case str() if _ID.fullmatch(value):
            return "…" + value[-8:]
        case str():
            return _spoken(value) if _CODE.fullmatch(value) else value
        case list():
            return ", ".join(map(_in_words, value))
        case dict():
            return ", ".join(f"{_spoken(name)} {_in_words(each)}" for name, each in value.items())
        case _:
            return str(value)
