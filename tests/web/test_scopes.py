"""Which right each route of the API and each page of the console asks for, as docs/console.md says it."""

import re
from pathlib import Path

import pytest

from app.core.actor import ASK, MANAGE, READ, SCOPES, WRITE
from app.web.access import ScopedAccess
from app.workspaces.operator import Operator, Role
from app.workspaces.operators import acting
from tests.doubles.fixed_clock import FixedClock
from tests.web.console.page_examples import every_page
from tests.web.house import UNKNOWN, every_endpoint

_DOCS = Path(__file__).resolve().parents[2] / "docs" / "console.md"
_ROW = re.compile(r"^\| `(\w+)` \| ([\w, ]+) \| (.*) \|$", re.MULTILINE)
_ACCOUNTS = _DOCS.read_text(encoding="utf-8").partition("\n## Accounts\n")[2].partition("\n## ")[0]
TOLD = {
    right: (set(roles.split(", ")), set(re.findall(r"`(/[^`]*)`", routes)))
    for right, roles, routes in _ROW.findall(_ACCOUNTS)
}
ROUTES = [
    *(
        (each.method, each.path, each.access.scope)
        for each in every_endpoint()
        if isinstance(each.access, ScopedAccess)
    ),
    *((each.method, each.path, each.scope) for each in every_page() if each.scope is not None),
]


def wanted(method: str, path: str) -> str:
    """As the table says."""
    if any(path == top or path.startswith(f"{top}/") for top in TOLD[MANAGE][1]):
        return MANAGE
    if path in TOLD[ASK][1]:
        return ASK
    if path in TOLD[WRITE][1]:
        return WRITE
    return READ if method == "GET" or path in TOLD[READ][1] else WRITE


def test_the_table_names_every_right_and_only_routes_that_there_are() -> None:
    assert set(TOLD) == set(SCOPES)
    paths = {path for _, path, _ in ROUTES}
    assert set().union(*(routes for _, routes in TOLD.values())) <= paths


def test_a_route_asks_for_the_right_that_the_table_says() -> None:
    assert [route for route in ROUTES if route[2] != wanted(*route[:2])] == []


@pytest.mark.parametrize("role", Role)
def test_a_role_has_the_rights_that_the_table_says(role: Role) -> None:
    actor = acting(Operator(UNKNOWN, UNKNOWN, "ann@example.com", role, FixedClock().now()))
    assert actor.scopes == {right for right, (roles, _) in TOLD.items() if role.value in roles}
