"""Admin API: the operators of the console, API tokens, and who changed what."""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field
from starlette.responses import Response

from app.core.actor import SCOPES, USUAL_SCOPES, Actor
from app.core.setting import at_most
from app.web.file_export import ExportFormat, exported
from app.web.model import Address, OrNull
from app.web.operation import (
    Api,
    Call,
    ListOut,
    ListQuery,
    Model,
    Patch,
    delete,
    get,
    items_of,
    manage,
    patch,
    post,
)
from app.workspaces.api_tokens import DAYS, NAME, ApiTokens, IssuedToken
from app.workspaces.audit_entry import AuditEntry, AuditFilter
from app.workspaces.audit_log import MAX_EXPORTED, AuditLog
from app.workspaces.operator import Operator, Role
from app.workspaces.operators import MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS, Operators
from app.workspaces.password_links import MadeLink, PasswordLinks
from app.workspaces.workspace import ApiToken

TAG = "Operators"


class OperatorOut(Model, shows=Operator, fields="id email role created_at signed_in_at disabled_at invited_at"): ...


class OperatorsOut(Model, adds=items_of(OperatorOut, "By e-mail address, including disabled accounts.")): ...


Password = Annotated[str, Field(min_length=MIN_PASSWORD_CHARS, max_length=MAX_PASSWORD_CHARS)]
TypedPassword = Annotated[str, Field(max_length=MAX_PASSWORD_CHARS)]


class OperatorIn(Model):
    email: Annotated[Address, "Stored in lower case."]
    role: Annotated[Role, "A viewer reads; an editor also changes things; an admin also manages operators and tokens."]
    password: Password


class InvitationIn(Model):
    email: Annotated[Address, "Stored in lower case."]
    role: Role = Field(description="As for an account that is created with a password.")


class PasswordLinkOut(Model, shows=MadeLink, fields="operator url expires_at"):
    url: Annotated[str | None, OrNull]


class OperatorPatch(Patch):
    """Fields that are not sent stay unchanged; each change signs the operator out."""

    role: Role | None = None
    password: Password | None = None
    disabled: bool | None = None


class AdminOperators(Api):
    tag = TAG
    _operators: Operators
    _links: PasswordLinks

    @get("/v1/operators", "List the operators of the console", access=manage)
    async def list_operators(self, call: Call[Actor, None]) -> OperatorsOut:
        operators = await self._operators.of_workspace(call.caller)
        return OperatorsOut.showing(items=operators)

    @post("/v1/operators", "Create a console account", access=manage, status=201)
    async def create_operator(self, call: Call[Actor, OperatorIn]) -> OperatorOut:
        given = call.input
        return OperatorOut.showing(await self._operators.add(call.caller, given.email, given.role, given.password))

    @post(
        "/v1/operators/invitations",
        "Create an account whose operator sets a password through a link",
        access=manage,
        status=201,
    )
    async def invite_operator(self, call: Call[Actor, InvitationIn]) -> PasswordLinkOut:
        given = call.input
        return PasswordLinkOut.showing(await self._links.invite(call.caller, given.email, given.role))

    @post(
        "/v1/operators/{operator_id}/password-link",
        "Create a link through which an operator sets a password; earlier links expire",
        access=manage,
        status=201,
        codes=("invalid_request",),
    )
    async def make_password_link(self, call: Call[Actor, None]) -> PasswordLinkOut:
        return PasswordLinkOut.showing(await self._links.make(call.caller, call.path_id("operator_id")))

    @patch(
        "/v1/operators/{operator_id}",
        "Change an operator's role or password, or disable or enable the account",
        access=manage,
    )
    async def edit_operator(self, call: Call[Actor, OperatorPatch]) -> OperatorOut:
        given = call.input
        return OperatorOut.showing(
            await self._operators.change(
                call.caller,
                call.path_id("operator_id"),
                role=given.role,
                password=given.password,
                is_disabled=given.disabled,
            )
        )

    @delete(
        "/v1/operators/{operator_id}",
        "Delete an account; its audit log entries are kept",
        access=manage,
        codes=("invalid_request",),
    )
    async def delete_operator(self, call: Call[Actor, None]) -> None:
        await self._operators.delete(call.caller, call.path_id("operator_id"))


TOKENS_TAG = "Tokens"


class ApiTokenOut(
    Model, shows=ApiToken, fields="id name prefix scopes created_at expires_at last_used_at revoked_at"
): ...


class ApiTokensOut(Model, adds=items_of(ApiTokenOut, "Oldest first, including expired and revoked ones.")): ...


class ApiTokenIn(Model):
    name: Annotated[str, NAME]
    scopes: Annotated[tuple[str, ...], at_most(len(SCOPES)), ", ".join(SCOPES)] = USUAL_SCOPES
    days: Annotated[int | None, DAYS, "Days until it expires; null: never."] = None


class IssuedTokenOut(Model, shows=IssuedToken, fields="token record"): ...


class AdminTokens(Api):
    tag = TOKENS_TAG
    _tokens: ApiTokens

    @get("/v1/tokens", "List the workspace's API tokens, without their secrets", access=manage)
    async def list_tokens(self, call: Call[Actor, None]) -> ApiTokensOut:
        tokens = await self._tokens.of_workspace(call.caller)
        return ApiTokensOut.showing(items=tokens)

    @post("/v1/tokens", "Create an API token, which is shown once", access=manage, status=201)
    async def create_token(self, call: Call[Actor, ApiTokenIn]) -> IssuedTokenOut:
        given = call.input
        issued = await self._tokens.issue(call.caller, given.name, given.scopes, given.days)
        return IssuedTokenOut.showing(issued)

    @delete("/v1/tokens/{token_id}", "Revoke an API token: its next call is refused", access=manage)
    async def revoke_token(self, call: Call[Actor, None]) -> None:
        await self._tokens.revoke(call.caller, call.path_id("token_id"))


_COLUMNS: Final = (
    *("created_at", "actor", "action", "subject", "subject_name", "details", "action_name"),
    *("operator_id", "token_id"),
)


class AuditWanted(Model, takes=AuditFilter, fields="actor action subject since until"): ...


class AuditQuery(ListQuery, AuditWanted): ...


class AuditExportQuery(AuditWanted):
    format: ExportFormat = "csv"


class AuditEntryOut(
    Model,
    shows=AuditEntry,
    fields="id actor operator_id token_id action action_name subject subject_name details created_at",
): ...


class AdminAudit(Api):
    tag = "Audit"
    _log: AuditLog

    @get("/v1/audit", "List who changed what, latest first", access=manage)
    async def list_audit(self, call: Call[Actor, AuditQuery]) -> ListOut[AuditEntryOut]:
        query = call.input
        return ListOut[AuditEntryOut].showing(await self._log.page(call.caller, query.page, query.made(AuditFilter)))

    @get(
        "/v1/audit/export",
        f"Export who changed what as one CSV or JSON file, at most {MAX_EXPORTED}",
        access=manage,
        response_media_type="text/csv",
        other_media_types=("application/json",),
    )
    async def export_audit(self, call: Call[Actor, AuditExportQuery]) -> Response:
        return audit_file(await self._log.fitting(call.caller, call.input.made(AuditFilter)), call.input.format)


def audit_file(entries: Sequence[AuditEntry], form: ExportFormat) -> Response:
    return exported("audit", form, _COLUMNS, map(AuditEntryOut.showing, entries))
