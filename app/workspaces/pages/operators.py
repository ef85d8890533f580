"""The console's pages for operators, for API tokens of programs, and for who changed what."""

from typing import Annotated, Any

from starlette.responses import Response

from app.core.actor import SCOPES, USUAL_SCOPES
from app.web.console.page import (
    Form,
    Go,
    ListWanted,
    MenuEntry,
    NoForm,
    Pages,
    Shown,
    Visit,
    WrittenDay,
    action,
    manage,
    moments,
    page,
)
from app.web.file_export import ExportFormat
from app.web.model import Email
from app.workspaces.api import ApiTokenIn, InvitationIn, OperatorIn, Password, audit_file
from app.workspaces.api_tokens import ApiTokens, IssuedToken
from app.workspaces.audit_entry import AuditFilter, declared_changes
from app.workspaces.audit_log import AuditLog
from app.workspaces.operator import Operator, Role
from app.workspaces.operators import MIN_PASSWORD_CHARS, Assignees, Operators, SignInMethods
from app.workspaces.password_links import MadeLink, PasswordLinks
from app.workspaces.workspaces import NAME, Workspaces

_LIST, _ONE = "/console/operators", "/console/operators/{operator_id}"


class NewOperator(OperatorIn, Form): ...


class Invitation(InvitationIn, Form): ...


class RoleForm(Form):
    role: Role


class PasswordForm(Form):
    password: Password


class OperatorPages(Pages):
    _operators: Operators
    _links: PasswordLinks
    _methods: SignInMethods

    @page("/console/operators", access=manage, menu=MenuEntry("Operators", "Workspace", 1, "people"))
    async def operators(self, visit: Visit[NoForm]) -> Shown:
        found = await self._operators.of_workspace(visit.actor)
        return Shown("workspaces/pages/operators.html", {"found": found, **self._choices})

    @action("/console/operators", access=manage, shown_on="operators")
    async def add_operator(self, visit: Visit[NewOperator]) -> Go:
        given = visit.input
        added = await self._operators.add(visit.actor, given.email, given.role, given.password)
        return Go(visit.url("operators"), f"{added.email} may sign in now.")

    @action("/console/operators/invite", access=manage, shown_on="operators")
    async def invite_operator(self, visit: Visit[Invitation]) -> Shown | Go:
        made = await self._links.invite(visit.actor, visit.input.email, visit.input.role)
        return _handed(visit, made)

    @page("/console/operators/{operator_id}", access=manage, under="operators")
    async def operator(self, visit: Visit[NoForm]) -> Shown:
        found = await self._one(visit)
        return Shown("workspaces/pages/operator.html", {"found": found, **self._choices})

    @action("/console/operators/{operator_id}/role", access=manage, shown_on="operator")
    async def set_role(self, visit: Visit[RoleForm]) -> Go:
        changed = await self._change(visit, role=visit.input.role)
        return Go(visit.url("operator", operator_id=changed.id), f"{changed.email} is {changed.role.value} now.")

    @action("/console/operators/{operator_id}/password", access=manage, shown_on="operator")
    async def set_password(self, visit: Visit[PasswordForm]) -> Go:
        changed = await self._change(visit, password=visit.input.password)
        return Go(visit.url("operator", operator_id=changed.id), f"{changed.email} has another password.")

    @action("/console/operators/{operator_id}/password-link", access=manage, shown_on="operator")
    async def make_password_link(self, visit: Visit[NoForm]) -> Shown | Go:
        return _handed(visit, await self._links.make(visit.actor, visit.path_id("operator_id")))

    @action("/console/operators/{operator_id}/disable", access=manage, shown_on="operator")
    async def disable_operator(self, visit: Visit[NoForm]) -> Go:
        changed = await self._change(visit, is_disabled=True)
        return Go(visit.url("operators"), f"{changed.email} is signed out and cannot sign in.")

    @action("/console/operators/{operator_id}/enable", access=manage, shown_on="operator")
    async def enable_operator(self, visit: Visit[NoForm]) -> Go:
        changed = await self._change(visit, is_disabled=False)
        return Go(visit.url("operators"), f"{changed.email} may sign in again.")

    @action("/console/operators/{operator_id}/delete", access=manage, shown_on="operator")
    async def delete_operator(self, visit: Visit[NoForm]) -> Go:
        found = await self._one(visit)
        await self._operators.delete(visit.actor, found.id)
        return Go(visit.url("operators"), f"Account {found.email} removed.")

    @property
    def _choices(self) -> dict[str, object]:
        has_mail = self._links.are_mailed
        return {"roles": _ROLES, "least": MIN_PASSWORD_CHARS, "methods": self._methods, "has_mail": has_mail}

    async def _one(self, visit: Visit[NoForm]) -> Operator:
        return await self._operators.operator(visit.actor, visit.path_id("operator_id"))

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


def _handed(visit: Visit[Any], made: MadeLink) -> Shown | Go:
    """A link that is not mailed is shown in the response itself, because it must not be in a cookie or an address."""
    if made.url:
        return Shown("workspaces/pages/made_link.html", {"made": made})
    return Go(visit.url("operators"), f"Link sent to {made.operator.email}.")


_ROLES = (
    (Role.VIEWER.value, "Viewer: can read"),
    (Role.EDITOR.value, "Editor: can also make changes"),
    (Role.ADMIN.value, "Admin: can also manage operators and tokens"),
)


class NewWorkspace(Form):
    name: Annotated[str, NAME]
    email: Email
    password: Password


class WorkspacePages(Pages):
    _workspaces: Workspaces

    @page("/console/workspaces", access=manage, menu=MenuEntry("Workspaces", "Workspace", 4, "people"))
    async def workspaces(self, visit: Visit[NoForm]) -> Shown:
        found = await self._workspaces.known(visit.actor)
        may_add = await self._workspaces.is_first(visit.actor)
        return Shown(
            "workspaces/pages/workspaces.html", {"found": found, "may_add": may_add, "least": MIN_PASSWORD_CHARS}
        )

    @action("/console/workspaces", access=manage, shown_on="workspaces")
    async def add_workspace(self, visit: Visit[NewWorkspace]) -> Go:
        given = visit.input
        made = await self._workspaces.create(visit.actor, given.name, given.email, given.password)
        return Go(visit.url("workspaces"), f"{given.email} may sign in to {made.name} now.")


class NewToken(ApiTokenIn, Form):
    scopes: tuple[str, ...] = ()


class ApiTokenPages(Pages):
    _tokens: ApiTokens

    @page("/console/tokens", access=manage, menu=MenuEntry("API tokens", "Workspace", 2, "key"))
    async def tokens(self, visit: Visit[NoForm]) -> Shown:
        return await self._page(visit)

    @action("/console/tokens", access=manage, shown_on="tokens")
    async def issue_token(self, visit: Visit[NewToken]) -> Shown:
        """Shown in the response itself, because a token must not be in a cookie or an address."""
        given = visit.input
        issued = await self._tokens.issue(visit.actor, given.name, given.scopes, given.days)
        return await self._page(visit, issued)

    @action("/console/tokens/{token_id}/revoke", access=manage, under="tokens")
    async def revoke_token(self, visit: Visit[NoForm]) -> Go:
        await self._tokens.revoke(visit.actor, visit.path_id("token_id"))
        return Go(visit.url("tokens"), "Token revoked. Its calls are now refused.")

    async def _page(self, visit: Visit[Form], issued: IssuedToken | None = None) -> Shown:
        tokens = await self._tokens.of_workspace(visit.actor)
        context = {"tokens": tokens[::-1], "issued": issued, "scopes": SCOPES, "usual": USUAL_SCOPES, "now": visit.now}
        return Shown("workspaces/pages/tokens.html", context)


_SHOWN = 100


class AuditNarrowed(Form, takes=AuditFilter, fields="actor action subject since until"):
    since: WrittenDay | None = None
    until: WrittenDay | None = None

    @property
    def only(self) -> AuditFilter:
        return self.made(AuditFilter, **moments(self.since, self.until))


class AuditWanted(AuditNarrowed, ListWanted): ...


class AuditExport(AuditNarrowed):
    format: ExportFormat = "csv"


class AuditPages(Pages):
    _log: AuditLog
    _people: Assignees

    @page("/console/audit", access=manage, menu=MenuEntry("Audit", "Workspace", 3, "log"))
    async def audit(self, visit: Visit[AuditWanted]) -> Shown:
        wanted = visit.input
        page = await self._log.page(visit.actor, wanted.part(_SHOWN), wanted.only)
        kept = wanted.model_dump(mode="json", exclude={"cursor"}, exclude_none=True)
        people = await self._people.of_workspace(visit.actor)
        context = {"page": page, "wanted": wanted, "kept": kept, "people": people, "kinds": declared_changes()}
        return Shown("workspaces/pages/audit.html", context)

    @page("/console/audit/export", access=manage, under="audit", is_file=True)
    async def export_audit(self, visit: Visit[AuditExport]) -> Response:
        wanted = visit.input
        return audit_file(await self._log.fitting(visit.actor, wanted.only), wanted.format)
