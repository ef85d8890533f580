"""Maps an identity provider's groups to roles."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.workspaces.operator import Role

EVERYBODY: Final = "*"
_ROLE = re.compile(r"=\s*+(viewer|editor|admin)\s*+(?:,|$)")
_RANKS: Final = tuple(Role)


@dataclass(frozen=True, slots=True)
class ProviderRules:
    """`roles` has pairs of a group and its role; "*" is everybody whom the provider admits. `groups_claim` names the
    claim with somebody's groups; a dot leads into an object, as in Keycloak's "realm_access.roles". Accounts are
    created in the workspace of that name, "" for the first one."""

    roles: Sequence[tuple[str, Role]]
    groups_claim: str = "groups"
    workspace: str = ""

    def role_of(self, claims: Mapping[str, Any]) -> Role | None:
        """The highest role of their groups; None: they have no access."""
        groups = {EVERYBODY, *groups_of(claims, self.groups_claim)}
        found = [role for group, role in self.roles if group in groups]
        return max(found, key=_RANKS.index, default=None)


def groups_of(claims: Mapping[str, Any], name: str) -> list[str]:
    """A claim with exactly that name has priority over one to which its dots lead. A single group need not be in a
    list.
    """
    found: Any = claims.get(name)
    if found is None:
        found = claims
        for part in name.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, str):
        return [found]
    return [group for group in found if isinstance(group, str)] if isinstance(found, list) else []


def read_roles(text: str) -> tuple[tuple[str, Role], ...]:
    """ "docs-admins=admin, staff=viewer" -> pairs. A group's name may hold commas and equals signs, as those of LDAP
    do. Raises ValueError."""
    found, at, text = [], 0, text.strip()
    for role in _ROLE.finditer(text):
        found.append((text[at : role.start()].strip(), Role(role[1])))
        at = role.end()
    if at < len(text) or not all(group for group, _ in found):
        raise ValueError("write it as GROUP=ROLE, comma separated, such as docs-admins=admin, *=viewer")
    return tuple(found)
