"""Who may work at the console."""

from collections.abc import Sequence

from pydantic import Field

from app.domain.operator import Operator, Role
from app.operating.actor import MANAGE
from app.operating.operators import MAX_EMAIL_CHARS, MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS
from app.web.console.page import AnyPage, ConsolePage, Form, Go, MenuEntry, NoForm, Shown, Visit
from app.web.services import WebServices

_LIST, _ONE = "/console/operators", "/console/operators/{operator_id}"


class NewOperator(Form):
    email: str = Field(max_length=MAX_EMAIL_CHARS)
    role: Role
    password: str = Field(min_length=MIN_PASSWORD_CHARS, max_length=MAX_PASSWORD_CHARS)


class RoleForm(Form):
    role: Role


class PasswordForm(Form):
    password: str = Field(min_length=MIN_PASSWORD_CHARS, max_length=MAX_PASSWORD_CHARS)


class OperatorPages:
    def __init__(self, services: WebServices) -> None:
        self._operators = services.operators

    def pages(self) -> Sequence[AnyPage]:
        return (
            ConsolePage("GET", _LIST, "operators", MANAGE, self.list, menu=MenuEntry("Operators", 10, "people")),
            ConsolePage("POST", _LIST, "add_operator", MANAGE, self.add, form=NewOperator, shown_on="operators"),
            ConsolePage("GET", _ONE, "operator", MANAGE, self.one, under="operators"),
            ConsolePage("POST", f"{_ONE}/role", "set_role", MANAGE, self.role, form=RoleForm, shown_on="operator"),
            ConsolePage(
                "POST",
                f"{_ONE}/password",
                "set_password",
                MANAGE,
                self.password,
                form=PasswordForm,
                shown_on="operator",
            ),
            ConsolePage("POST", f"{_ONE}/disable", "disable_operator", MANAGE, self.disable, shown_on="operator"),
            ConsolePage("POST", f"{_ONE}/enable", "enable_operator", MANAGE, self.enable, shown_on="operator"),
            ConsolePage("POST", f"{_ONE}/delete", "delete_operator", MANAGE, self.delete, shown_on="operator"),
        )

    async def list(self, visit: Visit[NoForm]) -> Shown:
        found = await self._operators.of_workspace(visit.actor)
        return Shown("operators.html", {"found": found, "roles": _ROLES, "least": MIN_PASSWORD_CHARS})

    async def add(self, visit: Visit[NewOperator]) -> Go:
        given = visit.given
        added = await self._operators.add(visit.actor, given.email, given.role, given.password)
        return Go(visit.url("operators"), f"{added.email} may sign in now.")

    async def one(self, visit: Visit[NoForm]) -> Shown:
        found = await self._one(visit)
        return Shown("operator.html", {"found": found, "roles": _ROLES, "least": MIN_PASSWORD_CHARS})

    async def role(self, visit: Visit[RoleForm]) -> Go:
        changed = await self._change(visit, role=visit.given.role)
        return Go(visit.url("operator", operator_id=changed.id), f"{changed.email} is {changed.role.value} now.")

    async def password(self, visit: Visit[PasswordForm]) -> Go:
        changed = await self._change(visit, password=visit.given.password)
        return Go(visit.url("operator", operator_id=changed.id), f"{changed.email} has another password.")

    async def disable(self, visit: Visit[NoForm]) -> Go:
        changed = await self._change(visit, is_disabled=True)
        return Go(visit.url("operators"), f"{changed.email} is signed out and cannot sign in.")

    async def enable(self, visit: Visit[NoForm]) -> Go:
        changed = await self._change(visit, is_disabled=False)
        return Go(visit.url("operators"), f"{changed.email} may sign in again.")

    async def delete(self, visit: Visit[NoForm]) -> Go:
        found = await self._one(visit)
        await self._operators.delete(visit.actor, found.id)
        return Go(visit.url("operators"), f"The account of {found.email} is removed.")

    async def _one(self, visit: Visit[NoForm]) -> Operator:
        return await self._operators.get(visit.actor, visit.path_id("operator_id"))

    async def _change(
        self,
        visit: Visit[Form],
        *,
        role: Role | None = None,
        password: str | None = None,
        is_disabled: bool | None = None,
    ) -> Operator:
        return await self._operators.change(
            visit.actor, visit.path_id("operator_id"), role=role, password=password, is_disabled=is_disabled
        )


_ROLES = (
    (Role.VIEWER.value, "Viewer: reads"),
    (Role.EDITOR.value, "Editor: changes as well"),
    (Role.ADMIN.value, "Admin: manages operators and tokens too"),
)
